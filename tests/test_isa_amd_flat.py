"""Flat accesses of AMD: the aperture in the address decides the memory, through all that a compiler
does with it when it does not optimise."""

from __future__ import annotations

import numpy as np
import pytest

from bankwise.hardware.machine import machine
from isa_texts import amd, lanes, totals

LANE = np.arange(64)
APERTURE = """\ts_mov_b64 s[4:5], src_shared_base
\tv_mov_b32_e32 v3, s5"""
PRIVATE = "\t\t.amdhsa_private_segment_fixed_size 64"

AS_DS = {
    "flat_load_ubyte v4, v[2:3]": "ds_read_u8 v4, v2",
    "flat_load_sbyte v4, v[2:3]": "ds_read_i8 v4, v2",
    "flat_load_ushort v4, v[2:3]": "ds_read_u16 v4, v2",
    "flat_load_short_d16_hi v4, v[2:3]": "ds_read_u16_d16_hi v4, v2",
    "flat_load_dword v4, v[2:3] sc0 sc1": "ds_read_b32 v4, v2",
    "flat_load_dwordx2 v[4:5], v[2:3]": "ds_read_b64 v[4:5], v2",
    "flat_load_dwordx3 v[4:6], v[2:3]": "ds_read_b96 v[4:6], v2",
    "flat_load_dwordx4 v[4:7], v[2:3] offset:32": "ds_read_b128 v[4:7], v2 offset:32",
    "flat_store_byte v[2:3], v4": "ds_write_b8 v2, v4",
    "flat_store_short v[2:3], v4": "ds_write_b16 v2, v4",
    "flat_store_dword v[2:3], v4 offset:4": "ds_write_b32 v2, v4 offset:4",
    "flat_store_dwordx2 v[2:3], v[4:5]": "ds_write_b64 v2, v[4:5]",
    "flat_store_dwordx3 v[2:3], v[4:6]": "ds_write_b96 v2, v[4:6]",
    "flat_store_dwordx4 v[2:3], v[4:7]": "ds_write_b128 v2, v[4:7]",
    "flat_atomic_add v[2:3], v4": "ds_add_u32 v2, v4",
    "flat_atomic_add v5, v[2:3], v4 sc0": "ds_add_rtn_u32 v5, v2, v4",
    "flat_atomic_add_x2 v[2:3], v[4:5]": "ds_add_u64 v2, v[4:5]",
}


@pytest.mark.parametrize("gpu", ["gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize("pitch", [4, 16, 20, 64, 272])
def test_a_flat_access_of_lds_costs_what_the_ds_access_of_its_width_does(
    gpu: str, pitch: int
) -> None:
    for flat, ds in AS_DS.items():
        body = f"{APERTURE}\n\tv_mul_u32_u24_e32 v2, {pitch:#x}, v0\n\t"
        ours, theirs = amd(body + flat, target=gpu), amd(body + ds, target=gpu)
        assert (ours.refusals, ours.unseen) == ((), ())
        assert list(totals([ours]).values()) == list(totals([theirs]).values()), flat
        assert lanes(ours.accesses[0]) == lanes(theirs.accesses[0])


def test_the_row_of_a_flat_access_says_that_nobody_measured_it() -> None:
    for gpu in ("gfx90a", "gfx942", "gfx950"):
        for name, row in machine(gpu).instructions.items():
            if name.startswith("flat_"):
                assert row.evidence in ("inferred", "assumed", "unknown")


@pytest.mark.parametrize(
    "address",
    [
        "\tv_mov_b32_e32 v3, s9",
        "\tv_mov_b32_e32 v4, s8\n\tv_add_co_u32_e32 v2, vcc, v4, v2\n"
        "\tv_mov_b32_e32 v4, s9\n\tv_addc_co_u32_e32 v3, vcc, 0, v4, vcc",
        "\tglobal_load_dword v4, v2, s[8:9]\n\tv_ashrrev_i32_e32 v5, 31, v4\n"
        "\tv_lshl_add_u64 v[2:3], v[4:5], 2, s[8:9]",
        "\tv_mad_u64_u32 v[2:3], s[10:11], v0, 24, s[8:9]",
    ],
)
def test_what_is_added_to_a_pointer_of_the_launch_leads_to_no_lds(address: str) -> None:
    body = f"{APERTURE}\n\ts_load_dwordx2 s[8:9], s[0:1], 0x0\n\tv_lshlrev_b32_e32 v2, 2, v0\n"
    kernel = amd(f"{body}{address}\n\tflat_load_dword v6, v[2:3]\n\tds_read_b32 v7, v0")
    assert [a.instruction for a in kernel.accesses] == ["ds_read_b32"]
    assert (kernel.refusals, kernel.unseen) == ((), ())


def test_a_pointer_that_may_lead_to_lds_or_not_is_refused_by_name() -> None:
    body = f"""{APERTURE}
\ts_load_dwordx2 s[8:9], s[0:1], 0x0
\ts_load_dword s6, s[0:1], 0x8
\ts_cmp_eq_u32 s6, 0
\ts_cselect_b32 s5, s9, s5
\tv_mov_b32_e32 v3, s5
\tv_lshlrev_b32_e32 v2, 2, v0
\tflat_load_dword v6, v[2:3]"""
    (refusal,) = amd(body).refusals
    assert refusal.reason.startswith("flat_load_dword: its address depends on kernel argument n")
    assert "whether it is in LDS" in refusal.reason
    chosen = amd(body, args={"n": 1})
    assert lanes(chosen.accesses[0]) == (4 * LANE).tolist()
    other = amd(body, args={"n": 0})
    assert (other.accesses, other.refusals) == ((), ())


def test_a_pointer_from_memory_is_refused_if_the_kernel_makes_addresses_of_lds() -> None:
    body = "\tglobal_load_dwordx2 v[2:3], v0, s[0:1]\n\tflat_store_dword v[2:3], v0"
    assert amd(body).refusals == ()
    (refusal,) = amd(f"{APERTURE}\n{body}").refusals
    assert "a value loaded from memory" in refusal.reason


def test_an_offset_from_memory_into_lds_is_refused() -> None:
    body = f"""{APERTURE}
\tglobal_load_dword v4, v0, s[0:1]
\tv_mov_b32_e32 v5, 0
\tv_mov_b32_e32 v2, 0
\tv_lshl_add_u64 v[6:7], v[4:5], 2, v[2:3]
\tflat_load_dword v6, v[6:7]"""
    (refusal,) = amd(body).refusals
    assert "a value loaded from memory" in refusal.reason


def test_lanes_of_other_memory_are_left_out() -> None:
    body = f"""{APERTURE}
\ts_mov_b64 s[6:7], src_private_base
\tv_lshlrev_b32_e32 v2, 3, v0
\tv_mov_b32_e32 v4, s7
\tv_cmp_gt_u32_e32 vcc, 10, v0
\tv_cndmask_b32_e32 v3, v4, v3, vcc
\tflat_load_dword v6, v[2:3]"""
    (found,) = amd(body, descriptor=PRIVATE).accesses
    assert lanes(found) == (8 * LANE[:10]).tolist()


def test_the_null_check_of_a_cast_pointer_is_decided() -> None:
    body = """\ts_mov_b64 s[4:5], src_shared_base
\ts_mov_b32 s6, -1
\tv_lshlrev_b32_e32 v1, 4, v0
\tv_cmp_ne_u32_e64 s[8:9], v1, s6
\tv_mov_b32_e32 v2, 0
\tv_mov_b32_e32 v4, s5
\tv_cndmask_b32_e64 v3, v2, v4, s[8:9]
\tv_cndmask_b32_e64 v2, v2, v1, s[8:9]
\tv_cmp_ne_u64_e32 vcc, 0, v[2:3]
\ts_and_saveexec_b64 s[10:11], vcc
\tflat_store_dword v[2:3], v0"""
    (found,) = amd(body).accesses
    assert lanes(found) == (16 * LANE).tolist()
    assert found.counted


def test_an_address_made_of_the_aperture_itself_is_not_known() -> None:
    body = f"{APERTURE}\n\tv_lshrrev_b32_e32 v4, 16, v3\n\tv_lshlrev_b32_e32 v4, 2, v4\n"
    kernel = amd(body + "\tv_and_b32_e32 v4, 0xffc, v4\n\tds_read_b32 v5, v4")
    assert kernel.unseen == ("its addresses depend on numbers that only the machine knows",)


def test_an_address_beside_the_aperture_is_refused() -> None:
    body = f"{APERTURE}\n\tv_add_u32_e32 v3, -1, v3\n\tv_mov_b32_e32 v2, -4\n"
    assert len(amd(body + "\tflat_load_dword v5, v[2:3]").refusals) == 1
    (found,) = amd(body + "\tflat_load_dword v5, v[2:3] offset:8").accesses
    assert lanes(found) == [4] * 64


def test_32_bits_of_an_aperture_are_not_guessed() -> None:
    body = "\ts_mov_b32 s5, src_shared_base\n\tv_mov_b32_e32 v3, s5\n\tv_mov_b32_e32 v2, 0\n"
    assert len(amd(body + "\tflat_load_dword v5, v[2:3]").refusals) == 1


STORE_AND_LOAD = [
    ("flat_store_dword v[8:9], v1", "flat_load_dword v4, v[8:9]"),
    ("flat_store_dword v[8:9], v1 offset:8", "scratch_load_dword v4, off, off offset:8"),
    ("scratch_store_dword off, v1, s33 offset:4", "flat_load_dword v4, v[8:9] offset:4"),
    ("scratch_store_short off, v1, off", "flat_load_ushort v4, v[8:9]"),
    ("scratch_store_dwordx2 off, v[0:1], s33", "scratch_load_dword v4, v8, off offset:4"),
    ("v_accvgpr_write_b32 a3, v1", "v_accvgpr_read_b32 v4, a3"),
]


@pytest.mark.parametrize(("store", "load"), STORE_AND_LOAD)
def test_what_is_spilled_comes_back(store: str, load: str) -> None:
    body = f"""\ts_mov_b32 s33, 0
\ts_mov_b64 s[4:5], src_private_base
\tv_mov_b32_e32 v9, s5
\tv_mov_b32_e32 v8, 0
\tv_lshlrev_b32_e32 v1, 3, v0
\t{store}
\tv_mov_b32_e32 v1, 0
\t{load}
\tds_read_b32 v5, v4"""
    (found,) = amd(body, descriptor=PRIVATE).accesses
    assert lanes(found) == (8 * LANE).tolist()


def test_a_signed_byte_of_private_memory_has_its_sign() -> None:
    body = """\tv_mov_b32_e32 v1, 0x180
\tscratch_store_dword off, v1, off
\tscratch_load_sbyte v4, off, off
\tv_lshl_add_u32 v4, v0, 2, v4
\tds_read_b32 v5, v4 offset:128"""
    (found,) = amd(body, descriptor=PRIVATE).accesses
    assert lanes(found) == (4 * LANE).tolist()


@pytest.mark.parametrize(
    "store",
    [
        "scratch_store_dword v2, v0, off",
        "scratch_store_dword v3, v0, off",
        "scratch_store_short_d16_hi off, v0, off",
        "scratch_store_dword off, v0, off offset:2",
    ],
)
def test_a_store_to_nobody_knows_which_word_forgets_them(store: str) -> None:
    body = f"""\tv_lshlrev_b32_e32 v2, 2, v0
\tglobal_load_dword v3, v2, s[0:1]
\tscratch_store_dword off, v2, off
\t{store}
\tscratch_load_dword v4, off, off
\tds_read_b32 v5, v4"""
    assert len(amd(body, descriptor=PRIVATE).refusals) == 1


MUCH = "\t\t.amdhsa_private_segment_fixed_size 2048"


def test_spills_that_name_their_words_are_followed_through_much_private_memory() -> None:
    body = """\tv_lshlrev_b32_e32 v1, 2, v0
\tscratch_store_dwordx2 off, v[0:1], off offset:1996
\tscratch_store_dword off, v0, off offset:2004
\tscratch_load_dword v4, off, off offset:2000
\tds_read_b32 v5, v4"""
    (found,) = amd(body, descriptor=MUCH).accesses
    assert lanes(found) == (4 * LANE).tolist()
    indexed = body.replace("off, v0, off offset:2004", "v0, v0, off")
    assert len(amd(indexed, descriptor=MUCH).refusals) == 1


def test_lanes_that_do_not_run_keep_their_private_memory() -> None:
    body = """\tv_lshlrev_b32_e32 v1, 2, v0
\tscratch_store_dword off, v1, off
\tv_cmp_gt_u32_e32 vcc, 8, v0
\ts_and_saveexec_b64 s[4:5], vcc
\tv_mov_b32_e32 v2, 0x400
\tscratch_store_dword off, v2, off
\ts_or_b64 exec, exec, s[4:5]
\tscratch_load_dword v4, off, off
\tds_read_b32 v5, v4"""
    (found,) = amd(body, descriptor=PRIVATE).accesses
    assert lanes(found) == np.where(LANE < 8, 0x400, 4 * LANE).tolist()


def test_scalars_that_are_spilled_to_lanes_of_one_register_stay_apart() -> None:
    """The second pointer is not the first, and neither makes the number unknown."""
    body = """\ts_load_dwordx2 s[8:9], s[0:1], 0x0
\ts_movk_i32 s10, 0x100
\tv_writelane_b32 v40, s0, 0
\tv_writelane_b32 v40, s1, 1
\tv_writelane_b32 v40, s10, 2
\tv_writelane_b32 v40, s8, 3
\ts_or_saveexec_b64 s[12:13], -1
\tv_accvgpr_write_b32 a0, v40
\ts_mov_b64 exec, s[12:13]
\tv_accvgpr_read_b32 v41, a0
\tv_readlane_b32 s4, v41, 0
\tv_readlane_b32 s5, v41, 1
\tv_readlane_b32 s6, v41, 2
\ts_load_dword s7, s[4:5], 0x8
\tv_lshl_add_u32 v1, v0, 2, s6
\tv_lshl_add_u32 v2, v0, 2, s7
\tds_read_b32 v3, v1
\tds_read_b32 v4, v2"""
    first, second = amd(body, args={"n": 64}).accesses
    assert lanes(first) == (4 * LANE + 0x100).tolist()
    assert lanes(second) == (4 * LANE + 64).tolist()


def test_junk_beside_a_mask_does_not_reach_what_is_masked() -> None:
    """The loop masks of code that nothing optimised begin as a register that nothing wrote."""
    body = """\ts_or_b64 s[4:5], s[20:21], exec
\ts_andn2_b64 s[6:7], s[4:5], exec
\ts_and_b64 s[6:7], exec, s[6:7]
\ts_and_b64 s[4:5], exec, s[4:5]
\tv_mov_b32_e32 v1, s6
\tv_lshl_add_u32 v1, v0, 2, v1
\tds_read_b32 v3, v1
\ts_mov_b64 exec, s[4:5]
\tds_read_b32 v3, v1"""
    first, second = amd(body).accesses
    assert lanes(first) == lanes(second) == (4 * LANE).tolist()


@pytest.mark.parametrize(
    ("shift", "result"),
    [("v_lshlrev_b64 v[4:5], 32, v[2:3]", 5), ("v_lshrrev_b64 v[4:5], 32, v[1:2]", 4)],
)
def test_a_shift_by_a_whole_word_leaves_the_junk_behind(shift: str, result: int) -> None:
    body = f"\tv_lshlrev_b32_e32 v2, 2, v0\n\t{shift}\n\tds_read_b32 v6, v{result}"
    (found,) = amd(body).accesses
    assert lanes(found) == (4 * LANE).tolist()
