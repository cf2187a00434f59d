"""Layouts that have a meaning for every tile: what one kernel template can write for all its sizes.

    row-major                          rows as they are
    rows padded by 8 bytes             whatever the row; what IREE does unasked
    Swizzle<3,3,3>                     of the flat offset in elements, whatever the row (CuTe)
    Swizzle<3,4,3> of bytes            the same for types of any width
    16-byte chunk ^= row/2 % 4         Triton's vec, perPhase, maxPhase; Wave's unit, max_phase
    16-byte chunk ^= row/2             modulo the chunks of a row: IREE's xor_shuffle<row, ..>
    8-byte chunk ^= row % 16 ^ chunk/16 % 2      and with the bits above those that it changes
    16-byte chunk ^= row by lines of 128 bytes   row / (128 / g) % (g / 16), g = gcd(row bytes, 128)
    rows rotated by 16 bytes per 2     any row; IREE's rotate_rows

By lines the XOR fits itself to the row: as many rows share a number as begin in one line of the
banks, and no more chunks are exchanged than every row has.

A :class:`LayoutRule` places the elements of one tile, or says why that tile has no such layout. Two
rules may be the same map on a tile, and on all tiles of a sweep.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import gcd
from typing import Literal

import numpy as np
from msgspec import Struct

from bankwise.algebra.address import AddressMap, Fold, Identity, Padded, Rotated, RowFolds
from bankwise.algebra.offset import Shape
from bankwise.errors import Refusal

RuleKind = Literal["row-major", "padding", "rotation", "XOR of chunks", "XOR by lines", "Swizzle"]

_PADS_BYTES = range(4, 256, 4)
"""Up to a row of 64 banks: what a pad costs depends on the pitch modulo that."""
_CHUNKS_BYTES = (4, 8, 16, 32, 64)
_ROWS_PER_STEP = (1, 2, 4, 8)
_PHASES = (2, 4, 8, 16, 32)
_ABOVE = (2, 4)
_LINES_BYTES = (64, 128, 256, 512)
_SWIZZLES = tuple((b, m, s) for b, m, s in product(range(1, 6), range(7), range(1, 10)) if s >= b)


class LayoutRule(Struct, frozen=True):
    """``numbers``: of the kind, as the name says them; ``by``: what they count."""

    name: str
    kind: RuleKind
    numbers: tuple[int, ...] = ()
    by: Literal["bytes", "elements"] = "bytes"

    @property
    def about(self) -> str:
        """The rule of a name that does not say it; "" where it does."""
        if self.kind != "XOR by lines":
            return ""
        unit, line, *above = self.numbers
        more = f" ^ chunk/(g/{unit}) % {above[0]}" if above else ""
        phase = f"row/({line}/g) % (g/{unit})"
        return f"{unit}-byte chunk ^= {phase}{more}, g = gcd(bytes of a row, {line})"

    def place(self, shape: Shape) -> AddressMap | Refusal:
        """The layout of one tile."""
        if self.kind == "row-major":
            return Identity()
        first, *rest = self.numbers
        if self.kind == "Swizzle":
            return _swizzle(shape, self.numbers, self.by == "bytes")
        unit = _elements(first, shape)
        if isinstance(unit, Refusal):
            return unit
        if self.kind == "padding":
            return Padded(shape.row, unit) if shape.row < shape.elements else _ONE_ROW
        if shape.row % unit:
            return Refusal(f"rows of {shape.row} elements are no whole chunks of {unit}")
        if self.kind == "rotation":
            return Rotated(shape.row, unit, rest[0])
        if self.kind == "XOR by lines":
            return _by_lines(shape, unit, *rest)
        return _chunks(shape, unit, *rest)


_TOO_MANY = Refusal("more bits are folded in than it changes")
_ONE_ROW = Refusal("there is only one row")


@lru_cache(maxsize=1)
def layout_rules() -> tuple[LayoutRule, ...]:
    """All that are tried, the simplest first."""
    first = LayoutRule("row-major", "row-major")
    return (first, *_pads(), *_folds(), *_lines(), *_swizzles(), *_rotations())


def _pads() -> Iterator[LayoutRule]:
    for pad in _PADS_BYTES:
        yield LayoutRule(f"rows padded by {pad} bytes", "padding", (pad,))


def _folds() -> Iterator[LayoutRule]:
    for unit, per, phases in product(_CHUNKS_BYTES, _ROWS_PER_STEP, (0, *_PHASES)):
        step = f"row/{per}" if per > 1 else "row"
        modulo = f" % {phases}" if phases else ""
        name = f"{unit}-byte chunk ^= {step}{modulo}"
        yield LayoutRule(name, "XOR of chunks", (unit, per, phases))
        for above in _ABOVE if phases else ():
            more = f"{name} ^ chunk/{phases} % {above}"
            yield LayoutRule(more, "XOR of chunks", (unit, per, phases, above))


def _lines() -> Iterator[LayoutRule]:
    for unit, line in product(_CHUNKS_BYTES, _LINES_BYTES):
        if unit < line:
            name = f"{unit}-byte chunk ^= row by lines of {line} bytes"
            yield LayoutRule(name, "XOR by lines", (unit, line))
            more = f"{name} ^ chunk/(g/{unit}) % 2"
            yield LayoutRule(more, "XOR by lines", (unit, line, 2))


def _swizzles() -> Iterator[LayoutRule]:
    for numbers in _SWIZZLES:
        name = f"Swizzle<{','.join(map(str, numbers))}>"
        yield LayoutRule(name, "Swizzle", numbers, "elements")
        yield LayoutRule(f"{name} of bytes", "Swizzle", numbers)


def _rotations() -> Iterator[LayoutRule]:
    for unit, per in product(_CHUNKS_BYTES, _ROWS_PER_STEP):
        every = f" per {per}" if per > 1 else ""
        yield LayoutRule(f"rows rotated by {unit} bytes{every}", "rotation", (unit, per))


def _elements(size_bytes: int, shape: Shape) -> int | Refusal:
    found, left = divmod(8 * size_bytes, shape.element_bits)
    return Refusal(f"{size_bytes} bytes are no whole elements") if left else found


def _chunks(shape: Shape, unit: int, per: int, phases: int, above: int = 0) -> AddressMap | Refusal:
    """Chunks of a row XORed with its number; without phases, as many as a row has chunks.
    ``above``: values of the chunk bits above those, which are folded in, too."""
    phases = phases or shape.row // unit
    if phases & (phases - 1):
        return Refusal(f"rows have {phases} chunks of {unit} elements: no power of two")
    fold = _whole(Fold(shape.row * per, unit, phases), shape)
    more = _whole(Fold(unit * phases, unit, above), shape) if above else fold
    if isinstance(fold, Fold) and isinstance(more, Fold) and above:
        return RowFolds(shape.row, (fold, more)) if above <= phases else _TOO_MANY
    return more if isinstance(fold, Identity) else fold


def _by_lines(shape: Shape, unit: int, line_bytes: int, above: int = 0) -> AddressMap | Refusal:
    """Chunks of a row XORed with the number of the group of rows that it is in."""
    line = _elements(line_bytes, shape)
    if isinstance(line, Refusal):
        return line
    common = gcd(shape.row, line)
    if common < unit or common % unit:
        return Refusal(f"rows of {shape.row} elements share {common} with a line of {line}")
    return _chunks(shape, unit, line // common, common // unit, above)


def _swizzle(shape: Shape, numbers: tuple[int, ...], of_bytes: bool) -> AddressMap | Refusal:
    bits, base, shift = numbers
    if of_bytes:
        element = shape.element_bits // 8
        base -= element.bit_length() - 1
        if not element or base < 0:
            return Refusal("its chunks are no whole elements")
    return _whole(Fold(1 << (base + shift), 1 << base, 1 << bits), shape)


def _whole(fold: Fold, shape: Shape) -> AddressMap | Refusal:
    """The fold, if it permutes the tile; row-major where the tile ends before anything moves."""
    if fold.phases == 1 or fold.divisor >= shape.elements:
        return Identity()
    size = "x".join(str(size) for _, size in reversed(shape.dims))
    if fold.divisor % fold.block:
        step = f"a step of {fold.divisor} elements is no whole blocks of {fold.block}"
        return Refusal(f"it does not permute a tile of {size}: {step}")
    tail = np.arange(shape.elements - shape.elements % fold.block, shape.elements)
    if (fold(tail) >= shape.elements).any():
        return Refusal(f"it moves elements out of a tile of {size}")
    return fold
