"""Jumps through a table of places: what ``switch`` becomes, and warps of several trades.

    LDC R2, c[0x2][R4+0x18]     a word of the compiler's constants, which stand in the cubin
    SHF.R.S32.HI R3, RZ, 0x1f, R2
    BRX R2 -0x2f0               where the next instruction is 0x2f0: to the place R2

The words from 0x18 on that are places of the code are the table, as far as the next one. That may
be more places than the index can name, never fewer. Source: what ptxas 13.0 makes of ``switch``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bankwise.read.sass.effects import results
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import constant_address, number, register

_STEP_BYTES = 16
_BRANCH = re.compile(r"`\((\S+)\)|(0x[0-9a-f]+)")


@dataclass(frozen=True, slots=True)
class JumpTable:
    """``register``: holds one of the numbers ``places`` before the jump, which then leads to the
    instruction of that number."""

    register: str
    places: Mapping[int, int]


def jump_tables(
    instructions: Sequence[SassInstruction], labels: Mapping[str, int], literals: bytes
) -> dict[int, JumpTable]:
    """The jumps whose table is found, by number. ``literals``: constant bank 2."""
    targets = {
        labels.get(found[1] or found[2])
        for one in instructions
        if one.parts[0] in ("BRA", "JMP", "CALL") and one.operands
        if (found := _BRANCH.fullmatch(one.operands[-1].split()[-1]))
    }
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


def _start(
    instructions: Sequence[SassInstruction], jump: int, targets: set[int | None]
) -> int | None:
    """Where the table begins that the register of a jump is read from, on the only way to it."""
    wanted = _jump(instructions[jump])[0]
    for n in range(jump - 1, -1, -1):
        one = instructions[n]
        if n + 1 in targets:
            return None
        if wanted in results(one):
            plain = one.parts in (["LDC"], ["ULDC"], ["LDCU"]) and not one.guard
            place = constant_address(one.operands[1]) if plain else None
            return place[1].offset_bytes if place is not None and place[0] == 2 else None
    return None


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
