"""From accesses and their instructions to counted access reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from bankwise.counting.access import Access, BoolArray, IntArray, Pattern
from bankwise.counting.conflict import Witness, count
from bankwise.counting.reason import Reason, reason
from bankwise.hardware.machine import BANK_BYTES, Instruction, Machine
from bankwise.hardware.policies import Issue
from bankwise.show.values import AccessReport, Cost, Iteration, Lanes

if TYPE_CHECKING:
    from bankwise.read.mlir.extract import Extraction

_AT_ONCE = 512
"""Patterns that are counted in one go."""


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
class _Why:
    """The costliest wave of a pattern: its conflict, if it has one, and what its lanes touch."""

    witness: Witness | None
    reason: Reason | None
    lanes: Lanes


@dataclass(frozen=True, slots=True)
class _Counted:
    """One pattern, all waves, all instructions of one execution; ``why`` is asked of one."""

    cost: Cost
    ways: int
    why: Callable[[], _Why]


def report_emitted(access: Access, row: Instruction, apart_bytes: int | None) -> AccessReport:
    """Count an instruction as it was emitted. ``apart_bytes``: to its second address, if any."""
    return reports_emitted([(access, apart_bytes)], row)[0]


def reports_emitted(
    accesses: Sequence[tuple[Access, int | None]], row: Instruction
) -> list[AccessReport]:
    """As :func:`report_emitted`, many instructions of one name and one kernel: counted together."""
    rows = [(p, apart) for access, apart in accesses for p in access.patterns]
    counted = iter(_count_rows(rows, row))
    return [
        _report_of(access, list(islice(counted, len(access.patterns))), row, 1, "emitted")
        for access, _ in accesses
    ]


def _report(access: Access, issues: tuple[Issue, ...], machine: Machine) -> AccessReport:
    counted = [_count(p, issues, machine) for p in access.patterns]
    row = machine.instruction(issues[0].instruction)
    return _report_of(access, counted, row, len(issues), "predicted")


def _report_of(
    access: Access, counted: list[_Counted], row: Instruction, instructions: int, source: str
) -> AccessReport:
    worst = max(counted, key=lambda c: (c.cost.extra, c.ways))
    why = worst.why()
    times = [p.executions for p in access.patterns]
    run = Cost(
        sum(c.cost.passes * n for c, n in zip(counted, times, strict=True)),
        sum(c.cost.ideal * n for c, n in zip(counted, times, strict=True)),
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
        instruction_source=source,
        waves=len(access.patterns[0].offsets_bytes),
        executions=access.executions,
        cost=counted[0].cost,
        run=run,
        ways=worst.ways,
        witness=why.witness,
        reason=why.reason,
        evidence=row.evidence,
        confidence=row.confidence,
        note=access.note,
        iterations=tuple(
            Iteration(p.iterations, p.allocation, p.executions, c.cost)
            for p, c in zip(access.patterns, counted, strict=True)
        ),
        lanes=why.lanes,
    )


def _count(pattern: Pattern, issues: tuple[Issue, ...], machine: Machine) -> _Counted:
    """All instructions of one execution together; the worst of them explains it."""
    parts = []
    for issue in issues:
        moved = replace(pattern, offsets_bytes=pattern.offsets_bytes + issue.offset_bytes)
        parts += _count_rows([(moved, None)], machine.instruction(issue.instruction))
    worst = max(parts, key=lambda part: (part.cost.extra > 0, part.ways))
    return replace(worst, cost=sum((part.cost for part in parts), Cost()))


@dataclass(frozen=True, slots=True, eq=False)
class _Near:
    """A pattern moved back by ``rows`` whole rows of the banks: the same lanes meet on the same
    banks for the same reason, so that patterns with equal ``key`` are counted once."""

    offsets_bytes: IntArray
    active: BoolArray
    apart_bytes: int | None
    rows: int
    key: tuple[bytes, bytes, int | None]


@dataclass(frozen=True, slots=True)
class _Tally:
    """What one pattern costs, and its costliest wave."""

    cost: Cost
    ways: int
    wave: int


def _count_rows(patterns: Sequence[tuple[Pattern, int | None]], row: Instruction) -> list[_Counted]:
    """One instruction: patterns of equal shape, each with the distance to its second address."""
    placed = list(_near(patterns, row))
    unlike = {one.key: one for one in placed}
    tallies = dict(zip(unlike, _tallies(list(unlike.values()), row), strict=True))
    explain = cache(lambda key: _explain(unlike[key], tallies[key], row))

    def why(one: _Near) -> _Why:
        return _moved(explain(one.key), one, row)

    return [
        _Counted(tallies[one.key].cost, tallies[one.key].ways, partial(why, one)) for one in placed
    ]


def _near(patterns: Sequence[tuple[Pattern, int | None]], row: Instruction) -> Iterator[_Near]:
    bank_row = row.banks * BANK_BYTES
    for start in range(0, len(patterns), _AT_ONCE):
        some = patterns[start : start + _AT_ONCE]
        offsets = np.stack([p.offsets_bytes for p, _ in some])
        rows = np.maximum(offsets.min(axis=(1, 2)) // bank_row, 0)
        if (offsets % row.alignment_bytes).any():
            rows[:] = 0  # the refusal names the offset as it is
        offsets -= (rows * bank_row)[:, None, None]
        for (pattern, apart), near, moved in zip(some, offsets, rows.tolist(), strict=True):
            second = None if row.addresses == 1 else row.width_bytes if apart is None else apart
            key = (near.tobytes(), pattern.active.tobytes(), second)
            yield _Near(near, pattern.active, second, moved, key)


def _tallies(patterns: Sequence[_Near], row: Instruction) -> Iterator[_Tally]:
    """Counted many at a time."""
    for start in range(0, len(patterns), _AT_ONCE):
        some = patterns[start : start + _AT_ONCE]
        offsets = np.stack([one.offsets_bytes for one in some])
        active = np.stack([one.active for one in some])
        apart = np.array([one.apart_bytes or 0 for one in some])[:, None, None]
        second = offsets + apart if row.addresses == 2 else None
        found = count(row, offsets, active, second_offsets_bytes=second)
        columns = (
            found.passes.sum(axis=1),
            found.ideal.sum(axis=1),
            found.ways.max(axis=1, initial=1),
            found.extra.argmax(axis=1),
        )
        for passes, ideal, ways, wave in zip(*(c.tolist() for c in columns), strict=True):
            yield _Tally(Cost(passes, ideal), ways, wave)


def _explain(one: _Near, tally: _Tally, row: Instruction) -> _Why:
    """Why the costliest wave of a pattern takes as long as it does."""
    offsets, active = one.offsets_bytes[tally.wave], one.active[tally.wave]
    lanes = lanes_of(row.name, tally.wave, offsets, active, one.apart_bytes)
    if not tally.cost.extra:
        return _Why(None, None, lanes)
    second = None if one.apart_bytes is None else offsets + one.apart_bytes
    found = count(row, offsets, active, second_offsets_bytes=second).witness
    why = None if found is None else reason(row, offsets, active, found)
    return _Why(found, why, lanes)


def _moved(why: _Why, one: _Near, row: Instruction) -> _Why:
    """The same at the pattern's own place."""
    words = one.rows * row.banks
    offsets = tuple(x + words * BANK_BYTES for x in why.lanes.offsets_bytes)
    lanes = replace(why.lanes, offsets_bytes=offsets)
    if why.witness is None:
        return replace(why, lanes=lanes)
    witness = replace(why.witness, words=tuple(word + words for word in why.witness.words))
    return replace(why, witness=witness, lanes=lanes)


def lanes_of(
    instruction: str, wave: int, offsets: IntArray, active: BoolArray, apart_bytes: int | None
) -> Lanes:
    """What the lanes of one wave touch, as a report holds it."""
    return Lanes(
        instruction,
        wave,
        tuple(offsets.tolist()),
        tuple(active.tolist()),
        apart_bytes,
    )
