"""The answers of ``check`` and ``solve`` on a tile question, and their printing.

A spec's check is a :class:`bankwise.show.values.CheckReport`: an access of the file is an access,
``once`` is one pass over the tile, ``run`` those of one workgroup, ``launch`` all of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from bankwise.counting.counted import AccessReport, added
from bankwise.identity import ByIdentity
from bankwise.show.as_text import print_conflicts, print_findings
from bankwise.show.columns import Console, paste, say, table
from bankwise.show.notebook import printed
from bankwise.show.plain import escape
from bankwise.show.solving import SolveReport, print_solve
from bankwise.show.values import CheckReport
from bankwise.show.words import COLOURS, adds, conclusion, extra_passes, still_open


class QuotedNumber(Struct, frozen=True):
    """A number that came with the file. ``counted``: ours, None where it is no count."""

    name: str
    value: int | float | str
    counted: int | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether both are equal; None where there is nothing to compare."""
        return None if self.counted is None else self.counted == self.value


@printed("bankwise.show.spec:print_spec")
class SpecReport(Struct, frozen=True):
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


class Said(Struct, frozen=True):
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
class SpecSolution(ByIdentity, frozen=True, eq=False):
    """The answer of ``solve``. ``asked``: the notation of the file; ``before``: its own count."""

    report: SolveReport
    asked: str
    said: tuple[Said, ...]
    before: SpecReport

    @property
    def exit_code(self) -> int:
        """That of the answer."""
        return self.report.exit_code


def print_spec(report: SpecReport, console: Console, *, everything: bool = False) -> None:
    """Print the answer of ``check`` on a tile question."""
    print_body(report, console, everything=everything)
    print_last(report, console)


def print_body(
    report: SpecReport,
    console: Console,
    aside: Mapping[int, str] | None = None,
    *,
    everything: bool = False,
) -> None:
    """The answer without its verdict. ``aside``: why accesses decide nothing, by their ``id``."""
    check = report.check
    tile = ", ".join(f"{n} {s}" for n, s in zip(report.dims, report.tile, strict=True))
    print_conflicts(check, console, aside, everything=everything)
    of = f"on {check.target}: tile {tile}, {report.element_bits} bits; {report.notation} layout"
    text = f"{check.kernels[0].name} {of}, {report.footprint_bytes:,} bytes"
    say(console, text, rest="  ", style="bold")
    if check.accesses:
        _print_table(report, console)
    print_findings(check, console, everything=everything)
    for published in report.published:
        _print_published(published, console)


def _print_table(report: SpecReport, console: Console) -> None:
    titles = ["line", "passes", "ideal", "extra", "ways", "instructions per wave", "access"]
    launch = report.passes is not None
    rows, colours = [], []
    for access in report.check.kernels[0].accesses:
        cost = access.cost
        row = [str(access.location.line), f"{cost.passes:,}", f"{cost.ideal:,}", f"{cost.extra:,}"]
        row += [str(access.ways), *([f"{launched(report, access):,}"] if launch else [])]
        row.append(f"{access.instructions} x {access.instruction}{_evidence_text(access)}")
        rows.append([*row, called(access.direction, access.allocations[0])])
        colours.append(COLOURS[access.conflict])
    titles[5:5] = ["extra, launch"] if launch else []
    table(console, titles, rows, colours)


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


def print_last(report: SpecReport, console: Console) -> None:
    """The verdict, on one pass over the tile and on the launch."""
    check = report.check
    if not check.accesses:
        console.print("[yellow]nothing could be counted[/]")
        return
    colour = COLOURS[check.conflict] if check.conflict != "none" or check.clean else "yellow"
    verdict = conclusion(check.conflict, not check.clean, "zero conflicts")
    numbers = adds(added((a, a.cost) for a in check.accesses))
    line = f"{verdict}: {check.counter} += {numbers} per pass over the tile"
    if report.passes is not None:
        times = (check.alone.grid or (1, 1, 1))[0]
        whole = adds(added((a, a.run * times) for a in check.accesses))
        line += f", {whole} per launch of {report.passes:,} passes"
    left = still_open(check.alone, len(check.refusals))
    text = "; ".join((line, *left))
    say(console, text, rest="  ", style=colour)


def print_solution(answer: SpecSolution, console: Console) -> None:
    """Print the answer of ``solve`` on a tile question: the layout, in every notation."""
    before = sum(a.cost.extra for a in answer.before.check.accesses)
    console.print(f"[dim]{answer.asked} layout of the file: {extra_passes(before)}[/]")
    print_solve(answer.report, console, notations=False)
    for said in sorted(answer.said, key=lambda s: s.notation != answer.asked):
        _print_said(said, console)


def _print_said(said: Said, console: Console) -> None:
    """What a notation says, whole; or why nothing, and its best."""
    if said.text:
        paste(console, said.text, f"{said.notation}:", "bold")
        return
    no = f"not found among {said.tried} tried" if said.tried else "cannot say it"
    console.print(f"[bold]{said.notation}[/]: {no}: {escape(said.refusal)}")
    if said.label:
        lost = "as good" if not said.lost else f"{said.lost:g} passes more"
        paste(console, said.best or said.label, f"    its best, {lost}:")
