"""What ``bankwise show`` reads besides notations: a padding, a C declaration, an address.

| text | drawn |
|---|---|
| ``pad 1`` | rows with so many unused elements behind each, 32 x 32 unless told otherwise |
| ``float tile[32][33]`` | that array, row after row |
| ``(t*33 + c)*4`` | an index or a byte address of two names; the smaller step is the column's |
| ``lane*132`` | the byte address of every lane, one below the other |
| ``x ^ (x >> 5 & 31)`` | an index of the row-major offset x |
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra.expression import parse
from bankwise.counting.access import IntArray
from bankwise.errors import InputError
from bankwise.read.cxx.type_bytes import TYPE_BYTES

EXAMPLES = ("pad 1", "float tile[32][33]", "(row*33 + col)*4", "lane*132")
_USUAL_BITS = 32
MOST_ELEMENTS = 1 << 16
"""Elements of a tile that is drawn."""
_SIDE = 32
"""Rows, and columns, of a tile that is said for any."""
_PAD = re.compile(r"\s*pad(?:ded|ding)?(?:\s+by)?\s+(\d{1,5})\s*", re.IGNORECASE)
_ARRAY = re.compile(
    r"\s*(?:__shared__\s+|static\s+|volatile\s+|const\s+)*"
    r"(?:(?P<type>[A-Za-z_]\w*(?:\s+(?:int|long))?)\s+)?"
    r"[A-Za-z_]\w*\s*(?P<sizes>(?:\[\s*[\d\s+*-]{1,40}\])+)\s*;?\s*"
)
_ADDRESS = re.compile(r"(?:[\w\s+*^&|~()%/.-]|<<|>>)+")
_NAME = re.compile(r"\b[A-Za-z_][\w.]*")
_OFFSETS = ("x", "offset", "index")
"""Names of the row-major offset of an element."""


class SaidLayout(Struct, frozen=True):
    """``name``: what kind of text it is. ``offsets``: of every row and column, in elements.
    ``assumed``: what neither the text nor an option says, each with the option."""

    name: str
    element_bits: int
    offsets: IntArray
    assumed: tuple[str, ...] = ()


def said_layout(text: str, tile: tuple[int, int] | None, bits: int, wave: int) -> SaidLayout | None:
    """What the text means; None if it is in none of these words.

    ``tile``: rows and columns as told, ``bits`` as told or 0, ``wave``: how many lanes there are.
    Raises :class:`InputError` for what is in these words and cannot be.
    """
    padded, array = _PAD.fullmatch(text), _ARRAY.fullmatch(text)
    if padded:
        rows, columns = tile or (_SIDE, _SIDE)
        found = _rows("padding", rows, columns, columns + int(padded[1]), bits or _USUAL_BITS)
        return _assuming(found, bits=not bits, tile=not tile)
    if array:
        return _array(array["type"], array["sizes"], tile, bits)
    names = list(dict.fromkeys(_NAME.findall(text)))
    if _ADDRESS.fullmatch(text) and names and re.search(r"[+*^%&|/]|<<|>>", text):
        return _address(text, names, tile, bits, wave)
    return None


def drawable(tile: tuple[int, int]) -> tuple[int, int]:
    """The tile, if it is one and not too large."""
    rows, columns = tile
    if not 0 < rows * columns <= MOST_ELEMENTS:
        raise InputError(f"a tile of {rows} x {columns} elements cannot be drawn", hint="--tile")
    return tile


def unsaid(element_bits: int = 0, tile: tuple[int, int] | None = None) -> tuple[str, ...]:
    """What was assumed, in words, each with the option that says otherwise."""
    width = [f"elements of {element_bits} bits (--bits)"] if element_bits else []
    return (*width, *([f"a tile of {tile[0]} x {tile[1]} (--tile)"] if tile else []))


def _assuming(found: SaidLayout, *, bits: bool = False, tile: bool = False) -> SaidLayout:
    rows, columns = found.offsets.shape
    said = unsaid(found.element_bits * bits, (rows, columns) if tile else None)
    return replace(found, assumed=said)


def _rows(name: str, rows: int, columns: int, pitch: int, bits: int) -> SaidLayout:
    drawable((rows, columns))
    return SaidLayout(name, bits, np.arange(rows)[:, None] * pitch + np.arange(columns))


def _array(kind: str | None, said: str, tile: tuple[int, int] | None, bits: int) -> SaidLayout:
    sizes = [int(parse(one, ())()) for one in re.findall(r"\[([^\]]+)\]", said)]
    if len(sizes) < 2 or min(sizes) < 1:
        raise InputError(f"{said} has no rows and columns", hint="float tile[32][33]")
    if kind is not None and kind not in TYPE_BYTES and not bits:
        raise InputError(
            f"how wide is {kind}?", hint=f"--bits, or {', '.join(list(TYPE_BYTES)[:12])}"
        )
    rows, pitch = prod(sizes[:-1]), sizes[-1]
    wanted = tile or (rows, pitch)
    if wanted[0] > rows or wanted[1] > pitch:
        raise InputError(f"the array has {rows} rows of {pitch}, not {wanted[0]} x {wanted[1]}")
    width = bits or (8 * TYPE_BYTES[kind] if kind else _USUAL_BITS)
    return _assuming(_rows("array", *wanted, pitch, width), bits=not (bits or kind))


def _address(
    text: str, names: list[str], tile: tuple[int, int] | None, bits: int, wave: int
) -> SaidLayout:
    known = {name: name.replace(".", "_") for name in names}
    formula = parse(_NAME.sub(lambda match: known[match[0]], text), tuple(known.values()))

    def at(*values: object) -> IntArray:
        given = dict(zip(known.values(), values, strict=True))
        return np.asarray(formula(**given), np.int64)  # type: ignore[arg-type]

    if len(names) == 1 and names[0] in _OFFSETS:
        rows, columns = tile or (_SIDE, _SIDE)
        places = at(np.arange(rows * columns).reshape(rows, columns))
        found = _placed("index", places, bits or _USUAL_BITS)
        return _assuming(found, bits=not bits, tile=not tile)
    if len(names) == 1:
        lanes, width = (tile or (wave, 1))[0], bits or _USUAL_BITS
        found = _of_bytes("address of a lane", at(np.arange(lanes)[:, None]), width)
        return _assuming(found, bits=not bits)
    if len(names) > 2:
        hint = "two names, a row and a column: (row*33 + col)*4"
        raise InputError(f"which of {', '.join(names)} is the row, which the column?", hint=hint)
    found = _of_two(text, at, tile or (_SIDE, _SIDE), bits)
    return _assuming(found, bits=not bits and found.name == "index", tile=not tile)


def _of_two(text: str, at: Callable[..., IntArray], tile: tuple[int, int], bits: int) -> SaidLayout:
    """An index or a byte address, told apart by its step from a column to the next."""
    start, steps = int(at(0, 0)), (int(at(1, 0)), int(at(0, 1)))
    row_first = abs(steps[0] - start) >= abs(steps[1] - start)
    step = (steps[1] if row_first else steps[0]) - start
    rows, columns = np.indices(tile)
    places = at(rows, columns) if row_first else at(columns, rows)
    if step == 1:
        return _placed("index", places, bits or _USUAL_BITS)
    if step in (2, 4, 8, 16) and bits in (0, 8 * step):
        return _of_bytes("address", places, 8 * step)
    raise InputError(
        f"{text.strip()!r} steps by {step} from a column to the next: neither elements nor bytes",
        hint="elements: row*33 + col; bytes of 4-byte elements: (row*33 + col)*4",
    )


def _of_bytes(name: str, places: IntArray, bits: int) -> SaidLayout:
    size = bits // 8
    if (places % size).any():
        raise InputError(
            f"elements of {size} bytes do not begin at multiples of {size} there",
            hint="--bits: how wide an element is",
        )
    return _placed(name, places // size, bits)


def _placed(name: str, places: IntArray, bits: int) -> SaidLayout:
    if places.min() < 0:
        raise InputError(f"the address is {int(places.min())} somewhere: below 0")
    return SaidLayout(name, bits, places)
