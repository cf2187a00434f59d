"""The part of a kernel that decides where workgroup memory is touched.

A kernel is mostly arithmetic on data, on which no address depends. :func:`cut` keeps the accesses
to workgroup memory and, backwards from them, the indices, buffers, loop bounds and conditions they
depend on, as a program over numbered slots that :mod:`bankwise.read.mlir.trace` runs. What touches
workgroup memory and cannot be kept is a refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from iree.compiler import ir

from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir import indexing
from bankwise.read.mlir.decode import Locate, allocation, unknown
from bankwise.read.mlir.demand import NeededValues, allocators, demand, find_touches
from bankwise.read.mlir.graph import Graph, read
from bankwise.read.mlir.touches import MemrefAccess
from bankwise.read.mlir.value import Function, Outcome, UnknownValue


class Made(ByIdentity, frozen=True, eq=False):
    """An allocation: its name and type, and the operation that makes it."""

    name: str
    type: ir.MemRefType
    op: ir.Operation


class Compute(ByIdentity, frozen=True, eq=False):
    """Results from operands; ``allocates`` is the allocation that it makes, if it makes one."""

    op: ir.Operation
    function: Function
    operands: tuple[int, ...]
    results: tuple[int | None, ...]
    allocates: Made | None = None


class Visit(ByIdentity, frozen=True, eq=False):
    """Access number ``number`` of the kernel, with the slots of its memref, indices and mask."""

    touch: MemrefAccess
    number: int
    memref: int
    indices: tuple[int, ...]
    mask: int | None


class Carried(ByIdentity, frozen=True, eq=False):
    """One value carried around a loop: the slots of the four names it has."""

    initial: int
    argument: int
    yielded: int
    result: int | None


class Loop(ByIdentity, frozen=True, eq=False):
    """An scf.for; ``induction`` is None if nothing that is kept depends on its variable."""

    op: ir.Operation
    lower: int
    upper: int
    step: int
    induction: int | None
    carried: tuple[Carried, ...]
    body: tuple[Step, ...]


class Branch(ByIdentity, frozen=True, eq=False):
    """An scf.if; ``results``: the slots of what its branches yield, and of the result."""

    op: ir.Operation
    condition: int
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]
    results: tuple[tuple[int, int, int], ...]


Step = Compute | Visit | Loop | Branch


class KernelSlice(ByIdentity, frozen=True, eq=False):
    """A kernel cut down: a program over ``slots`` values. ``touches`` are in program order.

    ``asks_workgroup``: something in it depends on the workgroup. The module must stay alive as
    long as this: operations do not keep it so.
    """

    steps: tuple[Step, ...]
    slots: int
    touches: tuple[MemrefAccess, ...]
    refusals: tuple[Refusal, ...]
    asks_workgroup: bool


def cut(
    func: ir.Operation,
    locate: Locate,
    dims: Mapping[str, int],
    called: Callable[[ir.Value], str] = lambda value: "",
) -> KernelSlice:
    """Cut a kernel down to what decides its accesses to workgroup memory.

    ``dims`` gives numbers that only the launch knows, by the name of the value without ``%``;
    function arguments are also ``arg0``, ``arg1`` and so on. ``called``: the user's names.
    """
    graph = read(func, called)
    touches, refusals = find_touches(graph, locate)
    wanted = demand(graph, touches)
    numbered = {found.op: (number, found) for number, found in enumerate(touches)}
    slots = {value: slot for slot, value in enumerate(wanted.values)}
    writer = _Writer(graph, wanted, numbered, slots, locate, dims)
    steps = (*_arguments(writer), *_steps(writer, graph.body(func)))
    asks = any(_asks_workgroup(op) for op in wanted.functions)
    return KernelSlice(steps, len(slots), tuple(touches), tuple(refusals), asks)


def _asks_workgroup(op: ir.Operation) -> bool:
    asked = indexing.quantity(op)
    return asked is not None and asked[0] in ("workgroup", "global")


class _Writer(ByIdentity, frozen=True, eq=False):
    """What writing the program needs to know."""

    graph: Graph
    wanted: NeededValues
    touches: Mapping[ir.Operation, tuple[int, MemrefAccess]]
    slots: Mapping[ir.Value, int]
    locate: Locate
    dims: Mapping[str, int]


def _arguments(writer: _Writer) -> list[Step]:
    """What the arguments of the kernel are: allocations, given numbers, or unknown."""
    func = writer.graph.func
    steps: list[Step] = []
    for value in func.regions[0].blocks[0].arguments:
        if value in writer.graph.shared:
            made = Made(writer.graph.name(value), value.type, func)
            steps.append(_allocate(made, (), (writer.slots.get(value),)))
        elif value in writer.slots:
            steps.append(Compute(func, _given(writer, value), (), (writer.slots[value],)))
    return steps


def _given(writer: _Writer, value: ir.Value) -> Function:
    """The number that ``dims`` gives for a value, or why it is not known."""
    name = writer.graph.name(value)
    names = (name, f"arg{value.arg_number}") if isinstance(value, ir.BlockArgument) else (name,)
    number = next((writer.dims[n] for n in names if n in writer.dims), None)
    if number is not None:
        return _constant((np.asarray(number, np.int64),))
    because = f"argument {names[-1]}, whose value is not given"
    return _constant(UnknownValue(because, writer.locate(writer.graph.func)))


def _constant(outcome: Outcome) -> Function:
    return lambda operands, scope: outcome


def _steps(writer: _Writer, operations: Sequence[ir.Operation]) -> tuple[Step, ...]:
    return tuple(step for op in operations for step in _steps_of(writer, op))


def _steps_of(writer: _Writer, op: ir.Operation) -> list[Step]:
    if op.name in ("scf.for", "scf.if") and op not in writer.wanted.functions:
        return _loop(writer, op) if op.name == "scf.for" else _branch(writer, op)
    steps: list[Step] = []
    if op in writer.touches:
        steps.append(_visit(writer, op))
    if op in writer.wanted.functions:
        steps.append(_compute(writer, op))
    return steps


def _visit(writer: _Writer, op: ir.Operation) -> Visit:
    number, found = writer.touches[op]
    slots = [writer.slots.get(value) for value in op.operands]
    memref, mask = slots[found.memref], None if found.mask is None else slots[found.mask]
    assert memref is not None
    indices = tuple(slot for n in found.indices if (slot := slots[n]) is not None)
    assert len(indices) == len(found.indices)
    return Visit(found, number, memref, indices, mask)


def _compute(writer: _Writer, op: ir.Operation) -> Compute:
    slots = writer.slots
    results = tuple(slots.get(value) for value in op.results)
    operands = tuple(slots[value] for value in op.operands if value in slots)
    if writer.graph.allocates(op):
        return _allocate(_made(writer.graph, op), () if _is_part(op) else operands, results)
    function = writer.wanted.functions[op]
    if function is not None:
        return Compute(op, function, operands, results)
    name = writer.graph.name(op.results[0])
    given = writer.dims.get(name)
    if given is not None:
        return Compute(op, _constant((np.asarray(given, np.int64),)), (), results)
    return Compute(op, _constant(unknown(op, writer.graph, writer.locate)), (), results)


def _allocate(made: Made, operands: tuple[int, ...], results: tuple[int | None, ...]) -> Compute:
    swizzle = made.op.attributes.get("iree_codegen.swizzle")
    return Compute(made.op, allocation(made.name, made.type, swizzle), operands, results, made)


def _made(graph: Graph, op: ir.Operation) -> Made:
    """The allocation that an operation gives: of a part of a pool its first view, of a pool what no
    view shows."""
    pool, first, of = graph.pools.get(op), graph.part(op) or op, op.results[0].type
    if pool is not None:
        size = [pool.rest_bytes]
        of = ir.MemRefType.get(size, of.element_type, None, of.memory_space, op.location)
    return Made(allocation_name(graph, first), of, first)


def _is_part(op: ir.Operation) -> bool:
    return str(op.name) == "memref.view"


def allocation_name(graph: Graph, op: ir.Operation) -> str:
    """The name of an allocation; sibling regions may use one name twice, then it is numbered.

    A part of a pool has the name of its first view.
    """
    op = graph.part(op) or op
    if op.name == "memref.get_global":
        return str(op.attributes["name"].value)
    name = graph.name(op.results[0])
    twins = [a for a in allocators(graph) if graph.name(a.results[0]) == name]
    return name if len(twins) < 2 else f"{name}@{twins.index(op)}"


def _loop(writer: _Writer, op: ir.Operation) -> list[Step]:
    graph, slots = writer.graph, writer.slots
    body = graph.body(op)
    steps = _steps(writer, body)
    operands, yielded = list(op.operands), list(body[-1].operands)
    variable, *arguments = op.regions[0].blocks[0].arguments
    carried = tuple(
        Carried(slots[initial], slots[argument], slots[back], slots.get(result))
        for initial, argument, back, result in zip(
            operands[3:], arguments, yielded, op.results, strict=True
        )
        if argument in slots
    )
    if not steps and not carried:
        return []
    lower, upper, step = (slots[value] for value in operands[:3])
    return [Loop(op, lower, upper, step, slots.get(variable), carried, steps)]


def _branch(writer: _Writer, op: ir.Operation) -> list[Step]:
    slots = writer.slots
    regions = [writer.graph.body(op, region) for region in (0, 1)]
    then, otherwise = (_steps(writer, operations) for operations in regions)
    results = tuple(
        (slots[regions[0][-1].operands[n]], slots[regions[1][-1].operands[n]], slots[result])
        for n, result in enumerate(op.results)
        if result in slots
    )
    if not then and not otherwise and not results:
        return []
    return [Branch(op, slots[op.operands[0]], then, otherwise, results)]
