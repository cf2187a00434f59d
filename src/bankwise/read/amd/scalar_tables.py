"""What scalar instructions compute, as tables by name. Source: AMD CDNA3 ISA, chapter SALU."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.read import bits as b
from bankwise.read import integers as i
from bankwise.read import operations
from bankwise.read.amd import numbers as amd
from bankwise.read.follow.choices import complement, conjunction, difference, disjunction, without
from bankwise.read.follow.functions import Bitwise, LaneSum, Ordering
from bankwise.read.follow.values import Array, Value

Unary = Callable[[Array], Array]
Binary = Callable[[Array, Array], Array]
Bits = Callable[[Value, Value], Value]

ONE = np.uint32(1)
M31 = np.uint32(31)


def _overflow(x: Array, y: Array, sign: int) -> Array:
    exact = i.signed(x) + sign * i.signed(y)
    return np.asarray(exact != exact.astype(np.int32))


def _shift_add(n: int) -> tuple[Binary, Binary]:
    """``(x << n) + y`` and its carry."""
    count = np.uint64(n)

    def exact(x: Array, y: Array) -> Array:
        return np.add(np.left_shift(x.astype(np.uint64), count), y.astype(np.uint64))

    low = LaneSum(lambda x, y: i.halves(exact(x, y))[0])
    return low, lambda x, y: i.halves(exact(x, y))[1] != 0


WITH_ZERO_TEST: Mapping[str, Binary] = {
    "s_lshl_b32": LaneSum(amd.shift_left, (0, 1), (1,)),
    "s_lshr_b32": Bitwise(amd.shift_right, of=(0,)),
    "s_ashr_i32": Bitwise(amd.shift_right_signed, of=(0,)),
    "s_bfe_u32": Bitwise(amd.packed_field(b.extract_unsigned), of=(0,)),
    "s_bfe_i32": Bitwise(amd.packed_field(b.extract_signed), of=(0,)),
    "s_absdiff_i32": lambda x, y: i.absolute(i.subtract(x, y)),
}
"""SCC becomes "the result is not zero"."""

PLAIN: Mapping[str, Binary] = {
    "s_mul_i32": LaneSum(i.multiply, (0, 1), (0, 1)),
    "s_mulk_i32": LaneSum(i.multiply, (0, 1), (0, 1)),
    "s_mul_hi_u32": i.multiply_high_unsigned,
    "s_mul_hi_i32": i.multiply_high_signed,
    "s_bfm_b32": amd.ones_from,
    "s_pack_ll_b32_b16": lambda x, y: (x & np.uint32(0xFFFF)) | (y << np.uint32(16)),
    "s_pack_lh_b32_b16": lambda x, y: (x & np.uint32(0xFFFF)) | (y & np.uint32(0xFFFF0000)),
    "s_pack_hh_b32_b16": lambda x, y: (x >> np.uint32(16)) | (y & np.uint32(0xFFFF0000)),
}
"""SCC stays."""

CARRY: Mapping[str, tuple[Binary, Binary]] = {
    "s_add_u32": (LaneSum(i.add), lambda x, y: i.add(x, y) < x),
    "s_sub_u32": (LaneSum(i.subtract), i.less_unsigned),
    "s_add_i32": (LaneSum(i.add), lambda x, y: _overflow(x, y, 1)),
    "s_addk_i32": (LaneSum(i.add), lambda x, y: _overflow(x, y, 1)),
    "s_sub_i32": (LaneSum(i.subtract), lambda x, y: _overflow(x, y, -1)),
    "s_min_i32": (i.minimum_signed, i.less_signed),
    "s_max_i32": (i.maximum_signed, operations.COMPARISONS["sgt"]),
    "s_min_u32": (i.minimum_unsigned, i.less_unsigned),
    "s_max_u32": (i.maximum_unsigned, operations.COMPARISONS["ugt"]),
    "s_lshl1_add_u32": _shift_add(1),
    "s_lshl2_add_u32": _shift_add(2),
    "s_lshl3_add_u32": _shift_add(3),
    "s_lshl4_add_u32": _shift_add(4),
}
"""The result and what SCC becomes."""

UNARY: Mapping[str, Unary] = {
    "s_movk_i32": lambda x: x,
    "s_brev_b32": b.reverse,
    "s_sext_i32_i8": lambda x: b.sign_extend(x, 8),
    "s_sext_i32_i16": lambda x: b.sign_extend(x, 16),
    "s_ff1_i32_b32": b.lowest_one,
    "s_flbit_i32_b32": b.zeros_above,
}
UNARY_TEST: Mapping[str, Unary] = {
    "s_abs_i32": i.absolute,
    "s_bcnt1_i32_b32": b.ones,
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

COMPARE: Mapping[str, tuple[str, str]] = {
    "eq": ("eq", "eq"),
    "lg": ("ne", "ne"),
    "ne": ("ne", "ne"),
    "gt": ("ugt", "sgt"),
    "ge": ("uge", "sge"),
    "lt": ("ult", "slt"),
    "le": ("ule", "sle"),
}
"""Of unsigned and of signed numbers."""


def comparison(name: str, kind: str) -> Binary | None:
    """The test that an instruction ``..._NAME_KIND`` ("lt", "i32") makes; None if there is none."""
    if name not in COMPARE or not kind[1:].isdigit():
        return None
    test, bits = operations.COMPARISONS[COMPARE[name][kind[0] == "i"]], int(kind[1:])
    if bits == 32:
        return Ordering(test, kind[0] == "i", halves=COMPARE[name][0] not in ("eq", "ne"))
    return lambda x, y: test(x, y, bits)


SHORT = ("movk", "cmovk", "addk", "mulk", "cmpk")
"""Forms with an immediate of 16 bits."""

WIDE: Mapping[str, Binary] = {
    "s_lshl_b64": amd.shift_left,
    "s_lshr_b64": amd.shift_right,
    "s_ashr_i64": amd.shift_right_signed,
}
"""Shifts of 64 bits."""


def _first_one(low: Array, high: Array) -> Array:
    """The lowest one of 64 bits; all ones if there is none, as of 32 bits."""
    above = np.where(high == 0, high - np.uint32(1), b.lowest_one(high) + np.uint32(32))
    return np.where(low == 0, above, b.lowest_one(low)).astype(np.uint32)


OF_PAIRS: Mapping[str, tuple[Binary, bool]] = {
    "s_ff1_i32_b64": (_first_one, False),
    "s_bcnt1_i32_b64": (lambda low, high: b.ones(low) + b.ones(high), True),
}
"""32-bit results of 64 bits, of their halves; whether SCC says that they are not 0."""
