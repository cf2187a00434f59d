"""Typed values of a table, and errors that name the line, inside a text also the column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from bankwise.errors import InputError, Location
from bankwise.read.tile_file.lines import Path, line_of

_FENCES = ('"""', "'''")


class Source(Struct, frozen=True):
    """Where errors point. ``lines``: of every key; ``text``: the lines of the file themselves."""

    file: str
    lines: Mapping[Path, int]
    text: tuple[str, ...] = ()

    def place(self, path: Path) -> Location:
        """Where a key stands."""
        return Location(self.file, line_of(self.lines, path))

    def error(self, path: Path, message: str, hint: str = "") -> InputError:
        """An error at a key of the file."""
        return InputError(message, location=self.place(path), hint=hint)

    def at(self, path: Path, error: InputError) -> InputError:
        """The same error with a place in the file."""
        return self.error(path, error.message, error.hint)

    def inside(self, path: Path, error: InputError) -> InputError:
        """An error with a place in the text that this key holds, at its place in the file.

        The column is that of the file's line. Where the value is written with escapes or over
        several keys, only the line of the key is known.
        """
        first, within = line_of(self.lines, path), error.location
        if within is None or not within.line or not first:
            return self.at(path, error)
        line, column = _start(self.text, first)
        if within.line > 1:
            line, column = line + within.line - 1, 1
        place = Location(self.file, line, column + within.column - 1 if column else 0)
        return InputError(error.message, location=place, hint=error.hint)


def known(table: Mapping[str, Any], keys: Sequence[str], where: Path, source: Source) -> None:
    """Refuse keys that are not known."""
    for key in table:
        if key not in keys:
            near = get_close_matches(str(key), keys, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}?" if near else "known: " + ", ".join(keys)
            raise source.error((*where, key), f"unknown key {key!r}", hint)


def required(table: Mapping[str, Any], key: str, kind: type, where: Path, source: Source) -> Any:
    """The value of a key that has to be there."""
    if key not in table:
        raise source.error(where, f"{key!r} is missing")
    return optional(table, key, kind, None, where, source)


def optional(
    table: Mapping[str, Any], key: str, kind: type, default: Any, where: Path, source: Source
) -> Any:
    """The value of a key if it is there; its type has to fit."""
    value = table.get(key, default)
    if key in table and type(value) is not kind:
        article = {str: "a text", int: "a whole number", bool: "true or false", list: "a list"}
        message = f"{key} = {value!r} is not {article.get(kind, 'a table')}"
        listed = kind is str and isinstance(value, list)
        hint = f'one text: {key} = "{" ".join(map(str, value))}"' if listed else ""
        raise source.error((*where, key), message, hint)
    return value


def choice(
    table: Mapping[str, Any], key: str, words: tuple[str, ...], where: Path, source: Source
) -> Any:
    """One of a few words."""
    value = required(table, key, str, where, source)
    if value not in words:
        raise source.error((*where, key), f"{key} = {value!r}", "one of " + ", ".join(words))
    return value


def _start(lines: tuple[str, ...], number: int) -> tuple[int, int]:
    """Where the text begins whose key is on this line; column 0 where that cannot be seen."""
    line = lines[number - 1]
    for fence in _FENCES:
        if fence in line:
            rest = line.split(fence, 1)[1]
            return (number + 1, 1) if not rest.strip() else (number, line.index(fence) + 4)
    quote = next((c for c in line.partition("=")[2] if c in "\"'"), "")
    if not quote or line.count(quote) != 2 or "\\" in line:
        return number, 0
    return number, line.index(quote) + 2
