"""The answer of ``bankwise bench attention`` and ``bench gemm``: a row per launch, then medians.

The medians have the form of the talk that docs/evaluation_110.md is about: every shape against
the kernel without mitigation, the swizzle against padding, conflict-free shapes, memory saved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from msgspec import Struct

from bankwise.lab.report.bench_choice import told
from bankwise.lab.report.bench_row import BenchRow
from bankwise.show.columns import Console, table

VARIANTS = ("none", "padding", "swizzle")


class Medians(Struct, frozen=True):
    """One group of shapes. Speeds are ratios of median times, above 1 is faster.

    ``conflict_free``: shapes without a conflict (counted where measured, else predicted), per
    variant; ``lds_saved``: of the swizzle against padding. ``same_lds``: padding's time over the
    swizzle's when both ask for the same shared memory.
    """

    group: str
    shapes: int
    conflict_free: dict[str, int]
    conflicts: dict[str, float]
    lds_bytes: dict[str, float]
    padding_speed: float | None
    swizzle_speed: float | None
    swizzle_over_padding: float | None
    swizzle_faster: int | None
    lds_saved: float
    same_lds: float | None


class BenchReport(Struct, frozen=True):
    """All rows of a run. ``device``: the GPU's name, empty where nothing was run."""

    kernel: str
    machine: str
    device: str
    rows: tuple[BenchRow, ...]

    @property
    def good(self) -> bool:
        """Whether every result is right and every counter the predicted one."""
        return all(row.agrees is not False and row.correct is not False for row in self.rows)


def medians(rows: Sequence[BenchRow]) -> tuple[Medians, ...]:
    """Per group, over its shapes."""
    groups = dict.fromkeys(row.group for row in rows)
    return tuple(_medians(group, [r for r in rows if r.group == group]) for group in groups)


def _medians(group: str, rows: Sequence[BenchRow]) -> Medians:
    by = {v: {r.shape: r for r in rows if r.variant == v} for v in VARIANTS}
    extra = {v: [_extra(r) for r in by[v].values()] for v in VARIANTS}
    none, padding, swizzle = (by[v] for v in VARIANTS)
    against = list(_ratios(padding, swizzle))
    saved = [1 - swizzle[s].lds_bytes / padding[s].lds_bytes for s in padding]
    same = [_ratio(p.median_ms, swizzle[s].same_lds_ms) for s, p in padding.items()]
    return Medians(
        group,
        len(none),
        {v: extra[v].count(0) for v in VARIANTS},
        {v: median(extra[v]) for v in VARIANTS},
        {v: median(r.lds_bytes for r in by[v].values()) for v in VARIANTS},
        _middle(_ratios(none, padding)),
        _middle(_ratios(none, swizzle)),
        _middle(against),
        sum(x > 1 for x in against) if against else None,
        median(saved),
        _middle([x for x in same if x is not None]),
    )


def _extra(row: BenchRow) -> int:
    return row.predicted_extra if row.measured_extra is None else row.measured_extra


def _ratios(slow: dict[str, BenchRow], fast: dict[str, BenchRow]) -> Iterator[float]:
    """Time over time, shape by shape."""
    for shape, row in slow.items():
        found = _ratio(row.median_ms, fast[shape].median_ms)
        if found is not None:
            yield found


def _ratio(slow: float | None, fast: float | None) -> float | None:
    return slow / fast if slow and fast else None


def _middle(values: Iterator[float] | Sequence[float]) -> float | None:
    found = list(values)
    return median(found) if found else None


def print_bench(report: BenchReport, console: Console) -> None:
    """Medians per group, then what does not hold."""
    head = f"{report.kernel}, {report.device or 'not run; predictions'} ({report.machine})"
    console.print(f"[bold]{head}[/]")
    titles = ("shapes", "conflict-free", "median conflicts", "padding", "swizzle")
    more = ("swizzle/padding", "faster", "LDS saved", "at equal LDS", "group")
    rows = [(*cells, group) for group, *cells in map(_cells, medians(report.rows))]
    table(console, (*titles, *more), rows, whole=True)
    console.print("[dim]three numbers: none, padding, swizzle; speeds against none, medians[/]")
    for row in report.rows:
        if row.agrees is False or row.correct is False:
            console.print(f"[red]{row.group} {row.shape} {row.variant}[/]: {_wrong(row)}")
    for line in (*told(report.rows), *agreement(report.rows)):
        console.print(line)


def agreement(rows: Sequence[BenchRow]) -> list[str]:
    """How many launches each way of counting agrees on."""
    ways = {
        "as launched": [r.exact_as_launched for r in rows],
        "one workgroup on an SM": [r.exact_alone for r in rows],
        "attributed to instructions": [r.exact_attributed for r in rows],
        "some way": [r.agrees for r in rows],
    }
    out = []
    for way, found in ways.items():
        taken = [x for x in found if x is not None]
        if taken:
            out.append(f"{way}: {sum(taken):,} of {len(taken):,} launches exactly as predicted")
    return out


def _cells(m: Medians) -> tuple[str, ...]:
    return (
        m.group,
        str(m.shapes),
        " / ".join(str(m.conflict_free[v]) for v in VARIANTS),
        " / ".join(f"{m.conflicts[v]:,.0f}" for v in VARIANTS),
        _times(m.padding_speed),
        _times(m.swizzle_speed),
        _times(m.swizzle_over_padding),
        "-" if m.swizzle_faster is None else f"{m.swizzle_faster} of {m.shapes}",
        f"{m.lds_saved:.1%}",
        _times(m.same_lds),
    )


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}x"


def _wrong(row: BenchRow) -> str:
    if row.correct is False:
        return f"differs from float64 by {row.max_error}, more than {row.tolerance}"
    return (
        f"predicted {row.predicted_read_passes} + {row.predicted_write_passes} passes, counted "
        f"{row.measured_read_passes} + {row.measured_write_passes}"
    )
