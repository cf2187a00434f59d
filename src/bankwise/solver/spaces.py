"""Spaces of layouts: what :func:`bankwise.solver.best.best` may choose from, as values.

    row folds     chunk' = chunk XOR ((row / per_phase) mod period): what IREE's xor_shuffle and
                  Wave's chunk XOR say, and what a rewriter can put into a last index
    bit folds     a ^ (a >> shift & mask) on the offset of a flat buffer: CuTe's Swizzle<B,M,S>
    masks         column ^ (any sum of row bits), searched exactly inside rows
    linear        every linear map, solved exactly (:mod:`bankwise.solver.search`)
    pads          rows made longer
    pitches       the same of a flat buffer, whose rows are read off the accesses

A fold keeps every lane's elements together; who reads or writes what it moves must use the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from bankwise.algebra.address import AddressMap, Fold, Padded, RowFolds
from bankwise.counting.access import IntArray, distinct
from bankwise.counting.lane_terms import lane_steps
from bankwise.hardware.machine import BANK_BYTES, Machine
from bankwise.tile import Tile, Use

PITCHES = "pitches"
LINEAR = "linear layouts"
LAST_INDEX = "the last index XOR a function of the bits above it"
EVERY_INDEX = "every index XOR a function of the bits above it"
SHUFFLE = "xor_shuffle"
PADDING = "padding"


class Space(Struct, frozen=True):
    """``maps``: tried one by one, the one to prefer among equals first. ``name``: in words.

    ``rows``: lengths of rows inside which masks are searched exactly; ``linear``: with the optimum
    of all linear maps. ``together``: every map keeps the elements of each lane together; else that
    is looked at, and of equals the cheapest address is preferred. ``labels``: of the maps, if they
    have names.
    """

    name: str
    maps: tuple[AddressMap, ...] = ()
    rows: tuple[int, ...] = ()
    linear: bool = False
    together: bool = True
    labels: tuple[str, ...] = ()


def row_folds(tile: Tile, rows: Sequence[int]) -> Iterator[RowFolds]:
    """The folds that keep every lane's elements together and stay in their row, simplest first."""
    seen: set[tuple[int, int, int]] = set()
    units = _units(tile, max(rows))
    for row in rows:
        found = (f for unit in units for f in _blocks(unit, row, tile.shape.elements))
        for fold in sorted(found, key=_simplicity):
            bits = ((tile.shape.elements - 1) // fold.divisor).bit_length()
            same = (fold.divisor, fold.unit, min(fold.phases, 1 << bits))
            if same not in seen:
                seen.add(same)
                yield RowFolds(row, (fold,))


def shorter(rows: Sequence[int]) -> list[int]:
    """Lengths of rows that divide all of ``rows``, the longest first: powers of two."""
    found = (1 << n for n in reversed(range(max(rows).bit_length())))
    return [n for n in found if n not in rows and not any(row % n for row in rows)]


def longer(tile: Tile, rows: Sequence[int]) -> list[int]:
    """Lengths of two, four, .. rows together, the shortest first, as far as the tile has them."""
    if len(rows) > 1:
        return []
    found = (rows[0] << n for n in range(1, tile.shape.elements.bit_length()))
    return [n for n in found if n < tile.shape.elements and tile.shape.elements % n == 0]


def _units(tile: Tile, longest: int) -> list[int]:
    """Chunks, powers of two, that keep every lane's elements together."""
    first = (tile.span - 1).bit_length()
    units = [1 << n for n in range(first, longest.bit_length())]
    if not units:
        return []
    starts = _starts(tile, units[-1]).items()
    return [u for u in units if all((some % u + span <= u).all() for span, some in starts)]


@lru_cache(maxsize=8)
def _starts(tile: Tile, modulus: int) -> Mapping[int, IntArray]:
    """Where lanes start, modulo a number, by how many elements they move."""
    parts: dict[int, list[IntArray]] = {}
    for use in tile.uses:
        parts.setdefault(use.span, []).append(use.elements[use.active][:, 0])
    return {span: distinct(np.concatenate(some) % modulus) for span, some in parts.items()}


def _blocks(unit: int, row: int, elements: int) -> Iterator[Fold]:
    """The folds of whole rows into chunks, in blocks that divide the row and the tile."""
    phases = 2
    while row % (unit * phases) == elements % (unit * phases) == 0:
        per_phase = 1
        while per_phase < elements // row:
            yield Fold(row * per_phase, unit, phases)
            per_phase *= 2
        phases *= 2


def _simplicity(fold: Fold) -> tuple[int, int, int]:
    return (fold.divisor, fold.unit, fold.phases)


def bit_folds(tile: Tile, machine: Machine) -> Iterator[Fold]:
    """Every fold of offset bits into bank bits that keeps the buffer, the fewest bits first."""
    size, shape = tile.shape.elements, tile.shape
    low, top = (tile.span - 1).bit_length(), (size & -size).bit_length() - 1
    high = min(top, (bank_row(tile, machine)).bit_length() - 1)
    every = (shape.elements - 1).bit_length()
    for bits in range(1, high - low + 1):
        for target in range(low, high - bits + 1):
            for source in range(target + bits, every - bits + 1):
                yield bit_fold(source, target, bits)


def bit_fold(source: int, target: int, bits: int) -> Fold:
    """``x ^ (x >> source - target & (2^bits - 1) << target)``."""
    return Fold(1 << source, 1 << target, 1 << bits)


def adjacent(fold: Fold) -> bool:
    """Whether the bits read lie right above the bits changed: all that CK's descriptors say."""
    return fold.divisor == fold.unit * fold.phases


def bank_row(tile: Tile, machine: Machine) -> int:
    """Elements that lie side by side in the banks of the accesses of a tile."""
    rows = [machine.instruction(i.instruction) for use in tile.uses for i in use.issues]
    banks = max((row.banks for row in rows), default=1)
    return banks * BANK_BYTES * 8 // tile.shape.element_bits


def pitches(tile: Tile, machine: Machine) -> Iterator[tuple[Padded, ...]]:
    """The longer rows of a flat buffer, the shortest first; one tuple for each length of its rows.

    Rows are what lanes step by beyond what they touch side by side: ``17 * x + y`` with two values
    of y has rows of 17. Every access whose lanes have steps must keep them: none may run on from a
    row into the next. What is added keeps every access aligned.
    """
    unit = 1 << (tile.span - 1).bit_length()
    for row in sorted({step for use in tile.uses for step in _row_steps(use)}):
        if 1 < row < tile.shape.elements and all(_keeps_steps(use, row) for use in tile.uses):
            yield tuple(Padded(row, pad) for pad in range(unit, bank_row(tile, machine), unit))


def _row_steps(use: Use) -> Iterator[int]:
    """The least step of each execution's lanes beyond what smaller ones make contiguous."""
    for starts, active in zip(use.elements[..., 0], use.active, strict=True):
        side_by_side = use.span
        for step in sorted(abs(s) for s in lane_steps(starts, active) or () if s):
            if step > side_by_side:
                yield step
                break
            side_by_side += step


def _keeps_steps(use: Use, row: int) -> bool:
    """Whether lanes that step regularly step regularly through rows of this length as well."""
    for starts, active in zip(use.elements[..., 0], use.active, strict=True):
        regular = lane_steps(starts, active) is not None
        if regular and lane_steps(starts // row, active) is None:
            return False
    return True
