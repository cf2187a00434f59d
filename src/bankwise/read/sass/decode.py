"""From SASS instructions to steps: what each reads, writes and does, and where control goes.

Warps part at branches and meet where all ways from the branch meet. The instructions that manage
this on the machine (BSSY, BSYNC, BREAK, WARPSYNC) therefore do nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from bankwise.errors import Refusal
from bankwise.read.follow.decoded import Decoded, DecodedAccess, Touches, decode
from bankwise.read.follow.guard import Guard, assigning, guarded
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.spaces import OTHER_BLOCK
from bankwise.read.follow.state import State, read
from bankwise.read.follow.units import anywhere, begins, stacked
from bankwise.read.follow.values import Array, Unknown, Value, apply, constant
from bankwise.read.sass.calls import Return
from bankwise.read.sass.cluster import RANK, Holders, asks_rank, holders
from bankwise.read.sass.effects import known, results
from bankwise.read.sass.forms import Meaning
from bankwise.read.sass.frames import Frames, frames
from bankwise.read.sass.generic import byte_at, of_the_host
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.moves import move, outside, spill
from bankwise.read.sass.operands import (
    Constants,
    first_byte,
    following,
    names,
    pair,
    predicate,
    predicate_name,
    word,
)
from bankwise.read.sass.parse import SassKernel
from bankwise.read.sass.semantics import meaning
from bankwise.read.sass.shared import touch, touch_generic
from bankwise.read.sass.start import window_constant

_CONTROL = ("BRA", "EXIT", "KILL", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CALL", "RET", "RPCMOV")
_ENDS = ("EXIT", "KILL")


@dataclass(frozen=True, slots=True)
class _Context:
    """A kernel with what holds for all of it. ``outside``: generic accesses that cannot touch
    shared memory; ``ranks``: what may hold the block's rank before each instruction."""

    kernel: SassKernel
    constants: Constants
    stack: Frames
    outside: frozenset[int]
    ranks: Mapping[int, Holders]


def decode_kernel(kernel: SassKernel, constants: Constants) -> Decoded:
    """Decode all instructions of ``kernel``; one more step ends it."""
    stack = frames(kernel.code)
    outside = of_the_host(kernel.code, stack, window_constant(kernel))
    context = _Context(kernel, constants, stack, outside, holders(kernel.code))
    touches = iter([_touch(n, i, context) for n, i in enumerate(kernel.instructions)])
    numbers = count()
    found = decode(
        kernel.instructions,
        kernel.line,
        lambda i: next(touches),
        lambda i, touched: _step(next(numbers), i, context, touched),
        known,
    )
    calls = {n: Refusal(f"CALL: {why}") for n, why in kernel.code.refused.items()}
    return replace(found, refusals={**found.refusals, **calls})


def _touch(number: int, i: SassInstruction, context: _Context) -> Touches:
    if number in context.outside:
        return None
    return touch(i) or touch_generic(i)


def _step(number: int, i: SassInstruction, context: _Context, found: Touches) -> ProgramStep:
    guard, constants = _guard(i.guard), context.constants
    if i.parts[0] in _CONTROL:
        return _control(number, i, context, guard)
    does = None if found is not None else _meaning(number, i, context)
    writes = does.writes if does is not None else results(i)
    writes = (*writes, *context.stack.clobbers.get(number, ()))
    reads = (*names(i.guard), *(does.reads if does is not None else ()))
    address = None
    if isinstance(found, DecodedAccess):
        reads += _pointer(found)
        address = guarded(lambda state: _first_byte(found, state, constants), guard)
    return ProgramStep(
        line=i.line,
        name=i.name,
        reads=reads,
        writes=writes,
        run=assigning(writes, does.run if does else _lost(i, writes), guard) if writes else None,
        address=address,
        guard=guard if address is not None else None,
        partial=bool(i.guard) or number in context.stack.clobbers,
        followed=does is not None or not writes,
    )


def _meaning(number: int, i: SassInstruction, context: _Context) -> Meaning | None:
    """What an instruction does that touches no shared memory."""
    words = context.stack.words.get(number)
    if i.parts[0] == "QSPC" and number in context.outside:
        return outside(i)
    plain = spill(i, words) if words is not None else meaning(i, context.constants)
    found = plain or move(i, context.constants)
    if found is None or not asks_rank(i, found.reads, context.ranks.get(number, {})):
        return found
    return replace(found, run=lambda state: tuple(map(_of_rank, found.run(state))))


def _of_rank(value: Value) -> Value:
    """What is made of the rank; mapa forgets it."""
    return value if isinstance(value, Unknown) and value.reason == OTHER_BLOCK else RANK


def _pointer(found: DecodedAccess) -> tuple[str, ...]:
    """The registers of an address."""
    names_ = found.address.registers
    return following(names_[0], 2) if found.generic else names_


def _first_byte(found: DecodedAccess, state: State, constants: Constants) -> Value:
    at = found.address
    if found.unit is not None:
        values = [_number(found.name, text, state, constants) for text in found.numbers]
        return stacked(found.unit, values, state)
    if found.generic:
        return byte_at(state, (at.registers[0], at.offset_bytes), constants)
    if found.kind != "barrier":
        return first_byte(at, state)
    of_warp = all(name.startswith("UR") for name in at.registers)
    place = anywhere(state, at.registers, at.offset_bytes, first_byte(at, state), of_warp)
    return _of_warp(place, state) if of_warp else place


def _number(row: str, text: str, state: State, constants: Constants) -> Value:
    """A number of a unit. Of a descriptor the lower word says where an operand lies; wgmma's cost
    is measured for whatever the upper one says, which is the mode."""
    if not text.endswith(".64"):
        return begins(state, text, word(state, text, constants))
    lower, upper = following(text.removesuffix(".64"), 2)
    mode = word(state, upper, constants)
    mode = constant(0) if row == "wgmma" and isinstance(mode, Unknown) else mode
    at = apply(lambda m: m.astype(np.uint64) << np.uint64(32), mode)
    return begins(state, lower, pair(state, text, constants), at)


def _of_warp(value: Value, state: State) -> Value:
    """A number that a warp has once, as its first running lane has it: what is written to a uniform
    register where one lane runs holds for the warp."""
    if isinstance(value, Unknown):
        return value
    first = state.active.argmax(axis=1)[:, None]
    return np.take_along_axis(np.broadcast_to(value, state.active.shape), first, axis=1)


def _control(
    number: int, i: SassInstruction, context: _Context, guard: Guard | None
) -> ProgramStep:
    """Where control goes. A branch may name a second predicate, or ask whether its warp parted."""
    kernel, constants = context.kernel, context.constants
    end = len(kernel.instructions)
    target = end if i.parts[0] in _ENDS else kernel.code.targets.get(number, -1)
    lost = ProgramStep(i.line, i.name, reads=names(i.guard), flow="lost")
    if i.parts[0] not in ("BRA", "CALL", "RET", *_ENDS) or target < 0:
        return lost
    conditions = [guard] if guard else []
    reads = names(i.guard)
    for text in i.operands[:-1] if i.parts[0] == "BRA" else ():
        second = _second(i, text, constants)
        if second is None:
            return lost
        conditions.append(second)
        reads += names(text)
    back = kernel.code.returns.get(number)
    if back is not None:
        conditions.append(lambda state: _goes_back(state, back))
        reads += names(back.register)
    if not conditions:
        return ProgramStep(i.line, i.name, flow="jump", target=target)
    return ProgramStep(
        i.line, i.name, reads, flow="branch", target=target, condition=_all(conditions)
    )  # fmt: skip


def _goes_back(state: State, back: Return) -> Value:
    """Whether a return goes behind its call; what is not known of it is as the convention says."""
    found = read(state, back.register)
    if isinstance(found, Unknown):
        return constant(1, np.bool_)
    return np.asarray(np.isin(found, np.array(back.places, np.uint32)))


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
