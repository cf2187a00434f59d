"""The vector dialect on registers: taking apart, putting together, reductions, masks.

Semantics: the MLIR language reference of the vector dialect. Axis 0 of every array is the threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bankwise.change.execute.ops_reduce import reducer
from bankwise.change.execute.state import Node, Step, WorkgroupState
from bankwise.change.execute.values import Array, element, rows, shape

_DYNAMIC = -(2**63)


def integers_of(node: Node, name: str) -> list[int]:
    """An array attribute of integers, dense or not."""
    attribute = node.op.attributes[name]
    return [int(getattr(value, "value", value)) for value in attribute]


def _result(node: Node) -> tuple[int, ...]:
    return shape(node.op.results[0].type)


def _positions(node: Node, dynamic: Sequence[Array]) -> tuple[Any, ...]:
    """A position of constants and, in order, dynamic indices."""
    rest = iter(dynamic)
    return tuple(next(rest) if p == _DYNAMIC else p for p in integers_of(node, "static_position"))


def extract(node: Node) -> Step:
    """``vector.extract``, with constant or per-thread positions."""
    constants = integers_of(node, "static_position")
    if _DYNAMIC not in constants:
        where = (slice(None), *constants)
        return lambda state, v: (v[where],)

    def run(state: WorkgroupState, v: Array, *dynamic: Array) -> tuple[Array]:
        threads = np.arange(state.threads)
        return (rows(v, len(threads))[(threads, *_positions(node, dynamic))],)

    return run


def insert(node: Node) -> Step:
    """``vector.insert``."""

    def run(state: WorkgroupState, value: Array, v: Array, *dynamic: Array) -> tuple[Array]:
        if not dynamic:
            threads = max(len(value), len(v))
            out = rows(v, threads).copy()
            out[(slice(None), *_positions(node, ()))] = value
            return (out,)
        threads = state.threads
        out = rows(v, threads).copy()
        out[(np.arange(threads), *_positions(node, dynamic))] = value
        return (out,)

    return run


def _box(node: Node, sizes: Sequence[int]) -> tuple[slice, ...]:
    """The slices of a strided slice; trailing dimensions are whole."""
    offsets, strides = integers_of(node, "offsets"), integers_of(node, "strides")
    steps = zip(offsets, sizes, strides, strict=True)
    return (slice(None), *(slice(o, o + (n - 1) * s + 1, s) for o, n, s in steps))


def extract_strided_slice(node: Node) -> Step:
    """``vector.extract_strided_slice``."""
    box = _box(node, integers_of(node, "sizes"))
    return lambda state, v: (v[box],)


def insert_strided_slice(node: Node) -> Step:
    """``vector.insert_strided_slice``: a source of lower rank fills the last dimensions."""
    source = shape(node.op.operands[0].type)
    offsets = integers_of(node, "offsets")
    sizes = [1] * (len(offsets) - len(source)) + list(source)
    strides = [1] * (len(offsets) - len(source)) + integers_of(node, "strides")
    steps = zip(offsets, sizes, strides, strict=True)
    box = (slice(None), *(slice(o, o + (n - 1) * s + 1, s) for o, n, s in steps))

    def run(state: WorkgroupState, value: Array, v: Array) -> tuple[Array]:
        out = rows(v, max(len(value), len(v))).copy()
        out[box] = value.reshape(len(value), *sizes)
        return (out,)

    return run


def broadcast(node: Node) -> Step:
    """``vector.broadcast``, ``vector.splat``: repeat along new leading and unit dimensions."""
    target = _result(node)

    def run(state: WorkgroupState, v: Array) -> tuple[Array]:
        inner = (1,) * (len(target) - v.ndim + 1) + v.shape[1:]
        return (np.broadcast_to(v.reshape(len(v), *inner), (len(v), *target)),)

    return run


def reshape(node: Node) -> Step:
    """``vector.shape_cast``."""
    target = _result(node)
    return lambda state, v: (v.reshape(len(v), *target),)


def transpose(node: Node) -> Step:
    """``vector.transpose``."""
    axes = (0, *(p + 1 for p in integers_of(node, "permutation")))
    return lambda state, v: (v.transpose(axes),)


def from_elements(node: Node) -> Step:
    """``vector.from_elements``."""
    target = _result(node)

    def run(state: WorkgroupState, *values: Array) -> tuple[Array]:
        threads = max(len(v) for v in values)
        stacked = np.stack([rows(v, threads) for v in values], axis=1)
        return (stacked.reshape(threads, *target),)

    return run


def to_elements(node: Node) -> Step:
    """``vector.to_elements``."""
    count = len(node.op.results)

    def run(state: WorkgroupState, v: Array) -> tuple[Array, ...]:
        flat = v.reshape(len(v), -1)
        return tuple(flat[:, i] for i in range(count))

    return run


def shuffle(node: Node) -> Step:
    """``vector.shuffle``: elements of both vectors by number; -1 (poison) takes the first."""
    mask = np.maximum(integers_of(node, "mask"), 0)

    def run(state: WorkgroupState, a: Array, b: Array) -> tuple[Array]:
        threads = max(len(a), len(b))
        return (np.concatenate([rows(a, threads), rows(b, threads)], axis=1)[:, mask],)

    return run


def interleave(node: Node) -> Step:
    """``vector.interleave``: the last dimension alternates between both vectors."""
    target = _result(node)

    def run(state: WorkgroupState, a: Array, b: Array) -> tuple[Array]:
        a, b = np.broadcast_arrays(a, b)
        return (np.stack([a, b], axis=-1).reshape(len(a), *target),)

    return run


def deinterleave(node: Node) -> Step:
    """``vector.deinterleave``: even and odd elements of the last dimension."""
    return lambda state, v: (v[..., 0::2], v[..., 1::2])


def step(node: Node) -> Step:
    """``vector.step``: 0, 1, 2, ..."""
    value = np.arange(_result(node)[0], dtype=np.int64)[None]
    return lambda state: (value,)


def create_mask(node: Node) -> Step:
    """``vector.create_mask``: true where every index is below its bound."""
    target = _result(node)

    def run(state: WorkgroupState, *bounds: Array) -> tuple[Array]:
        return (below(bounds, target),)

    return run


def constant_mask(node: Node) -> Step:
    """``vector.constant_mask``."""
    bounds = [np.full(1, n, np.int64) for n in integers_of(node, "mask_dim_sizes")]
    value = below(bounds, _result(node))
    return lambda state: (value,)


def below(bounds: Sequence[Array], target: tuple[int, ...]) -> Array:
    """Which indices of a vector of shape ``target`` are below the bounds, one per dimension."""
    inside = np.ones((1, *target), np.int64)
    for axis, bound in enumerate(bounds):
        where = [1] * (len(target) + 1)
        where[axis + 1] = target[axis]
        index = np.arange(target[axis]).reshape(where)
        inside = inside & (index < bound.reshape(-1, *(1 for _ in target)))
    return inside


def reduction(node: Node) -> Step:
    """``vector.reduction``: from the first element to the last, the accumulator before them."""
    combine = reducer(node, element(node.op.operands[0].type, node.location))

    def run(state: WorkgroupState, v: Array, *accumulator: Array) -> tuple[Array]:
        total = accumulator[0] if accumulator else None
        for i in range(v.shape[1]):
            total = v[:, i] if total is None else combine(total, v[:, i])
        assert total is not None
        return (total,)

    return run


def multi_reduction(node: Node) -> Step:
    """``vector.multi_reduction``: the accumulator, then the elements in row-major order."""
    combine = reducer(node, element(node.op.operands[0].type, node.location))
    axes = integers_of(node, "reduction_dims")

    def run(state: WorkgroupState, v: Array, total: Array) -> tuple[Array]:
        kept = [d for d in range(v.ndim - 1) if d not in axes]
        moved = v.transpose(0, *(d + 1 for d in axes), *(d + 1 for d in kept))
        flat = moved.reshape(len(v), -1, *(v.shape[d + 1] for d in kept))
        for i in range(flat.shape[1]):
            total = combine(total, flat[:, i])
        return (total,)

    return run


TABLE: Mapping[str, Callable[[Node], Step]] = {
    "vector.broadcast": broadcast,
    "vector.constant_mask": constant_mask,
    "vector.create_mask": create_mask,
    "vector.deinterleave": deinterleave,
    "vector.extract": extract,
    "vector.extract_strided_slice": extract_strided_slice,
    "vector.from_elements": from_elements,
    "vector.insert": insert,
    "vector.insert_strided_slice": insert_strided_slice,
    "vector.interleave": interleave,
    "vector.multi_reduction": multi_reduction,
    "vector.reduction": reduction,
    "vector.shape_cast": reshape,
    "vector.shuffle": shuffle,
    "vector.splat": broadcast,
    "vector.step": step,
    "vector.to_elements": to_elements,
    "vector.transpose": transpose,
}
