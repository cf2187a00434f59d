"""Lines of a text that say where the lines behind them stand: ``#line 3 "gemm.cuh"``.

A compiler believes them, so who compares places in its code with those in the text has to as well.
"""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from bankwise.errors import Location
from bankwise.read.file_names import names_of

_MARK = re.compile(r'^[ \t]*#[ \t]*line[ \t]+(\d+)(?:[ \t]+"([^"\n]*)")?')


class MarkedLine(Struct, frozen=True):
    """Where a line stands: in the ``file`` that a mark names, "" in front of the first one."""

    file: str
    number: int


def line_mark(file: Path, number: int) -> str:
    """The line that says of the next one where it stands."""
    return f'#line {number} "{file}"\n'


def marked_lines(text: str) -> tuple[MarkedLine, ...]:
    """Where each line of a text stands; none where nothing says that."""
    lines = text.split("\n")
    if not any(map(_MARK.match, lines)):
        return ()
    found, file, number = list[MarkedLine](), "", 1
    for one in lines:
        found.append(MarkedLine(file, number))
        number += 1
        if mark := _MARK.match(one):
            number, file = int(mark[1]), file if mark[2] is None else mark[2]
    return tuple(found)


def line_places(text: str, file: str) -> tuple[Location, ...]:
    """The same as places in the user's words; ``file``: what he calls the text."""
    marked = marked_lines(text)
    name = names_of(Path(file), file) if marked else str
    files = {one: name(one) if one else file for one in {each.file for each in marked}}
    return tuple(Location(files[one.file], one.number) for one in marked)
