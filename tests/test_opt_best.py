"""``opt --pass best``: the cheapest of all chains, and never worse than the text as it was."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler")

from bankwise.ask.analysis import analyse
from bankwise.ask.check_mlir import kernel_of
from bankwise.ask.fix import fix
from bankwise.ask.opt import opt
from bankwise.counting.count_kernel import count_kernel
from bankwise.read.options import Options
from passes_cases import LDS, opened, same_results
from test_passes_pad import rows


def abt(pad: int = 0) -> str:
    """Rows of 64 elements, stored 16 bytes a lane and read 8 bytes a lane, as for A * B^T.

    Eight neighbouring lanes store one row; 16 lanes read the same columns of 16 rows.
    """
    pitch = 64 + pad
    tile, of = f"memref<16x{pitch}xf16, {LDS}>", "memref<16x64xf16>"
    return f"""\
func.func @k(%in: {of}, %out: {of}) attributes {{gpu.known_block_size = array<i32: 128, 1, 1>}} {{
  %c8 = arith.constant 8 : index
  %c4 = arith.constant 4 : index
  %lds = memref.alloc() : {tile}
  %t = gpu.thread_id x upper_bound 128
  %r, %c = affine.delinearize_index %t into (16, 8) : index, index
  %cs = arith.muli %c, %c8 : index
  %v = vector.load %in[%r, %cs] : {of}, vector<8xf16>
  vector.store %v, %lds[%r, %cs] : {tile}, vector<8xf16>
  gpu.barrier
  %g, %l = affine.delinearize_index %t into (8, 16) : index, index
  %gs = arith.muli %g, %c4 : index
  %w = vector.load %lds[%l, %gs] : {tile}, vector<4xf16>
  vector.store %w, %out[%l, %gs] : {of}, vector<4xf16>
  return
}}
"""


def passes(text: str, target: str) -> int:
    """What ``check`` counts: passes of all loads and stores of a workgroup."""
    (one,) = analyse(opened(text), Options(target, policy="iree"))
    return sum(report.run.passes for report in count_kernel(kernel_of(one), one.machine)[0])


@pytest.mark.parametrize(
    "text", [rows(64), rows(72), abt(), abt(4)], ids=["64", "72", "abt", "132"]
)
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_best_is_the_least_of_what_it_tried_and_no_more_than_before(tmp_path, text, target):
    file = tmp_path / "k.mlir"
    file.write_text(text)
    report = opt(file, ["best"], target)
    assert passes(report.text, target) <= passes(text, target)
    for chain in (["pad"], ["decide", "resolve"], ["unpad", "pad"]):
        assert passes(report.text, target) <= passes(opt(file, chain, target).text, target)
    (outcome,) = [outcome for _, outcome in report.passes]
    assert outcome.changed == (report.text != text)
    assert same_results(text, report.text, size=128 if "128, 1, 1" in text else 64)


def test_what_wins_was_executed(tmp_path):
    file = tmp_path / "k.mlir"
    file.write_text(abt())
    ((_, outcome),) = opt(file, ["best"], "gfx942").passes
    (won,) = [remark for remark in outcome.remarks if remark.subject == "all kernels"][:1]
    assert won.changed
    assert "execution: passed" in won.reason


@pytest.mark.parametrize("text", [rows(64), abt(), abt(4)], ids=["64", "abt", "132"])
def test_it_is_no_worse_than_fix(tmp_path, text):
    file = tmp_path / "k.mlir"
    file.write_text(text)
    fixed = fix(file, "gfx942", policy="iree", execute=False, isa=False).fixed_text
    assert passes(opt(file, ["best"], "gfx942").text, "gfx942") <= passes(fixed, "gfx942")


def test_the_passes_that_it_names_make_the_plan(tmp_path):
    """What is told of an allocation, done by hand: split, the hint on the allocation, resolved."""
    file = tmp_path / "k.mlir"
    file.write_text(abt())
    report = opt(file, ["best"], "gfx942")
    changed = [r.reason for r in report.passes[0][1].remarks if r.changed and r.subject == "lds"]
    assert all(reason.endswith("proved for all launches") for reason in changed)
    (told,) = changed
    steps = told.partition(":")[0].split(", ", 1)
    assert steps[0] == "split-access"
    hint = steps[1]
    assert hint.startswith("resolve ")
    split = opt(file, ["split-access"], "gfx942").text
    by_hand = split.replace(
        "memref.alloc()", f"memref.alloc() {{iree_codegen.swizzle = {hint[8:]}}}"
    )
    file.write_text(by_hand)
    resolved = opt(file, ["resolve"], "gfx942")
    assert resolved.passes[0][1].changed
    assert (
        passes(resolved.text, "gfx942") == passes(report.text, "gfx942") < passes(abt(), "gfx942")
    )


def test_a_fold_and_a_padding_each_where_it_is_the_better_one(tmp_path):
    """A hint is resolved first; of what fix leaves with conflicts, pad is asked."""
    file = tmp_path / "k.mlir"
    file.write_text(
        abt().replace(
            "memref.alloc()",
            "memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>}",
        )
    )
    report = opt(file, ["best"], "gfx942")
    assert "iree_codegen" not in report.text
    told = report.passes[0][1].remarks[0].reason
    assert told.startswith("resolve")
    assert same_results(abt(), report.text, size=128)


def test_a_text_that_is_best_already_stays(tmp_path):
    file = tmp_path / "k.mlir"
    file.write_text(rows(72))
    report = opt(file, ["best"], "gfx942")
    assert report.text == rows(72)
    assert "as it is" in report.passes[0][1].remarks[0].reason


def test_a_pass_that_finds_nothing_says_what_it_looked_for(tmp_path, capsys):
    from rich.console import Console

    from bankwise.show.opting import print_opt

    file = tmp_path / "k.mlir"
    file.write_text(rows(64))
    report = opt(file, ["fold-hints", "absorb", "materialise", "flatten"], "gfx942")
    assert report.text == rows(64)
    print_opt(report, Console(width=200))
    said = capsys.readouterr().out.splitlines()
    for line, word in zip(said, ("tensor", "allocation", "to_layout", "dimensions"), strict=True):
        assert "nothing to do; looked for " in line
        assert word in line
