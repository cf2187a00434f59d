"""Holding a machine file against the hardware: predicted and measured, access by access."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bankwise.hardware.machine import Machine
from bankwise.identity import ByIdentity
from bankwise.lab.gpu.cases import WaveAccess
from bankwise.lab.gpu.counters import Counters


class Disagreement(ByIdentity, frozen=True, eq=False):
    """One access whose counters are not the predicted ones."""

    case: WaveAccess
    predicted_passes: int
    measured_passes: int | None
    predicted_extra: int
    measured_extra: int


class InstructionTally(Struct, frozen=True):
    """One instruction: how many accesses were measured and how many agree on both counters."""

    instruction: str
    measured: int
    agreeing: int


class Agreement(Struct, frozen=True):
    """What a probe found."""

    machine: str
    tallies: tuple[InstructionTally, ...]
    disagreements: tuple[Disagreement, ...]

    @property
    def measured(self) -> int:
        """Accesses measured."""
        return sum(t.measured for t in self.tallies)


def compare(machine: Machine, cases: Sequence[WaveAccess], counters: Counters) -> Agreement:
    """Predict every case by counting and compare it with the profiler's counters."""
    wrong: list[Disagreement] = []
    tallies: dict[str, list[int]] = {}
    for number, case in enumerate(cases):
        row = machine.instruction(case.instruction)
        result = case.counted(row)
        passes, extra = int(result.passes), int(result.extra)
        seen = None if counters.passes is None else int(counters.passes[number])
        stalls = int(counters.conflicts[number])
        agrees = stalls == extra and seen in (None, passes)
        tally = tallies.setdefault(case.instruction, [0, 0])
        tally[0] += 1
        tally[1] += agrees
        if not agrees:
            wrong.append(Disagreement(case, passes, seen, extra, stalls))
    return Agreement(
        machine.name, tuple(InstructionTally(name, *t) for name, t in tallies.items()), tuple(wrong)
    )
