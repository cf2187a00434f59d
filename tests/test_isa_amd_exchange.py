"""Exchanges between lanes through the LDS unit, and 16-bit halves, against plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from isa_texts import amd, lanes

START = """\tv_mul_u32_u24_e32 v1, 12, v0
\tv_mul_u32_u24_e32 v2, 28, v0
"""
"""v1: three times, v2: seven times the lane, as places of words."""


def given(code: str, before: str = "") -> list[int]:
    """What the lanes have in v3, by words."""
    (found,) = amd(f"{START}{before}\t{code}\n\tds_read_b32 v4, v3").accesses
    return [at // 4 for at in lanes(found)]


def test_bpermute_takes_and_permute_gives() -> None:
    assert given("ds_bpermute_b32 v3, v2, v1") == [3 * (7 * n % 64) for n in range(64)]
    assert given("ds_bpermute_b32 v3, v2, v1 offset:8") == [
        3 * ((7 * n + 2) % 64) for n in range(64)
    ]
    placed = {7 * n % 64: 3 * n for n in range(64)}
    assert given("ds_permute_b32 v3, v2, v1") == [placed[n] for n in range(64)]


def test_the_highest_giver_wins_and_who_is_given_nothing_has_zero() -> None:
    before = "\tv_and_b32_e32 v2, 0x1c, v2\n"
    places = {(7 * n & 7): 3 * n for n in range(64)}
    assert given("ds_permute_b32 v3, v2, v1", before) == [places.get(n, 0) for n in range(64)]


def test_a_lane_that_does_not_run_gives_zero() -> None:
    body = f"""{START}\tv_cmp_gt_u32_e32 vcc, 20, v0
\tv_mov_b32_e32 v3, 4
\ts_and_saveexec_b64 s[4:5], vcc
\tds_bpermute_b32 v3, v2, v1
\ts_or_b64 exec, exec, s[4:5]
\tds_read_b32 v4, v3"""
    (found,) = amd(body).accesses
    wanted = [3 * (7 * n % 64) if 7 * n % 64 < 20 else 0 for n in range(20)] + [1] * 44
    assert [at // 4 for at in lanes(found)] == wanted


def test_an_exchange_under_an_unknown_mask_is_not_known() -> None:
    body = f"""{START}\ts_load_dword s6, s[0:1], 0x8
\tv_cmp_gt_u32_e32 vcc, s6, v0
\ts_and_saveexec_b64 s[4:5], vcc
\tds_bpermute_b32 v3, v2, v1
\tds_read_b32 v4, v3"""
    assert len(amd(body).refusals) == 1


SWIZZLES: dict[str, Callable[[int], int]] = {
    "swizzle(SWAP,1)": lambda n: n ^ 1,
    "swizzle(SWAP,16)": lambda n: n ^ 16,
    "swizzle(REVERSE,8)": lambda n: n // 8 * 8 + 7 - n % 8,
    "swizzle(BROADCAST,4,1)": lambda n: n // 4 * 4 + 1,
    "swizzle(QUAD_PERM,1,0,3,2)": lambda n: n // 4 * 4 + [1, 0, 3, 2][n % 4],
    'swizzle(BITMASK_PERM,"01pip")': lambda n: n // 32 * 32 + (8 | n % 8 ^ 2),
    "0x041f": lambda n: n ^ 1,
    "0x80b1": lambda n: n // 4 * 4 + [1, 0, 3, 2][n % 4],
    "0x1e": lambda n: n & ~1,
}


@pytest.mark.parametrize("offset", SWIZZLES)
def test_a_swizzle_takes_from_the_lane_that_its_words_name(offset: str) -> None:
    wanted = [3 * SWIZZLES[offset](n) for n in range(64)]
    assert given(f"ds_swizzle_b32 v3, v1 offset:{offset}") == wanted


@pytest.mark.parametrize("offset", ["0xc020", "0xe010", "swizzle(ROTATE,1)", 'swizzle(FFT,"x")'])
def test_a_swizzle_of_another_kind_is_not_guessed(offset: str) -> None:
    kernel = amd(f"{START}\tds_swizzle_b32 v3, v1 offset:{offset}\n\tds_read_b32 v4, v3")
    assert len(kernel.refusals) == 1


def s16(x: int) -> int:
    return (x & 0xFFFF ^ 0x8000) - 0x8000


PACKED: dict[str, Callable[..., int]] = {
    "v_pk_add_u16": lambda x, y: x + y,
    "v_pk_sub_i16": lambda x, y: x - y,
    "v_pk_mul_lo_u16": lambda x, y: x * y,
    "v_pk_mad_u16": lambda x, y, z: x * y + z,
    "v_pk_mad_i16": lambda x, y, z: s16(x) * s16(y) + s16(z),
    "v_pk_min_u16": min,
    "v_pk_max_u16": max,
    "v_pk_min_i16": lambda x, y: min(s16(x), s16(y)),
    "v_pk_max_i16": lambda x, y: max(s16(x), s16(y)),
    "v_pk_lshlrev_b16": lambda n, x: x << (n & 15),
    "v_pk_lshrrev_b16": lambda n, x: x >> (n & 15),
    "v_pk_ashrrev_i16": lambda n, x: s16(x) >> (n & 15),
}


@pytest.mark.parametrize("name", PACKED)
def test_packed_instructions_do_the_same_for_both_halves(name: str) -> None:
    function, rng = PACKED[name], random.Random(name)
    count = 2 if function in (min, max) else function.__code__.co_argcount
    for picks in ("", " op_sel:[1,0,0] op_sel_hi:[0,1,1]", " op_sel_hi:[0,0,1]"):
        words = [rng.getrandbits(32) for _ in range(count)]
        pair = ([1, 0, 0] if "op_sel:" in picks else [0, 0, 0], [1, 1, 1])
        if "op_sel_hi" in picks:
            pair = (pair[0], [0, 1, 1] if "op_sel:" in picks else [0, 0, 1])
        low, high = (
            function(*(w >> 16 * p & 0xFFFF for w, p in zip(words, one, strict=False))) & 0xFFFF
            for one in pair
        )
        moves = "".join(f"\tv_mov_b32_e32 v{n + 5}, {w:#x}\n" for n, w in enumerate(words))
        sources = ", ".join(f"v{n + 5}" for n in range(count))
        texts = picks.replace(",0]", "]").replace(",1]", "]") if count == 2 else picks
        body = (
            f"{moves}\t{name} v3, {sources}{texts}\n\tv_xor_b32_e32 v3, {low | high << 16:#x}, v3"
        )
        (found,) = amd(f"{body}\n\tds_read_b32 v4, v3").accesses
        assert lanes(found)[0] == 0, picks
