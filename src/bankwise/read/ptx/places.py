"""Where a PTX instruction comes from: what its ``.loc`` says, and where that was inlined.

    .loc 2 196 12, function_name $L__info_string0, inlined_at 2 216 16

names one caller; whose caller that is, a ``.loc`` of its own says, once for each way to it. Where
those differ nobody says which one is meant, and a text in which one differs keeps all of its
innermost places: accesses of one line stay together. Source: LLVM's NVPTXAsmPrinter
(``emitLineNumberAsDotLoc``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from bankwise.errors import Location
from bankwise.read.author_place import author_place, in_library

LOC = re.compile(
    r"\s*\.loc\s+(\d+)\s+(\d{1,9})\s+(\d{1,9})"
    r"(?:\s*,\s*function_name[^\n]*?inlined_at\s+(\d+)\s+(\d{1,9})\s+(\d{1,9}))?"
)
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', re.MULTILINE)
_DEEPEST = 64

_Place = tuple[str, ...]
"""File, line and column as a text has them."""


class PtxPlaces(Struct, frozen=True):
    """``files``: by number; ``callers``: of each place that others are inlined at, where that is
    inlined itself; None where the text leaves one open."""

    files: Mapping[str, str]
    callers: Mapping[_Place, _Place] | None

    def at(self, loc: re.Match[str]) -> Location | None:
        """The author's place of a ``.loc``; None for line 0, which is nobody's."""
        if not int(loc[2]):
            return None
        return author_place(self._location(one) for one in self._chain(loc))

    def _chain(self, loc: re.Match[str]) -> Iterator[_Place]:
        yield loc.group(1, 2, 3)
        caller: _Place | None = loc.group(4, 5, 6) if loc[4] and self.callers is not None else None
        for _ in range(_DEEPEST):
            if caller is None or not int(caller[1]):
                return
            yield caller
            caller = (self.callers or {}).get(caller)

    def _location(self, place: _Place) -> Location:
        file, line, column = place
        return Location(self.files.get(file, f"file {file}"), int(line), int(column))


def places_of(text: str) -> PtxPlaces:
    """The places of a text without comments."""
    files = dict(_FILE.findall(text))
    every = dict[_Place, set[_Place]]()
    for found in LOC.finditer(text):
        caller = found.group(4, 5, 6) if found[4] else ()
        every.setdefault(found.group(1, 2, 3), set()).add(caller)
    inner = {
        one for one in set().union(*every.values()) if one and in_library(files.get(one[0], ""))
    }
    known = {place: callers for place, callers in every.items() if place in inner}
    clear = all(len(callers) == 1 for callers in known.values())
    only = {place: min(callers) for place, callers in known.items() if any(callers)}
    return PtxPlaces(files, only if clear else None)
