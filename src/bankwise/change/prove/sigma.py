"""The claimed map on affine forms, and that it is a bijection of an allocation."""

from __future__ import annotations

import numpy as np

from bankwise.algebra.address import Fold, RowFolds
from bankwise.change.prove.bitwise import exclusive_or
from bankwise.change.prove.claim import MapClaim
from bankwise.change.prove.division import divided, floor_divided, modulo
from bankwise.change.prove.forms import (
    AffineForm,
    SymbolTable,
    added,
    constant,
    inside,
    less,
    scaled,
)
from bankwise.notation.padding import PaddedFold


class MapError(Exception):
    """The map has no proved value here; the message says why, ``form`` of what."""

    def __init__(self, reason: str, form: AffineForm | None = None) -> None:
        super().__init__(reason)
        self.form = form


def check_bijection(claim: MapClaim, elements: int) -> None:
    """Raise :class:`MapError` unless the map permutes the elements of an allocation in use.

    ``elements``: how many it has in the text before. Of padded rows that lose their padding, those
    of the shorter rows are permuted.
    """
    rows = claim.unpadded
    if rows is not None:
        if not 0 < rows.row < rows.pitch or elements % rows.pitch:
            raise MapError(f"{elements} elements are no whole rows of {rows.pitch}")
        elements = elements // rows.pitch * rows.row
    offsets = np.arange(elements, dtype=np.int64)
    image = offsets if claim.fold is None else claim.fold(offsets)
    if not np.array_equal(np.sort(image), offsets):
        raise MapError(f"{claim.fold} is no bijection of {elements} elements")


def image(table: SymbolTable, claim: MapClaim, offset: AffineForm) -> AffineForm:
    """Where the map puts an element; ``offset`` is that of the text before."""
    if claim.unpadded is not None:
        row, column = divided(table, offset, claim.unpadded.pitch)
        if not inside(column, 0, claim.unpadded.row):
            raise MapError("it may lie in the padding that is gone", column)
        offset = added(scaled(row, claim.unpadded.row), column)
    if isinstance(claim.fold, PaddedFold):
        return _padded(table, claim.fold, offset)
    for fold in claim.fold.folds if claim.fold is not None else ():
        offset = folded(table, fold, offset)
    return offset


def source(table: SymbolTable, folds: RowFolds, slot: AffineForm) -> AffineForm:
    """The element that the map puts into a slot: its folds undone, the last one first."""
    for fold in reversed(folds.folds):
        slot = folded(table, fold, slot)
    return slot


def folded(table: SymbolTable, fold: Fold, offset: AffineForm) -> AffineForm:
    """One fold; see :class:`bankwise.algebra.address.Fold`."""
    chunk, inner = divided(table, offset, fold.unit)
    phase = modulo(table, floor_divided(table, offset, fold.divisor), fold.phases)
    return added(scaled(exclusive_or(table, chunk, phase), fold.unit), inner)


def _padded(table: SymbolTable, fold: PaddedFold, offset: AffineForm) -> AffineForm:
    """A fold inside the used columns of padded rows."""
    column = modulo(table, offset, fold.row)
    if inside(column, fold.fold.row, fold.row):
        return offset
    if not inside(column, 0, fold.fold.row):
        raise MapError("it may lie in the padding of its row", column)
    delta = constant(0)
    for each in fold.folds:
        phase = modulo(table, floor_divided(table, offset, each.divisor), each.phases)
        delta = exclusive_or(table, delta, scaled(phase, each.unit))
    return added(less(offset, column), exclusive_or(table, column, delta))


def unit_kept(claim: MapClaim) -> int:
    """Elements that stay together wherever their offset is a multiple of as many; 1 if unknown."""
    folds = claim.fold
    if claim.unpadded is not None or isinstance(folds, PaddedFold):
        return 1
    if folds is None:
        return 1
    unit = min(fold.unit for fold in folds.folds)
    whole = all(fold.unit % unit == fold.divisor % unit == 0 for fold in folds.folds)
    return unit if whole else 1
