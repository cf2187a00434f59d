"""What an editor shows at places of one text, and what an agent is told of them first.

A mark is all accesses of one place: an unrolled loop, a split vector, several kernels. Those
without a conflict have a mark too: it is no diagnostic, but there is something to hover over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from bankwise.counting.counted import AccessReport
from bankwise.errors import Location
from bankwise.hardware.machine import machine
from bankwise.read.names import short
from bankwise.show.bank_picture import bank_picture
from bankwise.show.causes import causes
from bankwise.show.conflicts import counts
from bankwise.show.diagnostics import Diagnostic, diagnostics
from bankwise.show.values import CheckReport
from bankwise.show.words import assumptions, doubt

Level = Literal["error", "warning", "note", "none"]
_KERNELS = 4
_MOST_ALSO = 12
"""Places of the same cause that are named; an unrolled loop has hundreds."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One place. ``level`` "none": nothing is wrong there. ``rule``: for ``bankwise explain``.
    ``message``: one line; ``reasons``: which lanes collide, and why; ``picture``: the banks, in
    lines; ``counts``: by kernel; ``also``: where else the same lanes meet by the same arithmetic.
    """

    location: Location
    level: Level
    rule: str
    message: str
    reasons: tuple[str, ...] = ()
    picture: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    also: tuple[Location, ...] = ()


def marks(report: CheckReport, text: str = "") -> tuple[Mark, ...]:
    """Everything that there is to say of places; what is worst first, then by cost.

    ``text``: of the file that was asked about, whose lines the report need not have.
    """
    own = {(report.file, n): line for n, line in enumerate(text.split("\n"), 1)}
    report = replace(report, source_lines={**own, **report.source_lines})
    told = diagnostics(report)
    at_source = {id(access) for one in told for access in one.accesses}
    elsewhere = _without_lines(report, at_source)
    alike = {a: c.accesses for c in causes(report.accesses) for a in map(id, c.accesses)}
    found = [_conflict(one, report, alike) for one in (*told, *elsewhere)]
    found += [Mark(f.location, "error", f.rule, f.message) for f in report.findings]
    left = [(r.location or Location(report.file), str(r.reason)) for r in report.refusals]
    found += [Mark(at, "note", "not-analysed", f"not analysed: {why}") for at, why in left]
    found += [Mark(at, "note", "not-analysed", why) for at, why in assumptions(report)]
    return (*sorted(found, key=lambda one: _LEVELS.index(one.level)), *_free(report))


_LEVELS: tuple[Level, ...] = ("error", "warning", "note", "none")


def _without_lines(report: CheckReport, known: set[int]) -> tuple[Diagnostic, ...]:
    """Conflicts in files that have no text, or none that could be read."""
    left = [a for a in report.accesses if a.rule and id(a) not in known]
    lines = {(a.location.file, a.location.line): "" for a in left}
    return diagnostics(replace(report, source_lines=lines), left)


def _conflict(
    one: Diagnostic, report: CheckReport, alike: dict[int, tuple[AccessReport, ...]]
) -> Mark:
    others = dict.fromkeys(a.location for a in alike.get(id(one.first), ()))
    also = tuple(at for at in others if at != one.location)[:_MOST_ALSO]
    level: Level = "note" if doubt(one.first) else "warning"
    said = (_message(one), one.reasons, _picture(one.first, report), tuple(_counts(one)), also)
    return Mark(one.location, level, one.first.rule, *said)


def _message(one: Diagnostic) -> str:
    """What is wrong: of an expression of source, or of what a text calls its shared memory."""
    if one.location.end_column:
        return one.message
    bare = replace(one, location=replace(one.location, column=0))
    return f"{bare.message} of {_memory(one)}"


def _memory(one: Diagnostic) -> str:
    names = dict.fromkeys(name for access in one.accesses for name in access.allocations)
    return ", ".join(names) or "shared memory"


def _free(report: CheckReport) -> Iterator[Mark]:
    """Places all of whose accesses are free of conflicts."""
    places: dict[Location, list[AccessReport]] = {}
    for access in report.accesses:
        places.setdefault(access.location, []).append(access)
    for at, found in places.items():
        if not any(access.rule for access in found):
            one = Diagnostic(at, "", tuple(found))
            done = " and ".join(dict.fromkeys(access.direction for access in found))
            sure = "no bank conflict" if all(a.conflict == "none" for a in found) else "as followed"
            said = (f"{sure}: {done} of {_memory(one)}", (), _picture(one.first, report))
            yield Mark(at, "none", "", *said, tuple(_counts(one)))


def _picture(access: AccessReport, report: CheckReport) -> tuple[str, ...]:
    """The banks of its costliest execution, on the machine of its kernel."""
    target = next((k.target for k in report.kernels if k.name == access.kernel), report.target)
    if access.lanes is None or not target:
        return ()
    row = machine(target).instruction(access.lanes.instruction)
    picture = bank_picture(row, access.lanes)
    head = f"{access.lanes.instruction} on {target}, wave {access.lanes.wave}: words of each bank"
    return (f"{head}, one a pass", *picture) if picture else ()


def _counts(one: Diagnostic) -> Iterator[str]:
    """What each kernel has there; of many the first."""
    for name, accesses in list(one.by_kernel.items())[:_KERNELS]:
        yield f"{short(name)}: {counts(accesses)}"
    more = len(one.by_kernel) - _KERNELS
    if more > 0:
        yield f"and in {more} more kernels"
    known = one.first
    yield f"rule of {known.instruction}: {known.evidence}, confidence {known.confidence:.2f}"
