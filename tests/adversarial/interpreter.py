"""A second executor of kernels, for the oracle: all workgroups of a launch side by side.

It shares no code with the package beyond the parser of MLIR. One numpy row is one thread; control
flow is a mask. It has what the package's own executor has not: arguments that are numbers, calls,
threads that choose different buffers, workgroup memory as an argument, matrix loads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from iree.compiler import ir

from adversarial.memory import Array, Kind, Memref, Space, Touched, kind_of, raced, read, write


class UnknownOperationError(Exception):
    """An operation that this interpreter does not execute: there is no judgement."""


@dataclass(slots=True, eq=False)
class Machine:
    """A launch while it runs. ``ids``: [rows] by name (thread_id x, block_dim y, lane, wave).

    ``faults``: (kind, operation, which one of that name), in the order in which they occurred.
    ``epoch``: how many barriers were passed.
    """

    rows: int
    ids: dict[str, Array]
    wave: int
    mask: Array
    spaces: dict[str, Space]
    functions: dict[str, Callable[..., tuple[Any, ...]]]
    constants: Sequence[Array] = ()
    buffers: dict[int, Memref] = field(default_factory=dict)
    slots: dict[Any, Any] = field(default_factory=dict)
    shared: dict[str, Memref] = field(default_factory=dict)
    faults: dict[tuple[str, str, int], None] = field(default_factory=dict)
    epoch: int = 0

    def fill(self, value: int) -> Array:
        return np.full(self.rows, value, np.int64)

    def fault(self, kind: str, line: Line) -> None:
        self.faults.setdefault((kind, line.name, line.site))

    def watch(self, line: Line, memref: Memref, touched: Touched, writes: bool) -> None:
        """Shared memory that is used without a barrier between, by whoever is not in step."""
        if memref.space.name == "workgroup" and len(touched.at) == self.rows:
            who = np.broadcast_to(self.ids["in step"][:, None], touched.at.shape)
            at = touched.at[touched.wanted]
            if raced(memref.space, at, who[touched.wanted], self.epoch, writes):
                self.fault("race", line)

    def load(self, line: Line, memref: Memref, touched: Touched) -> Array:
        if touched.outside.any() and not memref.raw:
            self.fault("bounds", line)
        self.watch(line, memref, touched, False)
        found, poison = read(memref, touched)
        if poison:
            self.fault("poison", line)
        return registers(memref.kind, found)

    def store(self, line: Line, memref: Memref, touched: Touched, values: Array) -> None:
        if touched.outside.any() and not memref.raw:
            self.fault("bounds", line)
        self.watch(line, memref, touched, True)
        write(memref, touched, values)


Step = Callable[..., tuple[Any, ...]]


@dataclass(slots=True, eq=False)
class Line:
    """One operation: ``step(machine, *operands)`` gives the results."""

    op: ir.Operation
    name: str
    site: int
    operands: tuple[ir.Value, ...] = ()
    results: tuple[ir.Value, ...] = ()
    step: Step | None = None


Build = Callable[[Line], Step]
Body = Callable[..., tuple[Any, ...]]


def registers(kind: Kind, stored: Array) -> Array:
    """Integers are int64 in registers, wrapped to their width; floats are as they are stored."""
    return wrapped(stored.astype(np.int64), kind.bits) if kind.integer else stored


def wrapped(values: Array, bits: int) -> Array:
    """The signed number that the lowest ``bits`` bits are; one bit is 0 or 1."""
    if bits >= 64:
        return values
    low = values & ((1 << bits) - 1)
    return low if bits == 1 else np.where(low >> (bits - 1), low - (1 << bits), low)


def shape_of(kind: ir.Type) -> tuple[int, ...]:
    return tuple(kind.shape) if isinstance(kind, ir.VectorType) else ()


def element_of(kind: ir.Type) -> Kind:
    return kind_of(str(kind.element_type if hasattr(kind, "element_type") else kind))


def chosen(mask: Array, yes: Any, no: Any) -> Any:
    """Per row the one or the other, of numbers and of buffers."""
    if not isinstance(yes, Memref):
        return np.where(mask.reshape(-1, *(1,) * (yes.ndim - 1)), yes, no)
    if yes.space is not no.space:
        raise UnknownOperationError("a choice between two memories")
    pairs = [zip(yes.sizes, no.sizes, strict=True), zip(yes.strides, no.strides, strict=True)]
    sizes, strides = (tuple(np.where(mask, a, b) for a, b in pair) for pair in pairs)
    at, low, high = (
        np.where(mask, getattr(yes, part), getattr(no, part)) for part in ("at", "low", "high")
    )
    return Memref(yes.space, yes.kind, at, low, high, sizes, strides, yes.raw)


@dataclass(slots=True, eq=False)
class Reader:
    """Makes steps of the operations of a module. ``tables``: how each is built, by name."""

    tables: dict[str, Build]
    sites: Counter[str] = field(default_factory=Counter)

    def function(self, op: ir.Operation) -> Body:
        if len(op.regions[0].blocks) != 1:
            raise UnknownOperationError(f"{op.name} of several blocks")
        return self.block(op.regions[0].blocks[0])

    def block(self, block: ir.Block) -> Body:
        arguments = tuple(block.arguments)
        operations = [op.operation for op in block.operations]
        last = operations.pop() if operations and operations[-1].name in _ENDS else None
        lines = [self.line(op) for op in operations]
        returned = tuple(last.operands) if last else ()

        def run(machine: Machine, *values: Any) -> tuple[Any, ...]:
            slots = machine.slots
            slots.update(zip(arguments, values, strict=True))
            for line in lines:
                assert line.step is not None
                found = line.step(machine, *[slots[v] for v in line.operands])
                slots.update(zip(line.results, found, strict=True))
            return tuple(slots[v] for v in returned)

        return run

    def line(self, op: ir.Operation) -> Line:
        line = Line(op, op.name, self.sites[op.name], tuple(op.operands), tuple(op.results))
        self.sites[op.name] += 1
        control = CONTROL.get(op.name)
        if control is not None:
            bodies = [self.block(r.blocks[0]) for r in op.regions if len(r.blocks)]
            line.step = control(line, bodies)
        elif op.name in self.tables:
            line.step = self.tables[op.name](line)
        else:
            raise UnknownOperationError(op.name)
        return line


_ENDS = frozenset({"func.return", "gpu.return", "scf.yield", "scf.condition"})


def _loop(line: Line, bodies: Sequence[Body]) -> Step:
    bits = element_of(line.operands[0].type).bits if "unsignedCmp" in line.op.attributes else 64

    def run(machine: Machine, low: Array, high: Array, step: Array, *carried: Any) -> Any:
        before, index, values = machine.mask, low, carried
        if bits < 64:
            low, high, step = (x & ((1 << bits) - 1) for x in (low, high, step))
            index = low
        while (active := before & (index < high)).any():
            machine.mask = active
            new = bodies[0](machine, wrapped(index, bits), *values)
            values = tuple(chosen(active, a, b) for a, b in zip(new, values, strict=True))
            index = np.where(active, index + step, index)
        machine.mask = before
        return values

    return run


def _branch(line: Line, bodies: Sequence[Body]) -> Step:
    def run(machine: Machine, condition: Array) -> Any:
        before, taken = machine.mask, condition != 0
        found = []
        for body, side in zip(bodies, (taken, ~taken), strict=False):
            machine.mask = before & side
            found.append(body(machine) if machine.mask.any() else None)
        machine.mask = before
        if not line.results:
            return ()
        yes, no = found
        if yes is None or no is None:
            return yes or no
        return tuple(chosen(taken, a, b) for a, b in zip(yes, no, strict=True))

    return run


def _while(line: Line, bodies: Sequence[Body]) -> Step:
    def run(machine: Machine, *values: Any) -> Any:
        before = machine.mask
        results: Any = None
        while True:
            going, *handed = bodies[0](machine, *values)
            now = machine.mask
            results = (
                handed
                if results is None
                else [chosen(now, a, b) for a, b in zip(handed, results, strict=True)]
            )
            machine.mask = now & (going != 0)
            if not machine.mask.any():
                break
            active = machine.mask
            new = bodies[1](machine, *handed)
            values = tuple(chosen(active, a, b) for a, b in zip(new, values, strict=True))
        machine.mask = before
        return tuple(results)

    return run


def _inline(line: Line, bodies: Sequence[Body]) -> Step:
    return lambda machine: bodies[0](machine)


CONTROL: dict[str, Callable[[Line, Sequence[Body]], Step]] = {
    "scf.for": _loop,
    "scf.if": _branch,
    "scf.while": _while,
    "scf.execute_region": _inline,
}
