"""Which steps of a kernel matter.

Only steps that decide an address, the active lanes or a branch are followed. They are found
backwards from the accesses (liveness): a matrix multiplication, a global load, the arithmetic of
the data never run. What the slice leaves out cannot be seen by what it keeps. Nor can a branch
be seen between whose ways and the place where its lanes meet nothing is kept (:mod:`skips`): it
is passed over, and what decides it is not followed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from heapq import heapify, heappop, heappush

from msgspec import Struct, field

from bankwise.identity import ByIdentity
from bankwise.read.follow.program import Program, Strand
from bankwise.read.follow.skips import skippable


class ProgramSlice(ByIdentity, frozen=True, eq=False):
    """The steps of each block that matter, and the registers that matter at its start.

    ``idle``: accesses whose result decides nothing; ``skips``: blocks whose branch decides nothing,
    and where control goes on; ``unions``: what was asked of several blocks; ``strands``: of
    :func:`strands.strands`, by block and whether all lanes run.
    """

    steps: tuple[tuple[int, ...], ...]
    live: tuple[tuple[str, ...], ...]
    idle: frozenset[int]
    skips: Mapping[int, int]
    unions: dict[tuple[int, frozenset[int]], tuple[str, ...]] = field(default_factory=dict)
    strands: dict[tuple[int, bool], tuple[Strand, ...] | None] = field(default_factory=dict)

    def names(self, block: int, waiting: frozenset[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The registers that matter at the start of ``block``, and those that matter only to lanes
        that wait at one of others."""
        own, found = self.live[block], self.unions.get((block, waiting))
        if found is None:
            every = set().union(*(self.live[other] for other in waiting))
            found = self.unions[block, waiting] = tuple(sorted(every.difference(own)))
        return own, found


class _Wanted(Struct):
    """Registers that matter: in all ``lanes``, or in those that ``run`` here."""

    lanes: set[str]
    run: set[str]


class _Liveness:
    """What matters at the start of every block, worked out from behind. A branch that may be passed
    over is as long as nothing is found to matter between its ways and where its lanes meet."""

    def __init__(self, program: Program, open_branches: Collection[int]) -> None:
        self.program, self.open_branches = program, open_branches
        every = range(len(program.blocks) + 1)
        self.live = [_Wanted(set(), set()) for _ in every]
        self.before: list[list[int]] = [[] for _ in every]
        for number, block in enumerate(program.blocks):
            for after in block.after:
                self.before[after].append(number)
        self.skipped = dict(skippable(program))
        self.over: dict[int, list[int]] = {}
        for branch, between in self.skipped.items():
            for one in between:
                self.over.setdefault(one, []).append(branch)
        self.waiting = [(-program.order[number], number) for number in every[:-1]]
        self.queued = set(every[:-1])

    def work_out(self) -> None:
        """Go back until nothing changes."""
        heapify(self.waiting)
        while self.waiting:
            number = heappop(self.waiting)[1]
            self.queued.discard(number)
            wanted = self.behind(number)
            if self.matter(number, wanted):
                for branch in self.over.get(number, ()):
                    if self.skipped.pop(branch, None) is not None:
                        self._again(branch)
            if wanted != self.live[number]:
                self.live[number] = wanted
                for one in self.before[number]:
                    self._again(one)

    def _again(self, number: int) -> None:
        if number not in self.queued:
            self.queued.add(number)
            heappush(self.waiting, (-self.program.order[number], number))

    def behind(self, number: int) -> _Wanted:
        """What matters at the end of a block."""
        parts = [self.live[after] for after in self.program.blocks[number].after]
        return _Wanted(
            set().union(*(one.lanes for one in parts)), set().union(*(one.run for one in parts))
        )

    def matter(self, number: int, wanted: _Wanted, idle: set[int] | None = None) -> list[int]:
        """Steps that matter, last first; ``wanted`` becomes what matters at the block's start, and
        accesses whose result does not matter become ``idle``.

        A write to the lanes that run leaves nothing of a register for those who read only these,
        while the mask is the same.
        """
        kept, lanes, run = [], wanted.lanes, wanted.run
        block, decides = self.program.blocks[number], number not in self.skipped
        for at in range(block.stop - 1, block.start - 1, -1):
            step = self.program.steps[at]
            writes = not (lanes.isdisjoint(step.writes) and run.isdisjoint(step.writes))
            branches = step.flow == "branch" and decides and step.line not in self.open_branches
            if step.masks:
                lanes |= run
                run.clear()
            if not writes and not branches and step.address is None and step.flow != "lost":
                continue
            kept.append(at)
            if idle is not None and step.flow == "next" and not writes:
                idle.add(at)
            if not step.partial:
                lanes.difference_update(step.writes)
            if not step.partial or step.lanewise:
                run.difference_update(step.writes)
            (run if step.lanewise else lanes).update(step.reads)
        return kept


def cut(program: Program, open_branches: Collection[int]) -> ProgramSlice:
    """What decides the accesses. ``open_branches``: branches (their lines) whose condition nobody
    knows: both ways are taken, so what decides them does not matter."""
    found = _Liveness(program, open_branches)
    found.work_out()
    kept: list[tuple[int, ...]] = []
    idle: set[int] = set()
    for number in range(len(program.blocks)):
        kept.append(tuple(reversed(found.matter(number, found.behind(number), idle))))
    names = tuple(tuple(sorted(one.lanes | one.run)) for one in found.live)
    skips = {block: program.joins[block] for block in found.skipped}
    return ProgramSlice(tuple(kept), names, frozenset(idle), skips)
