"""What every notation means: who holds which element of a tile, and where an element lies.

A tile is a box of elements with integer coordinates. Two questions are all that bank conflicts
depend on, and every framework answers them in its own words:

* a :class:`Distribution`: wave w, lane l, register r hold the element with coordinates ...
  (CK ``tile_distribution_encoding``, Triton ``#blocked``, IREE ``nested_layout``, MFMA operands);
* a :class:`Memory`: the element with these coordinates lies at the offset ... (CK tensor
  descriptors, Triton ``#shared``, IREE ``xor_shuffle``, CuTe layouts).

Nothing needs to be linear or a power of two. Where it is, :func:`linear` and
:func:`linear_memory` hand it to the algebra, verified on every point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Protocol

import numpy as np
from msgspec import Struct

from bankwise.algebra.address import AddressMap
from bankwise.algebra.layout import Dimensions, Layout, from_function, size, table
from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.identity import ByIdentity

MAX_POINTS = 1 << 24
"""Largest tile, or distribution, that is looked at point by point."""


class Distribution(Protocol):
    """Who holds which element. ``shape``: of the tile, in elements; the last axis is the fastest.

    ``registers``: elements held by one lane of one of the ``waves`` of ``lanes`` lanes.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """The tile, in elements."""
        ...

    @property
    def waves(self) -> int:
        """Waves that share the tile."""
        ...

    @property
    def lanes(self) -> int:
        """Lanes of a wave."""
        ...

    @property
    def registers(self) -> int:
        """Elements per lane."""
        ...

    def coordinates(self) -> IntArray:
        """Element coordinates, int64 [waves, lanes, registers, rank]; replicas are equal rows."""
        ...


class Memory(Protocol):
    """Where an element lies. ``shape``: of the tile, in elements."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The tile, in elements."""
        ...

    @property
    def size(self) -> int:
        """Elements from the first to behind the last one, padding included."""
        ...

    def offsets(self, coordinates: IntArray) -> IntArray:
        """Offsets in elements, [...], of the elements at ``coordinates``, [..., rank]."""
        ...


class DistributionTable(ByIdentity, frozen=True, eq=False):
    """A distribution written out: ``table`` is int64 [waves, lanes, registers, rank]."""

    shape: tuple[int, ...]
    table: IntArray

    @property
    def waves(self) -> int:
        """Waves that share the tile."""
        return int(self.table.shape[0])

    @property
    def lanes(self) -> int:
        """Lanes of a wave."""
        return int(self.table.shape[1])

    @property
    def registers(self) -> int:
        """Elements per lane."""
        return int(self.table.shape[2])

    def coordinates(self) -> IntArray:
        """The table."""
        return self.table


class MemoryTable(ByIdentity, frozen=True, eq=False):
    """A memory layout written out: ``table`` holds the offset of every element of the tile."""

    table: IntArray
    size: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The tile, in elements."""
        return tuple(self.table.shape)

    def offsets(self, coordinates: IntArray) -> IntArray:
        """Offsets looked up in the table."""
        found: IntArray = self.table[tuple(np.moveaxis(coordinates, -1, 0))]
        return found


class Mapped(Struct, frozen=True):
    """A row-major tile seen through an address map on flat offsets
    (:mod:`bankwise.algebra.address`)."""

    shape: tuple[int, ...]
    address: AddressMap

    @property
    def size(self) -> int:
        """Elements up to behind the furthest one."""
        limit(f"a tile of {self.shape}", prod(self.shape))
        return int(self.address(np.arange(prod(self.shape))).max(initial=-1)) + 1

    def offsets(self, coordinates: IntArray) -> IntArray:
        """The mapped row-major offsets."""
        flat = np.zeros(coordinates.shape[:-1], np.int64)
        for axis, length in enumerate(self.shape):
            flat = flat * length + coordinates[..., axis]
        return self.address(flat)


class Collision(Struct, frozen=True):
    """Two elements that a memory layout puts at one offset: it holds only one of them."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    offset: int

    def __str__(self) -> str:
        return f"elements {self.first} and {self.second} both lie at offset {self.offset}"


def limit(what: str, count: int) -> None:
    """Raise :class:`InputError` for more points than are ever looked at."""
    if count > MAX_POINTS:
        raise InputError(f"{what} has {count} points; {MAX_POINTS} are the most looked at")


def points(shape: Sequence[int]) -> IntArray:
    """The coordinates of all elements of a tile, int64 [elements, rank], row-major."""
    limit(f"a tile of {tuple(shape)}", prod(shape))
    axes = np.indices(tuple(shape), dtype=np.int64)
    return axes.reshape(len(shape), -1).T


def tabulate(memory: Memory) -> MemoryTable:
    """The offsets of all elements, written out."""
    offsets = memory.offsets(points(memory.shape)).reshape(memory.shape)
    return MemoryTable(offsets, memory.size)


def same(a: Distribution, b: Distribution) -> bool:
    """Whether two distributions give every register of every lane the same element."""
    return a.shape == b.shape and np.array_equal(a.coordinates(), b.coordinates())


def same_memory(a: Memory, b: Memory) -> bool:
    """Whether two memory layouts put every element of the tile at the same offset."""
    if a.shape != b.shape:
        return False
    everything = points(a.shape)
    return np.array_equal(a.offsets(everything), b.offsets(everything))


def collision(memory: Memory) -> Collision | None:
    """Two elements at one offset, the ones that come first row-major; None for an injection."""
    everything = points(memory.shape)
    offsets = memory.offsets(everything)
    order = np.argsort(offsets, kind="stable")
    equal = np.flatnonzero(np.diff(offsets[order]) == 0)
    if not equal.size:
        return None
    at = int(equal[np.argmin(order[equal + 1])])
    first, second = (tuple(int(c) for c in everything[order[i]]) for i in (at, at + 1))
    return Collision(first, second, int(offsets[order[at]]))


def axis_names(rank: int) -> tuple[str, ...]:
    """The names of coordinates in linear layouts: n; m, n; and a, b, c, ... from three on."""
    assert 0 < rank <= 26, rank
    return ("m", "n")[-rank:] if rank <= 2 else tuple("abcdefghijklmnopqrstuvwxyz"[:rank])


def linear(distribution: Distribution, names: Sequence[str] = ()) -> Layout | Refusal:
    """(reg, lane, wave) to coordinates as a linear layout; a Refusal if it is none.

    Exact: compared on every register of every lane. ``names``: of the coordinates, in the order
    of ``shape`` (default :func:`axis_names`); the last one is the lowest in the layout.
    """
    sizes = (distribution.registers, distribution.lanes, distribution.waves)
    inputs = _dimensions(("reg", "lane", "wave"), sizes)
    outputs = _coordinate_dimensions(distribution.shape, names)
    if isinstance(inputs, Refusal):
        return inputs
    if isinstance(outputs, Refusal):
        return outputs
    held = distribution.coordinates()
    if (held < 0).any() or (held >= distribution.shape).any():
        return Refusal("a register holds a place outside the tile")

    def element(reg: IntArray, lane: IntArray, wave: IntArray) -> dict[str, IntArray]:
        found = held[wave, lane, reg]
        return {name: found[..., -1 - i] for i, (name, _) in enumerate(outputs)}

    return _linear(inputs, outputs, element)


def linear_memory(memory: Memory, names: Sequence[str] = ()) -> Layout | Refusal:
    """Coordinates to (offset) in elements as a linear layout; a Refusal if it is none.

    Exact: compared on every element. ``names`` as for :func:`linear`.
    """
    inputs = _coordinate_dimensions(memory.shape, names)
    if isinstance(inputs, Refusal):
        return inputs
    order = [name for name, _ in reversed(inputs)]

    def offset(**index: IntArray) -> dict[str, IntArray]:
        return {"offset": memory.offsets(np.stack([index[name] for name in order], axis=-1))}

    bits = max(memory.size - 1, 0).bit_length()
    return _linear(inputs, (("offset", bits),), offset)


def from_linear(layout: Layout) -> DistributionTable:
    """The distribution of a layout from (reg, lane, wave) to coordinates; :func:`linear` undone."""
    known = dict(layout.inputs)
    if set(known) - {"reg", "lane", "wave"}:
        raise InputError(f"a distribution maps reg, lane and wave: not {', '.join(known)}")
    sizes = [1 << known.get(name, 0) for name in ("wave", "lane", "reg")]
    wave, lane, reg = np.indices(sizes, dtype=np.int64)
    given = {k: v for k, v in (("reg", reg), ("lane", lane), ("wave", wave)) if k in known}
    found = layout(**given)
    axes = [np.broadcast_to(found[name], tuple(sizes)) for name, _ in reversed(layout.outputs)]
    shape = tuple(1 << bits for _, bits in reversed(layout.outputs))
    return DistributionTable(shape, np.stack(axes, axis=-1))


def memory_from_linear(layout: Layout) -> MemoryTable:
    """The memory layout of a layout from coordinates to offset; :func:`linear_memory` undone."""
    shape = tuple(1 << bits for _, bits in reversed(layout.inputs))
    return MemoryTable(table(layout).reshape(shape), 1 << size(layout.outputs))


def _linear(
    inputs: Dimensions, outputs: Dimensions, function: Callable[..., Mapping[str, Any]]
) -> Layout | Refusal:
    """:func:`from_function`, whose "not linear" is an answer here."""
    try:
        return from_function(inputs, outputs, function)
    except InputError as error:
        return Refusal(error.message)


def _coordinate_dimensions(shape: tuple[int, ...], names: Sequence[str]) -> Dimensions | Refusal:
    chosen = tuple(names) or axis_names(len(shape))
    assert len(chosen) == len(shape), "one name for every axis"
    return _dimensions(chosen[::-1], shape[::-1])


def _dimensions(names: Sequence[str], sizes: Sequence[int]) -> Dimensions | Refusal:
    for name, length in zip(names, sizes, strict=True):
        if length < 1 or length & (length - 1):
            return Refusal(f"not linear over F2: {name} has {length} values, no power of two")
    return tuple((n, s.bit_length() - 1) for n, s in zip(names, sizes, strict=True))
