"""From SASS instructions to steps: what each reads, writes and does, and where control goes.

Warps part at branches and meet where BSSY says, at BSYNC. A vote behind WARPSYNC asks the lanes of
its mask.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import count

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import Refusal
from bankwise.read.follow.decoded import Decoded, DecodedAccess, Touches, decode
from bankwise.read.follow.functions import apply
from bankwise.read.follow.gathers import Gather, GatherDoes
from bankwise.read.follow.guard import Guard, assigning, guarded
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.spaces import OTHER_BLOCK
from bankwise.read.follow.state import Guarded, State, read, write
from bankwise.read.follow.units import anywhere, begins, from_somewhere, stacked
from bankwise.read.follow.values import (
    LOADED,
    READ,
    Array,
    Unknown,
    Value,
    because,
    constant,
    is_uniform,
)
from bankwise.read.sass.calls import Return
from bankwise.read.sass.cluster import RANK, Holders, asks_rank, holders
from bankwise.read.sass.effects import computes, known, results
from bankwise.read.sass.forms import Meaning, form
from bankwise.read.sass.frames import Frames, frames
from bankwise.read.sass.generic import byte_at, of_the_host
from bankwise.read.sass.halves import without_upper_halves
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.moves import move, outside, spill
from bankwise.read.sass.operands import (
    OF_GROUPS,
    first_byte,
    following,
    names,
    pair,
    predicate,
    predicate_name,
    register,
    word,
)
from bankwise.read.sass.parse import SassKernel
from bankwise.read.sass.semantics import meaning
from bankwise.read.sass.shared import touch, touch_generic
from bankwise.read.sass.start import window_constant
from bankwise.read.sass.votes import masks, of_others, partings, vote

_CONTROL = ("BRA", "EXIT", "KILL", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CALL", "RET", "RPCMOV")
_ENDS = ("EXIT", "KILL")
_BARRIERS: Mapping[str, GatherDoes] = {"BSSY": "set", "BSYNC": "wait", "BREAK": "leave"}
_OTHERS: Mapping[str, GatherDoes] = {"YIELD": "yield", "WARPSYNC": "sync", "BAR": "sync"}
_BARRIER = re.compile(r"B\d+")
_Condition = Callable[[State], Value]
"""A boolean for every lane."""
_RESULT = ("R4", "R5")
"""Where a function returns its value: seen in code that nvcc 13.0 makes of malloc and printf."""


class _Context(Struct, frozen=True):
    """A kernel with what holds for all of it. ``outside``: generic accesses that cannot touch
    shared memory; ``ranks``: what may hold the block's rank before each instruction; ``masks``: the
    register with the lanes that a vote asks; ``apart``: that with the lanes beside which each runs
    on; ``lower``: PRMT of which the lower half alone is read."""

    kernel: SassKernel
    stack: Frames
    outside: frozenset[int]
    ranks: Mapping[int, Holders]
    masks: Mapping[int, str]
    apart: Mapping[int, str]
    lower: frozenset[int]


def decode_kernel(kernel: SassKernel) -> Decoded:
    """Decode all instructions of ``kernel``; one more step ends it."""
    stack = frames(kernel.code)
    outside = of_the_host(kernel.code, stack, window_constant(kernel))
    ranks, asked = holders(kernel.code), masks(kernel.instructions)
    lower = without_upper_halves(kernel.code)
    apart = partings(kernel.instructions)
    context = _Context(kernel, stack, outside, ranks, asked, apart, lower)
    touches = iter([_touch(n, i, context) for n, i in enumerate(kernel.instructions)])
    numbers = count()
    found = decode(
        kernel.instructions,
        kernel.line,
        lambda i: next(touches),
        lambda i, touched: _step(next(numbers), i, context, touched),
        known,
        barriers=True,
    )
    calls = {n: Refusal(f"CALL: {why}", access=False) for n, why in kernel.code.refused.items()}
    return replace(found, refusals={**found.refusals, **calls})


def _touch(number: int, i: SassInstruction, context: _Context) -> Touches:
    if number in context.outside:
        return None
    return touch(i) or touch_generic(i)


def _step(number: int, i: SassInstruction, context: _Context, found: Touches) -> ProgramStep:
    guard = _guard(i.guard)
    way = _way(number, i, context, guard)
    if way is not None:
        return way
    does = None if found is not None else _meaning(number, i, context)
    writes = does.writes if does is not None else results(i)
    writes = (*writes, *context.stack.clobbers.get(number, ()))
    reads = (*names(i.guard), *(does.reads if does is not None else ()))
    address, lost = None, _lost(i, writes, number in context.masks)
    place: Callable[[State], Value] | None = None
    if isinstance(found, DecodedAccess):
        reads += _pointer(found)
        place = address = guarded(lambda state: _first_byte(found, state), guard)
    asks = does.asks if does is not None else None
    alike = does is None and computes(i)
    if alike:
        held = tuple(name for text in i.operands[1:] for name in names(text))
        reads += held
        lost = _of_alike(held, place, lost)
    return ProgramStep(
        line=i.line,
        name=i.name,
        reads=reads,
        writes=writes,
        run=assigning(writes, does.run if does else lost, guard) if writes else None,
        address=address,
        guard=guard if address is not None else None,
        predicate="" if number in context.stack.clobbers else i.guard,
        partial=bool(i.guard) or number in context.stack.clobbers,
        followed=does is not None or not writes,
        alike=alike,
        asks=None if asks is None else (*names(i.guard), *asks),
        own=number in context.masks if does is None else does.own,
        made_of=() if does is not None else _made_of(i, writes),
        data=None if does is not None else _data(i),
        gather=_gather(i),
    )


def _way(
    number: int, i: SassInstruction, context: _Context, guard: Guard | None
) -> ProgramStep | None:
    """An instruction that decides where lanes go on, or with which others."""
    back = context.kernel.code.system.get(number)
    if back is not None:
        return _system_call(i, back, len(context.kernel.instructions))
    if number in context.apart and guard is None:
        return _parting(number, i, context.apart[number])
    return _control(number, i, context, guard) if i.parts[0] in _CONTROL else None


def _gather(i: SassInstruction) -> Gather | None:
    """What an instruction does to a convergence barrier, the register that it names last but for a
    label: ``BSSY.RECONVERGENT B0, `(.L_x_0)``, ``BREAK P0, B1``."""
    if i.parts[0] in _OTHERS:
        return Gather("", _OTHERS[i.parts[0]])
    does = _BARRIERS.get(i.parts[0])
    name = next((text for text in i.operands if _BARRIER.fullmatch(text)), "")
    return Gather(name, does) if does is not None and name else None


def _system_call(i: SassInstruction, back: bool, end: int) -> ProgramStep:
    """A function of the driver, which touches no shared memory and may not come ``back``. What it
    leaves in a register that the caller reads is the caller's own, or the result: the compiler
    knows what it may change."""
    if not back and not i.guard:
        return ProgramStep(i.line, i.name, flow="jump", target=end)
    lost = Unknown("what a function of the driver returns", i.line)

    def run(state: State) -> None:
        for name in _RESULT:
            write(state, name, lost)

    return ProgramStep(i.line, i.name, writes=_RESULT, run=run, partial=True)


def _meaning(number: int, i: SassInstruction, context: _Context) -> Meaning | None:
    """What an instruction does that touches no shared memory."""
    words = context.stack.words.get(number)
    if number in context.lower:
        i = replace(i, operands=(*i.operands[:-1], "RZ"))
    if i.parts[0] == "QSPC" and number in context.outside:
        return outside(i)
    plain = spill(i, words) if words is not None else meaning(i)
    found = plain or vote(i, context.masks.get(number, "")) or move(i)
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


def _first_byte(found: DecodedAccess, state: State) -> Value:
    at = found.address
    if found.unit is not None:
        values = [_number(found.name, text, state) for text in found.numbers]
        return stacked(found.unit, values, state)
    if found.generic:
        return byte_at(state, (at.registers[0], at.offset_bytes))
    if found.kind != "barrier":
        return from_somewhere(first_byte(at, state), state)
    of_warp = all(name.startswith("UR") for name in at.registers)
    place = anywhere(state, at.registers, at.offset_bytes, first_byte(at, state), of_warp)
    return _of_warp(place, state) if of_warp else place


def _number(row: str, text: str, state: State) -> Value:
    """A number of a unit. Of a descriptor the lower word says where an operand lies; wgmma's cost
    is measured for whatever the upper one says, which is the mode."""
    if not text.endswith(".64"):
        return begins(state, text, word(state, text))
    lower, upper = following(text.removesuffix(".64"), 2)
    mode = word(state, upper)
    mode = constant(0) if row == "wgmma" and isinstance(mode, Unknown) else mode
    at = apply(lambda m: m.astype(np.uint64) << np.uint64(32), mode)
    return begins(state, lower, pair(state, text), at)


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
    """Where control goes. Under a second predicate as well, where BRA or EXIT names one."""
    kernel, end = context.kernel, len(context.kernel.instructions)
    target = end if i.parts[0] in _ENDS else kernel.code.targets.get(number, -1)
    lost = ProgramStep(i.line, i.name, reads=names(i.guard), flow="lost")
    jump = kernel.code.jumps.get(number)
    if i.parts[0] not in ("BRA", "CALL", "RET", "BRX", "BRXU", *_ENDS) or target < 0:
        return lost
    conditions: list[_Condition] = [guard] if guard else []
    reads = names(i.guard)
    for text in _seconds(i):
        second = _second(i, text)
        if second is None:
            return lost
        conditions.append(second)
        reads += names(text)
    back = kernel.code.returns.get(number)
    if back is not None:
        conditions.append(lambda state: _goes_back(state, back))
        reads += names(back.register)
    if jump is not None:
        place = np.uint32(jump.place)
        conditions.append(lambda s: apply(lambda held: held == place, read(s, jump.register)))
        reads += (jump.register,)
    if not conditions:
        return ProgramStep(i.line, i.name, flow="jump", target=target)
    return ProgramStep(
        i.line, i.name, reads, flow="branch", target=target, condition=_all(conditions)
    )  # fmt: skip


def _parting(number: int, i: SassInstruction, mask: str) -> ProgramStep:
    """Lanes with one mask go on, the others come here again once these wait or have ended."""
    return ProgramStep(
        i.line, i.name, names(mask), flow="branch", target=number, gather=_gather(i),
        condition=lambda state: of_others(state, word(state, mask)),
    )  # fmt: skip


def _goes_back(state: State, back: Return) -> Value:
    """Whether a return goes behind its call; what is not known of it is as the convention says."""
    found = read(state, back.register)
    if isinstance(found, Unknown):
        return constant(1, np.bool_)
    return np.asarray(np.isin(found, np.array(back.places, np.uint32)))


def _seconds(i: SassInstruction) -> tuple[str, ...]:
    """What else decides: `BRA P1, L` and `EXIT P1`, which go where the guard and P1 hold."""
    if i.parts[0] in _ENDS:
        return i.operands
    return i.operands[:-1] if i.parts[0] == "BRA" else ()


def _second(i: SassInstruction, text: str) -> _Condition | None:
    """Such a condition: a predicate; of BRA.DIV the lanes that should run together."""
    if predicate_name(text):
        return lambda state: predicate(state, text)
    if i.name == "BRA.DIV":
        return lambda state: apply(lambda lanes: _bits(state) != lanes, word(state, text))
    return None


def _bits(state: State) -> Array:
    """The running lanes of each warp, as a number."""
    weights = np.uint64(1) << np.arange(state.active.shape[1], dtype=np.uint64)
    total = (state.active * weights).sum(axis=1, keepdims=True)
    return np.asarray(total.astype(np.uint32))


def _all(conditions: list[_Condition]) -> _Condition:
    if len(conditions) == 1:
        return conditions[0]
    return lambda state: apply(lambda *p: np.logical_and.reduce(np.broadcast_arrays(*p)), *(
        condition(state) for condition in conditions
    ))  # fmt: skip


def _guard(text: str) -> Guard | None:
    if not text:
        return None
    tag = Guarded(text.removeprefix("!"), text.startswith("!"))
    return Guard(lambda state: predicate(state, text), tag)


def _lost(
    i: SassInstruction, writes: tuple[str, ...], groups: bool
) -> Callable[[State], tuple[Value, ...]]:
    lost = (Unknown(OF_GROUPS if groups else _cause(i), i.line),) * len(writes)
    return lambda state: lost


def _of_alike(
    held: tuple[str, ...],
    place: Callable[[State], Value] | None,
    lost: Callable[[State], tuple[Value, ...]],
) -> Callable[[State], tuple[Value, ...]]:
    """What lanes have alike that have the same in the registers ``held``, at the same ``place``."""

    def run(state: State) -> tuple[Value, ...]:
        same = place is None or is_uniform(place(state))
        if not same or not all(is_uniform(read(state, name)) for name in held):
            return lost(state)
        return tuple(because(v, True) if isinstance(v, Unknown) else v for v in lost(state))

    return run


def _cause(i: SassInstruction) -> str:
    """Local memory is the thread's own, and constants are the host's: neither is data."""
    if i.parts[0] == "LDL":
        return "a word of the stack"
    data = _data(i)
    return f"a result of {i.name}" if data is None else data.reason


def _data(i: SassInstruction) -> Unknown | None:
    """What memory gives here."""
    word_ = i.parts[0]
    if word_ in ("LDS", "LDSM", "ATOMS"):
        return Unknown(READ, i.line)
    return Unknown(LOADED, i.line) if word_ in ("LD", "LDG", "ATOM", "ATOMG", "TEX") else None


def _made_of(i: SassInstruction, writes: tuple[str, ...]) -> tuple[str, ...]:
    """The registers that a result is made of that is not computed."""
    found = form(i)
    target = () if register(found.target) in writes else (found.target,)
    every = (*target, *found.sources, *found.ins)
    return tuple(dict.fromkeys(name for text in every for name in names(text)))
