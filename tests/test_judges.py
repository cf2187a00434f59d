"""The judges say no: faults that a rewrite adds, and instructions that were not emitted."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.analysis import analyse
from bankwise.ask.check import check
from bankwise.ask.judge_execution import judge_execution
from bankwise.read.mlir.module import open_text
from bankwise.read.options import Options

EXAMPLES = Path(__file__).parent.parent / "examples"
WAIT = "        amdgpu.memory_counter_wait load(0)\n        gpu.barrier\n"


def test_a_fault_that_was_not_there_before_fails_although_all_bits_are_equal() -> None:
    text = (EXAMPLES / "gemm_gather_to_lds/gemm_gfx950.mlir").read_text("utf-8")
    assert text.count(WAIT) == 1
    before, after = open_text(text), open_text(text.replace(WAIT, ""))
    old, new = analyse(before, Options()), analyse(after, Options())
    assert judge_execution(before, before, old, old).status == "passed"
    verdict = judge_execution(before, after, old, new)
    assert verdict.status == "failed"
    assert "dma" in verdict.detail


def test_two_reads_that_the_compiler_joins_count_as_emitted() -> None:
    report = check(EXAMPLES / "iree/matmul_1024.gfx942.mlir", isa=True)
    sources = {a.instruction: a.instruction_source for a in report.accesses}
    assert any("ds_read2_b64" in note for kernel in report.kernels for note in kernel.notes)
    assert sources["ds_read_b64"] == "emitted"
