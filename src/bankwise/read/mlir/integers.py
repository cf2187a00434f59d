"""Integer arithmetic of fixed width on int64 arrays, as the arith and index dialects define it.

A number of w bits is kept sign-extended, except that a number of one bit is 0 or 1; so
:func:`wrap` brings any result back into that form. What MLIR leaves undefined must not disturb
other lanes: dividing by zero gives 0, shifting by the width or more gives 0 (or the sign).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bankwise.counting.access import IntArray

Binary = Callable[[IntArray, IntArray, int], IntArray]
"""(left, right, bits) -> a result still to be wrapped, or a truth value."""

INDEX_BITS = 64


def wrap(values: IntArray, bits: int) -> IntArray:
    """Cut to ``bits`` bits and bring into the form kept here."""
    if bits >= INDEX_BITS:
        return values
    if bits == 1:
        return np.bitwise_and(values, 1)
    unused = INDEX_BITS - bits
    return np.right_shift(np.left_shift(values, unused), unused)


def unsigned(values: IntArray, bits: int) -> npt.NDArray[np.uint64]:
    """The same bits read as an unsigned number."""
    low = values if bits >= INDEX_BITS else np.bitwise_and(values, (1 << bits) - 1)
    return np.asarray(low, np.int64).view(np.uint64)


def signed(values: IntArray, bits: int) -> IntArray:
    """The same bits read as a signed number: one set bit alone is -1."""
    return np.negative(values) if bits == 1 else values


def zero_extended(values: IntArray, bits: int) -> IntArray:
    """Read ``bits`` bits as an unsigned number of 64 bits."""
    return unsigned(values, bits).view(np.int64)


def _plain(function: Callable[[Any, Any], Any]) -> Binary:
    return lambda a, b, bits: np.asarray(function(a, b), np.int64)


def _signed(function: Callable[[Any, Any], Any]) -> Binary:
    return lambda a, b, bits: np.asarray(function(signed(a, bits), signed(b, bits)), np.int64)


def _unsigned(function: Callable[[Any, Any], Any]) -> Binary:
    def apply(a: IntArray, b: IntArray, bits: int) -> IntArray:
        result = np.asarray(function(unsigned(a, bits), unsigned(b, bits)))
        return result.astype(np.int64) if result.dtype == np.bool_ else result.view(np.int64)

    return apply


def _divide_to_zero(a: IntArray, b: IntArray) -> IntArray:
    floor = np.floor_divide(a, b)
    inexact = (np.multiply(floor, b) != a) & (b != 0)
    up: IntArray = inexact & ((a < 0) != (b < 0))
    return floor + up


def _divide_up(a: Any, b: Any) -> Any:
    floor = np.floor_divide(a, b)
    inexact = (np.multiply(floor, b) != a) & (b != 0)
    return np.add(floor, inexact.astype(floor.dtype))


def _shift_right_signed(a: IntArray, b: IntArray, bits: int) -> IntArray:
    amount = np.minimum(unsigned(b, bits), np.uint64(INDEX_BITS - 1)).astype(np.int64)
    return np.right_shift(signed(a, bits), amount)


ARITHMETIC: Mapping[str, Binary] = {
    "add": _plain(np.add),
    "sub": _plain(np.subtract),
    "mul": _plain(np.multiply),
    "and": _plain(np.bitwise_and),
    "or": _plain(np.bitwise_or),
    "xor": _plain(np.bitwise_xor),
    "divs": _signed(_divide_to_zero),
    "floordivs": _signed(np.floor_divide),
    "ceildivs": _signed(_divide_up),
    "rems": _signed(np.fmod),
    "divu": _unsigned(np.floor_divide),
    "ceildivu": _unsigned(_divide_up),
    "remu": _unsigned(np.remainder),
    "mins": _signed(np.minimum),
    "maxs": _signed(np.maximum),
    "minu": _unsigned(np.minimum),
    "maxu": _unsigned(np.maximum),
    "shl": _unsigned(np.left_shift),
    "shru": _unsigned(np.right_shift),
    "shrs": _shift_right_signed,
}
"""By the names of the index dialect; those of arith only spell them differently."""

COMPARISON: Mapping[str, Binary] = {
    "eq": _plain(np.equal),
    "ne": _plain(np.not_equal),
    "slt": _signed(np.less),
    "sle": _signed(np.less_equal),
    "sgt": _signed(np.greater),
    "sge": _signed(np.greater_equal),
    "ult": _unsigned(np.less),
    "ule": _unsigned(np.less_equal),
    "ugt": _unsigned(np.greater),
    "uge": _unsigned(np.greater_equal),
}
"""By predicate, in the order in which arith numbers them."""
