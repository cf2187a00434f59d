"""Check reports as SARIF 2.1.0, the format that code hosts show as annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bankwise.counting.counted import AccessReport
from bankwise.errors import Location
from bankwise.read.names import short
from bankwise.show.baseline import held_against
from bankwise.show.baseline_words import said_known
from bankwise.show.causes import Cause, causes
from bankwise.show.diagnostics import Diagnostic, diagnostics
from bankwise.show.gate import Gate
from bankwise.show.rules import Rule, rules
from bankwise.show.values import CheckReport
from bankwise.show.words import assumptions, doubt

_MOST_RELATED = 12
"""Places named beside one result; an unrolled loop has hundreds."""


def check_sarif(report: CheckReport, gate: Gate | None = None) -> dict[str, Any]:
    """The report as one SARIF run. What the ``gate`` knows or leaves out is in it, as suppressed;
    held against a baseline, every conflict has its ``baselineState``."""
    gate = gate or Gate()
    alike = {id(a): cause for cause in causes(report.accesses) for a in cause.accesses}
    aside, saved = gate.set_aside(report), gate.baseline.saved
    told = {why: diagnostics(report, some) for why, some in _by_reason(report, aside).items()}
    at_source = {id(a) for some in told.values() for one in some for a in one.accesses}
    conflicts = [a for a in report.accesses if a.rule and id(a) not in at_source]
    results = [_conflict(a, aside.get(id(a), "")) for a in conflicts]
    for access, result in zip(conflicts, results, strict=True):
        result.update(_related(access, alike.get(id(access))))
    results += [_at_source(d, why) for why, some in told.items() for d in some]
    held = held_against(report, gate.baseline)
    if saved:
        states = {id(a): "unchanged" for a in held.known}
        firsts = [*conflicts, *(d.first for some in told.values() for d in some)]
        for access, result in zip(firsts, results, strict=True):
            result["baselineState"] = states.get(id(access), "new")
    results += [sarif_result(f.rule, "error", f.message, f.location) for f in report.findings]
    results += [
        sarif_result(r.rule, "error" if r.fault else "note", r.reason, r.location)
        for r in report.refusals
    ]
    results += [sarif_result("assumed", "note", why, at) for at, why in assumptions(report)]
    found = sarif(results)
    if saved:
        notes = [{"level": "note", "message": {"text": t}} for t in said_known(held, gate.baseline)]
        ran = {"executionSuccessful": True, "toolExecutionNotifications": notes}
        found["runs"][0]["invocations"] = [ran]
    return found


def sarif(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Results, as :func:`sarif_result` makes them, as one SARIF run."""
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


def _by_reason(report: CheckReport, aside: Mapping[int, str]) -> dict[str, list[AccessReport]]:
    """The accesses by why they decide nothing; "" for those that decide."""
    found: dict[str, list[AccessReport]] = {}
    for access in report.accesses:
        found.setdefault(aside.get(id(access), ""), []).append(access)
    return found


def _at_source(one: Diagnostic, left_out: str) -> dict[str, Any]:
    """All instructions of an expression of the source as one result."""
    result = _conflict(one.first, left_out)
    many = f" ({len(one.accesses)} instructions)" if len(one.accesses) > 1 else ""
    result["message"] = {"text": "; ".join((f"{one.message}{many}", *one.reasons))}
    place = result["locations"][0]
    place["physicalLocation"]["region"]["snippet"] = {"text": one.expression}
    place["logicalLocations"] = [
        {"name": short(name), "fullyQualifiedName": name, "kind": "function"}
        for name in one.by_kernel
    ]
    return result


def _conflict(access: AccessReport, left_out: str) -> dict[str, Any]:
    text = (
        f"{access.called}: {access.cost.passes} passes, ideal {access.cost.ideal}, "
        f"{access.ways}-way: {access.witness}"
    )
    if access.reason is not None:
        text += f" ({access.reason})"
    why = doubt(access)
    level = "note" if why else "warning"
    said = "; ".join(filter(None, (text, why)))
    result = sarif_result("bank-conflict", level, said, access.location)
    logical = {"name": access.kernel, "kind": "function"}
    for place in result["locations"]:
        place.setdefault("logicalLocations", [{}])[0] |= logical
    extra = access.run.ends.extra
    numbers = {"low": extra.low, "high": None if access.assumed else extra.high}
    result["properties"] = {"kernel": access.kernel, "evidence": access.evidence, **numbers}
    if left_out:
        result["suppressions"] = [{"kind": "external", "justification": left_out}]
    return result


def _related(access: AccessReport, cause: Cause | None) -> dict[str, Any]:
    """Where else the same lanes meet by the same arithmetic."""
    every = () if cause is None else (cause.first.location, *cause.likewise)
    others = [at for at in every if at != access.location]
    if not others:
        return {}
    message = {"text": "the same cause"}
    places = [{**_physical(at), "message": message} for at in others[:_MOST_RELATED]]
    return {"relatedLocations": places}


def sarif_result(rule: str, level: str, text: str, place: Location | None) -> dict[str, Any]:
    """One result of a SARIF run."""
    result: dict[str, Any] = {"ruleId": rule, "level": level, "message": {"text": text}}
    if place is not None:
        result["locations"] = [_physical(place)]
    return result


def _physical(place: Location) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.file)}}
    if place.line:
        physical["region"] = {"startLine": place.line, "startColumn": place.column or 1}
        if place.end_column:
            physical["region"]["endColumn"] = place.end_column
    if place.inside:
        logical = [{"fullyQualifiedName": place.inside}]
        return {"physicalLocation": physical, "logicalLocations": logical}
    return {"physicalLocation": physical}


def _uri(file: str) -> str:
    """A URI reference: relative paths stay relative to where the command ran."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
