"""Workgroups side by side: what one after the other leaves, and what has to run that way."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

pytest.importorskip("iree.compiler")

from pathlib import Path

from bankwise.change.execute import ExecutableKernel, Fault, compiled
from bankwise.change.execute.run import execute_workgroup
from bankwise.change.execute.several import Allowance, run_several
from bankwise.change.execute.side_by_side import Bindings
from bankwise.read.mlir.indexing import ThreadIds
from run_mlir import opened, random

EXAMPLES = Path(__file__).parent.parent / "examples"
LDS = "#gpu.address_space<workgroup>"
THREADS, WORKGROUPS = 128, 6


def kernel(body: str) -> str:
    """A kernel of two buffers that knows its thread %t, its workgroup %b and %at = 128 b + t."""
    return f"""func.func @k(%in: memref<768xi32>, %out: memref<768xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant 1 : i32
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %first = arith.muli %b, %c128 : index
  %at = arith.addi %first, %t : index
  %v = memref.load %in[%at] : memref<768xi32>
{body}
  return
}}"""


def ids(count: int = WORKGROUPS, size: Any = THREADS) -> list[ThreadIds]:
    return [ThreadIds((size, 1, 1), 64, (b, 0, 0), (count, 1, 1)) for b in range(count)]


def run(body: str, work: int | None = None) -> tuple[Any, list[int], tuple[Fault, ...], Bindings]:
    """What is in %out, what each workgroup cost, the faults, and how they ran.

    %in is 0, 1, 2, ..., %out is -1 before.
    """
    module, function = opened(kernel(body))
    program = compiled(function.operation, module.location_of)
    out, bindings = np.full(768, -1, np.int32), Bindings()
    buffers = [np.arange(768, dtype=np.int32), out]
    ran = [*run_several(program, buffers, ids(), bindings, Allowance(work, 1))]
    faults = tuple(fault for one in ran for fault in one.faults)
    return out, [one.price for one in ran], faults, bindings


BETWEEN = f"""
  %lds = memref.alloc() : memref<128xi32, {LDS}>
  memref.store %v, %lds[%t] : memref<128xi32, {LDS}>
  gpu.barrier
  %other = arith.subi %c127, %t : index
  %w = memref.load %lds[%other] : memref<128xi32, {LDS}>
  memref.store %w, %out[%at] : memref<768xi32>"""


def test_every_workgroup_has_shared_memory_of_its_own() -> None:
    out, prices, faults, bindings = run(BETWEEN)
    wanted = [128 * b + 127 - t for b in range(WORKGROUPS) for t in range(THREADS)]
    assert (out.tolist(), faults, bindings.alone) == (wanted, (), False)
    assert prices == [THREADS * 16] * WORKGROUPS


def test_workgroups_go_round_a_loop_as_often_as_each_of_them_wants() -> None:
    out, prices, _, bindings = run("""
  %sum = scf.for %i = %c0 to %b step %c1 iter_args(%s = %v) -> i32 {
    %more = arith.addi %s, %one : i32
    scf.yield %more : i32
  }
  %odd = arith.andi %b, %c1 : index
  %is = arith.cmpi ne, %odd, %c0 : index
  scf.if %is {
    gpu.barrier
    memref.store %sum, %out[%at] : memref<768xi32>
  }""")
    wanted = [128 * b + t + b if b % 2 else -1 for b in range(6) for t in range(THREADS)]
    assert (out.tolist(), bindings.alone) == (wanted, False)
    assert prices == [THREADS * (14 + b + 2 * (b % 2)) for b in range(6)]


def test_a_reduction_over_a_workgroup_stays_in_it() -> None:
    out, _, _, bindings = run("""
  %sum = gpu.all_reduce add %v uniform {} : (i32) -> i32
  memref.store %sum, %out[%at] : memref<768xi32>""")
    sums = np.arange(768).reshape(WORKGROUPS, THREADS).sum(axis=1)
    assert (out.tolist(), bindings.alone) == (np.repeat(sums, THREADS).tolist(), False)


def test_a_view_of_shared_memory_by_another_type_stays_in_its_workgroup() -> None:
    out, _, faults, bindings = run(f"""
  %bytes = memref.alloc() : memref<513xi8, {LDS}>
  %c0b = arith.constant 0 : index
  %lds = memref.view %bytes[%c0b][] : memref<513xi8, {LDS}> to memref<128xi32, {LDS}>
  memref.store %v, %lds[%t] : memref<128xi32, {LDS}>
  %w = memref.load %lds[%t] : memref<128xi32, {LDS}>
  memref.store %w, %out[%at] : memref<768xi32>""")
    assert (out.tolist(), faults, bindings.alone) == (list(range(768)), (), False)


IN_PLACE = """
  %old = memref.load %out[%at] : memref<768xi32>
  %new = arith.addi %old, %v : i32
  memref.store %new, %out[%at] : memref<768xi32>"""


def test_workgroups_that_read_and_write_what_is_theirs_run_side_by_side() -> None:
    out, _, _, bindings = run(IN_PLACE)
    assert (out.tolist(), bindings.alone) == ([n - 1 for n in range(768)], False)


APART = {
    # what has to run one after the other: what is in the first element of each workgroup behind it
    "reads what the one before wrote": (
        """
  %before = arith.subi %at, %c128 : index
  %from = arith.maxsi %before, %c0 : index
  %old = memref.load %out[%from] : memref<768xi32>
  %new = arith.addi %old, %one : i32
  memref.store %new, %out[%at] : memref<768xi32>""",
        [0, 1, 2, 3, 4, 5],
    ),
    "reads what the next one writes": (
        """
  %c640 = arith.constant 640 : index
  %behind = arith.addi %at, %c128 : index
  %from = arith.minsi %behind, %c640 : index
  %old = memref.load %out[%from] : memref<768xi32>
  %new = arith.addi %old, %v : i32
  memref.store %new, %out[%at] : memref<768xi32>""",
        [-1, 127, 255, 383, 511, 639],
    ),
    "writes what the others write": (
        "  memref.store %v, %out[%t] : memref<768xi32>",
        [640, -1, -1, -1, -1, -1],
    ),
    "takes turns": (
        """
  %old = memref.atomic_rmw addi %one, %out[%c0] : (i32, memref<768xi32>) -> i32
  %late = arith.addi %at, %c1 : index
  %c767 = arith.constant 767 : index
  %to = arith.minsi %late, %c767 : index
  %inside = arith.cmpi slt, %late, %c767 : index
  scf.if %inside {
    memref.store %old, %out[%to] : memref<768xi32>
  }""",
        [767, 126, 254, 382, 510, 638],
    ),
}


@pytest.mark.parametrize("what", APART)
def test_a_workgroup_that_meets_another_one_runs_after_it(what: str) -> None:
    body, wanted = APART[what]
    out, prices, faults, bindings = run(body)
    assert (out[::THREADS].tolist(), bindings.alone, faults) == (wanted, True, ())
    assert len(prices) == WORKGROUPS


def test_a_fault_of_one_workgroup_is_told_as_if_it_had_run_alone() -> None:
    out, _, faults, bindings = run(f"""
  %c3 = arith.constant 3 : index
  %lds = memref.alloc() : memref<128xi32, {LDS}>
  %is = arith.cmpi eq, %b, %c3 : index
  %far = arith.select %is, %c128, %t : index
  memref.store %v, %lds[%far] : memref<128xi32, {LDS}>
  memref.store %v, %out[%at] : memref<768xi32>""")
    (bounds, *_) = [fault for fault in faults if fault.kind == "bounds"]
    assert (bounds.workgroup, bounds.thread, bindings.alone) == ((3, 0, 0), 0, True)
    assert "lane 0 of wave 0 leaves the allocation" in bounds.message
    assert out.tolist() == list(range(768))


def test_part_of_a_workgroup_at_a_barrier_is_a_fault_and_a_whole_one_is_none() -> None:
    _, _, faults, _ = run("""
  %c2 = arith.constant 2 : index
  %n = arith.divui %at, %c2 : index
  %c192 = arith.constant 192 : index
  %is = arith.cmpi ult, %n, %c192 : index
  scf.if %is { gpu.barrier }""")
    assert faults == ()
    _, _, faults, _ = run("""
  %c192 = arith.constant 192 : index
  %is = arith.cmpi ult, %at, %c192 : index
  scf.if %is { gpu.barrier }""")
    assert {(fault.kind, fault.workgroup) for fault in faults} == {("barrier", (1, 0, 0))}


@pytest.mark.parametrize("body", [BETWEEN, IN_PLACE])
@pytest.mark.parametrize("whole", range(1, WORKGROUPS + 1))
def test_no_workgroup_leaves_anything_behind_the_work_that_is_allowed(
    body: str, whole: int
) -> None:
    every, (one, *_), _, _ = run(body)
    for work in (whole * one - one + 1, whole * one):
        out, prices, _, _ = run(body, work)
        assert prices == [one] * whole
        done = whole * THREADS
        assert (out[:done].tolist(), set(out[done:].tolist())) == (
            every[:done].tolist(),
            {-1} if whole < WORKGROUPS else set(),
        )


def test_work_that_grows_is_cut_where_one_after_the_other_cuts_it() -> None:
    """Workgroup b goes 40 b times round: the first is no measure of the others."""
    body = """
  %c40 = arith.constant 40 : index
  %end = arith.muli %b, %c40 : index
  scf.for %i = %c0 to %end step %c1 {
    memref.store %v, %out[%at] : memref<768xi32>
  }"""
    prices = [THREADS * (13 + 40 * b) for b in range(WORKGROUPS)]
    for whole in range(1, WORKGROUPS + 1):
        out, found, _, _ = run(body, sum(prices[:whole]))
        assert found == prices[:whole]
        assert set(out[whole * THREADS :].tolist()) <= {-1}


@pytest.mark.parametrize(
    "file", ["gemm_gather_to_lds/gemm_gfx950.mlir", "ldmatrix_sm80/ldmatrix.mlir"]
)
def test_kernels_leave_side_by_side_what_they_leave_one_after_the_other(file: str) -> None:
    text = (EXAMPLES / file).read_text("utf-8")
    module, function = opened(text)
    program: ExecutableKernel = compiled(function.operation, module.location_of)
    size, grid, wave = _launch(function)
    workgroups = [
        ThreadIds(size, wave, (x, y, z), grid)
        for z, y, x in product(range(grid[2]), range(grid[1]), range(grid[0]))
    ]
    alone, beside, bindings = random(text), random(text), Bindings()
    done = [execute_workgroup(program, alone, one) for one in workgroups]
    ran = [*run_several(program, beside, workgroups, bindings, Allowance(None, 1))]
    assert not bindings.alone
    threads = size[0] * size[1] * size[2]
    assert [one.price for one in ran] == [threads * sum(d.operations.values()) for d in done]
    assert all(a.tobytes() == b.tobytes() for a, b in zip(alone, beside, strict=True))


def _launch(function: Any) -> tuple[tuple[int, int, int], tuple[int, int, int], int]:
    """Threads, grid and lanes of a wave of the two examples, as they stand in their texts."""
    if "nvgpu" in str(function):
        return (128, 1, 1), (4, 4, 1), 32
    return (256, 1, 1), (4, 4, 1), 64
