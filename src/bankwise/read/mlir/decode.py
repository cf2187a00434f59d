"""What the operations of a kernel compute, as far as an address of workgroup memory can need it.

Integers, thread ids, views of workgroup memory, vector masks and selections have a function; every
other result is unknown and says on which load or operation it depends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from iree.compiler import ir
from msgspec.structs import replace

from bankwise.counting.access import IntArray
from bankwise.errors import Location
from bankwise.read.mlir import indexing
from bankwise.read.mlir.graph import Graph
from bankwise.read.mlir.indexing import first_active
from bankwise.read.mlir.masks import MaskFunction, mask_function
from bankwise.read.mlir.swizzle_hint import swizzle_hint
from bankwise.read.mlir.value import ActiveThreads, Function, Outcome, UnknownValue, Value, chosen
from bankwise.read.mlir.views import (
    PossibleView,
    View,
    ViewFunction,
    plain,
    view_function,
    whole_allocation,
)

Locate = Callable[[ir.Operation], Location]

_LOADS = frozenset(
    {
        "memref.load",
        "memref.atomic_rmw",
        "memref.generic_atomic_rmw",
        "vector.load",
        "vector.maskedload",
        "vector.gather",
        "vector.transfer_read",
        "amdgpu.raw_buffer_load",
        "amdgpu.transpose_load",
        "nvgpu.ldmatrix",
        "llvm.load",
    }
)


def function_of(op: ir.Operation, graph: Graph) -> Function | None:
    """How the results of ``op`` follow from its operands; None if only the machine can tell."""
    integer = indexing.compiled(op)
    if integer is not None:
        return _integers(integer)
    if indexing.asks_for_threads(op):
        return _threads(op)
    if graph.shared_operands(op):
        if op.name == "arith.select":
            return _select
        view = view_function(op)
        return _view(view, op.name) if view else None
    mask = mask_function(op)
    return _mask(mask) if mask else None


def allocation(name: str, of: ir.MemRefType, swizzle: ir.Attribute | None = None) -> Function:
    """The memref of an allocation of this type; the operands are its dynamic sizes.

    ``swizzle``: its attribute ``iree_codegen.swizzle``, which IREE makes a hint of every access.
    """
    hint = None if swizzle is None else swizzle_hint(swizzle)

    def apply(operands: Sequence[Any], scope: ActiveThreads) -> Outcome:
        view = whole_allocation(name, of, [plain(size) for size in operands])
        if isinstance(view, str):
            return UnknownValue(f"a type that is not analysed: {view}")
        if swizzle is not None and hint is None:
            return UnknownValue(f"the swizzle {swizzle}")
        return ((PossibleView(replace(view, hint=hint)),),)

    return apply


def unknown(op: ir.Operation, graph: Graph, locate: Locate) -> UnknownValue:
    """Why the results of an operation without a function are not known."""
    load = _load_behind(op, graph)
    if load is not None:
        return UnknownValue(f"data loaded by {load.name}", locate(load))
    return UnknownValue(f"the result of {op.name}", locate(op))


def _load_behind(op: ir.Operation, graph: Graph) -> ir.Operation | None:
    """The first load that ``op`` computes on, through operations that only pass data on."""
    waiting, seen = [op], set()
    while waiting:
        current = waiting.pop(0)
        if current.name in _LOADS:
            return current
        if current in seen or len(current.regions):
            continue
        seen.add(current)
        makers = (graph.maker(value) for value in current.operands)
        waiting.extend(maker for maker in makers if maker)
    return None


def _integers(function: indexing.Function) -> Function:
    def apply(operands: Sequence[Any], scope: ActiveThreads) -> Outcome:
        return function(operands)

    return apply


def _threads(op: ir.Operation) -> Function:
    name = op.name

    def apply(operands: Sequence[Any], scope: ActiveThreads) -> Outcome:
        if indexing.exchanges(op) and not scope.exact and not _uniform(operands[0], scope):
            return UnknownValue(f"the result of {name} of values that differ, in unknown lanes")
        found = indexing.thread_results(op, scope.ids, operands, scope.active)
        return found or UnknownValue(f"the result of {name}, which is not known here")

    return apply


def _uniform(values: IntArray, scope: ActiveThreads) -> bool:
    """Whether the active lanes of every wave have one value."""
    if values.ndim == 0:
        return True
    return not (scope.active & (values != first_active(values, scope.ids, scope.active))).any()


def _mask(function: MaskFunction) -> Function:
    def apply(operands: Sequence[Any], scope: ActiveThreads) -> Outcome:
        return (function(operands),)

    return apply


def _select(operands: Sequence[Any], scope: ActiveThreads) -> Outcome:
    condition, then, otherwise = operands
    return (chosen(condition != 0, then, otherwise),)


def _view(function: ViewFunction, name: str) -> Function:
    def apply(operands: Sequence[Any], scope: ActiveThreads) -> Outcome:
        memref, *others = operands
        amounts = [plain(value) for value in others]
        found = [function(part.view, amounts) for part in memref]
        reason = next((each for each in found if isinstance(each, str)), None)
        if reason is not None:
            return UnknownValue(f"a view that cannot be followed: {name}: {reason}")
        masks = [part.active for part in memref]
        return tuple(_joined(results, masks) for results in zip(*found, strict=True))

    return apply


def _joined(results: Sequence[Any], masks: Sequence[Any]) -> Value:
    """One result of a view operation from its values for each part of the memref."""
    first = results[0]
    if isinstance(first, View):
        return tuple(PossibleView(view, mask) for view, mask in zip(results, masks, strict=True))
    if all(np.array_equal(first, other) for other in results[1:]):
        return np.asarray(first, np.int64)
    return UnknownValue("a size or stride of one of several buffers")
