"""The report of ``bankwise solve`` and ``bankwise certify``, and its printing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bankwise.errors import Refusal, exit_code
from bankwise.notation.frameworks import framework
from bankwise.show.modes import print_modes
from bankwise.solver.certificate import Certificate
from bankwise.solver.certify import Judgement
from bankwise.solver.construct import Step
from bankwise.solver.fit import SOLVER, Fit
from bankwise.solver.known import Known
from bankwise.solver.modes import ModePlan
from bankwise.solver.plan import Plan, number

_LINE = 120
"""The longest text of a framework that is printed whole; documents hold every one."""


@dataclass(frozen=True, slots=True)
class AccessRow:
    """One access under the layout; passes, ideal and floor are of one executed instruction.

    ``lines``: of a direct-to-shared copy, the cache lines that one copy fetches, on average, and
    how many it would fetch for a row-major tile.
    """

    name: str
    op: str
    instruction: str
    weight: int
    passes: Fraction
    ideal: Fraction
    floor: Fraction
    conflicts: str = ""
    lines: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SolveReport:
    """The answer to one problem; with a ``refusal`` there is no layout.

    ``modes``: the canonical layouts, where asynchronous units use the tile.
    """

    file: str
    machine: str
    accesses: tuple[AccessRow, ...] = ()
    known: Known | None = None
    family: str = ""
    family_size: int | None = None
    certificate: Certificate | None = None
    layout: Plan | None = None
    bases: Mapping[str, int] | None = None
    emit: Mapping[str, str] | None = None
    pareto: tuple[Plan, ...] = ()
    fits: Mapping[str, Fit | Refusal] | None = None
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    refusal: Refusal | None = None
    modes: tuple[ModePlan, ...] = ()

    @property
    def optimal(self) -> bool:
        """Whether nothing better exists, among what ``known`` says."""
        return self.known is not None and self.known.optimal

    @property
    def total_passes(self) -> Fraction:
        """Weight times passes."""
        return sum((a.weight * a.passes for a in self.accesses), Fraction())

    @property
    def total_floor(self) -> Fraction:
        """Weight times floor."""
        return sum((a.weight * a.floor for a in self.accesses), Fraction())

    @property
    def exit_code(self) -> int:
        """0 optimal, 1 a better layout is known, 2 no layout, 3 best found: not proved."""
        word = self.known.word if self.known else ""
        return exit_code(
            failed=self.layout is None,
            findings=word == "not optimal",
            incomplete=word == "best found",
        )


def print_solve(report: SolveReport, console: Console) -> None:
    """Print the answer: verdict, accesses, address, notations, and what competes with it."""
    if report.refusal is not None or report.layout is None:
        console.print(f"[red]no layout[/]: {escape(str(report.refusal))}")
        return
    colour = "green" if report.optimal else "yellow"
    console.print(f"[bold]{escape(report.layout.offset)}[/]  [dim]elements, on {report.machine}[/]")
    console.print(
        f"[{colour}]{number(report.total_passes)} passes[/], floor {number(report.total_floor)}: "
        f"{escape(str(report.known))}"
    )
    if report.family_size is not None:
        console.print(f"[dim]{_family(report.family_size)}[/]")
    for note in report.notes:
        console.print(f"note: {escape(note)}")
    console.print(_accesses_table(report))
    if report.modes:
        print_modes(report.modes, report.layout, console)
    for step in report.steps:
        console.print(f"  {escape(str(step))}")
    console.print(_pareto_table(report))
    _print_emit(report, console)


def _family(size: int) -> str:
    if not size:
        return "no XOR layout that keeps rows is as good"
    if size == 1:
        return "1 XOR layout that keeps rows is as good"
    return f"{size:,} XOR layouts that keep rows are as good"


def _table(*titles: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in titles:
        table.add_column(title, overflow="fold")
    return table


def _accesses_table(report: SolveReport) -> Table:
    table = _table("access", "instruction", "weight", "passes", "ideal", "floor", "")
    for row in report.accesses:
        notes = list(row.notes)
        if row.conflicts:
            notes.append(f"lanes collide along {row.conflicts}")
        if row.lines is not None:
            notes.append(f"fetches {row.lines[0]:g} lines a copy, row-major {row.lines[1]:g}")
        cells = [number(x) for x in (row.passes, row.ideal, row.floor)]
        name = f"{row.name} ({row.op})"
        table.add_row(
            escape(name), row.instruction, str(row.weight), *cells, escape("; ".join(notes))
        )
    return table


def _pareto_table(report: SolveReport) -> Table:
    table = _table("what competes", "passes", "instructions", "LDS bytes", "operations")
    for c in report.pareto:
        named = c.space != SOLVER and framework(c.space).notation
        label = f"{c.space}: {c.name}" if named else c.name
        cells = (c.instructions, c.lds_bytes, c.operations)
        table.add_row(escape(label), number(c.passes), *(f"{x:,}" for x in cells))
    return table


def _print_emit(report: SolveReport, console: Console) -> None:
    emitted = {n: t for n, t in (report.emit or {}).items() if n not in ("python", "c", "mlir")}
    wide = max(map(len, emitted), default=0)
    for name, text in emitted.items():
        shown = text if len(text) <= _LINE or text.startswith("not ") else f"{text[:_LINE]} ..."
        console.print(f"  {name:<{wide}} {escape(shown)}")


def print_certify(certificate: Certificate, verdict: Judgement, console: Console) -> None:
    """Print the verdict of the judge."""
    if verdict.accepted:
        console.print(f"[green]accepted[/]: {escape(str(certificate))}")
    else:
        console.print(f"[red]rejected[/]: {escape(str(certificate))}")
    for error in verdict.errors:
        console.print(f"  {escape(error)}")
    for trusted in verdict.trusted:
        console.print(f"  [yellow]taken on trust[/]: {escape(trusted)}")
