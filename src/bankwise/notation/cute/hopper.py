"""What TMA writes and wgmma reads on sm_90: swizzle modes, canonical layouts, descriptors.

TMA XORs bits of the *absolute* shared byte address, in groups of 16 bytes. A tile whose base is no
multiple of the pattern's period starts in the middle of it: whoever computes from the tile's start
then reads wrong elements. :func:`tma` refuses such a base.

wgmma reads an operand through a descriptor of two strides. With T elements in 16 bytes and R the
16-byte groups of a swizzled row (1, 2, 4, 8), the layouts that it can describe are, in elements:

    K-major    ((8,m),(T,2)) : ((R T, SBO), (1, T))            none: ((T, SBO), (1, LBO))
    MN-major   ((T,R,m),(8,k)) : ((1, T, LBO), (R T, SBO))     none: ((1, T, SBO), (T, LBO))

Source: CUDA driver API (CUtensorMapSwizzle); NVIDIA CUTLASS@082a375c, include/cute/arch/
mma_sm90_desc.hpp, include/cute/atom/mma_traits_sm90_gmma.hpp; PTX ISA, wgmma matrix descriptor.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from msgspec import Struct

from bankwise.errors import InputError, Refusal
from bankwise.notation.cute.strided import StridedLayout, layout
from bankwise.notation.cute.swizzle import (
    IDENTITY,
    ComposedLayout,
    CuteLayout,
    Swizzle,
    in_elements,
    row_major,
)
from bankwise.notation.values import points

Major = Literal["K", "MN"]

GROUP_BYTES = 16
"""What TMA and wgmma move as a unit."""

ROWS = 8
"""Of a core matrix, and of the pattern of a swizzle."""


class Mode(Struct, frozen=True):
    """A swizzle mode. ``span_bytes``: of one swizzled row; ``alignment_bytes``: of a tile's base.

    ``field``: its number in the layout field of a wgmma descriptor.
    """

    name: str
    swizzle: Swizzle
    span_bytes: int
    alignment_bytes: int
    field: int


MODES: Mapping[str, Mode] = {
    mode.name: mode
    for mode in (
        Mode("none", IDENTITY, 16, 128, 0),
        Mode("32B", Swizzle(1, 4, 3), 32, 256, 3),
        Mode("64B", Swizzle(2, 4, 3), 64, 512, 2),
        Mode("128B", Swizzle(3, 4, 3), 128, 1024, 1),
    )
}
"""The modes by name; the swizzle counts bytes."""


def tma(
    mode: str, rows: int, columns: int, element_bits: int, base_bytes: int = 0
) -> ComposedLayout | Refusal:
    """The box that TMA writes: rows x columns, row-major, swizzled by mode.

    ``base_bytes``: where the box starts in shared memory. A :class:`Refusal` where the rows are
    wider than the mode's span, or the base is not aligned to its period. Raises
    :class:`InputError` for an unknown mode.
    """
    found = _mode(mode)
    row_bytes = columns * element_bits // 8
    if found.swizzle.bits and row_bytes > found.span_bytes:
        return Refusal(
            f"rows of {row_bytes} bytes: the {mode} swizzle takes {found.span_bytes} at most"
        )
    if row_bytes % GROUP_BYTES:
        return Refusal(f"rows of {row_bytes} bytes are no whole number of {GROUP_BYTES}")
    if base_bytes % found.alignment_bytes:
        return Refusal(
            f"a base of {base_bytes} bytes: the {mode} mode needs a multiple of "
            f"{found.alignment_bytes}, else the pattern is shifted against the tile"
        )
    return ComposedLayout(found.swizzle, 0, row_major((rows, columns)), element_bits)


def atom(mode: str, major: Major, element_bits: int) -> ComposedLayout:
    """The smallest layout of a mode: 8 rows of one span, K-major (M x K) or its transpose.

    CUTLASS calls them ``GMMA::Layout_K_SW128_Atom<T>`` and so on.
    """
    found = _mode(mode)
    width = found.span_bytes * 8 // element_bits
    inner = layout((ROWS, width), (width, 1)) if major == "K" else layout((width, ROWS))
    return ComposedLayout(found.swizzle, 0, inner, element_bits)


class MatrixDescriptor(Struct, frozen=True):
    """A wgmma matrix descriptor; all but ``base_offset`` and ``field`` in bytes."""

    start_bytes: int
    leading_bytes: int
    stride_bytes: int
    field: int
    base_offset: int = 0

    @property
    def mode(self) -> Mode:
        """The swizzle mode that ``field`` names."""
        return next(mode for mode in MODES.values() if mode.field == self.field)

    @property
    def bits(self) -> int:
        """The 64-bit descriptor.

        Raises :class:`InputError` where an address or stride is no multiple of 16 bytes or does
        not fit its 14 bits.
        """
        for name in ("start_bytes", "leading_bytes", "stride_bytes"):
            value = getattr(self, name)
            if value % GROUP_BYTES or not 0 <= value // GROUP_BYTES < 1 << 14:
                raise InputError(
                    f"{name} = {value} does not fit a wgmma descriptor",
                    hint="multiples of 16 bytes below 256 KiB",
                )
        return (
            self.start_bytes // GROUP_BYTES
            | self.leading_bytes // GROUP_BYTES << 16
            | self.stride_bytes // GROUP_BYTES << 32
            | self.base_offset << 49
            | self.field << 62
        )


def read_descriptor(bits: int) -> MatrixDescriptor:
    """The descriptor of a 64-bit value; the inverse of ``bits``."""
    if not 0 <= bits < 1 << 64:
        raise InputError(f"{bits:#x} is no 64-bit descriptor")
    start, leading, stride = ((bits >> low & 0x3FFF) * GROUP_BYTES for low in (0, 16, 32))
    return MatrixDescriptor(start, leading, stride, bits >> 62, bits >> 49 & 7)


def canonical(
    mode: str, major: Major, shape: tuple[int, int], descriptor: MatrixDescriptor, element_bits: int
) -> StridedLayout:
    """The strided part of what a descriptor says, M x K or N x K, in elements.

    ``shape``: rows of M or N, and K: multiples of 8 rows (or of a span) and of 2 x 16 bytes.
    """
    found = _mode(mode)
    group = GROUP_BYTES * 8 // element_bits
    leading, stride = (
        v * 8 // element_bits for v in (descriptor.leading_bytes, descriptor.stride_bytes)
    )
    plain = not found.swizzle.bits
    row = found.span_bytes * 8 // element_bits
    rows, depth = shape
    if major == "K":
        inner = leading if plain else group
        return layout(((ROWS, rows // ROWS), (group, depth // group)), ((row, stride), (1, inner)))
    outer, along = (stride, leading) if plain else (leading, stride)
    groups = row // group
    return layout(
        ((group, groups, rows // row), (ROWS, depth // ROWS)), ((1, group, outer), (row, along))
    )


def describe(
    where: CuteLayout, major: Major, element_bits: int, start_bytes: int = 0
) -> MatrixDescriptor | Refusal:
    """The descriptor of one wgmma operand tile, M x K or N x K with K of 32 bytes.

    Compared on every element; a :class:`Refusal` where no descriptor says what the layout says.
    """
    mode = _mode_of(where, element_bits)
    if isinstance(mode, Refusal):
        return mode
    plain = where if isinstance(where, StridedLayout) else where.layout
    if plain.rank != 2:
        return Refusal(f"{where} has rank {plain.rank}: an operand has two modes")
    shape = (plain.mode(0).size, plain.mode(1).size)
    group = GROUP_BYTES * 8 // element_bits
    block = (ROWS, group) if major == "K" else (mode.span_bytes * 8 // element_bits, ROWS)
    if shape[1] != 2 * group or shape[0] % block[0] or shape[1] % block[1]:
        return Refusal(f"a tile of {shape} is no {major}-major operand of {2 * group} deep")
    descriptor = _guess(mode, major, plain, block, element_bits, start_bytes)
    wanted = canonical(mode.name, major, shape, descriptor, element_bits)
    if not np.array_equal(_values(wanted, shape), _values(plain, shape)):
        return Refusal(f"{where} is no canonical {major}-major layout of the {mode.name} mode")
    return descriptor


def _guess(
    mode: Mode,
    major: Major,
    plain: StridedLayout,
    block: tuple[int, int],
    element_bits: int,
    start_bytes: int,
) -> MatrixDescriptor:
    """The strides that the layout has from one block to the next along either dimension."""
    steps = _values(plain, (plain.mode(0).size, plain.mode(1).size))
    down = int(steps[block[0], 0]) if steps.shape[0] > block[0] else 0
    along = int(steps[0, block[1]]) if steps.shape[1] > block[1] else 0
    swapped = major == "MN" and bool(mode.swizzle.bits)
    stride, leading = (along, down) if swapped else (down, along)
    if major == "K" and mode.swizzle.bits:
        leading = GROUP_BYTES * 8 // element_bits
    lengths = (leading * element_bits // 8, stride * element_bits // 8)
    return MatrixDescriptor(start_bytes, lengths[0], lengths[1], mode.field)


def _mode_of(where: CuteLayout, element_bits: int) -> Mode | Refusal:
    """The mode whose swizzle this is, both in elements."""
    if isinstance(where, StridedLayout):
        return MODES["none"]
    plain = in_elements(where)
    if isinstance(plain, Refusal):
        return plain
    for mode in MODES.values():
        wanted = in_elements(ComposedLayout(mode.swizzle, 0, plain.layout, element_bits))
        if wanted == plain or (not mode.swizzle.bits and not plain.swizzle.bits):
            return mode
    return Refusal(f"{where.swizzle} at offset {where.offset} is no swizzle mode of wgmma")


def _values(where: StridedLayout, shape: tuple[int, int]) -> np.typing.NDArray[np.int64]:
    at = points(shape)
    both = where.mode(0).at(at[:, 0]) + where.mode(1).at(at[:, 1])
    return both.reshape(shape)


def _mode(name: str) -> Mode:
    found = MODES.get(name)
    if found is None:
        raise InputError(f"unknown swizzle mode {name!r}", hint="known: " + ", ".join(MODES))
    return found
