"""The checked loads and stores that all operations go through.

LDS is checked against its :mod:`shadow <bankwise.change.execute.shadow>`. In global memory only the
bounds and conflicting stores of one operation are checked: waves that race there are not found.
"""

from __future__ import annotations

from math import prod

import numpy as np

from bankwise.change.execute import shadow as shadows
from bankwise.change.execute.memref import MemrefValue, typed
from bankwise.change.execute.places import Place, lane_text, legal_of, lift, witness
from bankwise.change.execute.shadow import GranuleAccess, Problems, Shadow
from bankwise.change.execute.side_by_side import note_load, note_store
from bankwise.change.execute.state import Copy, Kind, Node, WorkgroupState, issue
from bankwise.change.execute.values import Array, to_memory, to_registers
from bankwise.counting.access import BoolArray, IntArray

_WIDEST_ACCESS_BYTES = 16
"""A vector-memory instruction moves at most 16 bytes per lane; wider operations are several."""


_NO_COPY = Copy(None, np.zeros(0, np.int64), 0)


def fetch(view: MemrefValue, place: Place) -> Array:
    """The elements of ``place`` without any check: registers, 0 where it is not legal."""
    data = typed(view)
    if place.whole:
        return to_registers(view.element, data[place.at])
    stored = np.where(place.legal, data[np.where(place.legal, place.at, 0)], data.dtype.type(0))
    return to_registers(view.element, stored)


def load(state: WorkgroupState, node: Node, view: MemrefValue, place: Place) -> Array:
    """Read the elements of ``place``: registers [threads, *vector], 0 where it is not legal."""
    if view.buffer.shadow is not None:
        problems = shadows.read(view.buffer.shadow, touch_of(state, view, place))
        report(state, node, view, place, problems, "reads")
    elif view.buffer.space == "global":
        note_global_load(state, view, place)
        _count_instructions(state, view, place)
    return fetch(view, place)


def note_global_load(state: WorkgroupState, view: MemrefValue, place: Place) -> None:
    """A load of a binding, for those who run beside."""
    if len(state.beside) == 1:
        state.bindings.loaded.add(view.buffer.name)
        return
    name, size = view.buffer.name, len(typed(view))
    note_load(state.bindings, name, size, legal_of(place, place.at), _workgroups(state, place))


def _workgroups(state: WorkgroupState, place: Place) -> IntArray:
    """The workgroup of every legal element of an access."""
    return _waves(state, place) // state.ids.waves


def _waves(state: WorkgroupState, place: Place) -> IntArray:
    """The wave of every legal element of an access, among those of all workgroups."""
    wave = lift(state.wave_of, place.at.shape[1:])
    return legal_of(place, np.broadcast_to(wave, place.at.shape))


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
    chosen = legal_of(place, place.at)
    values = to_memory(view.element, legal_of(place, registers))
    if view.buffer.space == "global":
        note_store(state.bindings, view.buffer.name, data, chosen, _workgroups(state, place))
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
    numbers = None
    if dma:
        rows_per_wave = place.legal.reshape(state.waves, -1).sum(axis=1) * _granules(view)
        numbers = _start_copies(state, node, view.buffer.shadow, touch, rows_per_wave)
    problems = shadows.write(view.buffer.shadow, touch, same, numbers)
    report(state, node, view, place, problems, "overwrites")


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
            thread, offset = witness(place, which)
            text = f"{lane_text(state, thread)} {verb} {_element(view, offset)}{_WHY[kind]}"
            if kind == "dma":
                text += f" ({state.copies[int(problems.copy[wrong.argmax()]) - 1]})"
            state.fault(node, kind, text, thread, shared=True)


def touch_of(state: WorkgroupState, view: MemrefValue, place: Place) -> GranuleAccess:
    """The granules and waves of the legal elements of an access."""
    at, pieces = legal_of(place, place.at), _granules(view)
    waves = state.waves_by(prod(place.at.shape[1:]))
    waves = waves if place.whole else waves[place.legal.reshape(-1)]
    if pieces > 1:
        at = (at[:, None] * pieces + np.arange(pieces)).reshape(-1)
        waves = np.repeat(waves, pieces)
    earliest, latest = int(state.epochs.min()), int(state.epochs.max())
    if earliest == latest:
        now = np.broadcast_to(state.epochs[:1], at.shape)
    else:
        now = np.repeat(state.epochs[_waves(state, place)], pieces)
    return GranuleAccess(at, waves, now, earliest, latest)


_WHY: dict[Kind, str] = {
    "poison": ", which nobody has written",
    "race": ", which another wave writes or reads, and no barrier orders the two",
    "dma": ", and no wait (with a barrier, between waves) follows the copy that fills it",
}


def _kinds(problems: Problems) -> tuple[tuple[Kind, BoolArray], ...]:
    return (("poison", problems.poison), ("race", problems.race), ("dma", problems.dma))


def _conflict(
    state: WorkgroupState, node: Node, view: MemrefValue, place: Place, lost: BoolArray
) -> None:
    thread, offset = witness(place, int(lost.argmax()))
    lane, element = lane_text(state, thread), _element(view, offset)
    text = f"{lane} and another write different values to {element}"
    shared = view.buffer.space == "lds"
    state.fault(node, "write-write", text, thread, shared)


def _start_copies(
    state: WorkgroupState, node: Node, shadow: Shadow, touch: GranuleAccess, counts: IntArray
) -> IntArray:
    """Queue one copy per wave; its number for every granule. ``counts``: granules of each wave."""
    numbers = np.zeros(state.waves, np.int64)
    ends = np.cumsum(counts)
    for wave in state.active_waves():
        state.copies.append(node.location)
        numbers[wave] = len(state.copies)
        mine = touch.granule[ends[wave] - counts[wave] : ends[wave]]
        issue(state, wave, Copy(shadow, mine, len(state.copies)))
    return np.repeat(numbers, counts)


def _count_instructions(state: WorkgroupState, view: MemrefValue, place: Place) -> None:
    """Plain global accesses stand in the same queue as copies (one counter, vmcnt, on gfx9)."""
    width = int(np.prod(place.at.shape[1:], dtype=np.int64)) * view.element.bytes
    others = [_NO_COPY] * -(-width // _WIDEST_ACCESS_BYTES)
    for wave in state.active_waves():
        state.queues[wave] += others


def _granules(view: MemrefValue) -> int:
    """Granules of the allocation in one element of the view."""
    return max(1, view.element.storage.itemsize // view.buffer.granule_bytes)


def _element(view: MemrefValue, offset: int) -> str:
    return f"element {offset} of {view.buffer.name}"


def _bits(values: Array) -> Array:
    """Comparable bit for bit, NaN included."""
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
