"""What an edit of C++ text says it does to an array: a map, by definition, and its laws.

The proof (:mod:`bankwise.change.cxx.prove`) compares new indices with this.
"""

from __future__ import annotations

from math import lcm

import numpy as np
from msgspec import Struct

from bankwise.algebra.address import Fold
from bankwise.counting.access import IntArray
from bankwise.read.cxx.sizes import ArraySize

MOST_ROWS = 4096
MOST_COLUMNS = 1 << 16
MOST = 1 << 22
"""Rows, columns and elements that are tried."""


class ArrayClaim(Struct, frozen=True):
    """The map that an edit says it applies to an array. ``number``: among those of the text;
    ``sizes``: in each kernel that has it. ``folds``: XORs of chunks of ``unit`` with the number of
    the row divided by ``divisor``, modulo ``phases``; or a ``pad`` behind every row; ``typed``: the
    array's type says it. ``row``: elements of a row of one dimension, where a pad stands behind
    each. ``columns``: elements of a row, where chunks and divisors are of the
    number of the element in all rows, as in one dimension; 0 where no element leaves its row.
    ``constant``: what its last extent calls the constant that became ``pad`` more, where the text
    of it says so."""

    number: int
    name: str
    folds: tuple[Fold, ...]
    pad: int
    sizes: tuple[ArraySize, ...]
    typed: bool = False
    columns: int = 0
    row: int = 0
    constant: str = ""

    @property
    def map(self) -> tuple[object, ...]:
        """What arrays that one function is given have to have in common."""
        return self.folds, self.pad, self.columns, self.row


def aligned(claim: ArrayClaim, size: ArraySize) -> str:
    """Why a pointer that begins inside an array may count otherwise than the array itself."""
    row = 1 if size.flat or claim.columns else size.columns
    whole = lcm(period(claim) * row, *(fold.block for fold in claim.folds))
    return begins_inside(size, whole) if size.aligned % whole else ""


def begins_inside(size: ArraySize, whole: int) -> str:
    """Why the index of a pointer into an array is not enough for a map that repeats every ``whole``
    elements."""
    known = f"{size.aligned:,} elements on or a multiple of that"
    where = known if size.aligned > 1 else "at any element, as far as the text tells"
    constant = f"; if it begins a constant multiple of {whole:,} on (no argument's), it does"
    return (
        f"a pointer begins inside it, {where}, and the swizzle repeats every {whole:,}: the index "
        f"behind the pointer does not tell the row{constant * (size.aligned == 1)}"
    )


def keeps(claim: ArrayClaim, size: ArraySize) -> str:
    """Why a map is no permutation of every row that keeps units; empty if it is. Of all rows
    together, where it crosses them."""
    columns, unit = size.extents[-1], -(-size.kept_bytes // size.element_bytes)
    crosses = bool(claim.columns)
    if crosses and (claim.columns != columns or len(size.extents) < 2 or claim.typed):
        return f"its rows are not {claim.columns} long"
    rows = period(claim) if len(size.extents) > 1 and not crosses else 1
    if rows > MOST_ROWS or columns > MOST_COLUMNS or not columns:
        return "the map is too large to be tried"
    told = size.extents[-2] * (columns if crosses else 1) if len(size.extents) > 1 else 0
    if len(size.extents) > 2 and told % period(claim):
        return "the map reads more than the number of a row"
    if crosses and not 0 < told <= MOST:
        return "how many rows it has is not known"
    among = told if crosses else columns
    column = np.broadcast_to(np.arange(among), (rows, among))
    row = np.arange(rows)[:, None] if len(size.extents) > 1 and not crosses else column
    moved = mapped(claim, row, column)
    if not (np.sort(moved, axis=1) == np.arange(among)).all():
        return "the map is no permutation of its rows"
    if columns % unit:
        return f"rows of {columns} are no groups of {unit}"
    grouped = moved.reshape(rows, -1, unit)
    kept = grouped - grouped[..., :1] == np.arange(unit)
    return "" if kept.all() and not (grouped[..., 0] % unit).any() else f"groups of {unit} part"


def period(claim: ArrayClaim) -> int:
    """How many rows, or elements, the map tells apart: a multiple of the periods of its folds."""
    return lcm(*(fold.divisor * fold.phases for fold in claim.folds))


def mapped(claim: ArrayClaim, row: IntArray, column: IntArray) -> IntArray:
    """New columns by definition: chunk XOR (row / divisor mod phases), fold after fold."""
    for fold in claim.folds:
        chunk = column // fold.unit ^ row // fold.divisor % fold.phases
        column = chunk * fold.unit + column % fold.unit
    return np.asarray(column)


def placed(claim: ArrayClaim, size: ArraySize, row: IntArray, byte: IntArray) -> IntArray:
    """The new byte of a row, or of the whole array, that an index means."""
    column, rest = byte // size.element_bytes, byte % size.element_bytes
    return mapped(claim, row, column) * size.element_bytes + rest


def across(claim: ArrayClaim, size: ArraySize, byte: IntArray) -> IntArray:
    """The same, of an index that counts on over rows."""
    if claim.columns:
        return placed(claim, size, byte // size.element_bytes, byte)
    row_bytes = (claim.row or size.columns) * size.element_bytes
    row, inside = byte // row_bytes, byte % row_bytes
    longer = row_bytes + claim.pad * size.element_bytes
    return row * longer + placed(claim, size, row, inside)
