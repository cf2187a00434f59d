"""Which elements an access names, and which of them it may touch.

An access of a plain memref must keep every index inside the sizes of the view and every element
inside the buffer; anything else is a fault, its loads give 0 and its stores are dropped. In shared
memory an index that leaves its dimension, and not the buffer, is a fault and goes where a GPU goes:
on into the next row, so that a layout which tears the two rows apart is found by what it reads.

A raw buffer (``amdgpu.fat_raw_buffer_cast``, ``raw_buffer_load``) is checked as the hardware does:
elements whose byte offset from the base lies outside ``validBytes`` read 0 and are not stored,
without a fault. (Which part of a vector that lies across the end survives differs between chips;
here each element is judged alone.) Leaving the real buffer inside ``validBytes`` is a fault.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bankwise.change.execute.memref import MemrefValue, typed
from bankwise.change.execute.state import Node, WorkgroupState
from bankwise.change.execute.values import Array
from bankwise.counting.access import BoolArray, IntArray
from bankwise.identity import ByIdentity


class Place(ByIdentity, frozen=True, eq=False):
    """Where an access goes: element offsets and which of them are legal, [threads, *vector].

    ``whole``: all are.
    """

    at: IntArray
    legal: BoolArray
    whole: bool


def placed(at: IntArray, legal: BoolArray) -> Place:
    """The elements at ``at``; ``legal``: broadcastable to it."""
    return Place(at, np.broadcast_to(legal, at.shape), bool(legal.all()))


def legal_of(place: Place, values: Array) -> Array:
    """Of values like ``place.at`` those at its legal elements, [n]."""
    return values.reshape(-1) if place.whole else values[place.legal]


def locate(
    state: WorkgroupState,
    node: Node,
    view: MemrefValue,
    indices: Sequence[IntArray],
    extent: tuple[int, ...] = (),
    wanted: BoolArray | None = None,
) -> Place:
    """The elements of a vector of shape ``extent`` at ``indices``, one row per thread.

    The vector lies along the last dimensions of the view. ``wanted``: [threads, *extent], elements
    that a mask has not switched off.
    """
    axes = range(len(indices) - len(extent), len(indices))
    return place_of(state, node, view, spread(indices, extent, axes), extent, wanted)


def spread(
    indices: Sequence[IntArray], extent: tuple[int, ...], axes: Sequence[int | None]
) -> list[IntArray]:
    """The index of every element of a vector, per dimension: broadcastable to [threads, *extent].

    ``axes``: the dimension along which each dimension of the vector lies, None if along none.
    """
    spread = [lift(index, extent) for index in indices]
    for axis, dimension in enumerate(axes):
        if dimension is not None:
            spread[dimension] = spread[dimension] + axis_index(axis, extent)
    return spread


def place_of(
    state: WorkgroupState,
    node: Node,
    view: MemrefValue,
    elements: Sequence[IntArray],
    extent: tuple[int, ...],
    wanted: BoolArray | None = None,
    along: IntArray | None = None,
) -> Place:
    """The elements at ``elements``, as :func:`spread` gives them; ``wanted`` as in :func:`locate`.

    ``along``: further steps along the last dimension, which may lead into other rows.
    """
    at = lift(view.offset, extent)
    for index, stride in zip(elements, view.strides, strict=True):
        at = at + index * lift(stride, extent)
    if along is not None:
        at = at + along * lift(view.strides[-1], extent)
    if view.hint is not None:
        base = lift(view.hint.base, extent)
        at = base + view.hint.swizzle.place(at - base)
    at = np.broadcast_to(at, (state.threads, *extent))
    legal = np.ones((1,) * at.ndim, np.bool_)
    if wanted is not None:
        legal = legal & wanted
    if state.mask is not None:
        legal = legal & lift(state.mask, extent)
    if view.raw is None:
        inside = _inside_sizes(state, node, view, elements, extent, legal)
        if view.buffer.space != "lds":
            legal = legal & inside
    else:
        legal = legal & _inside_range(view, at)
    return placed(at, legal & inside_buffer(state, node, view, at, legal))


def inside_buffer(
    state: WorkgroupState, node: Node, view: MemrefValue, at: IntArray, legal: BoolArray
) -> BoolArray:
    """Which element offsets lie in the buffer; legal ones that do not are faults."""
    count = len(typed(view))
    own = at
    if len(state.beside) > 1 and view.buffer.share is not None:
        ratio = view.element.storage.itemsize / view.buffer.data.dtype.itemsize
        count, step = (int(size // ratio) for size in view.buffer.share)
        own = at - lift(state.workgroup_of * step, at.shape[1:])
    if not own.size or (own.min() >= 0 and own.max() < count):
        return np.ones((1,) * at.ndim, np.bool_)
    inside = (own >= 0) & (own < count)
    if (legal & ~inside).any():
        which = np.argwhere(legal & ~inside)[0]
        offset = int(at[tuple(which)])
        who = lane_text(state, int(which[0]))
        text = f"{who} leaves {view.buffer.name}: element {offset} of {count}"
        state.fault(node, "bounds", text, int(which[0]), view.buffer.space == "lds")
    return inside


def _inside_range(view: MemrefValue, at: IntArray) -> BoolArray:
    """Which elements of a raw buffer lie in its valid bytes."""
    assert view.raw is not None, "a raw buffer"
    size, extent = view.element.bytes, at.shape[1:]
    base, end = lift(view.raw.base, extent), lift(view.raw.valid_bytes, extent)
    if at.size and at.min() >= base.max() and (at.max() - base.min() + 1) * size <= end.min():
        return np.ones((1,) * at.ndim, np.bool_)
    first = (at - base) * size
    return (first >= 0) & (first + size <= end)


def _inside_sizes(
    state: WorkgroupState,
    node: Node,
    view: MemrefValue,
    elements: Sequence[IntArray],
    extent: tuple[int, ...],
    legal: BoolArray,
) -> BoolArray:
    """Which elements keep every index inside the sizes of the view; the others are faults."""
    inside, shape = np.ones((1,) * legal.ndim, np.bool_), (state.threads, *extent)
    for d, (steps, size) in enumerate(zip(elements, view.sizes, strict=True)):
        bound = lift(size, extent)
        fits = (steps >= 0) & (steps < bound)
        if not fits.all() and (legal & ~fits).any():
            which = np.argwhere(np.broadcast_to(legal & ~fits, shape))[0]
            wrong = int(np.broadcast_to(steps, shape)[tuple(which)])
            limit = int(np.broadcast_to(bound, shape)[tuple(which)])
            who = lane_text(state, int(which[0]))
            text = f"{who} leaves {view.buffer.name}: index {wrong} in dimension {d} of {limit}"
            state.fault(node, "bounds", text, int(which[0]), view.buffer.space == "lds")
        inside = inside & fits
    return inside


def lift(values: Array, extent: tuple[int, ...]) -> Array:
    """One number a thread, broadcastable to [threads, *extent]."""
    return values.reshape(-1, *(1 for _ in extent))


def axis_index(axis: int, extent: tuple[int, ...]) -> IntArray:
    """0, 1, ... along one vector dimension, broadcastable to [threads, *extent]."""
    where = [1] * (len(extent) + 1)
    where[axis + 1] = extent[axis]
    return np.arange(extent[axis]).reshape(where)


def witness(place: Place, which: int) -> tuple[int, int]:
    """Thread and element offset of the ``which``-th legal element of an access."""
    where = np.argwhere(place.legal)[which]
    return int(where[0]), int(place.at[tuple(where)])


def lane_text(state: WorkgroupState, thread: int) -> str:
    """A thread as people name it."""
    wave, lane = divmod(thread, state.ids.wave_size)
    return f"lane {lane} of wave {wave}"
