"""Vectors, transfers, copies, matrix loads and calls of the second executor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from iree.compiler import ir

from adversarial.buffers import touched
from adversarial.interpreter import (
    Build,
    Line,
    Machine,
    Step,
    UnknownOperationError,
    shape_of,
)
from adversarial.memory import Array, Memref, Touched, linear, places


def _transfer(line: Line) -> Step:
    """``vector.transfer_read`` and ``_write``: what is outside of the view reads the padding."""
    reading = line.name == "vector.transfer_read"
    shape = shape_of(line.results[0].type if reading else line.operands[0].type)
    of = line.op.attributes["permutation_map"].value
    broadcast = [isinstance(e, ir.AffineConstantExpr) for e in of.results]
    along = [0 if b else e.position for b, e in zip(broadcast, of.results, strict=True)]
    bounds = [bool(b.value) for b in line.op.attributes["in_bounds"]]
    steps = np.indices(shape, np.int64).reshape(len(shape), int(np.prod(shape)))

    def located(machine: Machine, view: Memref, indices: Any, mask: Array | None) -> Touched:
        own = [i[:, None] for i in indices]
        for d, step, still in zip(along, steps, broadcast, strict=True):
            own[d] = own[d] + (0 if still else step)
        count = max(1, int(np.prod(shape)))
        inside = np.ones((machine.rows, count), np.bool_)
        for d, bound, still in zip(along, bounds, broadcast, strict=True):
            if not bound and not still:
                inside &= (own[d] >= 0) & (own[d] < view.sizes[d][:, None])
        offsets = np.broadcast_to(linear(view, own), (machine.rows, count))
        wanted = inside & machine.mask[:, None]
        if mask is not None:
            inverse = _mask_in_vector_order(mask, along, broadcast, shape)
            wanted = wanted & inverse
        return places(view, offsets, wanted)

    def run_read(machine: Machine, view: Memref, *rest: Array) -> tuple[Array]:
        rank = len(view.strides)
        at = located(machine, view, rest[:rank], rest[rank + 1] if len(rest) > rank + 1 else None)
        found = machine.load(line, view, at)
        pad = rest[rank].reshape(machine.rows, 1)
        return (np.where(at.wanted | at.outside, found, pad).reshape(machine.rows, *shape),)

    def run_write(machine: Machine, value: Array, view: Memref, *rest: Array) -> tuple[()]:
        rank = len(view.strides)
        at = located(machine, view, rest[:rank], rest[rank] if len(rest) > rank else None)
        machine.store(line, view, at, value.reshape(machine.rows, -1))
        return ()

    return run_read if reading else run_write


def _mask_in_vector_order(
    mask: Array, along: list[int], broadcast: list[bool], shape: tuple[int, ...]
) -> Array:
    """The mask has the order of the memref's dimensions, the vector another one."""
    kept = [d for d, still in zip(along, broadcast, strict=True) if not still]
    order = [sorted(kept).index(d) for d in kept]
    turned = mask.transpose(0, *(1 + n for n in order))
    axes = [n for n, still in enumerate(broadcast) if still]
    for axis in axes:
        turned = np.expand_dims(turned, 1 + axis)
    return np.broadcast_to(turned, (len(mask), *shape)).reshape(len(mask), -1) != 0


def _broadcast(line: Line) -> Step:
    shape = shape_of(line.results[0].type)

    def run(machine: Machine, x: Array) -> tuple[Array]:
        lifted = x.reshape(machine.rows, *(1,) * (1 + len(shape) - x.ndim), *x.shape[1:])
        return (np.broadcast_to(lifted, (machine.rows, *shape)),)

    return run


def _extract(line: Line) -> Step:
    position = [int(n) for n in line.op.attributes["static_position"]]

    def run(machine: Machine, x: Array, *dynamic: Array) -> tuple[Array]:
        rest, every = iter(dynamic), np.arange(machine.rows)
        at = [next(rest) if n == -(2**63) else machine.fill(n) for n in position]
        return (x[(every, *at)],)

    return run


def _insert(line: Line) -> Step:
    position = [int(n) for n in line.op.attributes["static_position"]]

    def run(machine: Machine, value: Array, x: Array, *dynamic: Array) -> tuple[Array]:
        rest, every, new = iter(dynamic), np.arange(machine.rows), x.copy()
        at = [next(rest) if n == -(2**63) else machine.fill(n) for n in position]
        new[(every, *at)] = value
        return (new,)

    return run


def _slice(line: Line, sizes: Sequence[int]) -> tuple[slice, ...]:
    """All threads, and the elements that ``offsets`` and ``strides`` name."""
    starts, steps = ([int(str(n).split(" ")[0]) for n in line.op.attributes[name]]
                     for name in ("offsets", "strides"))  # fmt: skip
    pairs = zip(starts, sizes, steps, strict=True)
    return (slice(None), *(slice(a, a + n * step, step) for a, n, step in pairs))


def _extract_slice(line: Line) -> Step:
    where = _slice(line, shape_of(line.results[0].type))
    return lambda machine, x: (x[where],)


def _insert_slice(line: Line) -> Step:
    where = _slice(line, shape_of(line.operands[0].type))

    def run(machine: Machine, value: Array, x: Array) -> tuple[Array]:
        new = x.astype(value.dtype)
        new[where] = value
        return (new,)

    return run


_POISON = 0x5B
"""No element that is stored may still be this: every one is inserted before."""


def _poison(line: Line) -> Step:
    shape = shape_of(line.results[0].type)
    return lambda machine: (np.full((machine.rows, *shape), _POISON, np.int64),)


def _shape_cast(line: Line) -> Step:
    shape = shape_of(line.results[0].type)
    return lambda machine, x: (x.reshape(machine.rows, *shape),)


def _elements(line: Line) -> Step:
    shape = shape_of(line.results[0].type)
    return lambda machine, *xs: (np.stack(xs, axis=1).reshape(machine.rows, *shape),)


def _create_mask(line: Line) -> Step:
    shape = shape_of(line.results[0].type)

    def run(machine: Machine, *bounds: Array) -> tuple[Array]:
        places_ = np.indices(shape)
        held = np.ones((machine.rows, *shape), np.int64)
        for at, bound in zip(places_, bounds, strict=True):
            held &= at[None] < bound.reshape(-1, *(1,) * len(shape))
        return (held,)

    return run


def _step(line: Line) -> Step:
    shape = shape_of(line.results[0].type)
    return lambda machine: (np.broadcast_to(np.arange(shape[0]), (machine.rows, *shape)),)


def _first(machine: Machine, values: Array) -> Array:
    """Of each wave the value of its first active lane, in all of its rows."""
    wave = machine.ids["every wave"]
    found, first = np.unique(np.where(machine.mask, wave, -1), return_index=True)
    of_wave = np.zeros(int(wave.max()) + 1, np.int64)
    of_wave[found[found >= 0]] = values[first[found >= 0]]
    return of_wave[wave]


def _first_lane(line: Line) -> Step:
    return lambda machine, x, *rest: (_first(machine, x),)


def _gather_to_lds(line: Line) -> Step:
    """Lane l writes its elements behind those of lane l - 1, from the first lane's destination."""
    moved = ir.TypeAttr(line.op.attributes["transferType"]).value
    shape = shape_of(moved)
    count = int(np.prod(shape))
    segments = [int(n) for n in line.op.attributes["operandSegmentSizes"]]

    def run(machine: Machine, source: Memref, *rest: Any) -> tuple[()]:
        indices, target = rest[: segments[1]], rest[segments[1]]
        to = rest[segments[1] + 1 :][: segments[3]]
        found = machine.load(line, source, touched(machine, source, indices, (count,)))
        lane = machine.ids["lane_id"]
        first = _first(machine, linear(target, to) + target.at // target.kind.bytes)
        offsets = first - target.at // target.kind.bytes + lane * count
        every = offsets[:, None] + np.arange(count)
        wanted = np.broadcast_to(machine.mask[:, None], every.shape)
        machine.store(line, target, places(target, every, wanted), found)
        return ()

    return run


def _async_copy(line: Line) -> Step:
    count = int(line.op.attributes["dstElements"])
    segments = [int(n) for n in line.op.attributes["operandSegmentSizes"]]

    def run(machine: Machine, target: Memref, *rest: Any) -> tuple[None]:
        to, source = rest[: segments[1]], rest[segments[1]]
        indices = rest[segments[1] + 1 :][: segments[3]]
        at = touched(machine, source, indices, (count,))
        if segments[4]:
            wanted = np.arange(count)[None] < rest[-1][:, None]
            at = Touched(at.at, at.wanted & wanted, at.outside & wanted)
        found = machine.load(line, source, at)
        machine.store(line, target, touched(machine, target, to, (count,)), found)
        return (None,)

    return run


def _ldmatrix(line: Line) -> Step:
    """Lane 8 m + r names row r of matrix m; lane l gets 2 of row l div 4 (transposed: of column).

    Fragments are two 16-bit elements per matrix and lane.
    """
    tiles = int(line.op.attributes["numTiles"])
    transposed = bool(line.op.attributes["transpose"].value)
    shape = shape_of(line.results[0].type)

    def run(machine: Machine, view: Memref, *indices: Array) -> tuple[Array]:
        if view.kind.bytes != 2 or shape != (tiles, 2):
            raise UnknownOperationError("ldmatrix of other than 16-bit elements")
        lane = machine.ids["lane_id"]
        supplies = machine.mask & (lane < 8 * tiles)
        own = touched(machine, view, indices, (8,))
        wanted = own.wanted & supplies[:, None]
        rows_ = machine.load(line, view, Touched(own.at, wanted, own.outside & supplies[:, None]))
        start = np.arange(machine.rows) - lane
        result = np.zeros((machine.rows, tiles, 2), rows_.dtype)
        for tile in range(tiles):
            for half in range(2):
                row, column = lane // 4, lane % 4 * 2 + half
                if transposed:
                    row, column = column, row
                result[:, tile, half] = rows_[start + 8 * tile + row, column]
        return (result,)

    return run


def _matrix_load(line: Line) -> Step:
    """``gpu.subgroup_mma_load_matrix``: here every lane holds the whole matrix."""
    ahead = int(line.op.attributes["leadDimension"])
    said = str(line.results[0].type).split("<")[1].split("x")
    high, wide = int(said[0]), int(said[1])

    def run(machine: Machine, view: Memref, *indices: Array) -> tuple[Array]:
        return (machine.load(line, view, _matrix(machine, view, indices, ahead, high, wide)),)

    return run


def _matrix_store(line: Line) -> Step:
    ahead = int(line.op.attributes["leadDimension"])
    said = str(line.operands[0].type).split("<")[1].split("x")
    high, wide = int(said[0]), int(said[1])

    def run(machine: Machine, value: Array, view: Memref, *indices: Array) -> tuple[()]:
        machine.store(line, view, _matrix(machine, view, indices, ahead, high, wide), value)
        return ()

    return run


def _matrix(
    machine: Machine, view: Memref, indices: Any, ahead: int, high: int, wide: int
) -> Touched:
    rows_, columns = np.indices((high, wide)).reshape(2, -1)
    offsets = linear(view, indices)[:, None] + rows_ * ahead + columns
    return places(view, offsets, np.broadcast_to(machine.mask[:, None], offsets.shape))


def _call(line: Line) -> Step:
    callee = str(line.op.attributes["callee"]).removeprefix("@")

    def run(machine: Machine, *operands: Any) -> Any:
        if callee not in machine.functions:
            raise UnknownOperationError(f"a call of {callee}")
        return machine.functions[callee](machine, *operands)

    return run


TABLE: dict[str, Build] = {
    "vector.transfer_read": _transfer,
    "vector.transfer_write": _transfer,
    "vector.broadcast": _broadcast,
    "vector.splat": _broadcast,
    "vector.extract": _extract,
    "vector.insert": _insert,
    "ub.poison": _poison,
    "vector.extract_strided_slice": _extract_slice,
    "vector.insert_strided_slice": _insert_slice,
    "vector.shape_cast": _shape_cast,
    "vector.from_elements": _elements,
    "vector.create_mask": _create_mask,
    "vector.step": _step,
    "gpu.subgroup_broadcast": _first_lane,
    "rocdl.readfirstlane": _first_lane,
    "amdgpu.gather_to_lds": _gather_to_lds,
    "nvgpu.device_async_copy": _async_copy,
    "nvgpu.ldmatrix": _ldmatrix,
    "gpu.subgroup_mma_load_matrix": _matrix_load,
    "gpu.subgroup_mma_store_matrix": _matrix_store,
    "func.call": _call,
}
