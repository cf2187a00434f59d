"""A check for a terminal: each conflict once with its cause, the worst accesses, one last line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport
from bankwise.errors import Location, Refusal
from bankwise.read.names import short, variables
from bankwise.regex import regex
from bankwise.show.causes import folded
from bankwise.show.columns import Console, say, table, told_apart
from bankwise.show.conflicts import print_conflict
from bankwise.show.kernel_facts import print_facts
from bankwise.show.snippets import against, print_help, print_snippets
from bankwise.show.values import CheckReport
from bankwise.show.words import COLOURS, cell, doubted, extra_passes, mark, opener, verdict

_ADDRESS = regex(r" at 0x[0-9a-f]+:")
SHOWN = 10
"""Findings, and rows of a table, unless all are asked for."""
_FACTS = 2
"""Kernels of which all is told unasked."""
_NAMED = 4


def print_check(report: CheckReport, console: Console, *, everything: bool = False) -> None:
    """Print the answer of ``bankwise check``."""
    print_body(report, console, everything=everything)
    print_last(report, console)


def print_body(
    report: CheckReport,
    console: Console,
    aside: Mapping[int, str] | None = None,
    *,
    everything: bool = False,
) -> None:
    """The answer without its verdict. ``aside``: why accesses decide nothing, by their ``id``."""
    for note in report.notes:
        say(console, note, "note: ", style="dim")
    print_conflicts(report, console, aside, everything=everything)
    touching = [k for k in report.ranked if k.accesses or report.refused(k)]
    if everything or len(touching) <= _FACTS:
        for kernel in touching:
            print_facts(kernel, report, console, everything=everything)
    if report.accesses:
        _print_table(report, console, everything)
    _print_untouched(report, console)
    print_findings(report, console, everything=everything)
    for name, found in report.openers[:SHOWN]:
        say(console, f"{short(name)}: {opener(found)}", "open: ")


def print_conflicts(
    report: CheckReport,
    console: Console,
    aside: Mapping[int, str] | None = None,
    *,
    everything: bool = False,
) -> None:
    """What faults; then each cause of conflicts once, the worst first, with what to write against
    it; behind them those that decide nothing, with the reason."""
    for one in report.refusals:
        if one.fault:
            say(console, str(one), "fault: ", "  ", style="red")
    found = folded(report, aside=aside)
    left = list(report.snippets)
    for number, cause in enumerate(found if everything else found[:SHOWN]):
        print_conflict(cause, report, console, first=not number)
        mine = against(cause, left, report)
        earlier = [snippet for snippet in report.snippets if snippet not in left]
        left = [snippet for snippet in left if snippet not in mine]
        print_help(mine, console, earlier)
        console.print()
    if not everything and len(found) > SHOWN:
        rest = sum((cause.run for cause in found[SHOWN:]), Cost())
        more = len(found) - SHOWN
        many = "1 more cause" if more == 1 else f"{more} more causes"
        say(console, f"and {many}, {extra_passes(rest.ends.extra)} (--all)", style="dim")
        console.print()
    if everything or len(found) <= SHOWN:
        print_snippets(left, console)


def _print_table(report: CheckReport, console: Console, everything: bool) -> None:
    """The accesses, the worst first; of those that are alike one row."""
    rows = _rows(report.accesses, folded=not everything)
    shown = rows if everything else rows[:SHOWN]
    several = len({access.kernel for access in report.accesses}) > 1
    files = _files(report.accesses)
    titles = ["extra", "ways", "passes", "ideal", "runs", "place", "instruction"]
    titles.append("kernel" if several else "access")
    cells = [list(_cells(row, several, files)) for row in shown]
    names = [short(kernel.name) for kernel in report.kernels] if several else []
    colours = [COLOURS[row[0].conflict] for row in shown]
    table(console, titles, cells, colours, beside=names)
    for told in doubted((row[0].ruled, row[0].evidence) for row in rows):
        say(console, told, "? ", style="dim")
    left = [access for row in rows[len(shown) :] for access in row]
    if left:
        rest = extra_passes(sum((a.run for a in left), Cost()).ends.extra)
        many = f"{len(left)} more access" + ("es" if len(left) > 1 else "")
        say(console, f"and {many}, {rest} (--all)", style="dim")
    console.print()


_FILE = 20
"""Characters of a file's name in a table."""


def _files(accesses: Sequence[AccessReport]) -> Mapping[str, str]:
    """How the rows of a table name the file that each access is in; empty where they do not."""
    files = {access.location.file: Path(access.location.file).name for access in accesses}
    if len(files) < 2 or all(map(_names_its_file, accesses)):
        return {}
    named = told_apart(list(files.values()), _FILE)
    return {file: named[name] for file, name in files.items()}


_DISPATCH = regex(r"(?:.*\[|.*/)?([\w$-]+)")


_DUMPED = regex(r"(.+_dispatch_\d+)_")


def _names_its_file(access: AccessReport) -> bool:
    """Whether the file of a lowered model, or of a dump of IREE, says no more than the kernel."""
    file, dumped = access.location.file, _DUMPED.match(access.kernel)
    if dumped and re.search(rf"module_{re.escape(dumped[1])}[_.]", Path(file).name):
        return True
    found = _DISPATCH.match(file)
    return found is not None and access.kernel.startswith(f"{found[1]}_")


def _rows(accesses: Sequence[AccessReport], folded: bool) -> list[tuple[AccessReport, ...]]:
    """Accesses by rows of the table: each its own, or ``folded`` where all that is shown of one
    execution is the same."""
    found: dict[object, list[AccessReport]] = {}
    for number, a in enumerate(accesses):
        cost = a.apiece
        shown = a.kernel, a.location, a.direction, a.allocations, a.called, a.times, a.ways
        key = (*shown, str(cost.passes), str(cost.ideal)) if folded else number
        found.setdefault(key, []).append(a)
    return [tuple(row) for row in found.values()]


def _cells(row: Sequence[AccessReport], several: bool, files: Mapping[str, str]) -> Iterator[str]:
    """The columns. ``several`` kernels: each row names its own instead of its access; ``files``:
    how it names its file."""
    a = row[0]
    yield cell(sum((one.run for one in row), Cost()).ends.extra)
    yield f"{a.ways}{mark(a.evidence)}"
    yield cell(a.apiece.passes)
    yield cell(a.apiece.ideal)
    yield cell(a.times)
    file = f"{files[a.location.file]}:" if files else ""
    yield f"{file}{_place(a.location)}"
    many = a.instructions * len(row)
    yield (f"{many} x " if many > 1 else "") + a.called
    yield short(a.kernel) if several else f"{a.direction} {variables(a.allocations)}"


def _place(at: Location) -> str:
    if at.inside and not at.line:
        return at.inside.rpartition("]")[2]
    return f"{at.line}:{at.column}" if at.column else f"{at.line or ''}"


def _print_untouched(report: CheckReport, console: Console) -> None:
    """Kernels of which there is nothing to tell."""
    found = [k for k in report.kernels if not k.accesses and not report.refused(k)]
    if not found:
        return
    names = ", ".join(short(kernel.name) for kernel in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    many = "1 kernel touches" if len(found) == 1 else f"{len(found)} kernels touch"
    say(console, f"{many} no shared memory: {names}{more}", style="dim")


def print_findings(report: CheckReport, console: Console, *, everything: bool = False) -> None:
    """What is wrong beside conflicts, and what was not analysed; of much each reason once."""
    for finding in report.findings:
        say(console, f"{finding.location}: {finding.rule}: {finding.message}", style="red")
    left = [one for one in report.refusals if not one.fault]
    print_refusals(left, console, everything=everything or len(report.refusals) <= SHOWN)


def print_refusals(refusals: Sequence[Refusal], console: Console, *, everything: bool) -> None:
    """What was not analysed, what is told alike once; else each reason once, at whatever address of
    the code, and not all."""
    same: dict[str, list[Refusal]] = {}
    for refusal in refusals:
        why = str(refusal) if everything else _ADDRESS.sub(":", refusal.reason)
        same.setdefault(why, []).append(refusal)
    shown = list(same.values()) if everything else list(same.values())[:SHOWN]
    for one in shown:
        more = f" (and {len(one) - 1} more places)" if len(one) > 1 else ""
        say(console, f"{one[0]}{more}", "not analysed: ", "  ", style="yellow")
    if len(same) > len(shown):
        say(console, f"and {len(same) - len(shown)} more reasons (--all)", style="dim")


def print_last(report: CheckReport, console: Console, said: str = "") -> None:
    """The verdict, in the colour of what it says; ``said``: in other words. Without conflicts it
    names what is wrong beside them."""
    colour, text = COLOURS[report.conflict], said or verdict(report)
    if report.conflict == "none" and not report.accounted:
        colour = "red" if any(r.fault for r in report.refusals) else "yellow"
    if report.conflict == "none" and report.findings:
        rules = Counter(finding.rule for finding in report.findings)
        named = ", ".join(f"{rule} {many}" for rule, many in rules.items())
        colour, text = "red", f"{text}; findings: {named}"
    say(console, text, rest="  ", style=colour)
