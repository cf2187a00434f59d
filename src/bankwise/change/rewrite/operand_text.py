"""Finding an operation's pieces in the user's own text.

MLIR knows the place of an operation's name, not of its operands; its printer would renumber every
value. So the few characters that have to change are found by reading the text from that place.
All functions but :func:`indentation` take the text with its comments blanked (:func:`code_of`).
"""

from __future__ import annotations

import re

from msgspec import Struct

_QUIET = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_RESULT = re.compile(r"(%[\w$.\-]+)(?::\d+)?\s*=\s*$")


class Span(Struct, frozen=True):
    """A piece of a text: ``text[start:end]``."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The piece."""
        return text[self.start : self.end]


def code_of(text: str) -> str:
    """``text`` with strings and comments (also ``/* */``, read as older syntax) blanked."""
    return _QUIET.sub(lambda match: " " * len(match[0]), text)


def index_operands(text: str, start: int, group: int) -> tuple[Span, ...]:
    """The operands in the ``group``-th ``[...]`` of the operation whose name begins at ``start``.

    ``vector.load %m[%i, %j]`` has one group; ``gather_to_lds %src[%i], %dst[%j, %k]`` two.
    Empty if the text has no such group.
    """
    for number, (opened, closed) in enumerate(_brackets(text, start)):
        if number == group:
            return _split(text, opened + 1, closed)
    return ()


def statement_start(text: str, start: int) -> int:
    """Where the statement whose operation name begins at ``start`` begins: at its result names."""
    first = 0
    for bracket in "{}()<>[]":
        first = max(first, text.rfind(bracket, first, start) + 1)
    match = re.search(r"(?:%[\w$.\-]+(?::\d+)?\s*,?\s*)+=\s*$", text[first:start])
    return first + match.start() if match else start


def result_name(text: str, start: int) -> str:
    """The name of the only result of the operation whose name begins at ``start``, or ''."""
    match = _RESULT.search(text, statement_start(text, start), start)
    return match.group(1) if match else ""


def indentation(text: str, start: int) -> str:
    """The white space at the beginning of the line that holds ``start``."""
    line = text.rfind("\n", 0, start) + 1
    rest = text[line:start]
    return rest[: len(rest) - len(rest.lstrip())]


def _brackets(text: str, start: int) -> list[tuple[int, int]]:
    """The ``[...]`` groups before the operation's types: (opening, closing) offsets."""
    found: list[tuple[int, int]] = []
    depth, opened, position = 0, -1, start
    while position < len(text):
        char = text[position]
        if char in "[({<":
            if char == "[" and depth == 0:
                opened = position
            depth += 1
        elif char in "])}>" and not text.startswith("->", position - 1):
            depth -= 1
            if char == "]" and depth == 0:
                found.append((opened, position))
        elif char == ":" and depth == 0:
            break
        position += 1
    return found


def _split(text: str, start: int, end: int) -> tuple[Span, ...]:
    """Split at commas and trim; white space and nothing else surrounds an operand."""
    spans, begin = [], start
    for position in [*(i for i in range(start, end) if text[i] == ","), end]:
        piece = text[begin:position]
        left = begin + len(piece) - len(piece.lstrip())
        if piece.strip():
            spans.append(Span(left, left + len(piece.strip())))
        begin = position + 1
    return tuple(spans)
