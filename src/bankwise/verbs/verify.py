"""``bankwise verify``: the accesses of a problem on a real GPU, under two layouts.

The tile's row-major layout and the one the solver proves best are measured access by access; the
profiler's counters stand beside the prediction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bankwise.address import AddressMap, Identity
from bankwise.conflict import count
from bankwise.errors import InputError, Refusal
from bankwise.gpu.cases import WINDOW_BYTES, Case
from bankwise.gpu.counters import Counters, measure
from bankwise.machine import Machine
from bankwise.problem_file.read import read_problem
from bankwise.report.verifying import Measured, VerifyReport
from bankwise.synth.offset import offset_text
from bankwise.synth.workload import Use, Workload, place
from bankwise.verbs.solve import answer_of


@dataclass(frozen=True, slots=True)
class _Part:
    """The cases of one access under one layout: ``cases[first:last]`` of all."""

    layout: str
    access: str
    first: int
    last: int


def verify(source: str | Path) -> VerifyReport:
    """Measure the accesses of a problem file on this computer's GPU.

    InputError where there is no GPU or profiler, or the tile is larger than the probe's window.
    """
    stated = read_problem(source)
    answer = answer_of(stated)
    if isinstance(answer, Refusal):
        raise InputError(f"there is no layout to verify: {answer.reason}")
    layouts = {"row-major": Identity(), str(answer.layout.address): answer.layout.address}
    cases, parts = _cases(answer.work, layouts)
    counters = measure(cases, stated.machine.vendor)
    text = offset_text(answer.work.shape, answer.layout.address)
    rows = tuple(_row(stated.machine, cases, counters, part) for part in parts)
    return VerifyReport(stated.file, stated.machine.name, text, answer.how, rows)


def _cases(work: Workload, layouts: dict[str, AddressMap]) -> tuple[list[Case], list[_Part]]:
    cases: list[Case] = []
    parts: list[_Part] = []
    for name, address in layouts.items():
        for use in work.uses:
            found = _of(work, use, address)
            parts.append(_Part(name, use.name, len(cases), len(cases) + len(found)))
            cases += found
    return cases, parts


def _of(work: Workload, use: Use, address: AddressMap) -> list[Case]:
    placed = place(work, use, address)
    if isinstance(placed, Refusal):
        raise InputError(f"{use.name}: {placed.reason}")
    if int(placed.bytes_.max()) >= WINDOW_BYTES:
        raise InputError(f"{use.name} reaches beyond the {WINDOW_BYTES} bytes that are measured")
    return [
        Case(issue.instruction, np.asarray(offsets + issue.offset_bytes), np.asarray(active))
        for issue in placed.issues
        for offsets, active in zip(placed.bytes_, placed.active, strict=True)
    ]


def _row(machine: Machine, cases: Sequence[Case], counters: Counters, part: _Part) -> Measured:
    chosen = range(part.first, part.last)
    predicted = [
        count(machine.instruction(cases[n].instruction), cases[n].offsets_bytes, cases[n].active)
        for n in chosen
    ]
    passes = None if counters.passes is None else tuple(int(counters.passes[n]) for n in chosen)
    return Measured(
        part.layout,
        part.access,
        tuple(dict.fromkeys(cases[n].instruction for n in chosen)),
        tuple(int(p.passes) for p in predicted),
        passes,
        tuple(int(p.extra) for p in predicted),
        tuple(int(counters.conflicts[n]) for n in chosen),
    )
