"""The meaning of AMD integer instructions, against plain Python integers on random operands."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from bankwise.read.amd.operands import operand
from bankwise.read.amd.parse import kernels
from bankwise.read.amd.scalar import scalar
from bankwise.read.amd.vector import vector
from bankwise.read.follow.state import State, read
from bankwise.read.follow.values import Unknown

M32 = 0xFFFFFFFF
M64 = 0xFFFFFFFFFFFFFFFF


def s32(x: int) -> int:
    return x - (1 << 32) if x >> 31 & 1 else x


def s24(x: int) -> int:
    x &= 0xFFFFFF
    return x - (1 << 24) if x >> 23 else x


def field(x: int, start: int, width: int) -> int:
    return x >> (start & 31) & ((1 << (width & 31)) - 1)


def signed_field(x: int, start: int, width: int) -> int:
    """Beyond bit 31 there is the sign: LLVM folds llvm.amdgcn.sbfe.i32(1 << 31, 31, 3) to -1."""
    width &= 31
    bits = field(x - (x >> 31 << 32), start, width)
    return bits - (1 << width) if width and bits >> (width - 1) else bits


def perm(high: int, low: int, selector: int) -> int:
    both = (high << 32 | low).to_bytes(8, "little")
    out = []
    for which in selector.to_bytes(4, "little"):
        if which >= 13:
            out.append(0xFF)
        elif which == 12:
            out.append(0)
        elif which >= 8:
            out.append(0xFF if both[2 * (which - 8) + 1] & 0x80 else 0)
        else:
            out.append(both[which])
    return int.from_bytes(bytes(out), "little")


def sbfe(x: int, packed: int) -> int:
    start, width = packed & 31, packed >> 16 & 0x7F
    return (x >> start) & ((1 << min(width, 32)) - 1)


def s16(x: int) -> int:
    return (x & 0xFFFF ^ 0x8000) - 0x8000


VECTOR: dict[str, Callable[..., int]] = {
    "v_mov_b32": lambda x: x,
    "v_not_b32": lambda x: ~x,
    "v_bfrev_b32": lambda x: int(f"{x:032b}"[::-1], 2),
    "v_ffbl_b32": lambda x: (x & -x).bit_length() - 1,
    "v_ffbh_u32": lambda x: 32 - x.bit_length() if x else -1,
    "v_add_u32": lambda x, y: x + y,
    "v_sub_u32": lambda x, y: x - y,
    "v_subrev_u32": lambda x, y: y - x,
    "v_lshlrev_b32": lambda n, x: x << (n & 31),
    "v_lshrrev_b32": lambda n, x: x >> (n & 31),
    "v_ashrrev_i32": lambda n, x: s32(x) >> (n & 31),
    "v_and_b32": lambda x, y: x & y,
    "v_or_b32": lambda x, y: x | y,
    "v_xor_b32": lambda x, y: x ^ y,
    "v_xnor_b32": lambda x, y: ~(x ^ y),
    "v_min_u32": min,
    "v_max_u32": max,
    "v_min_i32": lambda x, y: min(s32(x), s32(y)),
    "v_min_i16": lambda x, y: min(s16(x), s16(y)) & 0xFFFF,
    "v_max_i16": lambda x, y: max(s16(x), s16(y)) & 0xFFFF,
    "v_ashrrev_i16": lambda n, x: s16(x) >> (n & 15) & 0xFFFF,
    "v_sad_u32": lambda x, y, z: abs(x - y) + z,
    "v_ffbh_i32": lambda x: 32 - (~x & M32 if x >> 31 else x).bit_length() if 0 < x < M32 else -1,
    "v_max_i32": lambda x, y: max(s32(x), s32(y)),
    "v_mul_lo_u32": lambda x, y: x * y,
    "v_mul_hi_u32": lambda x, y: x * y >> 32,
    "v_mul_hi_i32": lambda x, y: s32(x) * s32(y) >> 32,
    "v_mul_u32_u24": lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF),
    "v_mul_i32_i24": lambda x, y: s24(x) * s24(y),
    "v_mul_hi_u32_u24": lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF) >> 32,
    "v_mad_u32_u24": lambda x, y, z: (x & 0xFFFFFF) * (y & 0xFFFFFF) + z,
    "v_mad_i32_i24": lambda x, y, z: s24(x) * s24(y) + z,
    "v_bfe_u32": field,
    "v_bfe_i32": signed_field,
    "v_bfi_b32": lambda m, x, y: (m & x) | (~m & y),
    "v_bfm_b32": lambda n, s: ((1 << (n & 31)) - 1) << (s & 31),
    "v_bcnt_u32_b32": lambda x, y: x.bit_count() + y,
    "v_alignbit_b32": lambda x, y, n: (x << 32 | y) >> (n & 31),
    "v_alignbyte_b32": lambda x, y, n: (x << 32 | y) >> (8 * (n & 3)),
    "v_perm_b32": perm,
    "v_lshl_add_u32": lambda x, n, y: (x << (n & 31)) + y,
    "v_add_lshl_u32": lambda x, y, n: (x + y & M32) << (n & 31),
    "v_add3_u32": lambda x, y, z: x + y + z,
    "v_lshl_or_b32": lambda x, n, y: (x << (n & 31)) | y,
    "v_and_or_b32": lambda x, y, z: (x & y) | z,
    "v_or3_b32": lambda x, y, z: x | y | z,
    "v_xad_u32": lambda x, y, z: (x ^ y) + z,
    "v_min3_u32": min,
    "v_max3_u32": max,
    "v_med3_u32": lambda x, y, z: sorted((x, y, z))[1],
    "v_med3_i32": lambda x, y, z: sorted((s32(x), s32(y), s32(z)))[1],
    "v_add_u16": lambda x, y: x + y & 0xFFFF,
    "v_lshlrev_b16": lambda n, x: x << (n & 15) & 0xFFFF,
    "v_lshrrev_b16": lambda n, x: (x & 0xFFFF) >> (n & 15),
    "v_mul_lo_u16": lambda x, y: x * y & 0xFFFF,
}

SCALAR: dict[str, Callable[..., int]] = {
    "s_lshl_b32": lambda x, n: x << (n & 31),
    "s_lshr_b32": lambda x, n: x >> (n & 31),
    "s_ashr_i32": lambda x, n: s32(x) >> (n & 31),
    "s_add_u32": lambda x, y: x + y,
    "s_sub_i32": lambda x, y: x - y,
    "s_mul_i32": lambda x, y: x * y,
    "s_mul_hi_u32": lambda x, y: x * y >> 32,
    "s_min_i32": lambda x, y: min(s32(x), s32(y)),
    "s_max_u32": max,
    "s_bfe_u32": sbfe,
    "s_bfm_b32": lambda x, y: ((1 << (x & 31)) - 1) << (y & 31),
    "s_and_b32": lambda x, y: x & y,
    "s_andn2_b32": lambda x, y: x & ~y,
    "s_orn2_b32": lambda x, y: x | ~y,
    "s_nand_b32": lambda x, y: ~(x & y),
    "s_xnor_b32": lambda x, y: ~(x ^ y),
    "s_lshl2_add_u32": lambda x, y: (x << 2) + y,
    "s_absdiff_i32": lambda x, y: abs(s32(x) - s32(y)),
    "s_pack_ll_b32_b16": lambda x, y: (x & 0xFFFF) | (y & 0xFFFF) << 16,
    "s_pack_hh_b32_b16": lambda x, y: x >> 16 | (y >> 16) << 16,
    "s_brev_b32": lambda x: int(f"{x:032b}"[::-1], 2),
    "s_abs_i32": lambda x: abs(s32(x)),
    "s_sext_i32_i16": lambda x: (x & 0xFFFF ^ 0x8000) - 0x8000,
    "s_ff1_i32_b32": lambda x: (x & -x).bit_length() - 1,
    "s_bcnt1_i32_b32": int.bit_count,
    "s_not_b32": lambda x: ~x,
}


def arity(function: Callable[..., int], name: str) -> int:
    if function in (min, max):
        return 3 if "3" in name.split("_")[1] else 2
    return 1 if function is int.bit_count else function.__code__.co_argcount


def operation(text: str):
    body = f'\t.amdgcn_target "x-gfx942"\nk:\n\t{text}\n.Lfunc_end0:\n\t.amdhsa_kernel k\n'
    return kernels(body)[0].operations[0]


def numbers(rng: random.Random, count: int) -> list[int]:
    kinds = (lambda: rng.getrandbits(32), lambda: rng.randrange(40), lambda: M32 - rng.randrange(9))
    return [rng.choice(kinds)() for _ in range(count)]


def fresh() -> State:
    everyone = np.ones((1, 64), bool)
    state = State(everyone, lanes=everyone)
    for half in ("exec_lo", "exec_hi"):
        state.registers[half] = np.full((1, 1), M32, np.uint32)
    return state


@pytest.mark.parametrize("name", sorted(VECTOR))
def test_vector_instructions_compute_what_the_isa_says(name: str) -> None:
    rng = random.Random(name)
    count = arity(VECTOR[name], name)
    sources = [numbers(rng, 64) for _ in range(count)]
    state = fresh()
    for n, values in enumerate(sources):
        state.registers[f"v{n + 1}"] = np.array([values], np.uint32)
    run = vector(operation(f"{name} v0, " + ", ".join(f"v{n + 1}" for n in range(count))))
    assert run is not None
    run(state)
    wanted = [VECTOR[name](*row) & M32 for row in zip(*sources, strict=True)]
    found = read(state, "v0")
    assert not isinstance(found, Unknown)
    assert found[0].tolist() == wanted


@pytest.mark.parametrize("name", sorted(SCALAR))
def test_scalar_instructions_compute_what_the_isa_says(name: str) -> None:
    rng = random.Random(name)
    count = arity(SCALAR[name], name)
    run = scalar(name, tuple(operand(f"s{n}") for n in range(count + 1)), 1)
    assert run is not None
    for _ in range(40):
        values = numbers(rng, count)
        state = fresh()
        for n, value in enumerate(values):
            state.registers[f"s{n + 1}"] = np.full((1, 1), value, np.uint32)
        run(state)
        found = read(state, "s0")
        assert not isinstance(found, Unknown)
        assert int(found[0, 0]) == SCALAR[name](*values) & M32, values


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("v_lshlrev_b64 v[0:1], 5, v[2:3]", lambda x, y: x << 5),
        ("v_lshrrev_b64 v[0:1], 5, v[2:3]", lambda x, y: x >> 5),
        ("v_lshl_add_u64 v[0:1], v[2:3], 3, v[4:5]", lambda x, y: (x << 3) + y),
        ("v_mad_u64_u32 v[0:1], s[0:1], v2, v4, v[4:5]", lambda x, y: (x & M32) * (y & M32) + y),
        (
            "v_mad_i64_i32 v[0:1], s[0:1], v2, v4, v[4:5]",
            lambda x, y: s32(x & M32) * s32(y & M32) + y,
        ),
    ],
)
def test_wide_vector_instructions_compute_both_halves(
    name: str, wanted: Callable[[int, int], int]
) -> None:
    rng = random.Random(name)
    x, y = ([rng.getrandbits(64) for _ in range(64)] for _ in range(2))
    state = fresh()
    for register, values in (("v2", x), ("v4", y)):
        number = int(register[1:])
        state.registers[register] = np.array([[v & M32 for v in values]], np.uint32)
        state.registers[f"v{number + 1}"] = np.array([[v >> 32 for v in values]], np.uint32)
    run = vector(operation(name))
    assert run is not None
    run(state)
    low, high = read(state, "v0"), read(state, "v1")
    assert not isinstance(low, Unknown)
    assert not isinstance(high, Unknown)
    found = [int(a) | int(b) << 32 for a, b in zip(low[0], high[0], strict=True)]
    assert found == [wanted(a, b) & M64 for a, b in zip(x, y, strict=True)]


def test_an_unknown_upper_half_leaves_the_lower_half_known() -> None:
    state = fresh()
    state.registers["v2"] = np.arange(64, dtype=np.uint32)[None, :]
    run = vector(operation("v_mad_u64_u32 v[0:1], s[0:1], v2, 8, v[2:3]"))
    assert run is not None
    run(state)
    low, high = read(state, "v0"), read(state, "v1")
    assert not isinstance(low, Unknown)
    assert low[0].tolist() == [9 * n for n in range(64)]
    assert isinstance(high, Unknown)


def test_carries_chain_two_words_into_one_sum() -> None:
    rng = random.Random(1)
    x, y = ([rng.getrandbits(64) for _ in range(64)] for _ in range(2))
    state = fresh()
    for first, values in ((2, x), (4, y)):
        state.registers[f"v{first}"] = np.array([[v & M32 for v in values]], np.uint32)
        state.registers[f"v{first + 1}"] = np.array([[v >> 32 for v in values]], np.uint32)
    for text in ("v_add_co_u32_e32 v0, vcc, v2, v4", "v_addc_co_u32_e32 v1, vcc, v3, v5, vcc"):
        run = vector(operation(text))
        assert run is not None
        run(state)
    low, high = read(state, "v0"), read(state, "v1")
    found = [int(a) | int(b) << 32 for a, b in zip(low[0], high[0], strict=True)]
    assert found == [a + b & M64 for a, b in zip(x, y, strict=True)]


def test_sdwa_sources_take_their_part_of_the_register() -> None:
    state = fresh()
    state.registers["v1"] = np.arange(64, dtype=np.uint32)[None, :] * np.uint32(0x01020304)
    state.registers["v2"] = np.full((1, 1), 3, np.uint32)
    text = "v_lshlrev_b32_sdwa v0, v2, v1 dst_sel:DWORD dst_unused:UNUSED_PAD"
    run = vector(operation(f"{text} src0_sel:DWORD src1_sel:BYTE_1"))
    assert run is not None
    run(state)
    wanted = [((n * 0x01020304 >> 8) & 0xFF) << 3 for n in range(64)]
    assert read(state, "v0")[0].tolist() == wanted


def test_mbcnt_counts_the_lanes_below() -> None:
    state = fresh()
    for text in ("v_mbcnt_lo_u32_b32 v0, -1, 0", "v_mbcnt_hi_u32_b32 v0, -1, v0"):
        run = vector(operation(text))
        assert run is not None
        run(state)
    assert read(state, "v0")[0].tolist() == list(range(64))


def test_permlane_swaps_exchange_odd_rows_with_even_rows() -> None:
    state = fresh()
    state.registers["v0"] = np.arange(64, dtype=np.uint32)[None, :]
    state.registers["v1"] = np.arange(64, dtype=np.uint32)[None, :] + np.uint32(100)
    run = vector(operation("v_permlane32_swap_b32 v0, v1"))
    assert run is not None
    run(state)
    assert read(state, "v0")[0].tolist() == [*range(32), *range(100, 132)]
    assert read(state, "v1")[0].tolist() == [*range(32, 64), *range(132, 164)]


@pytest.mark.parametrize(
    "text", ["v_add_u32_dpp v0, v1, v2 row_xmask:1", "v_add_u32 v0, v1, v2 clamp"]
)
def test_forms_with_another_meaning_are_not_followed(text: str) -> None:
    assert vector(operation(text)) is None
