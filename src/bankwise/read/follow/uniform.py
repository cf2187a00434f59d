"""Branches that all lanes of a wave decide alike, worked out before anything runs.

A run sees of every branch whether it was so each time. One that ends early has not seen all, and
then only this is sure:

    @%p1 bra L      uniform    %p1 is made of what all lanes have alike, where no lanes part
                    varying    %p1 may be made of a lane's own number, or be written where they part

A forward analysis: a register varies if it does on *some* way. On a machine with an execution mask
every branch is of the wave.
"""

from __future__ import annotations

from collections.abc import Iterable

from bankwise.read.follow.program import Program, ProgramStep
from bankwise.read.follow.state import Partly, State, parted
from bankwise.read.follow.values import Unknown, is_uniform
from bankwise.read.follow.ways import facts_before
from bankwise.regex import regex

_ALIKE = regex(r"(?:SHFL\.IDX|VOTE|shfl\.sync\.idx|vote)(?:\.|$)")
"""What gives all lanes the same where they ask the same lanes: all but what is asked of them, the
first operand of a shuffle and the predicate of a vote, has to be alike."""
_PREDICATE = regex(r"%?U?[Pp]\d+")


def for_each_lane(
    program: Program, start: State, branches: dict[int, Unknown], unsure: Iterable[int]
) -> None:
    """Let those of the open ``branches`` be open for each lane of which it is ``unsure`` that they
    are of the wave, and that may vary."""
    doubted = {line for line in unsure if branches[line].uniform}
    for line in doubted and doubted & varying_branches(program, start):
        branches[line] = parted(branches[line])


def varying_branches(program: Program, start: State) -> frozenset[int]:
    """The lines of branches that lanes of a wave may decide differently."""
    if start.lanes is not None:
        return frozenset()
    held = start.registers.items()
    first = {n: True for n, v in held if isinstance(v, Partly) or not is_uniform(v)}
    apart: frozenset[int] = frozenset()
    while True:
        branches = _varying(program, first, apart)
        found = frozenset().union(*(_between(program, block) for block in branches))
        if found <= apart:
            return frozenset(program.steps[program.blocks[b].stop - 1].line for b in branches)
        apart |= found


def _varying(program: Program, first: dict[str, bool], apart: frozenset[int]) -> list[int]:
    """The blocks that end in such a branch, where lanes may have parted in the blocks ``apart``."""
    ways: list[tuple[int, ...]] = [(n + 1,) for n in range(len(program.steps))]
    for block in program.blocks:
        ways[block.stop - 1] = tuple(
            program.blocks[after].start for after in block.after if after < len(program.blocks)
        )
    inside = {n for b in apart for n in range(program.blocks[b].start, program.blocks[b].stop)}

    def change(number: int, facts: dict[str, bool]) -> None:
        step = program.steps[number]
        varies = number in inside or _makes_varying(step, {**first, **facts})
        for name in step.writes:
            if varies and not name.startswith("U"):
                facts[name] = True
            elif not step.partial:
                facts[name] = False

    known = facts_before(ways, change, lambda a, b: a or b)
    ends = {block.stop - 1: n for n, block in enumerate(program.blocks)}
    return [
        ends[number]
        for number, facts in known.items()
        if number in ends and program.steps[number].flow == "branch"
        and any({**first, **facts}.get(name, False) for name in program.steps[number].reads)
    ]  # fmt: skip


def _makes_varying(step: ProgramStep, varies: dict[str, bool]) -> bool:
    if _ALIKE.match(step.name):
        shuffle = "sh" in step.name.lower()
        asks = step.reads[1:] if shuffle else [n for n in step.reads if not _PREDICATE.fullmatch(n)]
        return any(varies.get(name, False) for name in asks)
    known = step.followed or step.alike
    return not known or any(varies.get(name, False) for name in step.reads)


def _between(program: Program, block: int) -> frozenset[int]:
    """The blocks between a branch and its join."""
    join, found, waiting = program.joins[block], set[int](), list(program.blocks[block].after)
    while waiting:
        number = waiting.pop()
        if number not in found and number != join and number < len(program.blocks):
            found.add(number)
            waiting += program.blocks[number].after
    return frozenset(found)
