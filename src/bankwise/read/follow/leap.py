"""Long loops without following every iteration, where that is exact.

A loop of one block falls into two machines that do not read each other's registers: the one that
decides how often it runs (a counter and its comparison), and the one that computes addresses. The
first runs alone to the end, which is cheap, and tells how many iterations are left. The second
repeats: once its registers have a value again that they had before, everything it does is periodic.

    s_add_i32 s5, s5, 1       counter:   10,000 iterations
    v_xor_b32 v1, 0x400, v1   addresses: period 2, so each pattern occurs 5,000 times

Where addresses depend on the counter there are no two machines: nothing leaps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bankwise.identity import ByIdentity
from bankwise.read.follow.merge import snapshot
from bankwise.read.follow.program import Program, ProgramStep
from bankwise.read.follow.state import Partly, State
from bankwise.read.follow.values import Unknown, Value

LEAP_AFTER = 512
"""Iterations that are followed one by one before a leap is tried."""

MOST_ITERATIONS = 200_000
_MOST_PERIOD = 64


class Leap(ByIdentity, frozen=True, eq=False):
    """``iterations`` are left and repeat after ``period``; ``addresses``: the steps of each.

    ``after``: the counter's registers behind the last iteration.
    """

    iterations: int
    period: int
    addresses: tuple[int, ...]
    after: dict[str, Value | Partly]


def leap(
    program: Program, kept: Sequence[int], state: State, last: ProgramStep, again: bool
) -> Leap | None:
    """How the loop ends that these steps (``last`` closes it) run in; None if that is not known.

    ``kept``: the steps that matter. ``again``: what the condition is while the loop goes on.
    """
    steps = program.steps
    counter, counts = _closure(program, kept, last.reads)
    wanted = [name for n in kept if steps[n].address is not None for name in steps[n].reads]
    places, addresses = _closure(program, kept, wanted)
    addresses |= {n for n in kept if steps[n].address is not None}
    body = {n for n in kept if steps[n].flow == "next"}
    if counts & addresses or body - counts - addresses or _written(program, counts) & places:
        return None
    if any(steps[n].guard is not None for n in addresses):
        return None
    names = tuple(sorted(counter))
    left = _iterations(program, sorted(counts), state.copy(), last, again, names)
    period = _period(program, sorted(addresses), state.copy(), tuple(sorted(places)))
    if left is None or not period or left[0] < 2 * period:
        return None
    after = {name: left[1].registers[name] for name in _written(program, counts) & counter}
    return Leap(left[0], period, tuple(sorted(addresses)), after)


def _closure(
    program: Program, kept: Sequence[int], names: Sequence[str]
) -> tuple[set[str], set[int]]:
    """The registers that decide ``names``, over all iterations, and the steps that write them."""
    wanted, found = set(names), set[int]()
    grown = True
    while grown:
        new = {n for n in kept if n not in found and wanted & set(program.steps[n].writes)}
        found |= new
        wanted |= {name for n in new for name in program.steps[n].reads}
        grown = bool(new)
    return wanted, found


def _written(program: Program, numbers: set[int]) -> set[str]:
    return {name for n in numbers for name in program.steps[n].writes}


def _iterations(
    program: Program,
    counts: Sequence[int],
    state: State,
    last: ProgramStep,
    again: bool,
    names: tuple[str, ...],
) -> tuple[int, State] | None:
    """How often the block still runs, and the state behind the last time of what counts, whose
    registers are ``names``; None if it never ends: they have been what they are now."""
    assert last.condition is not None
    before = snapshot(state, names)
    for number in range(1, MOST_ITERATIONS):
        _execute(program, counts, state)
        now = snapshot(state, names)
        if now == before:
            return None
        before = before if number & (number - 1) else now
        found = last.condition(state)
        if isinstance(found, Unknown):
            return None
        taken = np.broadcast_to(found, state.active.shape)[state.active]
        if taken.all() != taken.any():
            return None
        if bool(taken.all()) != again:
            return number, state
    return None


def _period(
    program: Program, addresses: Sequence[int], state: State, names: tuple[str, ...]
) -> int:
    """After how many iterations the address registers are what they are now; 0 if not soon."""
    start = snapshot(state, names)
    for period in range(1, _MOST_PERIOD + 1):
        _execute(program, addresses, state)
        if snapshot(state, names) == start:
            return period
    return 0


def _execute(program: Program, numbers: Sequence[int], state: State) -> None:
    for number in numbers:
        run: Callable[[State], None] | None = program.steps[number].run
        if run is not None:
            run(state)
