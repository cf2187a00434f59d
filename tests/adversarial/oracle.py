"""Whether a rewritten text computes the same as the one before: both run, over everything.

Every launch of a kernel runs over all of its workgroups, on random inputs and on index data that
reach both ends of their range, with shared memory that nobody wrote filled with garbage. The
oracle shares no code with what rewrites, and none with the package's own executor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from iree.compiler import ir

from adversarial import buffers, integers, vectors
from adversarial.interpreter import EndlessError, Machine, Reader, UnknownOperationError, element_of
from adversarial.kernel import AdversarialKernel, Launch, Size
from adversarial.memory import Array, Kind, Memref, Space, space
from bankwise.read.mlir.kernels import kernels, operations
from bankwise.read.mlir.module import Opened, open_text

_ROWS = 1 << 16
"""Threads that run side by side; the workgroups of a larger launch go in several turns."""
_LDS_BYTES = 1 << 28
_SHARED_BYTES = 1 << 17
_PRIVATE_BYTES = 1 << 10
_GAP = 1 << 12
_IN_STEP = 64
_WAVES = {"gfx942": 64, "gfx950": 64, "sm_90": 32, "sm_80": 32}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a launch left: the bytes of global memory, and its faults."""

    memory: bytes
    faults: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """``same``: None where this oracle cannot run the text. ``detail``: why, or what differs.
    ``faults``: of the text before."""

    same: bool | None
    detail: str = ""
    faults: tuple[tuple[str, str, int], ...] = ()


def judge(before: str, after: str, kernel: AdversarialKernel) -> Judgement:
    """Run both texts in every launch of the kernel."""
    try:
        one = read_program(before, kernel)
        two = read_program(after, kernel)
        faults: tuple[tuple[str, str, int], ...] = ()
        for launch in kernel.launches:
            then = one.run(launch)
            faults += then.faults
            found = _compared(then, two.run(launch))
            if found:
                return Judgement(False, f"{launch}: {found}", faults)
    except UnknownOperationError as error:
        return Judgement(None, f"not executed: {error}")
    except EndlessError:
        return Judgement(False, "a loop does not end")
    return Judgement(True, faults=faults)


def outcomes(text: str, kernel: AdversarialKernel) -> list[Outcome]:
    """What every launch of the kernel leaves."""
    program = read_program(text, kernel)
    return [program.run(launch) for launch in kernel.launches]


def _compared(before: Outcome, after: Outcome) -> str:
    added = [fault for fault in after.faults if fault not in before.faults]
    if added:
        return f"fault {added[0]}"
    if len(before.memory) != len(after.memory):
        return "the buffers are of another size"
    if before.memory != after.memory:
        one, two = (np.frombuffer(x.memory, np.uint8) for x in (before, after))
        differ = one != two
        return f"{int(differ.sum())} bytes differ, the first at {int(differ.argmax())}"
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class OracleProgram:
    """A text that is ready to run. ``stretch``: bytes of shared memory that it may ask for."""

    opened: Opened
    entries: tuple[ir.Operation, ...]
    functions: dict[str, Any]
    blocks: dict[str, Size | None]
    wave: int
    stretch: int

    def run(self, launch: Launch) -> Outcome:
        faults: dict[tuple[str, str, int], None] = {}
        memory = b""
        for entry in self.entries:
            name = ir.StringAttr(entry.attributes["sym_name"]).value
            shared = GlobalBuffers(entry, launch)
            size = self.blocks[name] or launch.block
            assert size is not None, f"the launch of {name} says no workgroup size"
            for turn in _turns(launch.grid, size, self.stretch):
                machine = _machine(self, launch, size, turn, shared)
                arguments = shared.arguments(machine, entry, launch)
                self.functions[name](machine, *arguments)
                faults |= machine.faults
                memory += _of_callers(machine, arguments[: _given(entry)])
            memory += shared.space.bytes.tobytes()
        return Outcome(memory, tuple(faults))


def _given(entry: ir.Operation) -> int:
    """How many arguments whoever calls gives; the others of a gpu.func are its own buffers."""
    return len(entry.attributes["function_type"].value.inputs)


def _of_callers(machine: Machine, arguments: Sequence[Any]) -> bytes:
    """What a launch leaves in the workgroup memory that it was given: its caller sees it."""
    memory = machine.spaces["workgroup"]
    groups = memory.bytes.reshape(-1, memory.stretch)
    given = [a for a in arguments if isinstance(a, Memref) and a.space is memory]
    return b"".join(groups[:, int(a.low[0]) : int(a.high[0])].tobytes() for a in given)


def read_program(text: str, kernel: AdversarialKernel) -> OracleProgram:
    opened = open_text(text, "k.mlir", isolated=False)
    reader = Reader({**integers.TABLE, **buffers.TABLE, **vectors.TABLE})
    found = [
        op
        for op in operations(opened.module.operation)
        if op.name in ("func.func", "gpu.func") and op.regions[0].blocks
    ]
    named = {ir.StringAttr(op.attributes["sym_name"]).value: op for op in found}
    functions = {name: reader.function(op) for name, op in named.items()}
    sizes = {k.name: k.workgroup_size for k in kernels(opened)}
    entries = tuple(named[name] for name in kernel.entries)
    stretch = min(_SHARED_BYTES, _shared_bytes(opened))
    return OracleProgram(opened, entries, functions, sizes, _WAVES[kernel.target], stretch)


def _shared_bytes(opened: Opened) -> int:
    """Enough for all shared memory of the module, with the gaps between; a guess if dynamic."""
    total = 1 << 12
    for op in operations(opened.module.operation):
        blocks = [b for r in op.regions for b in r.blocks]
        values = [*op.results, *(a for b in blocks for a in b.arguments)]
        for value in values:
            kind = value.type
            if isinstance(kind, ir.MemRefType) and buffers.is_shared(kind):
                if not kind.has_static_shape:
                    return _SHARED_BYTES
                size = int(np.prod(kind.shape, dtype=np.int64)) if kind.rank else 1
                total += 256 + size * element_of(kind).bytes
    return total


def _turns(grid: Size, block: Size, stretch: int) -> Iterator[list[Size]]:
    x, y, z = grid
    all_ = [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
    most = max(1, min(_ROWS // int(np.prod(block)), _LDS_BYTES // 16 // stretch))
    for first in range(0, len(all_), most):
        yield all_[first : first + most]


def _machine(
    program: OracleProgram, launch: Launch, block: Size, turn: Sequence[Size], given: GlobalBuffers
) -> Machine:
    threads = int(np.prod(block))
    rows, group = threads * len(turn), np.repeat(np.arange(len(turn)), threads)
    ids = _ids(launch.grid, block, turn, program.wave)
    spaces = {
        "workgroup": space("workgroup", program.stretch, len(turn), group, 7),
        "private": space("private", _PRIVATE_BYTES, rows, np.arange(rows), 8),
        "global": given.space,
    }
    given.space.starts = np.zeros(rows, np.int64)
    constants = [np.full(rows, n, np.int64) for _, n in sorted(launch.arguments.items())]
    mask = np.ones(rows, np.bool_)
    machine = Machine(rows, ids, program.wave, mask, spaces, program.functions, constants)
    machine.buffers = {n: given.flat(machine, n) for n in given.kinds}
    return machine


def _ids(grid: Size, block: Size, turn: Sequence[Size], wave: int) -> dict[str, Array]:
    threads, groups = int(np.prod(block)), len(turn)
    linear = np.arange(threads)
    own = (
        linear % block[0],
        linear // block[0] % block[1],
        linear // (block[0] * block[1]),
    )
    found: dict[str, Array] = {}
    for n, axis in enumerate("xyz"):
        found[f"thread_id {axis}"] = np.tile(own[n], groups)
        found[f"block_id {axis}"] = np.repeat(np.array([g[n] for g in turn], np.int64), threads)
        found[f"block_dim {axis}"] = np.full(threads * groups, block[n])
        found[f"grid_dim {axis}"] = np.full(threads * groups, grid[n])
        found[f"global_id {axis}"] = (
            found[f"block_id {axis}"] * block[n] + found[f"thread_id {axis}"]
        )
    found["lane_id"] = np.tile(linear % wave, groups)
    found["subgroup_id"] = np.tile(linear // wave, groups)
    waves = -(-threads // wave)
    found["every wave"] = np.repeat(np.arange(groups) * waves, threads) + found["subgroup_id"]
    # Lanes of a wave of 64 (AMD) go in step; those of a warp need not.
    alone = np.arange(threads * groups)
    found["in step"] = found["every wave"] if wave == _IN_STEP else alone
    return found


class GlobalBuffers:
    """The global buffers of a launch in one stretch of bytes, with gaps between them."""

    def __init__(self, entry: ir.Operation, launch: Launch) -> None:
        self.kinds = _bindings(entry)
        self.starts: dict[int, tuple[int, int]] = {}
        parts, total = [np.zeros(_GAP, np.uint8)], _GAP
        for which, (of, count) in sorted(self.kinds.items()):
            count = int(np.prod(launch.shapes.get(which, count)))
            data = _random(of, count, 100 + which, launch.fill.get(which))
            padded = np.zeros(-(-len(data) // 256) * 256 + _GAP, np.uint8)
            padded[: len(data)] = data
            self.starts[which] = (total, total + len(data))
            parts.append(padded)
            total += len(padded)
        for first, second in launch.same:
            if first in self.starts:
                self.starts[second] = self.starts[first]
        self.space = Space("global", np.concatenate(parts), np.zeros(1), total, None)

    def flat(self, machine: Machine, which: int) -> Memref:
        low, high = (machine.fill(n) for n in self.starts[which])
        of, count = self.kinds[which]
        one = ((machine.fill(count),), (machine.fill(1),))
        return Memref(self.space, of, low, low, high, *one, base=low)

    def view(self, machine: Machine, which: int, kind: Any, launch: Launch) -> Memref:
        shape = launch.shapes.get(which, tuple(kind.shape))
        said = (machine.fill(n) for d, n in enumerate(shape) if kind.is_dynamic_dim(d))
        sizes, strides = buffers.layout(machine, kind, said)
        return replace(self.flat(machine, which), sizes=tuple(sizes), strides=tuple(strides))

    def arguments(self, machine: Machine, entry: ir.Operation, launch: Launch) -> list[Any]:
        found: list[Any] = []
        for argument in entry.regions[0].blocks[0].arguments:
            which, kind = argument.arg_number, argument.type
            if not isinstance(kind, ir.MemRefType):
                found.append(machine.fill(launch.arguments[which]))
            elif buffers.is_shared(kind):
                twin = [a for a, b in launch.same if b == which]
                made = found[twin[0]] if twin else buffers.allocated(machine, kind, "", iter(()))
                if which < _given(entry):
                    _written(made)
                found.append(made)
            else:
                found.append(self.view(machine, which, kind, launch))
        return found


def _written(memref: Memref) -> None:
    """Whoever calls has filled the workgroup memory that it gives."""
    assert memref.space.written is not None
    groups = memref.space.written.reshape(-1, memref.space.stretch)
    groups[:, int(memref.low[0]) : int(memref.high[0])] = True


def _bindings(entry: ir.Operation) -> dict[int, tuple[Kind, int]]:
    """Element type and static number of elements of every global buffer."""
    found: dict[int, tuple[Kind, int]] = {}

    def note(which: int, kind: Any) -> None:
        static = kind.has_static_shape
        size = int(np.prod(kind.shape, dtype=np.int64)) if static else 0
        found[which] = (element_of(kind), size)

    for argument in entry.regions[0].blocks[0].arguments:
        if isinstance(argument.type, ir.MemRefType) and not buffers.is_shared(argument.type):
            note(argument.arg_number, argument.type)
    for op in operations(entry):
        if op.name == "hal.interface.binding.subspan":
            note(int(op.attributes["binding"]), ir.MemRefType(op.results[0].type))
    return found


def _random(of: Kind, count: int, seed: int, fill: tuple[int, int] | None) -> Array:
    """Bits, none of them a NaN: every value that goes astray shows."""
    random = np.random.default_rng(seed)
    if fill is not None:
        values = random.integers(fill[0], fill[1] + 1, count)
        values[:1], values[-1:] = fill
        return values.astype(of.stored).view(np.uint8)
    bits = random.integers(0, 1 << 8 * of.bytes - 1, count).astype(f"u{of.bytes}")
    if not of.integer:
        top = {2: 0x77FF, 4: 0x7F7FFFFF, 8: 0x7FEFFFFFFFFFFFFF}.get(of.bytes, 0x77)
        bits &= np.array(top, bits.dtype)
    return bits.view(np.uint8)
