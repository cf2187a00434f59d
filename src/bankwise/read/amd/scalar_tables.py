"""What scalar instructions compute, as tables by name. Source: AMD CDNA3 ISA, chapter SALU."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.read.follow import arithmetic as a
from bankwise.read.follow.values import (
    Array,
    Value,
    choose,
    complement,
    conjunction,
    difference,
    disjunction,
    without,
)

Unary = Callable[[Array], Array]
Binary = Callable[[Array, Array], Array]
Bits = Callable[[Value, Value], Value]

ONE = np.uint32(1)
M31 = np.uint32(31)


def _minimum(x: Array, y: Array) -> Array:
    return np.minimum(a.signed(x), a.signed(y)).view(np.uint32)


def _maximum(x: Array, y: Array) -> Array:
    return np.maximum(a.signed(x), a.signed(y)).view(np.uint32)


def _field(x: Array) -> tuple[Array, Array]:
    """Start and width of a bit field, as s_bfe packs them."""
    return x & M31, (x >> np.uint32(16)) & np.uint32(0x7F)


def _bfe(x: Array, y: Array) -> Array:
    start, width = _field(y)
    return choose(width >= 32, a.shift_right(x, start), a.extract(x, start, width))


def _bfe_signed(x: Array, y: Array) -> Array:
    start, width = _field(y)
    whole = a.shift_right_signed(x, start)
    return choose(width + start >= 32, whole, a.extract_signed(x, start, width))


def _overflow(x: Array, y: Array, sign: int) -> Array:
    exact = a.signed(x).astype(np.int64) + sign * a.signed(y).astype(np.int64)
    return np.asarray(exact != exact.astype(np.int32))


def _shift_add(n: int) -> tuple[Binary, Binary]:
    """``(x << n) + y`` and its carry."""
    count = np.uint64(n)

    def exact(x: Array, y: Array) -> Array:
        return np.add(np.left_shift(x.astype(np.uint64), count), y.astype(np.uint64))

    return lambda x, y: a.halves(exact(x, y))[0], lambda x, y: a.halves(exact(x, y))[1] != 0


WITH_ZERO_TEST: Mapping[str, Binary] = {
    "s_lshl_b32": a.shift_left,
    "s_lshr_b32": a.shift_right,
    "s_ashr_i32": a.shift_right_signed,
    "s_bfe_u32": _bfe,
    "s_bfe_i32": _bfe_signed,
    "s_absdiff_i32": lambda x, y: np.abs(
        a.signed(x).astype(np.int64) - a.signed(y).astype(np.int64)
    ).astype(np.uint32),
}
"""SCC becomes "the result is not zero"."""

PLAIN: Mapping[str, Binary] = {
    "s_mul_i32": lambda x, y: x * y,
    "s_mulk_i32": lambda x, y: x * y,
    "s_mul_hi_u32": a.multiply_high,
    "s_mul_hi_i32": a.multiply_high_signed,
    "s_bfm_b32": lambda x, y: a.low_ones(x) << (y & M31),
    "s_pack_ll_b32_b16": lambda x, y: (x & np.uint32(0xFFFF)) | (y << np.uint32(16)),
    "s_pack_lh_b32_b16": lambda x, y: (x & np.uint32(0xFFFF)) | (y & np.uint32(0xFFFF0000)),
    "s_pack_hh_b32_b16": lambda x, y: (x >> np.uint32(16)) | (y & np.uint32(0xFFFF0000)),
}
"""SCC stays."""

CARRY: Mapping[str, tuple[Binary, Binary]] = {
    "s_add_u32": (lambda x, y: x + y, lambda x, y: x + y < x),
    "s_sub_u32": (lambda x, y: x - y, lambda x, y: x < y),
    "s_add_i32": (lambda x, y: x + y, lambda x, y: _overflow(x, y, 1)),
    "s_addk_i32": (lambda x, y: x + y, lambda x, y: _overflow(x, y, 1)),
    "s_sub_i32": (lambda x, y: x - y, lambda x, y: _overflow(x, y, -1)),
    "s_min_i32": (_minimum, lambda x, y: a.signed(x) < a.signed(y)),
    "s_max_i32": (_maximum, lambda x, y: a.signed(x) > a.signed(y)),
    "s_min_u32": (np.minimum, lambda x, y: x < y),
    "s_max_u32": (np.maximum, lambda x, y: x > y),
    "s_lshl1_add_u32": _shift_add(1),
    "s_lshl2_add_u32": _shift_add(2),
    "s_lshl3_add_u32": _shift_add(3),
    "s_lshl4_add_u32": _shift_add(4),
}
"""The result and what SCC becomes."""

UNARY: Mapping[str, Unary] = {
    "s_mov_b32": lambda x: x,
    "s_movk_i32": lambda x: x,
    "s_brev_b32": a.reverse,
    "s_sext_i32_i8": lambda x: a.sign_extend(x, 8),
    "s_sext_i32_i16": lambda x: a.sign_extend(x, 16),
    "s_ff1_i32_b32": a.lowest_one,
    "s_flbit_i32_b32": a.leading_zeros,
}
UNARY_TEST: Mapping[str, Unary] = {
    "s_abs_i32": lambda x: np.abs(a.signed(x).astype(np.int64)).astype(np.uint32),
    "s_bcnt1_i32_b32": a.ones,
}

BITS: Mapping[str, Bits] = {
    "and": conjunction,
    "or": disjunction,
    "xor": difference,
    "andn2": without,
    "andn1": lambda x, y: without(y, x),
    "orn2": lambda x, y: disjunction(x, complement(y)),
    "orn1": lambda x, y: disjunction(complement(x), y),
    "nand": lambda x, y: complement(conjunction(x, y)),
    "nor": lambda x, y: complement(disjunction(x, y)),
    "xnor": lambda x, y: complement(difference(x, y)),
}

COMPARE: Mapping[str, Binary] = {
    "eq": lambda x, y: x == y,
    "lg": lambda x, y: x != y,
    "ne": lambda x, y: x != y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
}

SHORT = ("movk", "cmovk", "addk", "mulk", "cmpk")
"""Forms with an immediate of 16 bits."""

WIDE: Mapping[str, Binary] = {
    "s_lshl_b64": a.shift_left,
    "s_lshr_b64": a.shift_right,
    "s_ashr_i64": a.shift_right_signed,
}
