"""Conflicts at the expressions of the user's source, as a compiler says what is wrong.

    kernel.cu:18:44: warning: 8-way bank conflict: read of Bs[tx * 4 + j][k]
       18 |   acc[i][j] += As[ty * 4 + i][k] * Bs[tx * 4 + j][k];
          |                                    ^~~~~~~~~~~~~~~~~

All instructions of one expression are one diagnostic: copies of an unrolled loop, parts of a split
vector, instantiations of a template. Kernels are never added up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape

from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport
from bankwise.errors import Location
from bankwise.read.names import short
from bankwise.show.values import CheckReport
from bankwise.show.words import cell, doubt

_KERNELS = 4
_LONGEST = 80
"""Characters of an expression in a message."""
_WIDEST = 120
"""Columns of a source line that are shown."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """The conflicts of one expression: ``accesses``, the costliest first, at least one. ``line``:
    the text in which it stands."""

    location: Location
    line: str
    accesses: tuple[AccessReport, ...]

    @property
    def first(self) -> AccessReport:
        """The one whose lanes and arithmetic are told."""
        return self.accesses[0]

    @property
    def expression(self) -> str:
        """Its text; of one of which the line alone is known, that line."""
        start, end = self.location.column, self.location.end_column
        return self.line[max(start - 1, 0) : end - 1 if end else None].strip()

    @property
    def by_kernel(self) -> dict[str, tuple[AccessReport, ...]]:
        """The accesses of each kernel."""
        names = dict.fromkeys(access.kernel for access in self.accesses)
        return {name: tuple(a for a in self.accesses if a.kernel == name) for name in names}

    @property
    def message(self) -> str:
        """What is wrong, in one line without a place."""
        ways = sorted({access.ways for access in self.accesses})
        said = f"{ways[-1]}-way" if len(ways) == 1 else f"{ways[0]}- to {ways[-1]}-way"
        what = "possible bank conflict" if doubt(self.first) else "bank conflict"
        named = f" of {_cut(self.expression)}" if self.location.column else ""
        done = " and ".join(dict.fromkeys(access.direction for access in self.accesses))
        return f"{said} {what}: {done}{named}"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Which lanes collide, and the arithmetic of it."""
        found = (self.first.witness, self.first.reason, doubt(self.first))
        return tuple(str(one) for one in found if one)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]} .."


def diagnostics(
    report: CheckReport, accesses: Sequence[AccessReport] | None = None
) -> tuple[Diagnostic, ...]:
    """The conflicts among some accesses of a report, or all, that stand at lines of source that it
    has; the costliest first."""
    found: dict[Location, list[AccessReport]] = {}
    for access in report.accesses if accesses is None else accesses:
        place = access.location
        if access.rule and (place.file, place.line) in report.source_lines:
            found.setdefault(place, []).append(access)
    lines = report.source_lines
    return tuple(Diagnostic(at, lines[at.file, at.line], tuple(a)) for at, a in found.items())


def print_diagnostic(one: Diagnostic, console: Console) -> None:
    """A diagnostic for a terminal."""
    level = "[yellow]note[/]" if doubt(one.first) else "[bold magenta]warning[/]"
    console.print(f"[bold]{escape(str(one.location))}:[/] {level}: {escape(one.message)}")
    for text in marked(one):
        console.print(escape(text), highlight=False)
    for name, accesses in list(one.by_kernel.items())[:_KERNELS]:
        console.print(f"      = {escape(short(name))}: {escape('; '.join(counts(accesses)))}")
    more = len(one.by_kernel) - _KERNELS
    if more > 0:
        console.print(f"      = and in {more} more kernels")
    for reason in one.reasons:
        console.print(f"      = {escape(reason)}")


def marked(one: Diagnostic) -> Iterator[str]:
    """The line of the source, and what stands under it where the columns are known."""
    column, line = one.location.column, one.line.expandtabs()
    start = len(one.line[: column - 1].expandtabs()) if column else 0
    end = len(one.line[: (one.location.end_column or len(one.line.rstrip()) + 1) - 1].expandtabs())
    cut = max(0, min(start, end - _WIDEST)) if len(line) > _WIDEST else 0
    shown = line[cut : cut + _WIDEST].rstrip()
    yield f"{one.location.line:>5} | {shown}"
    if column:
        length = max(1, min(end, cut + len(shown)) - start)
        yield f"{'':>5} | {' ' * (start - cut)}^{'~' * (length - 1)}"


def counts(accesses: Sequence[AccessReport]) -> Iterator[str]:
    """How many of which instruction, and what they cost a workgroup."""
    alike = Counter((a.called, cell(a.cost.ends.passes), cell(a.cost.ends.ideal)) for a in accesses)
    for (name, passes, ideal), many in alike.items():
        each = " each" if many > 1 else ""
        yield f"{many} x {name}, {passes} passes{each}, ideal {ideal}"
    run = sum((access.run for access in accesses), Cost())
    yield f"{cell(run.ends.extra)} extra passes a workgroup"
