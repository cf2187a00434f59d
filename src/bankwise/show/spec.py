"""The answers of ``check`` and ``solve`` on a tile question, and their printing.

A spec's check is a :class:`bankwise.show.values.CheckReport`: an access of the file is an access,
``once`` is one pass over the tile, ``run`` those of one workgroup, ``launch`` all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bankwise.counting.counted import AccessReport, added
from bankwise.show.notebook import printed
from bankwise.show.snippets import print_snippets
from bankwise.show.solving import SolveReport, print_solve
from bankwise.show.values import CheckReport
from bankwise.show.words import COLOURS, adds, conclusion, still_open

_LINE = 120
"""A text longer than this is cut short in a list, unless it is the one asked for."""


@dataclass(frozen=True, slots=True)
class QuotedNumber:
    """A number that came with the file. ``counted``: ours, None where it is no count."""

    name: str
    value: int | float | str
    counted: int | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether both are equal; None where there is nothing to compare."""
        return None if self.counted is None else self.counted == self.value


@printed("bankwise.show.spec:print_spec")
@dataclass(frozen=True, slots=True)
class SpecReport:
    """The answer of ``check``. ``passes``: over the tile in the whole launch, None if unknown.

    ``offsets``: where each element of the tile lives, in elements, row-major; None where the layout
    is in dispute or the tile is too large to be drawn.
    """

    check: CheckReport
    tile: tuple[int, ...]
    dims: tuple[str, ...]
    element_bits: int
    layout: str
    notation: str
    footprint_bytes: int
    passes: int | None
    published: tuple[QuotedNumber, ...]
    offsets: tuple[int, ...] | None = None

    @property
    def exit_code(self) -> int:
        """That of the check."""
        return self.check.exit_code


@dataclass(frozen=True, slots=True)
class Said:
    """One notation's say: the optimum in it, or why not and the best that it can say.

    ``best`` is that best member's text, "" where it has none, ``label`` its name; ``passes``: of
    one execution of every access, weighted; ``lost``: how much that is above the optimum.
    ``refusal``: why the optimum has no text here; with ``tried`` layouts looked at, where that is
    not all that the notation can say.
    """

    notation: str
    text: str = ""
    refusal: str = ""
    best: str = ""
    label: str = ""
    passes: int | float | None = None
    lost: int | float | None = None
    tried: int = 0


@printed("bankwise.show.spec:print_solution")
@dataclass(frozen=True, slots=True, eq=False)
class SpecSolution:
    """The answer of ``solve``. ``asked``: the notation of the file; ``before``: its own count."""

    report: SolveReport
    asked: str
    said: tuple[Said, ...]
    before: SpecReport

    @property
    def exit_code(self) -> int:
        """That of the answer."""
        return self.report.exit_code


def print_spec(report: SpecReport, console: Console) -> None:
    """Print the answer of ``check`` on a tile question."""
    check = report.check
    tile = ", ".join(f"{n} {s}" for n, s in zip(report.dims, report.tile, strict=True))
    name = escape(check.kernels[0].name)
    console.print(
        f"[bold]{name}[/] on {check.target}: tile {tile}, {report.element_bits} bits; "
        f"{escape(report.notation)} layout, {report.footprint_bytes:,} bytes"
    )
    if check.accesses:
        console.print(_table(report))
    _print_causes(check, console)
    for finding in check.findings:
        place = escape(str(finding.location))
        console.print(f"[red]{place}: {finding.rule}:[/] {escape(finding.message)}")
    for refusal in check.refusals:
        console.print(f"[yellow]not analysed:[/] {escape(str(refusal))}")
    for published in report.published:
        _print_published(published, console)
    _print_verdict(report, console)
    print_snippets(check, console)


def _table(report: SpecReport) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("line", "access", "instructions per wave"):
        table.add_column(title, overflow="fold")
    for title in ("passes", "ideal", "extra", "ways"):
        table.add_column(title, justify="right", no_wrap=True)
    launch = report.passes is not None
    if launch:
        table.add_column("extra, launch", justify="right", no_wrap=True)
    for access in report.check.kernels[0].accesses:
        colour = COLOURS[access.conflict]
        cells = [f"{access.cost.passes:,}", f"{access.cost.ideal:,}", f"{access.cost.extra:,}"]
        whole = [f"{launched(report, access):,}"] if launch else []
        table.add_row(
            str(access.location.line),
            escape(called(access.direction, access.allocations[0])),
            f"{access.instructions} x {access.instruction}" + _evidence_text(access),
            f"[{colour}]{cells[0]}[/]",
            cells[1],
            f"[{colour}]{cells[2]}[/]",
            str(access.ways),
            *whole,
        )
    return table


def _evidence_text(access: AccessReport) -> str:
    """How its cost is known, where that is neither measured nor documented."""
    return "" if access.evidence in ("measured", "documented") else f" ({access.evidence})"


def called(op: str, name: str) -> str:
    """``write store``, but ``write`` where an access is called after what it does."""
    return name if name == op else f"{op} {name}"


def launched(report: SpecReport, access: AccessReport) -> int:
    """Extra passes of an access in the whole launch."""
    grid = report.check.kernels[0].grid or (1, 1, 1)
    return access.run.extra * grid[0]


def _print_causes(check: CheckReport, console: Console) -> None:
    for access in check.kernels[0].accesses:
        if access.witness is None:
            continue
        console.print(f"  {escape(access.allocations[0])}: {access.ways}-way: {access.witness}")
        if access.reason is not None:
            console.print(f"    {access.reason}")


def _print_published(published: QuotedNumber, console: Console) -> None:
    value = published.value
    shown = f"{value:,}" if isinstance(value, int) else str(value)
    line = f"published {published.name}: {shown}"
    if published.counted is None:
        console.print(f"[dim]{escape(line)}[/]")
    elif published.agrees:
        console.print(f"{escape(line)}: [green]as counted[/]")
    else:
        console.print(f"{escape(line)}: [red]counted {published.counted:,}[/]")


def _print_verdict(report: SpecReport, console: Console) -> None:
    check = report.check
    if not check.accesses:
        console.print("[yellow]nothing could be counted[/]")
        return
    colour = COLOURS[check.conflict] if check.conflict != "none" or check.clean else "yellow"
    verdict = f"[{colour}]{conclusion(check.conflict, not check.clean, 'zero conflicts')}[/]"
    numbers = adds(added((a, a.cost) for a in check.accesses))
    line = f"{verdict}: {check.counter} += {numbers} per pass over the tile"
    if report.passes is not None:
        times = (check.alone.grid or (1, 1, 1))[0]
        whole = adds(added((a, a.run * times) for a in check.accesses))
        line += f", {whole} per launch of {report.passes:,} passes"
    left = still_open(check.alone, len(check.refusals))
    console.print("; ".join((line, *map(escape, left))))


def print_solution(answer: SpecSolution, console: Console) -> None:
    """Print the answer of ``solve`` on a tile question: the layout, in every notation."""
    before = sum(a.cost.extra for a in answer.before.check.accesses)
    console.print(f"[dim]{answer.asked} layout of the file: {before:,} extra passes[/]")
    print_solve(answer.report, console, notations=False)
    for said in sorted(answer.said, key=lambda s: s.notation != answer.asked):
        _print_said(said, said.notation == answer.asked, console)


def _print_said(said: Said, asked: bool, console: Console) -> None:
    """The notation of the file in full, the others in a line."""
    head = f"[bold]{said.notation}[/]"
    if said.text:
        long = len(said.text) > _LINE and not asked
        console.print(f"{head}: {escape(said.text[:_LINE] + ' ...' if long else said.text)}")
        return
    no = f"not found among {said.tried} tried" if said.tried else "cannot say it"
    console.print(f"{head}: {no}: {escape(said.refusal)}")
    if said.label:
        lost = "as good" if not said.lost else f"{said.lost:g} passes more"
        best = said.best if said.best and (asked or len(said.best) <= _LINE) else said.label
        console.print(f"    its best, {lost}: {escape(best)}")
