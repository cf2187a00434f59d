"""What was found in machine code, said of the author's own lines.

An instruction is shown at the innermost of the places that the compiler names for it in the file
in which its kernel stands: a copy of cuda_pipeline.h, at the line that asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from bankwise.errors import Location
from bankwise.identity import ByIdentity
from bankwise.read.assembly import NAMED_LINE, AssemblyAccess, AssemblyKernel, reworded
from bankwise.read.file_names import Name

Places = tuple[Location, ...]
"""Where an instruction comes from: the innermost place, then where that was inlined."""


class SourceLines(ByIdentity, frozen=True, eq=False):
    """The author's places of the lines of one kernel's machine code; ``start``: its own."""

    start: Location
    lines: Mapping[int, Location]


def source_lines(placed: Iterable[tuple[int, Places]], file: str, name: Name) -> SourceLines:
    """``placed``: lines of the machine code, each with where it comes from."""
    known = list(placed)
    outer = [places[-1] for _, places in known if places]
    home = outer[0].file if outer else ""
    first = min((place.line for place in outer if place.file == home), default=0)
    start = Location(name(home) if home else file, first)
    return SourceLines(start, {line: _place(one, home, name) or start for line, one in known})


def _place(places: Places, home: str, name: Name) -> Location | None:
    """The innermost place in the kernel's own file, if it has any there, else the innermost."""
    inside = [one for one in places if one.file == home]
    found = next(iter((*inside, *places)), None)
    return None if found is None else replace(found, file=name(found.file))


def at_source(
    follow: Callable[[SourceLines], AssemblyKernel],
    placed: Iterable[tuple[int, Places]],
    file: str,
    name: Name,
) -> AssemblyKernel:
    """Follow one kernel and say all that is found in terms of the source."""
    where = source_lines(placed, file, name)
    found, lines = follow(where), where.lines

    def words(text: str) -> str:
        return NAMED_LINE.sub(lambda one: _said(one, lines, found.location.file), text)

    def at_lines(one: AssemblyKernel) -> AssemblyKernel:
        branches: dict[int, str] = {}
        for line, why in one.open_branches.items():
            branches.setdefault(lines[line].line, why)
        return replace(
            one,
            accesses=tuple(_from_elsewhere(access, name) for access in one.accesses),
            not_followed=tuple(replace(n, line=lines[n.line].line) for n in one.not_followed),
            open_branches=branches,
        )

    return reworded(found, words, at_lines)


def _said(found: re.Match[str], lines: Mapping[int, Location], home: str) -> str:
    place = lines.get(int(found[1]))
    if place is None:
        return found[0]
    return f"line {place.line}" if place.file == home else str(place)


def _from_elsewhere(found: AssemblyAccess, name: Name) -> AssemblyAccess:
    """``source`` is left where it is another place than the access's own."""
    place = found.source and replace(found.source, file=name(found.source.file))
    return replace(found, source=None if place == found.access.location else place)
