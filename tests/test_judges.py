"""The judges say no: faults that a rewrite adds, and instructions that were not emitted."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask import judge_execution as judge
from bankwise.ask.analysis import analyse
from bankwise.ask.check import check
from bankwise.ask.fix import fix
from bankwise.ask.judge_execution import judge_execution
from bankwise.errors import exit_code, worst
from bankwise.read.mlir.module import open_text
from bankwise.read.options import Options
from kernel_texts import ROWS, STORE, changed, written
from patches import verdict

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


# What the execution verdict is about

GEMM = EXAMPLES / "gemm_gather_to_lds/gemm_gfx950.mlir"
ONE = 256 * 232
"""Threads times operations of one of its 16 workgroups."""


def test_the_verdict_does_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    passing = iter(range(0, 1 << 60, 1_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(passing)))
    report = fix(GEMM, isa=False)
    assert "over 16 of 16 workgroups" in verdict(report, "execution").detail
    assert (report.exit_code, verdict(report, "execution").complete) == (0, True)


@pytest.mark.parametrize(("budget", "ran"), [(1, 1), (ONE, 1), (ONE + 1, 2), (3 * ONE, 3)])
def test_a_sample_is_called_one_and_ends_with_3(
    monkeypatch: pytest.MonkeyPatch, budget: int, ran: int
) -> None:
    monkeypatch.setattr(judge, "_BUDGET", budget)
    monkeypatch.setattr(judge, "_LEAST", 1)
    steps: list[tuple[int, int]] = []
    text = GEMM.read_text("utf-8")
    opened = open_text(text)
    analyses = analyse(opened, Options())
    found = judge_execution(opened, opened, analyses, analyses, "", lambda *s: steps.append(s))
    assert f"bit-identical; sampled {ran} of 16 workgroups" in found.detail
    assert (found.status, found.complete) == ("passed", False)
    assert steps[-1] == (2 * ran, 2 * ran)
    assert fix(GEMM, isa=False).exit_code == 3


def test_an_unknown_grid_is_said_and_ends_with_3(tmp_path: Path) -> None:
    text = changed(ROWS, (", gpu.known_grid_size = array<i32: 1, 1, 1>", ""))
    report = fix(written(tmp_path, text), "gfx950", isa=False)
    told = verdict(report, "execution").detail
    assert "the grid is not in the text, workgroup (0, 0, 0) stands for it" in told
    assert (report.accepted, report.exit_code) == (True, 3)


def test_what_cannot_be_executed_ends_with_3(tmp_path: Path) -> None:
    line = "    %w = math.cbrt %v : vector<8xf16>\n"
    text = changed(ROWS, (f"    {STORE}\n", line + f"    {STORE}\n"))
    report = fix(written(tmp_path, text), "gfx950", isa=False)
    assert verdict(report, "execution").status == "not available"
    assert (report.accepted, report.exit_code) == (True, 3)


def test_the_corners_of_the_grid_come_first() -> None:
    order = judge._order((3, 5, 2), 30)
    corners = {(i, j, k) for i in (0, 2) for j in (0, 4) for k in (0, 1)}
    assert set(order[:8]) == corners
    assert sorted(order) == sorted((i, j, k) for i in range(3) for j in range(5) for k in range(2))
    assert order == judge._order((3, 5, 2), 30)
    assert judge._order((1, 1, 1), 30) == [(0, 0, 0)]
    assert len(judge._order((2**31 - 1, 65_535, 1), 100)) == 100


def test_the_worst_exit_code_decides_2_then_1_then_3() -> None:
    assert exit_code() == 0
    assert exit_code(incomplete=True) == 3
    assert exit_code(incomplete=True, findings=True) == 1
    assert exit_code(incomplete=True, findings=True, failed=True) == 2
    assert [worst(c) for c in ([], [0, 3], [3, 1, 0], [3, 1, 2])] == [0, 3, 1, 2]
