"""Rows of another length: an allocation, and every type that follows from it.

    %a = memref.alloc() : memref<64x128xf16, ..>
    %v = memref.collapse_shape %b [[0, 1], [2]] : .. into memref<64x128xf16, ..>

Indices stay as they are: ``%v[%i, %j]`` is the same element of the tile in rows of any length, as
long as each dimension of a view stays inside a row, or steps through whole ones. A view that merges
columns with rows does neither, and keeps the rows as they are. Buffers that go round a loop change
their type together, in the lists of types of the loop and its yield.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from iree.compiler import ir

from bankwise.algebra.address import Padded
from bankwise.change.passes.hints import ALLOCATIONS
from bankwise.change.passes.statements import Statements, users
from bankwise.notation.padding import Unpadded
from bankwise.read.mlir.kernels import operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.names import Called, called
from bankwise.read.mlir.pools import part_of
from bankwise.read.mlir.source import Edit

Rows = Padded | Unpadded
"""The rows as they will be, from those that are: longer, or without their padding."""

_PLAIN_USERS = frozenset(
    {
        *("vector.load", "vector.store", "vector.maskedload", "vector.maskedstore"),
        *("vector.transfer_read", "vector.transfer_write", "memref.load", "memref.store"),
        *("amdgpu.transpose_load", "memref.dealloc"),
    }
)
_VIEWS = ("memref.subview", "memref.expand_shape", "memref.collapse_shape")
_LISTS = {
    "scf.for": re.compile(r"\biter_args\s*\([^()]*\)\s*->\s*\("),
    "scf.yield": re.compile(r"\s:\s"),
}
"""What stands before the types of the carried values."""

_BOUNDS = 3
"""Operands of an scf.for before the carried values."""


def allocating(function: ir.Operation, names: set[str], name: Called) -> list[ir.Operation]:
    """What allocates these names in a function: of parts of a byte pool all of their views; nothing
    if one is allocated in another way."""
    found: dict[ir.Operation, str] = {}
    for op in operations(function):
        first = op if op.name in ("memref.alloc", "memref.alloca") else part_of(op)
        if first is not None and (known := name(first.results[0])) in names:
            found[op] = known
    return list(found) if {*found.values()} == names else []


def in_rows(ops: Sequence[ir.Operation], rows: Rows, text: Statements) -> list[Edit] | str:
    """The allocations ``ops`` in other rows, and every type that follows; or why not."""
    edits: dict[Edit, None] = {}
    for op in ops:
        found = _in_rows(op, rows, text)
        if isinstance(found, str):
            return found
        edits |= dict.fromkeys(found)
    return list(edits)


def _in_rows(op: ir.Operation, rows: Rows, text: Statements) -> list[Edit] | str:
    old = ir.MemRefType(op.results[0].type)
    if not isinstance(old.layout, ir.AffineMapAttr):
        return f"{old} says its strides"
    pitch = rows.row if isinstance(rows, Unpadded) else rows.row + rows.pad
    new = memref((*old.shape[:-1], pitch), old)
    written, found = text.types(op, old), followed(op.results[0], new, rows, text)
    if isinstance(found, str) or not written:
        return found if isinstance(found, str) else f"its type {old} is not found in the text"
    return [Edit(written[-1].start, written[-1].end, new), *found]


def allocation_op(opened: Opened, root: ir.Operation, name: str) -> ir.Operation | None:
    """What makes the allocation ``name`` in ``root``, be it a part of a byte pool; None for
    arguments and globals."""
    names = called(opened)
    for op in operations(root):
        first = op if op.name in ALLOCATIONS else part_of(op)
        if first is not None and first == op and names(op.results[0]) == name:
            return op
    return None


def followed(value: ir.Value, new: str, rows: Rows, text: Statements) -> list[Edit] | str:
    """The uses of a memref, those of its views included, with the types of the new rows.

    ``new``: the type that ``value`` shall have.
    """
    edits: list[Edit] = []
    waiting, seen = [value], [value]
    while waiting:
        each = waiting.pop()
        for user in users(each):
            round_loop = _carried(user, each)
            more = (
                _listed([n for n, *_ in round_loop], user, value.type, new, text)
                if round_loop
                else (_view if user.name in _VIEWS else _retyped)(user, value.type, new, rows, text)
            )
            if isinstance(more, str):
                return more
            edits += more
            for reached in (v for _, *values in round_loop for v in values if v not in seen):
                seen.append(reached)
                waiting.append(reached)
    return edits


def _carried(user: ir.Operation, value: ir.Value) -> list[tuple[int, ir.Value, ir.Value]]:
    """Where a value goes round a loop: as which of the carried ones, and what it is there."""
    loop, before = (user, _BOUNDS) if user.name == "scf.for" else (user.parent, 0)
    if user.name not in ("scf.for", "scf.yield") or loop.name != "scf.for":
        return []
    inside = loop.regions[0].blocks[0].arguments
    places = [n - before for n, operand in enumerate(user.operands) if operand == value]
    return [(n, inside[1 + n], loop.results[n]) for n in places]


def _listed(
    places: Sequence[int], op: ir.Operation, old: ir.Type, new: str, text: Statements
) -> list[Edit] | str:
    """Types of a loop's, or a yield's, list written anew."""
    body = text.body(op)
    begins = _LISTS[op.name].search(text.code, body.start, body.end)
    spans = [] if begins is None else _pieces(text.code, begins.end(), body.end)
    written = {(span.start, span.end) for span in text.types(op, old)}
    if max(places) >= len(spans) or any(spans[n] not in written for n in places):
        return f"{op.name} does not write its type as the allocation does"
    return [Edit(*spans[n], new) for n in places]


def _pieces(code: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the types of a list stand, up to the bracket that closes it."""
    spans, depth, first = [], 0, start
    for at in range(start, end):
        closes = code[at] in ")]}" or (code[at] == ">" and code[at - 1] != "-")
        if depth == 0 and (code[at] == "," or closes):
            spans.append((first, at))
            first = at + 1
        if depth == 0 and closes:
            break
        depth += (code[at] in "([{<") - closes
    else:
        spans.append((first, end))
    return [_stripped(code, *span) for span in spans]


def _stripped(code: str, start: int, end: int) -> tuple[int, int]:
    """A span without white space at its ends."""
    inner = code[start:end]
    return start + len(inner) - len(inner.lstrip()), end - len(inner) + len(inner.rstrip())


def memref(shape: tuple[int, ...], like: ir.MemRefType, layout: str = "") -> str:
    """A type of the same elements in the same memory."""
    sizes = "".join(f"{_amount(size)}x" for size in shape)
    return f"memref<{sizes}{like.element_type}, {layout}{like.memory_space}>"


def relaid(old: ir.MemRefType, rows: Rows) -> str | None:
    """The type of a view in the new rows; None if a dimension of it leaves a row half way."""
    strides, offset = old.get_strides_and_offset()
    pitch = rows.pitch if isinstance(rows, Unpadded) else rows.row
    inside = offset % pitch if offset > 0 else 0
    for size, stride in zip(old.shape, strides, strict=True):
        if stride > 0 and stride % pitch:
            inside += max(size - 1, 0) * stride
            if stride > pitch:
                return None
    if inside >= rows.row:
        return None
    offset, *steps = (n if n < 0 else int(rows(np.array(n))) for n in (offset, *strides))
    behind = f", offset: {_amount(offset)}" * bool(offset)
    return memref(tuple(old.shape), old, f"strided<[{', '.join(map(_amount, steps))}]{behind}>, ")


def _retyped(
    user: ir.Operation, old: ir.Type, new: str, rows: Rows, text: Statements
) -> list[Edit] | str:
    """One use of a memref with its type written anew."""
    if user.name not in _PLAIN_USERS:
        return f"{user.name} uses it, and cannot take the type of other rows"
    places = text.types(user, old)
    if len(places) != 1:
        return f"{user.name} does not write its type {old} once"
    return [Edit(places[0].start, places[0].end, new)]


def _view(
    op: ir.Operation, old: ir.Type, new: str, rows: Rows, text: Statements
) -> list[Edit] | str:
    """A view of a memref, and its uses."""
    if op.name == "memref.subview" and isinstance(rows, Unpadded):
        sizes, offsets = (op.attributes[f"static_{name}"] for name in ("sizes", "offsets"))
        if not 0 <= sizes[len(sizes) - 1] + max(0, offsets[len(offsets) - 1]) <= rows.row:
            return f"{op.name} covers its padding"
    of = ir.MemRefType(op.results[0].type)
    result = relaid(of, rows)
    if result is None or (op.name != "memref.subview" and not of.has_static_shape):
        return f"{op.name} merges columns and rows"
    source, written = text.types(op, old), text.types(op, of)
    if not source or not written:
        return f"{op.name} does not write its types"
    more = followed(op.results[0], result, rows, text)
    if isinstance(more, str):
        return more
    pairs = ((source[0], new), (written[-1], result))
    return [*(Edit(span.start, span.end, to) for span, to in pairs), *more]


def _amount(number: int) -> str:
    """A number of a memref type; what is not known is a question mark."""
    return "?" if number < 0 else str(number)
