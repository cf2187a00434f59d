"""What an editor shows at places of one text, and what an agent is told of them first.

A mark is all accesses of one place: an unrolled loop, a split vector, several kernels. Those
without a conflict have a mark too: it is no diagnostic, but there is something to hover over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from bankwise.counting.counted import AccessReport
from bankwise.errors import Location, Refusal
from bankwise.hardware.machine import machine
from bankwise.read.names import short, variables
from bankwise.show.bank_picture import bank_picture
from bankwise.show.causes import causes
from bankwise.show.conflicts import counts, headline, why
from bankwise.show.diagnostics import Diagnostic
from bankwise.show.own_lines import line_at
from bankwise.show.values import CheckReport
from bankwise.show.words import assumptions, doubt

Level = Literal["error", "warning", "note", "none"]
_KERNELS = 4
_ANY_LENGTH = 1 << 20
"""Columns: an editor wraps."""
_MOST_ALSO = 12
"""Places of the same cause that are named; an unrolled loop has hundreds."""


class Mark(Struct, frozen=True):
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

    ``text``: of the file that was asked about; without it lines are read where they are wanted.
    """
    lines = text.split("\n")
    alike = {a: c.accesses for c in causes(report.accesses) for a in map(id, c.accesses)}
    places = [Diagnostic(at, _line(report, at, lines), some) for at, some in _places(report)]
    found = [_conflict(one, report, alike) for one in places if any(a.rule for a in one.accesses)]
    found += [Mark(f.location, "error", f.rule, f.message) for f in report.findings]
    found += [_refused(one, report) for one in report.refusals]
    found += [Mark(at, "note", "not-analysed", said) for at, said in assumptions(report)]
    found.sort(key=lambda one: _LEVELS.index(one.level))
    free = (one for one in places if not any(a.rule for a in one.accesses))
    return (*found, *(_free(one, report) for one in free))


_LEVELS: tuple[Level, ...] = ("error", "warning", "note", "none")


def _refused(one: Refusal, report: CheckReport) -> Mark:
    at = one.location or Location(report.file)
    if one.fault:
        return Mark(at, "error", one.rule, f"fault: {one.reason}")
    return Mark(at, "note", one.rule, f"not analysed: {one.reason}")


def _places(report: CheckReport) -> Iterator[tuple[Location, tuple[AccessReport, ...]]]:
    """The accesses of each place, the costliest place first; of one with conflicts those."""
    places: dict[Location, list[AccessReport]] = {}
    for access in report.accesses:
        places.setdefault(access.location, []).append(access)
    for at, found in places.items():
        yield at, tuple(a for a in found if a.rule) or tuple(found)


def _line(report: CheckReport, at: Location, lines: Sequence[str]) -> str:
    """The line of a place: of the file that was asked about from its text."""
    if at.file == report.file and 0 < at.line <= len(lines):
        return lines[at.line - 1]
    return line_at(report, at)


def _conflict(
    one: Diagnostic, report: CheckReport, alike: dict[int, tuple[AccessReport, ...]]
) -> Mark:
    others = dict.fromkeys(a.location for a in alike.get(id(one.first), ()))
    also = tuple(at for at in others if at != one.location)[:_MOST_ALSO]
    level: Level = "note" if doubt(one.first) else "warning"
    reasons = tuple(filter(None, (why(one, report), doubt(one.first))))
    _, message = headline(one, report, _ANY_LENGTH)
    said = (reasons, _picture(one.first, report), tuple(_counts(one, report)), also)
    return Mark(one.location, level, one.first.rule, message, *said)


def _free(one: Diagnostic, report: CheckReport) -> Mark:
    """A place all of whose accesses are free of conflicts."""
    sure = all(access.conflict == "none" for access in one.accesses)
    names = dict.fromkeys(name for access in one.accesses for name in access.allocations)
    of = variables(names) or "shared memory"
    message = f"{'no bank conflict' if sure else 'as followed no conflict'}: {one.done} of {of}"
    return Mark(
        one.location,
        "none",
        "",
        message,
        (),
        _picture(one.first, report),
        tuple(_counts(one, report)),
    )


def _picture(access: AccessReport, report: CheckReport) -> tuple[str, ...]:
    """The banks of its costliest execution, on the machine of its kernel."""
    target = next((k.target for k in report.kernels if k.name == access.kernel), report.target)
    if access.lanes is None or not target:
        return ()
    row = machine(target).instruction(access.lanes.instruction)
    picture = bank_picture(row, access.lanes)
    head = f"{access.lanes.instruction} on {target}, wave {access.lanes.wave}: words of each bank"
    return (f"{head}, one a pass", *picture) if picture else ()


def _counts(one: Diagnostic, report: CheckReport) -> Iterator[str]:
    """What each kernel has there; of many the first."""
    for name, accesses in list(one.by_kernel.items())[:_KERNELS]:
        yield f"{short(name)}: {counts(accesses, report.each(name))}"
    more = len(one.by_kernel) - _KERNELS
    if more > 0:
        yield f"and in {more} more kernels"
    known = one.first
    yield f"rule of {known.instruction}: {known.evidence}, confidence {known.confidence:.2f}"
