"""Accesses of machine code at the expressions of the source that they stand for.

The compiler says the line, the syntax tree what stands there; which array an access touches is said
by its bytes and by where the compiler put each variable. An access to which no expression of its
line fits keeps the line alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.files import nearby, read_text
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel, reworded
from bankwise.read.cxx.expressions import ExpressionTable, expressions
from bankwise.read.cxx.tree import parse
from bankwise.read.names import variable
from bankwise.read.source import Compiled

_WIDEST_BYTES = 16
"""Of one lane's access: smaller variables are merged into one access by the compiler."""
_LARGEST = 2_000_000
"""Characters of a source that is parsed."""


def texts_of(found: Compiled, file: str, text: str) -> dict[str, str]:
    """The sources in which accesses stand: the ``text`` of ``file``, and headers that can be
    read; of those from which something was inlined the user's own, below the working folder."""
    every = [a for k in found.kernels for a in k.accesses]
    inner = (a.source.file for a in every if a.source is not None)
    mine = (name for name in inner if not os.path.isabs(nearby(name)))
    names = dict.fromkeys((*(a.access.location.file for a in every), *mine))
    texts = {file: text}
    for name in names:
        if name not in texts:
            with suppress(InputError):
                texts[name] = read_text(Path(name))
    return texts


def at_expressions(found: Compiled, texts: Mapping[str, str]) -> Compiled:
    """The kernels with the columns of their accesses, as far as they are known.

    Raises :class:`InputError` without tree-sitter.
    """
    parsed = ((name, parse(text, name)) for name, text in texts.items() if len(text) <= _LARGEST)
    tables = {name: expressions(source) for name, source in parsed}
    kernels = tuple(
        _placed(one, tables, found.variables.get(one.name, ())) for one in found.kernels
    )
    return replace(found, kernels=kernels)


def _arrays(variables: Sequence[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """The variables by the names that their author gave them, where these are told apart."""
    named = tuple((_plain(name), start) for name, start in variables)
    names = [name for name, _ in named]
    return named if len({*names}) == len(names) else ()


def _plain(symbol: str) -> str:
    """The name of an array in its function: ``b`` of ``gemm(..)::b``."""
    name = variable(symbol)
    return name if name.isidentifier() else ""


def _placed(
    kernel: AssemblyKernel,
    tables: Mapping[str, ExpressionTable],
    variables: Sequence[tuple[str, int]],
) -> AssemblyKernel:
    def place(one: AssemblyAccess) -> AssemblyAccess:
        at = one.access.location
        table = tables.get(at.file)
        if table is None:
            return one
        array = _array(one, variables)
        found = table.place(at, one.access.direction, array, one.source is not None)
        moved = replace(one, access=replace(one.access, location=found))
        return replace(moved, source=_inner(one, tables))

    def placed(one: AssemblyKernel) -> AssemblyKernel:
        accesses = tuple(map(place, one.accesses))
        return replace(one, accesses=accesses, variables=_arrays(variables))

    return reworded(kernel, lambda text: text, placed)


def _inner(one: AssemblyAccess, tables: Mapping[str, ExpressionTable]) -> Location | None:
    """The place in the file from which an access was inlined, with the columns of its expression,
    as far as they are known."""
    at = one.source
    table = tables.get(at.file) if at is not None else None
    if at is None or table is None:
        return at
    found = table.place(at, one.access.direction, "", inlined=False)
    return found if found.column and found.line == at.line else at


def _array(access: AssemblyAccess, variables: Sequence[tuple[str, int]]) -> str:
    """The name of the one variable whose bytes an access touches; "" where several may be it, and
    where the compiler made one of all that a kernel has, as LLVM does."""
    touched = [p.offsets_bytes[p.active] for p in access.access.patterns if p.active.any()]
    if not touched or access.unknown:
        return ""
    low, high = min(int(t.min()) for t in touched), max(int(t.max()) for t in touched)
    ends = (*(start for _, start in variables[1:]), 1 << 62)
    placed = zip(variables, ends, strict=False)
    known = ((one, end) for one, end in placed if end - one[1] >= _WIDEST_BYTES)
    inside = [name for (name, start), end in known if start <= low <= high < end]
    return _plain(inside[0]) if len(inside) == 1 else ""
