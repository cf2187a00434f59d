"""Distributions and memories given by the image of every index bit.

A *basis* is the step in coordinates that one index bit makes; the image of an index is the XOR of
the bases of its set bits. Lists of bases are written lowest bit first, as Triton writes them.
:func:`bankwise.notation.values.linear` and ``linear_memory`` hand both to the algebra.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

import numpy as np
from msgspec import Struct

from bankwise.algebra import f2
from bankwise.counting.access import IntArray
from bankwise.errors import InputError
from bankwise.notation.values import MAX_POINTS

Basis = tuple[int, ...]
Bases = tuple[Basis, ...]

_MAX_RANK = 16
"""tl.sort of 4,096 elements works on a tensor of rank 12."""


class LinearDistribution(Struct, frozen=True):
    """Which elements of a tensor every register of every lane of every wave holds.

    ``shape``: the tensor, powers of two. A zero basis makes copies (broadcast).
    """

    shape: tuple[int, ...]
    register_bases: Bases
    lane_bases: Bases
    wave_bases: Bases

    def __post_init__(self) -> None:
        check_shape(self.shape)
        bases = (*self.register_bases, *self.lane_bases, *self.wave_bases)
        assert all(len(basis) == len(self.shape) for basis in bases), "a basis of another rank"
        if 1 << len(bases) > MAX_POINTS:
            raise InputError(
                f"{self.registers} registers x {self.lanes} lanes x {self.waves} waves; "
                f"{MAX_POINTS} are the most looked at",
                hint="give the tile of one workgroup",
            )

    @property
    def waves(self) -> int:
        """Waves of the workgroup."""
        return 1 << len(self.wave_bases)

    @property
    def lanes(self) -> int:
        """Lanes of a wave."""
        return 1 << len(self.lane_bases)

    @property
    def registers(self) -> int:
        """Elements that every lane holds, copies included."""
        return 1 << len(self.register_bases)

    def coordinates(self) -> IntArray:
        """The coordinates of every element held: [waves, lanes, registers, rank]."""
        rank = len(self.shape)
        wave = images(self.wave_bases, rank)[:, None, None, :]
        lane = images(self.lane_bases, rank)[None, :, None, :]
        return wave ^ lane ^ images(self.register_bases, rank)[None, None, :, :]


class LinearMemory(Struct, frozen=True, dict=True):
    """Where the elements of a tile lie: the step in coordinates of every offset bit, then padding.

    ``shape`` may have dimensions in front of the bases' own: equal buffers, one after the other.
    ``paddings``: (interval, pad) in elements; offset o moves to ``o + sum(o // interval * pad)``,
    and no pad follows the last element. ``rank``: of the tile; without it, what the bases have.
    """

    shape: tuple[int, ...]
    bases: Bases
    paddings: tuple[tuple[int, int], ...] = ()
    rank: int | None = None

    def __post_init__(self) -> None:
        tile = self.tile
        check_shape(tile)
        if prod(self.shape) > MAX_POINTS:
            raise InputError(f"the shape {list(self.shape)} has more than {MAX_POINTS} elements")
        if f2.rank(packed(b, tile) for b in self.bases) != prod(tile).bit_length() - 1:
            raise InputError(f"the offset bases do not reach every element of {list(tile)}")

    @property
    def tile(self) -> tuple[int, ...]:
        """The shape of one buffer."""
        own = len(self.shape) if self.rank is None else self.rank
        rank = len(self.bases[0]) if self.bases else own
        return self.shape[len(self.shape) - rank :]

    @cached_property
    def size(self) -> int:
        """Elements spanned, padding included."""
        last = (prod(self._buffers) << len(self.bases)) - 1
        return last + sum(last // interval * pad for interval, pad in self.paddings) + 1

    @cached_property
    def bit_offsets(self) -> tuple[int, ...]:
        """The offset in its tile of every bit of an element's row-major number; no padding."""
        columns = [packed(basis, self.tile) for basis in self.bases]
        back = f2.inverse(columns)
        if back is not None:
            return back
        bits = range(prod(self.tile).bit_length() - 1)
        return tuple(f2.solve(columns, 1 << bit) or 0 for bit in bits)

    def plain_offset(self, number: int) -> int:
        """The offset in elements, but for padding, of the element with a row-major number in
        ``shape``. Of the XOR of two numbers it is the XOR of the offsets."""
        steps = self.bit_offsets
        inside = number & ((1 << len(steps)) - 1)
        return number >> len(steps) << len(self.bases) | f2.apply(steps, inside)

    def offsets(self, coordinates: IntArray) -> IntArray:
        """Offsets in elements of coordinates [..., rank]."""
        assert coordinates.shape[-1] == len(self.shape), "coordinates of another rank"
        extra = len(self._buffers)
        offset = np.zeros(coordinates.shape[:-1], np.int64)
        for axis, steps in enumerate(self._steps(), start=extra):
            for bit, step in enumerate(steps):
                offset ^= (coordinates[..., axis] >> bit & 1) * step
        scale = 1 << len(self.bases)
        for axis in reversed(range(extra)):
            offset += coordinates[..., axis] * scale
            scale *= self.shape[axis]
        return self.padded(offset)

    @property
    def _buffers(self) -> tuple[int, ...]:
        return self.shape[: len(self.shape) - len(self.tile)]

    def _steps(self) -> list[list[int]]:
        """The step in offset of every coordinate bit, by dimension of the tile."""
        axes = []
        for axis, size in enumerate(self.tile):
            low = prod(self.tile[axis + 1 :]).bit_length() - 1
            axes.append(list(self.bit_offsets[low : low + size.bit_length() - 1]))
        return axes

    def padded(self, offset: IntArray) -> IntArray:
        """Where offsets without padding come to lie."""
        total = offset.copy()
        for interval, pad in self.paddings:
            total += offset // interval * pad
        return total


def check_shape(shape: Sequence[int]) -> None:
    """Raise :class:`InputError` unless every size is a power of two and the tile not too large."""
    if not 1 <= len(shape) <= _MAX_RANK:
        raise InputError(f"a tensor of rank {len(shape)}; 1 to {_MAX_RANK} are read")
    for size in shape:
        if not is_power_of_two(size):
            raise InputError(
                f"a size of {size} in shape {list(shape)} is no power of two",
                hint="a linear layout moves whole index bits",
            )
    if prod(shape) > MAX_POINTS:
        raise InputError(f"the shape {list(shape)} has more than {MAX_POINTS} elements")


def packed(basis: Basis, shape: Sequence[int]) -> int:
    """Coordinates packed into one index, the last dimension lowest: the row-major offset."""
    index = 0
    for value, size in zip(basis, shape, strict=True):
        index = index * size + value
    return index


def images(bases: Bases, rank: int) -> IntArray:
    """The coordinates of all indices in order: [2^bits, rank]."""
    table = np.zeros((1, rank), np.int64)
    for basis in bases:
        table = np.concatenate([table, table ^ np.asarray(basis, np.int64)])
    return table


def is_power_of_two(value: int) -> bool:
    """1, 2, 4, 8, ..."""
    return value > 0 and value & (value - 1) == 0
