"""A scan for other programs: CSV, SARIF, GitHub annotations. A line, or a result, is a kernel."""

from __future__ import annotations

import csv
import io
from typing import Any

from msgspec import structs

from bankwise.errors import Location
from bankwise.show.as_sarif import sarif, sarif_result
from bankwise.show.gate import command
from bankwise.show.scanning import ScannedKernel, ScanReport, extra_text, summary, why_open

_COLUMNS = tuple(name for name in ScannedKernel.__struct_fields__ if name != "reasons")


def scan_csv(report: ScanReport) -> str:
    """One line a kernel; lists are joined by ``; ``."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*_COLUMNS, "by_data", "open"))
    for kernel in report.kernels:
        values = [getattr(kernel, name) for name in _COLUMNS]
        left = "" if kernel.accounted else why_open(kernel)
        writer.writerow((*map(_cell, values), kernel.by_data, left))
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        return ("x" if all(isinstance(one, int) for one in value) else "; ").join(map(str, value))
    return "" if value is None else value


def scan_sarif(report: ScanReport) -> dict[str, Any]:
    """A result for each kernel that conflicts, or may, and for what is not answered."""
    results = [_conflict(k) for k in report.kernels if k.conflict != "none"]
    results += [
        sarif_result("not-analysed", "note", f"{k.called}: {why_open(k)}", _place(k))
        for k in report.kernels
        if not k.accounted
    ]
    results += [sarif_result("not-analysed", "note", r.reason, r.location) for r in report.broken]
    found = sarif(results)
    rows = [structs.asdict(row) | {"share": row.share} for row in report.summary]
    found["runs"][0]["properties"] = {"summary": summary(report), "targets": rows}
    return found


def _conflict(kernel: ScannedKernel) -> dict[str, Any]:
    level = "warning" if kernel.conflict == "sure" else "note"
    result = sarif_result("bank-conflict", level, _text(kernel), _place(kernel))
    for place in result["locations"]:
        known = place.setdefault("logicalLocations", [{}])
        known[0] |= {"name": kernel.name, "kind": "function"}
    result["properties"] = {"kernel": kernel.name, "low": kernel.low, "high": kernel.high}
    return result


def scan_annotations(report: ScanReport) -> str:
    """A warning for each kernel that surely conflicts, a notice for each that may or is open."""
    lines = []
    for kernel in report.kernels:
        if kernel.conflict != "none":
            kind = "warning" if kernel.conflict == "sure" else "notice"
            lines.append(command(kind, _place(kernel), _text(kernel)))
        if not kernel.accounted:
            text = f"{kernel.called}: not all answered: {why_open(kernel)}"
            lines.append(command("notice", _place(kernel), text))
    lines += [command("notice", r.location or Location(""), r.reason) for r in report.broken]
    if report.unfinished:
        lines.append(command("notice", Location(report.paths[0]), summary(report)))
    return "".join(f"{line}\n" for line in lines)


def _text(kernel: ScannedKernel) -> str:
    may = "" if kernel.conflict == "sure" else "possibly "
    why = f": {kernel.why}" if kernel.why else ""
    return (
        f"{kernel.called}: {may}{extra_text(kernel)} extra passes per workgroup, {kernel.answered} "
        f"of {kernel.accesses} accesses answered; {kernel.worst}{why}"
    )


def _place(kernel: ScannedKernel) -> Location:
    """The worst access in its source, where that is known, else the kernel."""
    if kernel.source or kernel.line or not kernel.member:
        return Location(kernel.source or kernel.file, kernel.line)
    path = kernel.file.removesuffix(kernel.member)
    return Location(path, inside=f"{kernel.member}[{kernel.name}]")
