"""A tile with all its accesses as index arrays: what counting can judge, linear or not.

:mod:`bankwise.solver` sees an access as directions; here it is the elements that every lane touches
in every execution. A layout is any address map. It is *legal* for an access when the elements of
each lane stay contiguous and in order, where the machine has instructions for the alignment that
is left (:mod:`bankwise.hardware.policies` names them), and for a direct-to-shared copy when what
the wave fills has no holes. Costs are counted (:mod:`bankwise.counting.conflict`), over all
executions and phases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from bankwise.algebra import f2
from bankwise.algebra.address import AddressMap, Linear, Padded
from bankwise.algebra.offset import Shape
from bankwise.counting.access import BoolArray, IntArray
from bankwise.counting.conflict import count
from bankwise.errors import Refusal
from bankwise.hardware.machine import BANK_BYTES, Direction, Instruction, Machine
from bankwise.hardware.policies import Issue, select
from bankwise.notation.framework import Ground
from bankwise.solver.problem import Kind, Problem

Totals = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """One access. ``elements``: int64 [executions, lanes, elements of a lane], row-major.

    ``active``: bool [executions, lanes]. ``instruction``: the row for a naturally aligned access,
    None to ask the width policy; ``named``: the user insists on it. ``linear``: all lanes active
    and every execution a translate of the first over F2.
    """

    name: str
    op: Direction
    elements: IntArray
    active: BoolArray
    instruction: Instruction | None
    weight: int = 1
    kind: Kind = "plain"
    named: bool = False
    linear: bool = False

    @property
    def span(self) -> int:
        """Elements of one lane."""
        return int(self.elements.shape[-1])


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """One tile on one machine with everything that is done to it."""

    machine: Machine
    shape: Shape
    uses: tuple[Use, ...]
    policy: str = "iree"

    @property
    def ground(self) -> Ground:
        """What the members of a family depend on."""
        banks = max(row.banks for row in self.machine.instructions.values())
        return Ground(self.shape, banks, max(use.span for use in self.uses))

    @property
    def linear(self) -> bool:
        """Whether the theorem speaks about all of it."""
        return self.shape.bits is not None and all(use.linear for use in self.uses)


@dataclass(frozen=True, slots=True)
class UseCost:
    """One access under one layout; ``passes`` and ``ideal`` are means over its executions.

    ``issues``: the instructions that one execution becomes.
    """

    name: str
    issues: tuple[Issue, ...]
    passes: Fraction
    ideal: Fraction
    weight: int


@dataclass(frozen=True, slots=True)
class Cost:
    """All accesses under one layout. Totals are weighted."""

    uses: tuple[UseCost, ...]

    @property
    def passes(self) -> Fraction:
        """Weight times passes."""
        return sum((u.weight * u.passes for u in self.uses), Fraction())

    @property
    def ideal(self) -> Fraction:
        """Weight times ideal."""
        return sum((u.weight * u.ideal for u in self.uses), Fraction())

    @property
    def instructions(self) -> int:
        """Weight times executed instructions."""
        return sum(u.weight * len(u.issues) for u in self.uses)


def workload(problem: Problem, named: Sequence[str] = (), policy: str = "iree") -> Workload:
    """The arrays of a linear problem. ``named``: accesses whose instruction the user chose.

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
        op = a.instruction.direction
        uses.append(Use(a.name, op, elements, active, a.instruction, a.weight, a.kind, fixed, True))
    dims = tuple((name, 1 << bits) for name, bits in problem.tile.dims)
    return Workload(problem.machine, Shape(dims, problem.tile.element_bits), tuple(uses), policy)


def spread(directions: Sequence[int]) -> IntArray:
    """The sums of the directions at the set bits of 0, 1, 2, ..."""
    sums = np.zeros(1, np.int64)
    for direction in directions:
        sums = np.concatenate([sums, sums ^ direction])
    return sums


def cost(work: Workload, address: AddressMap) -> Cost | Refusal:
    """Count every access under a layout; a Refusal where the layout is not legal."""
    return costs(work, [address])[0]


def costs(work: Workload, addresses: Sequence[AddressMap]) -> list[Cost | Refusal]:
    """The same for many layouts: each instruction is counted once, for all of them together."""
    columns = [_use_costs(work, use, addresses) for use in work.uses]
    out: list[Cost | Refusal] = []
    for row in zip(*columns, strict=True):
        refusal = next((u for u in row if isinstance(u, Refusal)), None)
        legal = tuple(u for u in row if isinstance(u, UseCost))
        out.append(Cost(legal) if refusal is None else refusal)
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """What has to be counted for one access under one layout. ``bytes_``: [distinct, lanes]."""

    issues: tuple[Issue, ...]
    bytes_: IntArray
    active: BoolArray
    times: IntArray


def _use_costs(
    work: Workload, use: Use, addresses: Sequence[AddressMap]
) -> list[UseCost | Refusal]:
    if use.kind == "dma":
        return [_copy_cost(use, address) for address in addresses]
    placed = [place(work, use, address) for address in addresses]
    legal = [p for p in placed if isinstance(p, Placed)]
    passes = [Fraction()] * len(legal)
    ideal = [Fraction()] * len(legal)
    for issue in dict.fromkeys(i for p in legal for i in p.issues):
        which = [n for n, p in enumerate(legal) if issue in p.issues]
        row = work.machine.instruction(issue.instruction)
        offsets = np.concatenate([legal[n].bytes_ for n in which]) + issue.offset_bytes
        counted = count(row, offsets, np.concatenate([legal[n].active for n in which]))
        ends = np.cumsum([len(legal[n].times) for n in which])[:-1]
        parts = zip(np.split(counted.passes, ends), np.split(counted.ideal, ends), strict=True)
        for n, (took, least) in zip(which, parts, strict=True):
            passes[n] += Fraction(int((took * legal[n].times).sum()), len(use.elements))
            ideal[n] += Fraction(int((least * legal[n].times).sum()), len(use.elements))
    found = iter(zip(legal, passes, ideal, strict=True))
    return [p if isinstance(p, Refusal) else _priced(use, *next(found)) for p in placed]


def _priced(use: Use, placed: Placed, passes: Fraction, ideal: Fraction) -> UseCost:
    return UseCost(use.name, placed.issues, passes, ideal, use.weight)


def place(work: Workload, use: Use, address: AddressMap) -> Placed | Refusal:
    """Where one access touches memory under a layout, or why it cannot."""
    if _splits(use, address):
        return Refusal(f"splits the {use.span} elements that a lane of {use.name!r} moves at once")
    bits = address(use.elements[..., 0]) * work.shape.element_bits
    issues = _issues(work, use, bits)
    if isinstance(issues, Refusal):
        return issues
    rows, times = _distinct(bits // 8, use.active)
    return Placed(issues, bits[rows] // 8, use.active[rows], times)


def _splits(use: Use, address: AddressMap) -> bool:
    if use.span == 1:
        return False
    placed = address(use.elements)
    together = (placed == placed[..., :1] + np.arange(use.span)).all(axis=-1)
    return not bool(together[use.active].all())


def _distinct(offsets: IntArray, active: BoolArray) -> tuple[IntArray, IntArray]:
    """Executions that differ by more than a shift of whole words, and how often each occurs."""
    if len(offsets) < 4:
        return np.arange(len(offsets)), np.ones(len(offsets), np.int64)
    words = BANK_BYTES
    shapes = np.where(active, offsets - offsets.min(axis=1, keepdims=True) // words * words, -1)
    first: dict[bytes, list[int]] = {}
    for number, row in enumerate(shapes):
        first.setdefault(row.tobytes(), []).append(number)
    rows = np.array([numbers[0] for numbers in first.values()])
    return rows, np.array([len(numbers) for numbers in first.values()])


def _copy_cost(use: Use, address: AddressMap) -> UseCost | Refusal:
    """A copy fills consecutive bytes in lane order, whatever the layout, unless that has holes."""
    assert use.instruction is not None, "copies are named by their width"
    if _splits(use, address):
        return Refusal(f"splits the {use.span} elements that a lane of {use.name!r} copies at once")
    filled = use.elements.shape[1] * use.span
    if isinstance(address, Padded) and address.row % filled:
        return Refusal(f"the copy {use.name!r} fills {filled} elements without a gap")
    ideal = Fraction(len(use.instruction.phases))
    return UseCost(use.name, (Issue(use.instruction.name, 0),), ideal, ideal, use.weight)


def _issues(work: Workload, use: Use, bits: IntArray) -> tuple[Issue, ...] | Refusal:
    """The instructions of one execution at the alignment that all active lanes have."""
    low = int(np.bitwise_or.reduce(bits[use.active], initial=0))
    row, width = use.instruction, use.span * work.shape.element_bits
    if low % 8 and width >= 8:
        return Refusal(f"{use.name!r} would start inside a byte")
    alignment = min(16, (low // 8 & -(low // 8)) or 16)
    if row is not None and alignment >= min(16, row.width_bytes):
        return (Issue(row.name, 0),)
    if use.named:
        assert row is not None, "a name is a row"
        return Refusal(f"{use.name!r}: {row.name} would be aligned to {alignment} bytes only")
    return select(work.machine, use.op, max(1, width // 8), alignment, work.policy)


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
        assert use.instruction is not None, "linear accesses have one"
        if use.kind == "dma":
            totals += use.weight * len(use.instruction.phases)
            continue
        offsets = _images(bases[chosen], use.elements[0, :, 0])
        counted = count(use.instruction, offsets * work.shape.element_bits // 8)
        totals[chosen] += use.weight * counted.passes
    return np.where(legal, totals, -1)


def _keeps_vectors(bases: IntArray, use: Use) -> npt.NDArray[np.bool_]:
    """Whether the elements of a lane stay together, aligned and in order, for each map."""
    if use.span == 1:
        return np.ones(len(bases), np.bool_)
    units = 1 << np.arange((use.span - 1).bit_length())
    kept = (_images(bases, use.elements[0, 0, units]) == units).all(axis=1)
    moves = np.concatenate([use.elements[0, :, 0], use.elements[:, 0, 0]])
    moves = np.unique(moves)
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
