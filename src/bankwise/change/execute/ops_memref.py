"""Memrefs that are not accessed yet: bindings, allocations and views.

Semantics: the MLIR language reference of memref; a view never copies, it only changes offset, sizes
and strides. Bindings: ``stream.binding.subspan`` of the n-th argument, or
``hal.interface.binding.subspan`` with ``binding(n)``; both offsets are in bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from iree.compiler import ir
from msgspec.structs import replace

from bankwise.change.execute.memref import FlatMemory, Hint, MemrefValue, Raw, number, span_bytes
from bankwise.change.execute.shadow import new_shadow
from bankwise.change.execute.state import Node, Step, WorkgroupState
from bankwise.change.execute.values import element
from bankwise.counting.access import IntArray
from bankwise.read.mlir.swizzle_hint import swizzle_hint

_DYNAMIC = -(2**63)
_LDS_ALIGNMENT = 16
"""Elements to which the shared memory of workgroups side by side is rounded up, each for itself, so
that views of it by other types count in whole elements."""


def is_lds(kind: ir.MemRefType) -> bool:
    """Is this memref in shared memory (``#gpu.address_space<workgroup>``, or the integer 3)?"""
    return str(kind.memory_space) in ("#gpu.address_space<workgroup>", "3", "3 : i32", "3 : i64")


def bound_view(
    node: Node, state: WorkgroupState, which: int, kind: ir.MemRefType, first: IntArray
) -> MemrefValue:
    """Binding ``which`` as a memref of type ``kind``, ``first`` elements into its flat buffer."""
    if which >= len(state.buffers):
        raise node.refuse(f"binding {which} has no buffer; {len(state.buffers)} were given")
    data = state.buffers[which]
    of = element(kind, node.location)
    if data.ndim != 1 or data.dtype.itemsize != of.storage.itemsize:
        raise node.refuse(
            f"the buffer given is {data.dtype}{list(data.shape)}, the binding holds {of}",
            hint=f"give a flat numpy array of {of.storage}",
        )
    buffer = FlatMemory(f"binding {which}", "global", data.view(of.storage), of.bytes)
    sizes, strides = _layout(kind, iter(()), len(data))
    _, start = kind.get_strides_and_offset()
    return MemrefValue(buffer, of, first, sizes, strides, base=number(0) if start else first)


def _layout(
    kind: ir.MemRefType, dynamic: Iterator[IntArray], otherwise: int = 0
) -> tuple[tuple[IntArray, ...], tuple[IntArray, ...]]:
    """Sizes and strides of a type; ``dynamic`` gives its dynamic sizes, else ``otherwise``."""
    sizes = []
    for axis in range(kind.rank):
        known = not kind.is_dynamic_dim(axis)
        sizes.append(number(kind.get_dim_size(axis)) if known else next(dynamic, number(otherwise)))
    steps, _ = kind.get_strides_and_offset()
    strides = list(map(number, steps))
    inner = number(1)
    for axis in reversed(range(kind.rank)):
        if steps[axis] == _DYNAMIC:
            strides[axis] = inner
        inner = strides[axis] * sizes[axis]
    return tuple(sizes), tuple(strides)


def stream_subspan(node: Node) -> Step:
    """``stream.binding.subspan``: its binding is the function argument of the same number."""
    which = ir.BlockArgument(node.op.operands[0]).arg_number
    return _subspan(node, which, 1)


def hal_subspan(node: Node) -> Step:
    """``hal.interface.binding.subspan``."""
    return _subspan(node, int(node.op.attributes["binding"]), 0)


def _subspan(node: Node, which: int, skip: int) -> Step:
    kind = ir.MemRefType(node.op.results[0].type)
    of = element(kind, node.location)

    def run(state: WorkgroupState, *operands: Any) -> tuple[MemrefValue]:
        offset, *dynamic = operands[skip:]
        view = bound_view(node, state, which, kind, offset // of.bytes)
        sizes, strides = _layout(kind, iter(dynamic), len(view.buffer.data))
        return (replace(view, sizes=sizes, strides=strides),)

    return run


def shared(
    node: Node, state: WorkgroupState, kind: ir.MemRefType, name: str, dynamic: Iterator[IntArray]
) -> MemrefValue:
    """Poisoned shared memory of the workgroup."""
    of = element(kind, node.location)
    sizes, strides = _layout(kind, dynamic)
    count = _span(node, sizes, strides)
    step, first = count, number(0)
    if len(state.beside) > 1:
        step = -(-count // _LDS_ALIGNMENT) * _LDS_ALIGNMENT
        first = state.workgroup_of * step
    whole = step * len(state.beside)
    shadow = new_shadow(whole, state.ids.waves)
    data = np.zeros(whole, of.storage)
    buffer = FlatMemory(name, "lds", data, of.bytes, shadow, (count, step))
    return MemrefValue(buffer, of, first, sizes, strides, base=first)


def alloc(node: Node) -> Step:
    """``memref.alloc``, ``memref.alloca``: poisoned shared memory, or memory of one thread."""
    kind = node.op.results[0].type
    of = element(kind, node.location)
    name = f"the allocation at {node.location}"
    if is_lds(kind):
        return lambda state, *dynamic: (shared(node, state, kind, name, iter(dynamic)),)

    def run(state: WorkgroupState, *dynamic: IntArray) -> tuple[MemrefValue]:
        sizes, strides = _layout(kind, iter(dynamic))
        count = _span(node, sizes, strides)
        data = np.zeros(count * state.threads, of.storage)
        offset = np.arange(state.threads, dtype=np.int64) * count
        return (
            MemrefValue(FlatMemory(name, "private", data, of.bytes), of, offset, sizes, strides),
        )

    return run


def get_global(node: Node) -> Step:
    """``memref.get_global`` of shared memory: one buffer per name."""
    kind, name = node.op.results[0].type, str(node.op.attributes["name"])
    if not is_lds(kind):
        raise node.refuse("only globals in shared memory are executed")

    def run(state: WorkgroupState) -> tuple[MemrefValue]:
        if name not in state.globals:
            state.globals[name] = shared(node, state, kind, name, iter(()))
        return (state.globals[name],)

    return run


def swizzled(node: Node) -> Step:
    """``iree_codegen.swizzle_hint``."""
    hint = swizzle_hint(node.op.attributes["swizzle"])
    if hint is None:
        raise node.refuse(f"the swizzle {node.op.attributes['swizzle']} is not known")
    return lambda state, view: (replace(view, hint=Hint(hint, view.offset)),)


def _span(node: Node, sizes: Sequence[IntArray], strides: Sequence[IntArray]) -> int:
    """Elements from the first to behind the last; the sizes must be alike for all threads."""
    if any((values != values[0]).any() for values in (*sizes, *strides)):
        raise node.refuse("threads allocate different sizes")
    if any(int(size[0]) == 0 for size in sizes):
        return 0
    steps = zip(sizes, strides, strict=True)
    return 1 + sum((int(size[0]) - 1) * int(stride[0]) for size, stride in steps)


def _static_and_dynamic(node: Node, name: str, dynamic: Iterator[IntArray]) -> list[IntArray]:
    """A list of constants, with operands where it says dynamic."""
    values = node.op.attributes[name]
    return [next(dynamic) if v == _DYNAMIC else number(int(v)) for v in values]


def subview(node: Node) -> Step:
    """``memref.subview``, with or without dropped unit dimensions."""
    kept = _kept_dimensions(node)

    def run(state: WorkgroupState, view: MemrefValue, *operands: IntArray) -> tuple[MemrefValue]:
        rest = iter(operands)
        offsets = _static_and_dynamic(node, "static_offsets", rest)
        sizes = _static_and_dynamic(node, "static_sizes", rest)
        steps = _static_and_dynamic(node, "static_strides", rest)
        at = view.offset
        for offset, stride in zip(offsets, view.strides, strict=True):
            at = at + offset * stride
        strides = [a * b for a, b in zip(view.strides, steps, strict=True)]
        new_sizes = tuple(sizes[d] for d in kept)
        return (replace(view, offset=at, sizes=new_sizes, strides=tuple(strides[d] for d in kept)),)

    return run


def _kept_dimensions(node: Node) -> list[int]:
    """The dimensions that a rank-reducing subview keeps: by size, and by stride in doubt."""
    sizes = list(node.op.attributes["static_sizes"])
    kind = ir.MemRefType(node.op.results[0].type)
    surplus = len(sizes) - kind.rank
    if surplus == 0:
        return list(range(len(sizes)))
    source, _ = ir.MemRefType(node.op.operands[0].type).get_strides_and_offset()
    target, _ = kind.get_strides_and_offset()
    kept: list[int] = []
    for d, size in enumerate(sizes):
        axis = len(kept)
        fits = axis < kind.rank and (size == kind.shape[axis] or size == _DYNAMIC)
        droppable = size == 1 and d - axis < surplus
        if not droppable or (fits and source[d] == target[axis] and target[axis] != _DYNAMIC):
            kept.append(d)
    if len(kept) != kind.rank:
        raise node.refuse("which dimensions are dropped is not clear")
    return kept


def reinterpret_cast(node: Node) -> Step:
    """``memref.reinterpret_cast``: the offset counts from the base of the source."""

    def run(state: WorkgroupState, view: MemrefValue, *operands: IntArray) -> tuple[MemrefValue]:
        rest = iter(operands)
        (offset,) = _static_and_dynamic(node, "static_offsets", rest)
        sizes = tuple(_static_and_dynamic(node, "static_sizes", rest))
        strides = tuple(_static_and_dynamic(node, "static_strides", rest))
        return (replace(view, offset=view.base + offset, sizes=sizes, strides=strides),)

    return run


def unchanged(node: Node) -> Step:
    """Casts that change the type only."""
    return lambda state, view, *rest: (view,)


def expand_shape(node: Node) -> Step:
    """``memref.expand_shape``."""
    groups = [[int(d.value) for d in group] for group in node.op.attributes["reassociation"]]

    def run(state: WorkgroupState, view: MemrefValue, *operands: IntArray) -> tuple[MemrefValue]:
        sizes = _static_and_dynamic(node, "static_output_shape", iter(operands))
        strides = [number(1)] * len(sizes)
        for group, stride in zip(groups, view.strides, strict=True):
            for d in reversed(group):
                strides[d] = stride
                stride = stride * sizes[d]
        return (replace(view, sizes=tuple(sizes), strides=tuple(strides)),)

    return run


def collapse_shape(node: Node) -> Step:
    """``memref.collapse_shape``: a group of dimensions takes the stride of its innermost one."""
    groups = [[int(d.value) for d in group] for group in node.op.attributes["reassociation"]]

    def run(state: WorkgroupState, view: MemrefValue) -> tuple[MemrefValue]:
        sizes = tuple(_product(view.sizes[d] for d in group) for group in groups)
        strides = tuple(_innermost(view, group) for group in groups)
        return (replace(view, sizes=sizes, strides=strides),)

    return run


def _product(values: Iterator[IntArray]) -> IntArray:
    total = number(1)
    for value in values:
        total = total * value
    return total


def _innermost(view: MemrefValue, group: Sequence[int]) -> IntArray:
    """The stride of the last dimension of the group that is longer than one element."""
    long = [d for d in group if (view.sizes[d] != 1).any()]
    return view.strides[(long or group)[-1]]


def reshaped_bytes(node: Node) -> Step:
    """``memref.view``: another element type on a flat i8 buffer, at a byte offset."""
    kind = ir.MemRefType(node.op.results[0].type)
    of = element(kind, node.location)

    def run(
        state: WorkgroupState, view: MemrefValue, shift: IntArray, *dynamic: IntArray
    ) -> tuple[MemrefValue]:
        first = view.offset + shift
        if (first % of.storage.itemsize != 0).any():
            raise node.refuse(f"byte offset {int(first.max())} is not a multiple of a {of}")
        sizes, strides = _layout(kind, iter(dynamic))
        first = first // of.storage.itemsize
        return (MemrefValue(view.buffer, of, first, sizes, strides, base=first),)

    return run


def dim(node: Node) -> Step:
    """``memref.dim``."""

    def run(state: WorkgroupState, view: MemrefValue, axis: IntArray) -> tuple[IntArray]:
        if (axis != axis.flat[0]).any():
            raise node.refuse("the threads ask for different dimensions")
        return (view.sizes[int(axis.flat[0])],)

    return run


def metadata(node: Node) -> Step:
    """``memref.extract_strided_metadata``: base, offset, sizes, strides."""

    def run(state: WorkgroupState, view: MemrefValue) -> tuple[Any, ...]:
        base = replace(view, offset=view.base, sizes=(), strides=())
        return (base, view.offset - view.base, *view.sizes, *view.strides)

    return run


def nothing(node: Node) -> Step:
    """An operation without effect on values."""
    return lambda state, *operands: ()


def fat_raw_buffer(node: Node) -> Step:
    """``amdgpu.fat_raw_buffer_cast``: accesses are checked against ``validBytes`` from the base.

    Without ``validBytes`` the range is max(size * stride) of the memref, as the operation says.
    """
    segments = [int(n) for n in node.op.attributes["operandSegmentSizes"]]
    reset = "resetOffset" in node.op.attributes

    def run(state: WorkgroupState, view: MemrefValue, *operands: IntArray) -> tuple[MemrefValue]:
        base = view.offset if reset else view.base
        valid = operands[0] & 0xFFFFFFFF if segments[1] else span_bytes(view)
        return (replace(view, raw=Raw(base, valid), base=base),)

    return run


TABLE: Mapping[str, Callable[[Node], Step]] = {
    "amdgpu.fat_raw_buffer_cast": fat_raw_buffer,
    "hal.interface.binding.subspan": hal_subspan,
    "iree_codegen.swizzle_hint": swizzled,
    "memref.alloc": alloc,
    "memref.alloca": alloc,
    "memref.assume_alignment": unchanged,
    "memref.cast": unchanged,
    "memref.collapse_shape": collapse_shape,
    "memref.dealloc": nothing,
    "memref.dim": dim,
    "memref.expand_shape": expand_shape,
    "memref.get_global": get_global,
    "memref.extract_strided_metadata": metadata,
    "memref.memory_space_cast": unchanged,
    "memref.prefetch": nothing,
    "memref.reinterpret_cast": reinterpret_cast,
    "memref.subview": subview,
    "memref.view": reshaped_bytes,
    "stream.binding.subspan": stream_subspan,
}
