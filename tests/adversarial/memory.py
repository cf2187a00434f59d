"""Memory of a launch, flat: every space is one array of bytes, a memref an address and strides.

All workgroups of a launch run side by side, so that shared memory is one stretch after the other
and a row (a thread) knows where its own begins. Bounds are those of the allocation: an index that
leaves its row and stays in the allocation names another element, as on the hardware.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """An element type: its bytes in memory and the numpy type of its bits or number there."""

    name: str
    bits: int
    stored: np.dtype[Any]
    integer: bool

    @property
    def bytes(self) -> int:
        return self.stored.itemsize


_FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.uint16}


def kind_of(name: str) -> Kind:
    """The element type of this name; 8-bit floats and bf16 are bits that are only moved."""
    if name in _FLOATS:
        stored = np.dtype(_FLOATS[name])
        return Kind(name, 8 * stored.itemsize, stored, False)
    if name.startswith("f8"):
        return Kind(name, 8, np.dtype(np.uint8), False)
    if name == "index":
        return Kind(name, 64, np.dtype(np.int64), True)
    bits = int(name[1:])
    size = next(n for n in (1, 2, 4, 8) if bits <= 8 * n)
    return Kind(name, bits, np.dtype(f"i{size}"), True)


@dataclass(slots=True, eq=False)
class Space:
    """One memory: ``stretch`` bytes for each owner, ``starts`` where a row's begins, [rows].

    ``written``: which bytes somebody wrote; None where all are (global memory). ``last``: by byte
    who wrote and who read it last, and between which barriers (:func:`raced`).
    """

    name: str
    bytes: Array
    starts: Array
    stretch: int
    written: Array | None
    used: int = 0
    last: dict[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Memref:
    """A view, per row: byte address in its stretch, the ends of its allocation, sizes, strides.

    ``raw``: an access outside reads 0 and stores nothing, without a fault (buffer instructions).
    """

    space: Space
    kind: Kind
    at: Array
    low: Array
    high: Array
    sizes: tuple[Array, ...]
    strides: tuple[Array, ...]
    raw: bool = False
    base: Array | None = None

    def moved(self, elements: Array) -> Memref:
        return replace(self, at=self.at + elements * self.kind.bytes)


@dataclass(frozen=True, slots=True, eq=False)
class Touched:
    """Byte addresses [rows, elements] in the space, and which of them are there and wanted."""

    at: Array
    wanted: Array
    outside: Array


def space(name: str, stretch: int, owners: int, of_row: Array, seed: int) -> Space:
    """Memory that nobody wrote yet: random bytes."""
    random = np.random.default_rng(seed).integers(0, 256, stretch * owners, np.uint8)
    return Space(name, random, of_row * stretch, stretch, np.zeros(len(random), np.bool_))


def places(memref: Memref, offsets: Array, wanted: Array) -> Touched:
    """Elements at ``offsets`` ([rows, n], in elements from the view's start)."""
    near = memref.at[:, None] + offsets * memref.kind.bytes
    inside = (near >= memref.low[:, None]) & (near + memref.kind.bytes <= memref.high[:, None])
    at = np.where(inside, near, 0) + memref.space.starts[:, None]
    return Touched(at, wanted & inside, wanted & ~inside)


def read(memref: Memref, touched: Touched) -> tuple[Array, bool]:
    """The stored elements, zero outside, and whether one was never written."""
    size, where = memref.kind.bytes, touched.at
    if (where % size == 0).all() and len(memref.space.bytes) % size == 0:
        found = memref.space.bytes.view(memref.kind.stored)[where // size]
    else:
        bytes_ = memref.space.bytes[where[..., None] + np.arange(size)]
        found = np.ascontiguousarray(bytes_).view(memref.kind.stored)[..., 0]
    poison = memref.space.written is not None and bool(
        (touched.wanted & ~memref.space.written[where]).any()
    )
    return np.where(touched.wanted, found, np.zeros((), memref.kind.stored)), poison


def write(memref: Memref, touched: Touched, values: Array) -> None:
    """Store elements; of two at one place the last one stays."""
    size = memref.kind.bytes
    where = touched.at[touched.wanted]
    chosen = np.ascontiguousarray(np.broadcast_to(values, touched.at.shape)[touched.wanted])
    bytes_ = chosen.astype(memref.kind.stored).view(np.uint8).reshape(-1, size)
    at = where[:, None] + np.arange(size)
    memref.space.bytes[at] = bytes_
    if memref.space.written is not None:
        memref.space.written[at] = True


def linear(memref: Memref, indices: Sequence[Array]) -> Array:
    """Elements from the view's start, of indices that are alike in shape."""
    total = np.zeros((), np.int64)
    for index, stride in zip(indices, memref.strides, strict=True):
        lifted = stride.reshape(-1, *(1,) * (index.ndim - 1))
        total = total + index * lifted
    return np.asarray(total, np.int64)


def raced(space_: Space, at: Array, who: Array, epoch: int, writes: bool) -> bool:
    """Note accesses of bytes ``at`` by ``who``; whether others used one since the last barrier.

    Reading what another one wrote, and writing what another one wrote or read, needs a barrier.
    """
    last = space_.last
    if not last:
        for name in ("writer", "written at", "reader", "read at"):
            last[name] = np.full(len(space_.bytes), -1, np.int32)
    found = bool(((last["written at"][at] == epoch) & (last["writer"][at] != who)).any())
    if writes:
        found |= bool(((last["read at"][at] == epoch) & (last["reader"][at] != who)).any())
        last["writer"][at], last["written at"][at] = who, epoch
        return found
    several = (last["read at"][at] == epoch) & (last["reader"][at] != who)
    last["reader"][at], last["read at"][at] = np.where(several, _SEVERAL, who), epoch
    return found


_SEVERAL = -2
