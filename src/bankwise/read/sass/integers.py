"""What SASS integer instructions compute, on uint32 arrays.

Source: no instruction is documented beyond one line in NVIDIA's CUDA Binary Utilities; each meaning
here was inferred from what ptxas makes of PTX whose meaning is documented, and is held against
PTX-level answers and hardware counters by the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.read import bits as b
from bankwise.read import integers as i
from bankwise.read import operations
from bankwise.read.follow.functions import LaneSum, Ordering
from bankwise.read.follow.values import Array

Function = Callable[..., Array]
_U32, _U64 = np.uint32, np.uint64
_MOST = np.uint32(32)


def wide(value: Array, is_signed: bool) -> Array:
    """32 bits as a number of 64."""
    return i.extend(value, 32, 64) if is_signed else i.fit(value, 64)


def product(x: Array, y: Array, is_signed: bool) -> Array:
    """The 64 bits of a product."""
    return i.multiply(wide(x, is_signed), wide(y, is_signed), 64)


def shift_pair(
    lo: Array, count: Array, hi: Array, *, left: bool, is_signed: bool, wrap: bool, bits: int
) -> Array:
    """SHF: the 64 bits hi:lo shifted; counts wrap at ``bits``, or stop there."""
    n = i.modulo(count, bits) if wrap else np.minimum(count, _U32(bits))
    shift = i.shift_right_signed if is_signed else i.shift_right_unsigned
    return (i.shift_left if left else shift)(i.join(*np.broadcast_arrays(lo, hi)), n, 64)


def mask(start: Array, width: Array) -> Array:
    """BMSK: ``width`` ones from bit ``start`` on; what lies beyond bit 31 is lost."""
    return i.shift_left(b.low_ones(width), start)


def pick(first: Array, second: Array, smaller: Array, is_signed: bool) -> Array:
    """The smaller of two where ``smaller`` holds, the larger elsewhere."""
    below = i.less_signed(first, second) if is_signed else i.less_unsigned(first, second)
    return np.where(below == smaller, first, second).astype(_U32)


def to_float_up(a: Array, is_signed: bool = False) -> Array:
    """I2F.RP: the bits of the smallest float that is not below the integer, of 32 or 64 bits."""
    number = i.signed(a) if is_signed else a
    near = number.astype(np.float32)
    below = [int(x) < int(y) for x, y in zip(near.ravel(), number.ravel(), strict=True)]
    above = np.nextafter(near, np.float32(np.inf))
    return np.where(np.reshape(below, near.shape), above, near).astype(np.float32).view(_U32)


def reciprocal(a: Array) -> Array:
    """MUFU.RCP of a float's bits, rounded to nearest. The hardware may differ in the last bit; it
    is followed inside the division of two integers alone, whose code corrects any such error."""
    with np.errstate(all="ignore"):
        return (np.float32(1) / np.ascontiguousarray(a).view(np.float32)).view(_U32)


def to_integer(a: Array) -> Array:
    """F2I.FTZ.U32.TRUNC.NTZ: the integer part of a float; 0 for what is none or below zero."""
    value = np.ascontiguousarray(a).view(np.float32).astype(np.float64)
    usable = np.where(np.isnan(value), 0.0, np.clip(value, 0.0, float(0xFFFFFFFF)))
    return usable.astype(_U64).astype(_U32)


def to_long(a: Array) -> Array:
    """F2I.U64.TRUNC: the integer part of a float, uint64; 0 for what is none or below zero."""
    value = np.ascontiguousarray(a).view(np.float32).astype(np.float64)
    usable = np.where(np.isnan(value) | (value < 0), 0.0, value)
    inside = np.minimum(usable, float((1 << 64) - 2048)).astype(_U64)
    return np.where(usable >= float(1 << 64), _U64((1 << 64) - 1), inside)


UNARY: Mapping[str, Function] = {
    "MOV": LaneSum(lambda a: a),
    "MOV.SPILL": LaneSum(lambda a: a),  # of a uniform register, which R2UR.FILL brings back
    "IABS": i.absolute,
    "POPC": b.ones,
    "BREV": b.reverse,
    "FLO.U32": b.highest_one,
    "FLO.U32.SH": b.zeros_above,
    "I2F.U32.RP": to_float_up,
    "I2F.RP": lambda a: to_float_up(a, True),
    "MUFU.RCP": reciprocal,
    "F2I.FTZ.U32.TRUNC.NTZ": to_integer,
    "F2I.U32.TRUNC.NTZ": to_integer,
}
"""One source, one word."""

COMPARISONS: Mapping[str, tuple[str, str]] = {
    "LT": ("ult", "slt"),
    "EQ": ("eq", "eq"),
    "LE": ("ule", "sle"),
    "GT": ("ugt", "sgt"),
    "NE": ("ne", "ne"),
    "GE": ("uge", "sge"),
}
"""Of unsigned and of signed words."""


def comparison(name: str, is_signed: bool) -> Ordering:
    """The test ``name``, one of :data:`COMPARISONS`."""
    test = operations.COMPARISONS[COMPARISONS[name][is_signed]]
    return Ordering(test, is_signed, halves=name not in ("EQ", "NE"))
