"""Memref values: a view of a buffer, not accessed yet.

A memref value is a :class:`MemrefValue`: a buffer, an offset per thread and a stride per dimension,
all in elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import field

from bankwise.change.execute.shadow import Shadow
from bankwise.change.execute.values import Array, Element
from bankwise.counting.access import IntArray
from bankwise.identity import ByIdentity
from bankwise.read.mlir.swizzle_hint import SwizzleHint

Space = Literal["lds", "global", "private"]


class FlatMemory(ByIdentity, frozen=True, eq=False):
    """Flat memory. ``granule_bytes``: the element size of its allocation.

    LDS has a shadow, and a ``share`` for every workgroup that runs side by side: how many granules,
    and how many from one share to the next.
    """

    name: str
    space: Space
    data: Array
    granule_bytes: int
    shadow: Shadow | None = None
    share: tuple[int, int] | None = None


class Raw(ByIdentity, frozen=True, eq=False):
    """The range of a raw buffer: its base (element offset, [threads] or [1]) and valid bytes."""

    base: IntArray
    valid_bytes: IntArray


class Hint(ByIdentity, frozen=True, eq=False):
    """A swizzle hint and the element offset of the memref that carries it.

    Loads and stores through the hint go where it sends them; copies to LDS are linear, as in
    IREE's resolve pass.
    """

    swizzle: SwizzleHint
    base: IntArray


class MemrefValue(ByIdentity, frozen=True, eq=False):
    """A memref value. ``offset``: [threads] or [1]; sizes and strides likewise, one a dimension.

    ``base``: the element offset of the aligned pointer, from which reinterpretations count.
    """

    buffer: FlatMemory
    element: Element
    offset: IntArray
    sizes: tuple[IntArray, ...]
    strides: tuple[IntArray, ...]
    raw: Raw | None = None
    hint: Hint | None = None
    base: IntArray = field(default_factory=lambda: number(0))


def number(value: int) -> IntArray:
    """An integer that all threads agree on."""
    return np.full(1, value, np.int64)


def linear(view: MemrefValue, indices: Sequence[IntArray]) -> IntArray:
    """The element offset of ``indices``: [threads] or [1]."""
    at = view.offset
    for index, stride in zip(indices, view.strides, strict=True):
        at = at + index * stride
    return at


def span_bytes(view: MemrefValue) -> IntArray:
    """max(size * stride) in bytes: the range that a raw buffer of this memref covers."""
    span = number(1)
    for size, stride in zip(view.sizes, view.strides, strict=True):
        span = np.maximum(span, size * stride)
    return span * view.element.bytes


def typed(view: MemrefValue) -> Array:
    """The buffer's data as elements of the view's type."""
    data = view.buffer.data
    if data.dtype == view.element.storage:
        return data
    size = view.element.storage.itemsize
    whole = data.nbytes // size * size
    return data.view(np.uint8)[:whole].view(view.element.storage)
