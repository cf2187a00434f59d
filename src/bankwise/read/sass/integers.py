"""What SASS integer instructions compute, on uint32 arrays.

Source: no instruction is documented beyond one line in NVIDIA's CUDA Binary Utilities; each meaning
here was inferred from what ptxas makes of PTX whose meaning is documented, and is held against
PTX-level answers and hardware counters by the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.read.follow import arithmetic
from bankwise.read.follow.arithmetic import halves, join, signed
from bankwise.read.follow.values import Array

Function = Callable[..., Array]
_U32, _U64, _I64 = np.uint32, np.uint64, np.int64
_WORD = _U64(0xFFFFFFFF)


def low(value: Array) -> Array:
    """The low 32 bits."""
    return halves(value.view(_U64) if value.dtype == _I64 else value.astype(_U64))[0]


def wide(value: Array, is_signed: bool) -> Array:
    """32 bits as a number of 64: int64 or uint64."""
    return signed(value).astype(_I64) if is_signed else value.astype(_U64)


def product(a: Array, b: Array, is_signed: bool) -> Array:
    """The 64 bits of a product."""
    found = wide(a, is_signed) * wide(b, is_signed)
    return found.view(_U64) if is_signed else found


def shift_pair(
    lo: Array, count: Array, hi: Array, *, left: bool, is_signed: bool, wrap: bool, bits: int
) -> Array:
    """SHF: the 64 bits hi:lo shifted; counts wrap at ``bits``, or stop there."""
    n = count.astype(_U64)
    n = n & _U64(bits - 1) if wrap else np.minimum(n, _U64(bits))
    value, most = join(*np.broadcast_arrays(lo, hi)), np.minimum(n, _U64(63))
    if left:
        return np.where(n > 63, _U64(0), value << most)
    if is_signed:
        return (value.view(_I64) >> most.astype(_I64)).view(_U64)
    return np.where(n > 63, _U64(0), value >> most)


def mask(start: Array, width: Array) -> Array:
    """BMSK: ``width`` ones from bit ``start`` on; what lies beyond bit 31 is lost."""
    ones = (_U64(1) << np.minimum(width, _U32(32)).astype(_U64)) - _U64(1)
    return low(ones << np.minimum(start, _U32(32)).astype(_U64))


def extend(value: Array, bits: Array, is_signed: bool) -> Array:
    """SGXT: the low ``bits`` bits, with their sign or with zeros."""
    left = (_U32(32) - np.minimum(bits, _U32(32))).astype(_U64)
    moved = low(value.astype(_U64) << left)
    if is_signed:
        return low(wide(moved, True) >> left.astype(_I64))
    return low(moved.astype(_U64) >> left)


def permute(a: Array, selector: Array, c: Array) -> Array:
    """PRMT: each nibble picks a byte of c:a; its top bit repeats that byte's sign."""
    spread = arithmetic.from_bytes([(selector >> _U32(4 * n)) & _U32(15) for n in range(4)])
    parts = []
    for at, byte in enumerate(arithmetic.permute_bytes(a, c, spread)):
        sign = (selector >> _U32(4 * at)) & _U32(8)
        parts.append(np.where(sign > 0, (byte >> _U32(7)) * _U32(0xFF), byte))
    return arithmetic.from_bytes(parts).astype(_U32)


def pick(first: Array, second: Array, smaller: Array, is_signed: bool) -> Array:
    """The smaller of two where ``smaller`` holds, the larger elsewhere."""
    below = wide(first, is_signed) < wide(second, is_signed)
    return np.where(below == smaller, first, second).astype(_U32)


def absolute(a: Array) -> Array:
    """IABS."""
    return low(np.abs(wide(a, True)))


def highest_one(a: Array) -> Array:
    """FLO.U32: the position of the highest set bit; all ones if there is none."""
    zeros = arithmetic.leading_zeros(a)
    return np.where(a == 0, _U32(0xFFFFFFFF), _U32(31) - zeros).astype(_U32)


def zeros_above(a: Array) -> Array:
    """FLO.U32.SH: how many zeros stand above it."""
    return arithmetic.leading_zeros(a)


def to_float_up(a: Array, is_signed: bool = False) -> Array:
    """I2F.RP: the bits of the smallest float that is not below the integer."""
    exact = wide(a, is_signed).astype(np.float64)
    near = exact.astype(np.float32)
    above = np.nextafter(near, np.float32(np.inf))
    return np.where(near.astype(np.float64) < exact, above, near).astype(np.float32).view(_U32)


def reciprocal(a: Array) -> Array:
    """MUFU.RCP of a float's bits, rounded to nearest. The hardware may differ in the last bit; it
    is followed inside the division of two integers alone, whose code corrects any such error."""
    with np.errstate(all="ignore"):
        return (np.float32(1) / np.ascontiguousarray(a).view(np.float32)).view(_U32)


def to_integer(a: Array) -> Array:
    """F2I.FTZ.U32.TRUNC.NTZ: the integer part of a float; 0 for what is none or below zero."""
    value = np.ascontiguousarray(a).view(np.float32).astype(np.float64)
    usable = np.where(np.isnan(value), 0.0, np.clip(value, 0.0, float(_WORD)))
    return usable.astype(_U64).astype(_U32)


UNARY: Mapping[str, Function] = {
    "MOV": lambda a: a,
    "IABS": absolute,
    "POPC": arithmetic.ones,
    "BREV": arithmetic.reverse,
    "FLO.U32": highest_one,
    "FLO.U32.SH": zeros_above,
    "I2F.U32.RP": to_float_up,
    "I2F.RP": lambda a: to_float_up(a, True),
    "MUFU.RCP": reciprocal,
    "F2I.FTZ.U32.TRUNC.NTZ": to_integer,
}
"""One source, one word."""

COMPARISONS: Mapping[str, Function] = {
    "LT": lambda a, b: a < b,
    "EQ": lambda a, b: a == b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "NE": lambda a, b: a != b,
    "GE": lambda a, b: a >= b,
}
