"""Check reports as SARIF 2.1.0, the format that code hosts show as annotations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bankwise.counting.counted import AccessReport
from bankwise.errors import InputError, Location
from bankwise.read.names import short
from bankwise.show.baseline import HeldAgainst, held_against
from bankwise.show.baseline_words import said_known
from bankwise.show.causes import Cause, causes
from bankwise.show.diagnostics import Diagnostic, diagnostics
from bankwise.show.gate import KNOWN, Gate
from bankwise.show.rules import Rule, rules
from bankwise.show.values import CheckReport
from bankwise.show.words import assumption, cell, doubt, still_open

_MOST_RELATED = 12
"""Places named beside one result; an unrolled loop has hundreds."""


def check_sarif(report: CheckReport, gate: Gate | None = None) -> dict[str, Any]:
    """The report as one SARIF run: a result for each expression of source, elsewhere for each
    cause; an error where it fails the build. What the ``gate`` knows or leaves out is in it, as
    suppressed; held against a baseline, every conflict has its ``baselineState``."""
    gate = gate or Gate()
    failing = frozenset(map(id, gate.new(report)))
    held = held_against(report, gate.baseline)
    known = {id(a) for a in held.known}
    results = []
    for told, left_out in _told(report, gate.set_aside(report)):
        level = "error" if id(told.first) in failing else "warning"
        results.append(_result(told, level, left_out))
        if gate.baseline.saved:
            state = "unchanged" if id(told.first) in known else "new"
            results[-1]["baselineState"] = state
    results += [sarif_result(f.rule, "error", f.message, f.location) for f in report.findings]
    for one, new in _open_results(report, held):
        beside: dict[str, Any] = {"baselineState": "new"} if new else _ACCEPTED
        results.append({**one, **beside} if gate.baseline.saved else one)
    found = sarif(results)
    if gate.baseline.saved:
        notes = [{"level": "note", "message": {"text": t}} for t in said_known(held, gate.baseline)]
        found["runs"][0]["invocations"] = [_ran(notes)]
    return found


_ACCEPTED: dict[str, Any] = {
    "baselineState": "unchanged",
    "suppressions": [{"kind": "external", "justification": KNOWN}],
}


def _open_results(report: CheckReport, held: HeldAgainst) -> Iterator[tuple[dict[str, Any], bool]]:
    """What is not analysed, or assumed, each with whether it is new."""
    for r in report.refusals:
        one = sarif_result(r.rule, "error" if r.fault else "note", r.reason, r.location)
        yield one, held.opens((r.location or Location(report.file)).file, r.reason)
    for kernel in report.ranked:
        for left in still_open(kernel, 0):
            one = sarif_result("assumed", "note", assumption(kernel, left), kernel.location)
            yield one, held.opens_in(kernel, left)


def failed_sarif(error: InputError, file: str) -> dict[str, Any]:
    """A run that could not check a file: without results, which says nothing about earlier ones."""
    place = _physical(error.location or Location(file))
    note = {"level": "error", "message": {"text": error.message}, "locations": [place]}
    found = sarif([])
    found["runs"][0]["invocations"] = [_ran([note], successful=False)]
    return found


def _ran(notes: list[dict[str, Any]], *, successful: bool = True) -> dict[str, Any]:
    return {"executionSuccessful": successful, "toolExecutionNotifications": notes}


def _told(
    report: CheckReport, aside: Mapping[int, str]
) -> Iterator[tuple[Diagnostic | Cause, str]]:
    """What is told once, the costliest first; with why it decides nothing, "" where it decides."""
    for left_out, some in _by_reason(report, aside).items():
        at_source = diagnostics(report, some)
        placed = {id(a) for one in at_source for a in one.accesses}
        others = [a for a in some if a.rule and id(a) not in placed]
        alone = [Cause((a,)) for a in others if a.witness is None]
        every: list[Diagnostic | Cause] = [*causes(others), *alone, *at_source]
        yield from ((one, left_out) for one in every)


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


def _result(told: Diagnostic | Cause, level: str, left_out: str) -> dict[str, Any]:
    """All instructions of an expression, or of a cause, as one result."""
    access, why = told.first, doubt(told.first)
    noun = "instructions" if isinstance(told, Diagnostic) else "accesses"
    many = f" ({len(told.accesses)} {noun})" if len(told.accesses) > 1 else ""
    if isinstance(told, Diagnostic):
        text = "; ".join((f"{told.message}{many}", *told.reasons))
    else:
        text = "; ".join(filter(None, (f"{_counted(access)}{many}", why)))
    inner = told.inlined if isinstance(told, Diagnostic) else None
    at = inner or access.location
    result = sarif_result("bank-conflict", "note" if why else level, text, at)
    for place in result["locations"]:
        place.setdefault("logicalLocations", [{}])[0] |= _logical(access.kernel)
    if isinstance(told, Diagnostic):
        place["physicalLocation"]["region"]["snippet"] = {"text": told.touched or told.expression}
        place["logicalLocations"] = [
            {"name": short(name), **_logical(name, "fullyQualifiedName")} for name in told.by_kernel
        ]
        if inner:
            call = {"text": f"called here: {told.expression}"}
            result["relatedLocations"] = [{**_physical(told.location), "message": call}]
    else:
        result |= _related(told)
    extra = access.run.ends.extra
    numbers = {"low": extra.low, "high": None if access.assumed else extra.high}
    result["properties"] = {"kernel": access.kernel, "evidence": access.evidence, **numbers}
    if left_out:
        result["suppressions"] = [{"kind": "external", "justification": left_out}]
    return result


def _logical(kernel: str, key: str = "name") -> dict[str, str]:
    return {key: kernel, "kind": "function"}


def _counted(access: AccessReport) -> str:
    """What one execution of an access costs, and why."""
    text = (
        f"{access.called}: {cell(access.apiece.passes)} passes, ideal {cell(access.apiece.ideal)}, "
        f"{access.ways}-way: {access.witness}"
    )
    return text if access.reason is None else f"{text} ({access.reason})"


def _related(cause: Cause) -> dict[str, Any]:
    """Where else the same lanes meet by the same arithmetic."""
    if not cause.likewise:
        return {}
    message = {"text": "the same cause"}
    places = [{**_physical(at), "message": message} for at in cause.likewise[:_MOST_RELATED]]
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
