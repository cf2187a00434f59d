"""Registers that an index names (s_set_gpr_idx_on): a list of numbers in the test is the judge."""

from __future__ import annotations

import random

import numpy as np
import pytest

from isa_texts import amd, lanes

LANE = np.arange(64)
FIRST, COUNT = 10, 8
"""The registers v10 to v17, that hold lane * 4 + n * 0x100."""
FILL = "\n".join(
    ["\tv_lshlrev_b32_e32 v1, 2, v0"]
    + [f"\tv_add_u32_e32 v{FIRST + n}, {n * 0x100:#x}, v1" for n in range(COUNT)]
)


def held(kernel) -> list[list[int]]:
    return [lanes(found) for found in kernel.accesses]


@pytest.mark.parametrize("seed", range(6))
def test_reads_and_writes_by_index_are_those_of_a_list(seed: int) -> None:
    pick = random.Random(seed)
    registers = [n * 0x100 for n in range(COUNT)]
    text = [FILL]
    for _ in range(12):
        index, to, source = pick.randrange(4), pick.randrange(4), pick.randrange(4)
        mode = pick.choice(["SRC0", "DST", "SRC0,DST"])
        text.append(f"\ts_mov_b32 s4, {index}\n\ts_set_gpr_idx_on s4, gpr_idx({mode})")
        text.append(f"\tv_mov_b32_e32 v{FIRST + to}, v{FIRST + source}")
        text.append("\ts_set_gpr_idx_off")
        at = to + (index if "DST" in mode else 0)
        registers[at] = registers[source + (index if "SRC0" in mode else 0)]
    text += [f"\tds_read_b32 v2, v{FIRST + n}" for n in range(COUNT)]
    kernel = amd("\n".join(text))
    assert not kernel.refusals
    assert held(kernel) == [(4 * LANE + base).tolist() for base in registers]


def test_only_the_operand_that_the_mode_names_is_moved() -> None:
    body = f"""{FILL}
\ts_mov_b32 s4, 0x102
\ts_set_gpr_idx_on s4, gpr_idx(SRC1)
\tv_sub_u32_e32 v2, v12, v11
\ts_set_gpr_idx_mode gpr_idx(SRC0)
\tv_sub_u32_e32 v3, v12, v11
\ts_set_gpr_idx_idx 1
\tv_sub_u32_e32 v4, v12, v11
\tds_read_b32 v5, v11
\ts_set_gpr_idx_off
\tv_sub_u32_e32 v5, v14, v13
\tv_add_u32_e32 v2, 0x400, v2
\tds_read_b32 v6, v2
\tds_read_b32 v6, v3
\tds_read_b32 v6, v4
\tds_read_b32 v6, v5"""
    expected = [(4 * LANE + 0x100).tolist(), [0x300] * 64, [0x300] * 64, [0x200] * 64, [0x100] * 64]
    assert held(amd(body)) == expected


@pytest.mark.parametrize(("mode", "known"), [("SRC0", {0, 1, 3}), ("DST", {0, 1})])
def test_an_unknown_index_reads_nothing_known_and_may_write_all_behind(mode, known) -> None:
    reads = "\n".join(f"\tds_read_b32 v3, v{FIRST + n}" for n in range(4))
    body = f"""{FILL}
\ts_load_dword s4, s[0:1], 0x8
\ts_set_gpr_idx_on s4, gpr_idx({mode})
\tv_mov_b32_e32 v12, v11
\ts_set_gpr_idx_off
{reads}"""
    kernel = amd(body)
    first = min(a.access.location.line for a in kernel.accesses)
    assert {a.access.location.line - first for a in kernel.accesses} == known
    assert all("kernel argument" in r.reason or "the index of" in r.reason for r in kernel.refusals)
    assert held(amd(body, args={"n": 1}))


@pytest.mark.parametrize("between", [".Lin:", "\ts_cbranch_scc1 .Lin\n.Lin:", "\ts_nop 0"])
def test_where_control_may_come_in_between_it_is_not_followed(between: str) -> None:
    end = "\ts_endpgm" if "nop" in between else "\ts_set_gpr_idx_off"
    body = f"""{FILL}
\ts_set_gpr_idx_on s4, gpr_idx(DST)
{between}
\tv_mov_b32_e32 v11, v10
{end}
\tds_read_b32 v3, v11"""
    kernel = amd(body)
    assert not kernel.accesses
    assert "s_set_gpr_idx_on" in kernel.refusals[0].reason
