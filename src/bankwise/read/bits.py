"""Fields, counts and bytes of integers, in the form of :mod:`bankwise.read.integers`."""

from __future__ import annotations

import numpy as np

from bankwise.read.integers import (
    Array,
    fit,
    join,
    shift_left,
    shift_right_signed,
    shift_right_unsigned,
)

_U32, _U64 = np.uint32, np.uint64
_NONE = _U32(0xFFFFFFFF)


def low_ones(width: Array, bits: int = 32) -> Array:
    """``2 ** width - 1``: all ones from width = bits on."""
    one = fit(np.ones_like(width), bits)
    return fit(shift_left(one, width, bits) - one.dtype.type(1), bits)


def extract_unsigned(x: Array, start: Array, width: Array, bits: int = 32) -> Array:
    """``width`` bits of ``x`` from bit ``start``; beyond the highest bit there are zeros."""
    return shift_right_unsigned(x, start, bits) & low_ones(width, bits)


def extract_signed(x: Array, start: Array, width: Array, bits: int = 32) -> Array:
    """As :func:`extract_unsigned`, the field's highest bit repeated to the left; beyond the highest
    bit of ``x`` there is its sign. No bits give 0."""
    return sign_extend(shift_right_signed(x, start, bits), width, bits)


def insert(x: Array, into: Array, start: Array, width: Array, bits: int = 32) -> Array:
    """``into`` with its ``width`` bits from bit ``start`` on replaced by those of ``x``."""
    field = shift_left(low_ones(width, bits), start, bits)
    return (into & ~field) | (shift_left(x, start, bits) & field)


def sign_extend(x: Array, width: Array | int, bits: int = 32) -> Array:
    """The low ``width`` bits with their sign; no bits give 0."""
    count = np.asarray(width, _U32) if isinstance(width, int) else width
    one = fit(np.ones_like(count), bits)
    top = shift_left(one, np.maximum(count, count.dtype.type(1)) - count.dtype.type(1), bits)
    low = x & low_ones(count, bits)
    return fit((low ^ top) - top, bits) & _nonzero_mask(count, bits)


def _nonzero_mask(count: Array, bits: int) -> Array:
    """All ones where ``count`` is not 0."""
    return fit(np.negative(fit(np.asarray(count != 0), bits)), bits)


def zero_extend(x: Array, width: Array, bits: int = 32) -> Array:
    """The low ``width`` bits."""
    return x & low_ones(width, bits)


def ones(x: Array, bits: int = 32) -> Array:
    """How many bits are set, uint32."""
    kind = "<u4" if bits <= 32 else "<u8"
    every = np.unpackbits(x.astype(kind)[..., None].view(np.uint8), axis=-1)
    return np.asarray(np.add.reduce(every, axis=-1, dtype=_U32))


def reverse(x: Array, bits: int = 32) -> Array:
    """The bits in the opposite order."""
    kind = "<u4" if bits <= 32 else "<u8"
    every = np.unpackbits(x.astype(kind)[..., None].view(np.uint8), axis=-1, bitorder="little")
    packed = np.packbits(every[..., ::-1], axis=-1, bitorder="little")
    whole = np.ascontiguousarray(packed).view(kind)[..., 0].astype(x.dtype)
    return np.asarray(whole >> x.dtype.type(8 * x.dtype.itemsize - bits))


def trailing_zeros(x: Array, bits: int = 32) -> Array:
    """Zeros below the lowest set bit, ``bits`` if there is none; uint32."""
    below = fit(~x & (x - x.dtype.type(1)), bits)
    return ones(below, bits)


def leading_zeros(x: Array, bits: int = 32) -> Array:
    """Zeros above the highest set bit, ``bits`` if there is none; uint32."""
    return trailing_zeros(reverse(x, bits), bits)


def lowest_one(x: Array) -> Array:
    """The position of the lowest set bit of 32; all ones if there is none."""
    return np.where(x == 0, _NONE, trailing_zeros(x)).astype(_U32)


def highest_one(x: Array) -> Array:
    """The position of the highest set bit of 32; all ones if there is none."""
    return np.where(x == 0, _NONE, _U32(31) - leading_zeros(x)).astype(_U32)


def zeros_above(x: Array) -> Array:
    """Zeros above the highest set bit of 32; all ones if there is none."""
    return np.where(x == 0, _NONE, leading_zeros(x)).astype(_U32)


def pick_bytes(low: Array, high: Array, selector: Array) -> list[Array]:
    """The four bytes that ``selector`` picks of the eight of ``join(low, high)``, by the low three
    bits of each of its own bytes; the caller treats the others."""
    both = join(*np.broadcast_arrays(low, high))
    picked = []
    for at in range(4):
        index = (selector >> _U32(8 * at)).astype(_U64) & _U64(7)
        picked.append(((both >> (index * _U64(8))) & _U64(0xFF)).astype(_U32))
    return picked


def from_bytes(parts: list[Array]) -> Array:
    """One uint32 of four byte values, lowest first."""
    out = parts[0]
    for at, part in enumerate(parts[1:], 1):
        out = out | (part << _U32(8 * at))
    return out


def permute_bytes(low: Array, high: Array, selector: Array) -> Array:
    """NVIDIA's prmt: each nibble picks a byte of ``high:low``; its top bit repeats that byte's
    sign instead."""
    spread = from_bytes([(selector >> _U32(4 * n)) & _U32(15) for n in range(4)])
    parts = []
    for at, byte in enumerate(pick_bytes(low, high, spread)):
        sign = (selector >> _U32(4 * at)) & _U32(8)
        parts.append(np.where(sign > 0, (byte >> _U32(7)) * _U32(0xFF), byte))
    return from_bytes(parts).astype(_U32)
