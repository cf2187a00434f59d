"""What vector instructions compute, as tables: name -> function of the source operands.

Source: AMD CDNA3 and CDNA4 ISA documents, chapter on VOP1, VOP2, VOP3 (integer instructions).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.read import bits as b
from bankwise.read import integers as i
from bankwise.read.amd import numbers as amd
from bankwise.read.follow.bitwise import exclusive_or
from bankwise.read.follow.functions import Bitwise, LaneSum
from bankwise.read.follow.values import Array

Function = Callable[..., Array]

_LOW16 = np.uint32(0xFFFF)


def _median(less: Function, more: Function) -> Function:
    return lambda x, y, z: more(less(x, y), less(more(x, y), z))


def _perm(high: Array, low: Array, selector: Array) -> Array:
    """v_perm_b32: bytes 0-3 are of the second source, 4-7 of the first; above 7: sign bits of the
    odd 16-bit halves, 0x00 (12), 0xFF (13 and above)."""
    parts = []
    for at, picked in enumerate(b.pick_bytes(low, high, selector)):
        index = (selector >> np.uint32(8 * at)) & np.uint32(0xFF)
        half = np.where(index < 10, low, high) >> np.where(index % 2 == 0, 15, 31).astype(np.uint32)
        sign = (half & np.uint32(1)) * np.uint32(0xFF)
        special = np.where(index < 12, sign, np.where(index == 12, 0, 0xFF)).astype(np.uint32)
        parts.append(np.where(index < 8, picked, special).astype(np.uint32))
    return b.from_bytes(parts)


FUNCTIONS: Mapping[str, Function] = {
    "v_mov_b32": LaneSum(lambda x: x),
    "v_accvgpr_read_b32": LaneSum(lambda x: x),
    "v_accvgpr_write_b32": LaneSum(lambda x: x),
    "v_accvgpr_mov_b32": LaneSum(lambda x: x),
    "v_not_b32": i.complement,
    "v_bfrev_b32": b.reverse,
    "v_ffbl_b32": b.lowest_one,
    "v_ffbh_u32": b.zeros_above,
    "v_add_u32": LaneSum(i.add),
    "v_sub_u32": LaneSum(i.subtract),
    "v_subrev_u32": LaneSum(amd.reversed_operands(i.subtract)),
    "v_lshlrev_b32": LaneSum(amd.reversed_operands(amd.shift_left), (0, 1), (0,)),
    "v_lshrrev_b32": Bitwise(amd.reversed_operands(amd.shift_right), of=(1,)),
    "v_ashrrev_i32": Bitwise(amd.reversed_operands(amd.shift_right_signed), of=(1,)),
    "v_xnor_b32": lambda x, y: ~exclusive_or(x, y),
    "v_min_u32": i.minimum_unsigned,
    "v_max_u32": i.maximum_unsigned,
    "v_min_i32": i.minimum_signed,
    "v_max_i32": i.maximum_signed,
    "v_mul_lo_u32": LaneSum(i.multiply, (0, 1), (0, 1)),
    "v_mul_hi_u32": i.multiply_high_unsigned,
    "v_mul_hi_i32": i.multiply_high_signed,
    "v_mul_u32_u24": lambda x, y: amd.low24(x) * amd.low24(y),
    "v_mul_i32_i24": lambda x, y: amd.low24_signed(x) * amd.low24_signed(y),
    "v_mul_hi_u32_u24": lambda x, y: i.multiply_high_unsigned(amd.low24(x), amd.low24(y)),
    "v_mad_u32_u24": LaneSum(lambda x, y, z: amd.low24(x) * amd.low24(y) + z, (0, 1)),
    "v_mad_i32_i24": LaneSum(lambda x, y, z: amd.low24_signed(x) * amd.low24_signed(y) + z, (0, 1)),
    "v_bfe_u32": Bitwise(amd.extract, of=(0,)),
    "v_bfe_i32": Bitwise(amd.extract_signed, of=(0,)),
    "v_bfi_b32": lambda m, x, y: (m & x) | (~m & y),
    "v_bfm_b32": amd.ones_from,
    "v_bcnt_u32_b32": lambda x, y: b.ones(x) + y,
    "v_alignbit_b32": lambda x, y, n: i.funnel_right(x, y, i.modulo(n)),
    "v_alignbyte_b32": lambda x, y, n: i.funnel_right(x, y, i.modulo(n, 4) * np.uint32(8)),
    "v_perm_b32": _perm,
    "v_lshl_add_u32": LaneSum(lambda x, n, y: amd.shift_left(x, n) + y, (0, 1), (1,)),
    "v_add_lshl_u32": LaneSum(lambda x, y, n: amd.shift_left(x + y, n), (0, 1, 2), (2,)),
    "v_add3_u32": LaneSum(lambda x, y, z: x + y + z),
    "v_lshl_or_b32": lambda x, n, y: amd.shift_left(x, n) | y,
    "v_and_or_b32": Bitwise(lambda x, y, z: (x & y) | z),
    "v_or3_b32": Bitwise(lambda x, y, z: x | y | z),
    "v_xad_u32": lambda x, y, z: exclusive_or(x, y) + z,
    "v_min3_u32": lambda x, y, z: i.minimum_unsigned(i.minimum_unsigned(x, y), z),
    "v_max3_u32": lambda x, y, z: i.maximum_unsigned(i.maximum_unsigned(x, y), z),
    "v_med3_u32": _median(i.minimum_unsigned, i.maximum_unsigned),
    "v_med3_i32": _median(i.minimum_signed, i.maximum_signed),
    "v_add_u16": amd.half(i.add),
    "v_sub_u16": amd.half(i.subtract),
    "v_subrev_u16": amd.reversed_operands(amd.half(i.subtract)),
    "v_mul_lo_u16": amd.half(i.multiply),
    "v_mad_legacy_u16": lambda x, y, z: (x * y + z) & _LOW16,
    "v_lshlrev_b16": amd.reversed_operands(amd.half(amd.shift_left)),
    "v_lshrrev_b16": amd.reversed_operands(amd.half(amd.shift_right)),
    "v_min_u16": amd.half(i.minimum_unsigned),
    "v_max_u16": amd.half(i.maximum_unsigned),
    "v_min_i16": amd.half(i.minimum_signed),
    "v_max_i16": amd.half(i.maximum_signed),
    "v_ashrrev_i16": amd.reversed_operands(amd.half(amd.shift_right_signed)),
    "v_sad_u32": lambda x, y, z: np.maximum(x, y) - np.minimum(x, y) + z,
    "v_min3_i32": lambda x, y, z: i.minimum_signed(i.minimum_signed(x, y), z),
    "v_max3_i32": lambda x, y, z: i.maximum_signed(i.maximum_signed(x, y), z),
    "v_ffbh_i32": lambda x: b.zeros_above(x ^ amd.sign_word(x)),
}
"""32-bit results of 32-bit sources. The 16-bit forms clear the upper half on these machines; those
that leave it as it was (v_add_i16, v_mad_u16) are not followed."""

PACKED: Mapping[str, Function] = {
    "v_pk_add_u16": amd.half(i.add),
    "v_pk_add_i16": amd.half(i.add),
    "v_pk_sub_u16": amd.half(i.subtract),
    "v_pk_sub_i16": amd.half(i.subtract),
    "v_pk_mul_lo_u16": amd.half(i.multiply),
    "v_pk_mad_u16": lambda x, y, z: (x * y + z) & _LOW16,
    "v_pk_mad_i16": lambda x, y, z: (x * y + z) & _LOW16,
    "v_pk_min_u16": amd.half(i.minimum_unsigned),
    "v_pk_max_u16": amd.half(i.maximum_unsigned),
    "v_pk_min_i16": amd.half(i.minimum_signed),
    "v_pk_max_i16": amd.half(i.maximum_signed),
    "v_pk_lshlrev_b16": amd.reversed_operands(amd.half(amd.shift_left)),
    "v_pk_lshrrev_b16": amd.reversed_operands(amd.half(amd.shift_right)),
    "v_pk_ashrrev_i16": amd.reversed_operands(amd.half(amd.shift_right_signed)),
}
"""What each 16-bit half of the result is, of halves of the sources."""

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
