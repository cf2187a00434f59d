"""``fix`` on padded rows: the padding goes where that is sure to pay, and every type follows."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.algebra.address import Fold, RowFolds
from bankwise.ask.check_mlir import check_opened
from bankwise.ask.fix import fix
from bankwise.change.compile.lower import Lowering, lower
from bankwise.counting.cost import Cost
from bankwise.notation.padding import PaddedFold
from bankwise.read.mlir.module import open_text
from bankwise.read.options import Options
from bankwise.show.fixing import FixReport
from command import bankwise
from kernel_texts import EXAMPLES, ROWS, changed, written
from patches import verdict
from run_mlir import leaves_the_same

LDS = "#gpu.address_space<workgroup>"
_ALLOC = re.compile(r"memref\.alloc\(\)[^:]* : memref<(\d+)x(\d+)xf16, #gpu\.address_space")


def padded(pitch: int, text: str = ROWS) -> str:
    """64 columns are used of rows of ``pitch`` elements."""
    return changed(text, ("64x64xf16, #gpu", f"64x{pitch}xf16, #gpu"))


def lds_bytes(text: str) -> int:
    """What the allocations of a text take, read from their types."""
    return sum(2 * int(rows) * int(columns) for rows, columns in _ALLOC.findall(text))


def reasons(report: FixReport) -> str:
    return "; ".join(refusal.reason for refusal in report.refusals)


# What iree-compile emits


def dump(model: str, target: str, *sizes: tuple[str, str]) -> str:
    """The only kernel of an example, lowered by IREE as it does by default: padded."""
    text = changed((EXAMPLES / "iree" / model).read_text("utf-8"), *sizes)
    (found,) = lower(text, target, Lowering(padding=True))
    return found.text


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_a_padded_attention_is_planned_anew_and_gives_the_same_bits(
    target: str, tmp_path: Path
) -> None:
    text = dump("attention_1x1024x128.mlir", target)
    assert sorted(_ALLOC.findall(text)) == [("64", "132"), ("64", "132"), ("64", "68")]
    report = fix(written(tmp_path, text))
    assert report.accepted
    assert "bit-identical over all 32 workgroups" in verdict(report, "execution").detail
    emitted = {name: (old, new) for name, old, new in verdict(report, "isa").rows}
    assert emitted["LDS bytes"] == (lds_bytes(text), lds_bytes(report.fixed_text))
    assert lds_bytes(report.fixed_text) == 2 * 64 * (128 + 128 + 68)
    assert emitted["ds_read2_b64"] == (20, 0)
    assert emitted["ds_read_b128"] == (0, 20)


def test_what_was_planned_is_what_check_counts_in_the_new_text(tmp_path: Path) -> None:
    text = dump("attention_1x1024x128.mlir", "gfx950")
    report = fix(written(tmp_path, text), execute=False, isa=False)
    gained = {a: (c.before.passes, c.after.passes) for c in report.changes for a in c.allocations}
    assert gained == {"alloc_8": (384, 192), "alloc_6": (12_288, 6_144)}
    before = check_opened(open_text(text), Options())
    after = check_opened(open_text(report.fixed_text), Options())
    saved = sum(old - new for old, new in gained.values())
    assert before.totals.run.passes - after.totals.run.passes == saved
    optima = {o.allocations[0]: o.best.passes for o in before.kernels[0].optima}
    assert {name: optima[name] for name in gained} == {"alloc_8": 192, "alloc_6": 6_144}


def test_the_cost_as_it_is_and_as_planned_are_said(tmp_path: Path) -> None:
    text = dump("attention_1x1024x128.mlir", "gfx950")
    report = fix(written(tmp_path, text), execute=False, isa=False)
    (told,) = [c.padding for c in report.changes if c.allocations == ("alloc_6",)]
    assert told == (
        "unpadded<pitch=132, row=128>; as it is: 12,288 passes (10,240 if no assumed conflict is "
        "real), 16,896 bytes; planned: 6,144 passes, 16,384 bytes"
    )


def test_an_instruction_that_the_fix_makes_another_of_is_told_with_the_one_before(
    tmp_path: Path,
) -> None:
    """Rows of 132 times 2 bytes keep stores of 16 bytes in halves of 8; rows of 128 do not."""
    text = dump("attention_1x1024x128.mlir", "gfx950")
    err = bankwise("fix", written(tmp_path, text), "--no-isa", "--no-execute").err
    assert "\nds_write2_b64 -> ds_write_b128: at line" in err
    same = re.findall(r"^(\w+) -> \1:", err, re.MULTILINE)
    assert not same


# Small kernels, counted by hand


def test_rows_that_still_conflict_lose_their_padding(tmp_path: Path) -> None:
    """8 rounds, a store and a load of 1,024 bytes each, 128 bytes a pass: 128 passes at least.

    Rows of 160 bytes are 40 words: 8 lanes of a phase share the places of 4 of them.
    """
    report = fix(written(tmp_path, padded(80)), "gfx942")
    assert report.accepted
    assert report.exit_code == 0
    assert "64x80" not in report.fixed_text
    assert report.before.totals.run == Cost(256, 128)
    assert report.after.totals.run == Cost(128, 128)
    assert [change.padding for change in report.changes] == [
        "unpadded<pitch=80, row=64>; as it is: 256 passes, 10,240 bytes; folded inside its "
        "padding: 128 passes; planned: 128 passes, 8,192 bytes"
    ]
    assert "bit-identical over the only workgroup" in verdict(report, "execution").detail


VIEW = f"""
  %view = memref.subview %lds[0, 0] [64, 64] [1, 1] : memref<64x80xf16, {LDS}> to memref<64x64xf16, strided<[80, 1]>, {LDS}>
"""  # noqa: E501


def through_a_view(text: str = VIEW) -> str:
    """All accesses go through a view of the used columns; the allocation is freed by it too."""
    whole, seen = f"memref<64x80xf16, {LDS}>", f"memref<64x64xf16, strided<[80, 1]>, {LDS}>"
    return changed(
        padded(80),
        (f"%lds[%t, %i] : {whole}", f"%view[%t, %i] : {seen}"),
        (f"memref.alloc() : {whole}", f"memref.alloc() : {whole}{text}"),
        ("  return", f"  memref.dealloc %view : {seen}\n  return"),
    )


def test_views_follow(tmp_path: Path) -> None:
    report = fix(written(tmp_path, through_a_view()), "gfx942")
    assert report.accepted
    assert report.after.totals.run == Cost(128, 128)
    assert report.fixed_text.count("strided<[64, 1]>") == 4
    assert "80" not in report.fixed_text


def test_a_view_at_a_row_of_its_own_follows(tmp_path: Path) -> None:
    lower_half = VIEW.replace("[0, 0] [64, 64]", "[32, 0] [32, 64]").replace(
        "memref<64x64xf16, strided<[80, 1]>", "memref<32x64xf16, strided<[80, 1], offset: 2560>"
    )
    text = changed(
        padded(80),
        (
            f"= memref.alloc() : memref<64x80xf16, {LDS}>",
            f"= memref.alloc() : memref<64x80xf16, {LDS}>{lower_half}",
        ),
        (
            "  return",
            f"  memref.dealloc %view : memref<32x64xf16, strided<[80, 1], offset: 2560>, {LDS}>\n"
            "  return",
        ),
    )
    report = fix(written(tmp_path, text), "gfx942")
    assert report.accepted
    assert report.fixed_text.count("strided<[64, 1], offset: 2048>") == 2


# What is not followed is said, and left alone


def test_a_row_that_is_used_to_its_end_is_not_padded(tmp_path: Path) -> None:
    stored = f"""  %end = arith.constant 76 : index
  %x = vector.load %in[%t, %c0] : memref<64x64xf16>, vector<4xf16>
  vector.store %x, %lds[%t, %end] : memref<64x80xf16, {LDS}>, vector<4xf16>
  gpu.barrier
"""
    text = changed(padded(80), ("  gpu.barrier\n", stored))
    report = fix(written(tmp_path, text), "gfx942", execute=False, isa=False)
    assert not any(change.padding for change in report.changes)
    assert report.fixed_text.count("64x80xf16") == text.count("64x80xf16")


@pytest.mark.parametrize(("touched", "left"), [(8, "72"), (4, "80")])
def test_of_a_pad_only_what_nobody_touches_goes(touched: int, left: str, tmp_path: Path) -> None:
    """Rows of 72 keep 16 bytes aligned. Rows of 68 do not, and nobody knows ds_write2_b64."""
    stored = f"""  %x = vector.load %in[%t, %c0] : memref<64x64xf16>, vector<{touched}xf16>
  vector.store %x, %lds[%t, %c64] : memref<64x80xf16, {LDS}>, vector<{touched}xf16>
  gpu.barrier
"""
    text = changed(padded(80), ("  gpu.barrier\n", stored))
    report = fix(written(tmp_path, text), "gfx942", isa=False)
    assert report.accepted
    assert _ALLOC.findall(report.fixed_text) == [("64", left)]
    assert ("by a rule that is unknown" in reasons(report)) == (left == "80")


def test_rows_of_which_half_is_unused_are_not_called_padded(tmp_path: Path) -> None:
    text = padded(128)
    report = fix(written(tmp_path, text), "gfx942", isa=False)
    assert "64x128xf16" in report.fixed_text


def test_a_collapsed_view_is_refused(tmp_path: Path) -> None:
    flat = f"""memref.alloc() : memref<64x80xf16, {LDS}>
  %flat = memref.collapse_shape %lds [[0, 1]] : memref<64x80xf16, {LDS}> into memref<5120xf16, {LDS}>
  %x = vector.load %flat[%c0] : memref<5120xf16, {LDS}>, vector<8xf16>"""  # noqa: E501
    text = changed(padded(80), (f"memref.alloc() : memref<64x80xf16, {LDS}>", flat))
    report = fix(written(tmp_path, text), "gfx942", execute=False, isa=False)
    assert not any(change.padding for change in report.changes)
    assert report.fixed_text.count("64x80xf16") == text.count("64x80xf16")
    assert "lds: its padding stays: memref.collapse_shape merges columns and rows" in reasons(
        report
    )


def test_rows_that_go_with_the_workgroup_lose_their_padding(tmp_path: Path) -> None:
    """What other workgroups touch is proved to be no padding, not looked at."""
    row = """%b = gpu.block_id x upper_bound 2
  %sum = arith.addi %t, %b : index
  %row = arith.remui %sum, %c64 : index
  %lds"""
    text = changed(padded(80), ("%lds = memref", f"{row} = memref"), ("[%t", "[%row"))
    text = changed(text, ("grid_size = array<i32: 1,", "grid_size = array<i32: 2,"))
    report = fix(written(tmp_path, text), "gfx950", execute=False, isa=False)
    (change,) = report.changes
    assert change.padding
    assert "64x80xf16, #gpu" not in report.fixed_text
    assert all(leaves_the_same(text, report.fixed_text, (b, 0, 0)) for b in (0, 1))


def test_an_index_that_runs_over_its_row_is_refused(tmp_path: Path) -> None:
    """[%t, %i + 80] is column %i of the next row; in rows of 64 it would be column %i + 16."""
    text = changed(
        padded(80),
        (
            "%c64 = arith.constant 64",
            "%c80 = arith.constant 80 : index\n  %c64 = arith.constant 64",
        ),
        (
            "  gpu.barrier\n  scf.for",
            "  gpu.barrier\n  %s = arith.remui %t, %c8 : index\n  scf.for",
        ),
        (
            "%v = vector.load %lds[%t, %i]",
            "%j = arith.addi %i, %c80 : index\n    %v = vector.load %lds[%s, %j]",
        ),
    )
    report = fix(written(tmp_path, text), "gfx942", execute=False, isa=False)
    assert not any(change.padding for change in report.changes)
    assert "64x80" in report.fixed_text


def test_a_padding_without_conflicts_stays(tmp_path: Path) -> None:
    report = fix(written(tmp_path, padded(72)), "gfx942")
    assert (report.changes, report.refusals, report.exit_code) == ((), (), 0)


TWO = f"""memref.alloc() : memref<64x68xf16, {LDS}>
  %other = memref.alloc() : memref<64x68xf16, {LDS}>
  %fast = arith.divui %t, %c8 : index
  %slow = arith.remui %t, %c8 : index
  %eight = arith.muli %slow, %c8 : index
  %row = arith.addi %eight, %fast : index"""

ONE_OF_TWO = f"""step %c8 {{
    %left = arith.cmpi ult, %i, %c8 : index
    %buffer = arith.select %left, %lds, %other : memref<64x68xf16, {LDS}>"""


def test_buffers_that_share_accesses_fold_inside_their_padding(tmp_path: Path) -> None:
    """Every eighth row: 8 rows of 34 words are 16 words on in 32 banks, two places for all."""
    text = changed(
        padded(68),
        (f"memref.alloc() : memref<64x68xf16, {LDS}>", TWO),
        ("step %c8 {", ONE_OF_TWO),
        ("%lds[%t, %i]", "%buffer[%t, %i]"),
    )
    stored, loaded = text.split("gpu.barrier")
    text = f"{stored}gpu.barrier{loaded.replace('%t,', '%row,')}"
    report = fix(written(tmp_path, text), "gfx942", isa=False)
    (change,) = report.changes
    assert change.allocations == ("lds", "other")
    assert change.address.endswith("padded<row=64, pad=4>")
    assert change.after.passes < change.before.passes
    assert verdict(report, "execution").status == "passed"
    assert report.fixed_text.count("64x68xf16") == text.count("64x68xf16")


# Never worse


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx90a"])
@pytest.mark.parametrize("width", [2, 4, 8])
@pytest.mark.parametrize("pad", [2, 4, 6, 8, 12, 16, 24, 32])
def test_no_padding_is_given_up_for_more_passes_or_bytes(
    target: str, width: int, pad: int, tmp_path: Path
) -> None:
    narrow = ("vector<8xf16>", f"vector<{width}xf16>"), ("constant 8 :", f"constant {width} :")
    text = changed(padded(64 + pad), *narrow)
    report = fix(written(tmp_path, text), target, execute=False, isa=False)
    sure = sum(a.run.ideal if a.assumed else a.run.passes for a in report.before.accesses)
    assert report.after.totals.run.passes <= report.before.totals.run.passes
    assert lds_bytes(report.fixed_text) <= lds_bytes(text)
    doubted = {a.instruction for a in report.before.accesses if a.assumed and a.run.extra}
    assert bool(report.assumed) == bool(report.changes and doubted)
    if report.assumed:
        now = report.after.totals.run.passes
        assert f"a workgroup takes {sure:,} -> {now:,} passes" in report.assumed
        assert all(name in report.assumed for name in doubted)
    if any(change.padding for change in report.changes):
        assert lds_bytes(report.fixed_text) == 2 * 64 * 64
        assert report.after.totals.run.passes <= sure


@pytest.mark.parametrize("per_phase", [1, 2, 4])
@pytest.mark.parametrize("pad", [4, 16])
def test_a_fold_in_padded_rows_moves_the_used_columns_as_without_the_padding(
    pad: int, per_phase: int
) -> None:
    fold = RowFolds(64, (Fold(64 * per_phase, unit=8, phases=8),))
    rows, columns = np.divmod(np.arange(32 * (64 + pad)), 64 + pad)
    moved = PaddedFold(fold, pad)(rows * (64 + pad) + columns)
    used = columns < 64
    phases = rows[used] // per_phase % 8
    assert (moved[used] == rows[used] * (64 + pad) + (columns[used] ^ phases * 8)).all()
    assert (moved[~used] == (rows * (64 + pad) + columns)[~used]).all()
