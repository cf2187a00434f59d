"""Conflicts at the expressions of the user's source, as a compiler says what is wrong.

    kernel.cu:18:44: warning: 8-way bank conflict: read of Bs[tx * 4 + j][k]
       18 |   acc[i][j] += As[ty * 4 + i][k] * Bs[tx * 4 + j][k];
          |                                    ^~~~~~~~~~~~~~~~~

All instructions of one expression are one diagnostic: copies of an unrolled loop, parts of a split
vector, instantiations of a template. Kernels are never added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bankwise.counting.counted import AccessReport
from bankwise.errors import Location
from bankwise.show.values import CheckReport
from bankwise.show.words import doubt

_LONGEST = 80
"""Characters of an expression in a message."""
_BEFORE = 12
"""Columns in front of a mark in a line that is too long to be shown."""
_DOTS = ".."


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
    def kind(self) -> str:
        """How bad it is, and how sure."""
        ways = sorted({access.ways for access in self.accesses})
        said = f"{ways[-1]}-way" if len(ways) == 1 else f"{ways[0]}- to {ways[-1]}-way"
        return f"{said} possible bank conflict" if doubt(self.first) else f"{said} bank conflict"

    @property
    def done(self) -> str:
        """The directions: ``read and write``."""
        return " and ".join(dict.fromkeys(access.direction for access in self.accesses))

    @property
    def message(self) -> str:
        """What is wrong, in one line without a place."""
        named = f" of {_cut(self.expression)}" if self.location.column else ""
        return f"{self.kind}: {self.done}{named}"

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


def marked(one: Diagnostic, most: int) -> Iterator[str]:
    """The line of the source, and what stands under it: of a line without columns all of it. Of a
    line longer than ``most`` that part is shown in which the mark stands."""
    column, line = one.location.column, one.line.expandtabs().rstrip()
    start = len(one.line[: column - 1].expandtabs()) if column else _indent(line)
    last = (one.location.end_column or len(one.line.rstrip()) + 1) - 1
    end = max(len(one.line[:last].expandtabs()), start + 1)
    head = f"{one.location.line:>5} | "
    begin, shown = _window(line, start, end, most - len(head))
    mark = min(end - begin, len(shown)) - (start - begin)
    yield f"{head}{shown}"
    yield f"{'':>5} | {' ' * (start - begin)}^{'~' * (mark - 1)}"


def _window(line: str, start: int, end: int, room: int) -> tuple[int, str]:
    """Which part of a line is shown, from where on; dots stand where something is left out."""
    if len(line) <= room:
        return 0, line
    begin = max(0, min(start - _BEFORE, len(line) - room)) if end > room else 0
    shown = line[begin : begin + room]
    if begin:
        shown = _DOTS + shown[len(_DOTS) :]
    if begin + room < len(line):
        shown = shown[: -len(_DOTS)] + _DOTS
    return begin, shown


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
