"""A machine file from measurements alone: banks, phases and merging read off the counters.

Nothing of an existing machine file is used but the names of the instructions, their widths and
the alignment that the hardware asks for. The directed accesses (:mod:`bankwise.lab.gpu.directed`)
give banks and phases; the random ones, which they have not seen, decide about merging and judge the
whole row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product

from msgspec import Struct
from msgspec.structs import replace

from bankwise.hardware.machine import Instruction, Machine, Merge
from bankwise.lab.gpu.cases import WaveAccess
from bankwise.lab.gpu.counters import Counters
from bankwise.lab.gpu.directed import Answers, first_questions, next_questions

Measure = Callable[[Sequence[WaveAccess]], Counters]

_MERGES: tuple[Merge, ...] = ("none", "neighbours")
_ROUNDS = 128
"""No instruction has more phases than lanes: a bound that only a broken counter reaches."""


class Proposed(Struct, frozen=True):
    """One instruction as measured.

    ``row`` is None where the counters gave no consistent rule; ``why`` says so. ``judged`` random
    accesses were predicted with the row, ``agreeing`` of them exactly. ``same``: whether the
    machine file in use states the same rule.
    """

    instruction: str
    row: Instruction | None
    judged: int
    agreeing: int
    same: bool
    why: str = ""

    @property
    def holds(self) -> bool:
        """Whether the row predicts every random access, and there were some."""
        return self.row is not None and 0 < self.judged == self.agreeing


def ask(
    machine: Machine, instructions: Sequence[str], measure: Measure
) -> tuple[tuple[WaveAccess, ...], tuple[Counters, ...]]:
    """Put the directed questions, round after round, until every phase is known.

    Returns all cases and, per round, their counters.
    """
    answers = {name: Answers() for name in instructions}
    wave = machine.wave_size
    batch = [case for name in instructions for case in first_questions(machine.instruction(name))]
    cases: list[WaveAccess] = []
    rounds: list[Counters] = []
    while batch and len(rounds) < _ROUNDS:
        counters = measure(batch)
        for case, conflicts in zip(batch, counters.conflicts.tolist(), strict=True):
            answers[case.instruction].add(case, conflicts)
        cases += batch
        rounds.append(counters)
        batch = [c for name in instructions for c in next_questions(name, wave, answers[name])]
    return tuple(cases), tuple(rounds)


def propose(
    machine: Machine, cases: Sequence[WaveAccess], counters: Counters
) -> tuple[Proposed, ...]:
    """The rule of every instruction that was asked about, from the measured accesses alone."""
    answers: dict[str, Answers] = {}
    judged: dict[str, list[int]] = {}
    for number, case in enumerate(cases):
        known = answers.setdefault(case.instruction, Answers())
        if not known.add(case, int(counters.conflicts[number])):
            judged.setdefault(case.instruction, []).append(number)
    return tuple(
        _proposed(machine, name, known, [(cases[n], n) for n in judged.get(name, [])], counters)
        for name, known in answers.items()
        if known.supplies
    )


def _proposed(
    machine: Machine,
    name: str,
    answers: Answers,
    judges: list[tuple[WaveAccess, int]],
    counters: Counters,
) -> Proposed:
    stated = machine.instruction(name)
    phases, left = answers.phases()
    if answers.banks is None or left or not phases:
        why = "no distance conflicts" if answers.banks is None else "the phases stayed open"
        return Proposed(name, None, len(judges), 0, False, why)
    if answers.contradicted:
        return Proposed(name, None, len(judges), 0, False, "lanes share phases in no order")
    span = generators(phases)
    if span is None:
        return Proposed(name, None, len(judges), 0, False, f"phases are no cosets: {phases}")
    tried = []
    merges = _MERGES if len(phases) % 2 == 0 else _MERGES[:1]
    for shape, merge in product(_shapes(stated), merges):
        row = replace(shape, banks=answers.banks, phases=phases, span=span, merge=merge)
        tried.append((sum(_agrees(row, case, counters, n) for case, n in judges), row))
    agreeing, best = max(tried, key=lambda pair: pair[0])
    return Proposed(name, best, len(judges), agreeing, _rule(best) == _rule(stated))


def _shapes(stated: Instruction) -> tuple[Instruction, ...]:
    """As it is stated; two addresses that follow each other may be served as one wide access."""
    if stated.addresses == 1:
        return (stated,)
    return stated, replace(stated, addresses=1, width_bytes=2 * stated.width_bytes)


def _agrees(row: Instruction, case: WaveAccess, counters: Counters, number: int) -> bool:
    found = case.counted(row)
    same = counters.passes is None or int(counters.passes[number]) == int(found.passes)
    return same and int(counters.conflicts[number]) == int(found.extra)


def _rule(row: Instruction) -> tuple[object, ...]:
    return row.banks, frozenset(map(frozenset, row.phases)), row.merge, row.addresses


def generators(phases: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """Lanes that span the first phase over F2, if all phases are its cosets; else None."""
    first = set(phases[0])
    if any(a ^ b ^ min(first) not in first for a, b in combinations(first, 2)):
        return None
    base = {lane ^ min(first) for lane in first}
    if any({lane ^ min(phase) for lane in phase} != base for phase in phases):
        return None
    found: list[int] = []
    reached = {0}
    for lane in sorted(base):
        if lane not in reached:
            found.append(lane)
            reached |= {lane ^ other for other in reached}
    return tuple(found)


def rows(found: Sequence[Proposed]) -> Mapping[str, Instruction]:
    """The rows that hold, by instruction."""
    return {p.instruction: p.row for p in found if p.row is not None and p.holds}
