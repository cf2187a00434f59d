"""One attempt to run a program: what it has seen so far, and what it may still be worth.

A run that finds an open branch, or too many states, ends as an attempt and starts again with what
that one found (:class:`StartAgain`); :mod:`bankwise.read.follow.run` makes the attempts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.read.follow.merging import Partings
from bankwise.read.follow.mixing import LET_GO, TOGETHER
from bankwise.read.follow.paths import Crossing, Path
from bankwise.read.follow.program import Program, ProgramStep
from bankwise.read.follow.slicing import ProgramSlice
from bankwise.read.follow.state import parted
from bankwise.read.follow.strands import BlockMemory
from bankwise.read.follow.touched import Touched
from bankwise.read.follow.uniform import Varying
from bankwise.read.follow.values import Unknown, Value, alike
from bankwise.read.follow.widen import LoopCounters, busiest

MOST_VISITS = 4_096
MOST_STEPS = 200_000
"""How often a block, and how many steps in all, are followed one by one. Beyond, the loop that
runs most often is treated as one of unknown length; if no such loop is left, patterns may be
missing, which is told."""

FIRST_STEPS = 20_000
"""How many steps an attempt is worth that has found an open branch: the next one has fewer. It may
take twice as many as it took to find the last of them."""

COMPARED = 8
"""So many registers that are compared count as a step."""

BREADTHS = (256, 16, 1)
UNSURE_WORK = (25_000, 25_000, MOST_STEPS)
"""How many states a block keeps apart, and the work on uncertain ways that an attempt with so many
is worth."""


class Attempt(Struct):
    """One attempt. ``open``: branches that are open; ``fresh``: those of them that it found itself,
    so that what it followed was more than decides anything; ``found_at``: what it had spent when it
    found the last one. ``rung``: of :data:`BREADTHS`.
    ``certain``, ``visits``: how often a block ran on the one certain path, and in all. ``spent``:
    its steps, ``unsure``: what it spent on other paths; ``work``: of this and all attempts before,
    steps and registers that were compared, ``most`` of them. ``regions``: what came out of one, by
    what entered. ``expected``: lines of ``open`` that no path has come to. ``memory``: what blocks
    did. ``partings``: groups of lanes that may run together beside any barrier. ``varying``: the
    branches that lanes of a wave may decide differently, None where every branch is of the wave."""

    program: Program
    slice: ProgramSlice
    open: dict[int, Unknown]
    touched: dict[int, Touched] = field(default_factory=dict)
    executed: set[int] = field(default_factory=set)
    rung: int = 0
    most: int = 0
    places: dict[object, Crossing] = field(default_factory=dict)
    regions: dict[object, Path] = field(default_factory=dict)
    waiting: list[tuple[int, int, Path]] = field(default_factory=list)
    visits: dict[int, int] = field(default_factory=dict)
    certain: dict[int, int] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)
    uniform: dict[int, bool] = field(default_factory=dict)
    lost: dict[int, ProgramStep] = field(default_factory=dict)
    work: int = 0
    spent: int = 0
    unsure: int = 0
    fresh: set[int] = field(default_factory=set)
    found_at: int = 0
    stopped: str = ""
    heads: frozenset[int] = frozenset()
    addresses: Sequence[Collection[str]] = ()
    counters: LoopCounters = field(default_factory=LoopCounters)
    apart: Collection[str] = ()
    varying: Varying | None = None
    expected: set[int] = field(default_factory=set)
    memory: BlockMemory = field(default_factory=BlockMemory)
    partings: Partings = field(default_factory=Partings)


class StartAgain(Exception):  # noqa: N818
    """Branches turned out to be open, so that the slice changes, or states are too many: the run
    starts again."""

    def __init__(self, lines: Mapping[int, Unknown], rung: int) -> None:
        super().__init__()
        self.lines, self.rung = lines, rung


class NotAlike(Exception):  # noqa: N818
    """What is followed does not run alike."""

    def __init__(self, why: Unknown) -> None:
        super().__init__()
        self.why = why


def spend(run: Attempt, path: Path, work: int) -> None:
    """Count work, in steps."""
    run.work += work
    run.spent += work
    if not path.certain:
        run.unsure += work


def within_budget(run: Attempt, path: Path) -> bool:
    """A run that is too long is no longer followed step by step."""
    spend(run, path, 1 + len(run.slice.steps[path.block]))
    if run.work > run.most:
        return stop(run, f"more work than {run.most:,} steps")
    visits = run.certain if path.certain else run.visits
    visits[path.block] = visits.get(path.block, 0) + 1
    if run.fresh and run.spent > max(FIRST_STEPS, 2 * run.found_at):
        raise StartAgain({}, run.rung)
    if path.certain:
        long = run.spent - run.unsure > MOST_STEPS
    else:
        long = run.unsure > UNSURE_WORK[run.rung] + 2 * len(run.program.steps)
    if not long and visits[path.block] <= MOST_VISITS:
        return True
    return _shorten(run, path, visits)


def _shorten(run: Attempt, path: Path, visits: Mapping[int, int]) -> bool:
    """Keep fewer states apart; if that is not it, open the loop that runs most often."""
    if not path.certain and run.rung + 1 < len(BREADTHS):
        raise StartAgain({}, run.rung + 1)
    step = busiest(run.program, visits, run.open)
    if step is not None:
        uniform = run.uniform.get(step.line, True)
        why = Unknown("more iterations than are followed", step.line, uniform)
        raise StartAgain({step.line: why}, run.rung)
    return stop(run, "its addresses did not repeat")


def stop(run: Attempt, why: str) -> bool:
    """Follow nothing more."""
    run.stopped = why
    run.waiting.clear()
    return False


def condition(run: Attempt, path: Path, step: ProgramStep) -> Value:
    """Whether a branch is taken; an open one is for each lane if lanes may part on some way."""
    line = step.line
    if line in run.open and line not in run.fresh:
        if line in run.expected:
            _expect(run, path, step)
        return run.open[line]
    assert step.condition is not None
    value = _of_wave(run, path, line, step.condition(path.state))
    run.uniform[line] = run.uniform.get(line, True) and alike(value, path.state.active)
    hold(run, value)
    if isinstance(value, Unknown) and line not in run.open:
        run.open[line], run.found_at = value, run.spent
        run.fresh.add(line)
    if line in run.open and not run.uniform[line]:
        run.open[line] = parted(run.open[line])
    return run.open.get(line, value)


def _of_wave(run: Attempt, path: Path, line: int, value: Value) -> Value:
    """``value``, of the wave where the program says that lanes decide it alike: unless some run
    apart from the others of their wave, or did."""
    if not isinstance(value, Unknown) or value.uniform or run.varying is None:
        return value
    beside = any(one.opened and path.block in one.blocks for one in path.groups.values())
    if beside or value.reason in (TOGETHER, LET_GO) or line in run.varying:
        return value
    return replace(value, uniform=True)


def _expect(run: Attempt, path: Path, step: ProgramStep) -> None:
    """See that a branch is open, for the cause for which it is expected to be."""
    assert step.condition is not None
    value, why = step.condition(path.state), run.open[step.line]
    if not isinstance(value, Unknown) or _cause(value) != _cause(why):
        raise StartAgain({}, run.rung)
    run.expected.discard(step.line)


def _cause(why: Unknown) -> tuple[object, ...]:
    """What other values take over from one that is unknown."""
    return why.reason, why.line, why.uniform, why.fact, why.space


def hold(run: Attempt, *values: Value | None) -> None:
    """Stop where what should run alike does not."""
    for value in values:
        if isinstance(value, Unknown) and value.fact in run.apart:
            raise NotAlike(value)
