"""Calls to functions of the same file: a kernel with its functions in it, once for every call.

nvcc leaves functions where a source says ``__noinline__`` or takes them separately (``-rdc``), for
what the machine has no instruction for (division, square root), and everywhere under ``-G``:

    MOV R20, 0x180                      where to go on
    CALL.REL.NOINC `($k$_Z4pokePfi)     the function stands behind the kernel, or in its own section
    RET.REL.NODEC R20 `(k)

A copy for each call makes a call a jump, and a return too: to behind the call. That is checked as
far as the register is known; where it is not, the calling convention is taken at its word. What is
reached through a register, calls itself, or is not in the file is not followed.

A call of a place in the same section from which nothing returns is a jump: ptxas leaves loops by
``@P0 CALL.REL.NOINC`` where the warp may be apart, and sets no register before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.identity import ByIdentity
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.symbols import placed
from bankwise.read.sass.tables import JumpTable

_TARGET = re.compile(r"`\((\S+)\)|(0x[0-9a-f]+)")
_PLACE = re.compile(r"32@(lo|hi)\(\(?([^\s()]+)(?: \+ ([^\s()@]+)@srel)?\)?\)")
_ENDS = ("EXIT", "KILL", "RET", "BRX", "BRXU", "JMX", "JMXU")
_SECTION_BYTES = 1 << 24
"""Every section is followed at an address of its own; where it is loaded is not known."""

MOST_INSTRUCTIONS = 12_000
MOST_DEPTH = 24
"""How much a kernel may grow by its calls, and how deep they go."""


class Body(ByIdentity, frozen=True, eq=False):
    """The code of one section. ``labels``: names, and addresses as 0x..., to the number of an
    instruction; ``tables``: of its jumps through one, by number; ``system``: its calls of functions
    of the driver, and whether they come back."""

    name: str
    line: int
    instructions: tuple[SassInstruction, ...]
    labels: Mapping[str, int]
    tables: Mapping[int, JumpTable] = field(default_factory=dict)
    system: Mapping[int, bool] = field(default_factory=dict)


class Return(Struct, frozen=True):
    """``register`` holds one of ``places`` if the function returns behind its call."""

    register: str
    places: tuple[int, int]


class Jump(Struct, frozen=True):
    """``register`` holds ``place`` if a jump goes where this copy of it does."""

    register: str
    place: int


class InlinedSass(Struct, frozen=True):
    """A kernel with all that it calls. ``targets``: where branches, calls and returns go, by their
    numbers; ``returns``: what the returns of functions read; ``jumps``: of a jump through a table,
    which stands once for each place, when it goes there, always to the last; ``refused``: why a
    call is not followed; ``shared``: the variables that have a window of their own; ``system``: the
    calls of functions of the driver, and whether they come back."""

    instructions: tuple[SassInstruction, ...]
    targets: Mapping[int, int]
    returns: Mapping[int, Return]
    refused: Mapping[int, str]
    shared: tuple[str, ...] = ()
    jumps: Mapping[int, Jump] = field(default_factory=dict)
    system: Mapping[int, bool] = field(default_factory=dict)

    def ways(self) -> tuple[tuple[int, ...], ...]:
        """Where control may go from each instruction; a call that is not followed comes back."""
        return tuple(self._after(number) for number in range(len(self.instructions)))

    def _after(self, number: int) -> tuple[int, ...]:
        one, target = self.instructions[number], self.targets.get(number)
        always = not one.guard and (one.parts[0] != "BRA" or len(one.operands) < 2)
        if target is None:
            return () if one.parts[0] in _ENDS and always else (number + 1,)
        always = always and number not in self.jumps
        there = (target,) if target >= 0 else ()
        return there if always else (*there, number + 1)


class _Call(Struct, frozen=True):
    """One copy of a function: what calls it, and where that goes on."""

    body: Body
    start: int
    stack: tuple[tuple[str, int], ...]
    number: int
    back: int
    places: tuple[int, int]
    caller: str


class _Copies(Struct):
    bodies: Mapping[str, Body]
    out: list[SassInstruction] = field(default_factory=list)
    targets: dict[int, int] = field(default_factory=dict)
    returns: dict[int, Return] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)
    jumps: dict[int, Jump] = field(default_factory=dict)
    system: dict[int, bool] = field(default_factory=dict)
    waiting: list[_Call] = field(default_factory=list)


def inlined(body: Body, bodies: Mapping[str, Body]) -> InlinedSass:
    """``body`` with the functions of ``bodies`` that it calls."""
    work = _Copies(bodies)
    _copy(work, body, tuple(_own(body)), ((body.name, 0),), None)
    while work.waiting:
        call = work.waiting.pop(0)
        work.targets[call.number] = len(work.out)
        _copy(work, call.body, tuple(sorted(_reached(call.body, call.start))), call.stack, call)
    code, shared = placed(work.out)
    found = (work.targets, work.returns, work.refused, shared, work.jumps, work.system)
    return InlinedSass(code, *found)


def _copy(
    work: _Copies,
    body: Body,
    members: tuple[int, ...],
    stack: tuple[tuple[str, int], ...],
    call: _Call | None,
) -> None:
    """Append ``members`` of ``body``; a return twice: one that goes back, one that is lost. A
    return under a predicate is one: what does not return goes on. A jump through a table stands
    once for each place."""
    numbers, at = {}, len(work.out)
    for member in members:
        numbers[member] = at
        table = body.tables.get(member)
        at += 2 if call and _always_returns(body.instructions[member]) else 1
        at += 0 if table is None else len(table.places) - 1
    for member in members:
        one = _placed(body.instructions[member], work.bodies)
        number, word = len(work.out), one.parts[0]
        work.out.append(one)
        if member in body.system:
            work.system[number] = body.system[member]
        elif word == "CALL" and _target(one, body) is None:
            _call(work, body, member, numbers, stack)
        elif member in body.tables:
            _jump(work, one, body.tables[member], numbers)
        elif word == "RET" and call:
            work.targets[number] = call.back
            if _always_returns(one):
                work.returns[number] = Return(one.operands[0] if one.operands else "", call.places)
                work.out.append(one)
        else:
            target = _target(one, body)
            if target is not None:
                work.targets[number] = numbers.get(target, -1)


def _jump(
    work: _Copies, one: SassInstruction, table: JumpTable, numbers: Mapping[int, int]
) -> None:
    """Let the jump that was appended last lead to every place of its table: to the last where it
    leads to none before."""
    work.out.pop()
    for held, target in table.places.items():
        work.jumps[len(work.out)] = Jump(table.register, held)
        work.targets[len(work.out)] = numbers.get(target, -1)
        work.out.append(one)
    del work.jumps[len(work.out) - 1]


def _always_returns(one: SassInstruction) -> bool:
    return one.parts[0] == "RET" and not one.guard


def _call(
    work: _Copies,
    body: Body,
    member: int,
    numbers: Mapping[int, int],
    stack: tuple[tuple[str, int], ...],
) -> None:
    """Let the call that was appended last be followed, or say why it is not."""
    number, one = len(work.out) - 1, body.instructions[member]
    found = _function(one, body, work.bodies)
    if found is None or member + 1 not in numbers:
        work.refused[number] = "the called function is not named, or is not in the file"
        return
    place = (found[0].name, found[1])
    if place in stack:
        work.refused[number] = "a function that calls itself is not followed"
    elif len(stack) > MOST_DEPTH or len(work.out) > MOST_INSTRUCTIONS:
        work.refused[number] = "the kernel calls more than is followed"
    else:
        behind = body.instructions[member + 1].address
        places = (behind, _base(body.name, work.bodies) + behind)
        back = numbers[member + 1]
        work.waiting.append(_Call(*found, (*stack, place), number, back, places, body.name))


def _function(
    one: SassInstruction, body: Body, bodies: Mapping[str, Body]
) -> tuple[Body, int] | None:
    """The function that a call names, and the number of its first instruction."""
    found = _TARGET.fullmatch(one.operands[0]) if len(one.operands) == 1 else None
    if found is None:
        return None
    name = found[1] or found[2]
    if name in body.labels and body.labels[name] < len(body.instructions):
        return body, body.labels[name]
    return (bodies[name], 0) if name in bodies else None


def _target(one: SassInstruction, body: Body) -> int | None:
    """The instruction that a branch names, or a call from which nothing returns; None if it is
    neither, or names none."""
    if one.parts[0] not in ("BRA", "JMP", "CALL") or not one.operands:
        return None
    if one.parts[0] == "CALL" and len(one.operands) > 1:
        return None
    found = _TARGET.fullmatch(one.operands[-1].split()[-1])
    target = body.labels.get(found[1] or found[2]) if found else None
    if one.parts[0] == "CALL" and (target is None or _returns_from(body, target)):
        return None
    return target


@lru_cache(maxsize=64)
def _returns_from(body: Body, start: int) -> bool:
    """Whether a return may be reached from ``start``, or the end of the section."""
    return any(
        number + 1 == len(body.instructions) or body.instructions[number].parts[0] == "RET"
        for number in _reached(body, start, come_back=True)
    )


def _own(body: Body) -> Iterator[int]:
    """The instructions of a kernel without those of the functions that stand behind it."""
    starts = {
        found[1]
        for one in body.instructions
        if one.parts[0] == "CALL"
        and _target(one, body) is None
        and (found := _function(one, body, {}))
    }
    kernel = _reached(body, 0)
    others = set().union(*(_reached(body, start) for start in starts)) - kernel
    return (number for number in range(len(body.instructions)) if number not in others)


def _reached(body: Body, start: int, *, come_back: bool = False) -> set[int]:
    """The instructions that control may reach from ``start``; calls come back, with ``come_back``
    also those that are jumps."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        number = waiting.pop()
        if number in found or number >= len(body.instructions):
            continue
        found.add(number)
        one = body.instructions[number]
        target = None if come_back and one.parts[0] == "CALL" else _target(one, body)
        if target is not None:
            waiting.append(target)
        if number in body.tables:
            waiting += body.tables[number].places.values()
        always = not one.guard and len(one.operands) < 2
        if not ((one.parts[0] in _ENDS and not one.guard) or (target is not None and always)):
            waiting.append(number + 1)
    return found


def _base(name: str, bodies: Mapping[str, Body]) -> int:
    names = list(bodies)
    return (names.index(name) + 1) * _SECTION_BYTES if name in bodies else 0


def _placed(one: SassInstruction, bodies: Mapping[str, Body]) -> SassInstruction:
    """``MOV R20, 32@lo((k + .L_x_4@srel))`` with the number of the place that it names."""
    if not any("32@" in text for text in one.operands):
        return one
    return replace(one, operands=tuple(_place(text, bodies) for text in one.operands))


def _place(text: str, bodies: Mapping[str, Body]) -> str:
    found = _PLACE.fullmatch(text)
    body = bodies.get(found[2]) if found else None
    if found is None or body is None:
        return text
    at = body.labels.get(found[3], -1) if found[3] else 0
    if not 0 <= at < len(body.instructions):
        return text
    place = _base(body.name, bodies) + body.instructions[at].address
    return hex(place if found[1] == "lo" else 0)
