"""ThunderKittens' shared tiles: ``st_bf<64, 64>``, ``st<float, 32, 64, true, 64>``.

A tile lies in blocks of S bytes of every row, S being 128, 64 or 32 by its width or said last; in
a block row follows row, and chunks of 16 bytes are exchanged by the bits above 128 bytes:

    at = (column / (S / size) * rows + row) * S + column mod (S / size) * size
    byte = at ^ (at mod (8 * S) / 128 * 16)

``false`` as fourth argument is row-major. Source: ``st::idx`` of include/types/shared/st.cuh,
HazyResearch/ThunderKittens@0b55588d; a tile begins at a multiple of 8 * S bytes, as its allocator
aligns it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from bankwise.algebra.offset import Shape
from bankwise.errors import InputError
from bankwise.notation.framework import Language, Setting
from bankwise.notation.values import Memory, MemoryTable, limit
from bankwise.regex import regex

_BASE = 16
"""Rows of a base tile, and its columns of 2 and 4 bytes; of single bytes it has twice as many."""
SIZES: Mapping[str, int] = {
    **dict.fromkeys(("bf16", "bf", "half", "hf", "fp16"), 2),
    **dict.fromkeys(("float", "fl"), 4),
    **dict.fromkeys(("fp8e4m3", "fp8e5m2", "fp8e8m0", "int8"), 1),
}
"""Bytes of an element, by the names of its type."""
_TEXT = regex(
    r"\s*(?:kittens::)?st(?:_(?P<short>\w+))?\s*<\s*(?:(?:kittens::)?(?P<kind>[a-z]\w*)\s*,\s*)?"
    r"(?P<rows>\d{1,5})\s*,\s*(?P<columns>\d{1,5})\s*(?:,\s*(?P<swizzle>true|false)\s*)?"
    r"(?:,\s*(?P<bytes>\d{1,3})\s*)?>\s*;?\s*"
)
_HINT = "st_bf<64, 64>, st<bf16, 64, 64>, st<float, 32, 64, true, 64>, or st<bf16, 64, 64, false>"


def tile_type(
    text: str, shape: Shape, grammar: re.Pattern[str], library: str, hint: str
) -> tuple[re.Match[str], str]:
    """The type of a shared tile of a library, and the name of its elements: those of ``shape``.

    ``grammar`` has the groups ``short`` (``st_bf``) and ``kind`` (``st<bf16, ..``), one of which
    the text says.

    Raises:
        InputError: no such type, or elements of another size.
    """
    found = grammar.fullmatch(text)
    kind = (found["short"] or found["kind"] or "") if found else ""
    if found is None or kind not in SIZES or bool(found["short"]) == bool(found["kind"]):
        raise InputError(f"{text.strip()[:60]!r} is no shared tile of {library}", hint=hint)
    if (bits := SIZES[kind] * 8) != shape.element_bits:
        message = f"a tile of {kind} has elements of {bits} bits, not {shape.element_bits}"
        raise InputError(message)
    rows, columns = int(found["rows"]), int(found["columns"])
    limit(f"a tile of {rows} x {columns}", rows * columns)
    return found, kind


def _read(text: str, shape: Shape, setting: Setting) -> Memory:
    found, kind = tile_type(text, shape, _TEXT, "ThunderKittens", _HINT)
    size, rows, columns = SIZES[kind], int(found["rows"]), int(found["columns"])
    if found["swizzle"] == "false":
        _check(rows, columns, 1, _BASE)
        return MemoryTable(np.arange(rows * columns).reshape(rows, columns), rows * columns)
    base = _BASE * 2 if size == 1 else _BASE
    _check(rows, columns, _BASE, base)
    said = int(found["bytes"] or 0)
    if said not in (0, 32, 64, 128) or columns * size % max(said, 1):
        raise InputError(f"a swizzle of {said} bytes", hint="32, 64 or 128, which divide a row")
    return blocks(rows, columns, size, said or _width(columns // base, size))


def blocks(rows: int, columns: int, size: int, block: int) -> MemoryTable:
    """Blocks of ``block`` bytes of every row one behind the other, their chunks exchanged; TileLang
    lays tiles out likewise."""
    row, column = np.indices((rows, columns), dtype=np.int64)
    along = block // size
    at = (column // along * rows + row) * block + column % along * size
    return MemoryTable((at ^ (at % (8 * block) // 128 * 16)) // size, rows * columns)


def _width(blocks: int, size: int) -> int:
    """Bytes of a block where none are said: the most that divide the row, 64 at least of floats."""
    if size == 4:
        return 64 if blocks % 2 else 128
    return 32 if blocks % 2 else 64 if blocks % 4 else 128


def _check(rows: int, columns: int, of_rows: int, of_columns: int) -> None:
    if not rows or not columns or rows % of_rows or columns % of_columns:
        hint = f"rows are multiples of {of_rows}, columns of {of_columns}"
        raise InputError(f"a shared tile of {rows} x {columns}", hint=hint)


def _others(text: str, shape: Shape, plans: Iterable[Memory]) -> Iterator[str]:
    """The same tile with each swizzle, then without; those that it does not have cannot be read."""
    found = _TEXT.fullmatch(text)
    if found is not None:
        said = ("", *(f", true, {size}" for size in (128, 64, 32)), ", false")
        yield from (text[: found.end("columns")] + one + ">" for one in said)


KITTENS = Language(
    "kittens",
    regex(r"\s*(?:kittens::)?st(?:_\w+)?\s*<"),
    _read,
    others=_others,
    example="st_bf<64, 64>",
)
"""No framework of its own: its swizzles are few, and its matrix instructions decide among them."""
