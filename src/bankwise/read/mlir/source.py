"""The user's text, and what of it the MLIR parser gets.

People keep kernels in ``.mlir`` files, in code blocks of RST and Markdown pages, and in the dumps
that ``iree-compile --mlir-print-ir-after=PASS`` prints. Whatever the parser needs changed is an
:class:`Edit` on the user's own text, so that every place of the parsed text has exactly one place
in the user's file, and later edits (a fix) can be spliced into the text as the user wrote it.

    text --edits--> parsed --MLIR parser--> op at (line, column) --offset_at--> offset in text
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from bankwise.errors import Location
from bankwise.identity import ByIdentity


class Edit(Struct, frozen=True):
    """Replace ``text[start:end]`` by ``replacement``; offsets count characters."""

    start: int
    end: int
    replacement: str


class TextSpan(Struct, frozen=True):
    """A stretch of the parsed text that starts at ``parsed`` and comes from ``text`` of the user's
    text; its first ``kept`` characters are the user's own, the rest is a replacement."""

    parsed: int
    text: int
    kept: int


class SourceText(ByIdentity, frozen=True, eq=False):
    """``text`` is the user's whole file, ``parsed`` the same after ``edits`` (sorted); ``written``:
    what ``parsed`` was before older syntax in it was made today's."""

    file: str
    text: str
    parsed: str
    edits: tuple[Edit, ...]
    pieces: tuple[TextSpan, ...]
    written: str

    def offset_at(self, line: int, column: int) -> int:
        """The offset in ``text`` of a line and column of the *parsed* text, as MLIR counts them:
        from 1, columns in bytes."""
        starts = _line_starts(self.parsed)
        first = starts[min(line, len(starts)) - 1]
        last = starts[line] if line < len(starts) else len(self.parsed)
        row = self.parsed[first:last]
        before = row.encode()[: column - 1].decode(errors="ignore")
        return self.text_offset(first + len(before))

    def location_at(self, line: int, column: int) -> Location:
        """The place in the user's file of a line and column of the *parsed* text."""
        return self.location(self.offset_at(line, column))

    def location(self, offset: int) -> Location:
        """The place in the user's file of an offset in ``text``; columns count characters."""
        return Location(self.file, *line_and_column(self.text, offset))

    def text_offset(self, parsed: int) -> int:
        """The offset in ``text`` of an offset in ``parsed``."""
        piece = self.pieces[bisect_right(self.pieces, parsed, key=lambda p: p.parsed) - 1]
        return piece.text + min(parsed - piece.parsed, piece.kept)


def source_of(
    file: str, text: str, edits: Iterable[Edit] = (), *, written: str | None = None
) -> SourceText:
    """``text`` with ``edits`` as the parser is to see it; ``written``: in its own older syntax."""
    ordered = _ordered(edits)
    pieces: list[TextSpan] = []
    parsed = at = 0
    for edit in ordered:
        pieces.append(TextSpan(parsed, at, edit.start - at))
        parsed += edit.start - at
        pieces.append(TextSpan(parsed, edit.start, 0))
        parsed += len(edit.replacement)
        at = edit.end
    pieces.append(TextSpan(parsed, at, len(text) - at))
    made = apply_edits(text, ordered)
    told = made if written is None else written
    return SourceText(file, text, made, ordered, tuple(pieces), told)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with all ``edits`` made; offsets refer to ``text`` as it is given.

    Edits must not overlap. Insertions at one place keep their order.
    """
    out: list[str] = []
    at = 0
    for edit in _ordered(edits):
        assert at <= edit.start <= edit.end <= len(text), f"edits overlap at offset {edit.start}"
        out += (text[at : edit.start], edit.replacement)
        at = edit.end
    return "".join((*out, text[at:]))


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1. Only a newline ends a line, as in MLIR."""
    starts = _line_starts(text)
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def masked(text: str) -> str:
    """``text`` with the inside of strings and comments replaced by spaces; offsets stay."""
    return _QUIET.sub(lambda match: " " * len(match[0]), text)


_QUIET = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*')


def _ordered(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    return tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))


@lru_cache(maxsize=8)
def _line_starts(text: str) -> tuple[int, ...]:
    return (0, *(match.end() for match in re.finditer("\n", text)))
