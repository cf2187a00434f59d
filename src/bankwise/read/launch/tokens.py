"""The words of C++ source, with their lines: names, numbers, signs. Comments and texts are none.

Of the preprocessor ``#define NAME tokens`` is kept, as one word ``#define`` and those behind it up
to the end of its line, which is the word ``#end``; other directives are skipped, both ways of an
``#if`` are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

_SIGNS = "<<< >>> <<= >>= :: -> ++ -- << >> == != <= >= && || += -= *= /= %= &= |= ^="
SIGNS = tuple(_SIGNS.split())
"""Of several characters, the longest first."""
_MACRO = re.compile(r"#\s*define\s+([^\s(]+(?:\([^()]*\))?)(.*)", re.DOTALL)
"""Its name, with parameters that begin right behind it, and what it is."""


class SourceWord(Struct, frozen=True):
    """One word of a source. ``line``: from 1."""

    text: str
    line: int

    @property
    def is_name(self) -> bool:
        """Whether it is an identifier or a keyword."""
        return self.text[0].isalpha() or self.text[0] == "_"


def tokens(source: str) -> tuple[SourceWord, ...]:
    """All words of a source."""
    found: list[SourceWord] = []
    defining = 0
    for text, line in _words(source.replace("\\\r\n", " ").replace("\\\n", " \v")):
        if defining and line != defining:
            found.append(SourceWord("#end", defining))
            defining = 0
        if text.startswith("#"):
            macro = _MACRO.match(text)
            if macro is None:
                continue
            defining = line
            name, value = ([word for word, _ in _words(part)] for part in macro.groups())
            found += [SourceWord(one, line) for one in ("#define", *name, "=", *value)]
            continue
        found.append(SourceWord(text, line))
    return (*found, SourceWord("#end", defining)) if defining else tuple(found)


def _words(source: str) -> Iterator[tuple[str, int]]:
    at, line, size = 0, 1, len(source)
    fresh = True
    while at < size:
        sign = source[at]
        end = _end(source, at, fresh)
        text = source[at:end]
        if sign == "#" and fresh:
            yield text.split("//")[0].split("/*")[0], line
        elif not sign.isspace() and sign not in "\"'" and not text.startswith(("//", "/*")):
            yield text, line
        line += text.count("\n") + text.count("\v")
        fresh = text.endswith("\n") or (fresh and (sign.isspace() or text.startswith("/*")))
        at = end


def _end(source: str, at: int, fresh: bool) -> int:
    """Where the word that begins at a place ends."""
    sign, two = source[at], source[at : at + 2]
    if two == "//" or (sign == "#" and fresh):
        return _found(source, "\n", at)
    if two == "/*":
        return _found(source, "*/", at + 2) + 2
    if sign in "\"'":
        return _text_end(source, at)
    if sign.isalnum() or sign == "_":
        end = at + 1
        while end < len(source) and (source[end].isalnum() or source[end] in "_'."):
            if source[end] in "'." and not sign.isdigit():
                break
            end += 1
        return end
    known = next((one for one in SIGNS if source.startswith(one, at)), sign)
    return at + len(known)


def _found(source: str, wanted: str, at: int) -> int:
    place = source.find(wanted, at)
    return len(source) if place < 0 else place


def _text_end(source: str, at: int) -> int:
    """Behind a text or a character in quotes; at the end of its line if it is open."""
    end = at + 1
    while end < len(source) and source[end] not in (source[at], "\n"):
        end += 2 if source[end] == "\\" else 1
    return min(len(source), end + 1)
