"""Running a program for one workgroup: branches, lanes that part and meet again, loops.

Where a branch is known, control flow is followed exactly, lane by lane: lanes that part run one
after the other and meet again at the branch's join, as on the hardware. Where nobody knows the
condition, *both* ways are followed. A branch of that kind is "open": how often its loop runs does
not matter any more, only which states of the address registers occur; a state that has been seen
before is not followed again. So every pattern that can occur is found, however often it occurs.

Counts are lost between an open branch and its join alone: every wave passes the join once, however
it came there. If all ways bring the same state, one path runs on from the join and counts again.

Work is bounded by the size of the code times a constant:

- Only what decides an address, the lanes or a branch is followed (:func:`slicing.cut`); what open
  branches alone depend on is not, nor is what decides a branch that may be passed over.
- Ways run in the order of the program, so that all that lead to a block are there before it runs.
- A block keeps so many different states apart that open branches brought (``breadth``). Those that
  come later become one, in which each register that differs is unknown, for the reason of the
  branch. It can only lose registers, so a loop ends: what counts its rounds is unknown at last.
- If the states of an attempt are too many it is made again with fewer, at last with one a block.
- A loop whose branch is known and that runs too long is opened.
- What a region between an open branch and its join makes of a state is remembered.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from itertools import chain

import numpy as np

from bankwise.identity import ByIdentity
from bankwise.read.follow.again import run_block, run_step
from bankwise.read.follow.attempt import (
    BREADTHS,
    COMPARED,
    Attempt,
    NotAlike,
    StartAgain,
    condition,
    spend,
    within_budget,
)
from bankwise.read.follow.data import name_data
from bankwise.read.follow.early import meeting
from bankwise.read.follow.either import settle
from bankwise.read.follow.leap import LEAP_AFTER, leap
from bankwise.read.follow.merge import merged, snapshot
from bankwise.read.follow.merging import Partings
from bankwise.read.follow.mixing import meet_others, with_opened
from bankwise.read.follow.parting import part_known
from bankwise.read.follow.paths import (
    Crossing,
    Path,
    Region,
    awaited,
    let_leave,
    meet,
    part,
    set_barriers,
    waits_at,
)
from bankwise.read.follow.prepared import Prepared
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.skips import passed_over
from bankwise.read.follow.state import BranchCondition, State, enter, forget_guard
from bankwise.read.follow.touched import Touched, counts_of, forget_together, repeat
from bankwise.read.follow.uniform import for_each_lane
from bankwise.read.follow.values import Unknown, because, single
from bankwise.read.follow.widen import widen

MOST_WORK = 500_000
WORK_PER_STEP = 20
"""How many steps all attempts together are worth, and how many more for each instruction: beyond,
nothing more is followed, which is told."""


class Trace(ByIdentity, frozen=True, eq=False):
    """What a run saw. ``touched``: by step number. ``followed``: steps that ran. ``open_branches``:
    lines of branches whose condition is unknown, and why. ``stopped``: which limit was met, empty
    if none. ``lost``: places that control flow cannot be followed beyond. ``work``: steps that it
    was worth."""

    touched: dict[int, Touched]
    executed: frozenset[int]
    open_branches: dict[int, Unknown]
    stopped: str
    lost: tuple[ProgramStep, ...]
    work: int = 0


UNTOUCHED = Trace({}, frozenset(), {}, "", ())
"""Of a kernel without an access: there is nothing to be followed for."""


def follow(
    known: Prepared, start: State, most: int | None = None, apart: Collection[str] = ()
) -> Trace:
    """Run a program from ``start``, which stays as it is. ``most``: how much work that is worth,
    in steps. ``apart``: facts of the launch; where one of them leaves a branch, lanes or an address
    open, nothing more is followed, and that alone is told."""
    most = MOST_WORK + WORK_PER_STEP * len(known.program.steps) if most is None else most
    return (None if apart else _as_expected(known, start, most)) or _anew(known, start, most, apart)


def _as_expected(known: Prepared, start: State, most: int) -> Trace | None:
    """A run that expects the branches open that another found: what decides them is followed to see
    that they are, and keeps no states apart. None where one of them is not open, or not for that
    cause. (Without a mask a branch may be open for each lane, and that depends on the block.)"""
    if not known.found or start.lanes is None:
        return None
    open_branches = {**known.open_branches, **known.found}
    run = Attempt(known.program, known.slice_to_see(open_branches), open_branches, most=most)
    run.heads, run.addresses, run.expected = known.heads, known.addresses, set(known.found)
    try:
        _all_paths(run, start.copy())
    except StartAgain:
        return None
    if run.expected or run.fresh or run.stopped or run.partings.fresh:
        return None
    run.executed.intersection_update(chain.from_iterable(known.slice(open_branches).steps))
    return _seen(known, run)


def _anew(known: Prepared, start: State, most: int, apart: Collection[str]) -> Trace:
    """A run that finds the open branches."""
    program, open_branches = known.program, dict(known.open_branches)
    work, rung, partings, varying = 0, 0, Partings(), known.varying_from(start)
    while True:
        kept = known.slice(open_branches)
        run = Attempt(program, kept, open_branches, work=work, rung=rung, most=most)
        run.partings = partings = Partings({}, partings.found, partings.broken)
        run.heads, run.addresses, run.apart = known.heads, known.addresses, apart
        run.varying = varying if start.lanes is None else None
        try:
            _all_paths(run, start.copy())
        except StartAgain as found:
            open_branches.update(found.lines)
            for_each_lane(varying, open_branches, {*run.fresh, *found.lines})
            work, rung = run.work, found.rung
            continue
        except NotAlike as found:
            return Trace({}, frozenset(), {0: found.why}, "what is followed differs", (), run.work)
        work = run.work
        if (run.fresh or run.partings.fresh) and not run.stopped:
            continue
        if not run.stopped and not apart and not rung:
            known.expect(open_branches)
        return _seen(known, run)


def _seen(known: Prepared, run: Attempt) -> Trace:
    forget_together(run.touched.values())
    unseen = passed_over(run.program, run.slice.skips)
    open_branches = {line: why for line, why in run.open.items() if line not in unseen}
    name_data(known.written, open_branches, run.touched.values())
    seen, lost = frozenset(run.executed), tuple(run.lost.values())
    for touched in run.touched.values() if lost else ():
        touched.counted = False  # nobody knows where the lost ones come again
    return Trace(run.touched, seen, open_branches, run.stopped, lost, run.work)


def _all_paths(run: Attempt, state: State) -> None:
    _wait(run, Path(0, state, []))
    _drain(run)


def _wait(run: Attempt, path: Path) -> None:
    heappush(run.waiting, (run.program.order[path.block], next(run.numbers), path))


def _drain(run: Attempt) -> None:
    """Follow every waiting path to its end, the one that is farthest behind first."""
    order = run.program.order
    while run.waiting:
        path = heappop(run.waiting)[2]
        while _advance(run, path):
            if run.waiting and run.waiting[0][0] < order[path.block]:
                _wait(run, path)
                break


def _advance(run: Attempt, path: Path) -> bool:
    """Run one block; False where the path ends or has been seen before."""
    meet(path, run.program.endings)
    if path.block >= len(run.program.blocks):
        return False
    region = path.region
    if region is not None and path.block == region.join and len(path.frames) <= region.depth:
        region.arrivals.append(path)
        return False
    if path.groups:
        names = run.slice.live[path.block]
        spend(run, path, meet_others(path.groups, path.block, path.state, names) // COMPARED)
    if not path.certain and not _admitted(run, path):
        return False
    block = run.program.blocks[path.block]
    last = run.program.steps[block.stop - 1]
    if path.frames and path.block in run.program.gathers.set_in:
        places = run.program.gathers.set_in[path.block]
        for place in awaited(path, places, run.program.gathers.names):
            run.partings.set_anew(place)
        set_barriers(path, places)
    run_block(run, path)
    if not within_budget(run, path):
        return False
    if last.flow == "lost":
        run.lost[block.stop - 1] = last
        return False
    if last.flow == "branch":
        _branch(run, path, last, block.after)
    else:
        path.block = block.after[0]
    return True


def _admitted(run: Attempt, path: Path) -> bool:
    """Whether an uncertain path brings something new to its block. If open branches brought more
    states there than are kept apart, it goes on as one for all that come."""
    places = run.places if path.region is None else path.region.places
    if path.block in run.heads:
        _widen(run, path)
    block, frames, (active, conditions, held) = _situation(run, path)
    place = places.setdefault((block, frames, active, conditions), Crossing())
    parted, path.parted = path.parted, None
    if held in place.seen:
        return False
    if parted is not None:
        if place.last is not None and len(place.seen) >= BREADTHS[run.rung]:
            names = run.slice.names(path.block, path.aside)
            path.state = merged([place.last, path.state], *names, parted) or path.state
            held = snapshot(path.state, *names)[2]
            if held in place.seen:
                return False
        place.last = path.state.copy()
    place.seen.add(held)
    return True


def _widen(run: Attempt, path: Path) -> None:
    """At the head of a loop of unknown length: registers that only count are unknown."""
    counters = run.counters if path.region is None else path.region.counters
    line = run.program.steps[run.program.blocks[path.block].start].line
    why = path.parted or Unknown("how often a loop has run", line)
    names, places = run.slice.live[path.block], sum(len(t.patterns) for t in run.touched.values())
    widen(counters, path.block, why, path.state, names, run.addresses[path.block], places)


def _situation(
    run: Attempt, path: Path
) -> tuple[int, object, tuple[bytes, tuple[int, ...], tuple[object, ...]]]:
    """Equal for paths that go on alike."""
    names = run.slice.names(path.block, path.aside)
    return *_stand(run, path), snapshot(path.state, *names)


def _stand(run: Attempt, path: Path) -> tuple[int, object]:
    """Equal for paths at one place, whatever they hold; as much work as to compare all of that."""
    names = run.slice.names(path.block, path.aside)
    spend(run, path, 1 + sum(map(len, names)) // COMPARED)
    return path.block, path.waiting


def _branch(run: Attempt, path: Path, step: ProgramStep, ways: Sequence[int]) -> None:
    if path.block in run.slice.skips:
        path.block = run.slice.skips[path.block]
        return
    value = condition(run, path, step)
    if isinstance(value, Unknown):
        why = because(value, uniform=True) if single(path.state.active) else value
        join, _ = meeting(run.program, path.block, why)
        ends = path.region is not None and join in run.program.endings
        if ends or waits_at(path.region, join):
            _fork(run, path, step, why)
        else:
            _enter_region(run, path, step, why)
        return
    taken = path.state.active & value
    if taken.any() and not np.array_equal(taken, path.state.active):
        other = part_known(run, path, step, taken)
        if other is not None:
            _wait(run, other)
        return
    here, there = (ways[0], ways[1]) if taken.any() else (ways[1], ways[0])
    if here == path.block and path.certain and run.certain[here] == LEAP_AFTER:
        here = there if _leap(run, path, step, bool(taken.any())) else here
    path.block = here


def _leap(run: Attempt, path: Path, step: ProgramStep, again: bool) -> bool:
    """Count the rest of a long loop at once, where that is exact."""
    found = leap(run.program, run.slice.steps[path.block], path.state, step, again)
    if found is None:
        return False
    rounds, rest = divmod(found.iterations, found.period)
    numbers = [n for n in found.addresses if run.program.steps[n].address is not None]
    before = counts_of(run.touched, numbers)
    for iteration in range(found.period + rest):
        if iteration == found.period:
            repeat(run.touched, before, rounds - 1)
        for number in found.addresses:
            run_step(run, path, number)
    if not rest:
        repeat(run.touched, before, rounds - 1)
    for name in path.state.guards:
        forget_guard(path.state, name)
    path.state.registers.update(found.after)
    return True


def _enter_region(run: Attempt, path: Path, step: ProgramStep, why: Unknown) -> None:
    """Follow all ways to the join of an open branch; go on with one path if they agree there."""
    entry = _situation(run, path)
    found = None if path.groups else run.regions.get(entry)
    if found is None:
        arrivals, lost = _ways_through(run, path, step, why)
        if not (run.stopped or lost):
            settle(arrivals, len(path.frames))
        early = meeting(run.program, path.block, why)[1]
        found = None if run.stopped or lost or early else _agreed(run, arrivals)
        if found is None:
            path.block = len(run.program.blocks)
            if early is not None and not run.stopped:
                arrivals = _together(run, arrivals, why)
            for arrival in () if run.stopped else arrivals:
                arrival.region, arrival.certain = path.region, False
                arrival.parted = why
                _wait(run, arrival)
            return
        if path.state.conditions == found.state.conditions == () and not path.groups:
            run.regions[entry] = found
    path.block, path.state, path.frames = found.block, found.state.copy(), list(found.frames)


def _ways_through(
    run: Attempt, path: Path, step: ProgramStep, why: Unknown
) -> tuple[list[Path], bool]:
    """The paths that come to the join of an open branch; whether some way is lost."""
    join, _ = meeting(run.program, path.block, why)
    region = Region(join, len(path.frames), path.region)
    outside, lost = run.waiting, len(run.lost)
    inside = Path(path.block, path.state.copy(), list(path.frames), certain=False, region=region)
    inside.groups = path.groups
    run.waiting = []
    _fork(run, inside, step, why)
    _wait(run, inside)
    _drain(run)
    run.waiting = [] if run.stopped else outside
    return region.arrivals, len(run.lost) != lost


def _agreed(run: Attempt, arrivals: Sequence[Path]) -> Path | None:
    """One path behind a join, if all ways that came there go on alike."""
    places = {_stand(run, arrival) for arrival in arrivals}
    if len(places) != 1:
        return None
    first = arrivals[0]
    names = run.slice.names(first.block, first.aside)
    state = merged([one.state for one in arrivals], *names)
    return None if state is None else Path(first.block, state, first.frames)


def _together(run: Attempt, arrivals: list[Path], why: Unknown) -> list[Path]:
    """One path for the lanes of all ways that come to where some of them are missing: what a way
    left as it was, and another changed, is unknown."""
    if len({_stand(run, arrival) for arrival in arrivals}) != 1:
        return arrivals
    first = arrivals[0]
    names = run.slice.names(first.block, first.aside)
    state = merged([one.state for one in arrivals], *names, why)
    if state is None:
        return arrivals
    groups = {at: held for one in arrivals for at, held in one.groups.items()}
    return [Path(first.block, state, first.frames, groups=groups)]


def _fork(run: Attempt, path: Path, step: ProgramStep, why: Unknown) -> None:
    """Both ways, each on its own. Where lanes may decide differently, they do so until the join."""
    ways, endings = run.program.blocks[path.block].after, run.program.endings
    if not why.uniform:
        join, early = meeting(run.program, path.block, why)
        if join in endings and path.frames and path.frames[-1].join not in endings:
            enter(path.state, BranchCondition(step.line), why)  # the others wait at that frame
        else:  # all endings are one place: a loop that parts at two of them adds no frames
            last = len(run.program.blocks)
            part(path, last if join in endings else join, step.line, why, early)
        path.groups = with_opened(run.program, path.block, join, path.groups)
        let_leave(path, run.program.gathers.live.get(path.block, ()), join)
    path.parted = why
    other = Path(ways[1], path.state.copy(), list(path.frames), False, path.region, why)
    other.groups = path.groups
    _wait(run, other)
    path.block = ways[0]
