"""Running a program for one workgroup: branches, lanes that part and meet again, loops.

Where a branch is known, control flow is followed exactly, lane by lane: lanes that part run one
after the other and meet again at the branch's join, as on the hardware. Where nobody knows the
condition, *both* ways are followed. A branch of that kind is "open": how often its loop runs does
not matter any more, only which states of the address registers occur; a state that has been seen
before is not followed again. So every pattern that can occur is found, however often it occurs.

Counts are lost between an open branch and its join alone: every wave passes the join once, however
it came there. If all ways bring the same state, one path runs on from the join and counts again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bankwise.counting.access import BoolArray
from bankwise.read.follow.leap import LEAP_AFTER, leap
from bankwise.read.follow.paths import Frame, Path, Region, meet, waits_at
from bankwise.read.follow.program import Program, ProgramSlice, ProgramStep, cut
from bankwise.read.follow.state import State, enter, merged, snapshot
from bankwise.read.follow.touched import Touched, touch
from bankwise.read.follow.values import Unknown, is_uniform
from bankwise.read.follow.widen import LoopCounters, address_registers, loop_heads, widen

MOST_VISITS = 4_096
MOST_STEPS = 200_000
"""How often a block, and how many steps in all, are followed one by one. Beyond, the loop that
runs most often is treated as one of unknown length; if no such loop is left, patterns may be
missing, which is told."""

FIRST_STEPS = 20_000
"""How many steps an attempt is worth that has found an open branch: the next one has fewer."""

MOST_WORK = 500_000
"""How many steps and comparisons of registers all attempts together are worth: beyond, nothing more
is followed, which is told. Real kernels take a third of it at most."""

MANY_OPEN = 16
"""Open branches beyond which ways that meet keep only what is known of a register in all of them,
unless it is wholly known in each: two ways a branch would be too many."""


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What a run saw. ``touched``: by step number. ``followed``: steps that ran. ``open_branches``:
    lines of branches whose condition is unknown, and why. ``stopped``: which limit was met, empty
    if none. ``lost``: places that control flow cannot be followed beyond."""

    touched: dict[int, Touched]
    executed: frozenset[int]
    open_branches: dict[int, Unknown]
    stopped: str
    lost: tuple[ProgramStep, ...]


@dataclass(slots=True)
class _Attempt:
    """One attempt. ``open``: branches that are open; ``opened``: how many of them it found itself,
    so that what it followed was more than decides anything. ``spent``: its steps; ``work``: of this
    and all attempts before, steps and registers that were compared."""

    program: Program
    slice: ProgramSlice
    open: dict[int, Unknown]
    touched: dict[int, Touched] = field(default_factory=dict)
    executed: set[int] = field(default_factory=set)
    seen: set[object] = field(default_factory=set)
    waiting: list[Path] = field(default_factory=list)
    visits: dict[int, int] = field(default_factory=dict)
    uniform: dict[int, bool] = field(default_factory=dict)
    lost: dict[int, ProgramStep] = field(default_factory=dict)
    work: int = 0
    spent: int = 0
    opened: int = 0
    stopped: str = ""
    heads: frozenset[int] = frozenset()
    addresses: Sequence[Collection[str]] = ()
    counters: LoopCounters = field(default_factory=LoopCounters)


class _Reopen(Exception):  # noqa: N818
    """Branches turned out to be open: the slice changes, so the run starts again."""

    def __init__(self, lines: Mapping[int, Unknown]) -> None:
        super().__init__()
        self.lines = lines


def follow(program: Program, initial: Callable[[], State]) -> Trace:
    """Run ``program`` from the state that ``initial`` makes."""
    open_branches: dict[int, Unknown] = {}
    work = 0
    heads, addresses = loop_heads(program), address_registers(program)
    while True:
        run = _Attempt(program, cut(program, open_branches), open_branches, work=work)
        run.heads, run.addresses = heads, addresses
        try:
            _all_paths(run, initial())
        except _Reopen as found:
            open_branches.update(found.lines)
            work = run.work
            continue
        work = run.work
        if run.opened and not run.stopped:
            continue
        return Trace(
            run.touched,
            frozenset(run.executed),
            open_branches,
            run.stopped,
            tuple(run.lost.values()),
        )


def _all_paths(run: _Attempt, state: State) -> None:
    run.waiting.append(Path(0, state, []))
    _drain(run)


def _drain(run: _Attempt) -> None:
    """Follow every waiting path to its end."""
    while run.waiting:
        path = run.waiting.pop()
        while _advance(run, path):
            pass


def _advance(run: _Attempt, path: Path) -> bool:
    """Run one block; False where the path ends or has been seen before."""
    meet(path)
    if path.block >= len(run.program.blocks):
        return False
    region = path.region
    if region is not None and path.block == region.join and len(path.frames) <= region.depth:
        region.arrivals.append(path)
        return False
    if not path.certain and _visited_before(run, path):
        return False
    block = run.program.blocks[path.block]
    last = run.program.steps[block.stop - 1]
    for number in run.slice.steps[path.block]:
        _step(run, path, number)
    if not _within_budget(run, path):
        return False
    if last.flow == "lost":
        run.lost[block.stop - 1] = last
        return False
    if last.flow == "branch":
        _branch(run, path, last, block.after)
    else:
        path.block = block.after[0]
    return True


def _visited_before(run: _Attempt, path: Path) -> bool:
    seen = run.seen if path.region is None else path.region.seen
    if path.block in run.heads:
        _widen(run, path)
    state = _situation(run, path)
    if state in seen:
        return True
    seen.add(state)
    return False


def _widen(run: _Attempt, path: Path) -> None:
    """At the head of a loop of unknown length: registers that only count are unknown."""
    counters = run.counters if path.region is None else path.region.counters
    line = run.program.steps[run.program.blocks[path.block].start].line
    names, places = run.slice.live[path.block], sum(len(t.patterns) for t in run.touched.values())
    widen(counters, path.block, line, path.state, names, run.addresses[path.block], places)


def _situation(run: _Attempt, path: Path) -> tuple[object, object, object]:
    """Equal for paths that go on alike."""
    frames = tuple(
        (f.join, f.active.tobytes(), f.other and (f.other[0], f.other[1].tobytes()), f.conditions)
        for f in path.frames
    )
    names = run.slice.live[path.block]
    run.work += len(names)
    return path.block, frames, snapshot(path.state, names)


def _step(run: _Attempt, path: Path, number: int) -> None:
    step = run.program.steps[number]
    run.executed.add(number)
    if step.address is not None:
        touch(run.touched, number, step, path)
    if step.run is not None and number not in run.slice.idle:
        step.run(path.state)


def _within_budget(run: _Attempt, path: Path) -> bool:
    """A run that is too long is no longer followed step by step."""
    steps = 1 + len(run.slice.steps[path.block])
    run.spent += steps
    run.work += steps
    if run.work > MOST_WORK:
        return _stop(run, f"more work than {MOST_WORK:,} steps and comparisons")
    run.visits[path.block] = run.visits.get(path.block, 0) + 1
    if run.opened and run.spent > FIRST_STEPS:
        raise _Reopen({})
    if run.spent <= MOST_STEPS and run.visits[path.block] <= MOST_VISITS:
        return True
    step = _busiest(run)
    if step is not None:
        uniform = run.uniform.get(step.line, True)
        why = Unknown("more iterations than are followed", step.line, uniform)
        raise _Reopen({step.line: why})
    return _stop(run, "its addresses did not repeat")


def _stop(run: _Attempt, why: str) -> bool:
    """Follow nothing more."""
    run.stopped = why
    run.waiting.clear()
    return False


def _busiest(run: _Attempt) -> ProgramStep | None:
    """The branch, not yet open, that was decided most often."""
    ends = {b: run.program.steps[run.program.blocks[b].stop - 1] for b in run.visits}
    closed = [b for b, s in ends.items() if s.flow == "branch" and s.line not in run.open]
    best = max(closed, key=lambda b: run.visits[b], default=None)
    return None if best is None else ends[best]


def _branch(run: _Attempt, path: Path, step: ProgramStep, ways: Sequence[int]) -> None:
    if step.line in run.open:
        if waits_at(path.region, run.program.joins[path.block]):
            _fork(run, path, step, ways)
        else:
            _enter_region(run, path, step, ways)
        return
    assert step.condition is not None
    value = step.condition(path.state)
    if isinstance(value, Unknown):
        run.open[step.line] = value
        run.opened += 1
        _branch(run, path, step, ways)
        return
    run.uniform[step.line] = is_uniform(value)
    taken = path.state.active & value
    if taken.any() and not np.array_equal(taken, path.state.active):
        _split(run, path, ways, taken)
        return
    here, there = (ways[0], ways[1]) if taken.any() else (ways[1], ways[0])
    if here == path.block and path.certain and run.visits[here] == LEAP_AFTER:
        here = there if _leap(run, path, step, bool(taken.any())) else here
    path.block = here


def _leap(run: _Attempt, path: Path, step: ProgramStep, again: bool) -> bool:
    """Count the rest of a long loop at once, where that is exact."""
    found = leap(run.program, run.slice.steps[path.block], path.state, step, again)
    if found is None:
        return False
    rounds, rest = divmod(found.iterations, found.period)
    numbers = [n for n in found.addresses if run.program.steps[n].address is not None]
    before = {n: list(run.touched[n].counts) for n in numbers if n in run.touched}
    for iteration in range(found.period + rest):
        if iteration == found.period:
            _repeat(run, before, rounds - 1)
        for number in found.addresses:
            _step(run, path, number)
    if not rest:
        _repeat(run, before, rounds - 1)
    path.state.registers.update(found.after)
    return True


def _repeat(run: _Attempt, before: dict[int, list[int]], times: int) -> None:
    """Let what happened since ``before`` happen ``times`` times more."""
    for number, old in before.items():
        touched = run.touched[number]
        for at, count in enumerate(touched.counts):
            more = times * (count - (old[at] if at < len(old) else 0))
            touched.counts[at] += more
            touched.sure[at] += more


def _split(run: _Attempt, path: Path, ways: Sequence[int], taken: BoolArray) -> None:
    """Some lanes branch, others do not: one side after the other."""
    state = path.state
    join = run.program.joins[path.block]
    other = (ways[1], state.active & ~taken)
    path.frames.append(Frame(join, state.active, other, state.conditions, state.maybe))
    state.active = taken
    path.block = ways[0]


def _enter_region(run: _Attempt, path: Path, step: ProgramStep, ways: Sequence[int]) -> None:
    """Follow all ways to the join of an open branch; go on with one path if they agree there."""
    region = Region(run.program.joins[path.block], len(path.frames), path.region)
    outside, lost = run.waiting, len(run.lost)
    inside = Path(path.block, path.state.copy(), list(path.frames), certain=False, region=region)
    run.waiting = []
    _fork(run, inside, step, ways)
    run.waiting.append(inside)
    _drain(run)
    run.waiting = [] if run.stopped else outside
    path.block = len(run.program.blocks)
    if run.stopped:
        return
    state = _agreed(run, region.arrivals)
    if state is not None and len(run.lost) == lost:
        first = region.arrivals[0]
        path.block, path.state, path.frames = first.block, state, first.frames
        return
    for arrival in region.arrivals:
        arrival.region, arrival.certain = path.region, False
        run.waiting.append(arrival)


def _agreed(run: _Attempt, arrivals: Sequence[Path]) -> State | None:
    """The state behind a join, if all ways that came there go on alike."""
    places = {_situation(run, arrival)[:2] for arrival in arrivals}
    if len(places) != 1:
        return None
    names = run.slice.live[arrivals[0].block]
    run.work += len(names) * len(arrivals)
    return merged([one.state for one in arrivals], names, len(run.open) > MANY_OPEN)


def _fork(run: _Attempt, path: Path, step: ProgramStep, ways: Sequence[int]) -> None:
    """Both ways, each on its own. Where lanes may decide differently, they do so until the join."""
    why = run.open[step.line]
    if not why.uniform:
        state = path.state
        join = run.program.joins[path.block]
        waits = path.frames and path.frames[-1].join == join and path.frames[-1].other is None
        if not waits:
            path.frames.append(Frame(join, state.active, None, state.conditions, state.maybe))
        enter(state, step.line, why)
    other = Path(ways[1], path.state.copy(), list(path.frames), False, path.region)
    run.waiting.append(other)
    path.block = ways[0]
