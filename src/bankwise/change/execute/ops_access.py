"""Loads, stores and atomics of the memref and vector dialects, plain, masked and raw.

Semantics: the MLIR language reference of memref and vector, and of ``amdgpu.raw_buffer_load``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from iree.compiler import ir

from bankwise.change.execute import shadow as shadows
from bankwise.change.execute.memory import (
    MemrefValue,
    Place,
    Raw,
    fetch,
    load,
    locate,
    number,
    report,
    span_bytes,
    store,
    touch_of,
    typed,
)
from bankwise.change.execute.ops_reduce import ATOMIC_KINDS, combiner
from bankwise.change.execute.ops_vector import below
from bankwise.change.execute.state import Node, Step, WorkgroupState
from bankwise.change.execute.values import Array, element, rows, shape, to_memory
from bankwise.counting.access import BoolArray, IntArray


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
        olds = np.zeros_like(values)
        for thread in np.flatnonzero(place.legal):
            one = slice(thread, thread + 1)
            here = Place(place.at[one], place.legal[one])
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


def masked_load(node: Node) -> Step:
    """``vector.maskedload``: the pass-through value where the mask is off."""
    extent = shape(node.op.results[0].type)

    def run(state: WorkgroupState, view: MemrefValue, *rest: Array) -> tuple[Array]:
        *indices, mask, otherwise = rest
        place = locate(state, node, view, indices, extent, mask != 0)
        return (np.where(mask != 0, load(state, node, view, place), otherwise),)

    return run


def masked_store(node: Node) -> Step:
    """``vector.maskedstore``."""
    extent = shape(node.op.operands[-1].type)

    def run(state: WorkgroupState, view: MemrefValue, *rest: Array) -> tuple[()]:
        *indices, mask, value = rest
        place = locate(state, node, view, indices, extent, mask != 0)
        store(state, node, view, place, value)
        return ()

    return run


def transfer_read(node: Node) -> Step:
    """``vector.transfer_read`` along the last dimensions; out of bounds gives the padding value."""
    extent, in_bounds = _transfer(node, node.op.results[0])

    def run(state: WorkgroupState, view: MemrefValue, *rest: Array) -> tuple[Array]:
        indices, padding, mask = _transfer_operands(view, rest)
        wanted = _inside(view, indices, extent, in_bounds, mask)
        got = load(state, node, view, locate(state, node, view, indices, extent, wanted))
        lifted = padding.reshape(-1, *(1 for _ in extent))
        return (np.where(wanted, got, lifted).astype(got.dtype, copy=False),)

    return run


def transfer_write(node: Node) -> Step:
    """``vector.transfer_write`` along the last dimensions; out of bounds writes nothing."""
    extent, in_bounds = _transfer(node, node.op.operands[0])

    def run(state: WorkgroupState, value: Array, view: MemrefValue, *rest: Array) -> tuple[()]:
        indices, mask = rest[: len(view.sizes)], rest[len(view.sizes) :]
        wanted = _inside(view, indices, extent, in_bounds, mask[0] if mask else None)
        store(state, node, view, locate(state, node, view, indices, extent, wanted), value)
        return ()

    return run


def _transfer(node: Node, vector: ir.Value) -> tuple[tuple[int, ...], list[bool]]:
    extent = shape(vector.type)
    mapping = node.op.attributes["permutation_map"].value
    last = range(mapping.n_dims - len(extent), mapping.n_dims)
    axes = [e.position if isinstance(e, ir.AffineDimExpr) else -1 for e in mapping.results]
    if axes != list(last):
        raise node.refuse("only transfers along the last dimensions, in order, are executed")
    return extent, [bool(b.value) for b in node.op.attributes["in_bounds"]]


def _transfer_operands(
    view: MemrefValue, rest: Sequence[Array]
) -> tuple[Sequence[Array], Array, Array | None]:
    count = len(view.sizes)
    return rest[:count], rest[count], rest[count + 1] if len(rest) > count + 1 else None


def _inside(
    view: MemrefValue,
    indices: Sequence[Array],
    extent: tuple[int, ...],
    in_bounds: Sequence[bool],
    mask: Array | None,
) -> BoolArray:
    """The elements to transfer: inside the view where ``in_bounds`` does not promise it."""
    plain = len(indices) - len(extent)
    bounds = [
        np.full(1, extent[d], np.int64)
        if in_bounds[d]
        else view.sizes[plain + d] - indices[plain + d]
        for d in range(len(extent))
    ]
    inside = below(bounds, extent) if extent else np.ones(1, np.int64)
    return np.asarray((inside if mask is None else inside & mask) != 0)


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
    "memref.load": scalar_load,
    "memref.store": scalar_store,
    "vector.load": vector_load,
    "vector.maskedload": masked_load,
    "vector.maskedstore": masked_store,
    "vector.store": vector_store,
    "vector.transfer_read": transfer_read,
    "vector.transfer_write": transfer_write,
}
