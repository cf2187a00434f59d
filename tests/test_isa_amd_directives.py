"""AMD text that is no plain listing: numbers in every radix, words in the place of instructions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bankwise.read.amd.literals import integer
from bankwise.read.amd.parse import kernels
from bankwise.read.assembly import AssemblyKernel
from command import bankwise
from isa_texts import amd, amd_text, lanes

LANE = np.arange(64)
READ = "\tv_lshlrev_b32_e32 v1, 2, v0\n\tds_read_b32 v2, v1"


def reasons(kernel: AssemblyKernel) -> list[str]:
    return [refusal.reason for refusal in kernel.refusals]


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("64", 64), ("-3", -3), ("0xBF810000", 0xBF810000), ("0X1f", 31), ("-0x10", -16),
     ("017", 15), ("-017", -15), ("00", 0), ("0b101", 5)],
)  # fmt: skip
def test_a_number_is_read_as_the_assembler_reads_it(text: str, number: int) -> None:
    assert integer(text) == number


@pytest.mark.parametrize(
    "text",
    ["", "-", "0x", "0x-36", "0xse", "08", "0b2", "1e", "1_0", "+3", "²", "٣", "off", "9" * 5000],
)
def test_what_the_assembler_refuses_is_no_number(text: str) -> None:
    assert integer(text) is None


def test_an_octal_offset_is_octal() -> None:
    (found,) = amd(f"{READ} offset:010").accesses
    assert lanes(found) == (4 * LANE + 8).tolist()


@pytest.mark.parametrize(
    "code",
    [
        "ds_read_b32 v2, v1 offset:0x-36",
        "ds_read_b32 v2, v1 offset:somewhere",
        "ds_write2_b32 v1, v2, v3 offset0:1 offset1:08",
        "buffer_load_dword v1, s[4:7], 0 offen offset:here lds",
        "s_mov_b64 s[4:5], src_shared_base\n\tflat_load_dword v2, v[2:3] offset:here",
    ],
)
def test_an_offset_that_is_no_number_is_refused(code: str) -> None:
    kernel = amd(f"\t{code}")
    assert not kernel.accesses
    assert len(kernel.refusals) == 1
    assert "its offset is not a number" in reasons(kernel)[0]


@pytest.mark.parametrize(
    "code",
    [
        "v_bitop3_b32 v1, v0, v0, v0 bitop3:0xse.x",
        "v_bitop3_b32 v1, v0, v0, v0 bitop3:0x-36",
        "v_mov_b32_dpp v1, v0 quad_perm:[0,1,08,3] row_mask:0xf bank_mask:0xf",
        "v_mov_b32_dpp v1, v0 row_shl:1 row_mask:010 bank_mask:08",
        "ds_swizzle_b32 v1, v0 offset:08",
        "ds_bpermute_b32 v1, v0, v0 offset:0x",
        "v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[x,y]\n\tv_mov_b32_e32 v1, v0",
    ],
)
def test_an_instruction_with_a_broken_number_is_not_computed(code: str) -> None:
    kernel = amd(f"\t{code}\n\tds_read_b32 v2, v1")
    assert not kernel.accesses
    assert "its address depends on" in " ".join(reasons(kernel))


def test_a_store_at_a_broken_offset_may_change_all_private_memory() -> None:
    store = "\tscratch_store_dword off, v0, off offset:{}\n"
    load = "\tscratch_load_dword v1, off, off offset:4\n\tds_read_b32 v2, v1"
    private = "\t\t.amdhsa_private_segment_fixed_size 16"
    assert amd(store.format(4) + load, descriptor=private).accesses
    assert not amd(store.format(4) + store.format("0x-1") + load, descriptor=private).accesses


def test_sizes_and_lines_of_signs_that_are_no_digits_end_no_process() -> None:
    text = amd_text(f"\t.loc 1 ² 3\n{READ}").replace("workgroup_size: 64", f"size: {'9' * 5000}")
    text = text.replace(".vgpr_count:     8", f".vgpr_count: {'9' * 5000}")
    (kernel,) = kernels(text)
    assert kernel.largest_workgroup is None
    assert "vgpr_count" not in kernel.numbers


@pytest.mark.parametrize(
    "line",
    [".long 0xffffffff", ".byte 0, 0, 0x81, 0xBF", ".short 0", ".quad 0xD86C0000", ".int here",
     ".fill 1, 4, 0", ".p2alignl 6, 3212836864", ".macro x", ".rept 4", ".if 0", '.incbin "a"'],
)  # fmt: skip
def test_words_in_the_place_of_instructions_are_refused_and_nothing_is_free(
    line: str, tmp_path: Path
) -> None:
    path = tmp_path / "k.s"
    path.write_text(amd_text(f"{READ}\n\t{line}\n\tds_read_b32 v3, v1"), "utf-8")
    ended = bankwise("check", path)
    assert ended.code == 3
    said = " ".join(ended.out.split())
    assert f"k.s:5: {line.split()[0].lower()} " in said
    assert "llvm-objdump -d" in said
    assert "no conflicts:" not in said
    kernel = amd(f"{READ}\n\t{line}\n\tds_read_b32 v3, v1")
    assert len(kernel.accesses) == 1
    assert "no way to this instruction was followed" in reasons(kernel)[-1]


@pytest.mark.parametrize(
    "tail",
    [
        "\n\ts_endpgm\n\t.long 1, 2\n\t.byte 3",
        "\n\ts_endpgm\ntable:\n\t.quad 1",
        "\n\ts_branch .Lend\n\t.long 1\n.Lend:",
        "\n\ts_endpgm\n\t.p2alignl 6, 3212836864\n\t.fill 48, 4, 3212836864",
        "\n\t.p2align 6",
    ],
)
def test_words_that_control_never_reaches_are_data(tail: str) -> None:
    kernel = amd(READ + tail)
    assert not kernel.refusals
    (found,) = kernel.accesses
    assert lanes(found) == (4 * LANE).tolist()


def test_a_word_behind_an_end_that_a_branch_goes_to_is_code() -> None:
    branch = "\ts_cmp_lg_u32 s2, 0\n\ts_cbranch_scc1 .Lword\n"
    text = f"{branch}{READ}\n\ts_endpgm\n.Lword:\n\t.long 0xd86c0000"
    kernel = amd(text)
    assert len(kernel.refusals) == 1
    assert ".long 0xd86c0000" in reasons(kernel)[0]
    assert len(amd(f"{text}, 0x02000000").accesses) == 2


def test_labels_behind_data_stand_where_their_code_does() -> None:
    kernel = amd(f"\ts_branch .Lend\n\t.long 1\n\t.long 2\n.Lend:\n{READ}")
    assert not kernel.refusals
    assert len(kernel.accesses) == 1


@pytest.mark.parametrize(
    "register", ["v[X]", "v[0+Y]", "v[1)]", "neg(v[1])", "-|v[1+0]|", "v[X:X]"]
)
def test_a_register_that_is_not_known_leaves_nothing_known(register: str, tmp_path: Path) -> None:
    path = tmp_path / "k.s"
    code = f"{READ}\n\tv_lshlrev_b32_e32 {register}, 7, v0\n\tds_read_b32 v2, v1"
    path.write_text(amd_text(code), "utf-8")
    ended = bankwise("check", path)
    assert ended.code == 3
    said = " ".join(ended.out.split())
    assert ": which register that is is not known" in said
    assert "k.s:6: ds_read_b32: no way to this instruction was followed" in said


@pytest.mark.parametrize(
    "code",
    ["ds_write_b32 v[X], v0", "flat_store_dword v[X:X+1], v0", "s_mov_b64 [s0,s1], 0"],
)
def test_it_is_refused_by_name_wherever_it_stands(code: str) -> None:
    kernel = amd(f"\ts_mov_b64 s[4:5], src_shared_base\n\t{code}")
    (refusal,) = kernel.refusals
    assert "which register that is is not known" in refusal.reason


@pytest.mark.parametrize(
    "code", ["DS_READ_B32 v2, v1", "/* a */ ds_read_b32 v2, v1", '"ds_read_b32" v2, v1']
)
def test_every_spelling_that_the_assembler_takes_is_an_instruction(code: str) -> None:
    (found,) = amd(f"\tv_lshlrev_b32_e32 v1, 2, v0\n\t{code}").accesses
    assert (found.instruction, lanes(found)) == ("ds_read_b32", (4 * LANE).tolist())


@pytest.mark.parametrize(
    "code",
    ["tensor_load_to_lds s[0:3], s[4:11]", "expanded_macro v1", "v_mov_b32_e32 v1, lds_direct",
     "global_load_async_to_lds_b32 v1, v[2:3], off"],
)  # fmt: skip
def test_an_instruction_of_no_known_family_may_touch_lds(code: str, tmp_path: Path) -> None:
    path = tmp_path / "k.s"
    path.write_text(amd_text(f"\t{code}"), "utf-8")
    ended = bankwise("check", path)
    assert ended.code == 3
    said = " ".join(ended.out.split())
    assert f"k.s:3: {code.split()[0].removesuffix('_e32')}: it is not known" in said
