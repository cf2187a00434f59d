"""The price of a layout: every access of a tile counted, linear or not.

:mod:`bankwise.solver.theorem` sees an access as directions; here it is the elements that every lane
touches in every execution (:mod:`bankwise.tile`). A layout is any address map. It is *legal* for an
access when the elements of each lane stay contiguous and in order, where the machine has
instructions for the alignment that is left (:mod:`bankwise.hardware.policies` names them), and for
a direct-to-shared copy when what the wave fills has no holes. Costs are counted
(:mod:`bankwise.counting.conflict`), over all executions and phases.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.algebra.address import AddressMap, Padded
from bankwise.algebra.offset import Shape
from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import MisalignedError, Refusal
from bankwise.hardware.issue_cycles import issue_cycles
from bankwise.hardware.machine import Instruction, Machine
from bankwise.hardware.policies import Issue, select
from bankwise.identity import ByIdentity
from bankwise.solver.alike import (
    PlacedGroup,
    UsesAlike,
    alike,
    representatives,
    starts_of,
    tallies,
)
from bankwise.solver.problem import Problem
from bankwise.solver.stacked import Stack, stacked
from bankwise.tile import COPIES, Tile, Use, in_runs, spread, times_of

if TYPE_CHECKING:
    from bankwise.notation.framework import Ground

MOST_ALIGNMENT = 16
"""No instruction asks for more, in bytes."""


class Workload(ByIdentity, frozen=True, eq=False, dict=True):
    """A tile on a machine. ``policy``: which instructions an access becomes that names none."""

    machine: Machine
    tile: Tile
    policy: str = "iree"

    @property
    def shape(self) -> Shape:
        """Of the tile."""
        return self.tile.shape

    @property
    def uses(self) -> tuple[Use, ...]:
        """Of the tile."""
        return self.tile.uses

    @property
    def ground(self) -> Ground:
        """What the members of a family depend on."""
        from bankwise.notation.framework import Ground

        banks = max(row.banks for row in self.machine.instructions.values())
        return Ground(self.shape, banks, self.tile.span)

    @property
    def linear(self) -> bool:
        """Whether the theorem speaks about all of it, each access one instruction."""
        return self.tile.linear and all(len(use.issues) == 1 for use in self.uses)

    @cached_property
    def groups(self) -> tuple[UsesAlike, ...]:
        """Its accesses but for copies, those together that are alike."""
        return alike(self.uses)

    @cached_property
    def stacks(self) -> tuple[Stack, ...]:
        """Its accesses by instruction."""
        return stacked(self.tile, self.machine, translates=False)

    @cached_property
    def reduced(self) -> tuple[Stack, ...]:
        """The same for linear maps, with one execution for all its translates."""
        return stacked(self.tile, self.machine, translates=True)


class UseCost(Struct, frozen=True):
    """One access under one layout; ``passes`` and ``ideal`` are means over its executions.

    ``issues``: the instructions that one execution becomes; ``issue_cycles``: theirs, None where
    the machine file does not say. ``parts``: executions that one of the text is split into.
    """

    name: str
    issues: tuple[Issue, ...]
    passes: Fraction
    ideal: Fraction
    weight: int
    issue_cycles: int | None = None
    parts: int = 1


class LayoutCost(Struct, frozen=True, dict=True):
    """All accesses under one layout. Totals are weighted."""

    uses: tuple[UseCost, ...]

    @cached_property
    def passes(self) -> Fraction:
        """Weight times passes."""
        return _weighted((u.weight, u.passes) for u in self.uses)

    @cached_property
    def ideal(self) -> Fraction:
        """Weight times ideal."""
        return _weighted((u.weight, u.ideal) for u in self.uses)

    @property
    def instructions(self) -> int:
        """Weight times executed instructions."""
        return sum(u.weight * len(u.issues) for u in self.uses)

    @property
    def issue_cycles(self) -> int | None:
        """Weight times issue cycles; None where those of some instruction are not known."""
        total = 0
        for use in self.uses:
            if use.issue_cycles is None:
                return None
            total += use.weight * use.issue_cycles
        return total

    def addresses(self, machine: Machine) -> int:
        """Weight times addresses issued: a two-address instruction is two."""
        return sum(
            use.weight * machine.instruction(issue.instruction).addresses
            for use in self.uses
            for issue in use.issues
        )


def _weighted(parts: Iterable[tuple[int, Fraction]]) -> Fraction:
    """The sum of means by their weights; fractions are slow, and most have one denominator."""
    sums: dict[int, int] = {}
    for weight, mean in parts:
        below = mean.denominator
        sums[below] = sums.get(below, 0) + weight * mean.numerator
    return sum((Fraction(above, below) for below, above in sums.items()), Fraction())


def workload(
    problem: Problem,
    named: Collection[str] = (),
    policy: str = "iree",
    parts: Mapping[str, int] | None = None,
) -> Workload:
    """The arrays of a linear problem. ``named``: accesses whose instruction the user chose;
    ``parts``: into how many parts those that are split were split.

    Every access is taken to run over the whole tile, also where its registers do not say so: a
    vector has to stay together wherever it lies.
    """
    uses = []
    for a in problem.accesses:
        moved = (*a.registers, *a.lanes, *a.vector)
        steps = f2.independent((*a.registers, *f2.complement(moved, problem.tile.bits)))
        starts = spread(steps)[:, None] ^ spread(a.lanes)[None, :]
        elements = starts[:, :, None] ^ spread(a.vector)
        active = np.ones(starts.shape, np.bool_)
        fixed = a.name in named or problem.tile.element_bits << len(a.vector) < 8
        written = as_written(a.instruction)
        op = a.instruction.direction
        use = Use(a.name, op, elements, active, *written, a.weight, kind=a.kind, named=fixed)
        uses.append(replace(use, parts=(parts or {}).get(a.name, 1)))
    dims = tuple((name, 1 << bits) for name, bits in problem.tile.dims)
    tile = Tile(Shape(dims, problem.tile.element_bits), tuple(uses))
    return Workload(problem.machine, tile, policy)


def as_written(row: Instruction) -> tuple[tuple[Issue, ...], int]:
    """One instruction, and the alignment that it wants."""
    return (Issue(row.name, 0),), min(MOST_ALIGNMENT, row.width_bytes)


def cost(work: Workload, address: AddressMap) -> LayoutCost | Refusal:
    """Count every access under a layout; a Refusal where the layout is not legal, or where the
    machine faults on an address of it."""
    try:
        return costs(work, [address])[0]
    except MisalignedError as error:
        return Refusal(error.message, fault=True)


def costs(work: Workload, addresses: Sequence[AddressMap]) -> list[LayoutCost | Refusal]:
    """The same for many layouts: each instruction is counted once, for all of them together."""
    rows = [_alike_row(work, address) or _row(work, address) for address in addresses]
    placed = [p for row in rows if isinstance(row, _PlacedRow) for p in row.groups]
    counted = iter(tallies(work.machine, placed))
    return [row if isinstance(row, Refusal) else _cost(work, row, counted) for row in rows]


class _PlacedRow(ByIdentity, frozen=True, eq=False):
    """Every access under one layout: groups that have to be counted, what copies cost by number."""

    groups: Sequence[PlacedGroup]
    copies: Mapping[int, UseCost]


def _alike_row(work: Workload, address: AddressMap) -> _PlacedRow | Refusal | None:
    """Every access under one layout, those that are alike at once; None where one of them has to be
    looked at by itself."""
    groups: list[PlacedGroup] = []
    for some in work.groups:
        found = _together(work, some, address)
        if found is None:
            return None
        groups.append(found)
    return _with_copies(work, groups, address)


def _with_copies(
    work: Workload, groups: Sequence[PlacedGroup], address: AddressMap
) -> _PlacedRow | Refusal:
    copies: dict[int, UseCost] = {}
    for number, use in enumerate(work.uses):
        if use.kind in COPIES:
            found = _copy_cost(work, use, address)
            if isinstance(found, Refusal):
                return found
            copies[number] = found
    return _PlacedRow(groups, copies)


def _together(work: Workload, some: UsesAlike, address: AddressMap) -> PlacedGroup | None:
    """Accesses that are alike under one layout; None unless all are aligned as they want it."""
    use, starts = some.first, starts_of(some.elements, some.active, some.in_runs, address)
    if starts is None or not use.issues:
        return None
    bits = starts * work.shape.element_bits
    low = int(np.bitwise_or.reduce(bits[some.active], initial=0))
    alignment = _alignment(low)
    rows = [work.machine.instruction(issue.instruction) for issue in use.issues]
    if low % 8 or alignment < max(use.alignment_bytes, *(row.alignment_bytes for row in rows)):
        return None
    offsets = (bits // 8).reshape(-1, starts.shape[-1])
    active = some.active.reshape(offsets.shape)
    first, which = representatives(offsets, active)
    of_each = which.reshape(some.times.shape)
    return PlacedGroup(some.numbers, use.issues, offsets[first], active[first], of_each, some.times)


def _row(work: Workload, address: AddressMap) -> _PlacedRow | Refusal:
    """Every access under one layout by itself, and the first one that refuses it."""
    groups: list[PlacedGroup] = []
    copies: dict[int, UseCost] = {}
    for number, use in enumerate(work.uses):
        way = _copy_cost if use.kind in COPIES else place
        found = way(work, use, address)
        if isinstance(found, Refusal):
            return found
        if isinstance(found, UseCost):
            copies[number] = found
            continue
        each, times = np.arange(len(found.times))[None], found.times[None]
        groups.append(PlacedGroup((number,), found.issues, found.bytes_, found.active, each, times))
    return _PlacedRow(groups, copies)


def _cost(
    work: Workload, row: _PlacedRow, tallied: Iterator[tuple[list[int], list[int]]]
) -> LayoutCost:
    found, means = dict(row.copies), dict[tuple[int, int], Fraction]()

    def mean(total: int, every: int) -> Fraction:
        if (total, every) not in means:
            means[total, every] = Fraction(total, every)
        return means[total, every]

    for group in row.groups:
        issue = issued_cycles(work.machine, group.issues)
        counted = zip(group.numbers, *next(tallied), group.times.sum(axis=1).tolist(), strict=True)
        for number, passes, ideal, every in counted:
            use, both = work.uses[number], (mean(passes, every), mean(ideal, every))
            found[number] = UseCost(use.name, group.issues, *both, use.weight, issue, use.parts)
    return LayoutCost(tuple(found[number] for number in range(len(work.uses))))


def issued_cycles(machine: Machine, issues: Sequence[Issue]) -> int | None:
    """Issue cycles of some instructions together; None where those of one are not known."""
    each = [issue_cycles(machine, machine.instruction(issue.instruction)) for issue in issues]
    known = [cycles for cycles in each if cycles is not None]
    return sum(known) if len(known) == len(each) else None


class Placed(ByIdentity, frozen=True, eq=False):
    """What has to be counted for one access under one layout. ``bytes_``: [distinct, lanes]."""

    issues: tuple[Issue, ...]
    bytes_: IntArray
    active: BoolArray
    times: IntArray


def place(work: Workload, use: Use, address: AddressMap) -> Placed | Refusal:
    """Where one access touches memory under a layout, or why it cannot."""
    starts = starts_of(use.elements, use.active, in_runs(use), address)
    if starts is None:
        return Refusal(f"splits the {use.span} elements that a lane of {use.name!r} moves at once")
    bits = starts * work.shape.element_bits
    issues = _issues(work, use, bits)
    if isinstance(issues, Refusal):
        return issues
    offsets = bits // 8
    rows, which = representatives(offsets, use.active)
    times = np.zeros(len(rows), np.int64)
    np.add.at(times, which, times_of(use))
    return Placed(issues, offsets[rows], use.active[rows], times)


def _copy_cost(work: Workload, use: Use, address: AddressMap) -> UseCost | Refusal:
    """A copy fills consecutive bytes in lane order, whatever the layout, unless that has holes.

    It is issued to memory, not to the port of LDS.
    """
    if starts_of(use.elements, use.active, in_runs(use), address) is None:
        return Refusal(f"splits the {use.span} elements that a lane of {use.name!r} copies at once")
    if isinstance(address, Padded) and not fills_rows(use, address.row):
        return Refusal(f"the copy {use.name!r} fills elements without a gap across rows")
    rows = [work.machine.instruction(issue.instruction) for issue in use.issues]
    ideal = Fraction(sum(len(row.phases) for row in rows))
    return UseCost(use.name, use.issues, ideal, ideal, use.weight, issue_cycles=0)


def fills_rows(use: Use, row: int) -> bool:
    """Whether what each execution of a copy in lane order fills lies in one row of ``row``."""
    if use.kind != "dma":
        return True
    rows = np.where(use.active[..., None], use.elements // row, -1)
    first = rows.max(axis=(1, 2), keepdims=True)
    return bool(((rows == first) | (rows < 0)).all())


def _issues(work: Workload, use: Use, bits: IntArray) -> tuple[Issue, ...] | Refusal:
    """The instructions of one execution at the alignment that all active lanes have."""
    low = int(np.bitwise_or.reduce(bits[use.active], initial=0))
    width = use.span * work.shape.element_bits
    if low % 8 and width >= 8:
        return Refusal(f"{use.name!r} would start inside a byte")
    alignment = _alignment(low)
    if use.issues and alignment >= use.alignment_bytes:
        return use.issues
    if use.named:
        name = use.issues[0].instruction
        return Refusal(f"{use.name!r}: {name} would be aligned to {alignment} bytes only")
    return selected(work, use, alignment)


def _alignment(low: int) -> int:
    """Of places whose bits, all ORed, are ``low``: in bytes, as far as instructions ask."""
    return min(MOST_ALIGNMENT, (low // 8 & -(low // 8)) or MOST_ALIGNMENT)


def selected(work: Workload, use: Use, alignment: int) -> tuple[Issue, ...] | Refusal:
    """What the width policy makes of an access whose lanes start at multiples of ``alignment``."""
    bits = work.shape.element_bits
    return select(
        work.machine,
        use.op,
        max(1, use.span * bits // 8),
        alignment,
        work.policy,
        use.kind,
        operation=use.operation,
        element_bits=bits,
    )
