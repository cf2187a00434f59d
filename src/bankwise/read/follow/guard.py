"""Instructions that run only where a predicate holds (PTX and SASS: ``@!%p1 add.s32 ...``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from bankwise.counting.access import BoolArray
from bankwise.read.follow.state import State, read, write
from bankwise.read.follow.values import Array, Unknown, Value, either

Guard = Callable[[State], Value]
"""A boolean for every lane."""

T = TypeVar("T")


def guarded(evaluate: Callable[[State], T], guard: Guard | None) -> Callable[[State], T]:
    """``evaluate`` for the guard's lanes alone: only they need to have what it reads."""
    if guard is None:
        return evaluate

    def run(state: State) -> T:
        chosen, active = guard(state), state.active
        if not isinstance(chosen, Unknown):
            state.active = active & chosen
        try:
            return evaluate(state)
        finally:
            state.active = active

    return run


def assigning(
    names: tuple[str, ...], evaluate: Callable[[State], tuple[Value, ...]], guard: Guard | None
) -> Callable[[State], None]:
    """Let the registers ``names`` be the results of ``evaluate``, in the guard's lanes."""
    results = guarded(evaluate, guard)

    def run(state: State) -> None:
        values = results(state)
        chosen = guard(state) if guard is not None else None
        for name, value in zip(names, values, strict=False):
            if isinstance(chosen, Unknown):
                write(state, name, either(chosen, value, read(state, name)))
            else:
                write(state, name, value, _everywhere(chosen, state))

    return run


def _everywhere(chosen: Array | None, state: State) -> BoolArray | None:
    return None if chosen is None else np.broadcast_to(chosen, state.active.shape)
