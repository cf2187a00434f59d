"""Padding: every row of the tile is followed by elements that nobody uses.

What CUDA's ``[64][65]`` and IREE's padding pass make; the pitch is row + pad. The text is that of
:class:`bankwise.algebra.address.Padded`, ``padded<row=64, pad=1>``.

What it costs depends on the pitch modulo a row of the banks alone, and on the alignment that it
leaves (a pad of less than 16 bytes turns a 16-byte access into two): so a pad of a row of the banks
or more is never needed, and powers of two stand for all that keep the same alignment.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from bankwise.algebra.address import Fold, Padded, RowFolds
from bankwise.algebra.offset import Shape
from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import BANK_BYTES
from bankwise.notation.fold import sizes
from bankwise.notation.framework import Framework, Ground, Language, Member, Setting
from bankwise.notation.values import Mapped, Memory, tabulate
from bankwise.regex import regex

_MOST_PADS = 256
"""The most padded layouts of one tile; a whole bank row of bytes at most."""

PADDINGS_BYTES = (4, 8, 16, 32, 64)
"""Bytes behind a row that are tried: one word, and what keeps 8 or 16 bytes aligned."""

_TEXT = regex(r"\s*padded\s*<\s*row\s*=\s*(\d{1,9})\s*,\s*pad\s*=\s*(\d{1,9})\s*>\s*")


def _read(text: str, shape: Shape, setting: Setting) -> Memory:
    found = _TEXT.fullmatch(text)
    if found is None or not int(found[1]):
        raise InputError(f"{text.strip()!r} is no padding", hint="padded<row=64, pad=4>")
    return Mapped(sizes(shape), Padded(int(found[1]), int(found[2])))


def _write(memory: Memory, ground: Ground) -> object:
    table = tabulate(memory).table
    row = table.shape[-1]
    if table.size == row:
        return Refusal("padding lengthens rows: there is only one")
    pad = int(table.reshape(-1, row)[1, 0]) - row
    found = Padded(row, pad)
    if pad <= 0 or not np.array_equal(found(np.arange(table.size)), table.reshape(-1)):
        return Refusal("no row length agrees: padding keeps every row in order")
    bits = ground.shape.element_bits
    if pad * bits % 8:
        return Refusal(f"a pad of {pad} elements of {bits} bits is no whole bytes")
    return found


def _members(ground: Ground) -> Iterator[Member]:
    """Every pad up to one row of the banks; whole bytes."""
    shape = ground.shape
    if shape.row == shape.elements:
        return
    step = max(1, 8 // shape.element_bits)
    most = min(_MOST_PADS * step, ground.banks * BANK_BYTES * 8 // shape.element_bits)
    for pad in range(step, most, step):
        elements = "element" if pad == 1 else "elements"
        yield Member(f"rows padded by {pad} {elements}", Padded(shape.row, pad))


PADDING = Framework(
    "padding",
    Language("padding", regex(r"\s*padded\s*<"), _read, example="padded<row=64, pad=4>"),
    "rows padded, with the instructions that the alignment allows",
    _members,
    _write,
    notation=False,
)


class Unpadded(Struct, frozen=True):
    """Rows of ``pitch`` elements without the last ``pitch - row`` of each: a padding undone."""

    pitch: int
    row: int

    def __call__(self, offsets: IntArray) -> IntArray:
        """The offsets in the shorter rows; elements of the pad have none."""
        return offsets // self.pitch * self.row + offsets % self.pitch

    def __str__(self) -> str:
        return f"unpadded<pitch={self.pitch}, row={self.row}>"


class PaddedFold(Struct, frozen=True):
    """A fold inside the used columns of rows that are followed by ``pad`` unused elements.

    ``fold``: of the rows without their padding. On offsets in the padded rows; the pad stays.
    """

    fold: RowFolds
    pad: int

    @property
    def row(self) -> int:
        """Elements from row to row."""
        return self.fold.row + self.pad

    @property
    def block(self) -> int:
        """The column moves inside groups of so many elements."""
        return self.fold.block

    @property
    def folds(self) -> tuple[Fold, ...]:
        """The folds, each reading the numbers of the longer rows."""
        each = ((f.divisor // self.fold.row * self.row, f) for f in self.fold.folds)
        return tuple(Fold(divisor, f.unit, f.phases) for divisor, f in each)

    def delta(self, offsets: IntArray) -> IntArray:
        """What each element's column is XORed with, elements."""
        return RowFolds(self.row, self.folds).delta(offsets)

    def __call__(self, offsets: IntArray) -> IntArray:
        """The new offsets."""
        column = offsets % self.row
        moved = np.where(column < self.fold.row, column ^ self.delta(offsets), column)
        return np.asarray(offsets - column + moved)

    def __str__(self) -> str:
        return f"{self.fold}, padded<row={self.fold.row}, pad={self.pad}>"


def row_pads(row: int, element_bits: int) -> Iterator[Padded]:
    """The pads of :data:`PADDINGS_BYTES` that are whole elements."""
    for size in PADDINGS_BYTES:
        if 8 * size % element_bits == 0:
            yield Padded(row, 8 * size // element_bits)


def block_pads(
    elements: int, element_bits: int, unit: int, blocks_bytes: tuple[int, int], most_pad: int
) -> Iterator[Padded]:
    """Pads behind blocks of a flat buffer: powers of two, multiples of ``unit`` elements.

    ``blocks_bytes``: the shortest and the longest block; ``most_pad``: bytes of a pad.
    """
    shortest, longest, most = (8 * b // element_bits for b in (*blocks_bytes, most_pad))
    pad = unit
    while pad <= most:
        block = max(shortest, pad)
        while block < elements and block <= longest:
            yield Padded(block, pad)
            block *= 2
        pad *= 2
