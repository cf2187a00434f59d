"""The definitions of macros in a C++ text, line by line: what stands behind each ``#define``.

    #define LOAD(v, p) v = *(float4*)(p)        LOAD, of "v, p", is "v = *(float4*)(p)"
    #define ROW 32                              ROW, of nothing, is "32"

Comments are part of a text, and conditions are not decided. A tree of the text knows its own
macros; this is for texts that are not parsed, or not yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

_LINE = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)(?:\((?P<taken>(?:\\\r?\n|[^()\n])*)\))?"
    r"(?P<body>(?:\\\r?\n|[^\n])*)",
    re.MULTILINE,
)


class MacroLine(Struct, frozen=True):
    """A definition. ``taken``: its parameters as written, None of one without parentheses;
    ``body``: what it stands for, and where that lies; ``whole``: where all of it does, without the
    end of its last line."""

    name: str
    taken: str | None
    body: str
    body_span: tuple[int, int]
    whole: tuple[int, int]


def macro_lines(text: str) -> Iterator[MacroLine]:
    """Every definition of a text, in order."""
    for one in _LINE.finditer(text):
        yield MacroLine(one["name"], one["taken"], one["body"], one.span("body"), one.span())
