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
from bankwise.show.fixing import Verdict
from kernel_texts import LOAD, ROWS, SHARED, STORE, changed, written
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
    assert "ds_read_b64" not in sources, "the source says so, the compiler joined them"
    assert sources["ds_read2_b64"] == "emitted"


# What the execution verdict is about

GEMM = EXAMPLES / "gemm_gather_to_lds/gemm_gfx950.mlir"
ONE = 256 * 232
"""Threads times operations of one of its 16 workgroups."""


def test_the_verdict_does_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    passing = iter(range(0, 1 << 60, 1_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(passing)))
    report = fix(GEMM, isa=False)
    assert "over all 16 workgroups" in verdict(report, "execution").detail
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
    corners = "1 corner" if ran == 1 else f"{ran} corners"
    assert f"bit-identical; sampled {ran} of 16 workgroups: {corners}" in found.detail
    assert (found.status, found.complete) == ("passed", False)
    assert steps[-1] == (2 * ran, 2 * ran)
    assert fix(GEMM, isa=False).exit_code == 3


NO_GRID = (", gpu.known_grid_size = array<i32: 1, 1, 1>", "")
GUARDED = (
    "  gpu.barrier\n",
    "  gpu.barrier\n  %b = gpu.block_id x\n  %far = arith.cmpi ult, %b, %c64 : index\n",
)


def test_an_unknown_grid_is_said_and_ends_with_3(tmp_path: Path) -> None:
    text = changed(ROWS, NO_GRID, GUARDED)
    report = fix(written(tmp_path, text), "gfx950", isa=False)
    told = verdict(report, "execution").detail
    numbers = "(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0) and 4 others"
    assert f"the grid is not in the text, workgroups {numbers} stand for it" in told
    assert (report.accepted, report.exit_code) == (True, 3)


def test_workgroups_that_cannot_be_told_apart_are_all_alike(tmp_path: Path) -> None:
    report = fix(written(tmp_path, changed(ROWS, NO_GRID)), "gfx950", isa=False)
    assert "no workgroup asks which one it is, all are alike" in verdict(report, "execution").detail
    assert (report.accepted, report.exit_code) == (True, 0)


def test_a_workgroup_that_the_launch_cannot_have_is_taken_back(tmp_path: Path) -> None:
    """Workgroup b copies from row 32 b on: there are two such halves, not more."""
    half = (
        "  scf.for",
        "  %b = gpu.block_id x\n  %c32 = arith.constant 32 : index\n"
        "  %first = arith.muli %b, %c32 : index\n"
        "  %row = arith.addi %first, %t : index\n  scf.for",
    )
    text = changed(ROWS, NO_GRID, ("= array<i32: 64, 1, 1>", "= array<i32: 32, 1, 1>"))
    text = text.replace(*half, 1).replace("%in[%t, %i]", "%in[%row, %i]")
    text = changed(text, ("%out[%t, %i]", "%out[%row, %i]"))
    report = fix(written(tmp_path, text), "gfx950", isa=False)
    told = verdict(report, "execution").detail
    assert "workgroups (0, 0, 0), (1, 0, 0) stand for it" in told
    assert "faults" not in told


def test_a_grid_that_the_kernel_asks_for_is_not_guessed(tmp_path: Path) -> None:
    asks = ("  gpu.barrier\n", "  gpu.barrier\n  %n = gpu.grid_dim x\n")
    report = fix(written(tmp_path, changed(ROWS, NO_GRID, asks)), "gfx950", isa=False)
    assert verdict(report, "execution").status == "not available"
    assert "gpu.grid_dim: its value is not known" in verdict(report, "execution").detail


# What only the user said

DIM = (
    ("(%in:", "(%n: index, %in:"),
    ("= %c0 to %c64", "= %c0 to %n"),
)


def test_a_size_that_only_the_user_said_is_part_of_the_verdict(tmp_path: Path) -> None:
    report = fix(written(tmp_path, changed(ROWS, *DIM)), "gfx950", isa=False, dims=("n=64",))
    told = verdict(report, "execution").detail
    assert "bit-identical over the only workgroup, with n = 64" in told
    assert verdict(report, "execution").complete is False


def test_a_workgroup_size_that_only_the_user_said_is_part_of_the_verdict(tmp_path: Path) -> None:
    text = changed(ROWS, ("gpu.known_block_size = array<i32: 64, 1, 1>, ", ""))
    text = changed(text, (" upper_bound 64", ""))
    path = written(tmp_path, text)
    report = fix(path, "gfx950", isa=False, workgroup_size="64,1,1")
    assert ", with workgroups of 64x1x1" in verdict(report, "execution").detail
    assert verdict(report, "execution").complete is False


HELPER = """
func.func private @put(%lds: memref<64x64xf16, #gpu.address_space<workgroup>>, %v: vector<8xf16>,
    %t: index, %i: index) {
  vector.store %v, %lds[%t, %i] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  return
}
"""


def test_a_function_that_a_kernel_calls_is_judged_where_it_is_called() -> None:
    call = f"func.call @put(%lds, %v, %t, %i) : ({SHARED}, vector<8xf16>, index, index) -> ()"
    text = changed(ROWS, (STORE, call)) + HELPER
    opened = open_text(text)
    options = Options("gfx950", workgroup_size="64,1,1")
    analyses = analyse(opened, options)
    assert {a.kernel.name for a in analyses} == {"k", "put"}
    found = judge_execution(opened, opened, analyses, analyses)
    assert found.status == "passed"
    assert found.detail == "k: bit-identical over the only workgroup; put: where it is called"
    broken = open_text(changed(text, ("%v, %lds[%t, %i]", "%v, %lds[%i, %t]")))
    again = analyse(broken, options)
    assert judge_execution(opened, broken, analyses, again).status == "failed"


# Faults that the kernel had before


def _judged(text: str) -> Verdict:
    opened = open_text(text)
    analyses = analyse(opened, Options("gfx950"))
    return judge_execution(opened, opened, analyses, analyses)


def test_a_row_overrun_is_executed_as_the_next_row_and_told() -> None:
    """Columns 8 to 71 of a row: the last chunk is the first one of the next row, which a fold of
    rows tears away."""
    over = changed(ROWS, (LOAD, LOAD.replace("%i]", "%j]")))
    over = over.replace(
        "    %v = vector.load %lds",
        "    %j = arith.addi %i, %c8 : index\n    %v = vector.load %lds",
    )
    over = changed(over, ("upper_bound 64", "upper_bound 63"), ("i32: 64, 1, 1", "i32: 63, 1, 1"))
    fold = (
        "    %p = arith.andi %t, %c7 : index\n    %q = arith.muli %p, %c8 : index\n"
        "    %x = arith.xori {}, %q : index\n"
    )
    both = changed(
        over,
        ("  %c8 =", "  %c7 = arith.constant 7 : index\n  %c8 ="),
        (f"    {STORE}", fold.format("%i") + f"    {STORE.replace('%i]', '%x]')}"),
        (
            "    %v = vector.load %lds[%t, %j]",
            fold.format("%j") + "    %v = vector.load %lds[%t, %x]",
        ),
    )
    opened, after = open_text(over), open_text(both)
    old, new = (analyse(text, Options("gfx950")) for text in (opened, after))
    same = judge_execution(opened, opened, old, old)
    assert (same.status, same.complete) == ("passed", False)
    assert "bounds: vector.load: lane 0 of wave 0 leaves" in same.detail
    assert judge_execution(opened, after, old, new).status == "failed"


def test_rows_beyond_the_last_are_told() -> None:
    """Row 64 does not exist: it is dropped before and after alike."""
    far = (
        "  gpu.barrier\n",
        "  gpu.barrier\n  %c1 = arith.constant 1 : index\n  %next = arith.addi %t, %c1 : index\n",
    )
    text = changed(ROWS, far, (LOAD, LOAD.replace("%t", "%next")))
    found = _judged(text)
    assert (found.status, found.complete) == ("passed", False)
    assert "so its results are not defined, before or after" in found.detail


def test_a_race_that_the_kernel_had_before_is_said_and_ends_with_3() -> None:
    far = (
        "  gpu.barrier\n",
        "  %c63 = arith.constant 127 : index\n  %other = arith.xori %t, %c63 : index\n",
    )
    two = (
        ("= array<i32: 64, 1, 1>", "= array<i32: 128, 1, 1>"),
        ("64x64", "128x64"),
        ("upper_bound 64", "upper_bound 128"),
    )
    text = changed(ROWS, far, *two)
    found = _judged(text.replace("vector.load %lds[%t", "vector.load %lds[%other"))
    assert (found.status, found.complete) == ("passed", False)
    assert "so its results are not defined, before or after" in found.detail


def test_what_cannot_be_executed_ends_with_3(tmp_path: Path) -> None:
    line = "    %w = math.cbrt %v : vector<8xf16>\n"
    text = changed(ROWS, (f"    {STORE}\n", line + f"    {STORE}\n"))
    report = fix(written(tmp_path, text), "gfx950", isa=False)
    assert verdict(report, "execution").status == "not available"
    assert (report.accepted, report.exit_code) == (True, 3)


def test_the_worst_exit_code_decides_2_then_1_then_3() -> None:
    assert exit_code() == 0
    assert exit_code(incomplete=True) == 3
    assert exit_code(incomplete=True, findings=True) == 1
    assert exit_code(incomplete=True, findings=True, failed=True) == 2
    assert [worst(c) for c in ([], [0, 3], [3, 1, 0], [3, 1, 2])] == [0, 3, 1, 2]


def test_a_kernel_that_writes_no_buffer_compares_nothing(tmp_path: Path) -> None:
    unwritten = changed(
        ROWS, ("    vector.store %v, %out[%t, %i] : memref<64x64xf16>, vector<8xf16>\n", "")
    )
    reports = [fix(written(tmp_path, text), "gfx950", isa=False) for text in (ROWS, unwritten)]
    heard = [one for each in reports for one in each.verdicts if one.judge == "execution"]
    assert [one.status for one in heard] == ["passed", "not available"]
    assert "nothing was compared" in heard[1].detail
    assert [each.exit_code for each in reports] == [0, 3]
