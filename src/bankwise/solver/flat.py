"""The best layout of a buffer of which only bytes are known: what emitted code can be told.

There is no tile any more, no rows and columns: an access is a list of byte offsets. A layout is

    a ^ (a >> shift & mask) ^ ..          a: byte offset from the start of the buffer

which keeps every lane's widest access in one piece and stays inside the buffer. Where all accesses
are linear over F2 the exact solver answers, with a certificate; a single fold is preferred to it
if it is as good, because it has a name in every framework. Otherwise the single folds are tried
and counted. Whatever was chosen is counted again on every access.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bankwise.algebra.address import AddressMap, Identity, Linear, Padded
from bankwise.counting.conflict import count
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.notation.fold import folded
from bankwise.solver.allocation import Best, certified, linear_problem
from bankwise.solver.certificate import HOW_TEXT
from bankwise.solver.folds import Demand, Piece, Tile, weighted_ideal, weighted_passes
from bankwise.solver.problem import MAX_VECTOR_BYTES
from bankwise.solver.rows import best_masks
from bankwise.solver.search import Solution, solve

NODES = 5_000
"""Search nodes of the exact solver for one buffer; a typical one takes a few hundred."""

MOST_LANES = 8_000_000
"""Lane addresses that are counted in search of one buffer's layout; more is not searched."""


@dataclass(frozen=True, slots=True)
class Fold:
    """``a ^ (a >> shift & mask)``: ``count`` bits from ``source`` on go into ``target`` and on."""

    source: int
    target: int
    count: int

    @property
    def adjacent(self) -> bool:
        """Whether the bits read lie right above the bits changed."""
        return self.source == self.target + self.count

    def map(self, bits: int) -> Linear:
        """The fold on 2^bits elements."""
        return folded(bits, self.source, self.target, self.count)


@dataclass(frozen=True, slots=True, eq=False)
class Flat:
    """A buffer: ``elements`` of ``element_bytes`` each, and every access to it.

    ``fixed``: units of copies to shared memory, which stay whole; ``waves``: what a wave copies in
    lane order, without gaps.
    """

    demands: tuple[Demand, ...]
    elements: int
    element_bytes: int
    fixed: tuple[Piece, ...] = ()
    waves: tuple[Piece, ...] = ()

    @property
    def bits(self) -> int:
        """2^bits is the first power of two that is not below ``elements``."""
        return (self.elements - 1).bit_length()

    @property
    def row(self) -> int:
        """The largest power of two that divides ``elements``.

        Inside such blocks a layout may move anything without leaving the buffer.
        """
        return self.elements & -self.elements

    @property
    def unit(self) -> int:
        """Elements of the widest access, rounded up to a power of two."""
        spans = [d.span for d in self.demands] + [p.span for p in self.fixed]
        return 1 << (max(spans) - 1).bit_length()


@dataclass(frozen=True, slots=True)
class Answer:
    """``best``: the layout of elements and what is known of it. ``fold``: where it is one fold."""

    best: Best
    fold: Fold | None = None


def best_flat(flat: Flat, machine: Machine, *, adjacent: bool = False) -> Answer:
    """The best layout of a buffer for all of its accesses together.

    ``adjacent``: among equally good folds prefer one that reads the bits right above those that it
    changes, as Composable Kernel's own descriptors do.
    """
    tile = _tile(flat, machine)
    before = weighted_passes(Identity(), flat.demands, flat.element_bytes)
    ideal = weighted_ideal(flat.demands, flat.element_bytes)
    present = Best(Identity(), before, before, ideal, before == ideal, "every access is ideal")
    if before == ideal:
        return Answer(present)
    alike = reduced(flat.demands)
    every = list(_folds(flat))[: MOST_LANES // sum(d.active.size for d in alike)]
    fold = _cheapest(flat, alike, every, adjacent) if every else None
    solved = _solved(flat, tile, machine)
    if isinstance(solved, Refusal):
        return _counted(flat, present, fold, f"best of {1 + len(every)} layouts: {solved.reason}")
    answers = [Answer(_final(flat, solved, present, _keeping(flat, tile, solved)))]
    if fold is not None:
        answers.insert(0, Answer(_final(flat, solved, present, fold.map(flat.bits)), fold))
    answers.insert(0, Answer(_final(flat, solved, present, Identity())))
    return min(answers, key=lambda a: a.best.passes)


def _solved(flat: Flat, tile: Tile, machine: Machine) -> Solution | Refusal:
    stated = linear_problem(flat.demands, tile, machine, flat.fixed)
    return stated if isinstance(stated, Refusal) else solve(stated, nodes=NODES)


def _keeping(flat: Flat, tile: Tile, solved: Solution) -> AddressMap:
    """The solver's layout; of a buffer of odd size one that keeps its power-of-two blocks."""
    if flat.elements == tile.elements:
        return Linear(solved.layout.columns)
    return best_masks(solved.problem, solved.pins) or Identity()


def _final(flat: Flat, solved: Solution, present: Best, address: AddressMap) -> Best:
    """``address`` counted on every access, and held against the solver's optimum."""
    passes = weighted_passes(address, flat.demands, flat.element_bytes)
    stated = solved.certificate
    how, optimal = HOW_TEXT[stated.how], stated.optimal and passes <= stated.total_passes
    if passes > stated.total_passes:
        how = f"best found; the solver's layout takes {stated.total_passes:,}"
        if flat.elements & (flat.elements - 1):
            how += " on the next power of two of bytes"
    best = replace(present, address=address, passes=passes, optimal=optimal, how=how)
    best = replace(best, certificate=stated, problem=solved.problem)
    return replace(best, certificate=certified(best, address))


def _counted(flat: Flat, present: Best, fold: Fold | None, how: str) -> Answer:
    """The best fold where nothing is proved; optimal only if every access is ideal."""
    if fold is None:
        return Answer(replace(present, how=f"not searched: {how.partition(': ')[2]}"))
    address = fold.map(flat.bits)
    passes = weighted_passes(address, flat.demands, flat.element_bytes)
    if passes >= present.passes:
        return Answer(replace(present, how=how))
    optimal = passes == present.ideal
    how = "every access is ideal" if optimal else how
    return Answer(replace(present, address=address, passes=passes, optimal=optimal, how=how), fold)


def _tile(flat: Flat, machine: Machine) -> Tile:
    """Rows as long as the banks are wide, where the buffer has whole ones."""
    banks = max(d.instruction.banks for d in flat.demands)
    row = min(flat.row, max(flat.unit, banks * 4 // flat.element_bytes))
    return Tile(row, 1 << flat.bits, flat.element_bytes)


def _folds(flat: Flat) -> Iterator[Fold]:
    """Every fold that keeps the widest access and the buffer, the fewest bits first."""
    low, top = flat.unit.bit_length() - 1, flat.row.bit_length() - 1
    bank = max(d.instruction.banks for d in flat.demands) * 4 // flat.element_bytes
    high = min(top, bank.bit_length() - 1)
    for bits in range(1, high - low + 1):
        for target in range(low, high - bits + 1):
            for source in range(target + bits, flat.bits - bits + 1):
                yield Fold(source, target, bits)


def _cheapest(flat: Flat, alike: Sequence[Demand], every: Sequence[Fold], adjacent: bool) -> Fold:
    """The fold with the fewest passes; among equals the first, or the first adjacent one."""
    totals = np.zeros(len(every), np.int64)
    maps = np.array([f.map(flat.bits).bases for f in every], np.int64)
    for demand in alike:
        images = np.zeros((len(maps), *demand.elements.shape), np.int64)
        for bit in range(flat.bits):
            images ^= (demand.elements >> bit & 1) * maps[:, bit, None, None]
        offsets = images * flat.element_bytes
        found = count(demand.instruction, offsets, demand.active)
        totals += found.passes.sum(axis=1) * demand.weight
    equal = [f for f, n in zip(every, totals, strict=True) if n == totals.min()]
    return next((f for f in equal if adjacent and f.adjacent), equal[0])


def reduced(demands: Sequence[Demand]) -> tuple[Demand, ...]:
    """Waves that are translates of each other over F2 count alike under every linear map."""
    weights: dict[tuple[str, int, bytes, bytes], int] = {}
    first: dict[tuple[str, int, bytes, bytes], Demand] = {}
    for demand in demands:
        for wave, active in zip(demand.elements, demand.active, strict=True):
            if not active.any():
                continue
            moved = np.where(active, wave ^ wave[active.argmax()], 0)
            key = (demand.instruction.name, demand.span, moved.tobytes(), active.tobytes())
            weights[key] = weights.get(key, 0) + demand.weight
            first.setdefault(key, replace(demand, elements=moved[None], active=active[None]))
    return tuple(replace(d, weight=weights[key]) for key, d in first.items())


def best_padding(flat: Flat, room_bytes: int) -> tuple[Padded, int] | None:
    """The padding with the fewest passes that fits, and these passes; None if none is legal.

    ``room_bytes``: what the padded buffer may take. A pad is a multiple of the widest access; no
    access and no copy of a whole wave may straddle one.
    """
    legal = [p for p in _paddings(flat) if _padded_bytes(flat, p) <= room_bytes]
    lanes = sum(d.active.size for d in flat.demands)
    legal = legal[: MOST_LANES // max(1, lanes)]
    counted = [
        (weighted_passes(p, flat.demands, flat.element_bytes), n) for n, p in enumerate(legal)
    ]
    if not counted:
        return None
    passes, number = min(counted)
    return legal[number], passes


def _paddings(flat: Flat) -> Iterator[Padded]:
    pad = flat.unit
    while pad * flat.element_bytes <= 8 * MAX_VECTOR_BYTES:
        row = max(64 // flat.element_bytes, pad)
        while row < flat.elements and row * flat.element_bytes <= 4096:
            if all(_inside(piece, row) for piece in flat.waves):
                yield Padded(row, pad)
            row *= 2
        pad *= 2


def _inside(piece: Piece, row: int) -> bool:
    """Whether what a wave copies in lane order lies in one row."""
    return bool(piece.elements.min() // row == (piece.elements.max() + piece.span - 1) // row)


def _padded_bytes(flat: Flat, padding: Padded) -> int:
    rows = -(-flat.elements // padding.row)
    return (flat.elements + (rows - 1) * padding.pad) * flat.element_bytes
