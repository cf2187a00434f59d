"""*repad*: another padding behind the rows of tiles that are padded already.

    memref<64x36xf16>  ->  memref<64x32xf16>  ->  memref<64x40xf16>

Their padding goes first, then byte pools get the room, then rows get longer. It is the text that a
framework writes with that padding, to be compiled and counted; nobody proves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import prod

from iree.compiler import ir
from msgspec import Struct

from bankwise.algebra.address import Padded
from bankwise.change.passes.pool_places import packed
from bankwise.change.passes.rows import Rows, allocating, in_rows
from bankwise.change.passes.statements import statements
from bankwise.errors import InputError, Refusal
from bankwise.notation.padding import Unpadded
from bankwise.read.mlir.kernels import kernels
from bankwise.read.mlir.module import Opened, open_text
from bankwise.read.mlir.names import Called, called
from bankwise.read.mlir.source import apply_edits
from bankwise.read.mlir.views import bytes_of


class PaddedTiles(Struct, frozen=True):
    """Tiles that share their rows: names, the rows as they are, and ``pad``: elements to be."""

    names: frozenset[str]
    rows: Unpadded
    pad: int


def repadded(opened: Opened, kernel: str, tiles: tuple[PaddedTiles, ...]) -> Opened | Refusal:
    """The text of a kernel with these paddings, or why it cannot be written."""
    names = frozenset[str]().union(*(each.names for each in tiles))
    pads = {each.names: Padded(each.rows.row, each.pad) for each in tiles if each.pad}
    try:
        text = _in_rows(opened, kernel, {each.names: each.rows for each in tiles})
        text = _again(text, packed(text, kernel, names))
        if pads:
            name = called(text)
            longer = {one: rows for some, rows in pads.items() for one in some}
            size = partial(_bytes, longer, name)
            text = _in_rows(_again(text, packed(text, kernel, names, size)), kernel, pads)
    except _UnwrittenError as error:
        return Refusal(f"another padding cannot be written: {error}")
    except InputError as error:
        return Refusal(f"the text with another padding: {error.message}")
    return text


class _UnwrittenError(Exception):
    """Why rows stay as they are."""


def _in_rows(opened: Opened, kernel: str, wanted: Mapping[frozenset[str], Rows]) -> Opened:
    [function] = [each.op for each in kernels(opened) if each.name == kernel]
    text, name = statements(opened), called(opened)
    edits = []
    for names, rows in wanted.items():
        ops = allocating(function, {*names}, name)
        found = in_rows(ops, rows, text) if ops else "something else allocates it"
        if isinstance(found, str):
            raise _UnwrittenError(f"{', '.join(sorted(names))}: {found}")
        edits += found
    return _again(opened, apply_edits(opened.source.text, edits))


def _again(opened: Opened, text: str) -> Opened:
    return open_text(text, opened.source.file)


def _bytes(longer: Mapping[str, Padded], name: Called, view: ir.Operation) -> int:
    """Of a view in its longer rows."""
    of, called_so = ir.MemRefType(view.results[0].type), name(view.results[0])
    *outer, row = of.shape
    pad = longer[called_so].pad if called_so in longer else 0
    return int(prod(outer) * (row + pad)) * (bytes_of(of.element_type) or 0)
