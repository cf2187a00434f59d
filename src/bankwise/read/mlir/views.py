"""Views of workgroup memory: where the element of a memref lies in its allocation.

    byte = base_bytes + element_bytes * place(offset + sum of index_i * stride_i)

``place`` is the identity unless a swizzle hint stands between the allocation and the view. Every
amount is a plain int, or an int64 array [threads] where threads differ (a subview at a thread's own
row). Semantics: the language reference of MLIR's memref dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from iree.compiler import ir
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray
from bankwise.identity import ByIdentity
from bankwise.read.mlir.swizzle_hint import SwizzleHint, swizzle_hint

Amount = int | IntArray

_DYNAMIC = -(2**63)
_WORKGROUP_SPACES = frozenset({"#gpu.address_space<workgroup>", "3", "3 : i64", "3 : i32"})
_WORKGROUP_POINTER = "!llvm.ptr<3>"


class View(ByIdentity, frozen=True, eq=False):
    """A memref value: a window on one allocation. Sizes, strides and offset are in elements."""

    allocation: str
    base_bytes: Amount
    offset: Amount
    sizes: tuple[Amount, ...]
    strides: tuple[Amount, ...]
    element_bytes: int
    hint: SwizzleHint | None = None

    def element(self, indices: Sequence[Amount]) -> Amount:
        """The element number of ``indices`` before any hint, from the base of the view."""
        total = self.offset
        for index, stride in zip(indices, self.strides, strict=True):
            total = total + index * stride
        return total

    def byte(self, element: Amount, *, hinted: bool = True) -> Amount:
        """The byte of the allocation in which an element number of this view starts."""
        if self.hint is not None and hinted:
            element = self.hint.place(np.asarray(element, np.int64))
        return self.base_bytes + element * self.element_bytes


class PossibleView(ByIdentity, frozen=True, eq=False):
    """One thing that a memref value can be, and for which threads (None: all of them)."""

    view: View
    active: BoolArray | None = None


Memref = tuple[PossibleView, ...]
"""A memref value of a kernel. More than one part where threads, or branches nobody can decide,
differ in the buffer they hold."""

Viewed = tuple[Any, ...] | str
"""The results of a view operation, views and amounts; or the reason why it cannot be followed."""

ViewFunction = Callable[[View, Sequence[Amount]], Viewed]
"""From the source view and the other operands of a view operation to its results."""


def is_workgroup(of: ir.Type) -> bool:
    """Whether a value of this type is, or points to, workgroup memory."""
    if isinstance(of, ir.MemRefType | ir.UnrankedMemRefType):
        return str(of.memory_space) in _WORKGROUP_SPACES
    return str(of) == _WORKGROUP_POINTER


def bytes_of(of: ir.Type) -> int | None:
    """Bytes of one element of this type; None if it is not a whole number of bytes."""
    bits = _bits(of)
    return bits // 8 if bits and bits % 8 == 0 else None


def _bits(of: ir.Type) -> int | None:
    if isinstance(of, ir.IndexType):
        return 64
    if isinstance(of, ir.IntegerType | ir.FloatType):
        return int(of.width)
    if isinstance(of, ir.ComplexType):
        return 2 * (_bits(of.element_type) or 0)
    if isinstance(of, ir.VectorType):
        return int(prod(of.shape)) * (_bits(of.element_type) or 0)
    return None


def whole_allocation(name: str, of: ir.MemRefType, dynamic: Sequence[Amount]) -> View | str:
    """The view of a fresh allocation of this type; ``dynamic`` fills the ``?`` of its shape.

    A reason instead for elements of less than a byte and layouts that are not strided.
    """
    element = bytes_of(of.element_type)
    if element is None:
        return f"elements of type {of.element_type} are not whole bytes"
    sizes = _static_and_dynamic(of.shape, dynamic)
    try:
        strides = tuple(of.get_strides_and_offset()[0])
    except RuntimeError:
        return f"the layout of {of} is not strided"
    if _DYNAMIC not in strides:
        return View(name, 0, 0, sizes, strides, element)
    if isinstance(of.layout, ir.StridedLayoutAttr):
        return f"{of} has no constant strides"
    return View(name, 0, 0, sizes, _row_major(sizes), element)


def size_bytes(view: View) -> int | None:
    """Bytes from the start of the allocation to behind the last element; None if threads differ."""
    last: Amount = 0
    for size, stride in zip(view.sizes, view.strides, strict=True):
        if is_int(size, 0):
            return 0
        last = last + (size - 1) * stride
    return (last + 1) * view.element_bytes if isinstance(last, int) else None


def is_view(op: ir.Operation) -> bool:
    """Whether :func:`view_function` knows this operation."""
    return op.name in _BUILDERS


def view_function(op: ir.Operation) -> ViewFunction | None:
    """How an operation makes a view of its first operand, or asks about it; None if it does not."""
    build = _BUILDERS.get(op.name)
    return build(op) if build else None


def plain(value: IntArray) -> Amount:
    """An amount from an index value: an int where all threads agree."""
    return int(value) if value.ndim == 0 else value


def is_int(amount: Amount, number: int) -> bool:
    """Whether all threads agree on an amount and it is this number."""
    return isinstance(amount, int) and amount == number


def _static_and_dynamic(static: Sequence[int], dynamic: Sequence[Amount]) -> tuple[Amount, ...]:
    rest = iter(dynamic)
    return tuple(next(rest) if size == _DYNAMIC else size for size in static)


def _take(op: ir.Operation, names: Sequence[str]) -> Callable[[Sequence[Amount]], list[Any]]:
    """Reader of the mixed static and dynamic lists ``static_<name>`` of an operation."""
    lists = [tuple(op.attributes[f"static_{name}"]) for name in names]

    def read(operands: Sequence[Amount]) -> list[Any]:
        rest = iter(operands)
        return [tuple(next(rest) if x == _DYNAMIC else int(x) for x in each) for each in lists]

    return read


def _row_major(sizes: Sequence[Amount]) -> tuple[Amount, ...]:
    strides: list[Amount] = []
    step: Amount = 1
    for size in reversed(sizes):
        strides.append(step)
        step = step * size
    return tuple(reversed(strides))


def _subview(op: ir.Operation) -> ViewFunction:
    read = _take(op, ("offsets", "sizes", "strides"))
    shape = tuple(op.results[0].type.shape)

    def apply(view: View, operands: Sequence[Amount]) -> Viewed:
        offsets, sizes, steps = read(operands)
        strides = tuple(a * b for a, b in zip(view.strides, steps, strict=True))
        kept = _kept_dimensions(sizes, shape)
        return (
            replace(
                view,
                offset=view.element(offsets),
                sizes=tuple(sizes[d] for d in kept),
                strides=tuple(strides[d] for d in kept),
            ),
        )

    return apply


def _kept_dimensions(sizes: Sequence[Amount], shape: Sequence[int]) -> tuple[int, ...]:
    """The dimensions a rank-reducing subview keeps; which unit dimension goes changes no place."""
    to_drop = len(sizes) - len(shape)
    kept: list[int] = []
    for dimension, size in enumerate(sizes):
        wanted = shape[len(kept)] if len(kept) < len(shape) else None
        if to_drop and is_int(size, 1) and wanted != 1:
            to_drop -= 1
        else:
            kept.append(dimension)
    return tuple(kept[: len(shape)])


def _unchanged_view(op: ir.Operation) -> ViewFunction:
    of = op.results[0].type
    if not isinstance(of, ir.MemRefType):
        return lambda view, operands: f"{of} hides its shape"
    return lambda view, operands: (view,)


def _expand(op: ir.Operation) -> ViewFunction:
    groups = [[int(d.value) for d in group] for group in op.attributes["reassociation"]]
    read = _take(op, ("output_shape",))

    def apply(view: View, operands: Sequence[Amount]) -> Viewed:
        (sizes,) = read(operands)
        strides: list[Amount] = []
        for group, outer in zip(groups, view.strides, strict=True):
            inner = _row_major([sizes[d] for d in group])
            strides.extend(step * outer for step in inner)
        if not groups:
            strides = [1] * len(sizes)
        return (replace(view, sizes=tuple(sizes), strides=tuple(strides)),)

    return apply


def _collapse(op: ir.Operation) -> ViewFunction:
    groups = [[int(d.value) for d in group] for group in op.attributes["reassociation"]]

    def apply(view: View, operands: Sequence[Amount]) -> Viewed:
        sizes = tuple(_product([view.sizes[d] for d in group]) for group in groups)
        strides = tuple(_innermost_stride(view, group) for group in groups)
        return (replace(view, sizes=sizes, strides=strides),)

    return apply


def _product(sizes: Sequence[Amount]) -> Amount:
    total: Amount = 1
    for size in sizes:
        total = total * size
    return total


def _innermost_stride(view: View, group: Sequence[int]) -> Amount:
    """The stride of a merged dimension: that of its last dimension longer than one."""
    longer = [d for d in group if not is_int(view.sizes[d], 1)]
    return view.strides[longer[-1] if longer else group[-1]]


def _reinterpret(op: ir.Operation) -> ViewFunction:
    read = _take(op, ("offsets", "sizes", "strides"))

    def apply(view: View, operands: Sequence[Amount]) -> Viewed:
        if view.hint is not None:
            return "memref.reinterpret_cast forgets the base of a swizzle hint"
        offsets, sizes, strides = read(operands)
        return (replace(view, offset=offsets[0], sizes=sizes, strides=strides),)

    return apply


def _byte_view(op: ir.Operation) -> ViewFunction:
    of = op.results[0].type

    def apply(view: View, operands: Sequence[Amount]) -> Viewed:
        if view.hint is not None:
            return "memref.view of a memref with a swizzle hint"
        whole = whole_allocation(view.allocation, of, operands[1:])
        if isinstance(whole, str):
            return whole
        return (replace(whole, base_bytes=view.byte(view.offset) + operands[0]),)

    return apply


def _transpose(op: ir.Operation) -> ViewFunction:
    order = [e.position for e in op.attributes["permutation"].value.results]

    def apply(view: View, operands: Sequence[Amount]) -> Viewed:
        sizes = tuple(view.sizes[d] for d in order)
        return (replace(view, sizes=sizes, strides=tuple(view.strides[d] for d in order)),)

    return apply


def _metadata(view: View, operands: Sequence[Amount]) -> Viewed:
    if view.hint is not None:
        return "memref.extract_strided_metadata forgets the base of a swizzle hint"
    base = replace(view, offset=0, sizes=(), strides=())
    return (base, view.offset, *view.sizes, *view.strides)


def _dimension(view: View, operands: Sequence[Amount]) -> Viewed:
    number = operands[0]
    if not isinstance(number, int) or not 0 <= number < len(view.sizes):
        return "memref.dim asks for no single dimension of the memref"
    return (view.sizes[number],)


def _hint(op: ir.Operation) -> ViewFunction:
    hint = swizzle_hint(op.attributes["swizzle"])
    text = str(op.attributes["swizzle"])

    def apply(view: View, operands: Sequence[Amount]) -> Viewed:
        if hint is None:
            return f"unknown swizzle {text}"
        if view.hint is not None:
            return "two swizzle hints, one on the other"
        if len(view.strides) != 1 or not is_int(view.strides[0], 1):
            return "a swizzle hint needs a contiguous memref of one dimension"
        return (replace(view, base_bytes=view.byte(view.offset), offset=0, hint=hint),)

    return apply


_BUILDERS: Mapping[str, Callable[[Any], ViewFunction]] = {
    "memref.subview": _subview,
    "memref.cast": _unchanged_view,
    "memref.memory_space_cast": _unchanged_view,
    "memref.assume_alignment": _unchanged_view,
    "memref.expand_shape": _expand,
    "memref.collapse_shape": _collapse,
    "memref.reinterpret_cast": _reinterpret,
    "memref.view": _byte_view,
    "memref.transpose": _transpose,
    "memref.extract_strided_metadata": lambda op: _metadata,
    "memref.dim": lambda op: _dimension,
    "iree_codegen.swizzle_hint": _hint,
}
