"""From text to a verified MLIR module, with errors that point into the user's file.

``iree.compiler`` is imported inside the functions: a missing extra is bad input, not a traceback.
"""

from __future__ import annotations

import re
import weakref
from difflib import get_close_matches
from typing import TYPE_CHECKING

from bankwise.errors import InputError, Location
from bankwise.read.extra import install
from bankwise.read.mlir.source import SourceText, masked

if TYPE_CHECKING:
    from iree.compiler import ir

WANTED = "3.13."
"""The release of iree-base-compiler whose syntax :mod:`bankwise.read.mlir.modernise` writes."""


def new_context(file: str = "") -> ir.Context:
    """A context with IREE's dialects, each loaded where a text first names it, and without threads
    (a forked child would miss them).

    Raises :class:`InputError`, at ``file`` where one is read, where the extra ``[ir]`` is not
    installed.
    """
    try:
        from iree.compiler import ir
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("iree"):
            raise
        at = Location(file) if file else None
        raise InputError(
            "reading MLIR needs the IREE compiler", location=at, hint=install("ir")
        ) from error
    context = ir.Context(load_on_create_dialects=[])  # all of them take longer than a kernel
    context.enable_multithreading(False)
    _without_classes(context)
    return context


def _without_classes(context: ir.Context) -> None:
    """While ``context`` lives, let the classes of operations that IREE has for Python, which are
    not asked here, stay where they are: to import them takes longer than to read a kernel."""
    from iree.compiler._mlir_libs import _mlir

    searched = _mlir.globals.dialect_search_modules
    if searched:
        _mlir.globals.dialect_search_modules = []
        weakref.finalize(context, setattr, _mlir.globals, "dialect_search_modules", searched)


def parse(source: SourceText, context: ir.Context) -> tuple[ir.Module, tuple[str, ...]]:
    """The module of ``source`` and notes; :class:`InputError` if the text is no valid MLIR.

    Operations of dialects that IREE does not know are kept unread, if they are written in generic
    form, and are noted.
    """
    from iree.compiler import ir

    check_swizzles(source)
    context.allow_unregistered_dialects = False
    try:
        return _module(source, context), ()
    except ir.MLIRError as error:
        if "unregistered dialect" not in str(error):
            raise error_in(source, error) from error
    context.allow_unregistered_dialects = True
    try:
        module = _module(source, context)
    except ir.MLIRError as error:
        raise error_in(source, error) from error
    return module, (_unread(source, module, context),)


def position_of(location: ir.Location) -> tuple[int, int] | None:
    """Line and column in the parsed text; None if the location names no place there."""
    from iree.compiler import ir

    if isinstance(location, ir.FileLineColLoc):
        here = location.filename == _BUFFER
        return (location.start_line, location.start_col) if here else None
    inner: list[ir.Location] = []
    if isinstance(location, ir.FusedLoc):
        inner = list(location.locations)
    elif isinstance(location, ir.NameLoc):
        inner = [location.child_loc]
    elif isinstance(location, ir.CallSiteLoc):
        inner = [location.callee, location.caller]
    return next((found for part in inner if (found := position_of(part))), None)


_BUFFER = "-"
"""What MLIR calls a text that comes from no file."""

_SWIZZLE = re.compile(r"\b(xor_shuffle|rotate_rows)<\s*(\w+)\s*,\s*(\w+)")


def check_swizzles(source: SourceText) -> None:
    """Refuse the swizzle sizes on which the parser of 3.13.0 divides by zero."""
    for found in _SWIZZLE.finditer(masked(source.parsed)):
        kind, row, access = found.groups()
        fatal = (row, access) if kind == "xor_shuffle" else (access,)
        if any(not size.strip("0x") for size in fatal):
            offset = source.text_offset(found.start())
            raise InputError(
                f"{kind}<{row}, {access}>: row width and access width must not be 0",
                location=source.location(offset),
            )


def error_in(source: SourceText, error: ir.MLIRError) -> InputError:
    """What the parser says first, at its place in the user's file, with a hint if there is one."""
    from iree.compiler import ir

    first = error.error_diagnostics[0]
    place = position_of(ir.Location.from_attr(first.location.attr, first.location.context))
    where = source.location_at(*place) if place else Location(source.file)
    rest = source.text[source.offset_at(*place) :] if place else ""
    name, hint = _undeclared(first.message, rest), hint_for(first.message)
    if name:
        message = f"{first.message} {name}"
        return InputError(message, location=where, hint=_meant(source, name) or hint)
    return InputError(first.message, location=where, hint=hint)


_VALUE = re.compile(r"%[\w$.\-]+")


def _undeclared(message: str, rest: str) -> str:
    """The name that an error is about which does not say it; else empty."""
    found = _VALUE.match(rest) if "undeclared SSA value" in message else None
    return found[0] if found else ""


def _meant(source: SourceText, name: str) -> str:
    """The nearest name of a value that the text does define."""
    known = re.findall(rf"({_VALUE.pattern})(?::\d+)?(?:, %[^=\n]*)? = ", masked(source.text))
    near = get_close_matches(name, known, 1, cutoff=0.7)
    return f"did you mean {near[0]}?" if near else ""


_HINTS = (
    ("Dialect `ttg?' not found", "Triton IR is not read: count its layouts with `bankwise count`"),
    ("Dialect `.*' not found", "operations of unknown dialects are read in generic form only"),
    ("undefined symbol alias", "print the dump with --mlir-print-local-scope"),
    (
        "undefined global|incompatible callee|expects parent op",
        "dump with --mlir-print-ir-module-scope",
    ),
    ("redefinition of symbol", "several modules in one file: put `// -----` between them"),
    (
        "cannot be parsed from attr-dict",
        "since IREE 3.12 it stands outside of {..}, see docs/dumps.md",
    ),
    ("tried 'builtin", "on a page, only `.. code-block:: mlir` and ```mlir blocks are read"),
    (
        "expected attribute value|is unknown",
        "from an older compiler? docs/dumps.md says what opens",
    ),
)


def hint_for(message: str) -> str:
    """How to mend what the parser complains of, "" if nothing is known."""
    from iree.compiler.version import VERSION

    if not VERSION.startswith(WANTED):
        return f"bankwise reads with iree-base-compiler {WANTED}0, {VERSION} is installed"
    return next((hint for pattern, hint in _HINTS if re.search(pattern, message)), "")


def _module(source: SourceText, context: ir.Context) -> ir.Module:
    from iree.compiler import ir

    return ir.Module.parse(source.parsed, context)


def _unread(source: SourceText, module: ir.Module, context: ir.Context) -> str:
    from iree.compiler import ir

    names: dict[str, int] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        if not context.is_registered_operation(op.name):
            names[op.name] = names.get(op.name, 0) + 1
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    listed = ", ".join(f"{name} ({count})" for name, count in names.items())
    return f"{source.file}: from dialects unknown to IREE, kept unread: {listed or 'attributes'}"
