"""Far jumps through the program counter: the same kernel with plain branches is the judge."""

from __future__ import annotations

import pytest

from isa_texts import amd, lanes

LONG = """\ts_getpc_B64 s[8:9]
\ts_add_i32 s10, {label}, 0x4
\ts_cmp_ge_i32 s10, 0x0
\ts_cbranch_scc1 .Lforward{n}
\ts_abs_i32 s10, s10
\ts_sub_u32 s8, s8, s10
\ts_subb_u32 s9, s9, 0
\ts_setpc_b64 s[8:9]
.Lforward{n}:
\ts_add_u32 s8, s8, s10
\ts_addc_u32 s9, s9, 0
\ts_setpc_b64 s[8:9]"""
SHORT = """\ts_getpc_b64 s[8:9]
\ts_add_u32 s10, {label}, 4
\ts_add_u32 s8, s10, s8
\ts_addc_u32 s9, 0, s9
\ts_mov_b64 s[12:13], s[8:9]
\ts_setpc_b64 s[12:13]"""
BODY = """\tv_lshlrev_b32_e32 v1, 2, v0
\ts_mov_b32 s4, 0
.Lloop:
\tv_add_u32_e32 v1, 0x100, v1
\tds_read_b32 v2, v1
\ts_add_i32 s4, s4, 1
\ts_cmp_lt_i32 s4, 5
\ts_cbranch_scc0 .Lbehind
{back}
\tds_read_b32 v2, v0
.Lbehind:
{out}
\tds_read_b32 v2, v0
.Lout:
\tds_write_b32 v1, v2"""


def touched(body: str) -> list[tuple[str, int, list[int]]]:
    kernel = amd(body)
    assert not kernel.refusals
    assert not kernel.open_branches
    return [(a.instruction, a.access.executions, lanes(a)) for a in kernel.accesses]


@pytest.mark.parametrize("jump", [LONG, SHORT])
def test_a_far_jump_is_a_branch_forwards_and_back(jump: str) -> None:
    far = BODY.format(back=jump.format(label=".Lloop", n=1), out=jump.format(label=".Lout", n=2))
    near = BODY.format(back="\ts_branch .Lloop", out="\ts_branch .Lout")
    assert touched(far) == touched(near)
    assert [row[:2] for row in touched(near)] == [("ds_read_b32", 5), ("ds_write_b32", 1)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("s_add_u32 s10, .Lout, 4", "s_add_u32 s10, .Lout, 8"),
        ("s_add_u32 s10, .Lout, 4", "s_add_u32 s10, .Lnowhere, 4"),
        ("s_add_u32 s10, .Lout, 4", "s_movk_i32 s10, 0x40"),
        ("s_add_u32 s8, s10, s8", "s_sub_u32 s8, s10, s8"),
        ("s_add_u32 s8, s10, s8", "s_add_u32 s8, s10, s8\n\tv_readfirstlane_b32 s8, v0"),
        ("s_addc_u32 s9, 0, s9", "s_mov_b32 s9, s4"),
        ("s_mov_b64 s[12:13], s[8:9]", "s_load_dwordx2 s[12:13], s[8:9], 0x0"),
        ("s_mov_b64", "s_cbranch_scc1 .Lin\n\ts_mov_b32 s8, s4\n.Lin:\n\ts_mov_b64"),
    ],
)
def test_a_sum_that_is_no_label_for_sure_is_not_followed(old: str, new: str) -> None:
    jump = SHORT.format(label=".Lout")
    assert old in jump
    kernel = amd(f"{jump.replace(old, new)}\n.Lout:\n\tds_write_b32 v0, v2")
    assert not kernel.accesses
    assert "s_setpc_b64: where control goes from here" in kernel.refusals[0].reason


def test_labels_that_are_numbers_are_the_next_one_and_the_last_one() -> None:
    """As inline assembly has them: every definition of ``1:`` is another place."""
    near = BODY.format(back="\ts_branch .Lloop", out="\ts_branch .Lout")
    local = near.replace(".Lloop:", "1:").replace("s_branch .Lloop", "s_branch 1b")
    local = local.replace("scc0 .Lbehind", "scc0 1f").replace(".Lbehind:", "1:")
    local = local.replace("s_branch .Lout", "s_branch 1f").replace(".Lout:", "1:")
    assert touched(local) == touched(near)


@pytest.mark.parametrize("label", ["1b", "2f"])
def test_a_number_that_is_no_label_there_loses_control(label: str) -> None:
    kernel = amd(f"\ts_branch {label}\n1:\n\tds_read_b32 v1, v0\n3:")
    assert kernel.accesses == ()
    assert kernel.refusals
