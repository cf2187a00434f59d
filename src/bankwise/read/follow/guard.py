"""Instructions that run only where a predicate holds (PTX and SASS: ``@!%p1 add.s32 ...``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from bankwise.counting.access import BoolArray
from bankwise.identity import ByIdentity
from bankwise.read.follow.state import UNWRITTEN, Guarded, State, hold_guarded, limited, read, write
from bankwise.read.follow.values import Array, Unknown, Value, because, either, is_uniform


class Guard(ByIdentity, frozen=True, eq=False):
    """``holds``: a boolean for every lane; ``tag``: what it is called where nobody knows it."""

    holds: Callable[[State], Value]
    tag: Guarded

    def __call__(self, state: State) -> Value:
        """Whether it holds now."""
        return self.holds(state)


T = TypeVar("T")


def guarded(evaluate: Callable[[State], T], guard: Guard | None) -> Callable[[State], T]:
    """``evaluate`` for the guard's lanes alone: only they need to have what it reads."""
    if guard is None:
        return evaluate

    def run(state: State) -> T:
        chosen, active, conditions = guard(state), state.active, state.conditions
        if not isinstance(chosen, Unknown):
            active = active & chosen
        elif guard.tag.name in state.guards:
            conditions = (*conditions, guard.tag)
        return limited(state, active, conditions, evaluate)

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
                write(state, name, _one_of(chosen, value, read(state, name)))
                if guard is not None and not isinstance(value, Unknown):
                    hold_guarded(state, name, value, guard.tag)
            else:
                write(state, name, value, _everywhere(chosen, state))

    return run


def _one_of(chosen: Unknown, value: Value, before: Value) -> Value:
    """What a register holds behind a write under a predicate that nobody knows. Where it was never
    written nobody may ask for it, so that what was there parts no lanes of a wave."""
    found = either(chosen, value, before)
    if before is UNWRITTEN and chosen.uniform and is_uniform(value):
        return because(chosen, uniform=True)
    return found


def _everywhere(chosen: Array | None, state: State) -> BoolArray | None:
    return None if chosen is None else np.broadcast_to(chosen, state.active.shape)
