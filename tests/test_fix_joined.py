"""``fix`` where the compiler joins stores and drops loads: the gain is that of the emitted code."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.check import check
from bankwise.ask.fix import fix
from bankwise.counting.cost import Cost
from bankwise.show.fixing import FixReport
from kernel_texts import written

ROW, THREADS = 64, 64


def im2col(
    neighbours: int,
    *,
    wide: int = 1,
    own: bool = False,
    element: str = "f16",
    chunk: int = 8,
) -> str:
    """Every thread stores ``neighbours`` elements to a row of its own, one by one, from a chunk of
    so many on; then it reads ``wide`` of those of another row. ``own``: also one of its own."""
    tile = f"memref<{THREADS}x{ROW}x{element}, #gpu.address_space<workgroup>>"
    memory = f"memref<{THREADS}x{ROW}x{element}>"
    vector = f"vector<{wide}x{element}>"
    start = f"affine.apply affine_map<()[s0] -> ((s0 mod 4) * {chunk})>"
    constants = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in range(64))
    places = "".join(
        f"  %j{n} = arith.addi %j, %c{n} overflow<nsw> : index\n" for n in range(neighbours)
    )
    loads = "".join(f"  %v{n} = memref.load %in[%c{n}, %t] : {memory}\n" for n in range(neighbours))
    stores = "".join(f"  memref.store %v{n}, %lds[%t, %j{n}] : {tile}\n" for n in range(neighbours))
    again = (
        f"  %own = memref.load %lds[%t, %j1] : {tile}\n"
        f"  memref.store %own, %out[%t, %c60] : {memory}\n"
    ) * own
    return f"""\
func.func @k(%in: {memory}, %out: {memory}) attributes {{
    gpu.known_block_size = array<i32: {THREADS}, 1, 1>,
    gpu.known_grid_size = array<i32: 4, 1, 1>}} {{
{constants}  %t = gpu.thread_id x upper_bound {THREADS}
  %lds = memref.alloc() : {tile}
  %j = {start}()[%t]
{places}{loads}{stores}{again}  gpu.barrier
  %other = arith.subi %c63, %t : index
  %there = {start}()[%other]
  %r = vector.load %lds[%other, %there] : {tile}, {vector}
  vector.store %r, %out[%t, %c0] : {memory}, {vector}
  return
}}
"""


def fixed(tmp_path: Path, text: str) -> FixReport:
    report = fix(written(tmp_path, text), "gfx942", isa=False)
    assert isinstance(report, FixReport)
    assert all(verdict.status == "passed" for verdict in report.verdicts), report.verdicts
    return report


def emitted(tmp_path: Path, text: str) -> Cost:
    """What the code takes that iree-compile makes of a text."""
    folder = tmp_path / "emitted"
    folder.mkdir(exist_ok=True)
    return check(written(folder, text), "gfx942", isa=True).kernels[0].totals.run


KERNELS = {
    "eight halves": im2col(8),
    "eight halves, read whole": im2col(8, wide=8),
    "four halves": im2col(4, wide=4, chunk=4),
    "six halves": im2col(6, wide=4),
    "a forwarded load": im2col(8, wide=8, own=True),
    "four words": im2col(4, element="f32"),
    "four words, read whole": im2col(4, wide=4, element="f32"),
    "three bytes": im2col(3, element="i8"),
}


@pytest.mark.parametrize("text", KERNELS.values(), ids=KERNELS)
def test_what_fix_claims_the_emitted_code_takes(tmp_path: Path, text: str) -> None:
    report = fixed(tmp_path, text)
    (change,) = report.changes
    assert (change.before, change.after) == (
        emitted(tmp_path, text),
        emitted(tmp_path, report.fixed_text),
    )
    assert change.after.passes < change.before.passes


def claimed(report: FixReport) -> tuple[str, str]:
    (change,) = report.changes
    return f"{change.after.passes:,}", change.optimum


@pytest.mark.parametrize("text", KERNELS.values(), ids=KERNELS)
def test_check_names_what_fix_writes(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    (optimum,) = check(path, "gfx942").kernels[0].optima
    report = fix(path, "gfx942", isa=False, execute=False)
    assert isinstance(report, FixReport)
    (change,) = report.changes
    assert (optimum.present, optimum.best) == (change.before, change.after)
    assert str(optimum.known) == change.optimum
    assert any("stores that the compiler joins are one access" in note for note in optimum.notes)


def test_stores_in_parts_are_called_split(tmp_path: Path) -> None:
    split = "with accesses split (joined stores)"
    apart = claimed(fixed(tmp_path, KERNELS["eight halves"]))
    whole = claimed(fixed(tmp_path, KERNELS["eight halves, read whole"]))
    assert split in apart[1]
    assert split not in whole[1]


def test_a_map_that_gains_nothing_in_the_text_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every store with an XOR of its own: that the compiler joins no more."""
    monkeypatch.setattr("bankwise.change.rewrite.apply.neighbours", lambda group, layout: {})
    text = KERNELS["eight halves, read whole"]
    report = fixed(tmp_path, text)
    assert (report.changes, report.fixed_text) == ((), text)
    assert report.before.kernels[0].totals == report.after.kernels[0].totals
    (refusal,) = report.refusals
    now = report.before.kernels[0].totals.run.passes
    assert f"as the compiler joins its accesses, it takes {now} passes, and" in refusal.reason
    assert refusal.reason.endswith(": not written")


def test_what_is_claimed_is_what_the_text_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned, _ = claimed(fixed(tmp_path, KERNELS["three bytes"]))
    monkeypatch.setattr("bankwise.change.rewrite.apply.neighbours", lambda group, layout: {})
    report = fixed(tmp_path, KERNELS["three bytes"])
    (change,) = report.changes
    assert change.after == report.after.kernels[0].totals.run
    assert change.optimum == f"counted in the changed text, where {planned} were planned"
    assert change.certificate is None


def test_kernels_that_share_a_global_keep_their_joined_stores(tmp_path: Path) -> None:
    body = im2col(8, wide=8, own=True).replace(
        "%lds = memref.alloc() :", "%lds = memref.get_global @g :"
    )
    other = body.replace("func.func @k(", "func.func @other(").replace("mod 4", "mod 8")
    tile = f"memref<{THREADS}x{ROW}xf16, #gpu.address_space<workgroup>>"
    text = f'module {{\nmemref.global "private" @g : {tile}\n{body}{other}}}\n'
    report = fixed(tmp_path, text)
    (change,) = report.changes
    assert change.after == sum((kernel.totals.run for kernel in report.after.kernels), start=Cost())
    assert change.after.passes == change.after.ideal < change.before.passes
    issued = [a.issued for k in report.after.kernels for a in k.accesses if a.executions]
    assert sorted(issued) == [("ds_read_b128",)] * 2 + [("ds_write_b128",)] * 2
