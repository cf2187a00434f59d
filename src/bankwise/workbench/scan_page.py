"""A scan as one HTML file: a table without a script, which needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from importlib import resources

from bankwise.show.scanning import (
    SUMMARY_TITLES,
    ScannedKernel,
    ScanReport,
    extra_text,
    summary,
    summary_cells,
    why_open,
)
from bankwise.workbench.page import lean

_SLOT = re.compile(r"@@(\w+)@@")


def scan_html(report: ScanReport) -> str:
    """The report as a page."""
    broken = "".join(f"<li>{escape(str(one))}</li>" for one in report.broken)
    slots = {
        "style": lean(_static("style.css")),
        "summary": escape(summary(report)),
        "rows": "\n".join(map(_row, report.kernels)),
        "titles": _cells(SUMMARY_TITLES, "th"),
        "targets": "\n".join(f"<tr>{_cells(summary_cells(row))}</tr>" for row in report.summary),
        "broken": f"<h2>Not read</h2>\n<ul>{broken}</ul>" if broken else "",
    }
    return _SLOT.sub(lambda match: slots[match[1]], _static("scan.html"))


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
    first = f'<td title="{place}">{escape(kernel.called + many)}</td>'
    return f"<tr>{first}{_cells(cells)}</tr>"


def _cells(texts: Iterable[str], tag: str = "td") -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)


def _static(path: str) -> str:
    return (resources.files(__package__) / "static" / path).read_text("utf-8")
