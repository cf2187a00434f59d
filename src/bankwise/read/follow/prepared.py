"""A program made ready for runs from a start: what can be worked out before anything runs."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.identity import ByIdentity
from bankwise.read.follow.lost import without_lost
from bankwise.read.follow.program import Program
from bankwise.read.follow.slicing import ProgramSlice, cut
from bankwise.read.follow.state import Partly, State
from bankwise.read.follow.uniform import Varying, varies_first
from bankwise.read.follow.values import Unknown, Value
from bankwise.read.follow.widen import address_registers, loop_heads


class Prepared(ByIdentity, frozen=True, eq=False):
    """A program as it is ``written``, and without the steps whose results are lost.

    ``open_branches``: those that a lost register decides, by their lines; ``heads``: of loops;
    ``addresses``: what addresses are computed from, at the start of every block; of a program
    without loops nobody asks. ``found``: the branches that the last run found open beside those.
    ``varying``: those that lanes of a wave may decide differently, by what varies at the start.
    """

    written: Program
    program: Program
    open_branches: Mapping[int, Unknown]
    heads: frozenset[int]
    addresses: Sequence[Collection[str]]
    slices: dict[frozenset[int], ProgramSlice] = field(default_factory=dict)
    found: dict[int, Unknown] = field(default_factory=dict)
    varying: dict[frozenset[str], Varying] = field(default_factory=dict)

    def slice(self, open_branches: Collection[int]) -> ProgramSlice:
        """What decides the accesses while branches in these lines are open, worked out once: runs
        from other starts mostly leave the same ones open."""
        lines = frozenset(open_branches)
        if lines not in self.slices:
            self.slices[lines] = cut(self.program, lines)
        return self.slices[lines]

    def expect(self, open_branches: Mapping[int, Unknown]) -> None:
        """Remember what a run found open, for the next one."""
        more = {n: why for n, why in open_branches.items() if n not in self.open_branches}
        if more:
            self.found.clear()
            self.found.update(more)

    def varying_from(self, start: State) -> Varying:
        """The branches that lanes of a wave may decide differently in runs from ``start``; none on
        a machine with an execution mask."""
        if start.lanes is not None:
            return Varying(self.written, frozenset(), frozenset())
        first = varies_first(start)
        if first not in self.varying:
            self.varying[first] = Varying(self.written, first)
        return self.varying[first]

    def slice_to_see(self, open_branches: Collection[int]) -> ProgramSlice:
        """The same, and what decides these branches, though no state is told apart by that."""
        wide = self.slice(self.open_branches)
        return replace(wide, live=self.slice(open_branches).live, unions={})


def prepared(written: Program, start: State) -> Prepared:
    """``written`` for runs from ``start``, and from others that have other numbers in the same
    registers: what is lost with one number may be taken for lost with all."""
    program, open_branches = without_lost(written, start)
    heads = loop_heads(program)
    addresses = address_registers(program) if heads else ()
    return Prepared(written, program, open_branches, heads, addresses)


class Preparations(Struct, frozen=True):
    """A program made ready once for all starts that hold a number in the same registers, and know
    as much of the others: those of launches of blocks of several sizes."""

    written: Program
    made: dict[Hashable, Prepared] = field(default_factory=dict)

    def of(self, start: State) -> Prepared:
        """The program for runs from ``start``."""
        known = frozenset((name, _known(value)) for name, value in start.registers.items())
        if known not in self.made:
            self.made[known] = prepared(self.written, start)
        return self.made[known]


def _known(value: Value | Partly) -> Hashable:
    """What :func:`prepared` asks of a register at the start: all but which number it holds."""
    if not isinstance(value, Unknown):
        return type(value).__name__
    parts = (p is None for p in (value.choices, value.lanes, value.instead, value.over))
    said = (value.reason, value.line, value.uniform, value.subset_of, value.pointer)
    return (*said, value.space, value.fact, value.multiple_of, *parts)
