"""Canonical layouts of a whole tile: the family of what wgmma, tcgen05 and TMA can address.

One dimension of the tile is contiguous, ``inner``. A mode cuts the tile into blocks of 8 rows of
one swizzled row each, and blocks follow one another either through the outer dimension first (what
a TMA box of all rows leaves) or through the inner one:

    outward     block (i / 8, j / R) at number  (j / R) * (outer / 8) + i / 8
    inward                                      (i / 8) * (inner / R) + j / R

with R elements in a swizzled row. Inside a block an element lies where a TMA box of 8 rows puts it
(:func:`bankwise.notation.cute.hopper.tma`). Descriptors follow from two steps: to the next 8 rows,
and to the next R elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from msgspec import Struct

from bankwise.counting.access import IntArray
from bankwise.errors import Refusal
from bankwise.notation.cute.hopper import (
    GROUP_BYTES,
    MODES,
    ROWS,
    Major,
    MatrixDescriptor,
    Mode,
    tma,
)
from bankwise.notation.cute.swizzle import memory

Order = Literal["outward", "inward"]
"""Which neighbour of a block comes next: the one along the outer dimension, or the inner one."""

DEPTH_BYTES = 32
"""What one matrix instruction of any type reads along K."""

_ATOMS = {"none": "INTER", "32B": "SW32", "64B": "SW64", "128B": "SW128"}
_LEFT: dict[Major, Order] = {"K": "outward", "MN": "inward"}
"""The order that walks M or N first, CuTe's default."""


class CanonicalLayout(Struct, frozen=True):
    """``outer`` x ``inner`` elements in blocks of 8 x ``row``, both multiples of these."""

    mode: Mode
    element_bits: int
    outer: int
    inner: int
    row: int
    order: Order = "outward"

    @property
    def row_bytes(self) -> int:
        """Of one swizzled row: a core matrix has 16, a box row of TMA as many."""
        return self.row * self.element_bits // 8

    @property
    def steps(self) -> tuple[int, int]:
        """Elements to the next 8 rows of the outer dimension, and to the next row's length."""
        block = ROWS * self.row
        if self.order == "outward":
            return block, self.outer // ROWS * block
        return self.inner // self.row * block, block

    def __call__(self, outer: IntArray, inner: IntArray) -> IntArray:
        """Offsets in elements of elements (outer, inner)."""
        down, along = self.steps
        box = tma(self.mode.name, ROWS, self.row, self.element_bits)
        assert not isinstance(box, Refusal), "asked before"
        block = memory(box)
        assert not isinstance(block, Refusal), "groups of 16 bytes are whole elements"
        inside = np.stack(np.broadcast_arrays(outer % ROWS, inner % self.row), axis=-1)
        places = outer // ROWS * down + inner // self.row * along + block.offsets(inside)
        return np.asarray(places, np.int64)

    def descriptor(self, major: Major, start_bytes: int = 0) -> MatrixDescriptor:
        """The descriptor of one operand; K-major where the inner dimension is K."""
        down, along = (step * self.element_bits // 8 for step in self.steps)
        swizzled = bool(self.mode.swizzle.bits)
        if major == "K":
            leading, stride = (GROUP_BYTES if swizzled else along), down
        else:
            leading, stride = (along, down) if swizzled else (down, along)
        return MatrixDescriptor(start_bytes, leading, stride, self.mode.field)

    def starts(self, major: Major) -> tuple[int, ...]:
        """The start address of the operand of each matrix instruction along K, bytes."""
        down, along = (step * self.element_bits // 8 for step in self.steps)
        if major == "K":
            pieces = range(0, self.inner * self.element_bits // 8, DEPTH_BYTES)
            if not self.mode.swizzle.bits:
                return tuple(piece // GROUP_BYTES * along for piece in pieces)
            return tuple(p // self.row_bytes * along + p % self.row_bytes for p in pieces)
        depth = DEPTH_BYTES * 8 // self.element_bits
        return tuple(k // ROWS * down for k in range(0, self.outer, depth))

    def atom_text(self, major: Major, space: str, element: str) -> str:
        """CuTe's name of the block, ``GMMA::Layout_K_SW128_Atom<half_t>``."""
        return f"{space}::Layout_{major}_{_ATOMS[self.mode.name]}_Atom<{element}>"

    def tiled_text(self, major: Major, space: str, element: str) -> str:
        """The whole tile in CuTe's words, M or N by K."""
        shape = (self.outer, self.inner) if major == "K" else (self.inner, self.outer)
        order = "" if self.order == _LEFT[major] else ", Step<_2, _1>{}"
        sizes = ", ".join(f"_{size}" for size in shape)
        atom = self.atom_text(major, space, element)
        return f"tile_to_shape({atom}{{}}, Shape<{sizes}>{{}}{order})"


def canonical_layouts(
    outer: int, inner: int, element_bits: int, *, operand: bool
) -> Iterator[CanonicalLayout | tuple[Mode, str]]:
    """Every canonical layout of a tile; a mode that it has no room for, with the reason.

    ``operand``: a matrix instruction reads the tile, so that rows without a swizzle have 16 bytes;
    else they are whole rows of the tile, which TMA fills as they are.
    """
    if outer % ROWS:
        yield from ((mode, f"{outer} rows are no multiple of {ROWS}") for mode in MODES.values())
        return
    for mode in MODES.values():
        plain = not mode.swizzle.bits and not operand
        row = inner if plain else mode.span_bytes * 8 // element_bits
        if inner % row:
            have = inner * element_bits // 8
            yield mode, f"rows of {have} bytes are no multiple of its {mode.span_bytes}"
            continue
        yield CanonicalLayout(mode, element_bits, outer, inner, row)
        if inner > row and outer > ROWS:
            yield CanonicalLayout(mode, element_bits, outer, inner, row, "inward")
