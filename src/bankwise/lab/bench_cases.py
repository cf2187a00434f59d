"""``bankwise bench attention`` and ``bench gemm``: predicted, counted, checked and timed.

Each case is planned (what it will cost, by counting), run against float64, timed, and launched
once more under the profiler; the row holds all of it. Every step can be left out.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.files import read_text, write_atomically
from bankwise.hardware.machine import machine
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.lab.gpu.counters import CONFLICTS, PASSES
from bankwise.lab.gpu.launch import cupy
from bankwise.lab.gpu.profile_run import profile_module
from bankwise.lab.kernels.cases import BenchmarkCase, LaunchPlan, plan
from bankwise.lab.report.bench_cases import BenchReport
from bankwise.lab.report.bench_plot import SUFFIXES, plot_bench
from bankwise.lab.report.bench_row import BenchRow, bench_csv, bench_rows
from bankwise.profile.values import Launch

TOLERANCE = {"f16": 2e-3, "f32": 2e-5}
"""Of attention, absolute: weights are at most 1, values of the order of 1; f16 results and weights
are rounded to 11 bits. A product of k terms is of the order of sqrt(k), five times that at most:
it gets the factor 2 sqrt(k)."""
MIN_REPEATS = 20
_SASS = "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
ATTRIBUTED_READS = (_SASS.format("ld"), _SASS.format("ldsm"))
ATTRIBUTED_WRITES = (_SASS.format("st"),)
ARBITRATION = "l1tex__data_bank_conflicts_type_arbitration.sum"
MOST_FLOPS = 10**10
"""Launches beyond it are not instrumented: the profiler patches every instruction for it."""

Advance = Callable[[int, int], None]


class Steps(Struct, frozen=True):
    """What to do besides predicting. ``repeats``: launches whose median is the time."""

    run: bool = True
    count: bool = True
    repeats: int = 21
    seed: int = 0
    profiler: str = ""


def bench_cases(
    kernel: str, cases: Sequence[BenchmarkCase], steps: Steps, progress: Advance | None = None
) -> BenchReport:
    """Bench ``cases`` on this computer's GPU; InputError where there is none, or no profiler.

    Cases that differ in the variant alone stand together and share their operands and reference.
    """
    if steps.repeats < MIN_REPEATS:
        raise InputError(f"{steps.repeats} repeats", hint=f"a median of {MIN_REPEATS} or more")
    rows = {case: _predicted(case, plan(case)) for case in cases}
    device = ""
    if steps.run:
        device = _device()
        for done, group in enumerate(together := _variant_groups(cases)):
            rows |= _run(group, rows, steps)
            if progress is not None:
                progress(done + 1, len(together))
    if steps.count:
        device = device or _device()
        for way, shared in (("measured", 0), ("alone", _most_shared(cases))):
            rows = _counted(cases, rows, steps.profiler, way, shared)
    target = cases[0].target if cases else "sm_90"
    return BenchReport(kernel, target, device, tuple(rows[case] for case in cases))


def _device() -> str:
    module: Any = cupy()
    return str(module.cuda.runtime.getDeviceProperties(0)["name"].decode())


def _predicted(case: BenchmarkCase, found: LaunchPlan) -> BenchRow:
    dealt = f" {case.dealing}" if case.dealing != "interleaved" else ""
    p = found.predicted
    return BenchRow(
        case.kernel,
        case.element + dealt,
        case.shape,
        case.variant,
        "; ".join(f"{x.tile}: {x.label}" for x in found.placements),
        found.workgroups,
        found.flops,
        found.shared_bytes,
        p.read_passes,
        p.read_extra,
        p.write_passes,
        p.write_extra,
    )


def _variant_groups(cases: Sequence[BenchmarkCase]) -> list[list[BenchmarkCase]]:
    groups: dict[BenchmarkCase, list[BenchmarkCase]] = {}
    for case in cases:
        groups.setdefault(replace(case, variant="none"), []).append(case)
    return list(groups.values())


def _run(
    group: Sequence[BenchmarkCase], rows: dict[BenchmarkCase, BenchRow], steps: Steps
) -> dict[BenchmarkCase, BenchRow]:
    """The variants of one shape: same operands, one reference."""
    from bankwise.lab.gpu import run_cases as gpu

    given = gpu.operands(group[0], steps.seed)
    expected = gpu.reference(group[0], given)
    padded = {c.variant: plan(c).shared_bytes for c in group}.get("padding", 0)
    out = {}
    for case in group:
        row = _checked(case, rows[case], gpu.error(case, given, expected), gpu)
        taken = gpu.time(case, given, steps.repeats)
        row = replace(row, median_ms=taken.median_ms, best_ms=taken.best_ms, repeats=steps.repeats)
        if case.variant == "swizzle" and padded > row.lds_bytes:
            same = gpu.time(case, given, steps.repeats, shared_bytes=padded)
            row = replace(row, same_lds_ms=same.median_ms)
        out[case] = row
    return out


def _checked(case: BenchmarkCase, row: BenchRow, error: float, gpu: Any) -> BenchRow:
    tolerance = TOLERANCE[case.element]
    if case.kernel == "gemm":
        tolerance *= 2 * case.sizes[2] ** 0.5
    found, threads = gpu.kernel_resources(case), plan(case).threads
    usage = Usage(threads, row.lds_bytes, found.registers)
    return replace(
        row,
        max_error=error,
        tolerance=tolerance,
        registers=found.registers,
        local_bytes=found.local_bytes,
        resident=occupancy(machine(case.target), usage).workgroups,
    )


def _most_shared(cases: Sequence[BenchmarkCase]) -> int:
    """As much as a workgroup can have: a second one does not fit beside it."""
    return max((machine(case.target).lds_bytes for case in cases), default=0)


def _counted(
    cases: Sequence[BenchmarkCase],
    rows: dict[BenchmarkCase, BenchRow],
    profiler: str,
    way: str,
    shared: int,
) -> dict[BenchmarkCase, BenchRow]:
    """Launch every case once under the profiler."""
    launches = _profile(cases, (*PASSES, *CONFLICTS), profiler, shared)
    pairs = zip(cases, launches, strict=True)
    return {case: _with_counters(rows[case], launch, way) for case, launch in pairs}


def _profile(
    cases: Sequence[BenchmarkCase], metrics: Sequence[str], profiler: str, shared: int = 0
) -> tuple[Launch, ...]:
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        path = Path(folder) / "cases.json"
        path.write_text(json.dumps([case.words() for case in cases]))
        names = tuple(dict.fromkeys(case.kernel for case in cases))
        return profile_module(
            "bankwise.lab.gpu.run_cases",
            [str(path), str(shared)],
            kernels=names,
            metrics=metrics,
            profiler=profiler,
            expected=len(cases),
        )


def _with_counters(row: BenchRow, launch: Launch, way: str) -> BenchRow:
    (read, write), (read_extra, write_extra) = PASSES, CONFLICTS
    found: dict[str, Any] = {
        f"{way}_read_passes": int(launch.values[read]),
        f"{way}_write_passes": int(launch.values[write]),
        f"{way}_read_extra": int(launch.values[read_extra]),
        f"{way}_write_extra": int(launch.values[write_extra]),
    }
    return replace(row, **found)


def attributed(
    report: BenchReport, cases: Sequence[BenchmarkCase], profiler: str = ""
) -> BenchReport:
    """Add what the profiler attributes to the instructions, for launches of few enough flops.

    ``cases``: those of the report's rows, in order.
    """
    pairs = list(zip(cases, report.rows, strict=True))
    chosen = [case for case, row in pairs if row.flops <= MOST_FLOPS]
    if not chosen:
        return report
    metrics = (*ATTRIBUTED_READS, *ATTRIBUTED_WRITES, ARBITRATION)
    found = dict(zip(chosen, _profile(chosen, metrics, profiler), strict=True))
    rows = tuple(_attributed(row, found.get(case)) for case, row in pairs)
    return replace(report, rows=rows)


def _attributed(row: BenchRow, launch: Launch | None) -> BenchRow:
    if launch is None:
        return row
    return replace(
        row,
        attributed_read_passes=sum(int(launch.values[name]) for name in ATTRIBUTED_READS),
        attributed_write_passes=sum(int(launch.values[name]) for name in ATTRIBUTED_WRITES),
        arbitration=int(launch.values[ARBITRATION]),
    )


def read_shape(text: str) -> tuple[int, int, int]:
    """Three sizes as ``4x1024x64``; InputError for anything else."""
    parts = text.split("x")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise InputError(f"{text!r} is no shape", hint="three sizes, for example 4x1024x64")
    a, b, c = map(int, parts)
    return a, b, c


def replayed(kernel: str, file: str) -> BenchReport:
    """The report of a table that was written before; InputError if it is of another kernel."""
    rows = bench_rows(read_text(file), file)
    wrong = next((row.kernel for row in rows if row.kernel != kernel), None)
    if wrong is not None or not rows:
        message = f"a table of {wrong}, not of {kernel}" if wrong else "a table without rows"
        raise InputError(message, location=Location(file))
    return BenchReport(kernel, "replayed", Path(file).name, rows)


def check_outputs(paths: Sequence[Path]) -> None:
    """Refuse what :func:`export` cannot write, before anything is measured."""
    for path in paths:
        if path.suffix not in (".csv", *SUFFIXES):
            hint = ", ".join((".csv", *SUFFIXES))
            raise InputError("unknown kind of file", location=Location(str(path)), hint=hint)


def export(report: BenchReport, path: Path) -> None:
    """Write the rows: ``.csv``, or a plot. InputError for a path that cannot be written."""
    if path.suffix == ".csv":
        write_atomically(path, bench_csv(report.rows))
    else:
        plot_bench(report.rows, path, f"{report.kernel}, {report.device or report.machine}")
