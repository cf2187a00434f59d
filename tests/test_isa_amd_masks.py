"""Lanes under conditions that nobody knows: what parts them and joins them again, bit by bit."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from bankwise.read.follow.choices import (
    bound,
    complement,
    conjunction,
    difference,
    disjunction,
    without,
)
from bankwise.read.follow.values import Unknown, Value, constant
from isa_texts import amd, lanes

LANE = np.arange(64)
START = """\ts_load_dword s6, s[0:1], 0x8
\tv_lshlrev_b32_e32 v1, 2, v0
\tv_cmp_gt_u32_e32 vcc, s6, v0
"""


def test_then_and_else_end_with_all_lanes() -> None:
    body = (
        START
        + """\ts_and_saveexec_b64 s[2:3], vcc
\ts_xor_b64 s[2:3], exec, s[2:3]
\ts_cbranch_execz .LBB0_2
\tv_add_u32_e32 v5, 4, v1
.LBB0_2:
\ts_andn2_saveexec_b64 s[2:3], s[2:3]
\ts_cbranch_execz .LBB0_4
\tv_add_u32_e32 v5, 8, v1
.LBB0_4:
\ts_or_b64 exec, exec, s[2:3]
\tv_add_u32_e32 v6, 16, v1
\tds_read_b32 v7, v6"""
    )
    kernel = amd(body)
    (found,) = kernel.accesses
    assert lanes(found) == (4 * LANE + 16).tolist()
    assert found.counted
    assert (found.access.note, kernel.refusals) == ("", ())


def test_a_value_of_an_inner_condition_is_not_one_of_the_outer() -> None:
    """The inner condition stands above the outer one in the text."""
    body = (
        START
        + """\ts_and_b64 s[8:9], exec, vcc
\tv_mov_b32_e32 v2, v1
\ts_branch .LBB0_2
.LBB0_1:
\tv_cmp_lt_u32_e64 s[10:11], s7, v0
\ts_and_saveexec_b64 s[12:13], s[10:11]
\tv_add_u32_e32 v2, 0x400, v1
\tds_read_b32 v3, v2
\ts_or_b64 exec, exec, s[12:13]
\tds_read_b32 v4, v2
\ts_endpgm
.LBB0_2:
\ts_mov_b64 exec, s[8:9]
\ts_branch .LBB0_1"""
    )
    kernel = amd(body)
    assert [lanes(found)[0] for found in kernel.accesses] == [0x400]
    (refusal,) = kernel.refusals
    assert "a register that nothing has written" in refusal.reason  # s7 decides the inner one


def test_what_only_some_lanes_get_depends_on_what_decides_the_lanes() -> None:
    """The binary search of a quantisation: data says which half every lane goes on with."""
    body = (
        START
        + """\tds_read_b32 v2, v1
\tv_cmp_ngt_f32_e32 vcc, 1.0, v2
\ts_and_saveexec_b64 s[2:3], vcc
\tv_add_u32_e32 v3, 64, v1
\ts_andn2_b64 exec, s[2:3], exec
\tv_subrev_u32_e32 v3, 64, v1
\ts_or_b64 exec, exec, s[2:3]
\tds_read_b32 v4, v3"""
    )
    kernel = amd(body)
    (refusal,) = kernel.refusals
    assert refusal.reason == "ds_read_b32: its address depends on a value read from LDS (line 6)"
    assert [lanes(found) for found in kernel.accesses] == [(4 * LANE).tolist()]


def test_a_value_stays_known_where_the_same_lanes_run_again() -> None:
    body = (
        START
        + """\ts_mov_b64 s[8:9], exec
\ts_and_b64 s[10:11], exec, vcc
\ts_mov_b64 exec, s[10:11]
\tv_add_u32_e32 v2, 8, v1
\ts_mov_b64 exec, s[8:9]
\ts_mov_b64 exec, s[10:11]
\tds_read_b32 v3, v2"""
    )
    (found,) = amd(body).accesses
    assert lanes(found) == (4 * LANE + 8).tolist()
    assert found.some_lanes


def test_many_unknown_branches_in_a_row_cost_no_addresses() -> None:
    """A kernel of odd sizes has a hundred; two ways for each would never end."""
    part = """\tv_cmp_gt_u32_e32 vcc, s6, v{n}
\ts_and_saveexec_b64 s[4:5], vcc
\ts_cbranch_execz .LBB0_{n}
\tglobal_load_dword v{n}, v1, s[8:9]
.LBB0_{n}:
\ts_or_b64 exec, exec, s[4:5]
\ts_cmp_eq_u32 s6, {n}
\ts_cbranch_scc1 .LBB1_{n}
\tv_mov_b32_e32 v{n}, 0
.LBB1_{n}:
\tds_write_b32 v1, v{n} offset:{n}
"""
    kernel = amd(START + "".join(part.format(n=4 * n) for n in range(10, 50)))
    assert kernel.refusals == ()
    assert [a.access.executions for a in kernel.accesses] == [1] * 40
    assert all(a.counted and lanes(a)[1] == 4 + a.immediate_bytes for a in kernel.accesses)


def sample(value: Value, chosen: dict[int, int]) -> int:
    """What a value is where the unknown words have these bits in bit 0."""
    if not isinstance(value, Unknown):
        return int(value[0, 0]) & 1
    assert value.choices is not None
    n = sum(chosen[one] << at for at, one in enumerate(value.choices.unknown))
    return int(value.choices.words[n].ravel()[0]) & 1


OPERATIONS = {
    conjunction: lambda x, y: x & y,
    disjunction: lambda x, y: x | y,
    difference: lambda x, y: x ^ y,
    without: lambda x, y: x & ~y & 1,
}


@pytest.mark.parametrize("seed", range(40))
def test_random_bitwise_formulas_have_the_truth_table_that_python_gives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = [conjunction(Unknown(f"u{n}"), constant(0xFFFFFFFF)) for n in range(3)]
    numbers = [w.choices.unknown[0] for w in words if isinstance(w, Unknown) and w.choices]
    outcomes = list(product((0, 1), repeat=3))
    values: list[Value] = [*words, constant(1), constant(0)]
    tables = [[o[n] for o in outcomes] for n in range(3)] + [[1] * 8, [0] * 8]
    for _ in range(12):
        operation = list(OPERATIONS)[rng.integers(4)]
        a, b = (int(n) for n in rng.integers(len(values), size=2))
        values.append(operation(values[a], values[b]))
        rows = zip(tables[a], tables[b], strict=True)
        tables.append([OPERATIONS[operation](x, y) for x, y in rows])
    for value, table in zip(values, tables, strict=True):
        found = [sample(value, dict(zip(numbers, o, strict=True))) for o in outcomes]
        assert found == table
        assert (int(bound(value).ravel()[0]) & 1) == max(table)
        if isinstance(value, Unknown):
            turned = complement(value)
            assert [
                1 - sample(turned, dict(zip(numbers, o, strict=True))) for o in outcomes
            ] == table


def test_a_word_made_of_too_many_unknown_ones_keeps_its_bounds() -> None:
    made: Value = constant(0x0F)
    for n in range(9):
        made = disjunction(made, conjunction(Unknown(f"u{n}"), constant(0xF0)))
    assert int(bound(made)[0, 0]) == 0xFF
    kept = conjunction(made, constant(0x0F))
    assert not isinstance(kept, Unknown)
    assert int(kept[0, 0]) == 0x0F


def test_a_way_that_leaves_shared_memory_is_named() -> None:
    """The last round of a pipeline whose first never ran: what nobody has loaded is at -1."""
    body = (
        START
        + """\ts_mov_b32 s7, -1
\ts_cmp_lt_i32 s6, 1
\ts_cbranch_scc1 .LBB0_1
\ts_mov_b32 s7, 0
.LBB0_1:
\tv_add_u32_e32 v2, s7, v1
\tds_read_b32 v3, v2
\tds_read_b32 v3, v1"""
    )
    outside, inside = amd(body).accesses
    assert sorted(lanes(outside, n)[0] for n in range(2)) == [0, 0xFFFFFFFF]
    assert "byte 4,294,967,295, which no GPU has" in outside.access.note
    assert inside.access.note == ""


@pytest.mark.parametrize(
    ("code", "run", "some"),
    [
        ("v_cmpx_lt_f64_e32 vcc, v[2:3], v[4:5]", 64, True),  # not followed: any lanes
        ("v_cmpx_class_f32_e64 s[4:5], v2, v3", 64, True),
        ("s_cmov_b64 exec, s[8:9]", 64, True),
        ("s_load_dwordx2 exec, s[0:1], 0x8", 64, True),
        ("s_bitset0_b32 exec_lo, 3", 63, False),
        ("v_readlane_b32 exec_hi, v5, 4", 32, False),  # v5 is 0
        ("v_cmp_gt_u32_e64 exec, 7, v0", 7, False),
        ("v_add_co_u32_e64 v9, exec, -1, v0", 63, False),  # lane 0 carries nothing
        ("s_mov_b64 exec, 0xff\n\tv_cmpx_lt_f64_e32 vcc, v[2:3], v[4:5]", 8, True),
        ("s_mov_b64 exec, 0xff\n\tv_cmpx_gt_u32_e32 vcc, 5, v0", 5, False),
    ],
)
def test_whatever_writes_the_execution_mask_changes_the_lanes(
    code: str, run: int, some: bool
) -> None:
    body = f"\tv_lshlrev_b32_e32 v1, 2, v0\n\tv_mov_b32_e32 v5, 0\n\t{code}\n\tds_read_b32 v7, v1"
    (found,) = amd(body).accesses
    assert (len(lanes(found)), found.some_lanes) == (run, some)


def test_a_copy_of_lanes_of_which_one_is_unknown_moves_those_that_run() -> None:
    body = """\ts_load_dword s6, s[0:1], 0x8
\tv_lshlrev_b32_e32 v1, 2, v0
\tv_add_u32_e32 v2, 0x400, v1
\tv_writelane_b32 v1, s6, 60
\ts_mov_b64 exec, 0xff
\tv_mov_b32_e32 v2, v1
\ts_mov_b64 exec, -1
\tds_read_b32 v3, v2"""
    (read,) = amd(body).accesses
    assert lanes(read) == [4 * lane + 1024 * (lane > 7) for lane in range(64)]


def test_the_first_of_lanes_that_nobody_knows_is_no_number() -> None:
    """But where all lanes have the same it is that."""
    body = """\ts_load_dword s6, s[0:1], 0x8
\tv_lshlrev_b32_e32 v1, 2, v0
\tv_mov_b32_e32 v4, 32
\tv_cmp_gt_u32_e32 vcc, s6, v0
\ts_and_saveexec_b64 s[8:9], vcc
\tv_readfirstlane_b32 s7, {}
\ts_or_b64 exec, exec, s[8:9]
\tv_mov_b32_e32 v2, s7
\tds_read_b32 v3, v2"""
    (varies,), (same,) = (amd(body.format(name)).accesses for name in ("v1", "v4"))
    assert "which lane is the first" in varies.unknown
    assert [p.anywhere for p in varies.access.patterns] == [1]
    assert (same.unknown, lanes(same)) == ("", [32] * 64)
