"""Counts behind a branch that nobody knows: lost between the branch and its join alone."""

from __future__ import annotations

import pytest

from bankwise.read.follow.uniform import varies_first, varying_branches
from bankwise.read.ptx.dialect import PTX
from isa_texts import amd, lanes, ptx, ptx_text

LOAD_N = "\ts_load_dword s4, s[0:1], 0x8\n\tv_lshlrev_b32_e32 v1, 4, v0\n"


def counted(kernel) -> dict[int, tuple[bool, int]]:
    """By line: whether executions are known, and how many."""
    return {a.access.location.line: (a.counted, a.access.executions) for a in kernel.accesses}


def test_what_follows_a_loop_of_unknown_length_runs_once() -> None:
    body = """\ts_mov_b32 s5, 0
\tds_write_b128 v1, v[4:7]
.Lloop:
\tds_read_b128 v[4:7], v1
\ts_add_i32 s5, s5, 1
\ts_cmp_lt_i32 s5, s4
\ts_cbranch_scc1 .Lloop
\tds_write_b128 v1, v[4:7] offset:1024"""
    kernel = amd(LOAD_N + body)
    assert counted(kernel) == {6: (True, 1), 8: (False, 1), 12: (True, 1)}
    assert list(kernel.open_branches) == [11]


def test_a_branch_that_is_decided_in_every_iteration_leaves_the_loop_counted() -> None:
    body = """\ts_mov_b32 s5, 0
.Lloop:
\ts_cmp_lt_i32 s4, 7
\ts_cbranch_scc1 .Lskip
\tds_read_b128 v[4:7], v1 offset:2048
.Lskip:
\tds_read_b128 v[4:7], v1
\tv_xor_b32_e32 v1, 0x400, v1
\ts_add_i32 s5, s5, 1
\ts_cmp_lt_i32 s5, 6
\ts_cbranch_scc1 .Lloop
\tds_write_b128 v1, v[4:7]"""
    kernel = amd(LOAD_N + body)
    found = counted(kernel)
    assert found[9] == (False, 2)
    assert found[11] == (True, 6)
    assert found[16] == (True, 1)
    (read,) = [a for a in kernel.accesses if a.access.location.line == 11]
    assert [p.executions for p in read.access.patterns] == [3, 3]


def test_where_the_ways_bring_different_addresses_both_are_kept_and_none_is_counted() -> None:
    body = """\ts_cmp_lt_i32 s4, 7
\ts_cbranch_scc1 .Lskip
\tv_add_u32_e32 v1, 0x800, v1
.Lskip:
\tds_read_b128 v[4:7], v1"""
    (found,) = amd(LOAD_N + body).accesses
    assert not found.counted
    assert {lanes(found, pattern=n)[0] for n in range(2)} == {0, 0x800}


def test_a_way_that_ends_the_kernel_leaves_the_rest_uncounted() -> None:
    body = """\ts_cmp_lt_i32 s4, 7
\ts_cbranch_scc1 .Lgo
\ts_endpgm
.Lgo:
\tds_read_b128 v[4:7], v1"""
    (found,) = amd(LOAD_N + body).accesses
    assert not found.counted


def test_a_way_that_is_lost_leaves_the_rest_uncounted() -> None:
    body = """\ts_cmp_lt_i32 s4, 7
\ts_cbranch_scc1 .Lgo
\ts_cmp_lt_i32 s4, 3
\ts_cbranch_scc1 .Lgo
\ts_setpc_b64 s[8:9]
.Lgo:
\tds_read_b128 v[4:7], v1"""
    kernel = amd(LOAD_N + body)
    assert [a.counted for a in kernel.accesses] == [False]
    assert any("s_setpc" in r.reason for r in kernel.refusals)


def test_lanes_that_part_for_an_unknown_reason_meet_again_and_are_counted() -> None:
    body = """\tld.param.u64 %rd1, [k_param_0];
\tshl.b32 %r2, %r1, 2;
\tld.global.u32 %r3, [%rd1];
\tsetp.eq.u32 %p1, %r3, %r1;
\t@%p1 bra $skip;
\tld.shared.u32 %r4, [%r2];
$skip:
\tld.shared.u32 %r5, [%r2+256];"""
    inside, behind = ptx(body).accesses
    assert not inside.counted
    assert behind.counted
    assert behind.access.executions == 1
    assert lanes(behind) == [4 * lane + 256 for lane in range(32)]


def rows(kernel, line: int) -> set[tuple[int, tuple[int, ...]]]:
    """What an access touches in any execution: the wave, and the bytes of its active lanes."""
    (found,) = [a for a in kernel.accesses if a.access.location.line == line]
    return {
        (wave, tuple(p.offsets_bytes[wave][p.active[wave]].tolist()))
        for p in found.access.patterns
        for wave in range(len(p.active))
        if p.active[wave].any()
    }


def line_of(body: str, text: str) -> int:
    lines = ptx_text(body, threads=64).split("\n")
    return 1 + next(n for n, line in enumerate(lines) if text in line)


WARPS = """
    mov.u32 %r4, %warpid;
    mov.u32 %r5, %laneid;
    ld.param.u32 %r9, [k_param_1];
    setp.gt.s32 %p2, %r9, 3;
    setp.eq.s32 %p4, %r4, 0;
"""


def test_lanes_that_wait_keep_what_an_open_branch_brought_them() -> None:
    """The first warp needs nothing of %r6 behind the branch, the second has two values of it."""
    body = f"""{WARPS}
    mov.u32 %r6, 0;
    @%p2 bra $L_join;
    shl.b32 %r6, %r5, 7;
$L_join:
    @%p4 bra $L_first;
    st.shared.u32 [%r6+256], %r1;
    bra $L_end;
$L_first:
    st.shared.u32 [%r5], %r1;
$L_end:
    ret;
"""
    said = rows(ptx(body, threads=64), line_of(body, "[%r6+256]"))
    assert said == {(1, (256,) * 32), (1, tuple(256 + 128 * lane for lane in range(32)))}


def test_lanes_that_wait_where_all_meet_keep_what_an_open_branch_brought_them() -> None:
    """The warp that runs last writes %r6 anew; the first waits with two values of it."""
    body = f"""{WARPS}
    mov.u32 %r6, 0;
    @%p4 bra $L_first;
    shl.b32 %r6, %r5, 3;
    bra $L_join;
$L_first:
    @%p2 bra $L_join;
    shl.b32 %r6, %r5, 7;
$L_join:
    st.shared.u32 [%r6+256], %r1;
"""
    said = rows(ptx(body, threads=64), line_of(body, "[%r6+256]"))
    steps = {(0, 0), (0, 128), (1, 8)}
    assert said == {(w, tuple(256 + step * lane for lane in range(32))) for w, step in steps}


def test_a_branch_is_open_for_each_lane_if_lanes_part_on_one_way() -> None:
    """%p2 is a number of the block on one way; on the other, lanes below 13 of warp 0 have it."""
    body = f"""{WARPS}
    setp.lt.u32 %p1, %r5, 13;
    shl.b32 %r6, %r5, 2;
    @%p2 bra $L_join;
    @%p1 bra $L_low;
    bra $L_join;
$L_low:
    mov.u32 %r6, %r5;
    or.pred %p2, %p4, %p2;
$L_join:
    mov.u32 %r3, 0;
$L_loop:
    @!%p2 bra $L_end;
    st.shared.u8 [%r6], %r1;
$L_end:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p3, %r3, %r9;
    @%p3 bra $L_loop;
"""
    kernel = ptx(body, threads=64)
    line = line_of(body, "st.shared.u8 [%r6]")
    truth = (0, tuple(range(13)))
    (found,) = [a for a in kernel.accesses if a.access.location.line == line]
    assert found.some_lanes or truth in rows(kernel, line)
    inside = [
        p
        for p in found.access.patterns
        if p.active[0][:13].all() and p.offsets_bytes[0][:13].tolist() == list(range(13))
    ]
    assert inside


@pytest.mark.parametrize(
    ("made", "varies"),
    [
        ("setp.lt.u32 %p3, %r1, 13;", True),
        ("setp.lt.u32 %p3, %r9, 13;", False),
        ("ld.global.u32 %r3, [%rd1]; setp.lt.u32 %p3, %r3, 13;", True),
        ("shfl.sync.idx.b32 %r3, %r1, 0, 31, -1; setp.lt.u32 %p3, %r3, 13;", False),
        ("shfl.sync.idx.b32 %r3, %r1, 0, 6175, -1; setp.lt.u32 %p3, %r3, 13;", True),
        ("shfl.sync.idx.b32 %r3, %r9, 0, 6175, -1; setp.lt.u32 %p3, %r3, 13;", False),
        (
            "mov.u32 %r4, 31; shfl.sync.idx.b32 %r3, %r1, 0, %r4, -1; setp.lt.u32 %p3, %r3, 9;",
            False,
        ),
        (
            "mov.u32 %r4, 31; @%p2 mov.u32 %r4, 6175; shfl.sync.idx.b32 %r3, %r1, 0, %r4, -1;"
            "setp.lt.u32 %p3, %r3, 9;",
            True,
        ),
        (
            "mov.u32 %r3, 0; @%p1 shfl.sync.idx.b32 %r3, %r9, 0, 31, -1; setp.lt.u32 %p3, %r3, 9;",
            True,
        ),
        ("vote.sync.ballot.b32 %r3, %p1, -1; setp.lt.u32 %p3, %r3, 13;", False),
        ("vote.sync.ballot.b32 %r3, %p2, %r1; setp.lt.u32 %p3, %r3, 13;", True),
        ("@%p1 mov.u32 %r9, 5; setp.lt.u32 %p3, %r9, 13;", True),
        ("@%p2 mov.u32 %r9, 5; setp.lt.u32 %p3, %r9, 13;", False),
        ("mov.u32 %r9, %r1; mov.u32 %r9, 5; setp.lt.u32 %p3, %r9, 13;", False),
        ("@%p2 mov.u32 %r1, 5; @!%p2 mov.u32 %r1, %r9; setp.lt.u32 %p3, %r1, 13;", False),
        ("@%p2 mov.u32 %r1, 5; @%p2 mov.u32 %r1, %r9; setp.lt.u32 %p3, %r1, 13;", True),
        ("@%p2 bra $L_a;\nmov.u32 %r9, 5;\n$L_a:\nsetp.lt.u32 %p3, %r9, 13;", False),
        ("@%p1 bra $L_a;\nmov.u32 %r9, 5;\n$L_a:\nsetp.lt.u32 %p3, %r9, 13;", True),
    ],
)
def test_a_branch_varies_if_it_may_be_made_of_what_lanes_do_not_share(
    made: str, varies: bool
) -> None:
    body = f"""
    ld.param.u32 %r9, [k_param_1];
    setp.gt.u32 %p1, %r1, 3;
    setp.gt.u32 %p2, %r9, 3;
{made}
    @%p3 bra $L_end;
    st.shared.u32 [%r1], %r1;
$L_end:
"""
    (kernel,) = PTX.kernels(ptx_text(body), "k.ptx", "")
    size, line = (32, 1, 1), line_of(body, "@%p3")
    program = PTX.decode(kernel).program
    found = varying_branches(program, varies_first(PTX.start(kernel, size, {})))
    assert (line in found) is varies


def test_a_unit_at_an_unknown_place_is_not_counted_where_nobody_knows_whether_it_runs() -> None:
    body = """
    ld.param.u32 %r9, [k_param_1];
    mov.u32 %r4, %ctaid.x;
    shl.b32 %r6, %r9, 3;
    setp.eq.s32 %p1, %r4, 5;
    @%p1 bra $L_behind;
    mbarrier.arrive.shared.b64 %rd1, [%r6];
$L_behind:
    mbarrier.arrive.shared.b64 %rd1, [%r6];
"""
    assert [access.counted for access in ptx(body).accesses] == [False, True]


def test_lanes_that_wait_with_data_are_not_those_that_wait_with_a_number() -> None:
    body = f"""{WARPS}
    mov.u32 %r6, 0;
    @%p4 bra $L_first;
    shl.b32 %r6, %r5, 3;
    bra $L_join;
$L_first:
    @%p2 bra $L_join;
    ld.global.u32 %r6, [%rd1];
$L_join:
    st.shared.u32 [%r6+256], %r1;
"""
    line = line_of(body, "[%r6+256]")
    kernel = ptx(body, threads=64)
    assert (0, (256,) * 32) in rows(kernel, line)
    assert [bool(a.unseen) for a in kernel.accesses if a.access.location.line == line] == [True]


def test_what_is_not_chosen_need_not_be_known() -> None:
    body = """
    ld.global.u32 %r9, [%rd1];
    setp.gt.u32 %p1, %r1, 100;
    shl.b32 %r2, %r1, 2;
    selp.b32 %r3, %r9, %r2, %p1;
    not.pred %p2, %p1;
    selp.b32 %r4, %r2, %r9, %p2;
    ld.shared.u32 %r5, [%r3];
    ld.shared.u32 %r5, [%r4];
"""
    kernel = ptx(body)
    assert not kernel.refusals
    assert [lanes(found) for found in kernel.accesses] == [list(range(0, 128, 4))] * 2


EITHER = """    ld.param.u64 %rd1, [k_param_0];
    ld.global.u32 %r7, [%rd1];
    setp.gt.s32 %p1, %r7, 0;
    @!%p1 bra $L_else;
    shl.b32 %r2, %r1, 4;
    mov.u32 %r3, 0;
$L_loop:
    st.shared.u32 [%r2], %r1;
    add.u32 %r3, %r3, 1;
    setp.lt.s32 %p2, %r3, %r7;
    @%p2 bra $L_loop;
    bra $L_join;
$L_else:
    shl.b32 %r2, %r1, ELSE;
$L_join:
    st.shared.u32 [%r2+512], %r1;
"""
"""A loop that data guard: what stands behind it is computed in front of it, and beside it."""


def test_what_both_sides_of_a_branch_of_each_lane_leave_is_known_behind_it() -> None:
    body = EITHER.replace("ELSE", "4")
    kernel = ptx(body)
    assert not kernel.refusals
    assert rows(kernel, line_of(body, "[%r2+512]")) == {
        (0, tuple(512 + 16 * lane for lane in range(32)))
    }


def test_what_the_sides_leave_otherwise_is_not_known_behind_a_branch_of_each_lane() -> None:
    """Also where one side only writes in some lanes, and where it writes anew."""
    for other in (
        "3",
        "4;\n    add.u32 %r2, %r2, %r7",
        "4;\n    setp.lt.u32 %p3, %r1, 9;\n    @%p3 mov.u32 %r2, 64",
    ):
        kernel = ptx(EITHER.replace("ELSE", other))
        assert [r.location.line for r in kernel.refusals if r.location], other
