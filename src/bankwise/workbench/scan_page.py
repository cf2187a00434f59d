"""A scan as one HTML file that needs nothing else: a table, which a script sorts and filters."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from bankwise.show.scanning import (
    SUMMARY_TITLES,
    ScannedKernel,
    ScanReport,
    extra_text,
    summary,
    summary_cells,
    why_open,
)
from bankwise.workbench import page

_TITLES = (
    *("kernel", "target", "LDS bytes", "answered", "passes", "ideal", "extra per workgroup"),
    *("ways", "worst access", "open"),
)
_WORDS = ("kernel", "worst access", "open", "target")
"""Columns of words; the others are numbers."""


def scan_html(report: ScanReport) -> str:
    """The report as a page."""
    broken = "".join(f"<li>{escape(str(one))}</li>" for one in report.broken)
    targets = (f"<tr>{_cells(SUMMARY_TITLES, summary_cells(row))}</tr>" for row in report.summary)
    return page.scan_html(
        summary=escape(summary(report)),
        rows="\n".join(map(_row, report.kernels)),
        titles=_heads(SUMMARY_TITLES),
        heads=_heads(_TITLES),
        targets="\n".join(targets),
        broken=f"<h2>Not read</h2>\n<ul>{broken}</ul>" if broken else "",
    )


def _row(kernel: ScannedKernel) -> str:
    many = f" x{len(kernel.copies) + 1}" if kernel.copies else ""
    worst = f"{kernel.where}: {kernel.why}" if kernel.why else kernel.where
    numbers = (f"{kernel.passes:,}", f"{kernel.ideal:,}") if kernel.passes else ("", "")
    cells = (
        *(kernel.target, f"{kernel.lds_bytes:,}", f"{kernel.answered:,} / {kernel.accesses:,}"),
        *(*numbers, extra_text(kernel), f"{kernel.ways}" if kernel.passes else ""),
        *(worst, why_open(kernel)),
    )
    place = escape(f"{kernel.file}: {kernel.name}", quote=True)
    first = f'<td class="name" title="{place}">{escape(kernel.called + many)}</td>'
    cause = escape(kernel.why or ("none" if kernel.passes else "not counted"), quote=True)
    said = f'data-file="{escape(kernel.file, quote=True)}" data-cause="{cause}"'
    return f"<tr {said}>{first}{_cells(_TITLES[1:], cells)}</tr>"


def _heads(titles: Iterable[str]) -> str:
    return "".join(
        f'<th scope="col" class="{_kind(title)}">{escape(title)}</th>' for title in titles
    )


def _cells(titles: Iterable[str], texts: Iterable[str]) -> str:
    """Each with the name of its column, which a narrow screen shows."""
    return "".join(
        f'<td class="{_kind(title)}" data-name="{escape(title)}">{escape(text)}</td>'
        for title, text in zip(titles, texts, strict=True)
    )


def _kind(title: str) -> str:
    return "number" if title not in _WORDS else "why" if title == "worst access" else ""
