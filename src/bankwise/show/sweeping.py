"""The answer of ``bankwise sweep``: the value and the terminal tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from bankwise.errors import exit_code
from bankwise.show.columns import Console, table
from bankwise.show.notebook import printed
from bankwise.show.one_layout import print_one_layout, ratio_text
from bankwise.show.plain import escape
from bankwise.sweep.one_layout import OneLayout, one_layouts
from bankwise.sweep.spec import Case
from bankwise.sweep.store import CaseResult, Row
from bankwise.sweep.table import rows, summaries

_SHOWN = 5
"""Failed cases told one by one; the rest is counted."""
_LISTED = 60
"""Cases with a line of their own."""
_NUMBERS = {
    "passes": ("passes_launch", "passes_to_default"),
    "cycles": ("cycles_launch", "cycles_to_default"),
    "LDS bytes": ("lds_bytes", "lds_to_default"),
    "waves": ("resident_waves", "waves_to_default"),
}
"""Of a case, and what they are of the framework's default."""


@printed("bankwise.show.sweeping:print_sweep", line=-1)
class SweepReport(Struct, frozen=True, dict=True):
    """A sweep that has ended: one outcome per case. ``resumed``: cases that an earlier run did.
    Without slots: the answers about tiles are computed once."""

    name: str
    store: str
    outcomes: tuple[CaseResult[Case], ...]
    resumed: int = 0

    @property
    def failed(self) -> tuple[CaseResult[Case], ...]:
        """The cases without a result."""
        return tuple(o for o in self.outcomes if o.status == "failed")

    @property
    def kernels(self) -> tuple[CaseResult[Case], ...]:
        """The cases of kernels."""
        return tuple(o for o in self.outcomes if not o.case.is_tile)

    @cached_property
    def one_layouts(self) -> tuple[OneLayout, ...]:
        """Which one layout for all tiles, by target and for all targets together."""
        return one_layouts(self.outcomes)

    @property
    def exit_code(self) -> int:
        """0 kernels conflict-free, and one layout that is every tile's proved best; 1 conflicts in
        some kernel that was asked for, or a tile with a better layout of its own; 2 some case
        failed; 3 every tile takes its best, not all of them proved."""
        worse = any(one.best.worst != 1 or not one.best.fits_all for one in self.one_layouts)
        findings = worse or any(o.row.get("extra_launch") for o in self.outcomes if o.case.asked)
        open_ = not all(one.proved for one in self.one_layouts)
        return exit_code(failed=bool(self.failed), findings=findings, incomplete=open_)


def print_sweep(report: SweepReport, console: Console) -> None:
    """Kernels: medians and a line per case, with the ratio to the framework's default of the same
    shape. Tiles: the answers. Failed cases with their errors below."""
    if report.kernels:
        _print_summaries(report, console)
        _print_cases(report.kernels, console)
    for one in report.one_layouts:
        print_one_layout(one, console)
    if report.resumed:
        console.print(f"[dim]{report.resumed} cases were known from {escape(report.store)}[/]")
    for outcome in report.failed[:_SHOWN]:
        console.print(f"[red]{escape(str(outcome.case))}:[/] {escape(outcome.error)}")
    if len(report.failed) > _SHOWN:
        console.print(f"[red]and {len(report.failed) - _SHOWN} more failed cases[/]")


def _print_summaries(report: SweepReport, console: Console) -> None:
    console.print(f"[italic]{escape(report.name)}[/]")
    rows = []
    for s in summaries(report.kernels):
        failed = f" + {s.failed} failed" if s.failed else ""
        numbers = (s.extra, s.lds_bytes, s.waves, s.instructions)
        rows.append(
            [
                *(f"{s.done}{failed}", f"{s.conflict_free}"),
                *("unknown" if n is None else f"{n:,.0f}" for n in numbers),
                *map(ratio_text, (s.passes_to_default, s.cycles_to_default)),
                *(f"{s.worse}", f"{s.kernel}, {s.type}, {s.target}, {s.mitigation}"),
            ]
        )
    median = ("conflicts", "LDS bytes", "waves", "LDS instructions")
    of_default = ("passes / default", "cycles / default", "worse than default")
    titles = ("cases", "conflict free", *(f"median {name}" for name in median), *of_default)
    table(console, (*titles, "kernel, type, target, mitigation"), rows, whole=True)


def _print_cases(kernels: Sequence[CaseResult[Case]], console: Console) -> None:
    """Every case that is done, with its ratios; where they are many, the first."""
    done = [row for row in rows(kernels) if row["status"] == "done"]
    found = []
    for row in done[:_LISTED]:
        case = (row["kernel"], row["shape"], row["type"], row["target"], row["mitigation"])
        found.append([*_numbers(row), ", ".join(case)])
    titles = (title for name in _NUMBERS for title in (name, "/ default"))
    console.print()
    table(console, (*titles, "kernel, shape, type, target, mitigation"), found, whole=True)
    console.print()
    if len(done) > _LISTED:
        console.print(f"[dim]and {len(done) - _LISTED:,} more cases: -o cases.csv has them all[/]")


def _numbers(row: Row) -> list[str]:
    found: list[str] = []
    for column, ratio in _NUMBERS.values():
        value = row.get(column)
        found += ["unknown" if value is None else f"{value:,}", ratio_text(row[ratio])]
    return found
