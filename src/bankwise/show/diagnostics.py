"""Conflicts at the expressions of the user's source, as a compiler says what is wrong.

    kernel.cu:18:44: warning: 8-way bank conflict: read of Bs[tx * 4 + j][k]
       18 |   acc[i][j] += As[ty * 4 + i][k] * Bs[tx * 4 + j][k];
          |                                    ^~~~~~~~~~~~~~~~~

All instructions of one expression are one diagnostic: copies of an unrolled loop, parts of a split
vector, instantiations of a template. Kernels are never added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os.path import isabs

from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.counted import AccessReport
from bankwise.errors import Location
from bankwise.files import nearby
from bankwise.show.values import CheckReport
from bankwise.show.words import doubt

_LONGEST = 80
"""Characters of an expression in a message."""
_BEFORE = 12
"""Columns in front of a mark in a line that is too long to be shown."""
_DOTS = ".."


class Diagnostic(Struct, frozen=True):
    """The conflicts of one expression: ``accesses``, the costliest first, at least one. ``line``:
    the text in which it stands. ``inner``: the line of the file from which it was inlined, as far
    as that is known."""

    location: Location
    line: str
    accesses: tuple[AccessReport, ...]
    inner: str = ""

    @property
    def first(self) -> AccessReport:
        """The one whose lanes and arithmetic are told."""
        return self.accesses[0]

    @property
    def expression(self) -> str:
        """Its text; of one of which the line alone is known, that line."""
        return _part(self.line, self.location)

    @property
    def inlined(self) -> Location | None:
        """The place in the user's own file, below the working folder, from which it was inlined
        here; None where it stands here itself."""
        at = self.first.origin if self.accesses and self.inner else None
        near = nearby(at.file) if at is not None else ""
        return replace(at, file=near) if at is not None and not isabs(near) else None

    @property
    def touched(self) -> str:
        """What touches shared memory: of an inlined function its own expression; "" where columns
        are not known."""
        at = self.first.origin
        if at is not None and at.column and at.end_column and self.inner:
            return _part(self.inner, at)
        return self.expression if self.location.column else ""

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
        named = f" of {_cut(self.touched)}" if self.touched else ""
        return f"{self.kind}: {self.done}{named}"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Which lanes collide, and the arithmetic of it."""
        found = (self.first.witness, self.first.reason, doubt(self.first))
        return tuple(str(one) for one in found if one)


def _part(line: str, at: Location) -> str:
    """The text of a place in its line."""
    return line[max(at.column - 1, 0) : at.end_column - 1 if at.end_column else None].strip()


def inner_line(accesses: Sequence[AccessReport], lines: Mapping[tuple[str, int], str]) -> str:
    """The line of the file from which the first of some accesses was inlined, of ``lines``."""
    at = accesses[0].origin if accesses else None
    return lines.get((at.file, at.line), "") if at is not None else ""


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
    return tuple(
        Diagnostic(at, lines[at.file, at.line], tuple(a), inner_line(a, lines))
        for at, a in found.items()
    )


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
