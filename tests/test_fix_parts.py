"""``fix`` issues accesses in parts where that is cheaper, and proves that they are the same."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.analysis import analyse
from bankwise.ask.fix import fix
from bankwise.ask.text_price import price_of
from bankwise.change.compile.lower import Lowering, lower
from bankwise.change.prove import prove_parts
from bankwise.counting.cost import Cost
from bankwise.read.mlir.kernels import operations
from bankwise.read.mlir.module import open_text
from bankwise.read.options import Options
from bankwise.show.fixing import pairs
from kernel_texts import EXAMPLES, LOAD, ROWS, SHARED, STORE, changed, written
from patches import verdict

STORES = f"""%a = vector.extract_strided_slice %v offsets = [0], sizes = [4], strides = [1]
         : vector<8xf16> to vector<4xf16>
    vector.store %a, %lds[%t, %i] : {SHARED}, vector<4xf16>
    %b = vector.extract_strided_slice %v offsets = [4], sizes = [4], strides = [1]
         : vector<8xf16> to vector<4xf16>
    %c4 = arith.constant 4 : index
    %k = arith.addi %i, %c4 : index
    vector.store %b, %lds[%t, %k] : {SHARED}, vector<4xf16>"""

LOADS = f"""%p = ub.poison : vector<8xf16>
    %a = vector.load %lds[%t, %i] : {SHARED}, vector<4xf16>
    %q = vector.insert_strided_slice %a, %p offsets = [0], strides = [1]
         : vector<4xf16> into vector<8xf16>
    %k = affine.apply affine_map<()[s0] -> (s0 + 4)>()[%i]
    %b = vector.load %lds[%t, %k] : {SHARED}, vector<4xf16>
    %v = vector.insert_strided_slice %b, %q offsets = [4], strides = [1]
         : vector<4xf16> into vector<8xf16>"""


def against_rows(text: str) -> str:
    """Why a text is not :data:`ROWS` with some accesses in parts; empty if it is."""
    before = open_text(ROWS)
    ops = [o for o in operations(before.module.operation) if o.name.startswith("vector.")]
    found = prove_parts(before, open_text(text), ops)
    return "" if found is None else found.reason


def test_two_halves_are_the_whole() -> None:
    assert against_rows(changed(ROWS, (STORE, STORES))) == ""
    assert against_rows(changed(ROWS, (LOAD, LOADS))) == ""
    assert against_rows(changed(ROWS, (STORE, STORES), (LOAD, LOADS))) == ""


def test_without_leave_nothing_may_be_in_parts() -> None:
    text = open_text(changed(ROWS, (STORE, STORES)))
    found = prove_parts(open_text(ROWS), text, [])
    assert found is not None
    assert "became vector.extract_strided_slice" in found.reason


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("constant 4 :", "constant 5 :", "right behind"),
        ("offsets = [4]", "offsets = [3]", "begins elsewhere"),
        ("%lds[%t, %k]", "%lds[%i, %k]", "another row"),
        ("vector.store %b,", "vector.store %a,", "another value"),
        ("addi %i", "muli %i", "right behind"),
        ("addi %i", "addi %t", "right behind"),
        ("vector<4xf16>\n    %b", "vector<4xf16>\n    gpu.barrier\n    %b", "gpu.barrier"),
        (STORES[STORES.index("    %b") :], "", "is no part"),
        (f"%lds[%t, %k] : {SHARED}", f"%lds[%t, %k] {{nontemporal = true}} : {SHARED}", "differ"),
    ],
)
def test_what_is_not_the_same_store_is_refused(old: str, new: str, why: str) -> None:
    assert why in against_rows(changed(ROWS, (STORE, changed(STORES, (old, new)))))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("s0 + 4", "s0 + 8", "right behind"),
        ("s0 + 4", "s0 * 4", "right behind"),
        ("%b, %q", "%b, %p", "put into"),
        ("%b, %q", "%a, %q", "put into"),
        ("offsets = [4]", "offsets = [0]", "put elsewhere"),
    ],
)
def test_what_is_not_the_same_load_is_refused(old: str, new: str, why: str) -> None:
    assert why in against_rows(changed(ROWS, (LOAD, changed(LOADS, (old, new)))))


# What iree-compile emits


@pytest.fixture(scope="module")
def abt() -> str:
    """f16 A B^T as IREE lowers it by default: rows of 132, 16-byte stores, 8-byte reads."""
    text = (EXAMPLES / "iree" / "matmul_abt_4096.mlir").read_text("utf-8")
    (found,) = lower(changed(text, ("4096", "256")), "gfx942", Lowering(padding=True))
    return found.text


def test_stores_in_parts_beat_the_padding(abt: str, tmp_path: Path) -> None:
    """Reads of 8 bytes beside stores of 16: in two stores of 8 every access is ideal."""
    report = fix(written(tmp_path, abt))
    assert report.accepted, report.verdicts
    after = report.after.totals.run
    assert after.passes == after.ideal < report.before.totals.run.passes
    assert "bit-identical" in verdict(report, "execution").detail
    emitted = {name: (old, new) for name, old, new in verdict(report, "isa").rows}
    assert emitted["ds_write2_b64"][1] == 0
    assert emitted["LDS bytes"][1] < emitted["LDS bytes"][0]
    text = open_text(report.fixed_text)
    prices = [price_of(analyse(each, Options())) for each in (open_text(abt), text)]
    assert prices[1].no_worse(prices[0])
    assert all("2 parts each" in change.parts for change in report.changes)
    assert all("accesses split" in change.optimum for change in report.changes)


def test_parts_stand_beside_the_access_they_were(abt: str, tmp_path: Path) -> None:
    report = fix(written(tmp_path, abt), execute=False, isa=False)
    both = pairs(report)
    assert len(both) == sum(len(kernel.accesses) for kernel in report.before.kernels)
    stores = [new for old, new in both if old.direction == "write"]
    assert {new.issued for new in stores} == {("ds_write_b64", "ds_write_b64")}
    assert sum((new.run.passes for _, new in both)) == report.after.totals.run.passes


def test_what_is_split_already_is_folded_as_far_as_check_says(abt: str, tmp_path: Path) -> None:
    """The same text with its stores in halves: nothing is left to split, the optimum stays."""
    first = fix(written(tmp_path, abt), execute=False, isa=False)
    again = fix(written(tmp_path, first.fixed_text, "again.mlir"), execute=False, isa=False)
    assert again.changes == ()
    (kernel,) = again.before.kernels
    assert all(each.best.passes == each.present.passes for each in kernel.optima)


def test_a_split_that_gains_nothing_is_not_made(tmp_path: Path) -> None:
    """Whole 16-byte accesses can be ideal: a fold of chunks, and no part."""
    report = fix(written(tmp_path, ROWS), "gfx942", execute=False, isa=False)
    assert report.after.totals.run == Cost(128, 128)
    assert [change.parts for change in report.changes] == [""]
    assert report.parts == {}


def test_check_says_what_fix_does(abt: str, tmp_path: Path) -> None:
    report = fix(written(tmp_path, abt), execute=False, isa=False)
    notes = {o.allocations: o.notes for kernel in report.before.kernels for o in kernel.optima}
    for change in report.changes:
        (told,) = notes[change.allocations]
        assert told == f"`bankwise fix`: {change.parts}"
        assert f"planned {change.after.passes:,} passes" in told
        assert "ds_write2_b64 assumed" in told
