"""What every reader of a problem needs: typed values of a table, and errors that name a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from bankwise.errors import InputError, Location
from bankwise.read.problem.lines import Path, line_of


@dataclass(frozen=True, slots=True)
class Source:
    """Where errors point."""

    file: str
    lines: Mapping[Path, int]

    def error(self, path: Path, message: str, hint: str = "") -> InputError:
        """An error at a key of the file."""
        return InputError(
            message, location=Location(self.file, line_of(self.lines, path)), hint=hint
        )

    def at(self, path: Path, error: InputError) -> InputError:
        """The same error with a place in the file."""
        return self.error(path, error.message, error.hint)


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
        article = {str: "a text", int: "a whole number", bool: "true or false"}
        raise source.error(
            (*where, key), f"{key} = {value!r} is not {article.get(kind, 'a table')}"
        )
    return value


def choice(
    table: Mapping[str, Any], key: str, words: tuple[str, ...], where: Path, source: Source
) -> Any:
    """One of a few words."""
    value = required(table, key, str, where, source)
    if value not in words:
        raise source.error((*where, key), f"{key} = {value!r}", "one of " + ", ".join(words))
    return value
