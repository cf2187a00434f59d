"""Reports for a terminal: rich tables, one line of truth per access, the cause below."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport, Sureness
from bankwise.errors import Location
from bankwise.read.names import short
from bankwise.show.causes import causes
from bankwise.show.diagnostics import diagnostics, print_diagnostic
from bankwise.show.snippets import print_snippets
from bankwise.show.values import CheckReport, KernelReport, Optimum, Totals
from bankwise.show.words import (
    COLOURS,
    cell,
    compiled_line,
    kernel_verdict,
    opener,
    other_launch,
    verdict,
)

_SHOWN = 12
"""Accesses listed in full; the rest is summed up in one line unless all are asked for."""


def print_check(report: CheckReport, console: Console, *, everything: bool = False) -> None:
    """Print the answer of ``bankwise check``."""
    for note in report.notes:
        console.print(f"[dim]note: {escape(note)}[/]")
    untouched = _untouched(report)
    told = diagnostics(report)
    for one in told if everything else told[:_SHOWN]:
        print_diagnostic(one, console)
    if len(told) > _SHOWN and not everything:
        console.print(f"[dim]and {len(told) - _SHOWN} more places (--all lists them)[/]")
    if told and any(one.command for one in report.snippets):
        console.print("[dim]help: `bankwise fix`, with the same options, tries to change it[/]\n")
    for kernel in report.ranked:
        if kernel not in untouched:
            _print_kernel(kernel, report, console, everything)
    if untouched:
        names = ", ".join(short(kernel.name) for kernel in untouched[:_SHOWN])
        more = f" and {len(untouched) - _SHOWN} more" if len(untouched) > _SHOWN else ""
        many = "1 kernel touches" if len(untouched) == 1 else f"{len(untouched)} kernels touch"
        console.print(f"[dim]{many} no shared memory: {escape(names)}{more}[/]\n")
    for finding in report.findings:
        place = escape(str(finding.location))
        console.print(f"[red]{place}: {finding.rule}:[/] {escape(finding.message)}")
    for refusal in report.refusals:
        console.print(f"[yellow]not analysed:[/] {escape(str(refusal))}")
    for name, found in report.openers[:_SHOWN]:
        console.print(f"[yellow]open:[/] {escape(short(name))}: {escape(opener(found))}")
    _print_headline(report, console)
    print_snippets(report, console)


def _untouched(report: CheckReport) -> list[KernelReport]:
    """Of several kernels those of which there is nothing to tell."""
    if len(report.kernels) == 1:
        return []
    return [k for k in report.kernels if not k.accesses and not report.refused(k)]


def _print_kernel(
    kernel: KernelReport, report: CheckReport, console: Console, everything: bool
) -> None:
    size = "x".join(map(str, kernel.workgroup_size)) if all(kernel.workgroup_size) else "unknown"
    grid = "unknown grid" if kernel.grid is None else "grid " + "x".join(map(str, kernel.grid))
    console.print(f"{_named(kernel.name)} on {kernel.target}: {size} threads, {grid}")
    _print_allocations(kernel, console)
    ranked = [a for a in report.accesses if a.kernel == kernel.name]
    rows = _rows(ranked, bool(report.source_lines) and not everything)
    shown = rows if everything else rows[:_SHOWN]
    console.print(_access_table(shown))
    if len(shown) < len(rows):
        left = [access for row in rows[len(shown) :] for access in row]
        rest = sum((a.run for a in left), Cost()).ends.extra
        console.print(
            f"[dim]and {len(left)} more accesses with {rest} extra passes (--all lists them)[/]"
        )
    if not report.source_lines:
        _print_causes(ranked, console)
    for optimum in kernel.optima:
        names, here, best = ", ".join(optimum.allocations), optimum.present, optimum.best
        word = "optimum" if optimum.known.optimal else "best found"
        each = "per workgroup" if kernel.counted else "as followed"
        console.print(
            f"  {escape(names)}: {here.passes:,} passes {each}, {word} {best.passes:,} "
            f"[dim]({escape(optimum.known.within)}: {escape(optimum.known.how)})[/]"
        )
        if report.policy == "emitted":
            _print_layout(optimum, console)
        else:
            _print_encoding(optimum, console)
    if kernel.compiled is not None:
        console.print(escape(compiled_line(kernel.compiled)))
    for note in (*kernel.notes, *map(other_launch, kernel.others)):
        console.print(f"[dim]note: {escape(note)}[/]")
    _print_totals(kernel, console)
    if len(report.kernels) > 1:
        clean = kernel.accounted and not report.refused(kernel)
        console.print(_coloured(kernel_verdict(kernel, report), kernel.conflict, clean) + "\n")


def _named(name: str) -> str:
    """A kernel by its author's name, what the compiler made of it beside."""
    said = short(name)
    return f"[bold]{escape(said)}[/]" + ("" if said == name else f" [dim]({escape(name)})[/]")


def _print_layout(optimum: Optimum, console: Console) -> None:
    """The one layout for all accesses of a buffer, or that there is no better one."""
    if optimum.address:
        named = f"; {optimum.notation}" if optimum.notation else ""
        console.print(f"    byte a of it moves to {escape(optimum.address + named)}")
        if optimum.certificate is None:
            console.print("    [dim]known by counting, without a certificate[/]")
    elif optimum.present.passes > optimum.present.ideal:
        known = (
            f"none {optimum.known.within} takes fewer"
            if optimum.known.optimal
            else "no better layout of the same size was found"
        )
        stays = "" if optimum.pitch else ": it stays as it is"
        console.print(f"    {known}{stays}")
    if optimum.pitch is not None:
        console.print(f"    {escape(str(optimum.pitch))}")
    for note in optimum.notes:
        console.print(f"    {escape(note)}")


def _print_encoding(optimum: Optimum, console: Console) -> None:
    """A better encoding in the words of the framework, where one was looked for."""
    if optimum.notation:
        console.print(f"    [bold]{escape(optimum.notation)}[/]", highlight=False)
    for note in optimum.notes:
        console.print(f"    [dim]{escape(note)}[/]")


def _print_allocations(kernel: KernelReport, console: Console) -> None:
    for a in kernel.allocations:
        name, place = escape(a.name), escape(str(a.location))
        console.print(f"  {name}: {a.bytes:,} bytes, {a.share:.1%} of the LDS [dim]({place})[/]")
    found = kernel.occupancy
    if found is None:
        return
    most = f"{found.workgroups} workgroups a unit"
    limit = " and ".join(most if name == "workgroups" else name for name in found.limited_by)
    console.print(
        f"  together {kernel.lds_bytes:,} bytes: {found.by('shared memory')} workgroups by "
        f"shared memory, {found.by('wave slots')} by wave slots (limit: {limit})"
    )


def _rows(accesses: Sequence[AccessReport], folded: bool) -> list[tuple[AccessReport, ...]]:
    """Accesses by rows of the table: each its own, or ``folded`` where all that is shown of one
    execution is the same."""
    found: dict[object, list[AccessReport]] = {}
    for number, a in enumerate(accesses):
        cost = a.cost.ends
        shown = a.location, a.direction, a.allocations, a.called, a.times, a.ways
        key = (*shown, str(cost.passes), str(cost.ideal)) if folded else number
        found.setdefault(key, []).append(a)
    return [tuple(row) for row in found.values()]


def _access_table(rows: Sequence[Sequence[AccessReport]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("place", "access", "instruction"):
        table.add_column(title, overflow="fold")
    for title in ("runs", "passes", "ideal", "ways", "extra/wg", "share"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        a, colour = row[0], COLOURS[row[0].conflict]
        many = a.instructions * len(row)
        count = f"{many} x " if many > 1 else ""
        run = sum((one.run for one in row), Cost())
        table.add_row(
            _place(a.location),
            escape(f"{a.direction} {', '.join(a.allocations)}"),
            escape(f"{count}{a.called}" + ("" if _rule_is_known(a) else f" ({a.evidence})")),
            cell(a.times),
            f"[{colour}]{cell(a.cost.ends.passes)}[/]",
            cell(a.cost.ends.ideal),
            f"{a.ways}",
            f"[{colour}]{cell(run.ends.extra)}[/]",
            f"{sum(one.share for one in row):.1%}",
        )
    return table


def _rule_is_known(access: AccessReport) -> bool:
    return access.evidence in ("measured", "documented")


def _print_causes(accesses: list[AccessReport], console: Console) -> None:
    """Each cause once, with its first witness and where else it is the cause."""
    found = causes(accesses)
    for cause in found[:_SHOWN]:
        first, also = cause.first, cause.likewise
        console.print(f"  {escape(str(first.location))}: {first.ways}-way: {first.witness}")
        if first.reason is not None:
            console.print(f"    {first.reason}")
        places = [_place(at) if at.file == first.location.file else escape(str(at)) for at in also]
        if places:
            rest = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
            many = len(cause.accesses)
            rest += f" ({many} accesses)" if many > len(places) + 1 else ""
            console.print(f"    likewise at {', '.join(places[:_SHOWN])}{rest}")
    if len(found) > _SHOWN:
        console.print(f"  [dim]and {len(found) - _SHOWN} more causes (--format json)[/]")


def _place(at: Location) -> str:
    if at.inside and not at.line:
        return at.inside.rpartition("]")[2]
    return f"{at.line}:{at.column}" if at.column else f"{at.line}"


def _print_totals(kernel: KernelReport, console: Console) -> None:
    rows = [("loads and stores", kernel.totals), ("direct-to-LDS copies", kernel.totals_dma)]
    rows.append(("atomics, transposing reads, operands, barriers", kernel.totals_assumed))
    for name, totals in rows:
        if totals.once.ideal:
            console.print(_totals_line(name, totals))


def _totals_line(name: str, totals: Totals) -> str:
    once, run = _passes_and_ideal(totals.once), _passes_and_ideal(totals.run)
    launch = totals.launch
    whole = "unknown grid" if launch is None else f"launch {_passes_and_ideal(launch)}"
    return f"{name}: once {once} passes / ideal, workgroup {run}, {whole}"


def _passes_and_ideal(cost: Cost) -> str:
    return f"{cost.ends.passes} / {cost.ends.ideal}"


def _coloured(text: str, conflict: Sureness, accounted: bool) -> str:
    """The words before the number in the colour of what they say."""
    words, colon, number = text.partition(":")
    colour = "yellow" if conflict == "none" and not accounted else COLOURS[conflict]
    return f"[{colour}]{escape(words)}[/]{colon}{escape(number)}"


def _print_headline(report: CheckReport, console: Console) -> None:
    if report.kernels:
        console.print(_coloured(verdict(report), report.conflict, report.accounted))
