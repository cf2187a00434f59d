"""Broken assembly: an InputError or a result, never anything else, and never a hang."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from bankwise.errors import InputError
from bankwise.read.amd.dialect import AMD
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow.driver import check_code
from bankwise.read.ptx.dialect import PTX
from isa_texts import DATA, amd_text, ptx_text

AMD_CODE = "\n".join(
    [
        ".set X, 4",
        ".macro A r=1, q",
        "\tv_mov_b32 v[X+\\r], v0",
        ".endm",
        "\tA 2",
        ".rept 2",
        ".irp r, 1, 2",
        "\tA r=\\r, q=(X+1)*2",
        ".endr",
        ".endr",
        ".if X > 3 && X < 5",
        "\t.long 0xd86c0000, 0x02000000",
        ".else",
        ".ifdef X",
        ".endif",
        ".endif",
        "\ts_set_gpr_idx_on s7, gpr_idx(SRC0)",
        "\tv_mov_b32_e32 v3, v1",
        "\ts_set_gpr_idx_off",
        "\ts_getpc_b64 s[12:13]",
        "\ts_add_u32 s14, .LBB0_1, 4",
        "\ts_add_u32 s12, s12, s14",
        "\ts_addc_u32 s13, s13, 0",
        "\ts_setpc_b64 s[12:13]",
        "\ts_load_dword s6, s[0:1], 0x8",
        "\tv_lshlrev_b32_e32 v1, 2, v0",
        "\tv_cmp_gt_u32_e32 vcc, s6, v0",
        "\ts_and_saveexec_b64 s[4:5], vcc",
        "\ts_cbranch_execz .LBB0_2",
        ".LBB0_1:",
        "\tv_lshl_add_u64 v[2:3], v[0:1], 3, v[4:5]",
        "\tv_perm_b32 v3, v1, v0, s6",
        "\tv_cndmask_b32_e32 v5, v1, v0, vcc",
        "\tv_readfirstlane_b32 s7, v1",
        "\ts_mov_b32 m0, s7",
        "\tbuffer_load_dword v1, s[8:11], 0 offen lds",
        "\tds_read2st64_b64 v[6:9], v1 offset0:1 offset1:3",
        "\tds_write_b32 v5, v2 offset:16",
        "\ts_add_u32 s8, s8, 1",
        "\ts_mov_b64 s[10:11], src_shared_base",
        "\tv_mov_b32_e32 v11, s11",
        "\tflat_load_dwordx2 v[12:13], v[10:11] offset:8",
        "\tscratch_store_dword off, v1, s33 offset:4",
        "\tv_writelane_b32 v14, s8, 3",
        "\tds_swizzle_b32 v1, v1 offset:swizzle(SWAP,1)",
        "\tds_bpermute_b32 v1, v5, v1",
        "\tv_pk_mad_u16 v1, v5, v1, v0 op_sel_hi:[0,1,1]",
        "\tv_cvt_f32_u32_e32 v3, s6",
        "\tv_rcp_iflag_f32_e32 v3, -|v3|",
        "\ts_add_u32 s2, s2, k@rel32@lo+4",
        "\ts_swappc_b64 s[30:31], s[2:3]",
        "\ts_cmp_lt_u32 s8, s6",
        "\ts_cbranch_scc1 .LBB0_1",
        ".LBB0_2:",
        "\ts_or_b64 exec, exec, s[4:5]",
    ]
)
PTX_CODE = "\n".join(
    [
        "\tld.param.u32 %r3, [k_param_1];",
        "\tmad.wide.u32 %rd1, %r1, 16, 4;",
        "\tmov.b64 {%r4, %r5}, %rd1;",
        "\tsetp.lt.u32 %p1, %r1, %r3;",
        "$L1:",
        "\t@%p1 st.shared.v4.b32 [%r4+16], {%r1, %r1, %r1, %r1};",
        "\tprmt.b32 %r6, %r4, %r1, 0x3210;",
        "\tldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r7, %r8, %r9, %r10}, [%r6];",
        "\tadd.u32 %r2, %r2, 1;",
        "\tsetp.lt.and.u32 %p2, %r2, %r3, %p1;",
        "\t@%p2 bra $L1;",
    ]
)


def answer(text: str) -> tuple[AssemblyKernel, ...] | None:
    """What checking says; None if the input is refused as a whole."""
    dialect = PTX if ".entry" in text else AMD
    try:
        return check_code(dialect, text, "k")
    except InputError:
        return None


@cache
def texts() -> tuple[str, ...]:
    stored = [
        path.read_text("utf-8")
        for path in sorted(Path(DATA).glob("triton_transpose.*"))
        if path.suffix != ".ttgir"
    ]
    return (amd_text(AMD_CODE), ptx_text(PTX_CODE), *stored)


WORDS = st.sampled_from(
    [
        "v0",
        "v[0:1]",
        "v[3:1]",
        "s0",
        "s[2:5]",
        "exec",
        "vcc",
        "m0",
        "-1",
        "0x1p3",
        "1.0",
        "null",
        "off",
        "k",
        "%r1",
        "%rd1",
        "%p1",
        "{%r1",
        "[%r1+-4]",
        "tile",
        "0f3F800000",
        "offset:99999",
        "lds",
        "clamp",
        "sext(v1)",
        "-|v3|",
        "src_private_base",
        "offset:swizzle(BROADCAST,0,1)",
        "offset:swizzle(SWAP,999)",
        "op_sel:[2,1]",
        "ds_read_b3",
        "s[30:31]",
        "|v1|",
        "999999999999999999999",
        "_",
        "@",
        ";",
        ":",
        "{",
        "}",
    ]
)


@settings(max_examples=150)
@given(st.data())
def test_a_changed_word_is_answered(data: st.DataObject) -> None:
    lines = data.draw(st.sampled_from(texts()[:2])).split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        words = lines[at].replace(",", " , ").split(" ")
        words[data.draw(st.integers(0, len(words) - 1))] = data.draw(WORDS)
        lines[at] = " ".join(words)
    answer("\n".join(lines))


@settings(max_examples=60)
@given(st.data())
def test_a_cut_text_is_answered(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(texts()))
    answer(text[: data.draw(st.integers(0, len(text)))])


@settings(max_examples=60)
@given(st.data())
def test_lines_in_any_order_are_answered(data: st.DataObject) -> None:
    lines = data.draw(st.sampled_from(texts()[:2])).split("\n")
    first = next(n for n, line in enumerate(lines) if "0x8" in line or "ld.param" in line)
    body = data.draw(st.permutations(lines[first : first + 11]))
    answer("\n".join([*lines[:first], *body, *lines[first + 11 :]]))


@settings(max_examples=60)
@given(st.text(max_size=80), st.booleans())
def test_any_text_in_a_kernel_is_answered(noise: str, amd: bool) -> None:
    answer(amd_text(noise) if amd else ptx_text(noise))
