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

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.algebra.address import AddressMap, Linear, Padded, keeps_runs
from bankwise.algebra.offset import Shape
from bankwise.counting.access import BoolArray, IntArray
from bankwise.counting.conflict import count
from bankwise.errors import MisalignedError, Refusal
from bankwise.hardware.issue_cycles import issue_cycles
from bankwise.hardware.machine import BANK_BYTES, Instruction, Machine
from bankwise.hardware.policies import Issue, select
from bankwise.identity import ByIdentity
from bankwise.notation.framework import Ground
from bankwise.solver.problem import Problem
from bankwise.solver.stacked import Stack, stacked
from bankwise.tile import COPIES, Tile, Use, in_runs, spread

Totals = npt.NDArray[np.int64]

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
        banks = max(row.banks for row in self.machine.instructions.values())
        return Ground(self.shape, banks, self.tile.span)

    @property
    def linear(self) -> bool:
        """Whether the theorem speaks about all of it, each access one instruction."""
        return self.tile.linear and all(len(use.issues) == 1 for use in self.uses)

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
    rows = [_row(work, address) for address in addresses]
    placed = [p for row in rows if isinstance(row, list) for p in row if isinstance(p, Placed)]
    tallies = iter(_tallies(work.machine, placed))
    return [row if isinstance(row, Refusal) else _cost(work, row, tallies) for row in rows]


def _row(work: Workload, address: AddressMap) -> list[Placed | UseCost] | Refusal:
    """Every access under one layout: what has to be counted, and what copies cost."""
    row: list[Placed | UseCost] = []
    for use in work.uses:
        way = _copy_cost if use.kind in COPIES else place
        found = way(work, use, address)
        if isinstance(found, Refusal):
            return found
        row.append(found)
    return row


def _cost(
    work: Workload, row: Sequence[Placed | UseCost], tallies: Iterator[tuple[int, int]]
) -> LayoutCost:
    found = []
    for use, placed in zip(work.uses, row, strict=True):
        if isinstance(placed, UseCost):
            found.append(placed)
            continue
        (passes, ideal), every = next(tallies), int(placed.times.sum())
        mean, least = Fraction(passes, every), Fraction(ideal, every)
        issue = issued_cycles(work.machine, placed.issues)
        found.append(UseCost(use.name, placed.issues, mean, least, use.weight, issue, use.parts))
    return LayoutCost(tuple(found))


def issued_cycles(machine: Machine, issues: Sequence[Issue]) -> int | None:
    """Issue cycles of some instructions together; None where those of one are not known."""
    each = [issue_cycles(machine, machine.instruction(issue.instruction)) for issue in issues]
    known = [cycles for cycles in each if cycles is not None]
    return sum(known) if len(known) == len(each) else None


def _tallies(machine: Machine, placed: Sequence[Placed]) -> list[tuple[int, int]]:
    """Passes and ideal of each, all of its executions together."""
    sums = np.zeros((2, len(placed)), np.int64)
    issued: dict[str, list[tuple[int, int]]] = {}
    for number, each in enumerate(placed):
        for issue in each.issues:
            issued.setdefault(issue.instruction, []).append((number, issue.offset_bytes))
    for name, parts in issued.items():
        offsets = np.concatenate([placed[n].bytes_ + start for n, start in parts])
        active = np.concatenate([placed[n].active for n, _ in parts])
        counted = count(machine.instruction(name), offsets, active)
        times = np.concatenate([placed[n].times for n, _ in parts])
        whose = np.repeat([n for n, _ in parts], [len(placed[n].times) for n, _ in parts])
        np.add.at(sums[0], whose, counted.passes * times)
        np.add.at(sums[1], whose, counted.ideal * times)
    return [(passes, ideal) for passes, ideal in sums.T.tolist()]


class Placed(ByIdentity, frozen=True, eq=False):
    """What has to be counted for one access under one layout. ``bytes_``: [distinct, lanes]."""

    issues: tuple[Issue, ...]
    bytes_: IntArray
    active: BoolArray
    times: IntArray


def place(work: Workload, use: Use, address: AddressMap) -> Placed | Refusal:
    """Where one access touches memory under a layout, or why it cannot."""
    starts = _starts(use, address)
    if starts is None:
        return Refusal(f"splits the {use.span} elements that a lane of {use.name!r} moves at once")
    bits = starts * work.shape.element_bits
    issues = _issues(work, use, bits)
    if isinstance(issues, Refusal):
        return issues
    offsets = bits // 8
    rows, times = _distinct(offsets, use)
    return Placed(issues, offsets[rows], use.active[rows], times)


def _starts(use: Use, address: AddressMap) -> IntArray | None:
    """Where the first elements of all lanes lie; None where what a lane moves at once is apart."""
    if use.span == 1 or (in_runs(use) and keeps_runs(address, use.span)):
        return address(use.elements[..., 0])
    ends = address(use.elements[..., :: use.span - 1])
    if ((ends[..., 1] - ends[..., 0] != use.span - 1) & use.active).any():
        return None
    placed = address(use.elements)
    together = placed[..., 1:] - placed[..., :-1] == 1
    if together.all() or together[use.active].all():
        return placed[..., 0]
    return None


def _distinct(offsets: IntArray, use: Use) -> tuple[IntArray, IntArray]:
    """Executions that differ by more than a shift of whole words, and how often each occurs."""
    times = np.ones(len(offsets), np.int64) if use.times is None else use.times
    if len(offsets) < 4:
        return np.arange(len(offsets)), times
    words = BANK_BYTES
    least = offsets.min(axis=1, keepdims=True) // words * words
    shapes = np.where(use.active, offsets - least, -1)
    text, size, first = shapes.tobytes(), shapes[0].nbytes, dict[bytes, int]()
    keys = (text[start : start + size] for start in range(0, len(text), size))
    same = [first.setdefault(key, number) for number, key in enumerate(keys)]
    every = np.zeros(len(offsets), np.int64)
    np.add.at(every, same, times)
    rows = np.array(list(first.values()))
    return rows, every[rows]


def _copy_cost(work: Workload, use: Use, address: AddressMap) -> UseCost | Refusal:
    """A copy fills consecutive bytes in lane order, whatever the layout, unless that has holes.

    It is issued to memory, not to the port of LDS.
    """
    if _starts(use, address) is None:
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
    alignment = min(MOST_ALIGNMENT, (low // 8 & -(low // 8)) or MOST_ALIGNMENT)
    if use.issues and alignment >= use.alignment_bytes:
        return use.issues
    if use.named:
        name = use.issues[0].instruction
        return Refusal(f"{use.name!r}: {name} would be aligned to {alignment} bytes only")
    return selected(work, use, alignment)


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


def linear_totals(work: Workload, maps: Sequence[Linear]) -> Totals:
    """Weighted passes of many linear maps of a linear workload at once; -1 where not legal.

    One execution of each access stands for all: the others are translates of it.
    """
    assert work.linear, "other executions would differ"
    bases = np.array([m.bases for m in maps], np.int64).reshape(len(maps), -1)
    legal = np.ones(len(maps), np.bool_)
    totals = np.zeros(len(maps), np.int64)
    for use in work.uses:
        legal &= _keeps_vectors(bases, use)
    chosen = np.flatnonzero(legal)
    if not len(chosen):
        return np.full(len(maps), -1, np.int64)
    for use in work.uses:
        (issue,) = use.issues
        row = work.machine.instruction(issue.instruction)
        if use.kind == "dma":
            totals += use.weight * len(row.phases)
            continue
        offsets = _images(bases[chosen], use.elements[0, :, 0])
        counted = count(row, offsets * work.shape.element_bits // 8)
        totals[chosen] += use.weight * counted.passes
    return np.where(legal, totals, -1)


def _keeps_vectors(bases: IntArray, use: Use) -> npt.NDArray[np.bool_]:
    """Whether the elements of a lane stay together, aligned and in order, for each map."""
    if use.span == 1:
        return np.ones(len(bases), np.bool_)
    units = 1 << np.arange((use.span - 1).bit_length())
    kept = (_images(bases, use.elements[0, 0, units]) == units).all(axis=1)
    moves = np.array([*{*use.elements[0, :, 0].tolist(), *use.elements[:, 0, 0].tolist()}])
    aligned = (_images(bases, moves) & (use.span - 1) == 0).all(axis=1)
    return np.asarray(kept & aligned)


def _images(bases: IntArray, elements: IntArray) -> IntArray:
    """[maps, elements]: where each map of [maps, bits] sends each element."""
    images = np.zeros((len(bases), len(elements)), np.int64)
    for bit in range(bases.shape[1]):
        moved = np.flatnonzero(elements >> bit & 1)
        if len(moved):
            images[:, moved] ^= bases[:, bit, None]
    return images
