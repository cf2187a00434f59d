"""The answer of ``bankwise bench transpose``: for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from bankwise.show.columns import Console

METHOD = (
    "CUDA events around each launch on one stream, queued before the GPU comes to it; "
    "median of all launches of interleaved rounds; bytes: one read and one write of the matrix; "
    "cold: before each launch L2 forgets what it was asked to keep, and other data fill it"
)


class TransposeRow(Struct, frozen=True):
    """One kernel on one matrix [m, k], or on ``batch`` of them. ``kind``: copy, empty (a
    launch that does nothing), rung, tuned, relaid (the tuned code on other layouts), torch, cublas
    or triton.

    ``predicted_*``: counted, for the whole launch; ``measured_*``: the profiler's counters per
    instruction; ``aggregate_extra``: its aggregate conflict counter, which also holds lost
    arbitration; None where there is none. ``share``: of the speed of the copy. ``correct``: every
    bit of the result. ``limits``: per cent of peak, by unit. ``all_ms``: of single launches.
    """

    dtype: str
    m: int
    k: int
    name: str
    kind: str
    title: str = ""
    predicted_passes: int | None = None
    predicted_extra: int | None = None
    measured_passes: int | None = None
    measured_extra: int | None = None
    aggregate_extra: int | None = None
    median_ms: float | None = None
    best_ms: float | None = None
    cold_ms: float | None = None
    gb_per_s: float | None = None
    share: float | None = None
    cold_share: float | None = None
    correct: bool | None = None
    registers: int | None = None
    local_bytes: int | None = None
    variant: str = ""
    limits: Mapping[str, float] | None = None
    all_ms: tuple[float, ...] = ()
    batch: int = 1

    @property
    def agrees(self) -> bool | None:
        """Whether the counters are the predicted ones; None if there are none."""
        if self.measured_extra is None or self.predicted_extra is None:
            return None
        same = self.measured_passes in (None, self.predicted_passes)
        return same and self.measured_extra == self.predicted_extra


class Tried(Struct, frozen=True):
    """One variant that was timed while tuning; its times are None if it was wrong."""

    dtype: str
    m: int
    k: int
    variant: str
    median_ms: float | None
    gb_per_s: float | None
    registers: int | None
    local_bytes: int | None
    batch: int = 1
    cold_ms: float | None = None


class TransposeBench(Struct, frozen=True):
    """All that was measured. ``about``: the GPU and its software."""

    machine: str
    about: Mapping[str, Any]
    lines: tuple[TransposeRow, ...]
    tried: tuple[Tried, ...]
    method: str = METHOD

    @property
    def cases(self) -> tuple[tuple[str, int, int, int], ...]:
        """(dtype, batch, m, k) in the order measured."""
        return tuple(dict.fromkeys((x.dtype, x.batch, x.m, x.k) for x in self.lines))

    @property
    def good(self) -> bool:
        """Whether every kernel is right and every counter is the predicted one."""
        return all(x.correct is not False and x.agrees is not False for x in self.lines)


def print_transpose(report: TransposeBench, console: Console) -> None:
    """A table per type and size."""
    from bankwise.show.plain import escape

    about = ", ".join(f"{k} {v}" for k, v in report.about.items())
    console.print(f"[bold]{report.machine}[/] {escape(about)}")
    for case in report.cases:
        _print_case(report, case, console)
    console.print(f"[dim]{report.method}[/]")
    if not report.good:
        console.print("[red]not all results or counters are as predicted[/]")


def _print_case(report: TransposeBench, case: tuple[str, int, int, int], console: Console) -> None:
    from bankwise.show.columns import table

    tried = sum((t.dtype, t.batch, t.m, t.k) == case for t in report.tried)
    lines = shown(report, case)
    rows = [
        [
            *map(_number, (line.predicted_extra, line.measured_extra, line.gb_per_s)),
            *map(_percent, (line.share, line.cold_share)),
            "" if line.median_ms is None else f"{line.median_ms:.4f}",
            line.title or line.name,
        ]
        for line in lines
    ]
    colours = [{True: "green", False: "red", None: "dim"}[line.agrees] for line in lines]
    titles = ("predicted extra", "measured extra", "GB/s", "of copy", "cold", "ms", "kernel")
    console.print(f"[italic]{name_of(case)}, {tried} variants tried[/]")
    table(console, titles, rows, colours, whole=True)


def shown(report: TransposeBench, case: tuple[str, int, int, int]) -> list[TransposeRow]:
    """The lines of a case; of the Triton tiles and of the finalists the best alone."""
    lines = [x for x in report.lines if (x.dtype, x.batch, x.m, x.k) == case]
    best = {
        kind: min((x for x in lines if x.kind == kind), key=_ms, default=None)
        for kind in ("triton", "tuned")
    }
    return [x for x in lines if x.kind not in best or x is best[x.kind]]


def name_of(case: tuple[str, int, int, int]) -> str:
    """A case as text; a batch of one is not mentioned."""
    dtype, batch, m, k = case
    return f"{dtype} {f'{batch} x ' if batch > 1 else ''}{m} x {k}"


def _ms(line: TransposeRow) -> float:
    return float("inf") if line.median_ms is None else line.median_ms


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f} %"
