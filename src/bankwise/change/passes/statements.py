"""Statements of the user's text: where one begins and ends, and the values and types in it.

Edits of whole operations (a hint that goes, an allocation that grows) are made here, so that all
other characters of the text stay as they are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from iree.compiler import ir

from bankwise.change.rewrite.operand_text import (
    Span,
    code_of,
    indentation,
    result_name,
    statement_start,
)
from bankwise.read.mlir.kernels import operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.source import Edit

_NEXT = re.compile(r"\n[ \t]*(?:\}|\^)")
"""What ends a statement that no other follows: a closing brace or a block label on a new line."""


@dataclass(frozen=True, slots=True, eq=False)
class Statements:
    """The statements of one open module. ``code`` is the text with strings and comments blank."""

    opened: Opened
    text: str
    code: str
    starts: tuple[int, ...]

    def name(self, op: ir.Operation) -> str:
        """The name of the only result of ``op``, with its ``%``; empty if none is written."""
        offset = self.opened.offset_of(op)
        return "" if offset is None else result_name(self.code, offset)

    def span(self, op: ir.Operation) -> Span:
        """From the results of ``op`` to the end of its line of text (to its first inner one)."""
        offset = self._offset(op)
        start = statement_start(self.code, offset)
        position = bisect_right(self.starts, offset)
        end = self.starts[position] if position < len(self.starts) else len(self.code)
        brace = _NEXT.search(self.code, offset, end)
        end = brace.start() if brace else end
        return Span(start, start + len(self.code[start:end].rstrip()))

    def body(self, op: ir.Operation) -> Span:
        """The statement without its results: from the operation's name on."""
        return Span(self._offset(op), self.span(op).end)

    def indent(self, op: ir.Operation) -> str:
        """The white space before the statement of ``op``, with the line end to begin a new line."""
        end = "\r\n" if "\r\n" in self.text else "\n"
        return end + indentation(self.text, self.span(op).start)

    def removed(self, op: ir.Operation) -> Edit:
        """Take a statement away, and its line if nothing else is on it."""
        span = self.span(op)
        line = self.text.rfind("\n", 0, span.start) + 1
        after = self.text.find("\n", span.end)
        after = len(self.text) if after < 0 else after + 1
        alone = not self.text[line : span.start].strip() and not self.text[span.end : after].strip()
        return Edit(line, after, "") if alone else Edit(span.start, span.end, "")

    def renamed(self, user: ir.Operation, old: str, new: str) -> list[Edit]:
        """``new`` for the value ``old`` wherever ``user`` uses it."""
        body = self.body(user)
        found = re.finditer(rf"{re.escape(old)}(?![\w$.\-#])", self.code[body.start : body.end])
        return [Edit(body.start + m.start(), body.start + m.end(), new) for m in found]

    def occurrences(self, op: ir.Operation, piece: str) -> list[Span]:
        """Where ``piece`` (a type) stands in the statement of ``op``."""
        body = self.body(op)
        found = re.finditer(re.escape(piece), self.text[body.start : body.end])
        return [Span(body.start + m.start(), body.start + m.end()) for m in found]

    def fresh(self, stem: str) -> str:
        """``%stem``, or with a number, such that the text does not use it.

        A name that MLIR printed is a number, and a name may not begin with one: ``%0`` gives
        ``m0_hint``.
        """
        stem = f"m{stem}" if stem[0].isdigit() else stem
        number, name = 0, f"%{stem}"
        while re.search(rf"{re.escape(name)}(?![\w$.\-])", self.code):
            name = f"%{stem}_{number}"
            number += 1
        return name

    def _offset(self, op: ir.Operation) -> int:
        offset = self.opened.offset_of(op)
        assert offset is not None, "the operations of a module are written in its text"
        return offset


def statements(opened: Opened) -> Statements:
    """The statements of a module."""
    code = code_of(opened.source.text)
    offsets = (opened.offset_of(op) for op in operations(opened.module.operation))
    starts = sorted({statement_start(code, at) for at in offsets if at is not None})
    return Statements(opened, opened.source.text, code, tuple(starts))


def users(value: ir.Value) -> list[ir.Operation]:
    """The operations that use a value, each once, in no order."""
    found: list[ir.Operation] = []
    for use in value.uses:
        owner = use.owner.operation
        if owner not in found:
            found.append(owner)
    return found
