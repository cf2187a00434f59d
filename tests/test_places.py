"""Accesses at a place that nobody knows. The judge counts them at places of its own choice, one by
one: what is said must hold at each, and its ends must be reached at some."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from bankwise.counting.conflict import count
from bankwise.counting.cost import Cost
from bankwise.counting.count_kernel import count_accesses
from bankwise.counting.counted import AccessReport
from bankwise.counting.kernel import IssuedPattern, KernelAccess, WaveInstruction
from bankwise.counting.lines import line_ends
from bankwise.errors import Location
from bankwise.hardware.machine import Instruction, machine, names
from isa_texts import amd, ptx
from sass_texts import sass

ROWS = [
    (name, row.name)
    for name in names()
    for row in machine(name).instructions.values()
    if not row.by_source
]


def reported(row: Instruction, offsets: np.ndarray, active: np.ndarray, multiple: int) -> Cost:
    apart = row.width_bytes if row.addresses == 2 else None
    one = WaveInstruction(row.name, offsets, active, apart)
    pattern = IssuedPattern((one,), "tile", anywhere=multiple)
    access = KernelAccess(Location("k.s", 1), row.name, "plain", "read", (pattern,))
    (found,) = count_accesses([access], machine(row.machine))
    assert isinstance(found, AccessReport), found
    return found.cost


def random_lanes(pick: random.Random, row: Instruction) -> tuple[np.ndarray, np.ndarray]:
    """Steps and bits as programs have them, or no order at all; [1, lanes]."""
    lane, unit = np.arange(row.wave_size), row.alignment_bytes
    if pick.random() < 0.5:
        step, turn = pick.randint(1, 40), pick.randint(0, 15)
        offsets = unit * (lane * step ^ turn)
    else:
        offsets = unit * np.array([pick.randint(0, 300) for _ in lane])
    active = np.array([pick.random() < 0.9 for _ in lane])
    active[pick.randrange(row.wave_size)] = True
    return offsets[None].astype(np.int64), active[None]


def judged(
    row: Instruction, offsets: np.ndarray, active: np.ndarray, places: Sequence[int]
) -> list[tuple[int, int]]:
    """Passes and ideal at each place; of lines the fewest and the most."""
    lanes, on = offsets + np.array(places)[:, None], np.repeat(active, len(places), axis=0)
    if row.merge == "lines":
        return list(zip(*(end.tolist() for end in line_ends(row, lanes, on)), strict=True))
    found = count(row, lanes, on)
    return list(zip(found.passes.tolist(), found.ideal.tolist(), strict=True))


@pytest.mark.parametrize("name", names())
def test_the_cost_is_that_of_every_place(name: str) -> None:
    pick = random.Random(name)
    for _, instruction in (one for one in ROWS if one[0] == name):
        row = machine(name).instructions[instruction]
        offsets, active = random_lanes(pick, row)
        multiple = row.alignment_bytes * pick.choice([1, 4, 4, 64])
        cost = reported(row, offsets, active, multiple)
        places = [multiple * n for n in (*range(2 * 512 // multiple + 2), *range(999, 1010))]
        found = judged(row, offsets, active, places)
        if row.merge == "lines":
            assert cost.ends.passes.low == min(low for low, _ in found)
            assert cost.ends.passes.high == max(high for _, high in found)
            continue
        for name_, numbers in (
            ("passes", [passes for passes, _ in found]),
            ("ideal", [ideal for _, ideal in found]),
            ("extra", [passes - ideal for passes, ideal in found]),
        ):
            ends = getattr(cost.ends, name_)
            assert (ends.low, ends.high) == (min(numbers), max(numbers)), (instruction, multiple)
        assert cost.exact == (len(set(found)) == 1)


def test_each_wave_has_a_place_of_its_own() -> None:
    """Bytes side by side begin within a word or at one: each of 4 waves takes 8 words or 9."""
    row = machine("sm_90").instruction("ld.shared.b8")
    lanes = np.tile(np.arange(32, dtype=np.int64) * 4 + np.arange(32) % 2, (4, 1))
    cost = reported(row, lanes, np.ones((4, 32), bool), 1)
    once = [passes for passes, _ in judged(row, lanes[:1], np.ones((1, 32), bool), range(256))]
    assert cost.ends.passes.low == 4 * min(once) < cost.ends.passes.high == 4 * max(once)


def test_waves_that_touch_unlike_lanes_are_all_counted() -> None:
    row = machine("sm_90").instruction("ld.shared.b32")
    steps = np.array([[4], [8], [128]]) * np.arange(32)
    cost = reported(row, steps, np.ones((3, 32), bool), 128)
    assert (cost.passes, cost.ideal, cost.exact) == (1 + 2 + 32, 3, True)


@pytest.mark.parametrize(
    ("gpu", "name"),
    [("gfx942", "ds_read_b128"), ("gfx950", "ds_write_b64"), ("sm_90", "ld.shared.b128")],
)
def test_no_place_is_less_aligned_than_the_instruction_demands(gpu: str, name: str) -> None:
    row = machine(gpu).instruction(name)
    offsets, active = random_lanes(random.Random(name), row)
    found = [reported(row, offsets, active, multiple) for multiple in (1, row.alignment_bytes)]
    assert found[0].ends == found[1].ends


ROW = """
    ld.param.u32 %r9, [k_param_1];
    mov.u32 %r4, %ctaid.x;
    mul.lo.s32 %r5, %r9, %r4;
    {};
    ld.shared.u32 %r7, [%r6];
"""


@pytest.mark.parametrize(
    ("code", "step"),
    [
        ("mad.lo.s32 %r6, %r1, 4, %r5", 4),
        ("shl.b32 %r2, %r1, 7; add.s32 %r6, %r2, %r5", 128),
        ("add.s32 %r2, %r1, %r5; shl.b32 %r6, %r2, 2", 4),
        ("sub.s32 %r2, %r5, %r1; mul.lo.s32 %r6, %r2, 132", -132),
        ("add.s32 %r2, %r1, %r5; neg.s32 %r2, %r2; mul.lo.s32 %r6, %r2, -8", 8),
        ("mul.wide.u32 %rd1, %r1, 8; cvt.u32.u64 %r2, %rd1; add.s32 %r6, %r2, %r5", 8),
        ("shl.b32 %r2, %r1, 2; add.s32 %r2, %r2, %r5; setp.eq.s32 %p1, %r9, 0; "
         "add.s32 %r3, %r2, 256; selp.b32 %r6, %r2, %r3, %p1", 4),
    ],
)  # fmt: skip
def test_a_row_pointer_is_a_place_of_the_wave(code: str, step: int) -> None:
    (access,) = ptx(ROW.format(code)).accesses
    (pattern,) = access.access.patterns
    assert (bool(access.unknown), access.unseen, access.counted) == (True, "", True)
    assert pattern.anywhere
    assert set(np.diff(pattern.offsets_bytes[0]).tolist()) == {step}


@pytest.mark.parametrize(
    "code",
    [
        "mul.lo.s32 %r6, %r9, %r1",  # the pitch times the lane
        "shl.b32 %r6, %r1, %r9",
        "add.s32 %r2, %r1, %r5; shl.b32 %r6, %r1, %r2",
        "add.s32 %r2, %r1, %r5; xor.b32 %r6, %r2, 64",
        "add.s32 %r2, %r1, %r5; and.b32 %r6, %r2, 1020",
        "add.s32 %r2, %r1, %r5; shr.u32 %r6, %r2, 2",
        "add.s32 %r2, %r1, %r5; mul.hi.u32 %r6, %r2, 4",
        "add.s32 %r2, %r1, %r5; mul.lo.s32 %r6, %r2, %r1",
        "setp.lt.u32 %p1, %r1, %r9; selp.b32 %r6, 0, 1024, %p1",
        "add.s32 %r2, %r1, %r5; cvt.u16.u32 %rs1, %r2; cvt.u32.u16 %r6, %rs1",
        "add.s32 %r2, %r1, %r5; shfl.sync.bfly.b32 %r6, %r2, 1, 31, -1",
        "ld.global.u32 %r2, [%rd1]; setp.eq.s32 %p1, %r2, 0; @%p1 bra $L_some;\n"
        "mov.u32 %r5, %r9;\n$L_some:\nshl.b32 %r6, %r1, 2; add.s32 %r6, %r6, %r5",
    ],
)
def test_what_parts_the_lanes_by_an_unknown_number_is_refused(code: str) -> None:
    kernel = ptx(ROW.format(code))
    assert not kernel.accesses
    assert len(kernel.refusals) == 1


@pytest.mark.parametrize(("pitch", "start", "multiple"), [(32, 255, 1), (32, 16, 16), (32, 64, 32)])
def test_a_known_start_is_part_of_where_a_row_lies(pitch: int, start: int, multiple: int) -> None:
    code = f"mad.lo.s32 %r5, %r5, {pitch}, {start}; mad.lo.s32 %r6, %r1, 128, %r5"
    (access,) = ptx(ROW.format(code)).accesses
    assert [p.anywhere for p in access.access.patterns] == [multiple]


@pytest.mark.parametrize(("start", "multiple"), [(0, 32), (16, 16), (64, 32), (4, 4)])
def test_where_the_first_lane_lies_is_part_of_where_a_row_does(start: int, multiple: int) -> None:
    code = f"shl.b32 %r5, %r5, 5; mad.lo.s32 %r6, %r1, 128, {start}; add.s32 %r6, %r6, %r5"
    (access,) = ptx(ROW.format(code)).accesses
    assert [p.anywhere for p in access.access.patterns] == [multiple]


def test_rows_of_several_executions_lie_where_all_of_them_may() -> None:
    body = """
    ld.param.u32 %r9, [k_param_1];
    mov.u32 %r4, %ctaid.x;
    shl.b32 %r5, %r9, 3;
    mov.u32 %r3, 0;
$L_loop:
    mad.lo.s32 %r6, %r1, 16, %r5;
    ld.shared.u32 %r7, [%r6];
    shl.b32 %r5, %r4, 2;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 2;
    @%p1 bra $L_loop;
"""
    (access,) = ptx(body).accesses
    assert [(p.executions, p.anywhere) for p in access.access.patterns] == [(2, 4)]


@pytest.mark.parametrize(
    ("one", "other", "multiple"), [(3, 2, 4), (2, 4, 4), (4, 4, 16), (5, 3, 8)]
)
def test_one_of_two_rows_lies_where_both_may(one: int, other: int, multiple: int) -> None:
    code = f"""
    shl.b32 %r2, %r5, {one};
    shl.b32 %r3, %r9, {other};
    mad.lo.s32 %r2, %r1, 64, %r2;
    mad.lo.s32 %r3, %r1, 64, %r3;
    setp.eq.s32 %p1, %r9, 0;
    selp.b32 %r6, %r2, %r3, %p1"""
    (access,) = ptx(ROW.format(code)).accesses
    assert [p.anywhere for p in access.access.patterns] == [multiple]


@pytest.mark.parametrize("number", [4, 8, 64])
def test_what_one_warp_knows_counts_in_where_the_row_of_another_lies(number: int) -> None:
    body = f"""
    ld.param.u32 %r9, [k_param_1];
    shl.b32 %r6, %r9, 5;
    mov.u32 %r4, %warpid;
    setp.ne.s32 %p1, %r4, 0;
    @%p1 bra $L_join;
    mov.u32 %r6, {number};
$L_join:
    mov.u32 %r2, %laneid;
    mad.lo.s32 %r6, %r2, 128, %r6;
    ld.shared.u32 %r7, [%r6];
"""
    (access,) = ptx(body, threads=64).accesses
    assert [p.anywhere for p in access.access.patterns] == [min(number, 32)]


@pytest.mark.parametrize("step", [4, 12, 0])
def test_a_place_of_one_warp_leaves_the_lanes_of_another_as_they_are(step: int) -> None:
    body = f"""
    ld.param.u32 %r6, [k_param_1];
    mov.u32 %r4, %warpid;
    setp.ne.s32 %p1, %r4, 0;
    @%p1 bra $L_join;
    mul.lo.s32 %r6, %r1, {step};
$L_join:
    ld.shared.u8 %r7, [%r6];
"""
    (access,) = ptx(body, threads=64).accesses
    (pattern,) = access.access.patterns
    assert set(np.diff(pattern.offsets_bytes).T.flatten().tolist()) == {step, 0}
    assert set(np.diff(pattern.offsets_bytes[0]).tolist()) == {step}
    assert pattern.anywhere == 1


def test_the_upper_half_of_a_shifted_sum_is_no_sum() -> None:
    """SASS: the lower half is, with lanes 64 bytes apart at any multiple of 16."""
    kernel = sass("""
    S2R R0, SR_TID.X
    ULDC UR4, c[0x0][0x218]
    LEA R2, R0, UR4, 0x2
    SHF.L.U64.HI R4, R2, 0x4, RZ
    STS [R4], R0
    SHF.L.U32 R5, R2, 0x4, RZ
    STS [R5], R0
""")
    (low,), (high,) = kernel.accesses, kernel.refusals
    (pattern,) = low.access.patterns
    assert "STS at 0x0040" in high.reason
    assert set(np.diff(pattern.offsets_bytes[0]).tolist()) == {64}
    assert pattern.anywhere == 16


def test_what_is_known_of_the_place_makes_a_cost_exact() -> None:
    """Words at any byte of an AMD GPU may reach into the next one; at a word they do not."""
    body = "\ts_load_dword s6, s[0:1], 0x8\n{}"
    body += "\tv_lshl_add_u32 v1, v0, 2, s6\n\tds_read_b32 v7, v1"
    places = {"": 1, "\ts_lshl_b32 s6, s6, 2\n": 4, "\ts_mul_i32 s6, s6, 0x180\n": 128}
    for code, multiple in places.items():
        (access,) = amd(body.format(code)).accesses
        assert [p.anywhere for p in access.access.patterns] == [multiple]


@pytest.mark.parametrize(
    "code",
    [
        "v_cmp_gt_u32_e32 vcc, s6, v0\n\tv_mov_b32_e32 v2, 0\n\tv_mov_b32_e32 v3, 64\n"
        "\tv_cndmask_b32_e32 v1, v2, v3, vcc",
        "v_cmp_gt_u32_e32 vcc, s6, v0\n\tv_mbcnt_lo_u32_b32 v1, vcc_lo, 0",
        "v_mov_b32_e32 v2, s6\n"
        "\tv_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0",
        "v_mov_b32_e32 v2, s6\n\tds_permute_b32 v1, v2, v2",
        "v_add_u32_e32 v2, s6, v0\n\tv_mad_u32_u24 v1, v2, 4, v0",
        "v_mul_lo_u32 v1, s6, v0",
    ],
)
def test_no_number_of_the_wave_is_made_of_what_differs_in_its_lanes(code: str) -> None:
    kernel = amd(f"\ts_load_dword s6, s[0:1], 0x8\n\t{code}\n\tds_read_b32 v7, v1")
    assert not kernel.accesses
    assert len(kernel.refusals) == 1
