"""Results that nobody computes, and the data that they are made of.

    LDG.E R4, desc[UR4][R2.64]              what memory gave
    FMUL R5, R4, R0                         not computed; made of it
    FSETP.GEU.AND P0, PT, R5, R6, PT        as well: data decides, no fact of a launch does

A forward analysis: a register is made of data if it is on *some* way. It changes no answer, only
what is said of one that is open: there it names the value of memory, not the last instruction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush

from msgspec.structs import replace

from bankwise.read.follow.program import Program, ProgramStep
from bankwise.read.follow.touched import Touched
from bankwise.read.follow.values import Unknown

_Made = dict[str, Unknown]
"""Registers that may be made of data, and of which."""


def name_data(program: Program, branches: dict[int, Unknown], touched: Iterable[Touched]) -> None:
    """Let what a result of data leaves open of ``program`` name the data: open ``branches`` by
    their lines, addresses, masks."""
    parts = list(touched)
    every = [*branches.values(), *(w for p in parts for w in (p.unknown, p.maybe) if w is not None)]
    not_computed = {step.line for step in program.steps if not step.followed}
    if not any(one.line in not_computed for one in every):
        return
    causes = data_causes(program)
    branches.update({line: _named(one, causes) for line, one in branches.items()})
    for part in parts:
        part.unknown = part.unknown and _named(part.unknown, causes)
        part.maybe = part.maybe and _named(part.maybe, causes)


def _named(one: Unknown, causes: Mapping[int, Unknown]) -> Unknown:
    cause = causes.get(one.line)
    return one if cause is None else replace(one, reason=cause.reason, line=cause.line)


def data_causes(program: Program) -> dict[int, Unknown]:
    """By the line of an instruction that is not computed, the data that it may be made of."""
    at_start: dict[int, _Made] = {0: {}}
    waiting = [(program.order[0], 0)]
    found: dict[int, Unknown] = {}
    while waiting:
        number = heappop(waiting)[1]
        block, made = program.blocks[number], dict(at_start[number])
        for step in program.steps[block.start : block.stop]:
            _after(step, made, found)
        for after in block.after:
            if after < len(program.blocks) and _joined(at_start, after, made):
                heappush(waiting, (program.order[after], after))
    return found


def _after(step: ProgramStep, made: _Made, found: dict[int, Unknown]) -> None:
    """What is made of data behind a step."""
    sources = (*step.reads, *step.made_of)
    cause = step.data or next((made[name] for name in sources if name in made), None)
    if cause is not None and not step.followed:
        found.setdefault(step.line, cause)
    for name in step.writes:
        if cause is not None:
            made[name] = cause
        elif not step.partial:
            made.pop(name, None)


def _joined(at_start: dict[int, _Made], block: int, made: _Made) -> bool:
    """Let ``block`` have what is made of data on this way, too; whether that is more."""
    first = block not in at_start
    known = at_start.setdefault(block, {})
    new = made.keys() - known.keys()
    known.update((name, made[name]) for name in new)
    return first or bool(new)
