"""Buffers, memref views, and the checked loads and stores that all operations go through.

A memref value is a :class:`MemrefValue`: a buffer, an offset per thread and a stride per dimension,
all in elements. An access of a plain memref must keep every index inside the sizes of the view and
every element inside the buffer; anything else is a fault, its loads give 0 and its stores are
dropped. A raw buffer (``amdgpu.fat_raw_buffer_cast``, ``raw_buffer_load``) is checked as the
hardware does: elements whose byte offset from the base lies outside ``validBytes`` read 0 and are
not stored, without a fault. (Which part of a vector that lies across the end survives differs
between chips; here each element is judged alone.) Leaving the real buffer inside ``validBytes`` is
a fault.

LDS is checked against its :mod:`shadow <bankwise.change.execute.shadow>`. In global memory only the
bounds and conflicting stores of one operation are checked: waves that race there are not found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from bankwise.change.execute import shadow as shadows
from bankwise.change.execute.shadow import GranuleAccess, Problems, Shadow
from bankwise.change.execute.state import Copy, Kind, Node, WorkgroupState, issue
from bankwise.change.execute.values import Array, Element, rows, to_memory, to_registers
from bankwise.counting.access import BoolArray, IntArray
from bankwise.read.mlir.swizzle_hint import SwizzleHint

Space = Literal["lds", "global", "private"]

_WIDEST_ACCESS_BYTES = 16
"""A vector-memory instruction moves at most 16 bytes per lane; wider operations are several."""


@dataclass(frozen=True, slots=True, eq=False)
class FlatMemory:
    """Flat memory. ``granule_bytes``: the element size of its allocation; LDS has a shadow."""

    name: str
    space: Space
    data: Array
    granule_bytes: int
    shadow: Shadow | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Raw:
    """The range of a raw buffer: its base (element offset, [threads] or [1]) and valid bytes."""

    base: IntArray
    valid_bytes: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Hint:
    """A swizzle hint and the element offset of the memref that carries it.

    Loads and stores through the hint go where it sends them; copies to LDS are linear, as in
    IREE's resolve pass.
    """

    swizzle: SwizzleHint
    base: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class MemrefValue:
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


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where an access goes: element offsets and which of them are legal, [threads, *vector]."""

    at: IntArray
    legal: BoolArray


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
    threads = state.threads
    at = _lift(linear(view, indices), extent)
    for axis in range(len(extent)):
        stride = view.strides[len(view.strides) - len(extent) + axis]
        at = at + _lift(stride, extent) * _axis_index(axis, extent)
    if view.hint is not None:
        base = _lift(view.hint.base, extent)
        at = base + view.hint.swizzle.place(at - base)
    at = rows(at, threads)
    legal = np.ones(at.shape, np.bool_) if wanted is None else rows(wanted, threads).copy()
    if state.mask is not None:
        legal &= _lift(state.mask, extent)
    if view.raw is None:
        legal &= _inside_sizes(state, node, view, indices, extent, legal)
    else:
        first = (at - _lift(view.raw.base, extent)) * view.element.bytes
        end = _lift(view.raw.valid_bytes, extent)
        legal &= (first >= 0) & (first + view.element.bytes <= end)
    legal &= inside_buffer(state, node, view, at, legal)
    return Place(at, legal)


def inside_buffer(
    state: WorkgroupState, node: Node, view: MemrefValue, at: IntArray, legal: BoolArray
) -> BoolArray:
    """Which element offsets lie in the buffer; legal ones that do not are faults."""
    count = len(typed(view))
    inside = (at >= 0) & (at < count)
    if (legal & ~inside).any():
        which = np.argwhere(legal & ~inside)[0]
        offset = int(at[tuple(which)])
        who = _lane_text(state, int(which[0]))
        text = f"{who} leaves {view.buffer.name}: element {offset} of {count}"
        state.fault(node, "bounds", text, int(which[0]))
    return inside


def fetch(view: MemrefValue, place: Place) -> Array:
    """The elements of ``place`` without any check: registers, 0 where it is not legal."""
    data = typed(view)
    if place.legal.all():
        return to_registers(view.element, data[place.at])
    stored = np.where(place.legal, data[np.where(place.legal, place.at, 0)], data.dtype.type(0))
    return to_registers(view.element, stored)


def load(state: WorkgroupState, node: Node, view: MemrefValue, place: Place) -> Array:
    """Read the elements of ``place``: registers [threads, *vector], 0 where it is not legal."""
    if view.buffer.shadow is not None:
        problems = shadows.read(view.buffer.shadow, touch_of(state, view, place))
        report(state, node, view, place, problems, "reads")
    elif view.buffer.space == "global":
        _count_instructions(state, view, place)
    return fetch(view, place)


def store(
    state: WorkgroupState,
    node: Node,
    view: MemrefValue,
    place: Place,
    registers: Array,
    dma: bool = False,
) -> None:
    """Write registers [threads, *vector]; ``dma``: by a copy that is complete only when waited for.

    The copy joins the queue of every wave that takes part.
    """
    data = typed(view)
    registers = np.broadcast_to(registers, place.at.shape)
    chosen = place.at[place.legal]
    values = to_memory(view.element, registers[place.legal])
    before = _bits(data[chosen])
    data[chosen] = values
    if view.buffer.space != "private" and (_bits(data[chosen]) != _bits(values)).any():
        _conflict(state, node, view, place, _bits(data[chosen]) != _bits(values))
    if view.buffer.shadow is None:
        if view.buffer.space == "global":
            _count_instructions(state, view, place)
        return
    touch = touch_of(state, view, place)
    same = np.repeat(before == _bits(values), _granules(view))
    numbers = _start_copies(state, node, view.buffer.shadow, touch) if dma else None
    problems = shadows.write(view.buffer.shadow, touch, same, numbers)
    report(state, node, view, place, problems, "overwrites")


def typed(view: MemrefValue) -> Array:
    """The buffer's data as elements of the view's type."""
    data = view.buffer.data
    if data.dtype == view.element.storage:
        return data
    size = view.element.storage.itemsize
    whole = data.nbytes // size * size
    return data.view(np.uint8)[:whole].view(view.element.storage)


def report(
    state: WorkgroupState,
    node: Node,
    view: MemrefValue,
    place: Place,
    problems: Problems,
    verb: str,
) -> None:
    """Record what the shadow found at the legal elements of an access."""
    for kind, wrong in _kinds(problems):
        if wrong.any():
            which = int(wrong.argmax()) // _granules(view)
            thread, offset = _witness(place, which)
            text = f"{_lane_text(state, thread)} {verb} {_element(view, offset)}{_WHY[kind]}"
            if kind == "dma":
                text += f" ({state.copies[int(problems.copy[wrong.argmax()]) - 1]})"
            state.fault(node, kind, text, thread)


def touch_of(state: WorkgroupState, view: MemrefValue, place: Place) -> GranuleAccess:
    """The granules and waves of the legal elements of an access."""
    at = place.at[place.legal]
    wave = state.wave_of.reshape(-1, *(1 for _ in place.at.shape[1:]))
    waves = np.broadcast_to(wave, place.at.shape)[place.legal]
    pieces = _granules(view)
    if pieces > 1:
        at = (at[:, None] * pieces + np.arange(pieces)).reshape(-1)
        waves = np.repeat(waves, pieces)
    return GranuleAccess(at, waves, state.epochs)


_WHY: dict[Kind, str] = {
    "poison": ", which nobody has written",
    "race": ", which another wave writes or reads, and no barrier orders the two",
    "dma": ", and no wait (with a barrier, between waves) follows the copy that fills it",
}


def _kinds(problems: Problems) -> tuple[tuple[Kind, BoolArray], ...]:
    return (("poison", problems.poison), ("race", problems.race), ("dma", problems.dma))


def _inside_sizes(
    state: WorkgroupState,
    node: Node,
    view: MemrefValue,
    indices: Sequence[IntArray],
    extent: tuple[int, ...],
    legal: BoolArray,
) -> BoolArray:
    """Which elements keep every index inside the sizes of the view; the others are faults."""
    inside = np.ones((1,) * legal.ndim, np.bool_)
    plain = len(indices) - len(extent)
    for d, (index, size) in enumerate(zip(indices, view.sizes, strict=True)):
        steps = _lift(index, extent)
        if d >= plain:
            steps = steps + _axis_index(d - plain, extent)
        bound = _lift(size, extent)
        fits = (steps >= 0) & (steps < bound)
        if not fits.all() and (legal & ~fits).any():
            which = np.argwhere(legal & ~fits)[0]
            wrong = int(np.broadcast_to(steps, legal.shape)[tuple(which)])
            limit = int(np.broadcast_to(bound, legal.shape)[tuple(which)])
            who = _lane_text(state, int(which[0]))
            text = f"{who} leaves {view.buffer.name}: index {wrong} in dimension {d} of {limit}"
            state.fault(node, "bounds", text, int(which[0]))
        inside = inside & fits
    return inside


def _conflict(
    state: WorkgroupState, node: Node, view: MemrefValue, place: Place, lost: BoolArray
) -> None:
    thread, offset = _witness(place, int(lost.argmax()))
    lane, element = _lane_text(state, thread), _element(view, offset)
    text = f"{lane} and another write different values to {element}"
    state.fault(node, "write-write", text, thread)


def _start_copies(
    state: WorkgroupState, node: Node, shadow: Shadow, touch: GranuleAccess
) -> IntArray:
    """Queue one copy per wave; its number for every granule."""
    numbers = np.zeros(len(touch.granule), np.int64)
    for wave in state.active_waves():
        state.copies.append(node.location)
        mine = touch.wave == wave
        numbers[mine] = len(state.copies)
        issue(state, wave, Copy(shadow, touch.granule[mine], len(state.copies)))
    return numbers


def _count_instructions(state: WorkgroupState, view: MemrefValue, place: Place) -> None:
    """Plain global accesses stand in the same queue as copies (one counter, vmcnt, on gfx9)."""
    width = int(np.prod(place.at.shape[1:], dtype=np.int64)) * view.element.bytes
    for wave in state.active_waves():
        for _ in range(-(-width // _WIDEST_ACCESS_BYTES)):
            issue(state, wave, Copy(None, np.zeros(0, np.int64), 0))


def _lift(values: Array, extent: tuple[int, ...]) -> Array:
    """One number a thread, broadcastable to [threads, *extent]."""
    return values.reshape(-1, *(1 for _ in extent))


def _axis_index(axis: int, extent: tuple[int, ...]) -> IntArray:
    """0, 1, ... along one vector dimension, broadcastable to [threads, *extent]."""
    where = [1] * (len(extent) + 1)
    where[axis + 1] = extent[axis]
    return np.arange(extent[axis]).reshape(where)


def _granules(view: MemrefValue) -> int:
    """Granules of the allocation in one element of the view."""
    return max(1, view.element.storage.itemsize // view.buffer.granule_bytes)


def _witness(place: Place, which: int) -> tuple[int, int]:
    """Thread and element offset of the ``which``-th legal element of an access."""
    where = np.argwhere(place.legal)[which]
    return int(where[0]), int(place.at[tuple(where)])


def _lane_text(state: WorkgroupState, thread: int) -> str:
    wave, lane = divmod(thread, state.ids.wave_size)
    return f"lane {lane} of wave {wave}"


def _element(view: MemrefValue, offset: int) -> str:
    return f"element {offset} of {view.buffer.name}"


def _bits(values: Array) -> Array:
    """Comparable bit for bit, NaN included."""
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
