"""The best XOR fold for all accesses of a tile together: an exhaustive search, judged by counting.

The family is small (a few hundred members: which chunk width, which rows, which period), so every
member is tried on every access and the least weighted passes win; among equals the simplest wins.
"Exact" therefore means exact within this family. The general solver proves more; it comes in the
place of :func:`best_fold` and hands back the same :class:`Found`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bankwise.algebra.address import AddressMap, Identity, XorFold
from bankwise.counting.access import BoolArray, IntArray
from bankwise.counting.conflict import count
from bankwise.hardware.machine import Instruction


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """One instruction's use of the tile.

    ``elements``: int64 [waves, lanes], the first element of every lane's access;
    ``span``: contiguous elements of the whole access (they must stay together);
    ``offset_bytes``: where in the access this instruction starts; ``weight``: executions.
    """

    instruction: Instruction
    elements: IntArray
    active: BoolArray
    span: int
    offset_bytes: int
    weight: int


@dataclass(frozen=True, slots=True)
class Found:
    """The winner: its weighted passes, those of the layout as it is, and the ideal.

    ``members`` is the number of maps tried.
    """

    address: AddressMap
    passes: int
    passes_before: int
    ideal: int
    members: int

    @property
    def helps(self) -> bool:
        """Whether the winner is better than the layout as it is."""
        return self.passes < self.passes_before


@dataclass(frozen=True, slots=True)
class Tile:
    """The shape that a fold has to respect: elements per row, in all, and bytes of an element."""

    row: int
    elements: int
    element_bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Elements that have to stay together although the map does not move their instruction.

    A direct-to-LDS copy writes in lane order whatever the map is; its units must not be split.
    ``elements``: int64 [...], first element of every unit; ``span``: elements of a unit.
    """

    elements: IntArray
    span: int


def best_fold(demands: Sequence[Demand], tile: Tile, fixed: Sequence[Piece] = ()) -> Found:
    """The XOR fold of ``tile`` with the least weighted passes over all ``demands``.

    ``fixed``: what must stay in one piece besides. Ties go to the fold with the fewest, simplest
    parameters; if no fold helps, to row-major.
    """
    joined = _join(demands)
    pieces = [Piece(d.elements[d.active], d.span) for d in demands] + list(fixed)
    element_bytes = tile.element_bytes
    before, ideal = _weigh(Identity(), joined, element_bytes)
    best, least, members = Identity(), before, 1  # type: tuple[AddressMap, int, int]
    for fold in sorted(folds(pieces, tile), key=_simplicity):
        members += 1
        passes, _ = _weigh(fold, joined, element_bytes)
        if passes < least:
            best, least = fold, passes
        if least == ideal:
            break
    return Found(best, least, before, ideal, members)


def weighted_passes(address: AddressMap, demands: Sequence[Demand], element_bytes: int) -> int:
    """The passes of all ``demands`` under a map, weighted, by counting."""
    return _weigh(address, _join(demands), element_bytes)[0]


def weighted_ideal(demands: Sequence[Demand], element_bytes: int) -> int:
    """The passes that all ``demands`` would take without any conflict, weighted."""
    return _weigh(Identity(), _join(demands), element_bytes)[1]


def folds(pieces: Sequence[Piece], tile: Tile) -> Iterator[XorFold]:
    """All folds of the family that keep every piece together and stay inside a row."""
    widest = max((p.span for p in pieces), default=1)
    unit = 1 << (widest - 1).bit_length()
    while unit < tile.row:
        if all(_together(p, unit) for p in pieces):
            yield from _widths(unit, tile)
        unit *= 2


def _widths(unit: int, tile: Tile) -> Iterator[XorFold]:
    width = unit * 2
    while width <= tile.row and tile.row % width == 0:
        yield from _phases(width, unit, tile)
        width *= 2


def _phases(width: int, unit: int, tile: Tile) -> Iterator[XorFold]:
    per_phase = 1
    while per_phase < tile.elements // tile.row:
        period = 2
        while period <= width // unit:
            fold = XorFold(width, unit, tile.row, per_phase, period)
            if not fold.legal(tile.elements):
                yield fold
            period *= 2
        per_phase *= 2


def _together(piece: Piece, unit: int) -> bool:
    return bool((piece.elements % unit + piece.span <= unit).all())


def _simplicity(fold: XorFold) -> tuple[int, int, int, int]:
    return (fold.per_phase, fold.unit, -fold.width, fold.period)


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    """All demands of one instruction, stacked: one count instead of many."""

    instruction: Instruction
    elements: IntArray
    active: BoolArray
    offset_bytes: IntArray
    weight: IntArray


def _join(demands: Sequence[Demand]) -> list[_Joined]:
    out = []
    for name in dict.fromkeys(d.instruction.name for d in demands):
        same = [d for d in demands if d.instruction.name == name]
        waves = [len(d.elements) for d in same]
        out.append(
            _Joined(
                same[0].instruction,
                np.concatenate([d.elements for d in same]),
                np.concatenate([d.active for d in same]),
                np.repeat([d.offset_bytes for d in same], waves)[:, None],
                np.repeat([d.weight for d in same], waves),
            )
        )
    return out


def _weigh(address: AddressMap, joined: Sequence[_Joined], element_bytes: int) -> tuple[int, int]:
    passes = ideal = 0
    for part in joined:
        offsets = address(part.elements) * element_bytes + part.offset_bytes
        result = count(part.instruction, offsets, part.active)
        passes += int((result.passes * part.weight).sum())
        ideal += int((result.ideal * part.weight).sum())
    return passes, ideal
