"""The answer of ``bankwise sweep``: the value and the terminal table."""

from __future__ import annotations

from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bankwise.errors import exit_code
from bankwise.sweep.spec import Case
from bankwise.sweep.store import CaseResult
from bankwise.sweep.table import summaries

_SHOWN = 5
"""Failed cases told one by one; the rest is counted."""


@dataclass(frozen=True, slots=True)
class SweepReport:
    """A sweep that has ended: one outcome per case. ``resumed``: cases that an earlier run did."""

    name: str
    store: str
    outcomes: tuple[CaseResult[Case], ...]
    resumed: int = 0

    @property
    def failed(self) -> tuple[CaseResult[Case], ...]:
        """The cases without a result."""
        return tuple(o for o in self.outcomes if o.status == "failed")

    @property
    def exit_code(self) -> int:
        """0 all conflict-free, 1 conflicts in some case, 2 some case failed."""
        findings = any(o.row.get("extra_launch") for o in self.outcomes)
        return exit_code(failed=bool(self.failed), findings=findings)


def print_sweep(report: SweepReport, console: Console) -> None:
    """One line per kernel, type, target and mitigation; failed cases with their errors below."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=escape(report.name))
    for title in ("kernel", "type", "target", "mitigation"):
        table.add_column(title)
    for title in (
        *("cases", "conflict-free", "median conflicts", "median LDS bytes"),
        *("median waves", "median LDS instructions"),
    ):
        table.add_column(title, justify="right")
    for s in summaries(report.outcomes):
        failed = f" [red]+ {s.failed} failed[/]" if s.failed else ""
        numbers = (s.extra, s.lds_bytes, s.waves, s.instructions)
        table.add_row(
            *(escape(word) for word in (s.kernel, s.type, s.target, s.mitigation)),
            f"{s.done}{failed}",
            f"{s.conflict_free} of {s.done}",
            *("unknown" if n is None else f"{n:,.0f}" for n in numbers),
        )
    console.print(table)
    if report.resumed:
        console.print(f"[dim]{report.resumed} cases were known from {escape(report.store)}[/]")
    for outcome in report.failed[:_SHOWN]:
        console.print(f"[red]{escape(str(outcome.case))}:[/] {escape(outcome.error)}")
    if len(report.failed) > _SHOWN:
        console.print(f"[red]and {len(report.failed) - _SHOWN} more failed cases[/]")
