"""What vector instructions compute, as tables: name -> function of the source operands.

Source: AMD CDNA3 and CDNA4 ISA documents, chapter on VOP1, VOP2, VOP3 (integer instructions).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.read.follow import arithmetic as a
from bankwise.read.follow.values import Array

Function = Callable[..., Array]

_M31 = np.uint32(31)
_LOW16 = np.uint32(0xFFFF)


def _signed2(function: Function) -> Function:
    return lambda x, y: function(a.signed(x), a.signed(y)).view(np.uint32)


def _median(x: Array, y: Array, z: Array) -> Array:
    return np.maximum(np.minimum(x, y), np.minimum(np.maximum(x, y), z))


def _perm(high: Array, low: Array, selector: Array) -> Array:
    """v_perm_b32: bytes 0-3 are of the second source, 4-7 of the first; above 7: sign bits of the
    odd 16-bit halves, 0x00 (12), 0xFF (13 and above)."""
    parts = []
    for at, picked in enumerate(a.permute_bytes(low, high, selector)):
        index = (selector >> np.uint32(8 * at)) & np.uint32(0xFF)
        half = np.where(index < 10, low, high) >> np.where(index % 2 == 0, 15, 31).astype(np.uint32)
        sign = (half & np.uint32(1)) * np.uint32(0xFF)
        special = np.where(index < 12, sign, np.where(index == 12, 0, 0xFF)).astype(np.uint32)
        parts.append(np.where(index < 8, picked, special).astype(np.uint32))
    return a.from_bytes(parts)


def _align(high: Array, low: Array, bits: Array) -> Array:
    return (a.join(*np.broadcast_arrays(low, high)) >> bits.astype(np.uint64)).astype(np.uint32)


FUNCTIONS: Mapping[str, Function] = {
    "v_mov_b32": lambda x: x,
    "v_accvgpr_read_b32": lambda x: x,
    "v_accvgpr_write_b32": lambda x: x,
    "v_accvgpr_mov_b32": lambda x: x,
    "v_not_b32": lambda x: ~x,
    "v_bfrev_b32": a.reverse,
    "v_ffbl_b32": a.lowest_one,
    "v_ffbh_u32": a.leading_zeros,
    "v_add_u32": lambda x, y: x + y,
    "v_sub_u32": lambda x, y: x - y,
    "v_subrev_u32": lambda x, y: y - x,
    "v_lshlrev_b32": lambda n, x: a.shift_left(x, n),
    "v_lshrrev_b32": lambda n, x: a.shift_right(x, n),
    "v_ashrrev_i32": lambda n, x: a.shift_right_signed(x, n),
    "v_xnor_b32": lambda x, y: ~a.exclusive_or(x, y),
    "v_min_u32": np.minimum,
    "v_max_u32": np.maximum,
    "v_min_i32": _signed2(np.minimum),
    "v_max_i32": _signed2(np.maximum),
    "v_mul_lo_u32": lambda x, y: x * y,
    "v_mul_hi_u32": a.multiply_high,
    "v_mul_hi_i32": a.multiply_high_signed,
    "v_mul_u32_u24": lambda x, y: a.low24(x) * a.low24(y),
    "v_mul_i32_i24": lambda x, y: a.low24_signed(x) * a.low24_signed(y),
    "v_mul_hi_u32_u24": lambda x, y: a.multiply_high(a.low24(x), a.low24(y)),
    "v_mad_u32_u24": lambda x, y, z: a.low24(x) * a.low24(y) + z,
    "v_mad_i32_i24": lambda x, y, z: a.low24_signed(x) * a.low24_signed(y) + z,
    "v_bfe_u32": a.extract,
    "v_bfe_i32": a.extract_signed,
    "v_bfi_b32": lambda m, x, y: (m & x) | (~m & y),
    "v_bfm_b32": lambda n, s: a.low_ones(n) << (s & _M31),
    "v_bcnt_u32_b32": lambda x, y: a.ones(x) + y,
    "v_alignbit_b32": lambda x, y, n: _align(x, y, n & _M31),
    "v_alignbyte_b32": lambda x, y, n: _align(x, y, (n & np.uint32(3)) * np.uint32(8)),
    "v_perm_b32": _perm,
    "v_lshl_add_u32": lambda x, n, y: a.shift_left(x, n) + y,
    "v_add_lshl_u32": lambda x, y, n: a.shift_left(x + y, n),
    "v_add3_u32": lambda x, y, z: x + y + z,
    "v_lshl_or_b32": lambda x, n, y: a.shift_left(x, n) | y,
    "v_and_or_b32": lambda x, y, z: (x & y) | z,
    "v_or3_b32": lambda x, y, z: x | y | z,
    "v_xad_u32": lambda x, y, z: a.exclusive_or(x, y) + z,
    "v_min3_u32": lambda x, y, z: np.minimum(np.minimum(x, y), z),
    "v_max3_u32": lambda x, y, z: np.maximum(np.maximum(x, y), z),
    "v_med3_u32": _median,
    "v_med3_i32": lambda x, y, z: _median(a.signed(x), a.signed(y), a.signed(z)).view(np.uint32),
    "v_add_u16": lambda x, y: (x + y) & _LOW16,
    "v_sub_u16": lambda x, y: (x - y) & _LOW16,
    "v_subrev_u16": lambda x, y: (y - x) & _LOW16,
    "v_mul_lo_u16": lambda x, y: (x * y) & _LOW16,
    "v_mad_legacy_u16": lambda x, y, z: (x * y + z) & _LOW16,
    "v_lshlrev_b16": lambda n, x: (x << (n & np.uint32(15))) & _LOW16,
    "v_lshrrev_b16": lambda n, x: (x & _LOW16) >> (n & np.uint32(15)),
    "v_min_u16": lambda x, y: np.minimum(x & _LOW16, y & _LOW16),
    "v_max_u16": lambda x, y: np.maximum(x & _LOW16, y & _LOW16),
}
"""32-bit results of 32-bit sources."""

COMPARISONS: Mapping[str, Function] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lg": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}

CARRIES: Mapping[str, tuple[bool, bool, bool]] = {
    "v_add_co_u32": (False, False, False),
    "v_sub_co_u32": (True, False, False),
    "v_subrev_co_u32": (True, True, False),
    "v_addc_co_u32": (False, False, True),
    "v_subb_co_u32": (True, False, True),
    "v_subbrev_co_u32": (True, True, True),
}
"""Subtracts, operands swapped, carry in."""

SELECTIONS: Mapping[str, Function] = {
    "DWORD": lambda x: x,
    **{f"BYTE_{n}": lambda x, n=n: (x >> np.uint32(8 * n)) & np.uint32(0xFF) for n in range(4)},
    **{f"WORD_{n}": lambda x, n=n: (x >> np.uint32(16 * n)) & _LOW16 for n in range(2)},
}
"""What an SDWA source takes of its register."""
