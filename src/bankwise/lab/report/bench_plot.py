"""Plots of a bench: per group the swizzle's speed against padding, and the conflicts.

The two panels are those of the talk's result slides: shapes sorted from slow to fast with a line
at 1, and the median conflicts of the three layouts.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from bankwise.errors import InputError, Location
from bankwise.files import write_atomically
from bankwise.lab.report.bench_cases import VARIANTS, medians
from bankwise.lab.report.bench_row import BenchRow
from bankwise.read.extra import install

SUFFIXES = (".png", ".svg", ".pdf")
_COLOURS = {"none": "#888888", "padding": "#c98a1b", "swizzle": "#2a7ab0"}


def plot_bench(rows: Sequence[BenchRow], path: Path, title: str) -> None:
    """Draw the rows into ``path``, whose suffix says how.

    :class:`InputError` if matplotlib is missing, the suffix unknown, nothing was timed, or the
    path cannot be written.
    """
    place = Location(str(path))
    if path.suffix not in SUFFIXES:
        raise InputError(f"{path.suffix!r} is no kind of plot", location=place)
    if not any(row.median_ms for row in rows):
        raise InputError("there are no times to plot", location=place)
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise InputError("plots need matplotlib", hint=install("sweep")) from error
    groups = list(dict.fromkeys(row.group for row in rows))
    figure = Figure(figsize=(10.5, 2.9 * len(groups)), layout="constrained")
    grid = figure.subplots(len(groups), 2, squeeze=False, width_ratios=(2.2, 1))
    for (left, right), group in zip(grid, groups, strict=True):
        chosen = [row for row in rows if row.group == group]
        _speeds(left, chosen, group)
        _conflicts(right, chosen)
    figure.suptitle(title)
    drawn = BytesIO()
    figure.savefig(drawn, format=path.suffix.removeprefix("."), dpi=110)
    write_atomically(path, drawn.getvalue())


def _speeds(axes: Any, rows: Sequence[BenchRow], group: str) -> None:
    times = {(r.shape, r.variant): r.median_ms for r in rows if r.median_ms}
    shapes = [s for s, variant in times if variant == "padding"]
    ratios = sorted(times[s, "padding"] / times[s, "swizzle"] for s in shapes)
    axes.axhline(1, color="#444444", linewidth=0.8)
    axes.plot(range(1, len(ratios) + 1), ratios, ".", color=_COLOURS["swizzle"], markersize=4)
    faster = sum(x > 1 for x in ratios)
    label = f"{group}: faster than padding on {faster} of {len(ratios)} shapes"
    axes.set(title=label, xlabel="shape, sorted", ylabel="time: padding / swizzle")


def _conflicts(axes: Any, rows: Sequence[BenchRow]) -> None:
    (found,) = medians(rows)
    heights = [found.conflicts[v] for v in VARIANTS]
    bars = axes.bar(VARIANTS, heights, color=[_COLOURS[v] for v in VARIANTS])
    texts = [
        f"{h:,.0f}\nfree: {found.conflict_free[v]}" for h, v in zip(heights, VARIANTS, strict=True)
    ]
    axes.bar_label(bars, texts, fontsize=8)
    axes.set(yscale="symlog", title="median conflicts of a launch")
    axes.set_ylim(0, max(1.0, *heights) * 300)
