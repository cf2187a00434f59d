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
    assert "proof: passed: 9 accesses to 1 variables" in done.err
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


def test_a_text_that_ptxas_refuses_says_so(tmp_path: Path) -> None:
    text = (DATA / "ptx_fix" / "transpose.ptx").read_text()
    source = tmp_path / "k.ptx"
    source.write_text(text.replace("shl.b32 	%r4, %r1, 2", "shl.b32 	%r4, %r1, %f9"))
    done = bankwise("fix", str(source))
    assert done.code == 2
    assert "ptxas does not assemble it" in done.err
