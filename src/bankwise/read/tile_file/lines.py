"""Where in a TOML text a key stands: the standard reader forgets it.

A small scanner, honest about its limits: it knows ``[table]``, ``[[array of tables]]``, keys at the
start of a line (bare, quoted or dotted) and keys of one-line inline tables. For anything else the
line of the nearest known parent is given.
"""

from __future__ import annotations

from collections.abc import Mapping

from bankwise.regex import regex

Path = tuple[str | int, ...]

_KEY = r"""[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*'"""
_DOTTED = rf"(?:{_KEY})(?:\s*\.\s*(?:{_KEY}))*"
_HEADER = regex(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?$")
_ASSIGN = regex(rf"\s*({_DOTTED})\s*=\s*(.*)$")
_INLINE = regex(rf"[{{,]\s*({_DOTTED})\s*=")
_PART = regex(_KEY)
_TEXT = regex(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'')


def key_lines(text: str) -> Mapping[Path, int]:
    """The line, from 1, of every key and table found, by its path: ``("access", 0, "lanes")``."""
    lines: dict[Path, int] = {}
    table: Path = ()
    counts: dict[Path, int] = {}
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        if fence:
            fence = "" if fence in line else fence
            continue
        header, assign = _HEADER.match(line), _ASSIGN.match(line)
        if header:
            table = _parts(header[2])
            if header[1] == "[[":
                place = counts.get(table, 0)
                counts[table] = place + 1
                lines.setdefault(table, number)
                table = (*table, place)
            lines.setdefault(table, number)
        elif assign:
            key = (*table, *_parts(assign[1]))
            _note(lines, table, key, number)
            value = _TEXT.sub(lambda m: "_" * len(m[0]), assign[2])
            for inner in _INLINE.finditer(value) if value.startswith("{") else ():
                lines.setdefault((*key, *_parts(inner[1])), number)
            fence = next((f for f in ('"""', "'''") if assign[2].count(f) == 1), "")
    return lines


def line_of(lines: Mapping[Path, int], path: Path) -> int:
    """The line of the key, or of its nearest known parent; 0 if nothing is known."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 0)


def _note(lines: dict[Path, int], table: Path, key: Path, number: int) -> None:
    for length in range(len(table) + 1, len(key) + 1):
        lines.setdefault(key[:length], number)


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
