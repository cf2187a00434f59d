"""What AMD registers hold when a kernel starts, and what its scalar loads give.

The kernel descriptor says which of these are there, in this order: user registers (pointers,
preloaded arguments), then the workgroup's number. ``v0`` holds the thread's place, x in bits 0-9, y
in 10-19, z in 20-29 (gfx90a and later). Sources: LLVM, "User Guide for AMDGPU Backend", initial
kernel execution state and kernel argument segment; the dispatch packet, which says the sizes to
code objects before version 5: HSA Platform System Architecture Specification 1.2, 2.9.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from bankwise.errors import InputError
from bankwise.read.amd.flat import APERTURE_PAIRS, PRIVATE, SHARED
from bankwise.read.amd.floats import ERROR
from bankwise.read.amd.literals import integer
from bankwise.read.amd.masks import EXEC, pack
from bankwise.read.amd.operands import operand
from bankwise.read.amd.parse import AmdInstruction, AmdKernel, Argument
from bankwise.read.assembly import ArgumentValues
from bankwise.read.follow.dialect import GROUP_SIZE
from bankwise.read.follow.result import threads
from bankwise.read.follow.state import State, read
from bankwise.read.follow.values import Space, Unknown, Value, constant

WAVE = 64
WORKGROUP_IDS = ("workgroup_id_x", "workgroup_id_y", "workgroup_id_z")
Memory = Mapping[tuple[str, int], int]
"""Known bytes: (segment, byte) -> 0..255."""

_Size = tuple[int, int, int]
_USER = (
    ("private_segment_buffer", 4),
    ("dispatch_ptr", 2),
    ("queue_ptr", 2),
    ("kernarg_segment_ptr", 2),
    ("dispatch_id", 2),
    ("flat_scratch_init", 2),
    ("private_segment_size", 1),
)
GROUPS = ("workgroups x", "workgroups y", "workgroups z")
"""What the numbers of workgroups of a launch are called among its arguments."""
_HIDDEN_SIZE = "hidden_group_size_"
_POINTERS = {"kernarg_segment_ptr": "kernarg", "dispatch_ptr": "dispatch"}


def start(
    kernel: AmdKernel,
    size: _Size,
    arguments: ArgumentValues,
    memory: Memory,
    apertures: int = 0,
    error: int = 0,
) -> State:
    """The registers of all waves of one workgroup. ``apertures``: which pair stands for those of
    the machine; ``error``: of its reciprocals."""
    (x, y, z), exists = threads(size, WAVE)
    waves = np.asarray(exists.any(1)).reshape(-1, 1)
    state = State(np.broadcast_to(waves, exists.shape), lanes=exists)
    state.memory = lambda now, op: _load(kernel, memory, now, op)
    ids = kernel.bits("system_vgpr_workitem_id")
    place = x
    if ids >= 1:
        place = place | y << np.uint32(10)
    if ids >= 2:
        place = place | z << np.uint32(20)
    state.registers["v0"] = place
    for name, half in zip(EXEC, pack(exists, len(exists)), strict=True):
        state.registers[name] = half
    for name, upper in zip((SHARED, PRIVATE), APERTURE_PAIRS[apertures], strict=True):
        state.registers[name] = constant(upper)
        state.registers[name.replace("_hi", "_lo")] = constant(0)
    state.registers[ERROR] = constant(error)
    for number, value in enumerate(_scalars(kernel, memory, arguments)):
        state.registers[f"s{number}"] = value
    return state


def known_memory(
    kernel: AmdKernel, size: _Size, arguments: ArgumentValues, told: bool = True
) -> Memory:
    """The bytes that are known: arguments that the user gives, the size of the grid and, if it is
    ``told``, that of the workgroup. A launch counts whole workgroups, so none is cut off at the
    edge of its grid.

    Raises :class:`InputError` for an argument that the kernel does not have.
    """
    memory: dict[tuple[str, int], int] = {}
    said: dict[str, int] = {}
    _store(memory, "dispatch", 10, 2, 0)
    for axis, length in enumerate(size):
        groups = arguments.get(GROUPS[axis])
        if told:
            _store(memory, "dispatch", 4 + 2 * axis, 2, length)
            said[f"{_HIDDEN_SIZE}{'xyz'[axis]}"] = length
        if told and groups is not None:
            _store(memory, "dispatch", 12 + 4 * axis, 4, groups * length)
        if groups is not None:
            said[f"hidden_block_count_{'xyz'[axis]}"] = groups
            said[f"hidden_remainder_{'xyz'[axis]}"] = 0
    for argument in kernel.arguments:
        if argument.kind in said:
            _store(memory, "kernarg", argument.offset, argument.size, said[argument.kind])
    for name, number in arguments.items():
        if name not in (*WORKGROUP_IDS, *GROUPS):
            found = argument_of(kernel, name)
            _store(memory, "kernarg", found.offset, found.size, number)
    return memory


def _load(
    kernel: AmdKernel, memory: Memory, state: State, op: AmdInstruction
) -> tuple[Value, ...] | None:
    """What a scalar load gives, a value for each 32 bits; None if it does not read arguments or the
    dispatch packet."""
    if len(op.operands) < 3:
        return None
    to, source, offset = (operand(text) for text in op.operands[:3])
    base = read(state, source.registers[0]) if source.registers else None
    if not isinstance(base, Unknown) or base.pointer is None or offset.number is None:
        return None
    where, start = base.pointer
    first = start + offset.number
    return tuple(
        _word(kernel, memory, where, first + 4 * n, op.line) for n in range(len(to.registers))
    )


def _store(memory: dict[tuple[str, int], int], where: str, at: int, size: int, number: int) -> None:
    for n in range(size):
        memory[where, at + n] = number >> (8 * n) & 0xFF


def argument_of(kernel: AmdKernel, name: str | int) -> Argument:
    """The argument of a name or an offset; :class:`InputError` if the kernel has none."""
    for argument in kernel.arguments:
        if name in (argument.name, argument.offset) or name == str(argument.offset):
            return argument
    number = integer(str(name))
    if number is not None and (not kernel.arguments or _inside(kernel, number)):
        return Argument("", number, 4, "by_value")
    known = [f"{a.name or a.offset}" for a in kernel.arguments if a.kind == "by_value"]
    raise InputError(
        f"kernel {kernel.name} has no argument {name!r}",
        hint=f"numbers that it takes: {', '.join([*known, *WORKGROUP_IDS])}",
    )


def _inside(kernel: AmdKernel, at: int) -> bool:
    """Whether a word lies in an argument, which may be larger."""
    return any(a.offset <= at <= a.offset + a.size - 4 for a in kernel.arguments)


def _word(kernel: AmdKernel, memory: Memory, where: str, at: int, line: int) -> Value:
    parts = [memory.get((where, at + n)) for n in range(4)]
    if any(part is not None for part in parts):  # no program looks at what pads an argument
        parts = [_padding(kernel, at + n) if p is None else p for n, p in enumerate(parts)]
    known = [part for part in parts if part is not None]
    if len(known) == 4:
        return constant(sum(part << (8 * n) for n, part in enumerate(known)))
    if where == "dispatch":
        what, fact = f"byte {at} of the dispatch packet", GROUP_SIZE if 4 <= at < 10 else ""
        return Unknown(what, line, uniform=True, space="launch", fact=fact)
    inside = [a for a in kernel.arguments if a.offset <= at < a.offset + a.size]
    name = next((a.name for a in inside if a.name), f"at byte {at}")
    buffers = bool(inside) and all(a.kind == "global_buffer" for a in inside)
    space: Space = "global" if buffers else "launch"
    return Unknown(
        f"kernel argument {name}", line, uniform=True, space=space, fact=_fact(inside, at)
    )


def _fact(inside: list[Argument], at: int) -> str:
    """How --arg names the word at byte ``at``: an argument of at most 8 bytes, or the place."""
    if any(a.kind.startswith(_HIDDEN_SIZE) for a in inside):
        return GROUP_SIZE
    whole = next((a for a in inside if a.size <= 8), None)
    if len(inside) != 1 or whole is None:
        return str(at)
    return whole.name or str(whole.offset)


def _padding(kernel: AmdKernel, at: int) -> int | None:
    """0 for a byte that belongs to no argument."""
    covered = any(a.offset <= at < a.offset + a.size for a in kernel.arguments)
    return None if covered or not kernel.arguments else 0


def _scalars(kernel: AmdKernel, memory: Memory, arguments: ArgumentValues) -> Iterator[Value]:
    """The scalar registers in order."""
    line = kernel.line
    for name, count in _USER:
        if kernel.bits(f"user_sgpr_{name}"):
            yield from _user(name, count, line)
    first = kernel.bits("user_sgpr_kernarg_preload_offset")
    for n in range(kernel.bits("user_sgpr_kernarg_preload_length")):
        yield _word(kernel, memory, "kernarg", 4 * (first + n), line)
    for name in WORKGROUP_IDS:
        if kernel.bits(f"system_sgpr_{name}"):
            given = arguments.get(name)
            lost = Unknown(name.replace("_", " "), line, uniform=True, space="launch", fact=name)
            yield lost if given is None else constant(given)


def _user(name: str, count: int, line: int) -> Iterator[Value]:
    where = _POINTERS.get(name)
    for part in range(count):
        pointer = (where, 0) if where and part == 0 else None
        yield Unknown(f"the {name.replace('_', ' ')}", line, uniform=True, pointer=pointer)
