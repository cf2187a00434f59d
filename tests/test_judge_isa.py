"""The verdict on emitted code: passes, cycles, registers and waves, against counts by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import replace

from bankwise.ask import judge_isa as judge
from bankwise.ask.analysis import analyse
from bankwise.ask.check_mlir import report_of
from bankwise.ask.fix import fix
from bankwise.ask.text_price import ReportedText, TextPrice
from bankwise.change.compile.compile import Emitted, emit
from bankwise.errors import InputError
from bankwise.read.mlir.module import open_text
from bankwise.read.options import Options
from bankwise.show.documents.fixing import fix_document
from bankwise.show.fixing import FixReport, Verdict
from bankwise.show.schema import plain
from bankwise.solver.plan import Prefer
from kernel_texts import written
from patches import verdict

EXAMPLES = Path(__file__).parents[1] / "examples"
GEMM = EXAMPLES / "gemm_gather_to_lds" / "gemm_gfx950.mlir"
ABT = EXAMPLES / "iree" / "matmul_abt_4096.gfx942.mlir"


def counted(text: str, target: str = "") -> ReportedText:
    opened, options = open_text(text), Options(target)
    analyses = analyse(opened, options)
    return ReportedText(opened, analyses, report_of(opened, options, analyses))


@pytest.fixture(scope="module")
def gemm() -> FixReport:
    report = fix(GEMM, execute=False)
    assert isinstance(report, FixReport)
    return report


def registers(text: str) -> tuple[int, int]:
    """What the assembly says of itself."""
    emitted = emit(text, "gfx950")
    assert isinstance(emitted, Emitted)
    (assembly,) = emitted.texts
    named = (re.findall(rf"\.{kind}_count:\s+(\d+)", assembly) for kind in ("vgpr", "sgpr"))
    vector, scalar = (int(found) for (found,) in named)
    return vector, scalar


def test_the_code_is_counted_before_and_after(gemm: FixReport) -> None:
    """8 reads of 16 bytes in 4 waves and 8 rounds of K: 16 passes each, 8 of them in each of 2
    halves free of conflicts; 4 cycles to issue one."""
    rows = {name: (old, new) for name, old, new in verdict(gemm, "isa").rows}
    issued = 8 * 4 * 8
    passes = (16 * issued, 4 * issued)
    assert rows["LDS instructions of a workgroup's waves"] == (issued, issued)
    assert rows["passes of a workgroup"] == passes
    cycles = tuple(each + 4 * issued for each in passes)
    assert rows["data and issue cycles of a workgroup"] == cycles
    old, new = registers(gemm.source_text), registers(gemm.fixed_text)
    assert rows["vector registers"] == (old[0], new[0])
    assert rows["scalar registers"] == (old[1], new[1])
    assert rows["waves that a unit holds"] == (32, 32), "10 workgroups by LDS, 8 by wave slots"


def test_code_that_takes_more_passes_is_rejected(gemm: FixReport) -> None:
    better, worse = counted(gemm.fixed_text), counted(gemm.source_text)
    found = judge.judge_isa(better, worse)
    assert found.status == "failed"
    assert found.detail == "the emitted code is worse: 4,096 passes where 1,024 were"
    assert judge.judge_isa(better, better).status == "passed"


def test_accesses_stay_whole_where_the_code_of_parts_is_worse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = judge.judge_isa

    def strict(before: ReportedText, after: ReportedText, prefer: Prefer) -> Verdict:
        split = "extract_strided_slice" in after.opened.source.text
        return Verdict("isa", "failed", "worse") if split else real(before, after, prefer)

    parts = fix(ABT, execute=False)
    assert isinstance(parts, FixReport)
    assert parts.parts
    rows = {name: (old, new) for name, old, new in verdict(parts, "isa").rows}
    assert rows["passes of a workgroup"][1] == 49_152, "every access is ideal"
    monkeypatch.setattr(judge, "judge_isa", strict)
    whole = fix(ABT, execute=False)
    assert isinstance(whole, FixReport)
    assert whole.accepted
    assert not whole.parts
    assert "extract_strided_slice" not in whole.fixed_text
    assert any(str(r).endswith("accesses stay whole: in parts worse") for r in whole.refusals)
    assert whole.after.totals.run.passes == 81_920, "40,960 of each operand with stores whole"


TRANSPOSE = """
func.func @transpose(%in: memref<1024xf32>, %out: memref<1024xf32>)
    attributes {gpu.known_block_size = array<i32: 256, 1, 1>,
                gpu.known_grid_size = array<i32: 1, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %t = gpu.thread_id x upper_bound 256
  %col = arith.remui %t, %c32 : index
  %first = arith.divui %t, %c32 : index
  %lds = memref.alloc() : memref<32x33xf32, #gpu.address_space<workgroup>>
  scf.for %i = %c0 to %c32 step %c8 {
    %row = arith.addi %first, %i : index
    %base = arith.muli %row, %c32 : index
    %from = arith.addi %base, %col : index
    %v = memref.load %in[%from] : memref<1024xf32>
    memref.store %v, %lds[%row, %col] : memref<32x33xf32, #gpu.address_space<workgroup>>
  }
  gpu.barrier
  scf.for %i = %c0 to %c32 step %c8 {
    %row = arith.addi %first, %i : index
    %base = arith.muli %row, %c32 : index
    %to = arith.addi %base, %col : index
    %v = memref.load %lds[%col, %row] : memref<32x33xf32, #gpu.address_space<workgroup>>
    memref.store %v, %out[%to] : memref<1024xf32>
  }
  return
}
"""
"""Rows of 33 words, free of conflicts: a padding that costs 128 bytes."""


def test_each_of_several_kernels_is_named_before_its_rows() -> None:
    two = counted(TRANSPOSE + TRANSPOSE.replace("@transpose", "@another"), "gfx950")
    found = judge.judge_isa(two, two)
    assert found.status == "passed", found.detail
    named = [row[0].partition(": ") for row in found.rows]
    assert {name for name, _, _ in named} == {"transpose", "another"}
    assert judge.after_in([found]) == tuple(
        sum(new for row, _, new in found.rows if row.endswith(f": {what}"))
        for what in ("passes of a workgroup", "data and issue cycles of a workgroup")
    )
    assert not judge.gains(found)


def test_fewer_waves_of_a_unit_are_said_to_be_worse() -> None:
    rows = [("vector registers", 71, 118), ("waves that a unit holds", 24, 16)]
    (told,) = judge.fewer_waves(rows)
    assert told.startswith("but a unit holds 16 waves where 24 were")
    assert not [*judge.fewer_waves([("waves that a unit holds", 16, 24)])]
    (alone,) = judge.fewer_waves(rows, "")
    assert told == f"but {alone}", "beside what is worse already there is no but"


def test_code_that_gains_no_cycle_must_not_cost_waves() -> None:
    """512 registers of a lane and a SIMD: 128 of them leave room for 4 waves, 40 for 8."""
    text = counted(TRANSPOSE, "gfx950")
    code = judge.emitted_code(text, 0)
    assert isinstance(code, judge.EmittedCode)
    lean, fat = (replace(code, listing=replace(code.listing, vgprs=n)) for n in (40, 128))
    told = "gains no data and issue cycle, and a unit holds 16 waves where 32 were"
    assert told in judge._worse(lean, fat, "cheapest")
    assert not judge._worse(fat, lean, "cheapest")
    assert not judge._worse(lean, fat, "least-lds"), "that may cost time"


def test_least_lds_takes_the_padding_away_and_says_what_that_costs(tmp_path: Path) -> None:
    """4 waves store 4 and load 4 words a lane: 2 passes and 8 or 4 cycles each. In rows of 33 words
    loads are joined in pairs, folded ones are not."""
    path = written(tmp_path, TRANSPOSE)
    usual, short = (fix(path, "gfx942", prefer=name) for name in ("", "least-lds"))
    assert isinstance(usual, FixReport)
    assert isinstance(short, FixReport)
    assert usual.changes == ()
    assert short.accepted
    assert "bit-identical" in verdict(short, "execution").detail
    rows = {name: (old, new) for name, old, new in verdict(short, "isa").rows}
    assert rows["LDS bytes"] == (32 * 33 * 4, 32 * 32 * 4)
    assert rows["passes of a workgroup"] == (4 * 8 * 2, 4 * 8 * 2)
    stores = 4 * 4 * 8
    cycles = (64 + stores + 4 * 2 * 4, 64 + stores + 4 * 4 * 4)
    assert rows["data and issue cycles of a workgroup"] == cycles
    before, after = (counted(text, "gfx942") for text in (TRANSPOSE, short.fixed_text))
    dear = judge.judge_isa(before, after)
    assert dear.status == "failed"
    assert dear.detail.startswith("the emitted code is worse: 256 data and issue cycles where 224")


def test_fewest_instructions_leaves_accesses_whole_and_the_front_has_both() -> None:
    usual, whole = (
        fix(ABT, execute=False, isa=False, prefer=name) for name in ("", "fewest-instructions")
    )
    assert isinstance(usual, FixReport)
    assert isinstance(whole, FixReport)
    assert usual.parts
    assert not whole.parts
    assert (usual.after.totals.run.passes, whole.after.totals.run.passes) == (49_152, 81_920)
    for front in usual.fronts:
        prices = {(plan.passes, bool(plan.splits)) for plan in front.plans}
        assert {(24_576, True), (40_960, False)} <= prices
    document = plain(fix_document(usual))
    assert [len(each["plans"]) for each in document["fronts"]] == [
        len(front.plans) for front in usual.fronts
    ]


def test_an_unknown_preference_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="unknown preference 'best'"):
        fix(ABT, prefer="best", execute=False, isa=False)


def test_only_some_preferences_may_cost_cycles_and_none_passes() -> None:
    one, dear, more = TextPrice(0, 8, 16, 64), TextPrice(0, 7, 17, 64), TextPrice(0, 9, 15, 32)
    allowed = [prefer for prefer in get_args(Prefer) if dear.no_worse(one, prefer)]
    assert allowed == ["fewest-passes", "least-lds"]
    assert not any(more.no_worse(one, prefer) for prefer in get_args(Prefer))


BRANCHES = """
func.func @some(%in: memref<4096xf32>, %out: memref<4096xf32>, %size: memref<1xi32>)
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = gpu.thread_id x
  %said = memref.load %size[%c0] : memref<1xi32>
  %n = arith.index_cast %said : i32 to index
  %lds = memref.alloc() : memref<64x32xf32, #gpu.address_space<workgroup>>
  %v = memref.load %in[%t] : memref<4096xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %v, %lds[%t, %i] : memref<64x32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
  }
  %r = memref.load %lds[%t, %c0] : memref<64x32xf32, #gpu.address_space<workgroup>>
  memref.store %r, %out[%t] : memref<4096xf32>
  return
}
"""


def test_where_nobody_knows_how_often_code_runs_its_passes_are_compared_as_followed() -> None:
    text = counted(BRANCHES, "gfx942")
    free = counted(BRANCHES.replace("%lds[%t, %i]", "%lds[%i, %t]"), "gfx942")
    found = judge.judge_isa(text, free)
    assert found.status == "passed", found.detail
    assert "passes are compared as followed" in found.detail
    assert "passes of a workgroup" not in {name for name, _, _ in found.rows}
    worse = judge.judge_isa(free, text)
    assert worse.status == "failed"
    assert "passes as followed where" in worse.detail
