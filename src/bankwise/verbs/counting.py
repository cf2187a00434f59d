"""From accesses and their instructions to counted access reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bankwise.access import Access, BoolArray, IntArray, Pattern
from bankwise.conflict import Witness, count
from bankwise.machine import Instruction, Machine
from bankwise.reason import Reason, reason
from bankwise.report.values import AccessReport, Cost, Iteration, Lanes
from bankwise.widths import Issue

if TYPE_CHECKING:
    from bankwise.ir.extract import Extraction


def access_reports(
    extraction: Extraction, issues: Mapping[int, tuple[Issue, ...]], machine: Machine
) -> tuple[AccessReport, ...]:
    """Count every access whose instructions are known, in program order."""
    reports = [
        _report(site.access, issues[site.access.shared_index], machine)
        for site in extraction.accesses
        if site.access.shared_index in issues
    ]
    total = sum(r.run.passes for r in reports) or 1
    return tuple(replace(r, share=r.run.passes / total) for r in reports)


@dataclass(frozen=True, slots=True)
class _Counted:
    """One pattern, all waves, all instructions of one execution; ``lanes`` makes its picture."""

    cost: Cost
    ways: int
    witness: Witness | None
    reason: Reason | None
    lanes: Callable[[], Lanes]


def report_emitted(access: Access, row: Instruction, apart_bytes: int | None) -> AccessReport:
    """Count an instruction as it was emitted. ``apart_bytes``: to its second address, if any."""
    counted = [_count_row(p.offsets_bytes, p, row, apart_bytes) for p in access.patterns]
    return replace(_report_of(access, counted, row, 1), instruction_source="emitted")


def _report(access: Access, issues: tuple[Issue, ...], machine: Machine) -> AccessReport:
    counted = [_count(p, issues, machine) for p in access.patterns]
    return _report_of(access, counted, machine.instruction(issues[0].instruction), len(issues))


def _report_of(
    access: Access, counted: list[_Counted], row: Instruction, instructions: int
) -> AccessReport:
    worst = max(counted, key=lambda c: (c.cost.extra, c.ways))
    run = sum(
        (c.cost * p.executions for c, p in zip(counted, access.patterns, strict=True)), Cost()
    )
    return AccessReport(
        location=access.location,
        kernel=access.kernel,
        operation=access.operation,
        kind=access.kind,
        allocations=access.allocations,
        direction=access.direction,
        instruction=row.name,
        instructions=instructions,
        instruction_source="predicted",
        waves=len(access.patterns[0].offsets_bytes),
        executions=access.executions,
        cost=counted[0].cost,
        run=run,
        ways=worst.ways,
        witness=worst.witness,
        reason=worst.reason,
        evidence=row.evidence,
        confidence=row.confidence,
        note=access.note,
        iterations=tuple(
            Iteration(p.iterations, p.allocation, p.executions, c.cost)
            for p, c in zip(access.patterns, counted, strict=True)
        ),
        lanes=worst.lanes(),
    )


def _count(pattern: Pattern, issues: tuple[Issue, ...], machine: Machine) -> _Counted:
    """All instructions of one execution together; the worst of them explains it."""
    parts = [
        _count_row(
            pattern.offsets_bytes + i.offset_bytes, pattern, machine.instruction(i.instruction)
        )
        for i in issues
    ]
    worst = max(parts, key=lambda part: (part.witness is not None, part.ways))
    return replace(worst, cost=sum((part.cost for part in parts), Cost()))


def _count_row(
    offsets: IntArray, pattern: Pattern, row: Instruction, apart_bytes: int | None = None
) -> _Counted:
    """One instruction, all waves."""
    second = None if apart_bytes is None or row.addresses == 1 else offsets + apart_bytes
    result = count(row, offsets, pattern.active, second_offsets_bytes=second)
    cost = Cost(int(result.passes.sum()), int(result.ideal.sum()))
    wave = int(np.argmax(result.extra))
    apart = apart_bytes if apart_bytes is not None else row.width_bytes

    def lanes() -> Lanes:
        second = apart if row.addresses == 2 else None
        return lanes_of(row.name, wave, offsets[wave], pattern.active[wave], second)

    if result.witness is None:
        return _Counted(cost, max(1, int(result.ways.max(initial=1))), None, None, lanes)
    why = reason(row, offsets[wave], pattern.active[wave], result.witness)
    return _Counted(cost, int(result.ways.max()), result.witness, why, lanes)


def lanes_of(
    instruction: str, wave: int, offsets: IntArray, active: BoolArray, apart_bytes: int | None
) -> Lanes:
    """What the lanes of one wave touch, as a report holds it."""
    return Lanes(
        instruction,
        wave,
        tuple(int(x) for x in offsets),
        tuple(bool(x) for x in active),
        apart_bytes,
    )
