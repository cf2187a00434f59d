"""What a job found, as the protocol says it: ranges, diagnostics, hovers, code actions.

A place of bankwise counts lines and characters from 1; the protocol counts from 0, in units that
editor and server agreed on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from lsprotocol import types as lsp
from pygls.uris import from_fs_path

Found = dict[str, Any]
"""A mark, a place or an edit, as its document has it."""
Units = Callable[[str], int]
"""The length of a text in the units of the client."""

_LEVELS = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
_SOURCE = "bankwise"
_WIDTH = 76


def range_of(at: Found, lines: Sequence[str], units: Units) -> lsp.Range:
    """A place in the text: its expression, or from its column to the end of the line, or all of the
    line that is no blank."""
    row = max(0, min((at["line"] or 1) - 1, len(lines) - 1))
    line = lines[row].rstrip() if lines else ""
    start = max((at["column"] or 1) - 1, 0) or len(line) - len(line.lstrip())
    end = max((at.get("end_column") or 0) - 1, 0) or len(line)
    start = min(start, max(len(line) - 1, 0))
    ends = (units(line[:column]) for column in (start, max(end, start)))
    return lsp.Range(*(lsp.Position(row, column) for column in ends))


def diagnostic(mark: Found, file: Path, lines: Sequence[str], units: Units) -> lsp.Diagnostic:
    """A mark as a diagnostic; one of another file stands in the first line and names its place."""
    at = mark["location"]
    here = is_file(at["file"], file)
    message = "\n".join((mark["message"], *mark["reasons"]))
    place = f"{at['file']}:{at['line'] or 1}"
    others = [at] * (not here and bool(at["line"])) + list(mark["also"])
    return lsp.Diagnostic(
        range=range_of(at if here else {"line": 1, "column": 1}, lines, units),
        message=message if here else f"{place}: {message}",
        severity=_LEVELS[mark["level"]],
        source=_SOURCE,
        code=mark["rule"] or None,
        related_information=[_related(one, file, lines, units) for one in others],
    )


def is_file(name: str, file: Path) -> bool:
    """Whether a place is in the file that was asked about."""
    return Path(name) == file or (file.parent / name).resolve() == file.resolve()


def _related(
    at: Found, file: Path, lines: Sequence[str], units: Units
) -> lsp.DiagnosticRelatedInformation:
    here = is_file(at["file"], file)
    start = lsp.Position((at["line"] or 1) - 1, (at["column"] or 1) - 1)
    place = range_of(at, lines, units) if here else lsp.Range(start, start)
    uri = from_fs_path(str(file if here else Path(at["file"]).absolute())) or ""
    return lsp.DiagnosticRelatedInformation(lsp.Location(uri, place), "the same cause")


def failure(error: Found, file: Path, lines: Sequence[str], units: Units) -> lsp.Diagnostic:
    """What could not be done, at its place."""
    at = error.get("location") or {"file": str(file), "line": 1, "column": 1}
    said = "\n".join(filter(None, (error.get("message") or error["error"], error.get("hint"))))
    mark = {
        "location": at,
        "level": "error",
        "rule": "",
        "message": said,
        "reasons": (),
        "also": (),
    }
    return diagnostic(mark, file, lines, units)


def markdown(mark: Found) -> str:
    """What is told over a place: one block of text, that looks alike in every editor."""
    told = (mark["message"], *mark["reasons"], *mark["counts"])
    lines = (part for one in told for part in wrap(one, _WIDTH, subsequent_indent="  "))
    text = "\n".join((*mark["picture"], *lines)).replace("```", "'''")
    more = f"\n\n`bankwise explain {mark['rule']}`" if mark["rule"] else ""
    return f"```text\n{text}\n```{more}"


def text_edits(edits: Iterable[Found], lines: Sequence[str], units: Units) -> list[lsp.TextEdit]:
    """Edits of whole lines. Behind the last line there is no place but its own end."""

    def position(row: int) -> lsp.Position:
        last = len(lines) - 1
        return lsp.Position(row, 0) if row <= last else lsp.Position(last, units(lines[last]))

    return [
        lsp.TextEdit(lsp.Range(position(one["first"]), position(one["end"])), one["text"])
        for one in edits
    ]
