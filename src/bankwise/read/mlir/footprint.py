"""What one execution of an access touches: elements, bytes and lanes for a whole workgroup."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray
from bankwise.identity import ByIdentity
from bankwise.read.mlir.indexing import first_active
from bankwise.read.mlir.touches import MemrefAccess
from bankwise.read.mlir.value import ActiveThreads
from bankwise.read.mlir.views import Amount, View, is_int, plain

_HINTED = frozenset({"vector.load", "vector.store"})
"""The operations that IREE rewrites for a swizzle hint."""


class Footprint(ByIdentity, frozen=True, eq=False):
    """The bytes of one execution, by vector element.

    ``offsets_bytes``: int64 [elements, threads], the first byte of each element, or [1, threads]
    where the elements of a thread follow each other. ``active``: bool of the same shape.
    ``base``: the element number of the view's first element in its allocation, in elements of
    ``element_bytes``; None if threads differ. ``strides``: of the view; None if not constant, or if
    a swizzle hint moves the elements.
    """

    allocation: str
    offsets_bytes: IntArray
    active: BoolArray
    element_bytes: int
    base: int | None
    strides: tuple[int, ...] | None
    note: str = ""

    def identity(self) -> Hashable:
        """Equal exactly for footprints of the same bytes, threads and base."""
        arrays = (self.offsets_bytes.tobytes(), np.packbits(self.active).tobytes())
        return (self.allocation, self.base, self.strides, self.offsets_bytes.shape, *arrays)


def footprint(
    touch: MemrefAccess,
    view: View,
    indices: Sequence[IntArray],
    mask: BoolArray | None,
    scope: ActiveThreads,
) -> Footprint | str:
    """Where the active threads of ``scope`` touch ``view``; or why that cannot be said."""
    if view.hint is not None and touch.kind != "dma":
        reason = _hint_reason(touch, view)
        if reason:
            return reason
    if touch.slot_bytes is not None:
        return _in_lane_order(touch, touch.slot_bytes, view, indices, scope)
    active = _supplying(touch, scope)
    first = view.element([plain(index) for index in indices])
    if mask is None and view.hint is None and _follow_on(touch, view):
        return _footprint(view, np.asarray(view.byte(first), np.int64)[None, ...], active[None, :])
    steps = _steps(touch, len(indices))
    offsets = view.byte(first + _distances(view, steps))
    taking_part = active & _inside(touch, view, indices, steps)
    return _footprint(view, offsets, taking_part if mask is None else taking_part & mask)


def outside(found: Footprint, touch: MemrefAccess, size_bytes: int, wave_size: int) -> str | None:
    """Names a thread that touches bytes before or behind the allocation; None if none does."""
    run = touch.elements if len(found.offsets_bytes) == 1 else 1
    last = found.offsets_bytes + run * found.element_bytes
    bad = found.active & ((found.offsets_bytes < 0) | (last > size_bytes))
    if not bad.any():
        return None
    element, thread = (int(x) for x in np.argwhere(bad)[0])
    offset = int(found.offsets_bytes[element, thread])
    number = offset // found.element_bytes
    if offset >= 0:
        number = max(number, min(last[element, thread] - 1, size_bytes) // found.element_bytes)
    verb = "reads" if touch.direction == "read" else "writes"
    wave, lane = divmod(thread, wave_size)
    return (
        f"lane {lane} of wave {wave} {verb} element {number} of "
        f"{size_bytes // found.element_bytes} of {found.allocation}"
    )


def _hint_reason(touch: MemrefAccess, view: View) -> str | None:
    """Why IREE would not apply the hint to this access, None if it would."""
    assert view.hint is not None
    if touch.op.name not in _HINTED or touch.steps is not None:
        return f"IREE cannot apply {view.hint} to {touch.op.name}, and drops the hint everywhere"
    if touch.elements % view.hint.access:
        return (
            f"IREE cannot apply {view.hint} to a vector of {touch.elements} elements, which is not "
            f"a multiple of {view.hint.access}, and drops the hint everywhere"
        )
    return None


def _supplying(touch: MemrefAccess, scope: ActiveThreads) -> BoolArray:
    if touch.lanes is None:
        return scope.active
    return scope.active & (scope.ids.linear % scope.ids.wave_size < touch.lanes)


def _follow_on(touch: MemrefAccess, view: View) -> bool:
    """Whether the elements of one thread lie one behind the other for every index."""
    if touch.steps is not None or touch.checked:
        return False
    return touch.elements == 1 or is_int(view.strides[-1], 1)


def _steps(touch: MemrefAccess, rank: int) -> IntArray:
    if touch.steps is not None:
        return touch.steps
    steps = np.zeros((touch.elements, rank), np.int64)
    if rank:
        steps[:, -1] = np.arange(touch.elements)
    return steps


def _distances(view: View, steps: IntArray) -> IntArray:
    """From the indexed element to each element of the vector: [elements, 1 or threads]."""
    total = np.zeros((len(steps), 1), np.int64)
    for dimension, stride in enumerate(view.strides):
        total = total + steps[:, dimension, None] * stride
    return total


def _inside(
    touch: MemrefAccess, view: View, indices: Sequence[IntArray], steps: IntArray
) -> BoolArray:
    """Which elements exist in the memref: [elements, 1 or threads]."""
    inside = np.ones((len(steps), 1), np.bool_)
    for dimension in touch.checked:
        place = steps[:, dimension, None] + indices[dimension]
        inside = inside & (place >= 0) & (place < view.sizes[dimension])
    return inside


def _in_lane_order(
    touch: MemrefAccess,
    slot_bytes: int,
    view: View,
    indices: Sequence[IntArray],
    scope: ActiveThreads,
) -> Footprint:
    """A copy that writes from one place per wave, lane after lane, whatever the lanes say."""
    named = view.byte(view.element([plain(index) for index in indices]), hinted=False)
    asked = np.broadcast_to(np.asarray(named, np.int64), scope.active.shape)
    start = first_active(asked, scope.ids, scope.active)
    differ = bool((scope.active & (asked != start)).any())
    lane = scope.ids.linear % scope.ids.wave_size
    note = "the lanes of a wave name different places; the first active lane decides"
    offsets = start + lane * slot_bytes
    found = _footprint(view, offsets[None, :], scope.active[None, :])
    return replace(found, note=note) if differ else found


def _footprint(view: View, offsets: Amount, active: BoolArray) -> Footprint:
    shape = np.broadcast_shapes(np.shape(offsets), active.shape)
    constant = all(isinstance(stride, int) for stride in view.strides) and view.hint is None
    return Footprint(
        view.allocation,
        np.broadcast_to(np.asarray(offsets, np.int64), shape),
        np.broadcast_to(active, shape),
        view.element_bytes,
        _base(view),
        tuple(int(stride) for stride in view.strides) if constant else None,
    )


def _base(view: View) -> int | None:
    start = np.asarray(view.base_bytes + view.offset * view.element_bytes)
    first = int(start.flat[0])
    return (
        None
        if (start != first).any() or first % view.element_bytes
        else first // view.element_bytes
    )
