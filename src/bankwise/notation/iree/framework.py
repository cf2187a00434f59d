"""IREE's two swizzles as frameworks: ``xor_shuffle<W, a, S, p>`` and ``rotate_rows<W, a>``."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from bankwise.algebra.address import Fold, Padded, Rotated
from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.notation.fold import divisors, fold_of, folded_tile, sizes, steps, unfolded
from bankwise.notation.framework import Framework, Ground, Language, Member, Setting
from bankwise.notation.iree.attributes import (
    NestedLayout,
    RotateRows,
    XorShuffle,
    legality,
    padded,
    parse,
    swizzle,
)
from bankwise.notation.linear import is_power_of_two
from bankwise.notation.mfma import Mfma, operand
from bankwise.notation.values import Distribution, Mapped, Memory, collision, tabulate

_PADDING = re.compile(r"iree-codegen-gpu-reduce-bank-conflicts\{padding-bits=(\d{1,6})\}")
_UNASKED_BITS = 64
_SIGN = re.compile(
    r"\s*(#iree_|iree-codegen-|(xor_shuffle|rotate_rows|nested_layout|mma_layout)\s*<)"
)


def _read(text: str, shape: Shape, setting: Setting) -> Memory:
    padding = _PADDING.fullmatch(text.strip())
    if padding:
        return padded(sizes(shape), shape.element_bits, int(padding[1]))
    return Mapped(sizes(shape), swizzle(text))


def _hold(text: str, shape: Shape, setting: Setting) -> Distribution | Refusal:
    found = parse(text)
    if isinstance(found, Refusal):
        return found
    if isinstance(found, NestedLayout):
        return found.spread(lanes=setting.machine.wave_size)
    if isinstance(found, Mfma):
        return operand(found, setting.operand)
    raise InputError(
        f"{text.strip()!r} is a memory layout, no distribution",
        hint="nested_layout<..> or mma_layout<..>",
    )


def _fault(memory: Memory) -> str:
    if isinstance(memory, Mapped) and isinstance(memory.address, XorShuffle | RotateRows):
        elements = int(np.prod(memory.shape))
        found = legality(memory.address, elements)
        return str(found) if found else ""
    clash = collision(memory)
    return str(clash) if clash else ""


def _unasked(shape: Shape) -> Member | None:
    """Rows padded by 64 bits: what IREE's GPU pipelines pass to the padding pass, 3.13.0."""
    if shape.row == shape.elements or _UNASKED_BITS % shape.element_bits:
        return None
    pad = Padded(shape.row, _UNASKED_BITS // shape.element_bits)
    return Member(f"what IREE does unasked: rows padded by {_UNASKED_BITS} bits", pad)


_IREE = Language(
    "iree",
    _SIGN,
    _read,
    _hold,
    _fault,
    kernels=r"_dispatch_\d+",
    heads=r"\biree\b|iree-compile",
    unasked=_unasked,
    example="#iree_codegen.xor_shuffle<64, 8>",
)


def _shuffle(fold: Fold | None, shape: Shape) -> XorShuffle | None:
    """The shuffle that is a fold: rows as wide as the tile's if possible, else the narrowest.

    ``S * p`` is the fold's divisor. Phases that are never reached leave the width free.
    """
    if fold is None:
        return XorShuffle(shape.elements, shape.elements)
    for width in sorted(_widths(fold, shape), key=lambda w: (w != shape.row, w)):
        strides = _strides(fold, width)
        if strides:
            stride = shape.row if shape.row in strides else strides[0]
            phase = fold.divisor // stride
            if phase > 1:
                return XorShuffle(width, fold.unit, stride, phase)
            return XorShuffle(width, fold.unit, stride if stride != width else 0)
    return None


def _widths(fold: Fold, shape: Shape) -> list[int]:
    """Row widths whose groups count as the fold's phases do, and tile the elements."""
    everything = fold.phases * fold.divisor >= shape.elements
    if not is_power_of_two(fold.phases):
        return []
    if not everything:
        return [fold.block]
    return [w for w in divisors(shape.elements) if w % fold.block == 0] or [fold.block]


def _strides(fold: Fold, width: int) -> list[int]:
    """Row strides, ascending: multiples of the width, at most as many phases as groups."""
    phases = [1 << bit for bit in range((width // fold.unit).bit_length())]
    found = {fold.divisor // p for p in phases if fold.divisor % p == 0}
    return sorted(s for s in found if s % width == 0)


def _write_shuffle(memory: Memory, ground: Ground) -> object:
    fold = fold_of(memory)
    if isinstance(fold, Refusal):
        return Refusal(f"no xor_shuffle<W, a, S, p> agrees: {fold.reason}")
    return _shuffle(fold, ground.shape) or Refusal(
        "no xor_shuffle<W, a, S, p> agrees: it XORs a group number with (row / p) mod (W / a) "
        "only, p at most W / a"
    )


def _shuffles(ground: Ground) -> Iterator[Member]:
    shape = ground.shape
    yield Member("row-major", unfolded(shape))
    for fold, address in folded_tile(shape):
        said = _shuffle(fold, shape)
        if said is not None:
            numbers = (said.row_width, said.access_width, said.stride, said.per_phase or 1)
            label = f"xor_shuffle<{', '.join(map(str, numbers))}>"
            yield Member(label, address)


XOR_SHUFFLE = Framework(
    "iree",
    _IREE,
    "IREE xor_shuffle<width, unit, stride, per_phase>",
    _shuffles,
    _write_shuffle,
    flat=True,
)


def _write_rotation(memory: Memory, ground: Ground) -> object:
    """The first element that moves begins the second row; it moves by one group."""
    table = tabulate(memory).table.reshape(-1)
    places = np.arange(table.size)
    moved = np.flatnonzero(table != places)
    if not moved.size:
        return RotateRows(table.size, table.size)
    width = int(moved[0])
    group = int(table[width]) - width
    if width and group > 0 and width % group == 0:
        found = RotateRows(width, group)
        if np.array_equal(found(places), table):
            return found
    return Refusal("no rotate_rows<W, a> agrees: it adds the row number to a group number")


def _rotations(ground: Ground) -> Iterator[Member]:
    """Rows of the tile or whole numbers of them, and powers of two; the last row may be cut off."""
    shape = ground.shape
    yield Member("row-major", unfolded(shape))
    wide = (shape.row * n for n in steps(shape.elements // shape.row))
    powers = (1 << bit for bit in range((shape.elements - 1).bit_length()))
    for width in sorted({*wide, *powers}, key=lambda w: (w != shape.row, w)):
        tail = np.arange(shape.elements - shape.elements % width, shape.elements)
        for group in (g for g in divisors(width) if g < width < shape.elements):
            address = Rotated(width, group)
            if (address(tail) < shape.elements).all():
                yield Member(f"rotate_rows<{width}, {group}>", address)


ROTATE_ROWS = Framework(
    "iree rotate_rows", _IREE, "IREE rotate_rows<width, unit>", _rotations, _write_rotation
)
