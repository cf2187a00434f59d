"""From a shared encoding and a shape to where in shared memory an element lies.

A memory descriptor may have one dimension more than its encoding: that many buffers, one after
the other. Padding then runs over all of them.

Checked against the bases that Triton 3.9.0 gives (tests/data/triton_golden.json) and, padding and
rotation included, against the addresses that it emits (tests/data/triton_addresses.json).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import assert_never

import numpy as np
from msgspec import Struct

from bankwise.counting.access import IntArray
from bankwise.errors import InputError
from bankwise.notation.linear import Bases, Basis, LinearMemory, check_shape, packed
from bankwise.notation.triton.encodings import (
    NvmmaShared,
    PaddedShared,
    Shared,
    SharedLinear,
    SwizzledShared,
)

_NVMMA_ROWS = 8


def memory(encoding: Shared, shape: Sequence[int]) -> LinearMemory:
    """Where the elements of a tile of this shape lie.

    Raises :class:`InputError` where the encoding does not fit the shape.
    """
    return _memory(encoding, tuple(shape))


@lru_cache(maxsize=1024)
def _memory(encoding: Shared, shape: tuple[int, ...]) -> LinearMemory:
    extra = len(shape) - encoding.rank
    if extra not in (0, 1):
        raise InputError(f"{encoding} has rank {encoding.rank}, the tile {list(shape)} has not")
    tile = shape[extra:]
    check_shape(tile)
    paddings = encoding.paddings if isinstance(encoding, PaddedShared) else ()
    return LinearMemory(shape, bases_of(encoding, tile), paddings, encoding.rank)


class Encoded(Struct, frozen=True):
    """A shared encoding as a map of the row-major offsets of its tile."""

    encoding: Shared
    tile: tuple[int, ...]

    def __call__(self, offsets: IntArray) -> IntArray:
        """The offset of each element, elements."""
        coordinates = np.stack(np.unravel_index(offsets, self.tile), axis=-1)
        return memory(self.encoding, self.tile).offsets(coordinates)

    def __str__(self) -> str:
        return str(self.encoding)


def bases_of(encoding: Shared, tile: tuple[int, ...]) -> Bases:
    """The step in coordinates of every offset bit, before padding. Nobody looked yet whether they
    reach every element. Raises :class:`InputError` where the encoding does not fit the tile."""
    match encoding:
        case SwizzledShared():
            return _swizzled(encoding, tile)
        case NvmmaShared():
            return _nvmma(encoding, tile)
        case PaddedShared(order=order) if order:
            if encoding.shape != tile:
                raise InputError(f"{encoding} is for {list(encoding.shape)}, not {list(tile)}")
            return tuple(basis for dim in order for basis in _steps(dim, 1, tile[dim], tile))
        case PaddedShared() | SharedLinear():
            return _explicit(encoding, tile)
        case _:
            assert_never(encoding)


def _explicit(x: PaddedShared | SharedLinear, tile: tuple[int, ...]) -> Bases:
    outside = [b for b in x.offset if any(v >= n for v, n in zip(b, tile, strict=True))]
    if outside:
        raise InputError(f"the basis {list(outside[0])} leads out of the tile {list(tile)}")
    if len(x.offset) != prod(tile).bit_length() - 1:
        raise InputError(f"{len(x.offset)} offset bases do not number the tile {list(tile)}")
    return x.offset


def _swizzled(x: SwizzledShared, tile: tuple[int, ...]) -> Bases:
    if x.rank == 1:
        return _steps(0, 1, tile[0], tile)
    column, row = x.order[0], x.order[1]
    bases = list(_steps(column, 1, tile[column], tile))
    for step in _steps(row, 1, tile[row], tile):
        fold = x.vec * _phase(x, step[row]) % tile[column]
        bases.append(tuple(fold if d == column else v for d, v in enumerate(step)))
    for dim in x.order[2:]:
        bases += _steps(dim, 1, tile[dim], tile)
    return tuple(bases)


def _phase(x: SwizzledShared, row: int) -> int:
    """The number that the column groups of a row are XORed with."""
    phase = row // x.per_phase % x.max_phase
    if x.rotating:
        phase ^= row // (x.per_phase * x.max_phase) % x.max_phase
    return phase


def _nvmma(x: NvmmaShared, tile: tuple[int, ...]) -> Bases:
    if x.rank == 2:
        return _nvmma_matrix(x, tile)
    matrix = (prod(tile[:-1]), tile[-1])
    numbers = (packed(basis, matrix) for basis in _nvmma_matrix(x, matrix))
    return tuple(tuple(int(v) for v in np.unravel_index(n, tile)) for n in numbers)


def _nvmma_matrix(x: NvmmaShared, tile: tuple[int, ...]) -> Bases:
    column, row = (0, 1) if x.transposed else (1, 0)
    if x.swizzling_byte_width == 0:
        return (*_steps(column, 1, tile[column], tile), *_steps(row, 1, tile[row], tile))
    width = 8 * x.swizzling_byte_width // x.element_bit_width
    if x.fp4_padded:
        width //= 2
    if tile[row] < _NVMMA_ROWS or tile[column] < width:
        raise InputError(
            f"{x} needs {_NVMMA_ROWS} rows of {width} columns at least, not {list(tile)}",
            hint="use a smaller swizzlingByteWidth",
        )
    inside = list(_steps(column, 1, width, tile))
    if x.fp4_padded:
        inside.insert(3, (0,) * len(tile))
    folded = [_nvmma_row(x, step, row, column) for step in _steps(row, 1, _NVMMA_ROWS, tile)]
    outer = _steps(row, _NVMMA_ROWS, tile[row], tile)
    return (*inside, *folded, *outer, *_steps(column, width, tile[column], tile))


def _nvmma_row(x: NvmmaShared, step: Basis, row: int, column: int) -> Basis:
    """One row step of the 8-row tile: the XOR of a 16-byte group of columns goes with it."""
    group = 128 // x.element_bit_width // (2 if x.fp4_padded else 1)
    per_phase, phases = 128 // x.swizzling_byte_width, x.swizzling_byte_width // 16
    fold = group * (step[row] // per_phase % phases)
    return tuple(fold if d == column else v for d, v in enumerate(step))


def _steps(dim: int, first: int, size: int, tile: tuple[int, ...]) -> Bases:
    """The bases first, 2 * first, .. below size along one dimension."""
    out, step = [], first
    while step < size:
        out.append(tuple(step if d == dim else 0 for d in range(len(tile))))
        step *= 2
    return tuple(out)
