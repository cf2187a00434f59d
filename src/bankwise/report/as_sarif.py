"""Check reports as SARIF 2.1.0, the format that code hosts show as annotations."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bankwise.errors import Location
from bankwise.report.values import AccessReport, CheckReport

RULES = {
    "bank-conflict": "Lanes served together want different words of one shared-memory bank.",
    "lds-overflow": "The workgroup's shared memory does not fit the machine.",
    "dma-width": "The machine has no direct-to-LDS copy of this width.",
    "not-a-bijection": "Two elements of the tile land on one place of the memory.",
    "several-maps": "Accesses of one allocation use different address maps.",
    "offset-after-xor": "A constant added to a swizzled address changes the swizzled bits.",
    "not-analysed": "This access or kernel could not be analysed.",
}
"""The rules a report can name, each in a sentence."""


def check_sarif(report: CheckReport) -> dict[str, Any]:
    """The report as one SARIF run."""
    results = [_conflict(a) for a in report.accesses if a.rule]
    results += [_result(f.rule, "error", f.message, f.location) for f in report.findings]
    results += [_result("not-analysed", "note", r.reason, r.location) for r in report.refusals]
    driver = {
        "name": "bankwise",
        "version": version("bankwise"),
        "rules": [{"id": k, "shortDescription": {"text": v}} for k, v in RULES.items()],
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _conflict(access: AccessReport) -> dict[str, Any]:
    text = (
        f"{access.instruction}: {access.cost.passes} passes, ideal {access.cost.ideal}, "
        f"{access.ways}-way: {access.witness}"
    )
    if access.reason is not None:
        text += f" ({access.reason})"
    return _result("bank-conflict", "warning", text, access.location)


def _result(rule: str, level: str, text: str, place: Location | None) -> dict[str, Any]:
    result: dict[str, Any] = {"ruleId": rule, "level": level, "message": {"text": text}}
    if place is not None:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.file)}}
        if place.line:
            physical["region"] = {"startLine": place.line, "startColumn": place.column or 1}
        result["locations"] = [{"physicalLocation": physical}]
    return result


def _uri(file: str) -> str:
    """A URI reference: relative paths stay relative to where the command ran."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
