"""When a check fails a build: only from so many ways on, only what a baseline does not know."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field

from bankwise.counting.counted import AccessReport
from bankwise.errors import InputError, Location, exit_code
from bankwise.show.values import CheckReport
from bankwise.show.words import doubt

Key = tuple[str, str, str, tuple[str, ...], str, int]
"""An access as a baseline knows it: kernel, operation, direction, allocations, instruction, extra
passes per workgroup. Lines are left out: they move with every edit above."""


@dataclass(frozen=True, slots=True)
class Gate:
    """``ways``: conflicts of fewer ways pass. ``known``: how often each old conflict may occur."""

    ways: int = 2
    known: Counter[Key] = field(default_factory=Counter)

    def new(self, report: CheckReport) -> tuple[AccessReport, ...]:
        """The conflicts that fail the build, the costliest first."""
        left = self.known.copy()
        found = []
        for access in report.accesses:
            if access.run.extra <= 0 or access.ways < self.ways:
                continue
            if left[_key(access)] > 0:
                left[_key(access)] -= 1
            else:
                found.append(access)
        return tuple(found)

    def exit_code(self, report: CheckReport) -> int:
        """1 for a new sure conflict or another finding; else 3 if something new is only possible,
        was seen in part or not analysed; else 0."""
        new = [access.conflict for access in self.new(report)]
        in_part = any(a.conflict == "possible" and not a.run.extra for a in report.accesses)
        return exit_code(
            findings="sure" in new or bool(report.findings),
            incomplete="possible" in new or in_part or bool(report.refusals),
        )


def read_ways(text: str) -> int:
    """Read ``4`` or ``4-way``; InputError for anything else, or fewer than 2."""
    found = re.fullmatch(r"(\d+)(?:-way)?", text.strip())
    if found is None or int(found[1]) < 2:
        raise InputError(f"--fail-on {text!r} is not N-way", hint="for example --fail-on 4-way")
    return int(found[1])


def read_baseline(text: str, file: str) -> Counter[Key]:
    """The conflicts of a saved ``check --format json``; InputError if it is none."""
    try:
        document = json.loads(text)
        if document["schema"] != "bankwise.check/1":
            raise InputError("not a bankwise.check/1 document", location=Location(file))
        return Counter(
            (
                a["kernel"],
                a["operation"],
                a["direction"],
                tuple(a["allocations"]),
                a["instruction"],
                a["run"]["extra"],
            )
            for a in document["accesses"]
            if a["run"]["extra"] > 0
        )
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        message = f"not a saved `check --format json`: {error}"
        raise InputError(message, location=Location(file)) from error


def github_annotations(report: CheckReport, gate: Gate) -> str:
    """GitHub workflow commands: a warning at every new conflict, a notice at one that is only
    possible, an error at every finding."""
    lines = [_annotation(access) for access in gate.new(report)]
    lines += [_command("error", f.location, f"{f.rule}: {f.message}") for f in report.findings]
    return "".join(f"{line}\n" for line in lines)


def _annotation(access: AccessReport) -> str:
    why = doubt(access)
    text = f"{access.instruction}: {access.ways}-way: {access.witness}"
    kind = "notice" if why else "warning"
    return _command(kind, access.location, "; ".join(filter(None, (text, why))))


def _command(kind: str, place: Location, message: str) -> str:
    text = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    file = place.file.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    column = f",col={place.column}" if place.column else ""
    return f"::{kind} file={file},line={place.line}{column},title=bankwise::{text}"


def _key(access: AccessReport) -> Key:
    return (
        access.kernel,
        access.operation,
        access.direction,
        access.allocations,
        access.instruction,
        access.run.extra,
    )
