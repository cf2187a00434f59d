"""From PTX statements to steps: what each reads, writes and does, and where control goes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np

from bankwise.counting.access import BoolArray
from bankwise.read.follow.decoded import Address, Decoded, DecodedAccess, Touches, decode
from bankwise.read.follow.functions import LaneSum, apply
from bankwise.read.follow.guard import Guard, assigning, guarded
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.spaces import shared_byte
from bankwise.read.follow.state import Guarded, State
from bankwise.read.follow.units import anywhere, begins, from_somewhere, other_block, stacked
from bankwise.read.follow.values import LOADED, READ, Array, Unknown, Value
from bankwise.read.follow.warp import parts_of_warp
from bankwise.read.ptx.generic import of_the_host
from bankwise.read.ptx.operands import address, integer, registers, symbols, value
from bankwise.read.ptx.parameters import passed
from bankwise.read.ptx.parse import PtxKernel, Statement
from bankwise.read.ptx.semantics import Meaning, meaning
from bankwise.read.ptx.shared import touch
from bankwise.read.ptx.units import in_window

_NO_RESULT = re.compile(
    r"(?:st|red|bar|barrier|membar|fence|prefetch|prefetchu|cp|ret|exit|bra|trap|brkpt|stmatrix"
    r"|nanosleep|setmaxnreg|discard|griddepcontrol|pmevent|applypriority|wgmma\.(?:fence|commit_group"
    r"|wait_group)|mbarrier\.(?:init|inval|expect_tx|complete_tx)"
    r"|tcgen05\.(?:mma|cp|st|commit|alloc|dealloc|relinquish\w*|wait|fence|shift))(?:\.|$)"
)
_KNOWN = re.compile(
    r"(?:abs|activemask|add|addc|alloca|and|atom|bar|barrier|bfe|bfi|bfind|bmsk|bra|brev|brx|call"
    r"|clusterlaunchcontrol|clz|cnot|copysign|cos|cp|createpolicy|cvt|cvta|div|dp2a|dp4a|elect|ex2"
    r"|exit|fence|fma|fns|getctarank|griddepcontrol|isspacep|istypep|ld|ldmatrix|ldu|lg2|lop3|mad"
    r"|mad24|madc|mapa|match|max|mbarrier|membar|min|mma|mov|movmatrix|mul|mul24|multimem|nanosleep"
    r"|neg|not|or|pmevent|popc|prefetch|prefetchu|prmt|rcp|red|redux|rem|ret|rsqrt|sad|selp|set"
    r"|setmaxnreg|setp|shf|shfl|shl|shr|sin|slct|sqrt|st|stackrestore|stacksave|stmatrix|sub|subc"
    r"|suld|suq|sured|sust|szext|tanh|tcgen05|tensormap|testp|tex|tld4|trap|txq|vote|wgmma|wmma"
    r"|xor|discard|applypriority|brkpt|st64)(?:\.|$)"
)


def decode_kernel(kernel: PtxKernel) -> Decoded:
    """Decode all statements of ``kernel``; one more step ends it."""
    known = symbols(kernel.shared)
    words = {name for one in kernel.statements for t in one.operands for name in registers(t)}
    named = {name: start for name, start in known.items() if name in words}
    outside, numbers = of_the_host(kernel), _written_once(kernel)
    touches = iter(
        None if n in outside else in_window(touch(s), named)
        for n, s in enumerate(kernel.statements)
    )
    return decode(
        kernel.statements,
        kernel.line,
        lambda statement: next(touches),
        lambda statement, touched: _step(statement, kernel, known, numbers, touched),
        lambda statement: _KNOWN.match(statement.name) is not None,
    )


def _written_once(kernel: PtxKernel) -> Mapping[str, int]:
    """What registers hold that a ``mov`` of a number alone writes; of a kernel with shuffles
    from one lane, which are all that asks."""
    if not any(one.parts[0] == "shfl" and "idx" in one.parts for one in kernel.statements):
        return {}
    often = Counter(name for one in kernel.statements for name in _results(one))
    moves = (one for one in kernel.statements if one.parts[0] == "mov" and not one.guard)
    found = ((one.operands[0], integer(one.operands[1])) for one in moves)
    return {name: held for name, held in found if held is not None and often[name] == 1}


def _asks(statement: Statement, numbers: Mapping[str, int]) -> tuple[str, ...] | None:
    """Of a vote, or a shuffle from one lane of the warp: what has to be alike for its result to be;
    None: all that it reads."""
    word, operands = statement.parts[0], statement.operands
    if word == "vote":
        texts = operands[2:]
    elif word == "shfl" and "idx" in statement.parts and len(operands) > 3:
        end = numbers.get(operands[3], integer(operands[3]))
        if end is None or parts_of_warp(end):
            return None
        texts = (operands[2], *operands[4:])
    else:
        return None
    return registers(statement.guard) + tuple(n for text in texts for n in registers(text))


def _step(
    statement: Statement,
    kernel: PtxKernel,
    known: Mapping[str, int],
    numbers: Mapping[str, int],
    found: Touches,
) -> ProgramStep:
    guard = _guard(statement)
    word = statement.parts[0]
    if word in ("bra", "ret", "exit", "brx", "trap"):
        return _control(statement, kernel, guard)
    parameter = passed(statement, kernel)
    writes = parameter.writes if parameter else _results(statement)
    does = parameter.run if parameter else _does(statement, known) if writes else None
    reads = registers(statement.guard)
    if parameter is not None:
        reads += parameter.reads
    elif does is not None:
        reads += tuple(n for text in statement.operands[1:] for n in registers(text))
    place = None
    if isinstance(found, DecodedAccess):
        reads += found.address.registers
        place = _place(found, known, guard)
    return ProgramStep(
        line=statement.line,
        name=statement.name,
        reads=reads,
        writes=writes,
        run=assigning(writes, does or _lost(statement, writes), guard) if writes else None,
        address=place,
        guard=guard if place is not None else None,
        predicate=statement.guard,
        partial=bool(statement.guard),
        followed=does is not None or not writes,
        asks=_asks(statement, numbers),
        own=word == "elect",
        made_of=tuple(n for text in statement.operands[1:] for n in registers(text)),
        data=None if does is not None else _data(statement),
    )


def _does(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    """What a statement writes; None if it is not followed."""
    if statement.name.startswith("ld.param"):
        return lambda state: state.memory(statement)
    if statement.parts[0] == "mapa" and len(statement.operands) == 3:
        return lambda state: (other_block(value(state, statement.operands[1], known)),)
    return meaning(statement, known)


def _control(statement: Statement, kernel: PtxKernel, guard: Guard | None) -> ProgramStep:
    word = statement.parts[0]
    target = len(kernel.statements)
    if word == "bra":
        target = kernel.labels.get(statement.operands[0] if statement.operands else "", -1)
    if word == "brx" or target < 0:
        return ProgramStep(statement.line, statement.name, flow="lost")
    if guard is None:
        return ProgramStep(statement.line, statement.name, flow="jump", target=target)
    return ProgramStep(
        statement.line,
        statement.name,
        reads=registers(statement.guard),
        flow="branch",
        target=target,
        condition=guard,
    )


def _guard(statement: Statement) -> Guard | None:
    """The predicate as a boolean of each lane."""
    if not statement.guard:
        return None
    negated, name = statement.guard.startswith("!"), statement.guard.lstrip("!")

    def holds(state: State) -> Value:
        found = value(state, name, {})
        return apply(lambda p: _truth(p) != negated, found)

    return Guard(holds, Guarded(name, negated))


def _truth(p: Array) -> BoolArray:
    return p.astype(np.bool_)


def _place(
    found: DecodedAccess, known: Mapping[str, int], guard: Guard | None
) -> Callable[[State], Value]:
    """The first byte of every lane, or the numbers of a unit."""
    if found.unit is not None:
        return guarded(_numbers(found, known), guard)
    address_ = _address(found.address, known, found.generic)
    if found.generic:
        return guarded(address_, guard)
    if found.kind != "barrier":
        return guarded(lambda state: from_somewhere(address_(state), state), guard)
    names, offset = found.address.registers, found.address.offset_bytes
    return guarded(lambda state: anywhere(state, names, offset, address_(state)), guard)


def _numbers(found: DecodedAccess, known: Mapping[str, int]) -> Callable[[State], Value]:
    """What a unit is given: [numbers, waves, lanes]."""
    places = [(text, address(text)) for text in found.numbers]
    run = [
        (lambda state, text=text: value(state, text, known)) if at is None
        else _address(at, known, generic=False)
        for text, at in places
    ]  # fmt: skip
    unit, row = found.unit, found.name
    names = [next(iter(registers(text)), "") for text in found.numbers]
    assert unit is not None

    def numbers(state: State) -> Value:
        values = [one(state) for one in run]
        if row != "tcgen05":
            values = [begins(state, *one) for one in zip(names, values, strict=True)]
        return stacked(unit, values, state)

    return numbers


def _address(at: Address, known: Mapping[str, int], generic: bool) -> Callable[[State], Value]:
    def first_byte(state: State) -> Value:
        base = value(state, at.registers[0], known)
        if generic:
            offset = np.uint64(at.offset_bytes % (1 << 64))
            return apply(lambda x: shared_byte(x.astype(np.uint64) + offset), base)
        return apply(LaneSum(lambda x: x.astype(np.int64) + at.offset_bytes), base)

    return first_byte


def _lost(statement: Statement, writes: tuple[str, ...]) -> Meaning:
    lost = (Unknown(_cause(statement), statement.line),) * len(writes)
    return lambda state: lost


def _cause(statement: Statement) -> str:
    data = _data(statement)
    return f"a result of {statement.name}" if data is None else data.reason


def _data(statement: Statement) -> Unknown | None:
    """What memory gives here."""
    parts = statement.parts
    if parts[0] == "ldmatrix" or (parts[0] in ("ld", "atom") and "shared" in parts):
        return Unknown(READ, statement.line)
    own = {"local", "param", "const"} & set(parts)
    loads = parts[0] in ("ld", "ldu", "atom", "tex") and not own
    return Unknown(LOADED, statement.line) if loads else None


def _results(statement: Statement) -> tuple[str, ...]:
    """The registers that a statement writes."""
    if _NO_RESULT.match(statement.name) or not statement.operands:
        return ()
    return tuple(dict.fromkeys(registers(statement.operands[0])))
