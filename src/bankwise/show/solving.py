"""The report of ``bankwise solve`` and ``bankwise certify``, and its printing."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from bankwise.algebra.address import Linear
from bankwise.errors import Refusal, exit_code
from bankwise.hardware.machine import machine
from bankwise.identity import ByIdentity
from bankwise.notation.frameworks import frameworks
from bankwise.show.columns import Console, paste, say, table
from bankwise.show.notebook import printed
from bankwise.show.plain import escape
from bankwise.show.prices import price_text
from bankwise.show.solved_access import AccessRow, access_rows
from bankwise.solver.answer import Answer
from bankwise.solver.certificate import Certificate
from bankwise.solver.emit import emit
from bankwise.solver.family import family_size
from bankwise.solver.fit import Fit
from bankwise.solver.known import Known, Standing
from bankwise.solver.plan import Plan, number, per_unit

if TYPE_CHECKING:
    from bankwise.solver.certify import Judgement
    from bankwise.solver.construct import Step
    from bankwise.solver.modes import ModePlan


@printed("bankwise.show.solving:print_solve")
class SolveReport(ByIdentity, frozen=True, eq=False, dict=True):
    """The answer to one problem; with a ``refusal`` there is none.

    Without slots: what is only computed when somebody looks at it is remembered.
    """

    file: str
    machine: str
    answer: Answer | None = None
    steps: tuple[Step, ...] = ()
    more_notes: tuple[str, ...] = ()
    refusal: Refusal | None = None

    @property
    def layout(self) -> Plan | None:
        """The plan."""
        return None if self.answer is None else self.answer.layout

    @property
    def known(self) -> Known | None:
        """How good its layout is."""
        return None if self.answer is None else self.answer.known

    @property
    def standing(self) -> Standing | None:
        """How good the plan is."""
        return None if self.answer is None else self.answer.standing

    @property
    def family(self) -> str:
        """The one that was asked for."""
        return "" if self.answer is None else self.answer.limits.family

    @property
    def modes(self) -> tuple[ModePlan, ...]:
        """The canonical layouts, where asynchronous units use the tile."""
        return () if self.answer is None else self.answer.modes

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided on the way."""
        return self.more_notes if self.answer is None else (*self.answer.notes, *self.more_notes)

    @property
    def certificate(self) -> Certificate | None:
        """The solver's claims, of a linear layout."""
        return None if self.answer is None else self.answer.certificate

    @property
    def pareto(self) -> tuple[Plan, ...]:
        """What competes: the front of all plans."""
        return () if self.answer is None else self.answer.front

    @property
    def baselines(self) -> tuple[Plan, ...]:
        """The layout as it is, and what the framework does unasked."""
        return () if self.answer is None else self.answer.baselines

    @property
    def fits(self) -> Mapping[str, Fit | Refusal] | None:
        """The best member of every family."""
        return None if self.answer is None else self.answer.fits

    @cached_property
    def accesses(self) -> tuple[AccessRow, ...]:
        """Every access under the layout."""
        return () if self.answer is None else access_rows(self.answer)

    @cached_property
    def family_size(self) -> int | None:
        """How many row-keeping XOR layouts are as good; None where that is not counted."""
        found = None if self.answer is None else self.answer.solution
        linear = self.layout is not None and isinstance(self.layout.layout, Linear)
        if found is None or not self.optimal or not linear or self.modes:
            return None
        return family_size(found, _NODES)

    @cached_property
    def emit(self) -> Mapping[str, str] | None:
        """The layout in every notation."""
        found = self.answer
        return None if found is None else emit(found.work, found.layout, found.fits)

    @property
    def bases(self) -> Mapping[str, int] | None:
        """The offset of every coordinate bit, by the name of the bit."""
        plan = self.layout
        if plan is None or not isinstance(plan.layout, Linear) or plan.shape.bits is None:
            return None
        sizes = plan.shape.dims
        names = [f"{name}{i}" for name, size in sizes for i in range(size.bit_length() - 1)]
        return dict(zip(names, plan.layout.bases, strict=True))

    @property
    def optimal(self) -> bool:
        """Whether nothing better exists, among what ``known`` says."""
        return self.known is not None and self.known.optimal

    @property
    def total_passes(self) -> Fraction:
        """Weight times passes."""
        return Fraction() if self.layout is None else self.layout.passes

    @property
    def total_floor(self) -> Fraction:
        """Weight times floor."""
        return sum((a.weight * a.floor for a in self.accesses), Fraction())

    @property
    def exit_code(self) -> int:
        """0 proved, 1 a better layout is known, 2 no layout, 3 best found: not proved."""
        known, standing = self.known, self.standing
        if known is None or standing is None:
            return exit_code(failed=True)
        worse = known.word == "not optimal"
        sure = known.optimal if self.family else standing.proved
        return exit_code(findings=worse, incomplete=not sure and not worse)


_NODES = 20_000
"""Search nodes spent on counting the optimal layouts."""


def print_solve(report: SolveReport, console: Console, *, notations: bool = True) -> None:
    """Print the answer: verdict, accesses, address, what competes with it, and ``notations``."""
    if report.refusal is not None or report.layout is None:
        console.print(f"[red]no layout[/]: {escape(str(report.refusal))}")
        return
    colour = "green" if report.optimal else "yellow"
    console.print(f"[bold]{escape(report.layout.offset)}[/]  [dim]elements, on {report.machine}[/]")
    console.print(
        f"[{colour}]{number(report.total_passes)} passes[/], floor {number(report.total_floor)}: "
        f"{escape(str(report.known))}"
    )
    console.print(escape(_spent(report.layout, report)))
    for plan in report.baselines:
        console.print(f"[dim]{escape(_against(plan, report.layout))}[/]")
    if report.family_size is not None:
        console.print(f"[dim]{_family(report.family_size)}[/]")
    for note in report.notes:
        console.print(f"note: {escape(note)}")
    _print_accesses(report, console)
    if report.modes:
        from bankwise.show.modes import print_modes

        print_modes(report.modes, report.layout, console)
    for step in report.steps:
        console.print(f"  {escape(str(step))}")
    _print_pareto(report, console)
    if notations:
        _print_emit(report, console)


def _spent(plan: Plan, report: SolveReport) -> str:
    """What the plan costs, and how it stands among all."""
    return f"{price_text(plan)}: {report.standing}"


def _against(plan: Plan, best: Plan) -> str:
    """A baseline beside the answer."""
    text = f"{plan.name}: {price_text(plan)}"
    mine, theirs = best.cycles or best.passes, plan.cycles or plan.passes
    return text + (f", {float(theirs / mine):.2f} times as many" if mine < theirs else "")


def _family(size: int) -> str:
    if not size:
        return "no XOR layout that keeps rows is as good"
    if size == 1:
        return "1 XOR layout that keeps rows is as good"
    return f"{size:,} XOR layouts that keep rows are as good"


def _print_accesses(report: SolveReport, console: Console) -> None:
    """What each access takes; what is to be said of one stands below."""
    rows = []
    for row in report.accesses:
        costs = (number(x) for x in (row.passes, row.ideal, row.floor))
        rows.append([*costs, str(row.weight), row.instruction, f"{row.name} ({row.op})"])
    console.print()
    table(console, ("passes", "ideal", "floor", "weight", "instruction", "access"), rows)
    weighted = (
        "" if all(row.weight == 1 for row in report.accesses) else ", times its weight in all"
    )
    unit = f"passes: of each access executed once{weighted}; `check` counts all executions"
    say(console, unit, rest="  ", style="dim")
    for row in report.accesses:
        notes = [f"{row.parts} for one access"] if row.parts > 1 else []
        notes += row.notes
        if row.conflicts:
            notes.append(f"lanes collide along {row.conflicts}")
        if row.lines is not None:
            notes.append(f"fetches {row.lines[0]:g} lines a copy, row-major {row.lines[1]:g}")
        if notes:
            say(console, "; ".join(notes), f"  {row.name}: ", "    ")


def _print_pareto(report: SolveReport, console: Console) -> None:
    """The front; ``fit``: so many tiles fit into the shared memory of a unit."""
    titles = ("passes", "issue", "instructions", "LDS bytes", "fit", "operations", "what competes")
    rows = []
    gpu = machine(report.machine)
    notations = {name for name, known in frameworks().items() if known.notation}
    for c in report.pareto:
        label = f"{c.space}: {c.name}" if c.space in notations else c.name
        issue = "?" if c.issue_cycles is None else f"{c.issue_cycles:,}"
        fitting = per_unit(c, gpu)
        fit = "?" if fitting is None else str(fitting)
        cells = (issue, f"{c.instructions:,}", f"{c.lds_bytes:,}", fit, f"{c.operations:,}")
        rows.append([number(c.passes), *cells, label])
    console.print()
    table(console, titles, rows, whole=True)
    console.print()


def _print_emit(report: SolveReport, console: Console) -> None:
    emitted = {n: t for n, t in (report.emit or {}).items() if n not in ("python", "c", "mlir")}
    wide = max(map(len, emitted), default=0)
    for name, text in emitted.items():
        if text.startswith("not "):
            say(console, text, f"  {name:<{wide}} ")
        else:
            paste(console, text, f"  {name:<{wide}}")


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
