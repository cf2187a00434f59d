"""A check in a line a finding, and in a line a kernel: for a person in a hurry, and for grep."""

from __future__ import annotations

from collections.abc import Mapping

from bankwise.counting.cost import Cost
from bankwise.read.names import short
from bankwise.show.as_text import SHOWN
from bankwise.show.causes import Cause, folded
from bankwise.show.columns import Console, say, table
from bankwise.show.conflicts import diagnostic
from bankwise.show.values import CheckReport, KernelReport
from bankwise.show.words import (
    COLOURS,
    cell,
    doubt,
    extra_passes,
    not_checked,
    of_another_kernel,
    openers,
)


def print_concise(
    report: CheckReport, console: Console, aside: Mapping[int, str] | None = None
) -> None:
    """``file:line:column: rule: message``, a line for each finding and each refusal, and that they
    are of another kernel than the default where they are. ``aside``: why accesses decide nothing,
    by their ``id``."""
    for cause in folded(report, aside=aside):
        said = "; ".join(filter(None, (_said(cause, report), cause.aside)))
        _line(console, str(cause.first.location), "bank-conflict", said)
    for finding in report.findings:
        _line(console, str(finding.location), finding.rule, finding.message)
    for refusal in report.refusals:
        place = str(refusal.location or report.file)
        _line(console, place, refusal.rule, str(refusal.reason))
    for where, text in openers(report):
        _line(console, str(where), "open", text)
    for note in of_another_kernel(report):
        _line(console, report.file, "not-default", note)
    for note in not_checked(report):
        _line(console, report.file, "not-checked", note)


def _line(console: Console, place: str, rule: str, message: str) -> None:
    text = " ".join(f"{place}: {rule}: {message}".split())
    console.print(text, soft_wrap=True, highlight=False, markup=False)


def _said(cause: Cause, report: CheckReport) -> str:
    one = diagnostic(cause, report)
    many = f", {len(cause.accesses)} accesses" if len(cause.accesses) > 1 else ""
    kernels = ", ".join(short(name) for name in one.by_kernel)
    sure = f"; {doubt(one.first)}" if doubt(one.first) else ""
    extra = extra_passes(cause.run.ends.extra)
    each = report.each(cause.first.kernel)
    inner = f", inlined from {one.inlined}" if one.inlined else ""
    return f"{one.kind}: {one.done}{many}, {extra} {each} ({kernels}){inner}{sure}"


def print_statistics(report: CheckReport, console: Console, *, everything: bool = False) -> None:
    """A line for each kernel, the worst first; then how often each rule was found."""
    ranked = [k for k in report.ranked if k.accesses or report.refused(k)]
    shown = ranked if everything else ranked[:SHOWN]
    causes = folded(report)
    each = "extra" if any(k.tile_passes == 0 for k in shown) else "extra/wg"
    titles = [each, "ways", "causes", "accesses", "not analysed", "kernel"]
    rows = [_counted(kernel, causes, report) for kernel in shown]
    if rows:
        table(console, titles, rows, [COLOURS[kernel.conflict] for kernel in shown])
    if len(shown) < len(ranked):
        say(console, f"and {len(ranked) - len(shown)} more kernels (--all)", "  ", style="dim")
    rules = [finding.rule for finding in report.findings]
    rules += ["bank-conflict"] * len(causes) + [refusal.rule for refusal in report.refusals]
    counted = ", ".join(f"{rule} {rules.count(rule):,}" for rule in dict.fromkeys(rules))
    say(console, f"findings: {counted or 'none'}")


def _counted(kernel: KernelReport, causes: tuple[Cause, ...], report: CheckReport) -> list[str]:
    mine = [c for c in causes if any(a.kernel == kernel.name for a in c.accesses)]
    run = sum((access.run for access in kernel.accesses), Cost())
    ways = max((access.ways for access in kernel.accesses), default=0)
    numbers = (ways, len(mine), len(kernel.accesses), len(report.refused(kernel)))
    return [cell(run.ends.extra), *(f"{number:,}" for number in numbers), short(kernel.name)]
