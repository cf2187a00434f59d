"""The words of C++ source, with their lines: names, numbers, signs. Comments and texts are none.

Of the preprocessor ``#define NAME tokens`` is kept, as one word ``#define`` and those behind it up
to the end of its line, which is the word ``#end``; other directives are skipped, both ways of an
``#if`` are read, but for what ``#if 0`` and ``#if 1`` leave out.
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
_CONDITION = re.compile(r"#\s*if(?:def|ndef)?\b\s*(.*?)\s*$", re.DOTALL)
_OTHERWISE = re.compile(r"#\s*el")
_ENDS = re.compile(r"#\s*endif\b")
_PIECE = re.compile(
    r"(?P<space>\s+)|(?P<name>\d[\w'.]*|\w+)|(?P<none>//[^\n]*|/\*.*?(?:\*/|\Z)"
    r"|\"(?:\\.?|[^\\\"\n])*[\"\n]?|'(?:\\.?|[^\\'\n])*['\n]?)"
    rf"|(?P<sign>{'|'.join(map(re.escape, SIGNS))}|.)",
    re.DOTALL,
)
"""Blanks, a name or number, what is no word, a sign. A text that is open ends with its line."""


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
    defining, parts, is_out = 0, list[_DirectivePart](), False
    for text, line in _words(source.replace("\\\r\n", " ").replace("\\\n", " \v")):
        if defining and line != defining:
            found.append(SourceWord("#end", defining))
            defining = 0
        if text.startswith("#"):
            parts = _part_at(text, parts)
            is_out = any(part.is_out for part in parts)
        if is_out:
            continue
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


class _DirectivePart(Struct, frozen=True):
    """A part of the text between ``#if``, ``#else`` and ``#endif``. ``is_out``: the compiler does
    not see it; ``rest_is_out``: nor what follows up to ``#endif``, None if nobody knows."""

    is_out: bool
    rest_is_out: bool | None


def _part_at(directive: str, parts: list[_DirectivePart]) -> list[_DirectivePart]:
    """The parts that are open behind a directive, the innermost last."""
    if begins := _CONDITION.match(directive):
        known = {"0": False, "1": True}.get(begins[1])
        return [*parts, _DirectivePart(known is False, known)]
    if _OTHERWISE.match(directive) and parts:
        return [*parts[:-1], _DirectivePart(bool(parts[-1].rest_is_out), parts[-1].rest_is_out)]
    return parts[:-1] if _ENDS.match(directive) else parts


def _words(source: str) -> Iterator[tuple[str, int]]:
    at, line, fresh = 0, 1, True
    while found := _PIECE.match(source, at):
        kind, text = found.lastgroup, found[0]
        if kind == "sign" and text == "#" and fresh:
            text = source[at : _found(source, "\n", at)]
            yield text.split("//")[0].split("/*")[0], line
        elif kind in ("name", "sign"):
            yield text, line
            at, fresh = at + len(text), False
            continue
        line += text.count("\n") + text.count("\v")
        if kind == "space":
            fresh = fresh or "\n" in text
        else:
            fresh = text.endswith("\n") or (fresh and text.startswith("/*"))
        at += len(text)


def _found(source: str, wanted: str, at: int) -> int:
    place = source.find(wanted, at)
    return len(source) if place < 0 else place
