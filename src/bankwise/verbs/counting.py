"""From accesses and their instructions to counted access reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bankwise.access import Access, Pattern
from bankwise.conflict import Witness, count
from bankwise.machine import Machine
from bankwise.reason import Reason, reason
from bankwise.report.values import AccessReport, Cost, Iteration
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
    """One pattern, all waves, all instructions of one execution."""

    cost: Cost
    ways: int
    witness: Witness | None
    reason: Reason | None


def _report(access: Access, issues: tuple[Issue, ...], machine: Machine) -> AccessReport:
    counted = [_count(p, issues, machine) for p in access.patterns]
    worst = max(counted, key=lambda c: (c.cost.extra, c.ways))
    row = machine.instruction(issues[0].instruction)
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
        instructions=len(issues),
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
    )


def _count(pattern: Pattern, issues: tuple[Issue, ...], machine: Machine) -> _Counted:
    cost, best = Cost(), _Counted(Cost(), 1, None, None)
    for issue in issues:
        row = machine.instruction(issue.instruction)
        offsets = pattern.offsets_bytes + issue.offset_bytes
        result = count(row, offsets, pattern.active)
        cost += Cost(int(result.passes.sum()), int(result.ideal.sum()))
        ways = int(result.ways.max(initial=0))
        if result.witness is not None and (best.witness is None or ways > best.ways):
            wave = int(np.argmax(result.extra))
            why = reason(row, offsets[wave], pattern.active[wave], result.witness)
            best = _Counted(Cost(), ways, result.witness, why)
    return _Counted(cost, best.ways, best.witness, best.reason)
