"""Vector registers that an index names: ``s_set_gpr_idx_on`` to ``s_set_gpr_idx_off``.

    s_set_gpr_idx_on s4, gpr_idx(SRC0,DST)     M0[7:0] = s4, M0[15:12] = which operands
    v_mov_b32_e32 v8, v16                      v[8+s4] = v[16+s4]
    s_set_gpr_idx_off

Between the two, vector ALU instructions add M0[7:0] to the number of the register of each operand
that is named. Followed where no other instruction leads into or out of such a piece of code. Where
the index is not known, or differs between waves, what is read is unknown, and what is written may
be any register from the named one on. Source: AMD CDNA3 ISA, "VGPR Indexing" and S_SET_GPR_IDX_*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from bankwise.read.amd.literals import integer
from bankwise.read.amd.operands import bare, operand, value
from bankwise.read.amd.parse import AmdInstruction
from bankwise.read.follow.functions import apply
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.state import State, read, running, write
from bankwise.read.follow.values import Unknown, Value
from bankwise.regex import regex

_OPERANDS = ("SRC0", "SRC1", "SRC2", "DST")
"""By bit of the mode."""
_REGISTERS = regex(r"([va])(\d+|\[\d+(?::\d+)?\])")
_LAST = 255
_INDEX, _MODE = 0xFF, 12


def modes(
    operations: Sequence[AmdInstruction], labels: Mapping[str, int]
) -> dict[int, frozenset[str]]:
    """The operands that the index is added to, by the number of each instruction from an "on" to
    its "off", both with none; nothing where control may come or go in between."""
    found: dict[int, frozenset[str]] = {}
    entries = set(labels.values())
    for start, op in enumerate(operations):
        if op.name != "s_set_gpr_idx_on" or len(op.operands) != 2:
            continue
        part: dict[int, frozenset[str]] = {start: frozenset()}
        mode = _mode(op.operands[1])
        for n in range(start + 1, len(operations)):
            name = operations[n].name
            if n in entries or mode is None or name.startswith(_LEAVES):
                break
            if name == "s_set_gpr_idx_mode" and operations[n].operands:
                mode = _mode(operations[n].operands[0])
            if name == "s_set_gpr_idx_off":
                found |= part | {n: frozenset()}
                break
            part[n] = mode if name.startswith("v_") and mode else frozenset()
    return found


_LEAVES = ("s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call", "s_endpgm", ".")


def _mode(text: str) -> frozenset[str] | None:
    """``gpr_idx(SRC0,DST)`` or its number; None if it is neither."""
    number = integer(text)
    if number is not None:
        return frozenset(name for bit, name in enumerate(_OPERANDS) if number >> bit & 1)
    words = re.fullmatch(r"gpr_idx\(([\w\s,]*)\)", text)
    names = [name.strip() for name in words[1].split(",")] if words else [""]
    return frozenset(filter(None, names)) if set(names) <= {*_OPERANDS, ""} and words else None


def vector_registers(operations: Sequence[AmdInstruction]) -> tuple[str, ...]:
    """All that the text names, in order."""
    texts = {text for op in operations for text in op.operands}
    names = {name for text in texts for name in operand(bare(text)).registers}
    return tuple(sorted(name for name in names if re.fullmatch(r"[va]\d+", name)))


def set_index(op: AmdInstruction) -> Callable[[State], None] | None:
    """What a scalar instruction of the family does to M0; None if nothing."""
    if op.name == "s_set_gpr_idx_off" or not op.operands:
        return None
    mode = _mode(op.operands[-1]) if op.name != "s_set_gpr_idx_idx" else None
    bits = sum(1 << _MODE + n for n, name in enumerate(_OPERANDS) if mode and name in mode)
    source = None if op.name == "s_set_gpr_idx_mode" else operand(op.operands[0])
    kept = ~((0 if mode is None else 0xF << _MODE) | (0 if source is None else _INDEX))

    def run(state: State) -> None:
        held = apply(
            lambda m: m & np.uint32(kept & 0xFFFFFFFF) | np.uint32(bits), read(state, "m0")
        )
        if source is not None:
            index = apply(lambda s: s & np.uint32(_INDEX), value(state, source))
            known = not isinstance(index, Unknown)
            # an unknown rest of M0 decides nothing here, so that only the index is kept
            held = (
                index if known and isinstance(held, Unknown) else apply(np.bitwise_or, held, index)
            )
        write(state, "m0", held)

    return run


def indexed(
    step_of: Callable[[AmdInstruction], ProgramStep],
    op: AmdInstruction,
    mode: frozenset[str],
    names: Iterable[str],
) -> ProgramStep:
    """The step of ``op`` with an index on the operands of ``mode``. ``step_of``: the step of an
    instruction without one; ``names``: the vector registers of the kernel."""
    step = step_of(op)
    every = tuple(names)
    writes, reads = step.writes, (*step.reads, "m0")
    if "DST" in mode:
        writes = tuple(dict.fromkeys(one for name in writes for one in _from(name, every)))
        reads = (*reads, *writes)  # all but one stay what they were, also where all lanes run
    if mode - {"DST"}:
        reads = tuple(dict.fromkeys((*reads, *every)))
    lost = Unknown(f"the index of {op.name}", op.line)

    def run(state: State) -> None:
        index = _index(read(state, "m0"))
        moved = None if index is None else _moved(op, mode, index)
        if moved is None:
            for name in writes:
                write(state, name, lost, running(state) if name[0] in "va" else None)
        elif (inner := step_of(moved).run) is not None:
            inner(state)

    return replace(step, reads=reads, writes=writes, run=run, partial=True, followed=True)


def _from(name: str, every: Iterable[str]) -> tuple[str, ...]:
    """A register and all that an index may lead to from there."""
    if not name[1:].isdigit() or name[0] not in "va":
        return (name,)
    first = int(name[1:])
    return name, *(one for one in every if one[0] == name[0] and int(one[1:]) > first)


def _index(found: Value) -> int | None:
    if isinstance(found, Unknown) or (found != found.flat[0]).any():
        return None
    return int(found.flat[0]) & _INDEX


def _moved(op: AmdInstruction, mode: frozenset[str], index: int) -> AmdInstruction | None:
    """``op`` with other registers; None if there are no such."""
    texts = list(op.operands)
    first = 2 if "_co_" in op.name or op.name.startswith(("v_div_scale", "v_mad_u64")) else 1
    places = {"DST": 0} | {f"SRC{n}": first + n for n in range(3)}
    for name in mode:
        at = places[name]
        if at >= len(texts):
            continue
        numbers = [
            int(n) for _, part in _REGISTERS.findall(texts[at]) for n in re.findall(r"\d+", part)
        ]
        if any(n + index > _LAST for n in numbers):
            return None
        texts[at] = _REGISTERS.sub(lambda found: _shifted(found, index), texts[at])
    return replace(op, operands=tuple(texts))


def _shifted(found: re.Match[str], index: int) -> str:
    return found[1] + re.sub(r"\d+", lambda number: str(int(number[0]) + index), found[2])
