"""Address maps: where in shared memory an element of a tile lives.

A map sends an element's row-major offset (in elements, from the start of the allocation) to
another offset. It must be a bijection of the allocation, and every reader and writer must use the
same one: the kernel then computes the same, only the bank of each element changes.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from msgspec import Struct

from bankwise.counting.access import IntArray


class AddressMap(Protocol):
    """Element offset to element offset, on whole arrays at once."""

    def __call__(self, offsets: IntArray) -> IntArray:
        """The new offset of each element, same shape."""
        ...

    def __hash__(self) -> int:
        """Maps are values: what is known of one is remembered."""
        ...


class Identity(Struct, frozen=True):
    """Row-major: every element stays where it is."""

    def __call__(self, offsets: IntArray) -> IntArray:
        """The offsets as they are."""
        return offsets

    def __str__(self) -> str:
        return "row-major"


class Padded(Struct, frozen=True):
    """Every row of ``row`` elements is followed by ``pad`` unused ones."""

    row: int
    pad: int

    def __call__(self, offsets: IntArray) -> IntArray:
        """Offsets in the wider rows."""
        return offsets + offsets // self.row * self.pad

    def __str__(self) -> str:
        return f"padded<row={self.row}, pad={self.pad}>"


class Fold(Struct, frozen=True):
    """A field of the offset XORed into another: what most frameworks' swizzles are.

    With the offset x cut into chunks of ``unit``,

        chunk(x)  becomes  chunk(x) XOR ((x / divisor) mod phases)

    all in elements. It is its own inverse, and a bijection of whole blocks, where the divisor is
    whole blocks. A unit above the divisor folds low bits into high ones; then all three are powers
    of two.
    """

    divisor: int
    unit: int
    phases: int

    @property
    def block(self) -> int:
        """Elements inside which chunks are exchanged."""
        return self.unit << (self.phases - 1).bit_length()

    @property
    def binary(self) -> bool:
        """Whether bits are folded into bits: then the map is linear over F2."""
        divisor, unit, phases = self.divisor, self.unit, self.phases
        return not (divisor & (divisor - 1) or unit & (unit - 1) or phases & (phases - 1))

    def phase(self, offsets: IntArray) -> IntArray:
        """The value each element's chunk number is XORed with."""
        return offsets // self.divisor % self.phases

    def delta(self, offsets: IntArray) -> IntArray:
        """What each element's column is XORed with, where chunks are a power of two: elements."""
        return self.phase(offsets) * self.unit

    def __call__(self, offsets: IntArray) -> IntArray:
        """The folded offsets, elements."""
        chunk = offsets // self.unit
        return offsets + ((chunk ^ self.phase(offsets)) - chunk) * self.unit

    def address(self, elements: int) -> Linear | Fold:
        """The map on a tile of so many elements: by its bases where it is linear."""
        if not self.binary:
            return self
        places = (n.bit_length() - 1 for n in (self.divisor, self.unit, self.phases))
        return folded((elements - 1).bit_length(), *places)

    def text(self, width: int, row: int) -> str:
        """The map in numbers; in rows of ``row`` elements, whose groups of ``width`` it keeps."""
        return (
            f"xor<width={width}, unit={self.unit}, stride={row}, "
            f"per_phase={self.divisor // row}, period={self.phases}>"
        )

    def __str__(self) -> str:
        return self.text(self.block, self.divisor)


class RowFolds(Struct, frozen=True):
    """Folds of row numbers into columns, in rows of ``row`` elements.

    That is what a rewriter can put into a last index, since rows stay where they are. Several
    folds have powers of two alone, and each reads what none changes.
    """

    row: int
    folds: tuple[Fold, ...]

    @property
    def unit(self) -> int:
        """Elements that stay together."""
        return min(fold.unit for fold in self.folds)

    @property
    def block(self) -> int:
        """The column moves inside groups of so many elements."""
        return max(fold.block for fold in self.folds)

    @property
    def binary(self) -> bool:
        """Whether the map is linear over F2."""
        return all(fold.binary for fold in self.folds)

    def delta(self, offsets: IntArray) -> IntArray:
        """What each element's column is XORed with, elements."""
        result = np.zeros_like(offsets)
        for fold in self.folds:
            result ^= fold.delta(offsets)
        return result

    def __call__(self, offsets: IntArray) -> IntArray:
        """The folded offsets, elements."""
        for fold in self.folds:
            offsets = fold(offsets)
        return offsets

    def __str__(self) -> str:
        if len(self.folds) > 1:
            runs = ", ".join(f"{f.divisor}:{f.phases}:{f.unit}" for f in self.folds)
            return f"xor<stride={self.row}, runs={runs}>"
        (fold,) = self.folds
        chunks = self.row // fold.unit
        return fold.text(fold.unit * (chunks & -chunks), self.row)


class Rotated(Struct, frozen=True):
    """Rows of ``row`` elements, rotated: row m by ``unit * (m // per)`` elements."""

    row: int
    unit: int
    per: int = 1

    def __call__(self, offsets: IntArray) -> IntArray:
        """The rotated offsets, elements."""
        row, column = offsets // self.row, offsets % self.row
        return offsets - column + (column + row // self.per * self.unit) % self.row

    def __str__(self) -> str:
        return f"rotated<row={self.row}, unit={self.unit}, per={self.per}>"


class Linear(Struct, frozen=True):
    """Bit i of the row-major offset moves ``bases[i]``; the images of a sum add up by XOR.

    A bijection of 2^len(bases) elements when the bases are independent.
    """

    bases: tuple[int, ...]

    def __call__(self, offsets: IntArray) -> IntArray:
        """The offsets under the map, elements."""
        image = np.zeros_like(offsets)
        for i, base in enumerate(self.bases):
            image ^= (offsets >> i & 1) * base
        return image

    def __str__(self) -> str:
        return f"linear<{', '.join(map(str, self.bases))}>"


def folded(bits: int, source: int, target: int, count: int) -> Linear:
    """The map that folds ``count`` offset bits from ``source`` on into those from ``target`` on."""
    bases = [1 << i for i in range(bits)]
    for step in range(count):
        bases[source + step] ^= 1 << target + step
    return Linear(tuple(bases))


def keeps_runs(address: AddressMap, length: int) -> bool:
    """Whether ``length`` elements from a multiple of it on stay in a row and in order, as far as
    the form of the map tells: False for one that nobody looked at."""
    match address:
        case Identity():
            return True
        case Padded(row=row):
            return row % length == 0
        case Rotated(row=row, unit=unit):
            return row % length == unit % length == 0
        case Fold(divisor=divisor, unit=unit):
            return divisor % length == unit % length == 0
        case RowFolds(folds=folds):
            return all(keeps_runs(fold, length) for fold in folds)
        case Linear(bases=bases) if length & (length - 1) == 0:
            low = length.bit_length() - 1
            inside = bases[:low] == tuple(1 << i for i in range(low))
            return inside and not any(base % length for base in bases[low:])
    return False


def is_bijection(address: AddressMap, elements: int) -> bool:
    """Whether the map permutes ``0 .. elements - 1``, by enumeration."""
    image = address(np.arange(elements))
    return bool((np.sort(image) == np.arange(elements)).all())
