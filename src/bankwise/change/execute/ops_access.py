"""Loads, stores and atomics of the memref and vector dialects, plain and raw.

Semantics: the MLIR language reference of memref and vector, and of ``amdgpu.raw_buffer_load``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from iree.compiler import ir
from msgspec.structs import replace

from bankwise.change.execute import shadow as shadows
from bankwise.change.execute.memory import fetch, load, report, store, touch_of
from bankwise.change.execute.memref import MemrefValue, Raw, number, span_bytes, typed
from bankwise.change.execute.ops_reduce import ATOMIC_KINDS, combiner
from bankwise.change.execute.places import Place, locate, placed
from bankwise.change.execute.side_by_side import note_update
from bankwise.change.execute.state import Node, Step, WorkgroupState
from bankwise.change.execute.values import Array, element, rows, shape, to_memory
from bankwise.counting.access import IntArray


def scalar_load(node: Node) -> Step:
    """``memref.load``."""

    def run(state: WorkgroupState, view: MemrefValue, *indices: IntArray) -> tuple[Array]:
        return (load(state, node, view, locate(state, node, view, indices)),)

    return run


def scalar_store(node: Node) -> Step:
    """``memref.store``."""

    def run(
        state: WorkgroupState, value: Array, view: MemrefValue, *indices: IntArray
    ) -> tuple[()]:
        store(state, node, view, locate(state, node, view, indices), value)
        return ()

    return run


def copy_memref(node: Node) -> Step:
    """``memref.copy``: every thread that runs copies all elements."""
    extent = tuple(node.op.operands[0].type.shape)
    if not ir.MemRefType(node.op.operands[0].type).has_static_shape:
        raise node.refuse("copies of an unknown size are not executed")
    zeros = [number(0)] * len(extent)

    def run(state: WorkgroupState, source: MemrefValue, target: MemrefValue) -> tuple[()]:
        values = load(state, node, source, locate(state, node, source, zeros, extent))
        store(state, node, target, locate(state, node, target, zeros, extent), values)
        return ()

    return run


def atomic(node: Node) -> Step:
    """``memref.atomic_rmw``: the threads take turns in the order of their numbers."""
    name = ATOMIC_KINDS[int(node.op.attributes["kind"])]
    of = element(node.op.operands[0].type, node.location)
    combine = (lambda old, new: new) if name == "assign" else combiner(node, of, name)

    def run(
        state: WorkgroupState, value: Array, view: MemrefValue, *indices: IntArray
    ) -> tuple[Array]:
        place = locate(state, node, view, indices)
        values = rows(value, state.threads)
        if view.buffer.shadow is not None:
            problems = shadows.atomic(view.buffer.shadow, touch_of(state, view, place))
            report(state, node, view, place, problems, "updates")
        elif view.buffer.space == "global":
            note_update(state.bindings)
        olds = np.zeros_like(values)
        for thread in np.flatnonzero(place.legal):
            one = slice(thread, thread + 1)
            here = placed(place.at[one], place.legal[one])
            olds[one] = fetch(view, here)
            typed(view)[here.at] = to_memory(of, combine(olds[one], values[one]))
        return (olds,)

    return run


def vector_load(node: Node) -> Step:
    """``vector.load``; a scalar-shaped vector is allowed."""
    extent = shape(node.op.results[0].type)

    def run(state: WorkgroupState, view: MemrefValue, *indices: Array) -> tuple[Array]:
        return (load(state, node, view, locate(state, node, view, indices, extent)),)

    return run


def vector_store(node: Node) -> Step:
    """``vector.store``."""
    extent = shape(node.op.operands[0].type)

    def run(state: WorkgroupState, value: Array, view: MemrefValue, *indices: Array) -> tuple[()]:
        store(state, node, view, locate(state, node, view, indices, extent), value)
        return ()

    return run


def raw_load(node: Node) -> Step:
    """``amdgpu.raw_buffer_load``: out of range reads 0."""
    extent = shape(node.op.results[0].type)

    def run(state: WorkgroupState, view: MemrefValue, *operands: Array) -> tuple[Array]:
        return (load(state, node, view, _raw_place(state, node, view, operands, extent)),)

    return run


def raw_store(node: Node) -> Step:
    """``amdgpu.raw_buffer_store``: out of range writes nothing."""
    extent = shape(node.op.operands[0].type)

    def run(state: WorkgroupState, value: Array, view: MemrefValue, *operands: Array) -> tuple[()]:
        store(state, node, view, _raw_place(state, node, view, operands, extent), value)
        return ()

    return run


def _raw_place(
    state: WorkgroupState,
    node: Node,
    view: MemrefValue,
    operands: Sequence[Array],
    extent: tuple[int, ...],
) -> Place:
    """Indices, then perhaps an offset; both and ``indexOffset`` count elements."""
    rank = len(view.sizes)
    extra = sum(operands[rank:], number(0))
    if "indexOffset" in node.op.attributes:
        extra = extra + int(node.op.attributes["indexOffset"])
    raw = Raw(view.base, span_bytes(view))
    moved = replace(view, offset=view.offset + extra, raw=raw)
    return locate(state, node, moved, operands[:rank], extent)


TABLE: Mapping[str, Callable[[Node], Step]] = {
    "amdgpu.raw_buffer_load": raw_load,
    "amdgpu.raw_buffer_store": raw_store,
    "memref.atomic_rmw": atomic,
    "memref.copy": copy_memref,
    "memref.load": scalar_load,
    "memref.store": scalar_store,
    "vector.load": vector_load,
    "vector.store": vector_store,
}
