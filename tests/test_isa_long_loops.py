"""Loops of more iterations than are followed one by one: counted exactly, or said not to be."""

from __future__ import annotations

import pytest

from bankwise.read.follow import again, attempt, run
from bankwise.read.follow.leap import leap
from isa_texts import DATA, amd, lanes, ptx

LOOP = """\tv_lshlrev_b32_e32 v1, 4, v0
\ts_mov_b32 s5, 0
.Lloop:
\tds_read_b128 v[4:7], v1
\t{step}
\ts_add_i32 s5, s5, 1
\ts_cmp_lt_i32 s5, {trips}
\ts_cbranch_scc1 .Lloop
\tds_read_b128 v[4:7], v1 offset:8192"""


@pytest.mark.parametrize("trips", [511, 512, 513, 514, 515, 4097, 20_001])
def test_a_long_loop_is_counted_to_the_last_iteration(trips: int) -> None:
    inside, behind = amd(LOOP.format(step="v_xor_b32_e32 v1, 0x400, v1", trips=trips)).accesses
    assert inside.counted
    assert [p.executions for p in inside.access.patterns] == [(trips + 1) // 2, trips // 2]
    assert lanes(behind)[0] == 8192 + (0x400 if trips % 2 else 0)
    assert (behind.counted, behind.access.executions) == (True, 1)


def test_an_address_that_stays_has_the_period_one() -> None:
    inside, _ = amd(LOOP.format(step="s_nop 0", trips=9_000)).accesses
    assert [p.executions for p in inside.access.patterns] == [9_000]


def test_a_ring_of_three_stages_is_counted_stage_by_stage() -> None:
    step = "v_add_u32_e32 v1, 0x400, v1\n\tv_cmp_gt_u32_e64 s[6:7], v1, v9\n"
    step += "\tv_cndmask_b32_e64 v1, v1, v8, s[6:7]"
    body = "\tv_lshlrev_b32_e32 v8, 4, v0\n\tv_add_u32_e32 v9, 0x800, v8\n"
    inside, _ = amd(body + LOOP.format(step=step, trips=7_000)).accesses
    assert [p.executions for p in inside.access.patterns] == [2334, 2333, 2333]
    assert [lanes(inside, pattern=n)[0] for n in range(3)] == [0, 0x400, 0x800]


def test_addresses_that_depend_on_the_counter_are_followed_one_by_one() -> None:
    step = "s_lshl_b32 s6, s5, 10\n\ts_and_b32 s6, s6, 0x400\n\tv_lshl_add_u32 v1, v0, 4, s6"
    inside, _ = amd(LOOP.format(step=step, trips=1_001)).accesses
    assert inside.counted
    assert sorted(p.executions for p in inside.access.patterns) == [500, 501]
    kernel = amd(LOOP.format(step=step, trips=9_000))
    assert [a.counted for a in kernel.accesses] == [False, True]
    assert list(kernel.open_branches.values()) == ["more iterations than are followed (line 12)"]


def test_a_register_that_only_the_code_behind_the_loop_needs_forbids_the_leap() -> None:
    step = "v_add_u32_e32 v2, 16, v2"
    body = "\tv_mov_b32_e32 v2, 0\n" + LOOP.format(step=step, trips=1_000)
    inside, _, last = amd(body + "\n\tds_read_b32 v3, v2").accesses
    assert [p.executions for p in inside.access.patterns] == [1_000]
    assert lanes(last)[0] == 16_000


def test_ptx_loops_leap_too() -> None:
    body = """\tshl.b32 %r2, %r1, 2;
\tmov.u32 %r3, 0;
$loop:
\tld.shared.u32 %r4, [%r2];
\txor.b32 %r2, %r2, 1024;
\tadd.s32 %r3, %r3, 1;
\tsetp.lt.s32 %p1, %r3, 9001;
\t@%p1 bra $loop;"""
    (inside,) = ptx(body).accesses
    assert inside.counted
    assert [p.executions for p in inside.access.patterns] == [4_501, 4_500]


@pytest.mark.parametrize(
    "name", ["gemm_gfx950.s", "matmul_1024.gfx942.s", "matmul_1024.gfx950.s", "ldmatrix.ptx"]
)
def test_a_leap_finds_what_single_steps_find(name: str, monkeypatch) -> None:
    """Compiled kernels with short loops, with and without a leap after the third iteration."""
    from bankwise.read.amd.dialect import AMD
    from bankwise.read.follow import run
    from bankwise.read.follow.driver import check_code
    from bankwise.read.ptx.dialect import PTX

    dialect = PTX if name.endswith(".ptx") else AMD
    text, leaps = (DATA / name).read_text(), []
    monkeypatch.setattr(run, "leap", lambda *rest: leaps.append(leap(*rest)) or leaps[-1])

    def found() -> list[object]:
        accesses = check_code(dialect, text, name)[0].accesses
        return [
            (a.counted, [(p.executions, p.offsets_bytes.tobytes()) for p in a.access.patterns])
            for a in accesses
        ]

    stepped = found()
    assert leaps == []
    monkeypatch.setattr(run, "LEAP_AFTER", 3)
    assert found() == stepped
    assert leaps


MASKED = """\
\tv_cmp_gt_u32_e32 vcc, s{bound}, v{number}
\ts_and_saveexec_b64 s[{kept}:{last}], vcc
\ts_cbranch_execz .L{number}_1
\tds_write_b32 v1, v0 offset:{offset}
\tv_add_u32_e32 v1, 4, v1
.L{number}_1:
\ts_or_b64 exec, exec, s[{kept}:{last}]
"""


def divergent(branches: int) -> str:
    """A loop of unknown length around branches, each taken by lanes that nobody knows."""
    loads = "\ts_load_dword s6, s[0:1], 0x8\n\tv_lshlrev_b32_e32 v1, 2, v0\n"
    words = (
        f"\tglobal_load_dword v{10 + n}, v[2:3], off offset:{4 * n}\n" for n in range(branches)
    )
    parts = (
        MASKED.format(bound=6, number=10 + n, kept=20 + 2 * n, last=21 + 2 * n, offset=4 * n)
        for n in range(branches)
    )
    back = "\ts_add_i32 s6, s6, 4\n\ts_cmp_lg_u32 s6, s7\n\ts_cbranch_scc1 .Lloop"
    return f"{loads}{''.join(words)}.Lloop:\n{''.join(parts)}{back}"


def test_work_beyond_the_budget_is_refused_by_the_same_count_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run, "MOST_WORK", 600)
    monkeypatch.setattr(run, "WORK_PER_STEP", 0)
    kernel = amd(divergent(8))
    assert kernel.refusals
    assert all("more work than 600 steps" in one.reason for one in kernel.refusals)
    assert not any(one.counted for one in kernel.accesses)
    again = amd(divergent(8))
    assert [r.reason for r in again.refusals] == [r.reason for r in kernel.refusals]


RING = """\ts_load_dword s6, s[0:1], 0x8
\ts_mov_b32 s4, 0
\ts_mov_b32 s5, 0
\tv_lshlrev_b32_e32 v1, 4, v0
.Lloop:
\ts_add_i32 s7, s5, 1
\ts_cmp_lt_i32 s7, 3
\ts_cselect_b32 s5, s7, 0
\ts_lshl_b32 s8, s5, 10
\tv_add_u32_e32 v2, s8, v1
\tv_add_u32_e32 v3, s4, v0
\tv_cmp_gt_i32_e32 vcc, s6, v3
\ts_and_saveexec_b64 s[10:11], vcc
\ts_cbranch_execz .Lskip
\tds_write_b128 v2, v[4:7]
.Lskip:
\ts_or_b64 exec, exec, s[10:11]
\tds_read_b128 v[4:7], v2
\ts_add_i32 s4, s4, 64
\ts_cmp_lt_i32 s4, s6
\ts_cbranch_scc1 .Lloop
\tds_read_b128 v[4:7], v1 offset:8192"""
"""A ring of three stages, filled while ``s4 + v0 < n``: the counter decides lanes, no address."""


def places(found) -> set[int]:
    """The first byte of each pattern."""
    return {lanes(found, pattern=n)[0] for n in range(len(found.access.patterns))}


def test_a_counter_that_decides_lanes_alone_does_not_hide_the_stages_or_the_way_on() -> None:
    kernel = amd(RING)
    assert kernel.refusals == ()
    write, inside, behind = kernel.accesses
    assert places(write) == places(inside) == {0, 1024, 2048}
    assert write.some_lanes
    assert not inside.some_lanes
    assert (behind.unknown, behind.access.executions) == ("", 1)


@pytest.mark.parametrize("n", [1, 64, 130, 1000])
def test_what_any_length_touches_was_found_for_the_unknown_one(n: int) -> None:
    unknown, known = amd(RING).accesses, amd(RING, args={"n": n}).accesses
    for all_ways, one in zip(unknown, known, strict=True):
        assert one.counted
        assert places(one) <= places(all_ways)


def executed(monkeypatch: pytest.MonkeyPatch, text: str) -> int:
    """How many steps are run for a kernel all of whose accesses are seen."""
    real, ran = again.run_step, []
    monkeypatch.setattr(again, "run_step", lambda *rest: ran.append(1) or real(*rest))
    kernel = amd(text)
    monkeypatch.setattr(again, "run_step", real)
    assert not kernel.refusals
    assert len(kernel.accesses) == text.count("ds_write")
    return len(ran)


def test_work_grows_with_the_code_and_not_with_its_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    short, long = (executed(monkeypatch, divergent(n)) for n in (10, 40))
    assert long < 3 * 4 * short


PARTING = """\
\ts_cmp_lg_u32 s6, {number}
\ts_cbranch_scc1 .L{number}
\tv_add_u32_e32 v1, {step}, v1
.L{number}:
\tds_write_b32 v1, v0
"""


def test_ways_that_bring_other_addresses_every_time_end_in_an_unknown_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load = "\ts_load_dword s6, s[0:1], 0x8\n\tv_lshlrev_b32_e32 v1, 2, v0\n"
    parts = [PARTING.format(number=n, step=128 << n) for n in range(14)]
    for module in (run, attempt):
        monkeypatch.setattr(module, "BREADTHS", (16, 4, 1))
    kernel = amd(load + "".join(parts))
    found = [
        {lanes(a, pattern=n)[0] for n in range(len(a.access.patterns))} for a in kernel.accesses
    ]
    assert [bool(a.unknown) for a in kernel.accesses] == [False] * 4 + [True] * 10
    for number, starts in enumerate(found[:4]):
        assert starts == {128 * n for n in range(2 << number)}
    assert not any(a.counted for a in kernel.accesses)
    assert "kernel argument n" in kernel.accesses[-1].unknown


def test_what_stands_behind_a_loop_without_an_end_is_seen() -> None:
    body = """\ts_mov_b32 s4, 0
\tv_lshlrev_b32_e32 v3, 2, v0
.Lspin:
\tv_lshl_add_u32 v1, v0, 2, s4
\tds_read_b32 v2, v1
\ts_add_i32 s4, s4, 4
\ts_cmp_lt_u32 s4, 0x7ffffffc
\ts_cbranch_scc1 .Lspin
\tds_read_b32 v2, v3 offset:4096"""
    inside, behind = amd(body).accesses
    assert not inside.counted
    assert inside.unknown.startswith("more iterations than are followed")
    assert (behind.counted, behind.access.executions) == (True, 1)
    assert lanes(behind) == [4 * lane + 4096 for lane in range(64)]


def test_data_that_share_a_register_with_an_address_are_not_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Under a mask, too: who reads the lanes that run does not see what the others hold."""
    body = """\tglobal_load_dword v1, v[2:3], off
\tv_cmp_gt_u32_e32 vcc, s2, v0
\ts_and_saveexec_b64 s[4:5], vcc
\ts_cbranch_execz .Lend
\tv_mul_f32_e32 v1, v1, v1
\tv_lshlrev_b32_e32 v1, 2, v0
\tds_read_b32 v2, v1
.Lend:"""
    names: list[str] = []
    real = again.run_step
    monkeypatch.setattr(
        again,
        "run_step",
        lambda held, path, number: (
            names.append(held.program.steps[number].name) or real(held, path, number)
        ),
    )
    (found,) = amd(body).accesses
    assert lanes(found) == [4 * lane for lane in range(64)]
    assert "v_lshlrev_b32" in names
    assert not {"v_mul_f32", "global_load_dword"} & set(names)


def test_what_memory_gave_is_not_computed_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first result of a chain that nobody knows stands for it; bits that are known stay."""
    body = """\tglobal_load_dword v1, v[2:3], off
\tv_mul_f32_e32 v1, v1, v1
\tv_add_f32_e32 v1, v1, v4
\tv_add_u32_e32 v5, v1, v0
\tds_read_b32 v2, v5
\tv_and_b32_e32 v6, 0, v1
\tv_lshl_add_u32 v6, v0, 2, v6
\tds_read_b32 v2, v6"""
    kernel = amd(body)
    (found,) = kernel.accesses
    assert lanes(found) == [4 * lane for lane in range(64)]
    (refusal,) = kernel.refusals
    assert "a value loaded from memory (line 3)" in refusal.reason


def test_a_loop_that_waits_for_what_it_never_changes_is_left_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The counter alone is not run to the end of a loop that has none."""
    from bankwise.read.follow import leap as leaping

    real, ran = leaping._execute, []
    monkeypatch.setattr(leaping, "_execute", lambda *rest: ran.append(1) or real(*rest))
    body = """\tv_lshlrev_b32_e32 v1, 2, v0
\ts_mov_b32 s5, 7
.Lwait:
\tds_read_b32 v2, v1
\ts_cmp_eq_u32 s5, 7
\ts_cbranch_scc1 .Lwait
\tds_read_b32 v2, v1 offset:256"""
    inside, behind = amd(body).accesses
    assert not inside.counted
    assert lanes(behind)[0] == 256
    assert len(ran) < 1_000


def test_lanes_that_change_by_a_fixed_step_are_not_given_up() -> None:
    """The mask is a number that shrinks in every round; its lanes are those of the access."""
    body = """\ts_load_dword s6, s[0:1], 0x8
\tv_lshlrev_b32_e32 v1, 2, v0
\ts_mov_b32 s4, 0
.Lloop:
\tds_read_b32 v2, v1
\ts_sub_u32 exec_lo, exec_lo, 3
\ts_add_i32 s4, s4, 1
\ts_cmp_lt_i32 s4, s6
\ts_cbranch_scc1 .Lloop"""
    (known,), (unknown,) = amd(body, args={"n": 40}).accesses, amd(body).accesses
    assert len(known.access.patterns) == 40
    found = [p.active for p in unknown.access.patterns]
    for pattern in known.access.patterns:
        equal = any((pattern.active == one).all() for one in found)
        within = any(not (pattern.active & ~one).any() for one in found)
        assert equal or (unknown.some_lanes and within)
