"""Calls of functions of the same text, as LLVM writes them for AMD."""

from __future__ import annotations

import numpy as np
import pytest

from bankwise.read.amd.dialect import AMD
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow.driver import check_code
from isa_texts import amd_text, lanes

LANE = np.arange(64)
ADDRESS = """\ts_getpc_b64 s[2:3]
\ts_add_u32 s2, s2, leaf@rel32@lo+4
\ts_addc_u32 s3, s3, leaf@rel32@hi+12
"""
CALL = "\ts_swappc_b64 s[30:31], s[2:3]\n"
LEAF = """leaf:
\ts_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
\tv_lshl_add_u32 v0, v0, 5, v0
\ts_setpc_b64 s[30:31]
.Lfunc_end9:
"""
SIZED = """sized:
\tv_cmp_gt_u32_e32 vcc, 8, v0
\ts_and_saveexec_b64 s[4:5], vcc
\ts_cbranch_execz .LBB8_2
\tds_write_b32 v1, v0 offset:256
.LBB8_2:
\ts_or_b64 exec, exec, s[4:5]
\ts_setpc_b64 s[30:31]
.Lfunc_end8:
"""


def checked(body: str, functions: str = LEAF) -> AssemblyKernel:
    text = amd_text(body)
    head, rest = text.split("\n", 1)
    return check_code(AMD, f"{head}\n{functions}{rest}", "k.s")[0]


def test_a_called_function_is_followed_at_each_call() -> None:
    body = f"{ADDRESS}{CALL}\tds_read_b32 v1, v0\n{CALL}\tds_read_b32 v1, v0"
    first, second = checked(body).accesses
    assert lanes(first) == (33 * LANE).tolist()
    assert lanes(second) == (33 * 33 * LANE).tolist()


def test_an_access_of_a_function_is_counted_at_each_call_and_its_branches_stay_its_own() -> None:
    body = ADDRESS.replace("leaf", "sized") + "\tv_lshlrev_b32_e32 v1, 2, v0\n" + CALL
    kernel = checked(
        body + "\tv_lshlrev_b32_e32 v1, 3, v0\n" + ADDRESS.replace("leaf", "sized") + CALL, SIZED
    )
    first, second = kernel.accesses
    assert lanes(first) == (4 * LANE[:8] + 256).tolist()
    assert lanes(second) == (8 * LANE[:8] + 256).tolist()
    assert first.access.location == second.access.location
    assert kernel.refusals == ()


def test_a_function_whose_address_is_loaded_from_the_global_offset_table_is_the_same() -> None:
    body = """\ts_getpc_b64 s[4:5]
\ts_add_u32 s4, s4, leaf@gotpcrel32@lo+4
\ts_addc_u32 s5, s5, leaf@gotpcrel32@hi+12
\ts_load_dwordx2 s[2:3], s[4:5], 0x0
"""
    (found,) = checked(f"{body}{CALL}\tds_read_b32 v1, v0").accesses
    assert lanes(found) == (33 * LANE).tolist()


@pytest.mark.parametrize(
    "change",
    [
        ("leaf@rel32@lo+4", "elsewhere@rel32@lo+4"),
        ("\ts_addc_u32 s3", "\ts_mov_b32 s2, s9\n\ts_addc_u32 s3"),
        (CALL, f"\ts_cbranch_scc1 .LBB0_1\n\ts_mov_b32 s3, s9\n.LBB0_1:\n{CALL}"),
        (CALL, f"\ts_cbranch_scc1 .LBB0_1\n{ADDRESS.replace('leaf', 'other')}.LBB0_1:\n{CALL}"),
        (CALL, f"\tv_add_co_u32_e64 v9, s[2:3], v8, v8\n{CALL}"),
        (CALL, "\ts_swappc_b64 s[30:31], s[6:7]\n"),
    ],
)
def test_a_call_of_nobody_knows_what_loses_control_by_name(change: tuple[str, str]) -> None:
    kernel = checked(f"{ADDRESS}{CALL}\tds_read_b32 v1, v0".replace(*change))
    assert kernel.accesses == ()
    assert kernel.refusals[0].reason.startswith("s_swappc_b64: where control goes")


def test_an_address_is_known_behind_labels_of_the_debugger_branches_and_other_calls() -> None:
    """As LLVM writes it with lines: one address for many calls, held across the calls between."""
    between = "\ts_cbranch_scc1 .LBB0_1\n\tv_mov_b32_e32 v9, 0\n.LBB0_1:\n.Ltmp7:\n"
    middle = """middle:
\ts_mov_b64 s[8:9], s[30:31]
\ts_getpc_b64 s[4:5]
\ts_add_u32 s4, s4, leaf@rel32@lo+4
\ts_addc_u32 s5, s5, leaf@rel32@hi+12
\ts_swappc_b64 s[30:31], s[4:5]
\ts_mov_b64 s[30:31], s[8:9]
\ts_setpc_b64 s[30:31]
.Lfunc_end7:
"""
    calls = ADDRESS + ADDRESS.replace("leaf", "middle").replace("s2", "s6").replace("s3", "s7")
    calls = calls.replace(
        "\ts_getpc_b64 s[2:3]\n\ts_add_u32 s6", "\ts_getpc_b64 s[6:7]\n\ts_add_u32 s6"
    )
    inner = CALL.replace("s[2:3]", "s[6:7]")
    kernel = checked(f"{calls}{between}{inner}{CALL}\tds_read_b32 v1, v0", f"{LEAF}{middle}")
    (found,) = kernel.accesses
    assert lanes(found) == (33 * 33 * LANE).tolist()
    assert kernel.refusals == ()


def test_a_function_that_calls_itself_loses_control() -> None:
    again = LEAF.replace("\ts_setpc", f"{ADDRESS}{CALL}\ts_setpc")
    kernel = checked(f"{ADDRESS}{CALL}\tds_read_b32 v1, v0", again)
    assert kernel.accesses == ()
    assert "s_swappc_b64" in kernel.refusals[0].reason


def test_a_function_that_is_cut_off_is_not_called() -> None:
    kernel = checked(f"{ADDRESS}{CALL}\tds_read_b32 v1, v0", "")
    assert "s_swappc_b64" in kernel.refusals[0].reason
