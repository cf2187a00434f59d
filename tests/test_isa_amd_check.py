"""AMD assembly: what every LDS instruction touches, from small texts with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from bankwise.errors import InputError
from bankwise.read.amd.dialect import AMD
from bankwise.read.amd.parse import kernels
from bankwise.read.follow.driver import check_code
from isa_texts import amd, amd_text, lanes

LANE = np.arange(64)


def test_the_address_is_the_register_plus_the_immediate_offset() -> None:
    kernel = amd("\tv_lshlrev_b32_e32 v1, 4, v0\n\tds_read_b128 v[2:5], v1 offset:64")
    (found,) = kernel.accesses
    assert found.instruction == "ds_read_b128"
    assert lanes(found) == (16 * LANE + 64).tolist()
    assert found.access.width_bytes == 16
    assert found.access.alignment_bytes == 16
    assert found.access.location.line == 4
    assert found.counted


@pytest.mark.parametrize(
    ("code", "first", "apart"),
    [
        ("ds_read2_b32 v[2:3], v1 offset0:2 offset1:5", 8, 12),
        ("ds_read2_b64 v[2:5], v1 offset1:4", 0, 32),
        ("ds_read2st64_b32 v[2:3], v1 offset0:1 offset1:3", 256, 512),
        ("ds_write2st64_b64 v1, v[2:3], v[4:5] offset0:2 offset1:1", 1024, -512),
        ("ds_write2_b64 v1, v[2:3], v[4:5] offset0:1 offset1:2", 8, 8),
    ],
)
def test_two_address_forms_count_offsets_in_elements_or_in_64_of_them(
    code: str, first: int, apart: int
) -> None:
    (found,) = amd(f"\tv_lshlrev_b32_e32 v1, 3, v0\n\t{code}").accesses
    assert lanes(found) == (8 * LANE + first).tolist()
    assert found.apart_bytes == apart


@pytest.mark.parametrize(
    ("code", "step"),
    [
        ("buffer_load_dword v1, s[4:7], 0 offen lds", 4),
        ("buffer_load_ushort v1, s[4:7], 0 offen lds", 4),
        ("buffer_load_dwordx4 v1, s[4:7], 0 offen offset:32 lds", 16),
        ("buffer_load_dwordx3 v1, s[4:7], 0 offen lds", 16),
        ("global_load_lds_dwordx4 v[2:3], off", 16),
        ("global_load_lds_dword v[2:3], off offset:16", 4),
    ],
)
def test_a_direct_load_writes_in_lane_order_from_m0(code: str, step: int) -> None:
    (found,) = amd(f"\ts_mov_b32 m0, 0x400\n\t{code}", target="gfx950").accesses
    offset = int(code.split("offset:")[1].split()[0]) if "offset:" in code else 0
    assert lanes(found) == (1024 + offset + step * LANE).tolist()
    assert found.access.kind == "dma"
    assert found.access.direction == "write"


def test_m0_that_changes_in_the_loop_gives_a_pattern_for_each_value() -> None:
    body = """\ts_mov_b32 s4, 0
.LBB0_1:
\ts_lshl_b32 m0, s4, 10
\tbuffer_load_dword v1, s[8:11], 0 offen lds
\ts_add_i32 s4, s4, 1
\ts_cmp_lt_i32 s4, 3
\ts_cbranch_scc1 .LBB0_1"""
    (found,) = amd(body).accesses
    assert [lanes(found, n)[0] for n in range(3)] == [0, 1024, 2048]
    assert [p.executions for p in found.access.patterns] == [1, 1, 1]


def test_lane_exchanges_touch_no_storage() -> None:
    body = "\tds_bpermute_b32 v1, v0, v0\n\tds_permute_b32 v1, v0, v0\n"
    body += "\tds_swizzle_b32 v1, v0 offset:swizzle(SWAP,1)"
    kernel = amd(body)
    assert (kernel.accesses, kernel.refusals) == ((), ())


@pytest.mark.parametrize(
    ("code", "name", "width"),
    [
        ("ds_add_u32 v1, v2", "ds_add_u32", 4),
        ("ds_add_rtn_f32 v3, v1, v2", "ds_add_rtn_f32", 4),
        ("ds_max_u64 v1, v[2:3]", "ds_max_u64", 8),
        ("ds_cmpst_rtn_b32 v3, v1, v2, v4", "ds_cmpst_rtn_b32", 4),
        ("ds_pk_add_f16 v1, v2", "ds_pk_add_f16", 4),
    ],
)
def test_atomics_are_accesses_at_their_address(code: str, name: str, width: int) -> None:
    (found,) = amd(f"\tv_lshlrev_b32_e32 v1, 3, v0\n\t{code}").accesses
    assert (found.instruction, found.access.kind) == (name, "atomic")
    assert found.access.width_bytes == width
    assert lanes(found) == (8 * LANE).tolist()


def test_transposing_reads_are_accesses() -> None:
    body = "\tv_lshlrev_b32_e32 v1, 3, v0\n\tds_read_b64_tr_b16 v[2:3], v1"
    (found,) = amd(body, target="gfx950").accesses
    assert (found.access.kind, found.access.width_bytes) == ("transpose", 8)


def test_thread_numbers_are_packed_where_the_descriptor_says_so() -> None:
    body = "\tv_bfe_u32 v1, v0, 10, 10\n\tv_lshlrev_b32_e32 v1, 2, v1\n\tds_read_b32 v2, v1"
    text = amd_text(body, descriptor="\t\t.amdhsa_system_vgpr_workitem_id 1")
    text = text.replace("workgroup_size: 64", "workgroup_size: 128")
    (kernel,) = check_code(AMD, text, "k.s", workgroup_size=(32, 4, 1))
    (found,) = kernel.accesses
    assert lanes(found) == [0] * 32 + [4] * 32
    assert lanes(found, wave=1) == [8] * 32 + [12] * 32


@pytest.mark.parametrize("producer", ["triton", "clang"])
def test_all_threads_of_a_kernel_of_triton_lie_along_x(producer: str) -> None:
    body = "\tv_and_b32_e32 v1, 0x3ff, v0\n\tv_lshlrev_b32_e32 v1, 2, v1\n\tds_read_b32 v2, v1"
    text = amd_text(body, descriptor="\t\t.amdhsa_system_vgpr_workitem_id 2", threads=256)
    text += f'.section .debug_str\n.Linfo_string0:\n\t.asciz\t"{producer}"\n'
    (kernel,) = check_code(AMD, text, "k.s")
    assert kernel.workgroup_size == (256, 1, 1)
    assert bool(kernel.others) == (producer == "clang")


def test_the_last_wave_runs_only_the_threads_that_exist() -> None:
    (kernel,) = check_code(
        AMD,
        amd_text("\tv_lshlrev_b32_e32 v1, 2, v0\n\tds_read_b32 v2, v1").replace(
            "workgroup_size: 64", "workgroup_size: 80"
        ),
        "k.s",
        workgroup_size=(80, 1, 1),
    )
    active = kernel.accesses[0].access.patterns[0].active
    assert active.sum(1).tolist() == [64, 16]


def test_a_known_execution_mask_is_the_active_lanes() -> None:
    body = """\tv_lshlrev_b32_e32 v1, 2, v0
\tv_cmp_gt_u32_e32 vcc, 10, v0
\ts_and_saveexec_b64 s[4:5], vcc
\ts_cbranch_execz .LBB0_2
\tv_add_u32_e32 v1, 0x100, v1
\tds_read_b32 v2, v1
.LBB0_2:
\ts_or_b64 exec, exec, s[4:5]
\tds_read_b32 v3, v1"""
    inside, after = amd(body).accesses
    assert lanes(inside) == (4 * LANE[:10] + 256).tolist()
    assert lanes(after) == (4 * LANE + np.where(LANE < 10, 256, 0)).tolist()
    assert inside.counted
    assert after.counted


def test_waves_that_part_at_a_branch_meet_again() -> None:
    body = """\tv_lshrrev_b32_e32 v1, 6, v0
\tv_readfirstlane_b32 s4, v1
\tv_lshlrev_b32_e32 v1, 2, v0
\ts_cmp_eq_u32 s4, 0
\ts_cbranch_scc1 .LBB0_2
\tv_lshlrev_b32_e32 v1, 3, v0
\tds_read_b64 v[2:3], v1
.LBB0_2:
\tds_read_b32 v4, v1"""
    parted, after = amd(body, threads=128).accesses
    assert parted.access.patterns[0].active.any(1).tolist() == [False, True]
    (pattern,) = after.access.patterns
    assert pattern.offsets_bytes[:, 1].tolist() == [4, 8 * 65]
    assert pattern.active.all()


def test_lanes_under_an_unknown_condition_are_a_bound_and_the_rest_stays_known() -> None:
    body = """\ts_load_dword s6, s[0:1], 0x8
\tv_lshlrev_b32_e32 v1, 2, v0
\tv_mov_b32_e32 v5, 0
\tv_cmp_gt_u32_e32 vcc, s6, v0
\ts_and_saveexec_b64 s[4:5], vcc
\ts_cbranch_execz .LBB0_2
\tv_add_u32_e32 v5, 4, v1
\tds_write_b32 v5, v2
.LBB0_2:
\ts_or_b64 exec, exec, s[4:5]
\tds_read_b32 v3, v1
\tds_read_b32 v3, v5"""
    inside, after, mixed = amd(body).accesses
    assert lanes(inside) == (4 * LANE + 4).tolist()
    assert "kernel argument n (line 3)" in inside.access.note
    assert after.access.note == ""
    assert lanes(after) == (4 * LANE).tolist()
    assert "it depends on kernel argument n (line 3)" in mixed.access.note


def test_an_argument_that_is_given_makes_the_mask_known() -> None:
    body = """\ts_load_dword s6, s[0:1], 0x8
\tv_lshlrev_b32_e32 v1, 2, v0
\tv_cmp_gt_u32_e32 vcc, s6, v0
\ts_and_saveexec_b64 s[4:5], vcc
\tds_write_b32 v1, v2"""
    for name in ("n", 8):
        (found,) = amd(body, args={name: 5}).accesses
        assert lanes(found) == [0, 4, 8, 12, 16]


def test_an_argument_that_the_kernel_has_not_is_bad_input() -> None:
    with pytest.raises(InputError, match="no parameter 'm'") as caught:
        amd("\ts_nop 0", args={"m": 5})
    assert "numbers that it takes: n, workgroup_id_x" in str(caught.value)


def test_an_address_from_memory_is_refused_with_its_cause() -> None:
    body = "\tglobal_load_dword v1, v0, s[4:5]\n\tv_lshlrev_b32_e32 v2, 2, v1\n\tds_read_b32 v3, v2"
    kernel = amd(body)
    assert kernel.accesses == ()
    assert [str(r) for r in kernel.refusals] == [
        "k.s:5: ds_read_b32: its address depends on a value loaded from memory (line 3)"
    ]


def test_an_address_that_an_unfollowed_instruction_makes_names_it() -> None:
    kernel = amd("\tv_exp_f32_e32 v1, v0\n\tds_read_b32 v3, v1")
    assert "v_exp_f32 (line 3)" in kernel.refusals[0].reason
    assert [(n.mnemonic, n.line, n.count) for n in kernel.not_followed] == [("v_exp_f32", 3, 1)]


def test_instructions_beside_the_addresses_are_not_listed() -> None:
    body = "\tv_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], v[4:7]\n\tds_read_b32 v3, v0"
    assert amd(body).not_followed == ()


def test_a_mnemonic_of_no_known_family_is_listed() -> None:
    kernel = amd("\ttensor_load_to_lds s[0:3], s[4:11]\n\tds_read_b32 v3, v0")
    assert [n.mnemonic for n in kernel.not_followed] == ["tensor_load_to_lds"]


def test_an_lds_instruction_that_is_not_understood_is_refused() -> None:
    kernel = amd("\tds_frobnicate_b32 v1, v0")
    assert "not known which bytes" in kernel.refusals[0].reason


def test_a_loop_of_unknown_length_gives_every_pattern_once_and_no_counts() -> None:
    body = """\ts_load_dword s6, s[0:1], 0x8
\ts_mov_b32 s4, 0
\ts_mov_b32 s5, 0
.LBB0_1:
\ts_xor_b32 s5, s5, 0x800
\tv_mov_b32_e32 v1, s5
\tv_lshl_add_u32 v1, v0, 2, v1
\tds_read_b32 v2, v1
\ts_add_i32 s4, s4, 1
\ts_cmp_lt_i32 s4, s6
\ts_cbranch_scc1 .LBB0_1"""
    kernel = amd(body)
    (found,) = kernel.accesses
    assert not found.counted
    assert [lanes(found, n)[0] for n in range(len(found.access.patterns))] == [0x800, 0]
    assert kernel.open_branches == {13: "kernel argument n (line 3)"}
    (counted,) = amd(body, args={"n": 7}).accesses
    assert counted.counted
    assert [p.executions for p in counted.access.patterns] == [4, 3]


def test_a_known_loop_longer_than_can_be_followed_still_gives_its_patterns() -> None:
    body = """\ts_mov_b32 s4, 0
.LBB0_1:
\ts_and_b32 s5, s4, 3
\tv_lshl_add_u32 v1, v0, 2, s5
\tds_read_b32 v2, v1
\ts_add_i32 s4, s4, 1
\ts_cmp_lt_u32 s4, 0x7fffffff
\ts_cbranch_scc1 .LBB0_1"""
    (found,) = amd(body).accesses
    assert not found.counted


def test_addresses_that_never_repeat_are_told_beside_what_was_seen() -> None:
    body = """\ts_load_dword s6, s[0:1], 0x8
\ts_mov_b32 s4, 0
.LBB0_1:
\tv_lshl_add_u32 v1, v0, 2, s4
\tds_read_b32 v2, v1
\ts_add_i32 s4, s4, 4
\ts_cmp_lt_u32 s4, s6
\ts_cbranch_scc1 .LBB0_1
\tds_write_b32 v0, v2"""
    first, behind = amd(body).accesses
    assert not first.counted
    assert first.unknown == "kernel argument n (line 3)"
    assert len(first.access.patterns) > 100
    assert behind.counted
    assert behind.unknown == ""


@pytest.mark.parametrize(
    "jump", ["s_setpc_b64 s[4:5]", "s_branch .LBB9_9", "s_swappc_b64 s[4:5], s[6:7]"]
)
def test_a_jump_to_nowhere_is_refused_with_all_that_is_behind_it(jump: str) -> None:
    kernel = amd(f"\tds_read_b32 v1, v0\n\t{jump}\n\tds_read_b32 v2, v0")
    assert len(kernel.accesses) == 1
    reasons = [r.reason for r in kernel.refusals]
    assert "where control goes from here is not followed" in reasons[0]
    assert "no way to this instruction was followed" in reasons[1]


def test_an_irreducible_loop_is_followed() -> None:
    body = """\ts_load_dword s6, s[0:1], 0x8
\ts_cmp_eq_u32 s6, 0
\ts_cbranch_scc1 .LBB0_2
.LBB0_1:
\tds_read_b32 v1, v0
.LBB0_2:
\tds_read_b32 v1, v0 offset:4
\ts_cmp_eq_u32 s6, 1
\ts_cbranch_scc1 .LBB0_1"""
    assert [lanes(a)[0] for a in amd(body).accesses] == [0, 4]


@pytest.mark.parametrize(
    ("named", "place"),
    [('"src" "kernel.hip"', "src/kernel.hip"), ('"kernel.hip"', "kernel.hip"),
     ('"/home" "/tmp/kernel.hip"', "/tmp/kernel.hip")],
)  # fmt: skip
def test_source_lines_come_from_loc(named: str, place: str) -> None:
    body = f"\t.file\t1 {named}\n\t.loc\t1 42 7\n\tds_read_b32 v1, v0"
    (found,) = amd(body).accesses
    assert str(found.source) == f"{place}:42:7"


def test_every_kernel_of_a_text_is_checked_and_one_can_be_chosen() -> None:
    one = amd_text("\tds_read_b32 v1, v0")
    both = one + one.replace("k:", "other:").replace(
        "amdhsa_kernel k", "amdhsa_kernel other"
    ).replace(".amdgcn_target", ".x")
    assert [k.name for k in check_code(AMD, both, "k.s", workgroup_size=(64, 1, 1))] == [
        "k",
        "other",
    ]
    (chosen,) = check_code(AMD, both, "k.s", kernel="other", workgroup_size=(64, 1, 1))
    assert chosen.name == "other"
    with pytest.raises(InputError, match="no kernel 'third'"):
        check_code(AMD, both, "k.s", kernel="third")


def test_an_obfuscated_symbol_is_a_name_like_any_other() -> None:
    text = amd_text("\tds_read_b32 v1, v0").replace("k:", '"_Z$?@1x":')
    text = text.replace("amdhsa_kernel k", 'amdhsa_kernel "_Z$?@1x"')
    (kernel,) = check_code(AMD, text, "k.s", workgroup_size=(64, 1, 1))
    assert kernel.name == "_Z$?@1x"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\ts_endpgm\n.Lfunc_end0:", "", "has no end"),
        ("\nk:", "\n", "no line says k:"),
        (".amdhsa_kernel", ".x", "no kernel in this assembly"),
        ("gfx942", "gfx1100", "gfx1100 is not followed"),
        (".amdgcn_target", ".x", "names no target"),
    ],
)
def test_text_that_cannot_be_used_is_bad_input_with_a_hint(
    old: str, new: str, message: str
) -> None:
    text = amd_text("\tds_read_b32 v1, v0").replace(old, new)
    with pytest.raises(InputError, match=message) as caught:
        check_code(AMD, text, "k.s")
    assert caught.value.hint


def test_the_target_that_is_asked_for_must_be_the_one_of_the_text() -> None:
    with pytest.raises(InputError, match="for gfx942, not for gfx950"):
        check_code(AMD, amd_text(""), "k.s", "gfx950")


def test_operands_and_modifiers_are_told_apart() -> None:
    body = "\ts_waitcnt vmcnt(0) lgkmcnt(0)\n\tv_bitop3_b32 v1, v0, s2, v3 bitop3:0x36\n"
    body += "\tbuffer_load_dword v1, s[4:7], 0 offen offset:8 lds ; a comment"
    wait, table, load = kernels(amd_text(body))[0].operations[:3]
    assert wait.operands == ()
    assert table.operands == ("v1", "v0", "s2", "v3")
    assert table.modifiers == {"bitop3": "0x36"}
    assert load.operands == ("v1", "s[4:7]", "0")
    assert load.modifiers == {"offen": "", "offset": "8", "lds": ""}


@pytest.mark.parametrize(("shift", "offset", "wanted"), [(7, 0, 16), (7, 8, 8), (2, 0, 4)])
def test_the_alignment_of_an_access_divides_all_of_its_offsets(
    shift: int, offset: int, wanted: int
) -> None:
    kernel = amd(f"\tv_lshlrev_b32_e32 v1, {shift}, v0\n\tds_read_b32 v2, v1 offset:{offset}")
    (found,) = kernel.accesses
    assert found.access.alignment_bytes == wanted


def test_a_kernel_of_words_alone_is_followed_to_its_end() -> None:
    (kernel,) = check_code(AMD, amd_text("\t.long 0xBF810000").replace("\ts_endpgm\n", ""), "k.s")
    assert kernel.accesses == ()


@pytest.mark.parametrize(
    "code",
    [
        "s_mov_b64 s[4:5], 1.0\n\tv_mov_b32_e32 v2, s5",  # 0x3ff00000 in the upper half
        "v_mov_b64_e32 v[2:3], 1.0",
        "v_add_u16_e32 v2, 1.0, v1",
        "v_pk_add_u16 v2, v1, 1.0",
    ],
)
def test_a_float_in_an_instruction_of_16_or_64_bits_is_not_taken_for_one_of_32(code: str) -> None:
    kernel = amd(f"\tv_mov_b32_e32 v1, 0\n\t{code}\n\tds_read_b32 v7, v2")
    assert all(a.unknown and a.anywhere for a in kernel.accesses)
    assert len(kernel.refusals) + len(kernel.accesses) == 1


def test_an_atomic_with_a_second_address_in_memory_is_refused() -> None:
    """ds_add_src2_u32 reads what it adds from another place; no GPU that is followed has it."""
    (refusal,) = amd("\tv_lshlrev_b32_e32 v1, 2, v0\n\tds_add_src2_u32 v1 offset:8").refusals
    assert "which bytes of LDS" in refusal.reason
