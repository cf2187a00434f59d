"""Running a block, and what it does that it has done before: each strand of it by itself.

A loop runs the same instructions round after round, most of them on the same numbers: of a strand
whose registers hold what they held in an earlier round, the results and the places that it touches
are known. Only what is known throughout is remembered: a strand in which a value is unknown runs
each time, as does one whose lanes run under a condition that nobody knows, or may run beside
others. So nothing that is found
depends on what is remembered.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from operator import is_

import numpy as np

from bankwise.read.follow.attempt import Attempt, hold
from bankwise.read.follow.keys import content
from bankwise.read.follow.marks import xored
from bankwise.read.follow.paths import Path, groups_at
from bankwise.read.follow.state import forget_guard, running_key, runs_everywhere
from bankwise.read.follow.strands import Given, StrandMemory, StrandOutcome, strands, written
from bankwise.read.follow.touched import Touched, touch, touch_again

_FEWEST = 4
"""Steps of a block whose results are worth remembering."""
Place = tuple[Touched, int] | None
"""What an access touched, and which of its patterns, negative if that is not known; None if no lane
took part."""


def run_block(run: Attempt, path: Path) -> None:
    """Run the steps of a block that matter."""
    parts = _parts(run, path)
    if parts is None:
        for number in run.slice.steps[path.block]:
            run_step(run, path, number)
        return
    state, anew = path.state, list[tuple[StrandMemory, Given]]()
    known: list[StrandOutcome] = []
    for one in parts:
        given = tuple([state.registers.get(name) for name in one.strand.reads])
        outcome = _remembered(one, given)
        if outcome is None:
            anew.append((one, given))
        else:
            known.append(outcome)
    if anew:
        _run_anew(run, path, anew, beside=bool(known))
    for outcome in known:
        for name in state.guards & outcome.after.keys():
            forget_guard(state, name)
        state.registers.update(outcome.after)
        for touched, at in outcome.places:
            touch_again(touched, at, path)


def run_step(run: Attempt, path: Path, number: int) -> Place:
    """Run a step, and note what it touches."""
    step, place = run.program.steps[number], None
    run.executed.add(number)
    if step.address is not None:
        place = touch(run.touched, number, step, path)
        if run.apart and (seen := run.touched.get(number)) is not None:
            hold(run, *seen.causes)
    if step.run is not None and number not in run.slice.idle:
        step.run(path.state)
    return place


def _parts(run: Attempt, path: Path) -> Sequence[StrandMemory] | None:
    """What is remembered of the strands of the block that a path runs; None where nothing is."""
    state, block, kept = path.state, path.block, run.slice
    few = len(kept.steps[block]) < _FEWEST
    if few or state.conditions or state.guards or state.maybe or groups_at(path):
        return None
    whole = runs_everywhere(state)
    lanes = b"" if whole else state.active.tobytes() + running_key(state)
    held, key = run.memory.blocks, (block, lanes)
    if key not in held:
        shape = kept.strands.get((block, whole), ())
        if shape == ():
            shape = kept.strands[block, whole] = strands(run.program, kept, block, whole=whole)
        held[key] = None if shape is None else [StrandMemory(one) for one in shape]
    return held[key]


def _remembered(one: StrandMemory, given: Given) -> StrandOutcome | None:
    """What a strand did when it was given the same."""
    last = one.last
    if last is not None and all(map(is_, given, last.given)):
        return last
    key = _key(given) if one.known else None
    if key is not None and key in one.known:
        one.last = one.known[key]
        return one.last
    return None


def _key(given: Given) -> Hashable:
    """Equal for equal values; None where one of them is not known."""
    parts = []
    for value in given:
        if not isinstance(value, np.ndarray):
            return None
        parts.append((value.dtype.char, xored(value), content(value)))
    return tuple(parts)


def _run_anew(
    run: Attempt, path: Path, parts: Sequence[tuple[StrandMemory, Given]], *, beside: bool
) -> None:
    """Run strands, step by step, and remember what they do. ``beside``: there are others, from
    whose registers they take nothing."""
    state, registers = path.state, path.state.registers
    if beside:
        path.state = state.copy()
        registers = path.state.registers
    owner = {number: n for n, (one, _) in enumerate(parts) for number in one.strand.numbers}
    places: list[list[tuple[Touched, int]] | None] = [
        [] if all(isinstance(value, np.ndarray) for value in given) else None for _, given in parts
    ]
    for number in sorted(owner):
        place, mine = run_step(run, path, number), places[owner[number]]
        if mine is None:
            continue
        names = written(run.program, run.slice, number)
        if (place is not None and place[1] < 0) or not all(
            isinstance(registers.get(name), np.ndarray) for name in names
        ):
            places[owner[number]] = None
        elif place is not None:
            mine.append(place)
    now, path.state = path.state, state
    state.guards = now.guards
    for (one, given), mine in zip(parts, places, strict=True):
        after = {name: registers[name] for name in one.strand.leaves if name in registers}
        if beside:
            state.registers.update(after)
        if mine is not None:
            _keep(run, one, StrandOutcome(given, after, tuple(mine)))


def _keep(run: Attempt, one: StrandMemory, outcome: StrandOutcome) -> None:
    """Remember what a strand did."""
    run.memory.weigh(outcome)
    one.known[_key(outcome.given)] = one.last = outcome
