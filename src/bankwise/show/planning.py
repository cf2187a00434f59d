"""The report of *plan against emission*: what TTGIR announces beside what was compiled."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from msgspec import Struct

from bankwise.counting.cost import Cost
from bankwise.counting.counted import Added, summed
from bankwise.errors import Location, Refusal
from bankwise.hardware.machine import Evidence
from bankwise.show.columns import Console, say, table
from bankwise.show.notebook import printed
from bankwise.show.plain import escape
from bankwise.show.words import adds, doubted, mark, open_rules


class Emission(Struct, frozen=True):
    """One instruction in one group: how often a wave executes it, and what that costs.

    ``lines``: where it stands. ``cost``: of all waves of a workgroup together; ``evidence``: of the
    rule that it is counted by.
    """

    instruction: str
    executed: int
    bytes_per_lane: int
    cost: Cost
    evidence: Evidence
    lines: tuple[int, ...]


class PlanRow(Struct, frozen=True):
    """All accesses of one direction that come of one place in the source text.

    ``source`` is None where the places could not be told apart. ``change``: "as planned", or what
    the compiler made of it; ``alike``: whether one execution of each access costs the same, however
    often it runs and however often the compiler copied it; None: not compared, the other side has
    nothing here, or not all of it was analysed.
    """

    source: Location | None
    direction: str
    buffers: tuple[str, ...]
    planned: tuple[Emission, ...]
    emitted: tuple[Emission, ...]
    change: str
    alike: bool | None

    @property
    def agrees(self) -> bool:
        """Whether both sides cost the same in all executions that were followed."""
        return total(self.planned) == total(self.emitted)

    @property
    def accesses(self) -> int:
        """Lines of both texts that have an access of this row."""
        return sum(len({n for e in side for n in e.lines}) for side in (self.planned, self.emitted))


@printed("bankwise.show.planning:print_plan")
class PlanReport(Struct, frozen=True):
    """One kernel on both levels. ``counted``: whether all executions are counts on both;
    ``unsaid``: how one says what they are, in words."""

    kernel: str
    target: str
    ttgir: str
    assembly: str
    rows: tuple[PlanRow, ...]
    counted: bool
    refusals: tuple[Refusal, ...]
    unsaid: str = ""

    @property
    def planned(self) -> Cost:
        """Everything that TTGIR announces."""
        return sum((total(row.planned) for row in self.rows), Cost())

    @property
    def emitted(self) -> Cost:
        """Everything that was compiled."""
        return sum((total(row.emitted) for row in self.rows), Cost())

    @property
    def added(self) -> Added:
        """The conflicts of what was compiled; apart those by rules that nobody knows."""
        return summed((e.cost, e.evidence) for row in self.rows for e in row.emitted)

    @property
    def open(self) -> tuple[str, ...]:
        """The rules of emitted instructions that nobody knows, or that are assumed, in words."""
        return open_rules((e.instruction, e.evidence) for row in self.rows for e in row.emitted)

    @property
    def agrees(self) -> bool | None:
        """Whether one execution of every access that was compared costs what was planned; None if
        none was."""
        compared = [row.alike for row in self.rows if row.alike is not None]
        return all(compared) if compared or not (self.rows or self.refusals) else None

    @property
    def totals_agree(self) -> bool | None:
        """Whether all costs the same, too; None where how often it runs is not known."""
        if not self.counted or self.not_compared:
            return None
        return all(row.agrees for row in self.rows)

    @property
    def not_compared(self) -> tuple[tuple[str, int], ...]:
        """Why accesses were not compared, and how many, most first."""
        found = Counter(r.reason for r in self.refusals)
        for row in self.rows:
            if row.alike is None:
                found[row.change] += row.accesses
        return tuple(found.most_common())

    @property
    def changes(self) -> tuple[PlanRow, ...]:
        """The rows whose instructions are not those that were planned."""
        return tuple(row for row in self.rows if row.change != AS_PLANNED)


AS_PLANNED = "as planned"

_LINES = 4
"""Lines of one side that a difference names."""


def total(emissions: tuple[Emission, ...]) -> Cost:
    """All together."""
    return sum((e.cost for e in emissions), Cost())


def print_plan(report: PlanReport, console: Console) -> None:
    """Print the two levels side by side, changed rows marked."""
    what = "TTGIR (planned) beside its code (emitted)"
    console.print(f"[bold]{escape(report.kernel)}[/] on {report.target}: {what}")
    _print_table(report, console)
    console.print()
    for row in report.rows:
        if row.alike is False:
            console.print(f"[yellow]differs:[/] {escape(_difference(row, report))}")
    for reason, number in report.not_compared:
        console.print(f"[yellow]not compared:[/] {number} x {escape(reason)}")
    ideal = " in how many times its ideal each access takes"
    word = {
        True: "[green]agree[/]"
        + (ideal if report.totals_agree is False else " per execution of each access"),
        False: "[yellow]differ[/] per execution of an access",
        None: "[yellow]nothing could be compared[/]",
    }[report.agrees]
    left = sum(number for _, number in report.not_compared)
    console.print(word + (f", as far as was compared: {left} accesses were not" if left else ""))
    console.print(_totals(report))
    if report.open:
        extra = report.planned.ends.extra
        told = f"conflicts: planned {extra}; emitted {adds(report.added)}"
        say(console, "; ".join((told, *report.open)), rest="  ", style="yellow")


def _difference(row: PlanRow, report: PlanReport) -> str:
    """Both lines, with what one byte of each costs."""
    sides = []
    for file, emissions in ((report.ttgir, row.planned), (report.assembly, row.emitted)):
        cost = total(emissions)
        numbers = sorted({n for e in emissions for n in e.lines})
        more = f" and {len(numbers) - _LINES} more" if len(numbers) > _LINES else ""
        lines = ", ".join(map(str, numbers[:_LINES])) + more
        ways = f"{cost.passes / cost.ideal:g} times the ideal" if cost.ideal else "nothing"
        sides.append(f"{file}:{lines}: {_emission_text(emissions)}, {ways}")
    doubt = doubted((e.instruction, e.evidence) for e in row.emitted)
    told = "".join(f" ({rule})" for rule in doubt)
    return f"{row.direction}: " + "; ".join(sides) + told


def _totals(report: PlanReport) -> str:
    a, b = report.planned, report.emitted
    said = f"planned {a.passes:,} passes, {a.ideal:,} ideal; emitted {b.passes:,}, {b.ideal:,}"
    if report.totals_agree is None:
        often = f"how often some run is not known ({report.unsaid})"
        why = "not all was compared" if report.counted else often
        return f"[dim]as often as each was followed: {said}; no totals: {escape(why)}[/]"
    if report.totals_agree:
        return f"in total {said}: the same"
    others = (r for r in report.rows if not r.agrees)
    why = "; ".join(f"{r.direction} {', '.join(r.buffers)}: {r.change}" for r in others)
    return f"in total {said}: not the same ({escape(why)})"


def _print_table(report: PlanReport, console: Console) -> None:
    rows, colours = [], []
    for row in report.rows:
        planned, emitted = (total(side) for side in (row.planned, row.emitted))
        texts = dict.fromkeys(map(_emission_text, (row.planned, row.emitted)))
        told = f"{' -> '.join(texts)}: {row.change}"
        rows.append(
            [
                "" if row.source is None else f"{Path(row.source.file).name}:{row.source.line}",
                f"{planned.passes:,} / {planned.ideal:,}{_mark(row.planned)}",
                ("same" if planned == emitted else f"{emitted.passes:,} / {emitted.ideal:,}")
                + _mark(row.emitted),
                f"{row.direction} {', '.join(row.buffers)}",
                told,
            ]
        )
        colours.append("" if row.change == AS_PLANNED else "yellow")
    console.print("[dim]passes / ideal of each execution[/]")
    titles = ("source", "planned", "emitted", "access", "instructions: change")
    table(console, titles, rows, colours, whole=True)
    every = [e for row in report.rows for e in (*row.planned, *row.emitted)]
    for told in doubted((e.instruction, e.evidence) for e in every):
        say(console, told, "? ", style="dim")


def _mark(emissions: tuple[Emission, ...]) -> str:
    return "?" * any(mark(e.evidence) for e in emissions)


def _emission_text(emissions: tuple[Emission, ...]) -> str:
    return ", ".join(f"{e.executed:,} x {e.instruction}" for e in emissions) or "nothing"
