"""Jumps and calls through constants: what ``switch`` becomes, warps of several trades, printf.

    LDC R2, c[0x2][R4+0x18]     a word of the compiler's constants, which stand in the cubin
    SHF.R.S32.HI R3, RZ, 0x1f, R2
    BRX R2 -0x2f0               where the next instruction is 0x2f0: to the place R2

The words from 0x18 on that are places of the code are the table, as far as the next one. That may
be more places than the index can name, never fewer. Source: what ptxas 13.0 makes of ``switch``.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence

from msgspec import Struct

from bankwise.read.sass.effects import results
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import constant_address, number, register

SYSTEM = {"vprintf": True, "malloc": True, "free": True, "__assertfail": False}
"""What the driver brings, and whether it comes back: none of it knows of a block's shared memory.
Source: CUDA C++ Programming Guide: formatted output, dynamic global memory allocation, assertion
("stops the kernel execution")."""

MOVED_BY = ("MOV", "IMAD.MOV.U32", "UMOV")
"""What gives a register its last operand."""

_STEP_BYTES = 16
_BRANCH = re.compile(r"`\((\S+)\)|(0x[0-9a-f]+)")


class JumpTable(Struct, frozen=True):
    """``register``: holds one of the numbers ``places`` before the jump, which then leads to the
    instruction of that number."""

    register: str
    places: Mapping[int, int]


def jump_tables(
    instructions: Sequence[SassInstruction], labels: Mapping[str, int], literals: bytes
) -> dict[int, JumpTable]:
    """The jumps whose table is found, by number. ``literals``: constant bank 2."""
    targets = branch_targets(instructions, labels)
    starts = {
        n: start
        for n, one in enumerate(instructions)
        if one.parts[0] in ("BRX", "BRXU") and not one.guard
        if (start := _start(instructions, n, targets)) is not None
    }
    tables = {}
    for n, start in starts.items():
        end = min((other for other in starts.values() if other > start), default=len(literals))
        places = _places(instructions[n], labels, literals[start:end])
        if places:
            tables[n] = JumpTable(_jump(instructions[n])[0], places)
    return tables


def branch_targets(
    instructions: Sequence[SassInstruction], labels: Mapping[str, int]
) -> set[int | None]:
    """The instructions that branches and calls of a function name."""
    return {
        labels.get(found[1] or found[2])
        for one in instructions
        if one.parts[0] in ("BRA", "JMP", "CALL") and one.operands
        if (found := _BRANCH.fullmatch(one.operands[-1].split()[-1]))
    }


def _start(
    instructions: Sequence[SassInstruction], jump: int, targets: Container[int | None]
) -> int | None:
    """Where the table begins that the register of a jump is read from, on the only way to it."""
    one = only_source(instructions, jump, _jump(instructions[jump])[0], targets)
    if one is None or instructions[one].parts not in (["LDC"], ["ULDC"], ["LDCU"]):
        return None
    place = constant_address(instructions[one].operands[1])
    return place[1].offset_bytes if place is not None and place[0] == 2 else None


def only_source(
    instructions: Sequence[SassInstruction], number: int, name: str, targets: Container[int | None]
) -> int | None:
    """The instruction that gives ``name`` before the one of this ``number``, if control comes from
    there alone; ``targets``: of branches."""
    for n in range(number - 1, -1, -1):
        if n + 1 in targets:
            return None
        if name in results(instructions[n]):
            return None if instructions[n].guard else n
    return None


def system_calls(
    instructions: Sequence[SassInstruction],
    labels: Mapping[str, int],
    externals: Mapping[int, str],
) -> dict[int, bool]:
    """The calls of functions of the driver, by number, and whether they come back. ``externals``:
    the names whose addresses constant bank 4 holds, by place.

        MOV R0, 0x8
        LDC.64 R2, c[0x4][R0]
        CALL.ABS.NOINC R2               vprintf, if that is at 8
    """
    calls = [n for n, one in enumerate(instructions) if one.name.startswith("CALL.ABS")]
    targets = branch_targets(instructions, labels) if calls and externals else set()
    places = {n: _external(instructions, n, targets) for n in calls}
    names = {n: externals.get(at, "") for n, at in places.items() if at is not None}
    return {n: SYSTEM[name] for n, name in names.items() if name in SYSTEM}


def _external(
    instructions: Sequence[SassInstruction], call: int, targets: Container[int | None]
) -> int | None:
    """The place of bank 4 that a call takes its function from."""
    name = register(instructions[call].operands[-1]) if instructions[call].operands else ""
    load = only_source(instructions, call, name, targets) if name else None
    if load is None or instructions[load].parts not in (["LDC", "64"], ["ULDC", "64"]):
        return None
    place = constant_address(instructions[load].operands[1])
    if place is None or place[0] != 4 or len(place[1].terms) > 1:
        return None
    for base, _ in place[1].terms:
        source = only_source(instructions, load, base, targets)
        if source is None or instructions[source].name not in MOVED_BY:
            return None
        moved = number(instructions[source].operands[-1])
        return None if moved is None else place[1].offset_bytes + moved
    return place[1].offset_bytes


def _jump(one: SassInstruction) -> tuple[str, int | None]:
    """The register of a jump, and what is added to it and to the next instruction's place."""
    name, _, added = " ".join(one.operands).partition(" ")
    return register(name), number(added.strip() or "0x0")


def _places(one: SassInstruction, labels: Mapping[str, int], table: bytes) -> dict[int, int]:
    """What the register may hold, and where that leads; a kernel's start is in no table."""
    added, found = _jump(one)[1], dict[int, int]()
    for at in range(0, len(table) - 3, 4):
        held = int.from_bytes(table[at : at + 4], "little")
        place = held + (added or 0) + one.address + _STEP_BYTES
        if added is None or place <= 0 or hex(place) not in labels:
            break
        found[held] = labels[hex(place)]
    return found
