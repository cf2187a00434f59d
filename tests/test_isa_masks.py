"""Lanes that masks part at a WARPSYNC.EXCLUSIVE, or that a sync without a barrier finds apart.

What is expected follows from the texts and from what an H200 counted (``h200_masks.cu``,
``h200_parted.py`` in ``benchmarks``).
"""

from __future__ import annotations

from sass_texts import SHARED, sass
from test_isa_merging import BY_LANE, rows_of, span

BY_MASK = """\
LOP3.LUT R4, R0, 0x18, RZ, 0xc0, !PT
MOV R5, 0xff
SHF.L.U32 R4, R5, R4, RZ
BSSY B0, `(.L_met)
{}
STS [R1], R0
BSYNC B0
.L_met:
{}
STS [R1+0x200], R0"""
"""Lanes with a mask of their eight; what an H200 counts of such kernels is in ``sass/votes.py``."""
EIGHTS = [span(n, n + 8) for n in range(0, 32, 8)]


def test_lanes_with_different_masks_part_at_an_exclusive_warpsync() -> None:
    apart, met = sass(SHARED + BY_LANE + BY_MASK.format("WARPSYNC.EXCLUSIVE R4", "NOP")).accesses
    assert rows_of(apart) == EIGHTS
    assert rows_of(met) == [span(0, 32)]
    assert apart.counted
    assert met.counted


def test_they_run_together_behind_another_warpsync() -> None:
    both = sass(SHARED + BY_LANE + BY_MASK.format("WARPSYNC R4", "WARPSYNC.ALL")).accesses
    assert [rows_of(one) for one in both] == 2 * [[span(0, 32)]]
    assert all(one.counted for one in both)


def test_lanes_that_an_exclusive_warpsync_parted_stay_apart_without_a_barrier() -> None:
    text = BY_MASK.replace("BSSY B0, `(.L_met)\n", "").replace("BSYNC B0\n", "")
    both = sass(SHARED + BY_LANE + text.format("WARPSYNC.EXCLUSIVE R4", "NOP")).accesses
    assert [rows_of(one) for one in both] == 2 * [EIGHTS]
    assert all(one.counted for one in both)
    _, synced = sass(
        SHARED + BY_LANE + text.format("WARPSYNC.EXCLUSIVE R4", "WARPSYNC.ALL")
    ).accesses
    assert span(0, 32) in rows_of(synced)
    assert not synced.counted


def test_masks_that_lanes_share_part_nobody() -> None:
    text = BY_MASK.replace("R5, R4, RZ", "R5, RZ, RZ")
    both = sass(SHARED + BY_LANE + text.format("WARPSYNC.EXCLUSIVE R4", "NOP")).accesses
    assert [rows_of(one) for one in both] == 2 * [[span(0, 32)]]
    assert all(one.counted for one in both)


def test_masks_that_memory_holds_may_part_lanes() -> None:
    text = BY_MASK.replace(
        "SHF.L.U32 R4, R5, R4, RZ", "LDC.64 R6, c[0x0][0x210]\nLDG.E R4, [R6.64]"
    )
    own = text.replace("[R6.64]", "[R6.64+{}]").replace("LDG", "IMAD.WIDE R6, R0, 0x4, R6\nLDG")
    own = own.replace("+{}", "")
    (one, met), (apart, both) = (
        sass(SHARED + BY_LANE + how.format("WARPSYNC.EXCLUSIVE R4", "NOP")).accesses
        for how in (text, own)
    )
    assert not one.some_lanes
    assert one.counted
    assert apart.some_lanes
    assert met.counted
    assert both.counted


MET_BETWEEN = """\
MOV R6, RZ
.L_loop:
ISETP.GE.U32.AND P3, PT, R0, 0x10, PT
ISETP.EQ.U32.AND P4, PT, R6, 0x1, PT
PLOP3.LUT P3, PT, P3, P4, PT, 0x3c, 0x0
BSSY B0, `(.L_met)
@P3 BRA `(.L_a)
@!PT BRA `(.L_a)
BRA `(.L_wait)
.L_a:
STS [R1], R0
.L_wait:
BSYNC B0
.L_met:
IADD3 R6, R6, 0x1, RZ
ISETP.LT.U32.AND P5, PT, R6, 0x2, PT
@P5 BRA `(.L_loop)"""


def test_groups_that_have_met_in_between_never_run_together() -> None:
    (found,) = sass(SHARED + BY_LANE + MET_BETWEEN).accesses
    assert rows_of(found) == [span(0, 16), span(16, 32)]
    assert found.counted


def test_lanes_that_data_part_before_no_barrier_are_a_bound_behind_it() -> None:
    code = "LDC.64 R8, c[0x0][0x210]\nIMAD.WIDE R8, R0, 0x4, R8\nLDG.E R9, [R8.64]\n"
    code += "ISETP.EQ.U32.AND P0, PT, R9, RZ, PT\n{set}@P0 BRA `(.L_a)\nSTS [R1+0x200], R0\n"
    code += ".L_a:\n{wait}.L_b:\nSTS [R1], R0"
    held = code.format(set="BSSY B0, `(.L_b)\n", wait="BSYNC B0\n")
    *_, met = sass(SHARED + BY_LANE + held).accesses
    assert met.counted
    *_, behind = sass(SHARED + BY_LANE + code.format(set="", wait="")).accesses
    assert not behind.counted


ROUNDS = """\
MOV R5, 0x1
MOV R6, R1
.L_loop:
LOP3.LUT R7, R0, R5, RZ, 0xc0, !PT
ISETP.NE.AND P3, PT, R7, RZ, PT
{}
@P3 BRA `(.L_a)
NOP
.L_a:
WARPSYNC.ALL
STS [R6], R0
{}
IADD3 R6, R6, 0x80, RZ
SHF.L.U32 R5, R5, 0x1, RZ
ISETP.LT.U32.AND P4, PT, R5, 0x8, PT
@P4 BRA `(.L_loop)
NOP"""


def test_lanes_that_part_again_before_they_met_may_make_an_access_in_several_rounds() -> None:
    """A sync may find those of one round with those of another: nothing is claimed."""
    found = sass(SHARED + BY_LANE + ROUNDS.format("NOP", "NOP"))
    assert any("which of its lanes run together" in one.reason for one in found.refusals)


def test_lanes_that_met_in_between_make_it_in_one() -> None:
    met = "BSYNC B0\n.L_met:"
    found = sass(SHARED + BY_LANE + ROUNDS.format("BSSY B0, `(.L_met)", met))
    assert not found.refusals
    assert span(0, 32) in rows_of(found.accesses[0])
