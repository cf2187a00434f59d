"""Address maps: where in shared memory an element of a tile lives.

A map sends an element's row-major offset (in elements, from the start of the allocation) to
another offset. It must be a bijection of the allocation, and every reader and writer must use the
same one: the kernel then computes the same, only the bank of each element changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bankwise.counting.access import IntArray


class AddressMap(Protocol):
    """Element offset to element offset, on whole arrays at once."""

    def __call__(self, offsets: IntArray) -> IntArray:
        """The new offset of each element, same shape."""
        ...


@dataclass(frozen=True, slots=True)
class Identity:
    """Row-major: every element stays where it is."""

    def __call__(self, offsets: IntArray) -> IntArray:
        """The offsets as they are."""
        return offsets

    def __str__(self) -> str:
        return "row-major"


@dataclass(frozen=True, slots=True)
class Padded:
    """Every row of ``row`` elements is followed by ``pad`` unused ones."""

    row: int
    pad: int

    def __call__(self, offsets: IntArray) -> IntArray:
        """Offsets in the wider rows."""
        return offsets + offsets // self.row * self.pad

    def __str__(self) -> str:
        return f"padded<row={self.row}, pad={self.pad}>"


@dataclass(frozen=True, slots=True)
class Run:
    """``(offset / divisor mod modulus) * factor``: a run of row bits folded into column bits."""

    divisor: int
    modulus: int
    factor: int

    def __call__(self, offsets: IntArray) -> IntArray:
        """The value of each offset, elements."""
        return offsets // self.divisor % self.modulus * self.factor


class RowFold(Protocol):
    """A map that keeps rows and XORs columns: what a rewriter can put into a last index.

    ``width``: the column moves inside groups of so many elements; ``unit``: elements that stay
    together; ``stride``: elements from row to row; ``runs``: what the column is XORed with.
    """

    @property
    def width(self) -> int:
        """Elements of a group inside which columns move."""
        ...

    @property
    def unit(self) -> int:
        """Elements that stay together."""
        ...

    @property
    def stride(self) -> int:
        """Elements from row to row."""
        ...

    @property
    def runs(self) -> tuple[Run, ...]:
        """What columns are XORed with."""
        ...

    def delta(self, offsets: IntArray) -> IntArray:
        """What each element's column is XORed with, elements."""
        ...

    def __call__(self, offsets: IntArray) -> IntArray:
        """The new offsets."""
        ...


@dataclass(frozen=True, slots=True)
class XorFold:
    """Fold row bits into column chunks: ``chunk' = chunk XOR ((row / per_phase) mod period)``.

    ``width``: elements in which chunks are exchanged; ``unit``: elements that stay together;
    ``stride``: elements from one row to the next. With ``period = width / unit`` this is IREE's
    ``xor_shuffle<width, unit, stride, per_phase>``; with ``per_phase = 1`` it is Wave's
    ``chunk XOR (row mod max_phase)``. It is its own inverse and, where :meth:`legal`, a bijection.
    """

    width: int
    unit: int
    stride: int
    per_phase: int = 1
    period: int = 2

    def __call__(self, offsets: IntArray) -> IntArray:
        """The folded offsets, elements."""
        chunk = offsets % self.width // self.unit
        return offsets + ((chunk ^ self.phase(offsets)) - chunk) * self.unit

    def phase(self, offsets: IntArray) -> IntArray:
        """The value each element's chunk number is XORed with."""
        return offsets // (self.stride * self.per_phase) % self.period

    def delta(self, offsets: IntArray) -> IntArray:
        """What each element's column is XORed with, elements."""
        return self.phase(offsets) * self.unit

    @property
    def runs(self) -> tuple[Run, ...]:
        """:meth:`delta` as one run of bits."""
        return (Run(self.stride * self.per_phase, self.period, self.unit),)

    def legal(self, elements: int) -> str:
        """Why this map is no bijection of ``elements`` elements; empty if it is one."""
        chunks = self.width // self.unit
        if self.width % self.unit or chunks & (chunks - 1):
            return f"{self.width} elements are no power of two of {self.unit}-element chunks"
        if self.period & (self.period - 1) or not 1 <= self.period <= chunks:
            return f"a period of {self.period} can leave the {chunks} chunks of a row"
        if self.stride % self.width:
            return f"rows of {self.stride} elements do not hold whole groups of {self.width}"
        if elements % self.width:
            return f"{elements} elements do not hold whole groups of {self.width}"
        return ""

    def __str__(self) -> str:
        return (
            f"xor<width={self.width}, unit={self.unit}, stride={self.stride}, "
            f"per_phase={self.per_phase}, period={self.period}>"
        )


@dataclass(frozen=True, slots=True)
class XorRuns:
    """Several runs of row bits folded into the columns of rows of ``stride`` elements."""

    stride: int
    runs: tuple[Run, ...]

    @property
    def unit(self) -> int:
        """Elements that stay together."""
        return min(run.factor for run in self.runs)

    @property
    def width(self) -> int:
        """The column moves inside groups of so many elements."""
        return max(run.modulus * run.factor for run in self.runs)

    def delta(self, offsets: IntArray) -> IntArray:
        """What each element's column is XORed with, elements."""
        result = np.zeros_like(offsets)
        for run in self.runs:
            result ^= run(offsets)
        return result

    def __call__(self, offsets: IntArray) -> IntArray:
        """The folded offsets, elements."""
        return offsets ^ self.delta(offsets)

    def __str__(self) -> str:
        folded = ", ".join(f"{r.divisor}:{r.modulus}:{r.factor}" for r in self.runs)
        return f"xor<stride={self.stride}, runs={folded}>"


@dataclass(frozen=True, slots=True)
class Rotated:
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


@dataclass(frozen=True, slots=True)
class Linear:
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


def is_bijection(address: AddressMap, elements: int) -> bool:
    """Whether the map permutes ``0 .. elements - 1``, by enumeration."""
    image = address(np.arange(elements))
    return bool((np.sort(image) == np.arange(elements)).all())
