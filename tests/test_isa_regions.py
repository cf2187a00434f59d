"""Counts behind a branch that nobody knows: lost between the branch and its join alone."""

from __future__ import annotations

from isa_texts import amd, lanes, ptx

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
