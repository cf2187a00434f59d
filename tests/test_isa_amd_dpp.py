"""DPP: sources from other lanes, from the tables of the ISA document."""

from __future__ import annotations

import pytest

from isa_texts import amd, lanes

OLD = 4096


def moved(text: str) -> list[int]:
    """Four times the lane that each lane got; OLD where its destination stayed."""
    body = f"\tv_lshlrev_b32_e32 v1, 2, v0\n\tv_mov_b32_e32 v2, {OLD:#x}\n\t{text}"
    (found,) = amd(body + "\n\tds_read_b32 v3, v2").accesses
    return lanes(found)


def test_quad_perm_permutes_the_four_lanes_of_each_quad() -> None:
    expected = [4 * (q + [1, 0, 3, 2][i]) for q in range(0, 64, 4) for i in range(4)]
    assert moved("v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf") == expected


@pytest.mark.parametrize(
    ("movement", "source"),
    [
        ("row_shr:1", lambda row, i: (row, i - 1)),
        ("row_shl:3", lambda row, i: (row, i + 3)),
        ("row_ror:4", lambda row, i: (row, (i - 4) % 16)),
        ("row_mirror", lambda row, i: (row, 15 - i)),
        ("row_half_mirror", lambda row, i: (row, i // 8 * 8 + 7 - i % 8)),
        ("row_newbcast:5", lambda row, i: (row, 5)),
        ("row_bcast:15", lambda row, i: (row - 1, 15)),
        ("row_bcast:31", lambda row, i: (1, 15) if row >= 2 else (-1, 0)),
    ],
)
def test_lanes_without_a_source_stay_or_are_zero_with_bound_ctrl(movement: str, source) -> None:
    stay, zero = [], []
    for lane in range(64):
        row, i = source(lane // 16, lane % 16)
        exists = row >= 0 and 0 <= i < 16
        stay.append(4 * (16 * row + i) if exists else OLD)
        zero.append(4 * (16 * row + i) if exists else 0)
    text = f"v_mov_b32_dpp v2, v1 {movement} row_mask:0xf bank_mask:0xf"
    assert moved(text) == stay
    assert moved(f"{text} bound_ctrl:0") == zero
    assert moved(f"{text} bound_ctrl:1") == zero


def test_rows_and_banks_that_are_masked_stay() -> None:
    expected = [
        4 * (lane ^ 1) if lane // 16 in (0, 2) and lane % 16 // 4 == 1 else OLD
        for lane in range(64)
    ]
    text = "v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2] row_mask:0x5 bank_mask:0x2"
    assert moved(text) == expected


def test_other_instructions_take_their_first_source_from_the_other_lane() -> None:
    text = "v_add_u32_dpp v2, v1, v1 row_ror:8 row_mask:0xf bank_mask:0xf"
    assert moved(text) == [4 * (lane ^ 8) + 4 * lane for lane in range(64)]
    text = "v_xor_b32_dpp v2, v1, v1 row_ror:8 row_mask:0xf bank_mask:0xf"
    assert moved(text) == [4 * (lane ^ 8) ^ 4 * lane for lane in range(64)]


def test_a_source_lane_that_does_not_run_is_not_guessed() -> None:
    body = """\tv_lshlrev_b32_e32 v1, 2, v0
\tv_mov_b32_e32 v2, 0
\tv_cmp_gt_u32_e32 vcc, 60, v0
\ts_and_saveexec_b64 s[4:5], vcc
\tv_mov_b32_dpp v2, v1 {} row_mask:0xf bank_mask:0xf
\tds_read_b32 v3, v2"""
    kernel = amd(body.format("row_shl:8"))
    assert kernel.accesses == ()
    assert "a lane that does not run" in kernel.refusals[0].reason
    (found,) = amd(body.format("quad_perm:[1,0,3,2]")).accesses
    assert lanes(found) == [4 * (lane ^ 1) for lane in range(60)]


@pytest.mark.parametrize("text", ["row_xmask:1", "row_shr:1 row_shl:1", "dpp8:[7,6,5,4,3,2,1,0]"])
def test_movements_of_other_machines_are_refused(text: str) -> None:
    body = f"\tv_mov_b32_dpp v2, v0 {text}\n\tds_read_b32 v3, v2"
    assert "v_mov_b32" in amd(body).refusals[0].reason


def test_a_comparison_with_a_moved_source_is_not_followed() -> None:
    body = """\tv_lshlrev_b32_e32 v1, 2, v0
\tv_cmp_gt_u32_dpp vcc, v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf
\ts_and_saveexec_b64 s[4:5], vcc
\tds_read_b32 v3, v1"""
    assert "v_cmp_gt_u32" in amd(body).accesses[0].access.note
