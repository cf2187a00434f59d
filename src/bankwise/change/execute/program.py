"""From operations to steps: a function read once, then run for every workgroup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from iree.compiler import ir
from msgspec import Struct
from msgspec.structs import replace

from bankwise.change.execute import (
    control,
    ops_access,
    ops_arith,
    ops_dpp,
    ops_gpu,
    ops_masked,
    ops_matrix,
    ops_memref,
    ops_sync,
    ops_vector,
)
from bankwise.change.execute.control import Body
from bankwise.change.execute.memref import number
from bankwise.change.execute.ops_memref import bound_view, is_lds, shared
from bankwise.change.execute.state import Node, Step, WorkgroupState
from bankwise.errors import Location
from bankwise.identity import ByIdentity
from bankwise.read.mlir.indexing import integer_bits

Locate = Callable[[ir.Operation], Location]
Known = Callable[[ir.Value], int | None]
"""The number of a value that only the launch knows: an index argument, a push constant."""


def nothing_known(value: ir.Value) -> int | None:
    """Of a launch that says no number."""
    return None


OPERATIONS: Mapping[str, Callable[[Node], Step]] = {
    **ops_arith.TABLE,
    **ops_vector.TABLE,
    **ops_access.TABLE,
    **ops_masked.TABLE,
    **ops_memref.TABLE,
    **ops_matrix.TABLE,
    **ops_gpu.TABLE,
    **ops_dpp.TABLE,
    **ops_sync.TABLE,
}
"""Every operation that is executed, beside the integer operations of ``ir.indexing`` and scf."""

_TERMINATORS = frozenset(
    {"func.return", "gpu.return", "memref.alloca_scope.return", "scf.condition", "scf.yield"}
)


class _SlotOperation(ByIdentity, frozen=True, eq=False):
    """One operation: the step and the slots of its operands and results."""

    name: str
    step: Step
    operands: tuple[int, ...]
    results: tuple[int, ...]


class ExecutableKernel(ByIdentity, frozen=True, eq=False):
    """A kernel that is ready to run. ``slots``: how many SSA values it has.

    ``arguments``: number, type and, where the launch says one, value.
    """

    function: Node
    arguments: tuple[tuple[int, ir.Type, int | None], ...]
    body: Body
    slots: int


def compiled(
    function: ir.Operation, locate: Locate, known: Known = nothing_known
) -> ExecutableKernel:
    """Read a kernel function. Raises :class:`InputError` at the first operation not executed."""
    reader = _ProgramBuilder(locate, known, {}, Counter())
    node = reader.node(function)
    if len(function.regions[0].blocks) != 1:
        raise node.refuse("only functions of one block are executed", "lower cf to scf")
    arguments = function.regions[0].blocks[0].arguments
    given = tuple((a.arg_number, a.type, known(a)) for a in arguments)
    body = reader.region(function.regions[0])
    return ExecutableKernel(node, given, body, len(reader.slots))


def run(program: ExecutableKernel, state: WorkgroupState) -> None:
    """Run workgroups to their end."""
    state.slots = [None] * program.slots
    arguments = [_argument(program, state, *argument) for argument in program.arguments]
    program.body(state, *arguments)
    passed_by = state.epochs.reshape(len(state.beside), -1)
    if (passed_by != passed_by[:, :1]).any():
        passed = ", ".join(f"wave {w}: {n}" for w, n in enumerate(state.epochs.tolist()))
        state.fault(program.function, "barrier", f"the waves pass different barriers ({passed})")


def _argument(
    program: ExecutableKernel, state: WorkgroupState, which: int, kind: ir.Type, given: int | None
) -> Any:
    """A memref argument is a binding; a ``!stream.binding`` is resolved by its subspan."""
    if not isinstance(kind, ir.MemRefType):
        if str(kind) == "!stream.binding":
            return None
        if given is not None and integer_bits(kind) is not None:
            return number(given)
        reason = f"its argument {which} is a {kind}, not a buffer"
        raise program.function.refuse(reason, "--dim NAME=NUMBER gives a number")
    if is_lds(kind):
        return shared(program.function, state, kind, f"argument {which}", iter(()))
    return bound_view(program.function, state, which, kind, number(0))


class _ProgramBuilder(Struct, frozen=True):
    """Numbers values and operations while reading."""

    locate: Locate
    known: Known
    slots: dict[ir.Value, int]
    sites: Counter[str]
    calling: tuple[ir.Operation, ...] = ()

    def node(self, op: ir.Operation) -> Node:
        site = self.sites[op.name]
        self.sites[op.name] += 1
        return Node(op, op.name, self.locate(op), site)

    def slot(self, value: ir.Value) -> int:
        return self.slots.setdefault(value, len(self.slots))

    def region(self, region: ir.Region) -> Body:
        block = region.blocks[0]
        arguments = tuple(self.slot(a) for a in block.arguments)
        operations = [op.operation for op in block.operations]
        lines = tuple(self.line(op) for op in operations if op.name not in _TERMINATORS)
        last = operations[-1] if operations else None
        returns = tuple(self.slot(v) for v in last.operands) if last else ()
        return _body(arguments, lines, returns)

    def line(self, op: ir.Operation) -> _SlotOperation:
        node = self.node(op)
        step = self.step(node)
        operands = tuple(self.slot(v) for v in op.operands)
        return _SlotOperation(op.name, step, operands, tuple(self.slot(v) for v in op.results))

    def step(self, node: Node) -> Step:
        if node.name in control.TABLE:
            bodies = [self.region(r) for r in node.op.regions if len(r.blocks)]
            return control.TABLE[node.name](node, bodies)
        if node.name == "func.call":
            return self.call(node)
        build = OPERATIONS.get(node.name)
        step = build(node) if build else ops_arith.integer(node) or self.given(node)
        if step is None:
            near = get_close_matches(node.name, OPERATIONS, n=3, cutoff=0.7)
            hint = f"executed are for example {', '.join(near)}" if near else ""
            raise node.refuse("this operation cannot be executed", hint)
        return step

    def call(self, node: Node) -> Step:
        """A call: the body of its function in its place."""
        name = str(ir.FlatSymbolRefAttr(node.op.attributes["callee"]).value)
        callee = _function(node.op, name)
        if callee is None or len(callee.regions[0].blocks) != 1:
            raise node.refuse(f"{name} is no function of one block in this file")
        if callee in self.calling:
            raise node.refuse(f"{name} calls itself")
        inside = replace(self, calling=(*self.calling, callee))
        body = inside.region(callee.regions[0])
        return lambda state, *operands: body(state, *operands)

    def given(self, node: Node) -> Step | None:
        """Of an operation whose results only the launch knows, if it says them."""
        found = [self.known(result) for result in node.op.results]
        if not found or None in found or node.op.regions:
            return None
        values = tuple(number(n) for n in found if n is not None)
        return lambda state, *operands: values


def _function(op: ir.Operation, name: str) -> ir.Operation | None:
    """The function of that name in the nearest module around an operation that has one."""
    while op.parent is not None:
        op = op.parent.operation
        for other in op.regions[0].blocks[0].operations if op.name != "func.func" else ():
            symbol = other.operation.attributes.get("sym_name")
            if symbol is not None and str(ir.StringAttr(symbol).value) == name:
                return other.operation
    return None


def _body(
    arguments: Sequence[int], lines: Sequence[_SlotOperation], returns: Sequence[int]
) -> Body:
    names = tuple(line.name for line in lines)

    def run_lines(state: WorkgroupState, *values: Any) -> tuple[Any, ...]:
        slots = state.slots
        state.begin(names)
        for slot, value in zip(arguments, values, strict=True):
            slots[slot] = value
        for line in lines:
            results = line.step(state, *[slots[i] for i in line.operands])
            for slot, value in zip(line.results, results, strict=True):
                slots[slot] = value
        return tuple(slots[i] for i in returns)

    return run_lines
