"""Rewriting in the user's own text: any writing, any shape, all accesses or none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.fix import fix
from bankwise.counting.cost import Cost
from kernel_texts import LOAD, ROWS, SHARED, STORE, changed, place_of, written
from patches import applied, verdict
from random_kernels import copies

ROW_COPY = Path(__file__).parent.parent / "examples/row_copy/row_copy_gfx950.mlir"

# One text, many writings: each becomes a patch that applies, and the same results

MULTILINE = f"""vector.store %v, %lds[ // rows, [and columns]
      %t, // a ] bracket
      %i // the column
    ] : {SHARED}, vector<8xf16>"""

WRITINGS = {
    "plain": ROWS,
    "line ends of Windows": ROWS.replace("\n", "\r\n"),
    "no final newline": ROWS.rstrip("\n"),
    "tabs": changed(ROWS, ("  ", "\t")),
    "no blanks": changed(ROWS, (" = ", "="), ("[%t, %i]", "[%t,%i]")),
    "one line": ROWS.replace("\n", " ") + "\n",
    "several statements on a line": changed(ROWS, ("\n    vector.store", " vector.store")),
    "comments among the indices": changed(ROWS, (STORE, MULTILINE)),
    "a comment behind =": changed(
        ROWS, (" = vector.load %lds", " = // why\n      vector.load %lds")
    ),
    "our names as arguments": changed(ROWS, ("%in", "%swz0"), ("%out", "%swz1")),
    "our names as values": changed(ROWS, ("%c8 =", "%swz0 ="), ("step %c8", "step %swz0")),
    "our names as loop variables": changed(ROWS, ("%i", "%swz1"), ("%swz1n", "%in")),
    "our names with a number": changed(ROWS, ("%c8", "%swz00"), ("%t", "%swz1.0")),
    "letters beyond ASCII": changed(ROWS, ("  gpu.barrier", "  // Größe → 64 ✓\n  gpu.barrier")),
    "two kernels": ROWS + changed(ROWS, ("@k", "@other")),
    "two reads in one loop": changed(ROWS, (LOAD, f"{LOAD}\n    {LOAD.replace('%v', '%w')}")),
    "generic functions beside": "func.func private @other()\n" + ROWS,
    "a page": "Title\n=====\n\n.. code-block:: mlir\n\n   "
    + ROWS.replace("\n", "\n   ")
    + "\n\nEnd.\n",
}


@pytest.mark.parametrize("text", WRITINGS.values(), ids=WRITINGS)
def test_a_patch_applies_and_the_results_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    report = fix(written(Path(), text, "a kernel.mlir"), "gfx950", isa=False)
    assert verdict(report, "execution").status == "passed"
    for before, after in zip(report.before.kernels, report.after.kernels, strict=True):
        assert before.totals.run.passes > after.totals.run.passes
    assert applied(report.patch, tmp_path, "a kernel.mlir") == report.fixed_text
    assert report.fixed_text.count("\r\n") in (0, report.fixed_text.count("\n"))


def test_a_patch_for_a_file_elsewhere_applies_from_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    written(Path(".."), ROWS)
    report = fix("../k.mlir", "gfx950", execute=False, isa=False)
    path = str(tmp_path / "k.mlir").lstrip("/")
    assert report.patch.startswith(f"--- a/{path}\n+++ b/{path}\n@@ ")


# Views, types and flow

ALLOC = f"%lds = memref.alloc() : {SHARED}"
PAIR = "memref<2x64x64xf16, #gpu.address_space<workgroup>>"
SECOND = "memref<64x64xf16, strided<[64, 1], offset: 4096>, #gpu.address_space<workgroup>>"
FLAT_BUFFER = "memref<4096xf16, #gpu.address_space<workgroup>>"
VIEWS = {
    "expand_shape": (
        f"%flat = memref.alloc() : {FLAT_BUFFER}\n"
        "  %lds = memref.expand_shape %flat [[0, 1]] output_shape [64, 64] : "
        f"{FLAT_BUFFER} into {SHARED}",
        SHARED,
    ),
    "cast": (
        f"%a = memref.alloc() : {SHARED}\n"
        f"  %b = memref.cast %a : {SHARED} to {SHARED.replace('64x64', '?x?')}\n"
        f"  %lds = memref.cast %b : {SHARED.replace('64x64', '?x?')} to {SHARED}",
        SHARED,
    ),
    "subview of the second half": (
        f"%a = memref.alloc() : {PAIR}\n"
        f"  %lds = memref.subview %a[1, 0, 0] [1, 64, 64] [1, 1, 1] : {PAIR} to {SECOND}",
        SECOND,
    ),
}


@pytest.mark.parametrize(("view", "kind"), VIEWS.values(), ids=VIEWS)
def test_accesses_through_views_are_fixed(tmp_path: Path, view: str, kind: str) -> None:
    text = changed(ROWS, (SHARED, kind), (ALLOC.replace(SHARED, kind), view))
    report = fix(written(tmp_path, text), "gfx950", isa=False)
    assert verdict(report, "execution").status == "passed"
    assert report.after.totals.run.passes < report.before.totals.run.passes


DEEPER = changed(
    ROWS,
    ("64x64xf16, #gpu", "64x2x64xf16, #gpu"),
    ("%lds[%t, %i]", "%lds[%t, %c1, %i]"),
    ("  %c8 =", "  %c1 = arith.constant 1 : index\n  %c8 ="),
)
MOVING = changed(
    ROWS,
    ("gpu.known_grid_size = array<i32: 1,", "gpu.known_grid_size = array<i32: 4,"),
    (
        "  %lds =",
        "  %b = gpu.block_id x upper_bound 4\n"
        "  %r = affine.apply affine_map<()[s0, s1] -> ((s0 * 3 + s1) mod 64)>()[%b, %t]\n  %lds =",
    ),
    (LOAD, LOAD.replace("%t", "%r")),
)
INSIDE = changed(
    ROWS,
    (
        "    " + LOAD,
        "    %p = arith.cmpi ult, %t, %c8 : index\n"
        "    %v = scf.if %p -> vector<8xf16> {\n"
        "      %row = arith.addi %t, %c8 : index\n"
        f"      {LOAD.replace('%t', '%row').replace('%v', '%w')}\n"
        "      scf.yield %w : vector<8xf16>\n"
        "    } else {\n"
        f"      {LOAD.replace('%v', '%w')}\n"
        "      scf.yield %w : vector<8xf16>\n"
        "    }",
    ),
)
TRANSFER = changed(
    ROWS,
    (
        STORE,
        f"vector.transfer_write %v, %lds[%t, %i] {{in_bounds = [true]}} : vector<8xf16>, {SHARED}",
    ),
    (
        LOAD,
        "%f = arith.constant 0.0 : f16\n    %v = vector.transfer_read %lds[%t, %i], %f "
        f"{{in_bounds = [true]}} : {SHARED}, vector<8xf16>",
    ),
)
GIVEN = changed(
    ROWS, ("64x64xf16", "64x96xf16"), ("%c64 = arith.constant 64", "%c64 = arith.constant 96")
)
FLAT = changed(
    ROWS,
    ("memref<64x64xf16, #gpu", "memref<4096xf16, #gpu"),
    ("%lds[%t, %i]", "%lds[%flat]"),
    (
        "step %c8 {\n",
        "step %c8 {\n    %flat = affine.apply affine_map<(d0)[s0] -> (s0 * 64 + d0)>(%i)[%t]\n",
    ),
)
SHAPES = {
    "rank 3": DEEPER,
    "rank 1": FLAT,
    "rows that depend on the workgroup": MOVING,
    "values of an inner region": INSIDE,
    "transfer_read and transfer_write": TRANSFER,
    "rows of 96": GIVEN,
    "f32 columns": changed(
        ROWS,
        ("xf16", "xf32"),
        ("vector<8x", "vector<4x"),
        ("%c8 = arith.constant 8", "%c8 = arith.constant 4"),
    ),
    "single elements": changed(
        ROWS, ("vector<8x", "vector<1x"), ("%c8 = arith.constant 8", "%c8 = arith.constant 1")
    ),
}


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "sm_90"])
@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES)
def test_any_accepted_fix_has_the_same_results_and_fewer_passes(
    tmp_path: Path, text: str, target: str
) -> None:
    report = fix(written(tmp_path, text), target, isa=False)
    assert report.accepted
    assert verdict(report, "execution").status == "passed"
    assert report.after.totals.run.passes < report.before.totals.run.passes
    assert report.after.kernels[0].lds_bytes == report.before.kernels[0].lds_bytes


def test_stores_in_parts_serve_two_demands_that_one_swizzle_cannot(tmp_path: Path) -> None:
    """f16 rows of 256 bytes on gfx942: whole 16-byte stores keep units of 16 bytes together, so
    that the sixteen lanes of an 8-byte read's phase share eight places, 2 passes where 1 is ideal.
    In parts of 8 bytes both are ideal."""
    text = changed(
        ROWS,
        (LOAD, LOAD.replace("vector<8x", "vector<4x")),
        (
            "vector.store %v, %out[%t, %i] : memref<64x64xf16>, vector<8xf16>",
            "vector.store %v, %out[%t, %i] : memref<64x64xf16>, vector<4xf16>",
        ),
        ("64x64xf16", "64x128xf16"),
        ("%c64 = arith.constant 64", "%c64 = arith.constant 128"),
    )
    report = fix(written(tmp_path, text), "gfx942", isa=False)
    sums = {a.instruction: (a.cost.passes, a.cost.ideal) for a in report.after.accesses}
    assert sums == {"ds_write_b64": (4, 4), "ds_read_b64": (4, 4)}
    assert report.exit_code == 0


@settings(max_examples=25, derandomize=True)
@given(copies(), st.sampled_from(["gfx942", "gfx950", "gfx1201", "sm_90"]))
def test_whatever_is_rewritten_gives_the_same_results_in_fewer_passes(
    tmp_path_factory: pytest.TempPathFactory, text: str, target: str
) -> None:
    report = fix(written(tmp_path_factory.getbasetemp(), text, "copy.mlir"), target, isa=False)
    assert not report.before.refusals
    for found in report.verdicts:
        assert found.status == "passed"
        assert "faults" not in found.detail
    before, after = report.before.totals.run, report.after.totals.run
    assert (after.passes < before.passes) == bool(report.changes)
    assert after.ideal == before.ideal
    assert report.after.kernels[0].lds_bytes == report.before.kernels[0].lds_bytes


# All accesses of an allocation, or none

LOADED = changed(
    ROWS,
    ("%out: memref<64x64xf16>", "%out: memref<64x64xf16>, %rows: memref<64xindex>"),
    ("  gpu.barrier\n", "  gpu.barrier\n  %w = memref.load %rows[%t] : memref<64xindex>\n"),
    (LOAD, LOAD.replace("%t", "%w")),
)
REGION = changed(
    ROWS,
    (
        "    " + LOAD,
        "    %v = scf.execute_region -> vector<8xf16> {\n"
        f"      {LOAD.replace('%v', '%w')}\n      scf.yield %w : vector<8xf16>\n    }}",
    ),
)
TWO_ROWS = changed(
    ROWS,
    (LOAD, LOAD.replace("vector<8xf16>", "vector<2x4xf16>")),
    (
        "vector.store %v, %out[%t, %i] : memref<64x64xf16>, vector<8xf16>",
        "vector.store %v, %out[%t, %i] : memref<64x64xf16>, vector<2x4xf16>",
    ),
    ("%t = gpu", "%s = gpu"),
    (
        "upper_bound 64\n",
        "upper_bound 64\n  %t = affine.apply affine_map<()[s0] -> (s0 mod 63)>()[%s]\n",
    ),
)
MASKED = changed(
    ROWS,
    (
        LOAD,
        "%m = vector.create_mask %t : vector<8xi1>\n"
        "    %f = arith.constant dense<0.0> : vector<8xf16>\n"
        f"    %v = vector.maskedload %lds[%t, %i], %m, %f : {SHARED}, vector<8xi1>, vector<8xf16> "
        "into vector<8xf16>",
    ),
)
GENERIC = changed(
    ROWS,
    (STORE, f'"vector.store"(%v, %lds, %t, %i) : (vector<8xf16>, {SHARED}, index, index) -> ()'),
)
OTHER_TYPE = changed(
    ROWS,
    (
        ALLOC,
        "%bytes = memref.alloc() : memref<8192xi8, #gpu.address_space<workgroup>>\n"
        "  %words = memref.view %bytes[%c0][] : memref<8192xi8, #gpu.address_space<workgroup>> to "
        "memref<2048xf32, #gpu.address_space<workgroup>>\n"
        "  %lds = memref.view %bytes[%c0][] : memref<8192xi8, #gpu.address_space<workgroup>> to "
        f"{SHARED}",
    ),
)


def split_rows(columns: int, pieces: int) -> str:
    """Rows of 8 elements that a view cuts out of longer ones."""
    whole = SHARED.replace("64x64", f"64x{columns}")
    view = SHARED.replace("64x64", f"64x{pieces}x8")
    return changed(
        ROWS,
        (
            ALLOC,
            f"%whole = memref.alloc() : {whole}\n  %lds = memref.expand_shape %whole [[0], [1, 2]] "
            f"output_shape [64, {pieces}, 8] : {whole} into {view}",
        ),
        ("step %c8 {\n", "step %c8 {\n    %j = arith.divui %i, %c8 : index\n"),
        (f"%lds[%t, %i] : {SHARED}", f"%lds[%t, %j, %c0] : {view}"),
        ("64x64xf16", f"64x{columns}xf16"),
        ("%c64", f"%c{columns}"),
    )


REFUSED = {
    "a region that is not followed": (REGION, "scf.execute_region", "vector.load %lds"),
    "rows of a vector": (TWO_ROWS, "separate pieces", "vector.load %lds"),
    "a mask that cuts vectors": (MASKED, "separate pieces", "vector.maskedload"),
    "generic form": (GENERIC, "not found in the text", '"vector.store"'),
    "bytes seen as f16": (OTHER_TYPE, "overlap", "memref.alloc"),
}


@pytest.mark.parametrize(("text", "says", "where"), REFUSED.values(), ids=REFUSED)
def test_one_access_that_cannot_be_rewritten_keeps_the_whole_allocation(
    tmp_path: Path, text: str, says: str, where: str
) -> None:
    report = fix(written(tmp_path, text), "gfx950", execute=False, isa=False)
    assert (report.changes, report.patch, report.fixed_text) == ((), "", text)
    assert not report.accepted
    (refusal,) = report.refusals
    assert says in refusal.reason
    assert refusal.location is not None
    assert (refusal.location.line, refusal.location.column) == place_of(text, where)
    assert report.exit_code == 1


def test_a_fold_moves_every_index_of_a_view_that_splits_rows(tmp_path: Path) -> None:
    report = fix(written(tmp_path, split_rows(64, 8)), "gfx950", isa=False)
    assert verdict(report, "proof").status == verdict(report, "execution").status == "passed"
    before, after = report.before.totals.run, report.after.totals.run
    assert after.passes == after.ideal < before.passes
    assert "%lds[%t, %j, %c0]" not in report.fixed_text


def test_what_the_rows_of_a_view_do_not_allow_is_named(tmp_path: Path) -> None:
    """96 columns are no whole groups of 64: what would move rows of a view by them is not done."""
    report = fix(written(tmp_path, split_rows(96, 12)), "gfx950", execute=False, isa=False)
    (change,) = report.changes
    assert change.after.passes < change.before.passes
    assert "is not written: the rows of this view do not begin at whole groups" in change.optimum


ACCUMULATORS = "\n".join(
    f"""  %r{n} = affine.apply affine_map<()[s0] -> (s0 floordiv 16 * 4 + {n})>()[%t]
  %v{n} = vector.extract %v[{n}] : f32 from vector<4xf32>
  memref.store %v{n}, %lds[%r{n}, %column] : memref<16x16xf32, #gpu.address_space<workgroup>>"""
    for n in range(4)
)
SHORT_ROWS = f"""\
func.func @k(%in: memref<64x4xf32>, %out: memref<64x4xf32>) attributes {{gpu.known_block_size = array<i32: 64, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x upper_bound 64
  %lds = memref.alloc() : memref<16x16xf32, #gpu.address_space<workgroup>>
  %column = affine.apply affine_map<()[s0] -> (s0 mod 16)>()[%t]
  %v = vector.load %in[%t, %c0] : memref<64x4xf32>, vector<4xf32>
{ACCUMULATORS}
  gpu.barrier
  %first = affine.apply affine_map<()[s0] -> (s0 floordiv 16 * 4)>()[%t]
  %w = vector.load %lds[%column, %first] : memref<16x16xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  vector.store %w, %out[%t, %c0] : memref<64x4xf32>, vector<4xf32>
  return
}}
"""  # noqa: E501
"""What an MFMA leaves, stored: 32 lanes of a phase write rows m and m + 4, all 16 columns of both.
Rows of 16 words begin in bank 0 or 16: of even rows in bank 0, whatever order a row is in inside,
so each bank of the first half is wanted twice. Where rows change places, too, it is wanted once."""


def test_where_no_order_inside_of_rows_is_free_rows_change_places(tmp_path: Path) -> None:
    report = fix(written(tmp_path, SHORT_ROWS), "gfx942", isa=False)
    assert verdict(report, "proof").status == verdict(report, "execution").status == "passed"
    (change,) = report.changes
    assert change.after.passes == change.after.ideal < change.before.passes
    stores = [line for line in report.fixed_text.splitlines() if "memref.store" in line]
    assert not any("%lds[%r" in store for store in stores)


def test_an_access_at_an_index_from_data_goes_with_the_others(tmp_path: Path) -> None:
    """Where it goes only a run can tell, and so what it costs; its row is an index of its own."""
    report = fix(written(tmp_path, LOADED), "gfx950", isa=False)
    (change,) = report.changes
    assert change.optimum.endswith("; 1 access beside, whose passes are not known")
    assert "%lds[%w, %i]" not in report.fixed_text
    assert verdict(report, "proof").status == "passed"
    assert report.exit_code == 3


def test_a_padded_view_without_conflicts_is_left_alone(tmp_path: Path) -> None:
    text = changed(ROWS, ("64x64xf16, #gpu", "64x72xf16, #gpu"))
    report = fix(written(tmp_path, text), "gfx950")
    assert (report.exit_code, report.changes, report.verdicts) == (0, (), ())


def test_of_two_allocations_the_one_that_can_be_fixed_is(tmp_path: Path) -> None:
    second = ROWS.partition("  scf.for")[2]
    text = changed(
        ROWS,
        (ALLOC, f"{ALLOC}\n  %two = memref.alloc() : {SHARED}"),
        (STORE, f"{STORE}\n    {GENERIC_STORE}"),
    )
    assert second
    report = fix(written(tmp_path, text), "gfx950", isa=False)
    assert [change.allocations for change in report.changes] == [("lds",)]
    assert [r.reason.split(":")[0] for r in report.refusals] == ["two"]
    assert verdict(report, "execution").status == "passed"


GENERIC_STORE = f'"vector.store"(%v, %two, %t, %i) : (vector<8xf16>, {SHARED}, index, index) -> ()'


def test_where_no_single_fold_serves_all_accesses_the_solvers_layout_is_written() -> None:
    """The store has phases of 8 lanes on 32 banks, the load of 16 permuted lanes on 64."""
    report = fix(ROW_COPY, isa=False)
    assert report.before.totals.run == Cost(96, 12)
    assert report.after.totals.run == Cost(12, 12)
    assert report.accepted
    assert [(v.judge, v.status) for v in report.verdicts] == [
        ("proof", "passed"),
        ("execution", "passed"),
    ]
    assert report.changes[0].optimum.startswith("optimal")
