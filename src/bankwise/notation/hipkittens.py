"""HipKittens' shared tiles: ``st_bf<64, 64, st_16x32_s>``, ``st<half, 32, 64, st_8x32_s>``.

A tile is made of subtiles of the shape that it names, row by row, each whole behind the last. In a
subtile rows follow each other, and bits of the byte are exchanged, by the size of an element:

    at = (row * columns + column) * size        row and column in the subtile of that many columns
    byte = subtile * subtile bytes + (at ^ (at mod M >> d << u) ^ ..)

Source: ``st::swizzle`` of include/types/shared/st_shape.cuh, the order of subtiles of st.cuh and of
``load`` in include/ops/warp/memory/tile/shared_to_register.cuh, HazyResearch/HipKittens@f09e9685.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from msgspec import Struct

from bankwise.algebra.offset import Shape
from bankwise.errors import InputError
from bankwise.notation.framework import Language, Setting
from bankwise.notation.kittens import SIZES, tile_type
from bankwise.notation.values import Memory, MemoryTable
from bankwise.regex import regex


class _Subtile(Struct, frozen=True):
    """``exchanged``: by the bytes of an element, the (M, d, u) of the formula; of a size that is
    not there the shape has no tile."""

    rows: int
    columns: int
    exchanged: Mapping[int, tuple[tuple[int, int, int], ...]]


_SUBTILES: Mapping[str, _Subtile] = {
    "16x16": _Subtile(16, 16, {2: (), 4: ()}),
    "16x16_swizzled": _Subtile(16, 16, {2: ((512, 7, 3),), 4: ()}),
    "32x32": _Subtile(32, 32, {2: ((1024, 9, 5), (2048, 10, 4)), 4: ()}),
    "16x32": _Subtile(16, 32, {2: ((1024, 9, 5),), 4: ()}),
    "32x16": _Subtile(32, 16, {2: ((1024, 9, 4),), 4: ()}),
    "8x32": _Subtile(8, 32, {2: (), 4: ()}),
    "16x128": _Subtile(16, 128, {1: ((2048, 8, 4),)}),
}
_BEGIN = r"\s*(?:kittens::)?st(?:_(?P<short>\w+))?\s*<\s*"
_SHAPE = r"(?:kittens::)?(?:ducks::st_shape::)?st_(?P<shape>\d+x\d+(?:_swizzled)?)(?:_s)?"
_TEXT = regex(
    rf"{_BEGIN}(?:(?:kittens::)?(?P<kind>[a-z]\w*)\s*,\s*)?"
    rf"(?P<rows>\d{{1,5}})\s*,\s*(?P<columns>\d{{1,5}})\s*,\s*{_SHAPE}\s*>\s*;?\s*"
)
_HINT = "st_bf<64, 64, st_16x32_s>, st<half, 64, 64, st_32x32_s>, st_fp8e4m3<64, 128, st_16x128_s>"


def _read(text: str, shape: Shape, setting: Setting) -> Memory:
    found, kind = tile_type(text, shape, _TEXT, "HipKittens", _HINT)
    name, size = found["shape"], SIZES[kind]
    if name not in _SUBTILES:
        raise InputError(f"unknown shape st_{name}", hint=f"known: {', '.join(_SUBTILES)}")
    subtile, rows, columns = _SUBTILES[name], int(found["rows"]), int(found["columns"])
    if size not in subtile.exchanged:
        sizes = " and ".join(str(8 * one) for one in subtile.exchanged)
        raise InputError(f"st_{name} has elements of {sizes} bits, not {size * 8}")
    if not rows or not columns or rows % subtile.rows or columns % subtile.columns:
        hint = f"rows are multiples of {subtile.rows}, columns of {subtile.columns}"
        raise InputError(f"a shared tile of {rows} x {columns} of st_{name}", hint=hint)
    return _table(rows, columns, size, subtile)


def _table(rows: int, columns: int, size: int, subtile: _Subtile) -> MemoryTable:
    row, column = np.indices((rows, columns), dtype=np.int64)
    number = row // subtile.rows * (columns // subtile.columns) + column // subtile.columns
    inside = row % subtile.rows * subtile.columns + column % subtile.columns
    byte = inside * size
    for modulus, down, up in subtile.exchanged[size]:
        byte = byte ^ (inside * size % modulus >> down << up)
    table = number * (subtile.rows * subtile.columns) + byte // size
    return MemoryTable(table, rows * columns)


def _others(text: str, shape: Shape, plans: Iterable[Memory]) -> Iterator[str]:
    """The same tile of each shape; those that do not fit cannot be read."""
    found = _TEXT.fullmatch(text)
    if found is not None:
        yield from (f"{text[: found.end('columns')]}, st_{name}_s>" for name in _SUBTILES)


HIPKITTENS = Language(
    "hipkittens",
    regex(rf"{_BEGIN}[^<>]*,\s*{_SHAPE}\s*>"),
    _read,
    others=_others,
    proviso="the register tiles that load it and store into it have to take this shape",
)
"""No framework of its own: its shapes are few, and its loads decide among them."""
