"""Check reports as SARIF 2.1.0, the format that code hosts show as annotations."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bankwise.counting.counted import AccessReport
from bankwise.errors import Location
from bankwise.show.rules import Rule, rules
from bankwise.show.values import CheckReport
from bankwise.show.words import doubt


def check_sarif(report: CheckReport) -> dict[str, Any]:
    """The report as one SARIF run."""
    results = [_conflict(a) for a in report.accesses if a.rule]
    results += [_result(f.rule, "error", f.message, f.location) for f in report.findings]
    results += [_result("not-analysed", "note", r.reason, r.location) for r in report.refusals]
    findings = [rule for rule in rules() if rule.kind == "finding"]
    driver = {
        "name": "bankwise",
        "version": version("bankwise"),
        "rules": [_rule(rule) for rule in findings],
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    """A rule in the words of ``bankwise explain``."""
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": f"{rule.what} {rule.why}"},
        "help": {"text": f"{rule.instead} See: bankwise explain {rule.name}"},
    }


def _conflict(access: AccessReport) -> dict[str, Any]:
    text = (
        f"{access.instruction}: {access.cost.passes} passes, ideal {access.cost.ideal}, "
        f"{access.ways}-way: {access.witness}"
    )
    if access.reason is not None:
        text += f" ({access.reason})"
    why = doubt(access)
    level = "note" if why else "warning"
    return _result("bank-conflict", level, "; ".join(filter(None, (text, why))), access.location)


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
