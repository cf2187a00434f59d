"""Byte pools whose parts became shorter, or shall become longer: their parts move, and the pool
ends behind the last one.

    %b = memref.view %pool[%c4608][] : memref<9216xi8, ..> to memref<64x32xf16, ..>
      ->
    %b_place = arith.constant 4096 : index
    %b = memref.view %pool[%b_place][] : memref<8192xi8, ..> to memref<64x32xf16, ..>

A pool stays as it is where its text is not written like that (a type alias, say).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from iree.compiler import ir

from bankwise.change.passes.rows import memref
from bankwise.change.passes.statements import Statements, statements, users
from bankwise.read.mlir.kernels import operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.names import called
from bankwise.read.mlir.pools import Pool, place_of, pool_of
from bankwise.read.mlir.source import Edit, apply_edits

_NAME = r"%[\w$.\-]+(?:#\d+)?"
_VIEW = re.compile(
    rf"memref\.view\s+{_NAME}\s*\[\s*(?P<place>{_NAME})\s*\]\s*\[\s*\]\s*:\s*"
    r"(?P<pool>memref<.*>)\s+to\s+memref<",
    re.S,
)


def packed(
    opened: Opened,
    kernel: str,
    names: Iterable[str],
    size: Callable[[ir.Operation], int] | None = None,
) -> str:
    """The text with those pools of a function packed that have a part of these names.

    ``size``: the bytes that a view shall have room for, where that is not what it shows now.
    """
    name, wanted = called(opened), set(names)
    functions = (f for f in operations(opened.module.operation) if f.name.endswith(".func"))
    inside = (f for f in functions if ir.StringAttr(f.attributes["sym_name"]).value == kernel)
    pools = (pool_of(op) for f in inside for op in operations(f) if op.name != "memref.view")
    text = statements(opened)
    edits = [
        edit
        for pool in pools
        if pool is not None and any(name(view) in wanted for view in pool.views)
        for edit in _laid(pool, *(pool.placed(size) if size else pool.packed), text)
    ]
    return apply_edits(opened.source.text, edits)


def _laid(pool: Pool, places: Sequence[int], size: int, text: Statements) -> list[Edit]:
    """The edits of one pool; none where it stays as it is, or one of them cannot be made."""
    old = ir.MemRefType(pool.op.results[0].type)
    if (places, size) == (tuple(place_of(views[0]) for views in pool.parts), old.shape[0]):
        return []
    body = text.body(pool.op)
    head, _, spelled = text.text[body.start : body.end].rpartition(" : ")
    new = memref((size,), old)
    edits = [Edit(body.start + len(head) + 3, body.end, new)]
    for views, place in zip(pool.parts, places, strict=True):
        for view in views:
            edits += (moved := _moved(view, place, spelled, new, text))
            if not moved:
                return []
    for user in users(pool.op.results[0]):
        if user.name != "memref.view":
            found = text.types(user, old)
            edits += [Edit(span.start, span.end, new) for span in found]
    return edits if spelled.startswith("memref<") else []


def _moved(view: ir.Operation, place: int, old: str, new: str, text: Statements) -> list[Edit]:
    body, span = text.body(view), text.span(view)
    found = _VIEW.search(text.code, body.start, body.end)
    if found is None or text.text[slice(*found.span("pool"))] != old:
        return []
    retyped = Edit(*found.span("pool"), new)
    if place == place_of(view):
        return [retyped]
    name = text.fresh(f"{text.name(view).removeprefix('%')}_place")
    made = f"{name} = arith.constant {place} : index{text.indent(view)}"
    return [Edit(span.start, span.start, made), Edit(*found.span("place"), name), retyped]
