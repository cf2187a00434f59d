"""From SASS instructions to steps: what each reads, writes and does, and where control goes.

Warps part at branches and meet where all ways from the branch meet. The instructions that manage
this on the machine (BSSY, BSYNC, BREAK, WARPSYNC) therefore do nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from bankwise.read.follow.decoded import Decoded, DecodedAccess, Touches, decode
from bankwise.read.follow.guard import Guard, assigning, guarded
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Array, Unknown, Value, apply
from bankwise.read.sass.effects import known, results
from bankwise.read.sass.moves import move
from bankwise.read.sass.operands import (
    Constants,
    first_byte,
    names,
    predicate,
    predicate_name,
    word,
)
from bankwise.read.sass.parse import SassInstruction, SassKernel
from bankwise.read.sass.semantics import meaning
from bankwise.read.sass.shared import touch

_CONTROL = ("BRA", "EXIT", "KILL", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CALL", "RET", "RPCMOV")
_TARGET = re.compile(r"`\((\S+)\)|(0x[0-9a-f]+)")
_ENDS = ("EXIT", "KILL")


def decode_kernel(kernel: SassKernel, constants: Constants) -> Decoded:
    """Decode all instructions of ``kernel``; one more step ends it."""
    return decode(
        kernel.instructions,
        kernel.line,
        touch,
        lambda i, touched: _step(i, kernel, constants, touched),
        known,
    )


def _step(
    i: SassInstruction, kernel: SassKernel, constants: Constants, found: Touches
) -> ProgramStep:
    guard = _guard(i.guard)
    if i.parts[0] in _CONTROL:
        return _control(i, kernel, constants, guard)
    does = None if found is not None else meaning(i, constants) or move(i, constants)
    writes = does.writes if does is not None else results(i)
    reads = (*names(i.guard), *(does.reads if does is not None else ()))
    address = None
    if isinstance(found, DecodedAccess):
        at = found.address
        reads += at.registers
        address = guarded(lambda state: first_byte(at, state), guard)
    return ProgramStep(
        line=i.line,
        name=i.name,
        reads=reads,
        writes=writes,
        run=assigning(writes, does.run if does else _lost(i, writes), guard) if writes else None,
        address=address,
        guard=guard if address is not None else None,
        partial=bool(i.guard),
        followed=does is not None or not writes,
    )


def _control(
    i: SassInstruction, kernel: SassKernel, constants: Constants, guard: Guard | None
) -> ProgramStep:
    """Where control goes. A branch may name a second predicate, or ask whether its warp parted."""
    end = len(kernel.instructions)
    target = end if i.parts[0] in _ENDS else _target(i, kernel)
    lost = ProgramStep(i.line, i.name, reads=names(i.guard), flow="lost")
    if i.parts[0] not in ("BRA", *_ENDS) or target < 0:
        return lost
    conditions = [guard] if guard else []
    reads = names(i.guard)
    for text in i.operands[:-1] if i.parts[0] == "BRA" else ():
        second = _second(i, text, constants)
        if second is None:
            return lost
        conditions.append(second)
        reads += names(text)
    if not conditions:
        return ProgramStep(i.line, i.name, flow="jump", target=target)
    return ProgramStep(
        i.line, i.name, reads, flow="branch", target=target, condition=_all(conditions)
    )  # fmt: skip


def _target(i: SassInstruction, kernel: SassKernel) -> int:
    found = _TARGET.fullmatch(i.operands[-1].split()[-1]) if i.operands else None
    return kernel.labels.get(found[1] or found[2], -1) if found else -1


def _second(i: SassInstruction, text: str, constants: Constants) -> Guard | None:
    """The condition behind BRA: a predicate; of BRA.DIV the lanes that should run together."""
    if predicate_name(text):
        return lambda state: predicate(state, text)
    if i.name == "BRA.DIV":
        return lambda state: apply(
            lambda lanes: _bits(state) != lanes, word(state, text, constants)
        )
    return None


def _bits(state: State) -> Array:
    """The running lanes of each warp, as a number."""
    weights = np.uint64(1) << np.arange(state.active.shape[1], dtype=np.uint64)
    total = (state.active * weights).sum(axis=1, keepdims=True)
    return np.asarray(total.astype(np.uint32))


def _all(conditions: list[Guard]) -> Guard:
    if len(conditions) == 1:
        return conditions[0]
    return lambda state: apply(lambda *p: np.logical_and.reduce(np.broadcast_arrays(*p)), *(
        condition(state) for condition in conditions
    ))  # fmt: skip


def _guard(text: str) -> Guard | None:
    return (lambda state: predicate(state, text)) if text else None


def _lost(i: SassInstruction, writes: tuple[str, ...]) -> Callable[[State], tuple[Value, ...]]:
    lost = (Unknown(_cause(i), i.line),) * len(writes)
    return lambda state: lost


def _cause(i: SassInstruction) -> str:
    word_ = i.parts[0]
    if word_ in ("LDS", "LDSM", "ATOMS"):
        return "a value read from shared memory"
    if word_ in ("LD", "LDG", "LDL", "ATOM", "ATOMG", "TEX", "LDC", "ULDC", "LDCU"):
        return "a value loaded from memory"
    return f"a result of {i.name}"
