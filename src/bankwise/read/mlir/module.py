"""Opening a kernel: from a file, or a text, to a verified MLIR module.

    open_module("kernel.mlir")  ->  Opened(source, module, context, notes)

The readings of a text (:mod:`bankwise.read.mlir.sections`) are tried in turn, each first as it is
and then with its older syntax rewritten (:mod:`bankwise.read.mlir.modernise`); what was done is in
``notes``. All of it happens first in a child process, because some texts end the process that
parses them.
"""

from __future__ import annotations

from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING

from msgspec.structs import replace

from bankwise.errors import InputError, Location, Refusal
from bankwise.files import read_text
from bankwise.identity import ByIdentity
from bankwise.read.mlir import isolate
from bankwise.read.mlir.parse import new_context, parse, position_of
from bankwise.read.mlir.sections import TextReading, candidates, sections
from bankwise.read.mlir.source import SourceText
from bankwise.read.mlir.unread import ends_early

if TYPE_CHECKING:
    from iree.compiler import ir


class Opened(ByIdentity, frozen=True, eq=False):
    """A module, the text it came from, and what the user should know about the reading: ``notes``,
    and the kernels of the text that are ``unread``.

    Operations do not keep their module or context alive: keep this value while you hold any.
    """

    source: SourceText
    module: ir.Module
    context: ir.Context
    notes: tuple[str, ...] = ()
    unread: tuple[Refusal, ...] = ()

    def location_of(self, op: ir.Operation | ir.OpView) -> Location:
        """The place of ``op`` in the user's file (of its name, after ``%x = ``)."""
        place = position_of(op.location)
        return self.source.location_at(*place) if place else Location(self.source.file)

    def offset_of(self, op: ir.Operation | ir.OpView) -> int | None:
        """The offset of the name of ``op`` in the user's text; None for an op not written there."""
        place = position_of(op.location)
        return self.source.offset_at(*place) if place else None


def open_module(path: str | Path) -> Opened:
    """Open the MLIR of a file; :class:`InputError` (with line and column) if it has none."""
    return open_text(read_text(path), str(path))


def open_text(text: str, file: str = "-", *, isolated: bool = True) -> Opened:
    """Open the MLIR of a text. ``file`` names it in locations.

    With ``isolated`` a crash of the native parser is an :class:`InputError` like any other;
    without, it ends this process.
    """
    context = new_context(file)
    crash = _crash(text, file, context) if isolated else None
    if crash:
        raise InputError(
            f"the MLIR parser gives no answer to this text: {crash}",
            location=Location(file),
            hint="iree-opt gives none either; look for very deep nesting or sizes of 0",
        )
    return _open(text, file, context)


_PROGRAM = """
import sys
from bankwise.errors import InputError
from bankwise.read.mlir.module import open_text
try:
    open_text(sys.stdin.buffer.read().decode(), isolated=False)
except InputError:
    pass
"""


_HARMLESS = set[tuple[int, int, int]]()
"""Texts that ended no child, by their threads, lengths and hashes: they end no other one. Commands
open a text several times, and a fork takes ten times as long as most texts."""
_MOST_HARMLESS = 10_000


def _crash(text: str, file: str, context: ir.Context) -> str | None:
    tried = get_ident(), len(text), hash(text)  # a thread's stack may be too small for a text
    if tried in _HARMLESS:
        return None
    if isolate.can_fork():
        crash = isolate.crash_of(lambda: _open(text, file, context))
    else:
        crash = isolate.crash_of_program(_PROGRAM, text)
    if crash is None:
        if len(_HARMLESS) >= _MOST_HARMLESS:
            _HARMLESS.clear()
        _HARMLESS.add(tried)
    return crash


def _open(text: str, file: str, context: ir.Context) -> Opened:
    """The first reading that parses; if none does, the error of the fullest one."""
    first: InputError | None = None
    for candidate in candidates(file, text):
        try:
            opened = _read(candidate, context)
        except InputError as error:
            first = first or error
            continue
        if first:
            early = "; ".join(filter(None, (str(first), _ends_early(text))))
            note = f"read alone, since together they do not parse: {early}"
            opened = replace(opened, notes=(*opened.notes, note))
        return opened
    assert first is not None
    early = _ends_early(text)
    raise InputError(first.message, location=first.location, hint=early) if early else first


def _ends_early(text: str) -> str:
    """As :func:`ends_early`, of the last part of a text."""
    found = sections(text)
    return ends_early(text[found[-1].start :] if found else text)


def _read(candidate: TextReading, context: ir.Context) -> Opened:
    source = candidate.source
    rewritten: tuple[str, ...] = ()
    try:
        module, notes = parse(source, context)
    except InputError:
        from bankwise.read.mlir.modernise import modernise

        source, rewritten = modernise(source)
        if not rewritten:
            raise
        module, notes = parse(source, context)
    if not len(module.body.operations):
        raise InputError("no MLIR operation in this text", location=Location(source.file))
    said = (*candidate.notes, *rewritten, *notes)
    return Opened(source, module, context, said, candidate.unread)
