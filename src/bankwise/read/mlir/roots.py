"""What a memref can be a view of, read from the text alone: for what no run has shown.

Amounts that only a run can tell (a dynamic offset of a subview) are taken to be zero: the views are
right for proposals, not for counting.
"""

from __future__ import annotations

from collections.abc import Sequence

from iree.compiler import ir

from bankwise.read.mlir.graph import ALLOCATORS
from bankwise.read.mlir.pools import part_of
from bankwise.read.mlir.views import View, view_function, whole_allocation

_CARRIED = 3
"""Operands of an scf.for before the carried values."""


def roots(value: ir.Value) -> tuple[tuple[ir.Operation, View], ...] | None:
    """The allocations that a memref may view, each with the view of it; None if one is unknown."""
    found: list[tuple[ir.Operation, View]] = []
    return tuple(found) if _collect(value, found, []) else None


def _collect(value: ir.Value, found: list[tuple[ir.Operation, View]], seen: list[ir.Value]) -> bool:
    if value in seen:
        return True
    seen.append(value)
    if isinstance(value.owner, ir.Block):
        sources = _round_by_round(value)
        return bool(sources) and all(_collect(source, found, seen) for source in sources)
    op = value.owner.operation
    part = part_of(op)
    if op.name in ALLOCATORS or part is not None:
        dynamic = [] if part is not None else list(map(_constant, op.operands))
        whole = whole_allocation("", ir.MemRefType(value.type), dynamic)
        if isinstance(whole, View):
            found.append((part or op, whole))
        return isinstance(whole, View)
    if view_function(op) is not None:
        return _viewed(op, ir.OpResult(value).result_number, found, seen)
    sources = _sources(op, ir.OpResult(value).result_number)
    return bool(sources) and all(_collect(source, found, seen) for source in sources)


def _viewed(
    op: ir.Operation, number: int, found: list[tuple[ir.Operation, View]], seen: list[ir.Value]
) -> bool:
    behind: list[tuple[ir.Operation, View]] = []
    if not _collect(op.operands[0], behind, seen):
        return False
    function = view_function(op)
    assert function is not None, "asked for views alone"
    amounts = [_constant(operand) for operand in list(op.operands)[1:]]
    for root, view in behind:
        made = function(view, amounts)
        if isinstance(made, str) or not isinstance(made[number], View):
            return False
        found.append((root, made[number]))
    return True


def _round_by_round(value: ir.Value) -> Sequence[ir.Value]:
    loop, number = value.owner.owner.operation, ir.BlockArgument(value).arg_number
    if loop.name != "scf.for" or number == 0:
        return ()
    return (loop.operands[_CARRIED + number - 1], _yields(loop, 0)[number - 1])


def _sources(op: ir.Operation, number: int) -> Sequence[ir.Value]:
    if op.name == "arith.select":
        return list(op.operands)[1:]
    if op.name == "scf.for":
        return (op.operands[_CARRIED + number], _yields(op, 0)[number])
    if op.name == "scf.if":
        return tuple(_yields(op, region)[number] for region in range(2))
    return ()


def _yields(op: ir.Operation, region: int) -> Sequence[ir.Value]:
    *_, last = op.regions[region].blocks[0].operations
    return list(last.operation.operands)


def _constant(value: ir.Value) -> int:
    """The number of a constant; zero for everything else."""
    if isinstance(value.owner, ir.Block):
        return 0
    op = value.owner.operation
    attribute = op.attributes["value"] if op.name == "arith.constant" else None
    return int(attribute.value) if isinstance(attribute, ir.IntegerAttr) else 0
