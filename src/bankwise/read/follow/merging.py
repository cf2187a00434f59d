"""Groups of a warp that the machine may run together where no barrier gathers them.

    @P0 BRA L        some lanes go to L; the others run first, and
    ..
    @P1 BRA L        some of these go to L too: one group, or two
    ..
    L: LDS ..

Of the sides of a branch the smaller runs first, the other waits; where one ends or waits, the last
that began to wait goes on, with the lanes of all that wait at the same instruction. So two groups
may be one behind a place to which both *branched* as the larger side, or as one of two alike; a
group that runs into a place does so alone. Where lanes have run a YIELD no barrier of theirs holds
any more, nor where others of the warp set the barrier anew for which some wait.

Source: 560 random kernels on an H200, every instruction counted (``benchmarks/h200_parted.py``,
CUDA 13.0). The rules above agree with all that is called exact by them; which of two alike runs
first, and whether groups that might be one are, they do not say: that is a bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import numpy as np
from msgspec import Struct, field

from bankwise.counting.access import BoolArray
from bankwise.read.follow.program import Program, Reunion, reached, ways_of


class Branched(Struct, frozen=True, eq=False):
    """Lanes that branched, and those of their warps that did not and run first."""

    lanes: BoolArray
    others: BoolArray

    def only(self, warps: BoolArray) -> Branched:
        """The same of some warps."""
        chosen = warps[:, np.newaxis]
        return Branched(self.lanes & chosen, self.others & chosen)


class Parted(Struct):
    """Lanes that parted at the end of a block and have not met since; ``waiting``: by a block the
    groups of them that went there by a branch, and may not have run on."""

    lanes: BoolArray
    waiting: dict[int, list[Branched]] = field(default_factory=dict)


class Partings(Struct):
    """What a run saw of groups that branched to one place. ``parted``: by the block where they
    parted; ``found``: of these blocks the places; ``broken``: where lanes wait for a barrier that
    others of their warp set anew; ``fresh``: whether that is more than at first."""

    parted: dict[int, Parted] = field(default_factory=dict)
    found: dict[int, frozenset[int]] = field(default_factory=dict)
    broken: set[int] = field(default_factory=set)
    fresh: bool = False

    def meeting(self, program: Program, block: int) -> Reunion:
        """Where lanes meet that part at the end of ``block``, as far as this run knows."""
        live = program.gathers.live.get(block, ())
        return meeting_of(program, block, not self.broken.isdisjoint(live))

    def set_anew(self, place: int) -> None:
        """The barrier for ``place`` is set while others wait for it."""
        self.fresh |= place not in self.broken
        self.broken.add(place)

    def unsure(self, program: Program, block: int) -> frozenset[int]:
        """Where groups of lanes that part at the end of ``block`` may run together or apart."""
        known = self.meeting(program, block)
        places = self.found.get(block)
        if not places:
            return known.unsure
        return known.unsure | known.common & reached(program, places, known.places)

    def note(self, program: Program, block: int, taken: BoolArray, rest: BoolArray) -> None:
        """Lanes of one warp part at the end of ``block``: the side with more of them waits, of
        two alike either may."""
        self._begin(program, block, taken | rest)
        sides = (taken, rest), (rest, taken)
        for way, (side, other) in zip(program.blocks[block].after, sides, strict=True):
            others = np.count_nonzero(other, axis=1)
            waits = (others > 0) & (np.count_nonzero(side, axis=1) >= others)
            went = Branched(side, other).only(waits)
            for first, parted in self.parted.items():
                known = self.meeting(program, first)
                if way in known.chosen and (block == first or block in known.inside):
                    self._branch(first, parted, way, went)

    def _begin(self, program: Program, block: int, lanes: BoolArray) -> None:
        """Lanes that part where they parted before have met in between, if none is missing."""
        before = self.parted.get(block)
        if before is None:
            if self.meeting(program, block).chosen:
                self.parted[block] = Parted(lanes)
            return
        kept = warps_with(before.lanes & ~lanes) | ~warps_with(lanes)
        before.lanes = np.where(kept[:, np.newaxis], before.lanes, lanes)
        before.waiting = {w: [one.only(kept) for one in some] for w, some in before.waiting.items()}

    def _branch(self, block: int, parted: Parted, way: int, went: Branched) -> None:
        """A group of which some come to ``way`` once more has run on from there as a whole."""
        groups = []
        for one in parted.waiting.get(way, ()):
            before = one.only(~warps_with(one.lanes & went.lanes))
            if before.lanes.any():
                groups.append(before)
        if any(_together(before, went) for before in groups):
            places = self.found.get(block, frozenset())
            self.fresh |= way not in places
            self.found[block] = places | {way}
        parted.waiting[way] = [*groups, went] if went.lanes.any() else groups


def _together(one: Branched, other: Branched) -> bool:
    """Whether one group may wait while the other comes: that is of those who ran first."""
    return bool((one.others & other.lanes).any() or (other.others & one.lanes).any())


def warps_with(lanes: BoolArray) -> BoolArray:
    """Which warps have any of these lanes."""
    return np.asarray(lanes.any(axis=1))


def meeting_of(program: Program, block: int, broken: bool = False) -> Reunion:
    """Of lanes that part at the end of ``block``; only where the language says where lanes meet.
    ``broken``: their barriers do not hold."""
    key = (block, broken)
    if key not in program.meetings:
        program.meetings[key] = _meeting(program, block, broken)
    return program.meetings[key]


def _meeting(program: Program, block: int, broken: bool) -> Reunion:
    gathers, ways = program.gathers, program.blocks[block].after
    live = () if broken else gathers.live.get(block, ())
    places = tuple(  # who leaves a barrier waits at one further out, and runs no YIELD behind that
        p for n, p in enumerate(live) if not gathers.yields & reached(program, ways, live[: n + 1])
    )
    inner = places[1:] if places[:1] == live[:1] else places
    starts = [[way] for way in dict.fromkeys(ways)]
    starts += [list(program.blocks[place].after) for place in inner]
    parts = [reached(program, start, places) for start in starts]
    often = Counter(one for part in parts for one in part)
    inside, none = frozenset(often), frozenset[int]()
    common = {one for one, times in often.items() if times > 1} - set(places) - program.endings
    if gathers.yields & {*inside, block}:
        lost = frozenset(_with_copies(program, inside))
        return Reunion(places, inside, frozenset(common), none, frozenset(common) | lost, lost)
    if broken or gathers.syncs & common:
        return Reunion(places, inside, frozenset(common), none, frozenset(common), none)
    chosen = _branched_to(program, {*inside, block}, common, places) if common else none
    return Reunion(places, inside, frozenset(common), chosen, none, none)


def _branched_to(
    program: Program, every: Collection[int], common: Collection[int], places: Collection[int]
) -> frozenset[int]:
    """The blocks to which several groups may branch, but for those where they wait at once."""
    times: Counter[int] = Counter()
    repeated = _repeated(program, every, places).union(places)
    for one in every:
        for way, others in _parting(program, one):
            again = one in common
            if one in repeated and not again:
                again = one in reached(program, others, {way, *places})
            times[way] += 2 if again else 1
    harmless = program.gathers.waits | program.endings
    return frozenset(way for way, often in times.items() if often > 1) - harmless


def _repeated(program: Program, every: Collection[int], places: Collection[int]) -> set[int]:
    """Those of ``every``, with all that is reached from them, from which a way leads into a loop
    without waiting at ``places``: no other one comes to itself again."""
    after = {n: () if n in places else {*ways_of(program, n)}.intersection(every) for n in every}
    before: dict[int, list[int]] = {n: [] for n in after}
    for one, ways in after.items():
        for way in ways:
            before[way].append(one)
    left = {n: len(ways) for n, ways in after.items()}
    ends = [n for n, ways in left.items() if not ways]
    while ends:
        for one in before[ends.pop()]:
            left[one] -= 1
            if not left[one]:
                ends.append(one)
    return {n for n, ways in left.items() if ways}


def _parting(program: Program, block: int) -> Iterator[tuple[int, Sequence[int]]]:
    """The ways of a block whose end may part lanes of one warp, each with the others."""
    if block >= len(program.blocks):
        return
    ways = program.blocks[block].after
    last = program.steps[program.blocks[block].stop - 1]
    if last.flow == "branch" and not decided_alike(last.reads):
        for way in set(ways):
            yield way, [other for other in ways if other != way]


def decided_alike(reads: Sequence[str]) -> bool:
    """Whether what is decided by these registers is alike in all lanes: they are uniform ones."""
    return bool(reads) and all(name.startswith("U") for name in reads)


def _with_copies(program: Program, blocks: Collection[int]) -> Iterator[int]:
    """Those of ``blocks`` with an instruction that others have as well: of a function."""
    lines = {one: {step.line for step in program.steps_of(one)} for one in blocks}
    often = Counter(line for some in lines.values() for line in some)
    return (one for one, some in lines.items() if any(often[line] > 1 for line in some))
