"""Blocks that both sides of a branch lead to before all of its lanes meet, as of a ``case`` that
falls into the next.

    setp.eq.s32 %p1, %r1, 0;
    @%p1 bra A;                one side comes to B behind A, the other at once
    @%p2 bra B;
    bra C;
    A: ..
    B: ..                      both sides run this together, or one after the other
    C: ..                      all lanes are here

Where a text says nothing of it, as PTX, the assembler decides: ptxas 13.0 brings lanes together at
some of such blocks and not at others. Then an access runs for each of the groups that come there,
or for several at once: at most as often as there are groups, and a row of lanes may be any of them
together.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct, field

from bankwise.counting.access import BoolArray
from bankwise.read.follow.arrivals import Arrivals, Coming, known_of
from bankwise.read.follow.merging import Partings, meeting_of, warps_with
from bankwise.read.follow.program import Program, reached
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Array

TOGETHER = "which of its lanes run together: both sides of a branch lead here"
LET_GO = "which of its lanes run together: a YIELD lets go who waits for the others"
"""Why nobody knows which lanes make an access at once."""


class Groups(Struct):
    """Lanes that a branch parted and that may meet in ``blocks``. ``rows``: of each access, by its
    number, the lanes so far and their bytes; ``came``: the states of lanes that came to a
    block. ``opened``: nobody knows which lanes took which side; ``known``: the text says who
    runs together, as they wait at block ``waits``, while no open branch lets some leave; ``twice``:
    what a lane has made at two places. ``lost``: blocks where nothing is known of who runs
    together. ``lanes``: those that parted, where others may part here before they have met."""

    blocks: frozenset[int]
    lost: frozenset[int] = frozenset()
    rows: dict[int, tuple[Array, BoolArray]] = field(default_factory=dict)
    came: dict[int, Arrivals] = field(default_factory=dict)
    opened: bool = False
    known: bool = False
    waits: int = -1
    twice: set[int] = field(default_factory=set)
    lanes: BoolArray = field(default_factory=lambda: np.zeros((1, 1), np.bool_))

    def beside(self, number: int, row: Array, lanes: BoolArray) -> tuple[Array, BoolArray] | None:
        """An access of one more group, with those of all groups before; None for the first.
        Raises :class:`ValueError` where one lane makes it at two places."""
        before = self.rows.get(number)
        if before is None:
            self.rows[number] = row, lanes
            return None
        if (before[1] & lanes & (before[0] != row)).any():
            self.twice.add(number)
        self.rows[number] = np.where(lanes, row, before[0]), lanes | before[1]
        if number in self.twice:
            raise ValueError
        return self.rows[number]

    def begin(self, lanes: BoolArray) -> None:
        """Some of the ``lanes`` part here. Those of a warp have met since they parted before, if
        none of them is missing; else they may make one access at several places."""
        met = warps_with(lanes) & ~warps_with(self.lanes & ~lanes)
        apart = ~met[:, np.newaxis]
        self.lanes = np.where(apart, self.lanes, lanes)
        left = {number: (row, some & apart) for number, (row, some) in self.rows.items()}
        self.rows = {number: held for number, held in left.items() if held[1].any()}


def common_blocks(program: Program, block: int, join: int) -> frozenset[int]:
    """The blocks in which both sides of the branch at the end of ``block`` may run into each other
    before the ``join``; none if shared memory is accessed in none of them."""
    key = (block, join)
    if key not in program.common:
        first, *others = (reached(program, [way], {join}) for way in program.blocks[block].after)
        found = first.intersection(*others) - {join} - program.endings if others else set[int]()
        steps = (s for one in found for s in program.steps_of(one))
        program.common[key] = frozenset(found if any(s.address is not None for s in steps) else ())
    return program.common[key]


def groups_of(program: Program, block: int, join: int, both: bool) -> Groups | None:
    """Known lanes that part at the end of ``block``, where ``both`` sides have some of one warp and
    may run into each other."""
    blocks = common_blocks(program, block, join) if both else None
    return Groups(blocks) if blocks else None


def with_opened(
    program: Program, block: int, join: int, groups: Mapping[int, Groups]
) -> Mapping[int, Groups]:
    """``groups``, and those of an open branch at the end of ``block``; where the text has barriers
    its sides meet there alone."""
    blocks = common_blocks(program, block, join)
    if program.gathers.told:
        known = meeting_of(program, block)
        behind = reached(program, known.chosen, known.places)
        blocks &= known.unsure.union(known.places, known.common & behind)
    if not blocks:
        return {n: one for n, one in groups.items() if n != block}
    return {**groups, block: Groups(blocks, opened=True)}


def unsure_groups(
    program: Program,
    block: int,
    partings: Partings,
    groups: Mapping[int, Groups],
    lanes: BoolArray,
) -> dict[int, Groups]:
    """Of known ``lanes`` that part at the end of ``block``, by a key of their own, those that may
    run together beside any barrier; ``groups``: where others may be that parted here before."""
    unsure, before = partings.unsure(program, block), groups.get(~block)
    if not unsure:
        return {}
    if before is None or before.blocks != unsure:
        before = Groups(unsure, partings.meeting(program, block).lost, lanes=lanes)
    before.begin(lanes)
    return {~block: before}


def meet_others(
    groups: Mapping[int, Groups], block: int, state: State, names: tuple[str, ...]
) -> int:
    """Lanes come to ``block``, where those of an open branch's other side may be with them: a
    register is unknown of which the other side has something else. How many were compared."""
    compared = 0
    here = [one for one in groups.values() if one.opened and block in one.blocks]
    new = Coming(state, known_of(state, names) if here else {}, TOGETHER)
    for one in here:
        before = one.came.setdefault(block, Arrivals())
        compared += len(before.came) * len(names)
        before.meet(new)
    return compared
