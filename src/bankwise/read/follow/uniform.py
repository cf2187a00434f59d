"""Branches that all lanes of a wave decide alike, worked out before anything runs.

A run sees of every branch whether it was so each time. One that ends early has not seen all, and
then only this is sure:

    @%p1 bra L      uniform    %p1 is made of what all lanes have alike, where no lanes part
                    varying    %p1 may be made of a lane's own number, or be written where they part

A forward analysis: a register varies if it does on *some* way. A run asks this too where it cannot
say that an unknown condition is alike, as lanes of other waves hold something else in the register.
On a machine with an execution mask every branch is of the wave.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from bankwise.read.follow.program import Program, ProgramStep
from bankwise.read.follow.state import Partly, State, parted
from bankwise.read.follow.values import Unknown, is_uniform
from bankwise.read.follow.ways import facts_before

Varies = bool | str
"""Whether a register may differ between lanes of a wave; a predicate (``"!P0"``): only where that
does not hold."""
Facts = dict[str, Varies]


class Varying(Struct):
    """The lines of branches that lanes of a wave may decide differently, worked out once if it is
    asked for. ``first``: the registers that they may hold different numbers in at the start."""

    program: Program
    first: frozenset[str]
    lines: frozenset[int] | None = None

    def __contains__(self, line: object) -> bool:
        if self.lines is None:
            self.lines = varying_branches(self.program, self.first)
        return line in self.lines


def varies_first(start: State) -> frozenset[str]:
    """The registers of which lanes of a wave may hold different numbers at the start."""
    held = start.registers.items()
    return frozenset(n for n, v in held if isinstance(v, Partly) or not is_uniform(v))


def for_each_lane(varying: Varying, branches: dict[int, Unknown], unsure: Iterable[int]) -> None:
    """Let those of the open ``branches`` be open for each lane of which it is ``unsure`` that they
    are of the wave, and that may vary."""
    for line in unsure:
        if branches[line].uniform and line in varying:
            branches[line] = parted(branches[line])


def varying_branches(program: Program, first: Collection[str]) -> frozenset[int]:
    """The lines of branches that lanes of a wave may decide differently, where they may hold
    different numbers in the registers ``first`` at the start. What nothing has written
    is taken for alike: a program whose results are defined does not decide by it."""
    apart: frozenset[int] = frozenset()
    while True:
        branches = _varying(program, dict.fromkeys(first, True), apart)
        found = frozenset().union(*(_between(program, block) for block in branches))
        if found <= apart:
            return frozenset(program.steps[program.blocks[b].stop - 1].line for b in branches)
        apart |= found


def _varying(program: Program, first: Facts, apart: frozenset[int]) -> list[int]:
    """The blocks that end in such a branch, where lanes may have parted in the blocks ``apart``."""
    ways: list[tuple[int, ...]] = [(n + 1,) for n in range(len(program.steps))]
    for block in program.blocks:
        ways[block.stop - 1] = tuple(
            program.blocks[after].start for after in block.after if after < len(program.blocks)
        )
    inside = {n for b in apart for n in range(program.blocks[b].start, program.blocks[b].stop)}
    guards = {step.predicate.lstrip("!") for step in program.steps}

    def change(number: int, facts: Facts) -> None:
        step = program.steps[number]
        varies = number in inside or _makes_varying(step, facts)
        facts.update({name: _written(name, step, varies, facts) for name in step.writes})
        if not guards.isdisjoint(step.writes):
            for name, held in facts.items():
                if isinstance(held, str) and held.lstrip("!") in step.writes:
                    facts[name] = True

    found = facts_before(ways, change, _either, first)
    ends = {block.stop - 1: n for n, block in enumerate(program.blocks)}
    return [
        ends[number]
        for number, facts in found.items()
        if number in ends and program.steps[number].flow == "branch"
        and any(facts.get(name, False) for name in program.steps[number].reads)
    ]  # fmt: skip


def _written(name: str, step: ProgramStep, varies: bool, known: Mapping[str, Varies]) -> Varies:
    """Of a register that ``step`` writes: a uniform one has one number, but for what groups of
    lanes ask among themselves, one after the other."""
    if varies:
        return not name.startswith("U") or step.own or step.asks is not None
    held = known.get(name, False)
    if not step.partial or not held:
        return False
    return False if held == _opposite(step.predicate) else step.predicate or held


def _opposite(predicate: str) -> str:
    return predicate[1:] if predicate.startswith("!") else f"!{predicate}"


def _either(one: Varies, other: Varies) -> Varies:
    """What is sure of a register on both ways."""
    return one or other if not one or not other or one == other else True


def _makes_varying(step: ProgramStep, known: Mapping[str, Varies]) -> bool:
    if step.own or not (step.followed or step.alike):
        return True
    asks = step.reads if step.asks is None else step.asks
    return any(known.get(name, False) not in (False, step.predicate) for name in asks)


def _between(program: Program, block: int) -> frozenset[int]:
    """The blocks between a branch and its join."""
    join, found, waiting = program.joins[block], set[int](), list(program.blocks[block].after)
    while waiting:
        number = waiting.pop()
        if number not in found and number != join and number < len(program.blocks):
            found.add(number)
            waiting += program.blocks[number].after
    return frozenset(found)
