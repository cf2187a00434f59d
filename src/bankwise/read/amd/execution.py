"""Where all lanes certainly run: there a vector write leaves nothing of what was before.

A forward analysis of the places that hold the execution mask of the kernel's start. ``saveexec``
copies it, and it is in force again where it is moved to, or joined with, the mask. Elsewhere old
values live on in lanes that do not run, so whatever computed them has to be followed as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from bankwise.read.amd.masks import EXEC
from bankwise.read.amd.operands import operand
from bankwise.read.amd.parse import AmdInstruction
from bankwise.read.follow.program import Program, ProgramStep

_Places = frozenset[tuple[str, ...]]
"""Register pairs that hold the first mask."""


def whole_writes(program: Program, operations: Sequence[AmdInstruction]) -> Program:
    """``program`` with ``partial`` only on those writes that may leave some lanes as they were.

    What reads all that it may write (a store to private memory, to one word of many) leaves the
    rest. The step behind the last of ``operations`` ends the kernel.
    """
    held: dict[int, _Places] = {0: frozenset({EXEC})}
    steps = list(program.steps)
    waiting = [0]
    while waiting:
        number = waiting.pop()
        block, places = program.blocks[number], held[number]
        for at in range(block.start, block.stop):
            step = program.steps[at]
            partial = step.partial and (EXEC not in places or set(step.writes) <= set(step.reads))
            if steps[at].partial != partial:
                steps[at] = replace(step, partial=partial)
            if at < len(operations):
                places = _after(operations[at], step, places)
        for after in block.after:
            if after == len(program.blocks):
                continue
            joined = places & held[after] if after in held else places
            if joined != held.get(after):
                held[after] = joined
                waiting.append(after)
    return replace(program, steps=tuple(steps))


def _after(op: AmdInstruction, step: ProgramStep, places: _Places) -> _Places:
    """The places after one step."""
    written = set(step.writes)
    kept = frozenset(pair for pair in places if written.isdisjoint(pair))
    if not op.name.startswith("s_") or len(op.operands) < 2:
        return kept
    to = operand(op.operands[0]).registers
    full = [_is_full(text, places) for text in op.operands[1:]]
    if "_saveexec_b64" in op.name:
        kept |= {to} if EXEC in places else frozenset()
        joins = op.name.startswith("s_or_") and (EXEC in places or full[0])
        return kept | {EXEC} if joins else kept
    if op.name == "s_mov_b64" and full[0]:
        return kept | {to}
    if op.name == "s_or_b64" and any(full):
        return kept | {to}
    return kept


def _is_full(text: str, places: _Places) -> bool:
    source = operand(text)
    return source.registers in places or source.number == -1
