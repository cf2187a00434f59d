"""Views and accesses of the second executor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from iree.compiler import ir

from adversarial.integers import BINARY
from adversarial.interpreter import (
    Build,
    Line,
    Machine,
    Step,
    UnknownOperationError,
    element_of,
    shape_of,
)
from adversarial.memory import Array, Memref, Touched, linear, places

DYNAMIC = -(2**63)
_ALIGNED = 128
SHARED = ("#gpu.address_space<workgroup>", "3", "3 : i32", "3 : i64")


def is_shared(kind: Any) -> bool:
    return str(kind.memory_space) in SHARED


def layout(
    machine: Machine, kind: Any, dynamic: Iterator[Array]
) -> tuple[list[Array], list[Array]]:
    """Sizes and strides of a memref type."""
    sizes = [
        next(dynamic) if kind.is_dynamic_dim(d) else machine.fill(kind.get_dim_size(d))
        for d in range(kind.rank)
    ]
    strides, inner = list(kind.get_strides_and_offset()[0]), machine.fill(1)
    for d in reversed(range(kind.rank)):
        strides[d] = inner if strides[d] == DYNAMIC else machine.fill(strides[d])
        inner = strides[d] * sizes[d]
    return [np.asarray(s) for s in sizes], strides


def extent(sizes: Sequence[Array], strides: Sequence[Array]) -> int:
    """Elements from the first to behind the last one, of sizes that are alike in all rows."""
    steps = zip(sizes, strides, strict=True)
    return 1 + sum((int(size[0]) - 1) * int(stride[0]) for size, stride in steps)


def allocated(machine: Machine, kind: Any, name: str, dynamic: Iterator[Array]) -> Memref:
    """New memory of the workgroup, or of the thread."""
    memory = machine.spaces["workgroup" if is_shared(kind) else "private"]
    sizes, strides = layout(machine, kind, dynamic)
    of = element_of(kind)
    start, count = memory.used, extent(sizes, strides) * of.bytes
    memory.used += -(-count // _ALIGNED) * _ALIGNED + _ALIGNED
    if memory.used > memory.stretch:
        raise UnknownOperationError(f"more than {memory.stretch} bytes of {memory.name} memory")
    low, high = machine.fill(start), machine.fill(start + count)
    return Memref(memory, of, low, low, high, tuple(sizes), tuple(strides), base=low)


def _alloc(line: Line) -> Step:
    kind = ir.MemRefType(line.results[0].type)

    def run(machine: Machine, *dynamic: Array) -> tuple[Memref]:
        key = f"alloc {id(line)}"
        if key not in machine.shared:
            machine.shared[key] = allocated(machine, kind, key, iter(dynamic))
        return (machine.shared[key],)

    return run


def _global(line: Line) -> Step:
    kind, name = ir.MemRefType(line.results[0].type), str(line.op.attributes["name"])

    def run(machine: Machine) -> tuple[Memref]:
        if name not in machine.shared:
            machine.shared[name] = allocated(machine, kind, name, iter(()))
        return (machine.shared[name],)

    return run


def _mixed(line: Line, machine: Machine, name: str, dynamic: Iterator[Array]) -> list[Array]:
    values = (int(v) for v in line.op.attributes[name])
    return [next(dynamic) if v == DYNAMIC else machine.fill(v) for v in values]


def _subview(line: Line) -> Step:
    kind = ir.MemRefType(line.results[0].type)

    def run(machine: Machine, view: Memref, *operands: Array) -> tuple[Memref]:
        rest = iter(operands)
        offsets, sizes, steps = (
            _mixed(line, machine, f"static_{name}", rest)
            for name in ("offsets", "sizes", "strides")
        )
        strides = [a * b for a, b in zip(view.strides, steps, strict=True)]
        kept = list(range(len(sizes)))
        while len(kept) > kind.rank:
            kept.remove(next(d for d in kept if int(sizes[d][0]) == 1))
        moved = view.moved(linear(view, offsets))
        pick = (tuple(x[d] for d in kept) for x in (sizes, strides))
        return (replace(moved, **dict(zip(("sizes", "strides"), pick, strict=True))),)

    return run


def _reinterpret(line: Line) -> Step:
    def run(machine: Machine, view: Memref, *operands: Array) -> tuple[Memref]:
        rest = iter(operands)
        (offset,), sizes, strides = (
            _mixed(line, machine, f"static_{name}", rest)
            for name in ("offsets", "sizes", "strides")
        )
        start = view.at if view.base is None else view.base
        at = start + offset * view.kind.bytes
        return (replace(view, at=at, sizes=tuple(sizes), strides=tuple(strides)),)

    return run


def _groups(line: Line) -> list[list[int]]:
    return [[int(d.value) for d in group] for group in line.op.attributes["reassociation"]]


def _expand(line: Line) -> Step:
    groups = _groups(line)

    def run(machine: Machine, view: Memref, *operands: Array) -> tuple[Memref]:
        sizes = _mixed(line, machine, "static_output_shape", iter(operands))
        strides = [machine.fill(1)] * len(sizes)
        for group, stride in zip(groups, view.strides, strict=True):
            for d in reversed(group):
                strides[d] = stride
                stride = stride * sizes[d]
        return (replace(view, sizes=tuple(sizes), strides=tuple(strides)),)

    return run


def _collapse(line: Line) -> Step:
    groups = _groups(line)

    def run(machine: Machine, view: Memref) -> tuple[Memref]:
        sizes = tuple(np.prod([view.sizes[d] for d in g], axis=0) for g in groups)
        return (replace(view, sizes=sizes, strides=tuple(view.strides[g[-1]] for g in groups)),)

    return run


def _pool_view(line: Line) -> Step:
    kind = ir.MemRefType(line.results[0].type)

    def run(machine: Machine, view: Memref, shift: Array, *dynamic: Array) -> tuple[Memref]:
        sizes, strides = layout(machine, kind, iter(dynamic))
        at, of = view.at + shift, element_of(kind)
        return (replace(view, kind=of, at=at, base=at, sizes=tuple(sizes), strides=tuple(strides)),)

    return run


def _binding(line: Line) -> Step:
    which, kind = int(line.op.attributes["binding"]), ir.MemRefType(line.results[0].type)

    def run(machine: Machine, *rest: Array) -> tuple[Memref]:
        flat = machine.buffers[which]
        sizes, strides = layout(machine, kind, iter(rest[1:]))
        return (replace(flat, sizes=tuple(sizes), strides=tuple(strides)),)

    return run


def _raw(line: Line) -> Step:
    return lambda machine, view, *rest: (replace(view, raw=True),)


def _dim(line: Line) -> Step:
    return lambda machine, view, axis: (view.sizes[int(axis[0])],)


def _metadata(line: Line) -> Step:
    def run(machine: Machine, view: Memref) -> tuple[Any, ...]:
        start = view.at if view.base is None else view.base
        offset = (view.at - start) // view.kind.bytes
        return (replace(view, at=start, sizes=(), strides=()), offset, *view.sizes, *view.strides)

    return run


def _same(line: Line) -> Step:
    return lambda machine, view, *rest: (view,)


def _nothing(line: Line) -> Step:
    empty = tuple(None for _ in line.results)
    return lambda machine, *operands: empty


def _barrier(line: Line) -> Step:
    def run(machine: Machine) -> tuple[()]:
        machine.epoch += 1
        return ()

    return run


def touched(
    machine: Machine, view: Memref, indices: Sequence[Array], shape: tuple[int, ...]
) -> Touched:
    """The elements of a vector whose dimensions are the last ones of the view."""
    steps = np.indices(shape, np.int64).reshape(len(shape), int(np.prod(shape)))
    rank = len(indices)
    own = [i[:, None] for i in indices]
    for axis, along in enumerate(steps):
        d = rank - len(shape) + axis
        own[d] = own[d] + along
    offsets = np.broadcast_to(linear(view, own), (machine.rows, steps.shape[1]))
    return places(view, offsets, np.broadcast_to(machine.mask[:, None], offsets.shape))


def _load(line: Line) -> Step:
    shape = shape_of(line.results[0].type)

    def run(machine: Machine, view: Memref, *indices: Array) -> tuple[Array]:
        found = machine.load(line, view, touched(machine, view, indices, shape))
        return (found.reshape(machine.rows, *shape),)

    return run


def _store(line: Line) -> Step:
    shape = shape_of(line.operands[0].type)

    def run(machine: Machine, value: Array, view: Memref, *indices: Array) -> tuple[()]:
        at = touched(machine, view, indices, shape)
        machine.store(line, view, at, value.reshape(machine.rows, -1))
        return ()

    return run


def _masked(at: Touched, mask: Array) -> Touched:
    wanted = mask.reshape(len(mask), -1) != 0
    return Touched(at.at, at.wanted & wanted, at.outside & wanted)


def _masked_load(line: Line) -> Step:
    shape = shape_of(line.results[0].type)

    def run(machine: Machine, view: Memref, *rest: Array) -> tuple[Array]:
        *indices, mask, other = rest
        at = _masked(touched(machine, view, indices, shape), mask)
        found = machine.load(line, view, at).reshape(machine.rows, *shape)
        return (np.where(mask != 0, found, other),)

    return run


def _masked_store(line: Line) -> Step:
    shape = shape_of(line.operands[-1].type)

    def run(machine: Machine, view: Memref, *rest: Array) -> tuple[()]:
        *indices, mask, value = rest
        at = _masked(touched(machine, view, indices, shape), mask)
        machine.store(line, view, at, value.reshape(machine.rows, -1))
        return ()

    return run


def _along(machine: Machine, view: Memref, rest: Sequence[Array]) -> tuple[Touched, Array]:
    """Of gather and scatter: the first index plus a vector of them along the last dimension."""
    rank = len(view.strides)
    indices, several, mask = rest[:rank], rest[rank], rest[rank + 1]
    own = [i[:, None] for i in indices]
    own[-1] = own[-1] + several
    offsets = np.broadcast_to(linear(view, own), several.shape)
    at = places(view, offsets, np.broadcast_to(machine.mask[:, None], offsets.shape))
    return _masked(at, mask), mask


def _gather(line: Line) -> Step:
    def run(machine: Machine, view: Memref, *rest: Array) -> tuple[Array]:
        at, mask = _along(machine, view, rest)
        return (np.where(mask != 0, machine.load(line, view, at), rest[-1]),)

    return run


def _scatter(line: Line) -> Step:
    def run(machine: Machine, view: Memref, *rest: Array) -> tuple[()]:
        at, _ = _along(machine, view, rest)
        machine.store(line, view, at, rest[-1])
        return ()

    return run


def _atomic(line: Line) -> Step:
    names = ("addf", "addi", "andi", "assign", "maximumf", "maxnumf", "maxsi", "maxui")
    name = dict(enumerate(names)).get(int(line.op.attributes["kind"].value), "")
    if name != "assign" and name not in BINARY:
        raise UnknownOperationError(f"{line.name} {name}")

    def run(machine: Machine, value: Array, view: Memref, *indices: Array) -> tuple[Array]:
        at, old = touched(machine, view, indices, ()), np.zeros_like(value)
        for row in np.flatnonzero(machine.mask):
            one = Touched(at.at[row, None], at.wanted[row, None], at.outside[row, None])
            old[row] = machine.load(line, view, one)[0, 0]
            new = value[row] if name == "assign" else BINARY[name](old[row], value[row], 64)
            machine.store(line, view, one, np.asarray(new).reshape(1, 1))
        return (old,)

    return run


def _copy(line: Line) -> Step:
    kind = ir.MemRefType(line.operands[0].type)
    shape = tuple(kind.shape)

    def run(machine: Machine, source: Memref, target: Memref) -> tuple[()]:
        zero = [machine.fill(0)] * len(shape)
        found = machine.load(line, source, touched(machine, source, zero, shape))
        machine.store(line, target, touched(machine, target, zero, shape), found)
        return ()

    return run


TABLE: dict[str, Build] = {
    "memref.alloc": _alloc,
    "memref.alloca": _alloc,
    "memref.dealloc": _nothing,
    "memref.get_global": _global,
    "memref.subview": _subview,
    "memref.reinterpret_cast": _reinterpret,
    "memref.expand_shape": _expand,
    "memref.collapse_shape": _collapse,
    "memref.view": _pool_view,
    "gpu.barrier": _barrier,
    "amdgpu.lds_barrier": _barrier,
    "memref.dim": _dim,
    "memref.extract_strided_metadata": _metadata,
    "memref.copy": _copy,
    "memref.load": _load,
    "memref.store": _store,
    "memref.atomic_rmw": _atomic,
    # What its lanes exchange is a fixed permutation of what each of them loads: left out here.
    "amdgpu.transpose_load": _load,
    "vector.load": _load,
    "vector.store": _store,
    "vector.maskedload": _masked_load,
    "vector.maskedstore": _masked_store,
    "vector.gather": _gather,
    "vector.scatter": _scatter,
    "amdgpu.fat_raw_buffer_cast": _raw,
    "hal.interface.binding.subspan": _binding,
    **dict.fromkeys(("memref.cast", "memref.assume_alignment", "memref.memory_space_cast"), _same),
    **dict.fromkeys(
        (
            *("amdgpu.memory_counter_wait", "memref.prefetch"),
            *("nvgpu.device_async_create_group", "nvgpu.device_async_wait", "rocdl.s.waitcnt"),
        ),
        _nothing,
    ),
}
