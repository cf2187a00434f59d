"""Views that go round a loop and begin at one stage of a buffer or another."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.algebra.address import Fold, RowFolds
from bankwise.ask.fix import fix
from bankwise.change.prove import MapClaim, prove
from bankwise.counting.cost import Cost
from bankwise.read.mlir.module import open_text
from kernel_texts import changed, written
from patches import verdict

LDS = "#gpu.address_space<workgroup>"
WHOLE = f"memref<2x4096xf16, {LDS}>"
FLAT = f"memref<4096xf16, strided<[1]>, {LDS}>"
MOVED = f"memref<4096xf16, strided<[1], offset: ?>, {LDS}>"
VIEW = f"memref<64x64xf16, strided<[64, 1], offset: ?>, {LDS}>"

STAGES = f"""\
func.func @k(%in: memref<256x64xf16>, %out: memref<256x64xf16>) attributes {{gpu.known_block_size = array<i32: 64, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %t = gpu.thread_id x upper_bound 64
  %lds = memref.alloc() : {WHOLE}
  %a = memref.subview %lds[0, 0] [1, 4096] [1, 1] : {WHOLE} to {FLAT}
  %b = memref.expand_shape %a [[0, 1]] output_shape [64, 64] : {FLAT} into memref<64x64xf16, {LDS}>
  %first = memref.cast %b : memref<64x64xf16, {LDS}> to {VIEW}
  %last = scf.for %n = %c0 to %c4 step %c1 iter_args(%now = %first) -> ({VIEW}) {{
    %row = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%t, %n]
    scf.for %i = %c0 to %c64 step %c8 {{
      %v = vector.load %in[%row, %i] : memref<256x64xf16>, vector<8xf16>
      vector.store %v, %now[%t, %i] : {VIEW}, vector<8xf16>
    }}
    gpu.barrier
    scf.for %i = %c0 to %c64 step %c8 {{
      %v = vector.load %now[%t, %i] : {VIEW}, vector<8xf16>
      vector.store %v, %out[%row, %i] : memref<256x64xf16>, vector<8xf16>
    }}
    gpu.barrier
    %s = affine.apply affine_map<()[s0] -> ((s0 + 1) mod 2)>()[%n]
    %c = memref.subview %lds[%s, 0] [1, 4096] [1, 1] : {WHOLE} to {MOVED}
    %next = memref.expand_shape %c [[0, 1]] output_shape [64, 64] : {MOVED} into {VIEW}
    scf.yield %next : {VIEW}
  }}
  return
}}
"""  # noqa: E501
"""Thread t copies rows t, 64 + t, .. through one stage and then the other."""


def test_a_view_of_one_stage_or_the_other_is_folded(tmp_path: Path) -> None:
    """4 rounds of 8 stores and 8 loads of 1,024 bytes each, 128 bytes a pass."""
    report = fix(written(tmp_path, STAGES), "gfx942", isa=False)
    assert report.accepted, report.refusals
    assert report.after.totals.run == Cost(512, 512)
    assert report.before.totals.run.passes > 512
    assert "bit-identical" in verdict(report, "execution").detail


ROWS_ON = (
    (f"memref.subview %lds[%s, 0] [1, 4096] [1, 1] : {WHOLE}",
     f"memref.subview %flat[%s] [4096] [1] : memref<8192xf16, {LDS}>"),
    ("((s0 + 1) mod 2)", "(((s0 + 1) mod 2) * 64 + 64)"),
    ("  %last = scf", f"  %flat = memref.collapse_shape %lds [[0, 1]] : {WHOLE} into "
     f"memref<8192xf16, {LDS}>\n  %last = scf"),
)  # fmt: skip
"""The second view begins at row 1 or 2: phases counted from there are not those of the buffer."""


def test_a_start_inside_of_a_period_is_not_taken_for_a_stage(tmp_path: Path) -> None:
    """The same edit of both texts is proved of stages, and of other starts it is not."""
    report = fix(written(tmp_path, STAGES), "gfx942", execute=False, isa=False)
    claim = MapClaim("k", ("lds",), RowFolds(64, (Fold(64, 8, 8),)))
    (proof,) = prove(open_text(STAGES), open_text(report.fixed_text), [claim])
    assert proof.refusal is None
    texts = [open_text(changed(text, *ROWS_ON)) for text in (STAGES, report.fixed_text)]
    (proof,) = prove(*texts, [claim])
    assert proof.refusal is not None
    assert "not proved" in proof.refusal.reason


def test_stages_that_another_text_has_elsewhere_are_not_the_same(tmp_path: Path) -> None:
    report = fix(written(tmp_path, STAGES), "gfx942", execute=False, isa=False)
    claim = MapClaim("k", ("lds",), RowFolds(64, (Fold(64, 8, 8),)))
    moved = changed(report.fixed_text, ("((s0 + 1) mod 2)", "(s0 mod 2)"))
    (proof,) = prove(open_text(STAGES), open_text(moved), [claim])
    assert proof.refusal is not None
