"""Integer arithmetic of fixed width, for every language that is read.

:mod:`bankwise.read.operations` is the table by name, :mod:`bankwise.read.bits` has fields and
counts.

A number of ``bits`` bits (1 to 64) is an array of uint32 (up to 32 bits) or uint64 that holds its
bits and zeros above them: a register, which has no sign. Signed operations read the same bits as
two's complement, and every result is cut to ``bits`` again:

    divide_unsigned(0xFFFFFFFF, 2)   0x7FFFFFFF
    divide_signed(0xFFFFFFFF, 2)     0             -1 / 2, rounded to zero
    add(0xFFFFFFFF, 1)               0
    shift_left(1, 32)                0             counts are numbers, not taken modulo the width

What no language promises (LLVM: poison or undefined) must not disturb other lanes: dividing by zero
gives 0, the smallest number by -1 itself; ``operations.undefined`` says where that is. A machine
that takes counts modulo the width (AMD, ``.wrap`` in PTX) does so before it asks.

The tests hold every operation against LLVM's own evaluation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Operation = Callable[..., Array]
"""Operands, then ``bits`` (32 if not given) -> a number of that width, or truth values."""

_U32, _U64 = np.uint32, np.uint64


def fit(value: Array, bits: int = 32) -> Array:
    """Integers of any type as numbers of ``bits`` bits: cut, never rounded."""
    if bits <= 32:
        out = value if value.dtype == _U32 else value.astype(_U32)
        return out if bits == 32 else out & _U32((1 << bits) - 1)
    out = value if value.dtype == _U64 else value.astype(_U64)
    return out if bits == 64 else out & _U64((1 << bits) - 1)


def signed(x: Array, bits: int = 32) -> Array:
    """The same bits as a signed number, int64."""
    if bits == 32:
        return x.view(np.int32).astype(np.int64)
    if bits == 64:
        return x.view(np.int64)
    top = np.int64(1 << (bits - 1))
    return (x.astype(np.int64) ^ top) - top


def extend(x: Array, bits: int, to: int) -> Array:
    """A signed number of ``bits`` bits with ``to`` bits, wider or narrower."""
    return fit(signed(x, bits), to)


def wrap(values: Array, bits: int) -> Array:
    """int64 cut to ``bits`` bits and sign-extended again, but one bit alone is 0 or 1.

    So the readers of MLIR keep their numbers.
    """
    if bits >= 64:
        return values
    if bits == 1:
        return np.bitwise_and(values, 1)
    unused = 64 - bits
    return np.right_shift(np.left_shift(values, unused), unused)


def unsigned(values: Array, bits: int) -> npt.NDArray[np.uint64]:
    """The low ``bits`` bits of int64 numbers as uint64."""
    low = values if bits >= 64 else np.bitwise_and(values, (1 << bits) - 1)
    return np.asarray(low, np.int64).view(_U64)


def add(x: Array, y: Array, bits: int = 32) -> Array:
    """The sum."""
    return fit(x + y, bits)


def subtract(x: Array, y: Array, bits: int = 32) -> Array:
    """The difference."""
    return fit(x - y, bits)


def multiply(x: Array, y: Array, bits: int = 32) -> Array:
    """The low half of the product."""
    return fit(x * y, bits)


def multiply_high_unsigned(x: Array, y: Array, bits: int = 32) -> Array:
    """The high half of the unsigned product."""
    if bits <= 32:
        return fit((x.astype(_U64) * y.astype(_U64)) >> _U64(bits), bits)
    half = _U64(32)
    low, high = zip(halves(fit(x, 64)), halves(fit(y, 64)), strict=True)
    (a, b), (c, d) = ([part.astype(_U64) for part in pair] for pair in (low, high))
    first = c * b + ((a * b) >> half)
    second = a * d + (first & _U64(0xFFFFFFFF))
    upper = c * d + (first >> half) + (second >> half)
    if bits == 64:
        return np.asarray(upper)
    return fit((upper << _U64(64 - bits)) | ((x * y) >> _U64(bits)), bits)


def multiply_high_signed(x: Array, y: Array, bits: int = 32) -> Array:
    """The high half of the signed product."""
    upper = multiply_high_unsigned(x, y, bits)
    zero = np.zeros_like(upper)
    upper = subtract(upper, np.where(negative(x, bits), y, zero), bits)
    return subtract(upper, np.where(negative(y, bits), x, zero), bits)


def divide_unsigned(x: Array, y: Array, bits: int = 32) -> Array:
    """The quotient; 0 where the divisor is."""
    return _where_divisor(y, np.floor_divide(x, _divisor(y)))


def remainder_unsigned(x: Array, y: Array, bits: int = 32) -> Array:
    """What division leaves; 0 where the divisor is."""
    return _where_divisor(y, np.remainder(x, _divisor(y)))


def _divisor(y: Array) -> Array:
    return np.where(y == 0, np.ones_like(y), y)


def _where_divisor(y: Array, result: Array) -> Array:
    return np.where(y == 0, np.zeros_like(result), result)


def divide_signed(x: Array, y: Array, bits: int = 32) -> Array:
    """The quotient rounded to zero; 0 where the divisor is."""
    quotient = divide_unsigned(absolute(x, bits), absolute(y, bits), bits)
    return np.where(_signs_differ(x, y, bits), negate(quotient, bits), quotient)


def remainder_signed(x: Array, y: Array, bits: int = 32) -> Array:
    """What division to zero leaves, with the sign of the dividend."""
    left = remainder_unsigned(absolute(x, bits), absolute(y, bits), bits)
    return np.where(negative(x, bits), negate(left, bits), left)


def divide_signed_down(x: Array, y: Array, bits: int = 32) -> Array:
    """The quotient rounded down."""
    down = _signs_differ(x, y, bits) & (remainder_signed(x, y, bits) != 0)
    return fit(divide_signed(x, y, bits) - down.astype(x.dtype), bits)


def divide_signed_up(x: Array, y: Array, bits: int = 32) -> Array:
    """The quotient rounded up."""
    up = ~_signs_differ(x, y, bits) & (remainder_signed(x, y, bits) != 0)
    return fit(divide_signed(x, y, bits) + up.astype(x.dtype), bits)


def divide_unsigned_up(x: Array, y: Array, bits: int = 32) -> Array:
    """The unsigned quotient rounded up."""
    up = remainder_unsigned(x, y, bits) != 0
    return fit(divide_unsigned(x, y, bits) + up.astype(x.dtype), bits)


def negative(x: Array, bits: int = 32) -> Array:
    """Whether the sign bit is set."""
    return np.asarray(x >> x.dtype.type(bits - 1) != 0)


def _signs_differ(x: Array, y: Array, bits: int) -> Array:
    return np.asarray(negative(x, bits) != negative(y, bits))


def negate(x: Array, bits: int = 32) -> Array:
    """0 - x."""
    return fit(np.negative(x), bits)


def absolute(x: Array, bits: int = 32) -> Array:
    """Without its sign; the smallest number stays itself."""
    return np.where(negative(x, bits), negate(x, bits), x)


def conjunction(x: Array, y: Array, bits: int = 32) -> Array:
    """Bitwise and."""
    return np.bitwise_and(x, y)


def disjunction(x: Array, y: Array, bits: int = 32) -> Array:
    """Bitwise or."""
    return np.bitwise_or(x, y)


def difference(x: Array, y: Array, bits: int = 32) -> Array:
    """Bitwise exclusive or."""
    return np.bitwise_xor(x, y)


def complement(x: Array, bits: int = 32) -> Array:
    """Bitwise not."""
    return fit(np.invert(x), bits)


def minimum_unsigned(x: Array, y: Array, bits: int = 32) -> Array:
    """The smaller one."""
    return np.minimum(x, y)


def maximum_unsigned(x: Array, y: Array, bits: int = 32) -> Array:
    """The larger one."""
    return np.maximum(x, y)


def minimum_signed(x: Array, y: Array, bits: int = 32) -> Array:
    """The smaller one, read as signed numbers."""
    return fit(np.minimum(signed(x, bits), signed(y, bits)), bits)


def maximum_signed(x: Array, y: Array, bits: int = 32) -> Array:
    """The larger one, read as signed numbers."""
    return fit(np.maximum(signed(x, bits), signed(y, bits)), bits)


def modulo(count: Array, bits: int = 32) -> Array:
    """A shift count as machines take it that look at its low bits alone; a power of two."""
    return np.asarray(count & count.dtype.type(bits - 1))


def shift_left(x: Array, n: Array, bits: int = 32) -> Array:
    """``x * 2 ** n``; 0 from n = bits on."""
    shifted = fit(np.left_shift(x, _count(x, n, bits)), bits)
    return _inside(shifted, n, bits)


def shift_right_unsigned(x: Array, n: Array, bits: int = 32) -> Array:
    """Zeros from the left; 0 from n = bits on."""
    return _inside(np.right_shift(x, _count(x, n, bits)), n, bits)


def shift_right_signed(x: Array, n: Array, bits: int = 32) -> Array:
    """The sign from the left; nothing else from n = bits on."""
    count = _count(x, n, bits).astype(np.int64)
    return fit(np.right_shift(signed(x, bits), count), bits)


def _count(x: Array, n: Array, bits: int) -> Array:
    """A count that numpy can shift by, of the type of ``x``."""
    return np.asarray(np.minimum(n, n.dtype.type(bits - 1)), x.dtype)


def _inside(shifted: Array, n: Array, bits: int) -> Array:
    outside = n >= n.dtype.type(bits)
    return np.where(outside, np.zeros_like(shifted), shifted) if outside.any() else shifted


def funnel_left(high: Array, low: Array, n: Array, bits: int = 32) -> Array:
    """The upper half of ``high:low`` shifted left by ``n``, 0 to ``bits``."""
    rest = n.dtype.type(bits) - n
    return shift_left(high, n, bits) | shift_right_unsigned(low, rest, bits)


def funnel_right(high: Array, low: Array, n: Array, bits: int = 32) -> Array:
    """The lower half of ``high:low`` shifted right by ``n``, 0 to ``bits``."""
    rest = n.dtype.type(bits) - n
    return shift_right_unsigned(low, n, bits) | shift_left(high, rest, bits)


def equal(x: Array, y: Array, bits: int = 32) -> Array:
    """Whether the bits are the same."""
    return np.asarray(x == y)


def less_unsigned(x: Array, y: Array, bits: int = 32) -> Array:
    """Whether ``x < y``."""
    return np.asarray(x < y)


def less_signed(x: Array, y: Array, bits: int = 32) -> Array:
    """Whether ``x < y``, read as signed numbers."""
    return np.asarray(signed(x, bits) < signed(y, bits))


def halves(x: Array) -> tuple[Array, Array]:
    """Two uint32 of one uint64: low, high."""
    return (x & _U64(0xFFFFFFFF)).astype(_U32), (x >> _U64(32)).astype(_U32)


def join(low: Array, high: Array) -> Array:
    """One uint64 of two uint32."""
    return low.astype(_U64) | (high.astype(_U64) << _U64(32))
