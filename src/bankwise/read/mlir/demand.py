"""What the accesses of a kernel to workgroup memory are, and which values they depend on."""

from __future__ import annotations

from collections.abc import Iterable

from iree.compiler import ir

from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir.decode import Locate, function_of
from bankwise.read.mlir.graph import ALLOCATORS, Graph
from bankwise.read.mlir.touches import MemrefAccess, touch
from bankwise.read.mlir.value import Function
from bankwise.read.mlir.views import is_view

_FOLLOWED = frozenset({"scf.for", "scf.if"})
_PARALLEL = frozenset({"scf.forall", "scf.parallel", "gpu.launch"})
_NO_ACCESS = frozenset({"scf.for", "scf.yield", "arith.select", "memref.dealloc"})
_BOUNDS = 3
"""Operands of an scf.for before the carried values: lower bound, upper bound, step."""


class NeededValues(ByIdentity, frozen=True, eq=False):
    """The values that decide where memory is touched, and how the operations compute them.

    A function of None: the results of that operation are not known from the text.
    """

    values: frozenset[ir.Value]
    functions: dict[ir.Operation, Function | None]


def find_touches(graph: Graph, locate: Locate) -> tuple[list[MemrefAccess], list[Refusal]]:
    """The accesses to workgroup memory in program order, and those that cannot be analysed."""
    touches: list[MemrefAccess] = []
    refusals: list[Refusal] = []
    for op in graph.operations:
        for found in _touches_of(graph, op, locate):
            if isinstance(found, str):
                refusals.append(Refusal(found, locate(op)))
            else:
                touches.append(found)
    return touches, refusals


def allocators(graph: Graph) -> list[ir.Operation]:
    """The operations that allocate workgroup memory where it can be followed."""
    return [op for op in graph.operations if graph.allocates(op) and not obstacle(graph, op)]


def obstacle(graph: Graph, op: ir.Operation) -> ir.Operation | None:
    """The innermost operation around ``op`` whose control flow is not followed."""
    for around in graph.ancestors(op):
        if around.name not in _FOLLOWED:
            return around
    entry = graph.func.regions[0].blocks
    return _first_branch(graph) if len(entry) > 1 else None


def demand(graph: Graph, touches: Iterable[MemrefAccess]) -> NeededValues:
    """Follow the accesses and allocations backwards to all that decides where they touch."""
    values: set[ir.Value] = set()
    functions: dict[ir.Operation, Function | None] = {}
    waiting: list[ir.Value] = []
    for found in touches:
        used = (found.memref, *found.indices, *(() if found.mask is None else (found.mask,)))
        waiting.extend(found.op.operands[n] for n in used)
        waiting.extend(_controls(graph, found.op))
    for op in allocators(graph):
        waiting.extend((op.results[0], *_controls(graph, op)))
    while waiting:
        value = waiting.pop()
        if value not in values:
            values.add(value)
            waiting.extend(_direct_operands(graph, value, functions))
    return NeededValues(frozenset(values), functions)


def _touches_of(graph: Graph, op: ir.Operation, locate: Locate) -> list[MemrefAccess | str]:
    operands = graph.shared_operands(op)
    if not operands:
        return _unknown_memory(graph, op)
    if op.name in _NO_ACCESS:
        return []
    if is_view(op):
        return _hidden(graph, op)
    around = obstacle(graph, op)
    if around is not None:
        return [_blocked(op, around, locate)]
    return [touch(op, operand) for operand in operands]


def _unknown_memory(graph: Graph, op: ir.Operation) -> list[MemrefAccess | str]:
    known = op.name in ALLOCATORS or op.name in _FOLLOWED
    if known or not any(result in graph.shared for result in op.results):
        return []
    return [f"{op.name} makes workgroup memory, and bankwise does not know how"]


def _hidden(graph: Graph, op: ir.Operation) -> list[MemrefAccess | str]:
    """A cast to a memory space that no longer says workgroup: later uses would go unseen."""
    memrefs = [r for r in op.results if isinstance(r.type, ir.MemRefType | ir.UnrankedMemRefType)]
    if all(result in graph.shared for result in memrefs):
        return []
    return [f"{op.name} hides that its result is workgroup memory"]


def _blocked(op: ir.Operation, around: ir.Operation, locate: Locate) -> str:
    reason = f"{op.name} is inside {around.name} ({locate(around)}), which is not followed"
    if around.name in _PARALLEL:
        return f"{reason}: lower it to thread ids first"
    if around.name.startswith("cf."):
        return (
            f"{op.name} is in a kernel with {around.name}: only structured control flow is followed"
        )
    return reason


def _first_branch(graph: Graph) -> ir.Operation:
    return next(op for op in graph.operations if len(op.successors))


def _controls(graph: Graph, op: ir.Operation) -> list[ir.Value]:
    """The loop bounds and conditions that decide how often ``op`` runs."""
    found: list[ir.Value] = []
    for around in graph.ancestors(op):
        found.extend(list(around.operands)[: _BOUNDS if around.name == "scf.for" else 1])
    return found


def _direct_operands(
    graph: Graph, value: ir.Value, functions: dict[ir.Operation, Function | None]
) -> list[ir.Value]:
    """The values from which ``value`` comes directly."""
    if value in graph.arguments:
        return _behind_argument(graph, *graph.arguments[value])
    op, number = graph.producers[value]
    if op.name == "scf.for" and obstacle(graph, op) is None:
        block = op.regions[0].blocks[0]
        return [block.arguments[1 + number]]
    if op.name == "scf.if" and obstacle(graph, op) is None:
        yields = [graph.body(op, region)[-1].operands[number] for region in (0, 1)]
        return [op.operands[0], *yields]
    if op in functions:
        return []
    if graph.allocates(op) and op.name not in ALLOCATORS:
        functions[op] = None
        return []
    functions[op] = None if op.name in ALLOCATORS else function_of(op, graph)
    known = functions[op] is not None or op.name in ALLOCATORS
    return list(op.operands) if known else []


def _behind_argument(graph: Graph, op: ir.Operation, number: int) -> list[ir.Value]:
    if op == graph.func or op.name not in _FOLLOWED:
        return []
    operands = list(op.operands)
    if number == 0:
        return operands[:_BOUNDS]
    carried = number - 1
    last = graph.body(op)[-1]
    return [*operands[:_BOUNDS], operands[_BOUNDS + carried], last.operands[carried]]
