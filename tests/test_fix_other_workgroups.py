"""``fix`` analyses one workgroup: what another one does otherwise is proved right, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.fix import fix
from bankwise.show.fixing import FixReport
from kernel_texts import ROWS, changed, written
from run_mlir import leaves_the_same

LDS = "#gpu.address_space<workgroup>"

ONE_OF_MANY = """  %c1 = arith.constant 1 : index
  %which = arith.constant 31234 : index
  %b = gpu.block_id x upper_bound 60000
  %is = arith.cmpi eq, %b, %which : index
  %lds = memref.alloc()"""
"""A workgroup in the middle of the grid: neither the first nor the last one is like it."""


def launched(columns: int, after: str, text: str = ROWS) -> str:
    """Rows of so many columns, 64 of them used; ``after`` stands behind the barrier."""
    return changed(
        text,
        ("64x64xf16, #gpu", f"64x{columns}xf16, #gpu"),
        ("grid_size = array<i32: 1,", "grid_size = array<i32: 60000,"),
        ("  %lds = memref.alloc()", ONE_OF_MANY),
        ("  gpu.barrier\n", f"  gpu.barrier\n{after}"),
    )


def planned(text: str, folder: Path) -> FixReport:
    """The judges are not asked: whatever they find, such a text may not be written."""
    report = fix(written(folder, text), "gfx942", execute=False, isa=False)
    assert isinstance(report, FixReport)
    return report


def reasons(report: FixReport) -> str:
    return "; ".join(refusal.reason for refusal in report.refusals)


def swapped(columns: int, column: str, width: int) -> str:
    """A store and a load at one column of row t."""
    lds = f"memref<64x{columns}xf16, {LDS}>, vector<{width}xf16>"
    out = f"memref<64x64xf16>, vector<{width}xf16>"
    return f"""    %x = vector.load %in[%t, %c8] : {out}
    vector.store %x, %lds[%t, {column}] : {lds}
    %y = vector.load %lds[%t, {column}] : {lds}
    vector.store %y, %in[%t, %c0] : {out}
"""


@pytest.mark.parametrize(("columns", "column"), [(64, "%c8"), (80, "%c64"), (4160, "%c64")])
def test_an_access_of_another_workgroup_alone_goes_with_the_others(
    columns: int, column: str, tmp_path: Path
) -> None:
    """Left behind it would read the old place of what the others store at the new one."""
    text = launched(columns, f"  scf.if %is {{\n{swapped(columns, column, 8)}  }}\n")
    report = planned(text, tmp_path)
    assert len(report.changes) == 1
    assert f"%lds[%t, {column}]" not in report.fixed_text
    assert leaves_the_same(text, report.fixed_text, (0, 0, 0))
    assert leaves_the_same(text, report.fixed_text, (31234, 0, 0))


def test_a_condition_that_is_false_in_the_only_workgroup_hides_nothing(tmp_path: Path) -> None:
    text = launched(64, f"  scf.if %is {{\n{swapped(64, '%c8', 8)}  }}\n")
    report = planned(changed(text, ("<i32: 60000,", "<i32: 1,")), tmp_path)
    assert len(report.changes) == 1
    assert report.refusals == ()


def test_a_padding_that_another_workgroup_may_use_stays(tmp_path: Path) -> None:
    """Column 64 in one of 60,000 workgroups, column 0 in all that are looked at."""
    column = "  %col = arith.select %is, %c64, %c0 : index\n"
    report = planned(launched(80, column + swapped(80, "%col", 8)), tmp_path)
    assert not any(change.padding for change in report.changes)
    assert "64x80xf16" in report.fixed_text


def test_no_fold_inside_a_padding_that_another_workgroup_may_use(tmp_path: Path) -> None:
    """Folds inside 64 of 68 columns would send column 64 to 72, behind the row."""
    column = "  %col = arith.select %is, %c64, %c0 : index\n"
    shared = f"memref<64x68xf16, {LDS}>"
    rows = f"""memref.alloc() : {shared}
  %other = memref.alloc() : {shared}
  %fast = arith.divui %t, %c8 : index
  %slow = arith.remui %t, %c8 : index
  %eight = arith.muli %slow, %c8 : index
  %row = arith.addi %eight, %fast : index"""
    one = f"""step %c8 {{
    %left = arith.cmpi ult, %i, %c8 : index
    %buffer = arith.select %left, %lds, %other : {shared}"""
    plain, text = (
        changed(
            launched(68, extra),
            (f"memref.alloc() : {shared}", rows),
            ("step %c8 {", one),
            ("%lds[%t, %i]", "%buffer[%t, %i]"),
            ("%v, %out[%t, %i]", "%v, %out[%row, %i]"),
            ("%v = vector.load %buffer[%t", "%v = vector.load %buffer[%row"),
        )
        for extra in ("", column + swapped(68, "%col", 4))
    )
    (change,) = planned(plain, tmp_path).changes
    assert change.address.endswith("padded<row=64, pad=4>")
    assert planned(text, tmp_path).fixed_text == text


def test_a_view_that_may_start_elsewhere_in_another_workgroup_is_refused(tmp_path: Path) -> None:
    """Column 0 of the view is column 8 of the rows there: its XOR is another one."""
    whole = f"memref<64x128xf16, {LDS}>"
    seen = f"memref<64x64xf16, strided<[128, 1], offset: ?>, {LDS}>"
    view = f"""memref.alloc() : {whole}
  %first = arith.select %is, %c8, %c0 : index
  %view = memref.subview %lds[0, %first] [64, 64] [1, 1] : {whole} to {seen}
"""
    text = changed(
        launched(128, ""),
        (f"%lds[%t, %i] : {whole}", f"%view[%t, %i] : {seen}"),
        (f"memref.alloc() : {whole}\n", view),
    )
    report = planned(text, tmp_path)
    assert report.fixed_text == text
    assert "is not proved" in reasons(report)
