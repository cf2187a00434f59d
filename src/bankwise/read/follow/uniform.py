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

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct, field

from bankwise.read.follow.program import Program, ProgramStep
from bankwise.read.follow.state import Partly, State, parted
from bankwise.read.follow.values import Unknown, is_uniform


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
    bits = _Bits()
    effects = [_effect(step, bits) for step in program.steps]
    at_start = {0: _LaneFacts(bits.of(first))}
    branches: set[int] = set()
    apart: frozenset[int] = frozenset()
    waiting = {0}
    while waiting:
        _spread(program, effects, at_start, branches, apart, waiting)
        found = frozenset().union(*(_between(program, block) for block in branches))
        waiting = {block for block in found - apart if block in at_start}
        apart |= found
    return frozenset(program.steps[program.blocks[b].stop - 1].line for b in branches)


class _Bits(Struct, frozen=True):
    """A bit for each name."""

    known: dict[str, int] = field(default_factory=dict)

    def of(self, names: Iterable[str]) -> int:
        """The bits of ``names`` together."""
        found = 0
        for name in names:
            found |= 1 << self.known.setdefault(name, len(self.known))
        return found


class _LaneFacts(Struct):
    """What is known of registers at a place, each a bit: those that may differ between lanes, and
    those that do only where a predicate does not hold, with that."""

    varies: int
    under: dict[int, str] = field(default_factory=dict)

    def join(self, other: _LaneFacts) -> bool:
        """Let this be so on another way, too; whether that is more."""
        varies, under = self.varies | other.varies, dict(self.under)
        for bit, predicate in other.under.items():
            if under.setdefault(bit, predicate) != predicate:
                varies |= bit
        kept = {bit: predicate for bit, predicate in under.items() if not bit & varies}
        more = varies != self.varies or kept != self.under
        self.varies, self.under = varies, kept
        return more


class _Effect(Struct, frozen=True):
    """What a step does to registers, each a bit. ``asks``: those of which lanes have to hold the
    same to get the same; ``always``: they may get different ones even so; ``writes``: its results,
    those ``each`` has one of; ``kept``: a result stays what it was where ``predicate`` does not
    hold, or nobody knows where; ``decides``: the predicates that it writes, by name."""

    asks: int
    always: bool
    writes: int
    each: int
    kept: bool
    predicate: str
    decides: frozenset[str]


def _effect(step: ProgramStep, bits: _Bits) -> _Effect:
    own = step.own or step.asks is not None  # what groups of lanes ask among themselves
    return _Effect(
        asks=bits.of(step.reads if step.asks is None else step.asks),
        always=step.own or not (step.followed or step.alike),
        writes=bits.of(step.writes),
        each=bits.of(name for name in step.writes if own or not name.startswith("U")),
        kept=step.partial,
        predicate=step.predicate,
        decides=frozenset(step.writes),
    )


def _spread(
    program: Program,
    effects: Sequence[_Effect],
    at_start: dict[int, _LaneFacts],
    branches: set[int],
    apart: frozenset[int],
    waiting: set[int],
) -> None:
    """Run the blocks that are ``waiting``, and those that learn more by that; note the ``branches``
    that lanes may decide differently, where they may have parted in the blocks ``apart``."""
    while waiting:
        number = min(waiting, key=lambda block: program.order[block])
        waiting.discard(number)
        block, held = program.blocks[number], at_start[number]
        facts = _LaneFacts(held.varies, dict(held.under))
        for at in range(block.start, block.stop):
            varies = _may_vary(effects[at], facts)
            if varies and program.steps[at].flow == "branch":
                branches.add(number)
            _write(effects[at], facts, varies or number in apart)
        for after in block.after:
            if after >= len(program.blocks):
                continue
            known = at_start.get(after)
            if known is None:
                at_start[after] = _LaneFacts(facts.varies, dict(facts.under))
                waiting.add(after)
            elif known.join(facts):
                waiting.add(after)


def _may_vary(does: _Effect, facts: _LaneFacts) -> bool:
    if does.always or does.asks & facts.varies:
        return True
    return any(b & does.asks and p != does.predicate for b, p in facts.under.items())


def _write(does: _Effect, facts: _LaneFacts, varies: bool) -> None:
    """Behind a step, whose results vary or do not."""
    if not does.writes:
        return
    if varies or not does.kept:
        facts.varies = facts.varies & ~does.writes | (does.each if varies else 0)
        facts.under = {b: p for b, p in facts.under.items() if not b & does.writes}
    elif does.predicate:
        _write_where(does, facts)
    lost = [b for b, p in facts.under.items() if p.lstrip("!") in does.decides]
    for bit in lost:
        facts.varies |= bit
        del facts.under[bit]


def _write_where(does: _Effect, facts: _LaneFacts) -> None:
    """Results that are alike where a predicate holds: the rest stays as it was."""
    left = facts.varies & does.writes
    facts.varies &= ~does.writes
    for bit in (b for b in facts.under if b & does.writes):
        left |= 0 if facts.under[bit] == _opposite(does.predicate) else bit
    facts.under = {b: p for b, p in facts.under.items() if not b & does.writes}
    while left:
        bit = left & -left
        facts.under[bit] = does.predicate
        left ^= bit


def _opposite(predicate: str) -> str:
    return predicate[1:] if predicate.startswith("!") else f"!{predicate}"


def _between(program: Program, block: int) -> frozenset[int]:
    """The blocks between a branch and its join."""
    join, found, waiting = program.joins[block], set[int](), list(program.blocks[block].after)
    while waiting:
        number = waiting.pop()
        if number not in found and number != join and number < len(program.blocks):
            found.add(number)
            waiting += program.blocks[number].after
    return frozenset(found)
