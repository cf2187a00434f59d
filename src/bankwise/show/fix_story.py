"""What ``bankwise fix`` prints: what was changed, what it brings, the verdicts on it, the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bankwise.counting.counted import AccessReport
from bankwise.errors import FINDINGS
from bankwise.read.names import short, short_each, variables
from bankwise.show.as_text import SHOWN, print_refusals
from bankwise.show.columns import Console, say, table
from bankwise.show.fixing import Change, FixReport, Verdict, pairs
from bankwise.show.plain import escape
from bankwise.show.prices import price_text
from bankwise.show.values import KernelReport
from bankwise.show.words import adds, doubted, still_open
from bankwise.solver.plan import AS_IT_IS, Plan


def print_fix(
    report: FixReport, console: Console, *, everything: bool = False, written: Sequence[Path] = ()
) -> None:
    """Tell the before / after story, what was ``written``, and why it ends so. ``everything``: each
    access."""
    print_story(report, console, everything=everything)
    for path in written:
        console.print(f"written: {path}", markup=False, soft_wrap=True)
    print_exit(report.exit_code, report.reasons(report.exit_code), console)


def print_exit(code: int, reasons: Iterable[str], console: Console) -> None:
    """Why a run ends with an exit code, where there are reasons."""
    said = "; ".join(dict.fromkeys(reasons))
    if said:
        colour = "red" if code == FINDINGS else "yellow"
        console.print(f"[{colour}]exit {code}:[/] {escape(said)}")


def print_story(
    report: FixReport, console: Console, *, everything: bool = False, name: str = ""
) -> None:
    """What :func:`print_fix` tells, but for the end. ``name``: of one answer of several."""
    left = report.before.refusals
    print_refusals(left, console, everything=everything or len(left) <= SHOWN)
    if not report.changes and not report.refusals:
        console.print(f"{escape(name)}{_nothing(report)}")
        every = [a for kernel in report.before.kernels for a in kernel.accesses]
        for told in doubted((a.ruled, a.evidence) for a in every):
            say(console, told, "? ", style="dim")
    for change in report.changes:
        names = escape("".join(f"{name}: " for name in _others(change)))
        named = escape(short_each(change.kernel))
        each = report.before.each(change.kernel).replace("a workgroup", "per workgroup")
        console.print(f"[bold]{named}[/]: {names}{escape(change.address)}")
        console.print(
            f"  {change.before.passes:,} -> {change.after.passes:,} passes {each}, ideal "
            f"{change.after.ideal:,}; {escape(change.optimum)}"
        )
        for told in filter(None, (change.padding, change.parts, _competing(change, report))):
            console.print(f"  {escape(told)}")
        if change.coalescing:
            console.print(f"  {escape(change.coalescing)}")
    for refusal in report.refusals:
        console.print(f"[yellow]not changed:[/] {escape(str(refusal))}")
    if report.changes:
        _print_table(report, console, everything)
        _print_doubt(report, console)
    _print_open(report, console)
    for verdict in report.verdicts:
        _print_verdict(verdict, console, everything=everything)
    if report.changes and not report.accepted:
        console.print("[red]not offered[/]: a judge rejected it")
    for note in report.notes if report.accepted else ():
        say(console, note, "note: ", "  ", style="yellow")
    for line in report.settings if report.accepted or not report.changes else ():
        console.print(line, markup=False)  # escape() doubles a backslash at the end


def _nothing(report: FixReport) -> str:
    """Why nothing is changed."""
    before = report.before
    if before.refusals and not any(kernel.accesses for kernel in before.kernels):
        return "nothing was counted, and nothing is changed"
    known = "is known to have" if before.refusals else "has"
    said = f"nothing to fix: no allocation {known} conflicts that a swizzle removes"
    return f"{said}; what else is wrong stays" if before.findings else said


def _others(change: Change) -> tuple[str, ...]:
    """What is changed, where that is not the kernel by its own name, and the address does not begin
    with it."""
    told = change.address.startswith(f"{change.allocations[0]}: ")
    same = change.allocations == (change.kernel,)
    return () if same or told else (variables(change.allocations),)


_SHOWN = 4
"""Plans of a front that are printed; documents hold every one."""


def _competing(change: Change, report: FixReport) -> str:
    """The front of a change, if it has more than is said of it anyway."""
    named = change.kernel, change.allocations
    every = [p for f in report.fronts if (f.kernel, f.allocations) == named for p in f.plans]
    plans = [plan for plan in every if plan.space != AS_IT_IS]
    shown = [_planned(plan) for plan in plans[:_SHOWN]]
    more = [f"{len(plans) - _SHOWN} more (--format json)"] * (len(plans) > _SHOWN)
    told = 2 if change.parts else 1
    return f"what competes: {'; '.join((*shown, *more))}" if len(plans) > told else ""


def _planned(plan: Plan) -> str:
    split = f", {len(plan.splits)} accesses in parts" if plan.splits else ""
    return f"{price_text(plan)}, {plan.lds_bytes:,} bytes{split}"


_NUMBERS = 16
"""Of a judge, above which those that stay as they are are counted alone, but for the first."""
_FIRST_NUMBERS = 2
_ROWS = 10
"""Rows of accesses that are printed unasked."""


def _print_table(report: FixReport, console: Console, everything: bool) -> None:
    """The accesses that conflict, in program order; of those that are alike one row, with sums.
    ``everything``: all accesses, each its own row."""
    alike: dict[object, list[tuple[AccessReport, AccessReport]]] = {}
    for number, (old, new) in enumerate(pairs(report)):
        if everything or old.run != new.run or old.run.extra:
            issued = old.instruction, new.instruction
            shown = old.kernel, old.run, new.run, issued, old.direction, old.allocations
            alike.setdefault(number if everything else shown, []).append((old, new))
    found = list(alike.values())
    shown_rows = found if everything else found[:_ROWS]
    home = report.before.file if report.by_line else ""
    rows = [list(_cells(row, home)) for row in shown_rows]
    colours = ["red" if row[0][1].run.extra else "green" for row in shown_rows]
    for kernel, fixed in zip(report.before.kernels, report.after.kernels, strict=True):
        before, after = kernel.whole, fixed.whole
        several = len(report.before.kernels) > 1
        every = "all loads and stores" if before == kernel.totals.run else "all accesses"
        what = ("all of", short(kernel.name)) if several else ("", every)
        sums = (before.passes, after.passes, after.ideal)
        rows.append([*(f"{cost:,}" for cost in sums), "", *what])
        colours.append("")
    titles = ("before", "after", "ideal", "place", "instruction", "access")
    console.print()
    if _joined(report):
        say(console, _ALONE, "", "  ", style="dim")
    table(console, titles, rows, colours)
    for said in _became(shown_rows):
        say(console, said, "", "  ", style="dim")
    for said in _authors(shown_rows):
        say(console, said, "", "  ", style="dim")
    shown_accesses = (access for row in found for pair in row for access in pair)
    for said in doubted((access.ruled, access.evidence) for access in shown_accesses):
        say(console, said, "? ", style="dim")
    if len(found) > len(shown_rows):
        console.print(f"[dim]and {len(found) - len(shown_rows)} more rows (--all)[/]")
    console.print()


_ALONE = "by the text, each read alone; the compiler joins reads, isa: has the code"


def _joined(report: FixReport) -> bool:
    """Whether the compiler may join reads of the text, and its code is known beside it."""
    every = (a for kernel in report.before.kernels for a in kernel.accesses)
    return bool(report.emitted) and any(access.joins for access in every)


def _cells(row: Sequence[tuple[AccessReport, AccessReport]], home: str) -> Iterator[str]:
    """Of accesses that are alike what they take together, and the first place. ``home``: the file
    of which lines are told alone; "" where all are told with their columns."""
    old, new = row[0]
    many = len(row)
    for cost in (old.run.passes, new.run.passes, new.run.ideal):
        yield f"{many * cost:,}"
    at = old.location
    line = f"{Path(at.file).name}:" * (at.file != home) + str(at.line)
    yield (line if home else f"{at.line}:{at.column}") + ", .." * (many > 1)
    yield f"{many} x {new.instruction}" if many > 1 else new.instruction
    yield f"{old.direction} {variables(old.allocations)}"


def _became(rows: Sequence[Sequence[tuple[AccessReport, AccessReport]]]) -> Iterator[str]:
    """Which instructions of the rows are others than before, each once, with the first lines."""
    found: dict[tuple[str, str], list[str]] = {}
    for (old, new), *_ in rows:
        if old.instruction != new.instruction:
            places = found.setdefault((old.instruction, new.instruction), [])
            places.append(str(old.location.line))
    for (before, after), lines in found.items():
        more = ", .." * (len(lines) > _PLACES)
        yield f"{before} -> {after}: at line{'s' * (len(lines) > 1)} " + (
            ", ".join(lines[:_PLACES]) + more
        )


_PLACES = 6


def _authors(rows: Sequence[Sequence[tuple[AccessReport, AccessReport]]]) -> Iterator[str]:
    """The author's lines that a compiler names for those of the rows, by file."""
    found: dict[str, dict[int, int]] = {}
    for old in (old for row in rows for old, _ in row):
        at = old.origin
        if at is not None:
            found.setdefault(at.file, {}).setdefault(old.location.line, at.line)
    for file, lines in found.items():
        told = [f"{line} is line {own}" for line, own in lines.items()]
        yield f"in {Path(file).name}: {', '.join(told[:_ROWS])}{', ..' * (len(told) > _ROWS)}"


def _print_doubt(report: FixReport, console: Console) -> None:
    if not all(kernel.counted for kernel in report.after.kernels):
        said = "as followed: how often some accesses run is not known"
        console.print(f"[dim]passes are {said}[/]")
    if report.assumed and not any(v.gamble is not None for v in report.verdicts):
        console.print(f"[yellow]assumed:[/] {escape(report.assumed)}")


_ANOTHER = "another block may have conflicts: --workgroup-size or --launch says yours"
_OTHER_NUMBERS = "with other numbers it may take other passes: --arg or --launch says yours"


_SETTLED = "counters of a run settle it: `bankwise check FILE --counters CSV` (docs/profile.md)"


def _print_open(report: FixReport, console: Console) -> None:
    for before, kernel in zip(report.before.kernels, report.ends.kernels, strict=True):
        left = still_open(kernel, len(report.ends.refused(kernel)))
        if left:
            console.print(
                f"[yellow]open in {escape(short(kernel.name))}:[/] {escape('; '.join(left))}"
            )
        if not report.changes:
            if any(access.evidence == "unknown" for access in kernel.accesses):
                say(console, _SETTLED, "  ", "    ")
            continue
        for other in _other_launches(before, kernel):
            say(console, other, "  ", "    ")
        if "threads" in kernel.assumed:
            say(console, _ANOTHER, "  ", "    ", style="yellow")
        if "--arg" in kernel.assumed:
            say(console, _OTHER_NUMBERS, "  ", "    ", style="yellow")


def _other_launches(before: KernelReport, after: KernelReport) -> Iterator[str]:
    """What a change does under the launches that are not shown."""
    old = {(one.workgroup_size, one.said, one.blocks): one.added for one in before.others}
    for one in after.others:
        was = old.get((one.workgroup_size, one.said, one.blocks))
        if was is not None:
            size = ",".join(map(str, one.workgroup_size))
            where = f", blocks {one.blocks}" if one.blocks not in ("", "all") else ""
            said = f"{size} threads a block ({one.said or 'tried, too'}{where})"
            yield f"{said}: conflicts {adds(was)} -> {adds(one.added)}"


def _print_verdict(verdict: Verdict, console: Console, *, everything: bool) -> None:
    colour = {"passed": "green", "failed": "red"}.get(verdict.status, "yellow")
    console.print(f"{verdict.judge}: [{colour}]{verdict.status}[/]: {escape(verdict.detail)}")
    few = everything or len(verdict.rows) <= _NUMBERS
    for at, (name, before, after) in enumerate(verdict.rows):
        mark = "" if before == after else " [dim](changed)[/]"
        if few or mark or at < _FIRST_NUMBERS:
            console.print(f"  {escape(name)}: {before:,} -> {after:,}{mark}")
    same = sum(before == after for _, before, after in verdict.rows[_FIRST_NUMBERS:])
    if same and not few:
        console.print(f"  [dim]and {same} more numbers, which stay as they are (--all)[/]")
    for rule in verdict.open:
        say(console, rule, "  ", "    ", style="yellow")
