"""Control flow: ``scf`` with masks, as a wave runs it.

Where all active threads agree, one side runs and the mask stays as it is. Where they differ, both
sides run one after the other, each under its own mask, and every thread keeps its side's results.
A loop runs as long as one active thread wants to go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bankwise.change.execute.state import Node, Step, WorkgroupState
from bankwise.change.execute.values import Array, rows
from bankwise.counting.access import BoolArray

Body = Callable[..., tuple[Any, ...]]
"""A region, ready to run: ``body(state, *block arguments) -> operands of its terminator``."""


def branch(node: Node, bodies: Sequence[Body]) -> Step:
    """``scf.if``."""
    otherwise: Body = bodies[1] if len(bodies) > 1 else lambda state: ()

    def run(state: WorkgroupState, condition: Array) -> tuple[Any, ...]:
        chosen = condition != 0
        here = rows(chosen, state.threads)[state.active]
        if here.all():
            return bodies[0](state)
        if not here.any():
            return otherwise(state)
        yes = _run_masked(state, rows(chosen, state.threads), bodies[0])
        no = _run_masked(state, ~rows(chosen, state.threads), otherwise)
        pairs = zip(yes, no, strict=True)
        return tuple(_merged(node, state, rows(chosen, state.threads), a, b) for a, b in pairs)

    return run


def counted_loop(node: Node, bodies: Sequence[Body]) -> Step:
    """``scf.for``."""

    def run(
        state: WorkgroupState, low: Array, high: Array, step: Array, *carried: Any
    ) -> tuple[Any, ...]:
        if (step <= 0).any():
            raise node.refuse(f"its step is {int(step.min())}")
        induction = low
        while True:
            running = rows(induction < high, state.threads)
            here = running[state.active]
            if not here.any():
                return carried
            if here.all():
                carried = bodies[0](state, induction, *carried)
            else:
                after = _run_masked(state, running, bodies[0], induction, *carried)
                pairs = zip(after, carried, strict=True)
                carried = tuple(_merged(node, state, running, a, b) for a, b in pairs)
            induction = induction + step

    return run


def conditional_loop(node: Node, bodies: Sequence[Body]) -> Step:
    """``scf.while``; all active threads must leave it together."""

    def run(state: WorkgroupState, *carried: Any) -> tuple[Any, ...]:
        while True:
            condition, *forwarded = bodies[0](state, *carried)
            here = rows(condition != 0, state.threads)[state.active]
            if not here.any():
                return tuple(forwarded)
            if not here.all():
                raise node.refuse("the threads of a workgroup leave the loop at different times")
            carried = bodies[1](state, *forwarded)

    return run


def inline(node: Node, bodies: Sequence[Body]) -> Step:
    """``scf.execute_region``, ``memref.alloca_scope``: the region, once."""
    return lambda state: bodies[0](state)


def _run_masked(
    state: WorkgroupState, chosen: BoolArray, body: Body, *values: Any
) -> tuple[Any, ...]:
    """Run ``body`` on ``values`` for the active threads among ``chosen``."""
    before = state.mask
    state.mask = chosen & state.active
    results = body(state, *values)
    state.mask = before
    return results


def _merged(node: Node, state: WorkgroupState, chosen: BoolArray, a: Any, b: Any) -> Any:
    """Per thread ``a`` where chosen, else ``b``."""
    if isinstance(a, np.ndarray):
        lifted = chosen.reshape(-1, *(1 for _ in a.shape[1:]))
        return np.where(lifted, rows(a, state.threads), rows(b, state.threads))
    if a is not b:
        raise node.refuse("threads of one workgroup leave it with different memrefs")
    return a


TABLE: Mapping[str, Callable[[Node, Sequence[Body]], Step]] = {
    "memref.alloca_scope": inline,
    "scf.execute_region": inline,
    "scf.for": counted_loop,
    "scf.if": branch,
    "scf.while": conditional_loop,
}
