"""From a place inside a notation's text to the place in the TOML file that holds the text."""

from __future__ import annotations

from bankwise.errors import InputError, Location
from bankwise.read.problem.lines import Path, line_of
from bankwise.read.problem.source import Source

_FENCES = ('"""', "'''")


def blamed(source: Source, lines: tuple[str, ...], path: Path, error: InputError) -> InputError:
    """The same error at its place in the file; ``lines`` are those of the file.

    The column is that of the file's line. Where the value is written with escapes or over several
    keys, only the line of the key is known.
    """
    first = line_of(source.lines, path)
    inside = error.location
    if inside is None or not inside.line or not first:
        return source.at(path, error)
    line, column = _start(lines, first)
    if inside.line > 1:
        line, column = line + inside.line - 1, 1
    place = Location(source.file, line, column + inside.column - 1 if column else 0)
    return InputError(error.message, location=place, hint=error.hint)


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
