"""The report of *plan against emission*: what TTGIR announces beside what was compiled."""

from __future__ import annotations

from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bankwise.counting.cost import Cost
from bankwise.errors import Location, Refusal


@dataclass(frozen=True, slots=True)
class Emission:
    """One instruction in one group: how often a wave executes it, and what that costs.

    ``lines``: where it stands. ``cost``: of all waves of a workgroup together.
    """

    instruction: str
    executed: int
    bytes_per_lane: int
    cost: Cost
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlanRow:
    """All accesses of one direction that come of one place in the source text.

    ``source`` is None where the places could not be told apart. ``change``: "as planned", or what
    the compiler made of it; ``agrees``: whether passes and ideal passes are the same; ``alike``:
    whether one execution of each access costs the same for each byte, however often it runs.
    """

    source: Location | None
    direction: str
    buffers: tuple[str, ...]
    planned: tuple[Emission, ...]
    emitted: tuple[Emission, ...]
    change: str
    alike: bool

    @property
    def agrees(self) -> bool:
        """Whether both sides cost the same."""
        return total(self.planned) == total(self.emitted)


@dataclass(frozen=True, slots=True)
class PlanReport:
    """One kernel on both levels. ``counted``: whether all executions are counts on both."""

    kernel: str
    target: str
    ttgir: str
    assembly: str
    rows: tuple[PlanRow, ...]
    counted: bool
    refusals: tuple[Refusal, ...]

    @property
    def planned(self) -> Cost:
        """Everything that TTGIR announces."""
        return sum((total(row.planned) for row in self.rows), Cost())

    @property
    def emitted(self) -> Cost:
        """Everything that was compiled."""
        return sum((total(row.emitted) for row in self.rows), Cost())

    @property
    def agrees(self) -> bool | None:
        """Whether all rows cost what was planned: in all where executions are counted, else one
        execution of each. None where they do not and something was not analysed: it may be that."""
        same = all(row.agrees if self.counted else row.alike for row in self.rows)
        return None if self.refusals and not same else same

    @property
    def changes(self) -> tuple[PlanRow, ...]:
        """The rows whose instructions are not those that were planned."""
        return tuple(row for row in self.rows if row.change != AS_PLANNED)


AS_PLANNED = "as planned"


def total(emissions: tuple[Emission, ...]) -> Cost:
    """All together."""
    return sum((e.cost for e in emissions), Cost())


def print_plan(report: PlanReport, console: Console) -> None:
    """Print the two levels side by side, changed rows marked."""
    console.print(f"[bold]{escape(report.kernel)}[/] on {report.target}: plan against emission")
    if not report.counted:
        console.print(
            "[dim]note: how often loops run is not known: each instruction counts once, and copies "
            "that the compiler made of a loop's body count again (--arg NAME=VALUE says it)[/]"
        )
    console.print(_table(report))
    for refusal in report.refusals:
        console.print(f"[yellow]not analysed:[/] {escape(str(refusal))}")
    a, b = report.planned, report.emitted
    word = {
        True: "[green]agree[/]",
        False: "[yellow]differ[/]",
        None: "[yellow]differ, where not everything was analysed[/]",
    }[report.agrees]
    each = "" if report.counted else ", one execution of each access compared"
    console.print(
        f"planned {a.passes:,} passes, {a.ideal:,} ideal; emitted {b.passes:,}, {b.ideal:,}: "
        f"{word}{each}"
    )


def _table(report: PlanReport) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("source", "access", "planned", "emitted", "change"):
        table.add_column(title, overflow="fold")
    for title in ("passes", "emitted"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in report.rows:
        source = "" if row.source is None else f"{row.source.line}"
        change = escape(row.change)
        table.add_row(
            source,
            escape(f"{row.direction} {', '.join(row.buffers)}"),
            escape(_emission_text(row.planned)),
            escape(_emission_text(row.emitted)),
            change if row.change == AS_PLANNED else f"[yellow]{change}[/]",
            f"{total(row.planned).passes:,} / {total(row.planned).ideal:,}",
            f"{total(row.emitted).passes:,} / {total(row.emitted).ideal:,}",
        )
    return table


def _emission_text(emissions: tuple[Emission, ...]) -> str:
    return ", ".join(f"{e.executed:,} x {e.instruction}" for e in emissions) or "nothing"
