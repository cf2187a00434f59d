"""Statements of the user's text: where one begins and ends, and the values and types in it.

Edits of whole operations (a hint that goes, an allocation that grows) are made here, so that all
other characters of the text stay as they are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping

from iree.compiler import ir

from bankwise.change.rewrite.operand_text import (
    Span,
    code_of,
    indentation,
    result_name,
    statement_start,
)
from bankwise.identity import ByIdentity
from bankwise.read.mlir.kernels import operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.source import Edit

_NEXT = re.compile(r"\n[ \t]*(?:\}|\^)")
"""What ends a statement that no other follows: a closing brace or a block label on a new line."""

_LOCATION = re.compile(r"\s*\bloc\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*\Z")
"""``loc(#loc3)``, or in full, behind an operation."""

_TYPE = re.compile(r"![\w$.]+|\bmemref<")
_ALIAS = re.compile(r"[#!][\w$.]+")
_DEFINED = re.compile(r"^[ \t]*(?P<name>[#!][\w$.]+)[ \t]*=[ \t]*(?P<of>[^\r\n]*)", re.M)
_DEEPEST_ALIAS = 8


class Statements(ByIdentity, frozen=True, eq=False):
    """The statements of one open module. ``code`` is the text with strings and comments blank,
    ``aliases`` what the names of types and attributes stand for."""

    opened: Opened
    text: str
    code: str
    starts: tuple[int, ...]
    aliases: Mapping[str, str]

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
        """The statement without its results and its location: from the operation's name on."""
        start, end = self._offset(op), self.span(op).end
        location = _LOCATION.search(self.code, start, end)
        return Span(start, location.start() if location else end)

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

    def types(self, op: ir.Operation, of: ir.Type) -> list[Span]:
        """Where the statement of ``op`` writes the type ``of``: in full, or by an alias."""
        body = self.body(op)
        spans = (self._type_at(m, body.end) for m in _TYPE.finditer(self.code, *_ends(body)))
        return [span for span in spans if self._means(self.text[span.start : span.end], of)]

    def _type_at(self, found: re.Match[str], end: int) -> Span:
        """A type from its first character to the bracket that closes it."""
        depth = found[0].count("<")
        at = found.end()
        while depth and at < end:
            arrow = self.code.startswith("->", at)
            depth += (self.code[at] == "<") - (self.code[at] == ">")
            at += 2 if arrow else 1
        return Span(found.start(), at)

    def _means(self, piece: str, of: ir.Type) -> bool:
        for _ in range(_DEEPEST_ALIAS):
            piece = _ALIAS.sub(lambda m: self.aliases.get(m[0], m[0]), piece)
        try:
            return bool(ir.Type.parse(piece, self.opened.context) == of)
        except (ir.MLIRError, ValueError):
            return False

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
    text = opened.source.text
    defined = ((m["name"], m.start("of"), len(m["of"].rstrip())) for m in _DEFINED.finditer(code))
    aliases = {name: text[start : start + size] for name, start, size in defined}
    return Statements(opened, text, code, tuple(starts), aliases)


def _ends(span: Span) -> tuple[int, int]:
    return span.start, span.end


def users(value: ir.Value) -> list[ir.Operation]:
    """The operations that use a value, each once, in no order."""
    found: list[ir.Operation] = []
    for use in value.uses:
        owner = use.owner.operation
        if owner not in found:
            found.append(owner)
    return found
