"""``bankwise verify``: accesses on a real GPU; counters, prediction and certificate side by side.

A tile question is measured under its own layout; one without, row-major and under the layout that
the solver proves best; a kernel as written or as emitted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from bankwise.counting.conflict import count
from bankwise.errors import InputError
from bankwise.hardware.machine import Machine
from bankwise.lab.gpu import source
from bankwise.lab.gpu.cases import WaveAccess
from bankwise.lab.gpu.counters import Counters, measure
from bankwise.lab.report.verifying import AccessComparison, VerifyReport
from bankwise.lab.to_measure import AccessToMeasure, ToMeasure
from bankwise.read.options import Options
from bankwise.read.recognise import asker

Measure = Callable[[Sequence[WaveAccess], str], Counters]


def verify(
    file: str | Path,
    options: Options | None = None,
    *,
    limit: int = 2_000,
    counters: Measure = measure,
) -> VerifyReport:
    """Measure the accesses of a tile question or a kernel on this computer's GPU.

    ``limit``: at most so many launches; accesses beyond it are left out and named. ``counters``:
    where the counters come from. InputError where there is no GPU or profiler.
    """
    path, given = Path(file), options or Options()
    found: ToMeasure = asker(path, "verify", given.given)(path, given)
    report = VerifyReport(str(path), "", found.layout, found.how, (), certificate=found.certificate)
    return _measured(report, found.parts, limit, counters)


def _measured(
    report: VerifyReport, parts: Sequence[AccessToMeasure], limit: int, counters: Measure
) -> VerifyReport:
    able, without = _within(parts, limit)
    vendors = {part.machine.vendor for part in able}
    if len(vendors) != 1:
        reasons = "; ".join(dict.fromkeys(without.values())) or "it has no shared-memory access"
        raise InputError(f"there is nothing to measure in {report.file}: {reasons}")
    cases = [case for part in able for case in part.cases]
    found = counters(cases, vendors.pop())
    rows, first = [], 0
    for part in able:
        rows.append(_row(part, found, first))
        first += len(part.cases)
    targets = ", ".join(dict.fromkeys(part.machine.name for part in able))
    return replace(report, machine=targets, rows=tuple(rows), left_out=dict(without))


def _within(
    parts: Sequence[AccessToMeasure], limit: int
) -> tuple[list[AccessToMeasure], Mapping[str, str]]:
    """The parts that can be measured, and why the others are not."""
    able: list[AccessToMeasure] = []
    without: dict[str, str] = {}
    left = limit
    for part in parts:
        why = part.left_out or _without_kernel(part)
        if not why and len(part.cases) > left:
            why = f"more than {limit:,} launches in all: raise the limit"
        if why:
            without[f"{part.access} ({part.layout})"] = why
            continue
        left -= len(part.cases)
        able.append(part)
    return able, without


def _without_kernel(part: AccessToMeasure) -> str:
    names = {case.instruction for case in part.cases}
    missing = sorted(names - set(source.instructions(part.machine.vendor)))
    if missing:
        return f"no single-access kernel for {', '.join(missing)}"
    return "" if part.cases else "no active lane"


def _row(part: AccessToMeasure, counters: Counters, first: int) -> AccessComparison:
    chosen = range(first, first + len(part.cases))
    predicted = [_count(part.machine, case) for case in part.cases]
    passes = None if counters.passes is None else tuple(int(counters.passes[n]) for n in chosen)
    return AccessComparison(
        part.layout,
        part.access,
        tuple(dict.fromkeys(case.instruction for case in part.cases)),
        tuple(p for p, _ in predicted),
        passes,
        tuple(e for _, e in predicted),
        tuple(int(counters.conflicts[n]) for n in chosen),
    )


def _count(machine: Machine, case: WaveAccess) -> tuple[int, int]:
    found = count(machine.instruction(case.instruction), case.offsets_bytes, case.active)
    return int(found.passes), int(found.extra)
