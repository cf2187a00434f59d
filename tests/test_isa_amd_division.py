"""Integer division by a number that only the launch knows, as LLVM emits it for AMD."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from bankwise.read.amd.floats import RECIPROCAL_ERRORS, _fused, _inverse
from isa_texts import amd, lanes

DIVIDE_32 = """\ts_load_dword s6, s[0:1], 0x8
\tv_mul_lo_u32 v1, v0, s20
\tv_cvt_f32_u32_e32 v3, s6
\ts_sub_i32 s7, 0, s6
\tv_rcp_iflag_f32_e32 v3, v3
\tv_mul_f32_e32 v3, 0x4f7ffffe, v3
\tv_cvt_u32_f32_e32 v3, v3
\tv_mul_lo_u32 v4, s7, v3
\tv_mul_hi_u32 v4, v3, v4
\tv_add_u32_e32 v3, v3, v4
\tv_mul_hi_u32 v3, v1, v3
\tv_mul_lo_u32 v4, v3, s6
\tv_sub_u32_e32 v4, v1, v4
\tv_add_u32_e32 v5, 1, v3
\tv_cmp_le_u32_e32 vcc, s6, v4
\tv_cndmask_b32_e32 v3, v3, v5, vcc
\tv_subrev_u32_e32 v5, s6, v4
\tv_cndmask_b32_e32 v4, v4, v5, vcc
\tv_add_u32_e32 v5, 1, v3
\tv_cmp_le_u32_e32 vcc, s6, v4
\tv_cndmask_b32_e32 v3, v3, v5, vcc"""

DIVIDE_24 = """\ts_load_dword s6, s[0:1], 0x8
\tv_mul_lo_u32 v1, v0, s20
\tv_cvt_f32_u32_e32 v2, s6
\tv_cvt_f32_u32_e32 v3, v1
\tv_rcp_iflag_f32_e32 v4, v2
\tv_mul_f32_e32 v4, v3, v4
\tv_trunc_f32_e32 v4, v4
\tv_cvt_u32_f32_e32 v5, v4
\tv_fma_f32 v4, -v4, v2, v3
\tv_cmp_ge_f32_e64 vcc, |v4|, v2
\tv_addc_co_u32_e32 v3, vcc, 0, v5, vcc"""


def divided(text: str, step: int, divisor: int) -> tuple[list[int], tuple[str, ...]]:
    """What the lanes get for their number times ``step``, and why that is not sure."""
    body = f"\ts_mov_b32 s20, {step:#x}\n{text}\n\tv_lshlrev_b32_e32 v3, 0, v3\n\tds_read_u8 v6, v3"
    kernel = amd(body, args={"n": divisor})
    assert kernel.refusals == ()
    return lanes(kernel.accesses[0]), kernel.unseen


@pytest.mark.parametrize("seed", range(25))
def test_the_quotient_of_32_bits_is_right_however_the_reciprocal_is_rounded(seed: int) -> None:
    rng = random.Random(seed)
    divisor = rng.choice([1 + seed, rng.getrandbits(8) + 1, rng.getrandbits(31) + 1, 0xFFFFFFFF])
    step = rng.choice([1, 67_108_863, rng.getrandbits(26)])
    assert divided(DIVIDE_32, step, divisor) == ([n * step // divisor for n in range(64)], ())


@pytest.mark.parametrize("seed", range(25))
def test_the_quotient_of_24_bits_is_never_wrong(seed: int) -> None:
    """Where a reciprocal within one unit could give another quotient, that is said."""
    rng = random.Random(seed)
    divisor, step = rng.randrange(1, 1 << 16), rng.randrange(1 << 17)
    found, doubt = divided(DIVIDE_24, step, divisor)
    assert doubt or found == [n * step // divisor for n in range(64)]


def test_an_estimate_that_nothing_corrects_is_not_known() -> None:
    text = """\ts_load_dword s6, s[0:1], 0x8
\tv_cvt_f32_u32_e32 v3, s6
\tv_rcp_iflag_f32_e32 v3, v3
\tv_mul_f32_e32 v3, 0x4f7ffffe, v3
\tv_cvt_u32_f32_e32 v3, v3
\tv_and_b32_e32 v3, 0xffff, v3"""
    assert divided(text, 1, 7)[1] == (
        "its addresses depend on numbers that only the machine knows",
    )


@pytest.mark.parametrize(
    "change",
    [
        "\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3",
        "\ts_setreg_b32 hwreg(HW_REG_MODE), s6",
        "\ts_round_mode 0x1",
    ],
)
def test_a_kernel_that_changes_rounding_is_not_followed_through_numbers(change: str) -> None:
    kernel = amd(f"{change}\n{DIVIDE_32}\n\tds_read_u8 v6, v3", args={"n": 3})
    assert len(kernel.refusals) == 1


def test_switching_denormals_leaves_rounding_as_it_is() -> None:
    change = "\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3"
    kernel = amd(f"\ts_mov_b32 s20, 5\n{change}\n{DIVIDE_32}\n\tds_read_u8 v6, v3", args={"n": 3})
    assert lanes(kernel.accesses[0]) == [5 * n // 3 for n in range(64)]


def test_a_reciprocal_is_each_number_within_one_unit_of_the_truth() -> None:
    rng = random.Random(3)
    for _ in range(300):
        x = np.array([[rng.randrange(1, 1 << rng.randrange(2, 32))]], np.float32)
        found = [
            _inverse(x.view(np.uint32), np.full((1, 1), error % (1 << 32), np.uint32))
            for error in RECIPROCAL_ERRORS
        ]
        near, above, below = (Fraction(float(y.view(np.float32)[0, 0])) for y in found)
        truth, unit = 1 / Fraction(float(x[0, 0])), Fraction(float(np.spacing(np.float32(near))))
        assert abs(near - truth) <= unit / 2
        assert below < above
        assert below <= truth <= above
        assert max(above - truth, truth - below) <= unit


def test_a_fused_product_is_rounded_once() -> None:
    rng = random.Random(4)
    for _ in range(2000):
        x, y = (np.float32(rng.uniform(1, 2) * 2 ** rng.randrange(-3, 24)) for _ in range(2))
        exact = Fraction(float(x)) * Fraction(float(y))
        z = np.float32(-float(exact) * rng.choice([1, 1, 0.5, rng.random()]))
        wanted = exact + Fraction(float(z))
        found = float(_fused(*(np.array([[v]], np.float32) for v in (x, y, z)))[0, 0])
        beside = [float(np.nextafter(np.float32(found), np.float32(e))) for e in (-np.inf, np.inf)]
        error = abs(Fraction(found) - wanted)
        assert all(error <= abs(Fraction(other) - wanted) for other in beside)
