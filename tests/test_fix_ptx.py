"""``bankwise fix kernel.ptx``: real ptxas, real machine code; kernels of nvcc, and by hand."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bankwise.read.toolkit import find_program
from command import bankwise

DATA = Path(__file__).parent / "data"

pytestmark = pytest.mark.skipif(
    find_program("ptxas") is None or find_program("nvdisasm") is None,
    reason="needs ptxas and nvdisasm",
)


def fixed(path: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = bankwise("fix", str(path), "--format", "json", *options)
    return done.code, json.loads(done.out)


def extra(answer: dict[str, Any]) -> int:
    return sum(kernel["totals"]["run"]["extra"] for kernel in answer["kernels"])


def verdicts(answer: dict[str, Any]) -> dict[str, str]:
    return {one["judge"]: one["status"] for one in answer["verdicts"]}


def test_a_transpose_loses_its_conflicts_and_the_fixed_text_counts_so(tmp_path: Path) -> None:
    source, out = DATA / "ptx_fix" / "transpose.ptx", tmp_path / "fixed.ptx"
    done = bankwise("fix", str(source), "-o", str(out))
    assert done.code == 3, done.err
    assert "proof: passed: 9 accesses to 1 variable " in done.err
    assert "execution: passed" in done.err
    assert "registers" in done.err
    counts = []
    for path in (source, out):
        told = bankwise("check", str(path), "--isa", "--format", "json")
        counts.append(extra(json.loads(told.out)))
    assert counts[0] > 900
    assert counts[1] == 0


def test_the_patch_applies(tmp_path: Path) -> None:
    source = tmp_path / "k.ptx"
    source.write_text((DATA / "ptx_fix" / "transpose.ptx").read_text())
    done = bankwise("fix", str(source), "--accept-sampled")
    assert done.code == 0, done.err
    words = ["git", "apply", "--unsafe-paths", "-"]
    subprocess.run(words, input=done.out, text=True, check=True, cwd="/")
    again = bankwise("fix", str(source))
    assert "nothing to fix" in again.err


@pytest.mark.skipif(find_program("nvcc") is None, reason="needs nvcc")
@pytest.mark.parametrize(
    ("name", "block"),
    [("gemm_float4", "16,16"), ("dynamic", "32"), ("cp_async", "64")],
)
def test_what_nvcc_emits_is_fixed(name: str, block: str, tmp_path: Path) -> None:
    made = tmp_path / f"{name}.ptx"
    words = ["nvcc", "-ptx", "-arch=sm_90", str(DATA / "cuda_fix" / f"{name}.cu"), "-o", str(made)]
    subprocess.run(words, check=True)
    before = bankwise("check", str(made), "--isa", "--workgroup-size", block, "--format", "json")
    _, after = fixed(made, "--workgroup-size", block)
    assert verdicts(after) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    assert extra(json.loads(before.out)) > 0
    assert extra(after["after"]) == 0, after["refusals"]


def test_a_variable_whose_address_escapes_is_refused_and_named(tmp_path: Path) -> None:
    text = (DATA / "ptx_fix" / "transpose.ptx").read_text()
    source = tmp_path / "k.ptx"
    source.write_text(text.replace("\tret;", "\tst.global.u32 \t[%rd5], %r15;\n\tret;"))
    done = bankwise("fix", str(source))
    assert done.code != 0
    assert "tile: transpose: st.global.u32 takes the address of tile" in done.err
    assert not done.out


WRAPPED = """.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 pool[];

.visible .entry transpose(.param .u64 src, .param .u64 dst, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [src];
	ld.param.u64 %rd2, [dst];
	ld.param.u32 %r12, [n];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %tid.y;
	mov.u32 %r3, pool;
	mov.u32 %r4, %dynamic_smem_size;
	shl.b32 %r5, %r1, 2;
	shl.b32 %r6, %r2, 7;
	add.s32 %r7, %r5, %r6;
	add.s32 %r7, %r7, %r12;
	setp.lt.s32 %p1, %r7, 0;
	selp.b32 %r8, %r4, 0, %p1;
	add.s32 %r9, %r7, %r8;
	add.s32 %r9, %r3, %r9;
	cvt.u64.u32 %rd3, %r7;
	add.s64 %rd4, %rd1, %rd3;
	ld.global.u32 %r10, [%rd4];
	st.shared.u32 [%r9], %r10;
	bar.sync 0;
	shl.b32 %r5, %r1, 7;
	shl.b32 %r6, %r2, 2;
	add.s32 %r9, %r5, %r6;
	add.s32 %r9, %r3, %r9;
	ld.shared.u32 %r11, [%r9];
	add.s64 %rd5, %rd2, %rd3;
	st.global.u32 [%rd5], %r11;
	ret;
}
"""
"""A transpose that goes on from the end where an index is negative, as Numba's arrays do."""


def wrapped(tmp_path: Path, *options: str, text: str = WRAPPED) -> tuple[int, dict[str, Any]]:
    source = tmp_path / "k.ptx"
    source.write_text(text)
    return fixed(source, "--accept-sampled", *options)


def test_a_launch_says_how_many_bytes_a_block_has(tmp_path: Path) -> None:
    launch = "transpose<<<1, 32x32, {}>>>(_, _, 0)"
    code, answer = wrapped(tmp_path, "--launch", launch.format(4096))
    assert (code, extra(answer["before"]), extra(answer["after"])) == (0, 992, 0)
    assert all(kernel["counted"] for kernel in answer["before"]["kernels"])
    code, cut = wrapped(tmp_path, "--launch", launch.format(4100))
    assert not cut["changes"]
    assert "4,100 bytes, which are no whole blocks" in cut["refusals"][0]["reason"]
    (named,) = (one["detail"] for one in answer["verdicts"] if one["judge"] == "execution")
    assert "1 block," in named
    assert "numbers that nobody says" not in named


def test_an_argument_by_name_is_what_the_judge_runs(tmp_path: Path) -> None:
    options = ("--launch", "transpose<<<1, 32x32, 4096>>>", "--arg", "n=0")
    _, answer = wrapped(tmp_path, *options)
    (run,) = (one["detail"] for one in answer["verdicts"] if one["judge"] == "execution")
    assert "1 block, values as terms: 1,024 words" in run


def test_a_launch_that_writes_nothing_compares_nothing(tmp_path: Path) -> None:
    """Texts that are alike because neither writes are no evidence, whatever else was asked for."""
    said = {}
    for ends in ("ne", "eq"):
        guard = f"setp.{ends}.s32 %p1, %r12, 0;\n@%p1 ret;\nadd.s64 %rd5, %rd2, %rd3;"
        text = WRAPPED.replace("add.s64 %rd5, %rd2, %rd3;", guard)
        text = text.replace("ld.shared", "ld.volatile.shared")  # else ptxas leaves it out
        launch = ("--launch", "transpose<<<1, 32x32, 4096>>>(_, _, 0)")
        _, answer = wrapped(tmp_path, *launch, text=text)
        assert answer["changes"]
        (said[ends],) = (one for one in answer["verdicts"] if one["judge"] == "execution")
    assert (said["ne"]["status"], said["eq"]["status"]) == ("passed", "not available")
    assert "nothing was compared" in said["eq"]["detail"]
    assert " 0 words" not in said["eq"]["detail"]


def test_every_launch_that_is_said_is_run(tmp_path: Path) -> None:
    launches = [f"transpose<<<1, {block}, 4096>>>(_, _, 0)" for block in ("32x32", "8x8")]
    _, answer = wrapped(tmp_path, *(w for one in launches for w in ("--launch", one)))
    (run,) = (one["detail"] for one in answer["verdicts"] if one["judge"] == "execution")
    assert f"2 blocks, values as terms: {32 * 32 + 8 * 8:,} words written alike" in run


def test_a_kernel_that_asks_for_all_its_shared_memory_keeps_its_alignment(tmp_path: Path) -> None:
    text = WRAPPED.replace("%dynamic_smem_size", "%total_smem_size")
    _, answer = wrapped(tmp_path, "--launch", "transpose<<<1, 32x32, 4096>>>(_, _, 0)", text=text)
    assert not answer["changes"]
    assert any("an alignment may change" in one["reason"] for one in answer["refusals"])


def test_a_text_that_ptxas_refuses_says_so(tmp_path: Path) -> None:
    text = (DATA / "ptx_fix" / "transpose.ptx").read_text()
    source = tmp_path / "k.ptx"
    source.write_text(text.replace("shl.b32 	%r4, %r1, 2", "shl.b32 	%r4, %r1, %f9"))
    done = bankwise("fix", str(source))
    assert done.code == 2
    assert "ptxas does not assemble it" in done.err
