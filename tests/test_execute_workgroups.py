"""Which workgroups run: the edges of guards are found by looking for them, not by luck."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from hypothesis import given, settings
from hypothesis import strategies as st

from bankwise.ask.analysis import analyse
from bankwise.ask.workgroups import WorkgroupOrder, workgroup_order
from bankwise.change.execute.guards import GuardEdges, asked_axes, guard_edges
from bankwise.read.mlir.indexing import ThreadIds
from bankwise.read.mlir.module import open_text
from bankwise.read.options import Options
from run_mlir import opened

IDS = "  %bx = gpu.block_id x\n  %by = gpu.block_id y\n  %t = gpu.thread_id x\n"


def edges(body: str, grid: tuple[int, int, int], known: int | None = None) -> GuardEdges:
    """The edges in a kernel of 64 threads; ``known``: what its argument %n is."""
    text = f"func.func @k(%n: index, %m: memref<64xindex>) {{\n{IDS}{body}\n  return\n}}"
    module, function = opened(text)
    number = lambda value: known if str(value.type) == "index" else None  # noqa: E731
    found = guard_edges(function, ThreadIds((64, 1, 1), 64), grid, number)
    assert module
    return found


def constant(value: int) -> str:
    return f"  %c = arith.constant {value} : index\n"


CASES = {
    # body -> where, along x, what happens is another thing than in the workgroup before
    "a comparison": (constant(700) + "  %g = arith.cmpi slt, %bx, %c : index", {700}),
    "the last one": (constant(999) + "  %g = arith.cmpi eq, %bx, %c : index", {999}),
    "a clamp": (constant(321) + "  %g = arith.minsi %bx, %c : index", {322}),
    "an unsigned maximum": (constant(17) + "  %g = arith.maxui %bx, %c : index", {17}),
    "an affine minimum": (
        "  %g = affine.min affine_map<()[s] -> (s * 3, 301)>()[%bx]",
        {101},
    ),
    "a mask": (
        "  %r = affine.apply affine_map<()[s] -> (8000 - s * 8)>()[%bx]\n"
        "  %g = vector.create_mask %r : vector<8xi1>",
        set(),
    ),
    "a partial mask": (
        "  %r = affine.apply affine_map<()[s] -> (803 - s * 8)>()[%bx]\n"
        "  %g = vector.create_mask %r : vector<8xi1>",
        {100, 101},
    ),
    "the threads of one workgroup": (
        "  %r = affine.apply affine_map<()[s, t] -> (s * 64 + t)>()[%bx, %t]\n"
        + constant(640 + 5)
        + "  %g = arith.cmpi ult, %r, %c : index",
        {10, 11},
    ),
    "a condition that is no comparison": (
        "  %b = arith.index_cast %bx : index to i32\n  %h = arith.constant 512 : i32\n"
        "  %q = arith.divui %b, %h : i32\n  %i = arith.trunci %q : i32 to i1\n"
        "  %g = arith.select %i, %bx, %t : index",
        {512},
    ),
    "a loop that does not run": (
        constant(40) + "  %s = arith.constant 1 : index\n  scf.for %i = %bx to %c step %s {\n  }",
        {40},
    ),
    "the last round of a loop": (
        constant(10) + "  %z = arith.constant 0 : index\n  %s = arith.constant 3 : index\n"
        "  scf.for %i = %z to %c step %s {\n    %r = arith.addi %i, %bx : index\n"
        "    %l = arith.constant 900 : index\n    %g = arith.cmpi ult, %r, %l : index\n  }",
        {900, 891},
    ),
    "a branch's value": (
        constant(77) + "  %k = arith.cmpi ult, %bx, %c : index\n  %v = scf.if %k -> index {\n"
        "    scf.yield %bx : index\n  } else {\n    scf.yield %c : index\n  }\n"
        "  %l = arith.constant 50 : index\n  %g = arith.cmpi ult, %v, %l : index",
        {50, 77},
    ),
    "a transfer that may leave its memref": (
        "  %p = arith.constant 0 : index\n  %z = arith.constant 4 : index\n"
        "  %at = arith.muli %bx, %z : index\n"
        "  %g = vector.transfer_read %m[%at], %p : memref<64xindex>, vector<6xindex>",
        {15, 16},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_both_sides_of_every_edge_are_found(case):
    body, where = CASES[case]
    found = {x for x, _, _ in edges(body, (1000, 1, 1)).workgroups}
    assert found == {x + side for x in where for side in (-1, 0)}


def test_an_edge_in_a_huge_grid_is_halved_down_to():
    body = constant(123_456_789) + "  %g = arith.cmpi ult, %bx, %c : index"
    found = edges(body, (2**31 - 1, 65_535, 1))
    assert {x for x, _, _ in found.workgroups} == {123_456_788, 123_456_789}
    assert {y for _, y, _ in found.workgroups} == {0, 65_534}


def test_a_bit_of_the_number_is_seen_both_ways():
    body = constant(4) + "  %a = arith.andi %bx, %c : index\n  %g = arith.cmpi eq, %a, %c : index"
    found = {x for x, _, _ in edges(body, (16_384, 1, 1)).workgroups}
    assert {bool(x & 4) for x in found} == {False, True}
    assert {3, 4, 7, 8} <= found


def test_a_guard_over_two_axes_is_found_inside_the_grid():
    """7 y + x < 40 changes at (5, 5) and between the rows there."""
    body = (
        "  %l = affine.apply affine_map<()[s, t] -> (s * 7 + t)>()[%by, %bx]\n"
        + constant(40)
        + "  %g = arith.cmpi ult, %l, %c : index"
    )
    found = edges(body, (7, 9, 1)).workgroups
    below = {(x, y): 7 * y + x < 40 for x, y in product(range(7), range(9))}
    assert {below[x, y] for x, y, _ in found} == {True, False}
    assert all(
        any(below.get((x + i, y + j), below[x, y]) != below[x, y] for i, j in NEXT)
        for x, y, _ in found
    )


NEXT = ((1, 0), (-1, 0), (0, 1), (0, -1))


def test_a_size_of_the_launch_moves_the_edge():
    body = "  %g = arith.cmpi ult, %bx, %n : index"
    assert edges(body, (100, 1, 1)).unsearched == 1
    assert {x for x, _, _ in edges(body, (100, 1, 1), 60).workgroups} == {59, 60}


def test_a_guard_by_loaded_values_is_counted_and_not_searched():
    body = constant(3) + "  %v = memref.load %m[%bx] : memref<64xindex>\n"
    found = edges(body + "  %g = arith.cmpi ult, %v, %c : index", (64, 1, 1))
    assert found == GuardEdges((), 0, 1)


def test_guards_of_threads_only_have_no_edges():
    found = edges(constant(3) + "  %g = arith.cmpi ult, %t, %c : index", (64, 1, 1))
    assert found == GuardEdges((), 0, 0)


@settings(max_examples=40, deadline=None)
@given(
    a=st.integers(-5, 5),
    b=st.integers(-5, 5),
    c=st.integers(-60, 60),
    x=st.integers(1, 12),
    y=st.integers(1, 12),
)
def test_every_linear_guard_is_seen_on_both_sides_if_it_has_two(a, b, c, x, y):
    body = (
        f"  %l = affine.apply affine_map<()[s, t] -> (s * {a} + t * {b} + {c})>()[%bx, %by]\n"
        + constant(0)
        + "  %g = arith.cmpi slt, %l, %c : index"
    )
    found = edges(body, (x, y, 1)).workgroups
    sides = {(a * i + b * j + c) < 0 for i, j in product(range(x), range(y))}
    assert {(a * i + b * j + c) < 0 for i, j, _ in found} == (sides if len(sides) > 1 else set())


def test_a_function_that_is_called_may_ask():
    text = """func.func @k() {
  func.call @f() : () -> ()
  return
}
func.func private @f() {
  %b = gpu.block_id y
  return
}"""
    module, function = opened(text)
    assert asked_axes(function) == (1,)
    assert module


# The order, and the words


def planned(grid: str, most: int, guard: str = "") -> WorkgroupOrder:
    text = f"""func.func @k(%out: memref<64xindex>) attributes {{
    gpu.known_block_size = array<i32: 64, 1, 1>{grid}}} {{
{IDS}{guard}
  %lds = memref.alloc() : memref<64xindex, #gpu.address_space<workgroup>>
  memref.store %bx, %lds[%t] : memref<64xindex, #gpu.address_space<workgroup>>
  return
}}"""
    module = open_text(text)
    (analysis,) = analyse(module, Options("gfx950"))
    return workgroup_order(analysis, most, lambda value: None)


GUARD = constant(11) + "  %g = arith.cmpi slt, %bx, %c : index\n"


def test_corners_then_edges_then_others_and_all_if_there_is_room():
    found = planned(", gpu.known_grid_size = array<i32: 30, 5, 2>", 1000, GUARD)
    corners = {(i, j, k) for i in (0, 29) for j in (0, 4) for k in (0, 1)}
    assert set(found.workgroups[:8]) == corners
    assert {x for x, _, _ in found.workgroups[8 : 8 + found.edges]} == {10, 11}
    assert sorted(found.workgroups) == sorted(product(range(30), range(5), range(2)))
    assert found.words(found.workgroups) == " over all 300 workgroups"
    assert found.complete(found.workgroups)


def test_a_sample_says_what_it_is_made_of():
    found = planned(", gpu.known_grid_size = array<i32: 16384, 1, 1>", 40, GUARD)
    told = "; sampled 40 of 16,384 workgroups: 2 corners, 2 at the edges of 1 guard, 36 random"
    assert found.words(found.workgroups) == told
    assert found.words(found.workgroups[:3]) == (
        "; sampled 3 of 16,384 workgroups: 2 corners, 1 at the edges of 1 guard"
    )
    assert not found.complete(found.workgroups)
    again = planned(", gpu.known_grid_size = array<i32: 16384, 1, 1>", 40, GUARD)
    assert found == again
    assert len(set(found.workgroups)) == 40


def test_a_guard_that_could_not_be_searched_is_said():
    guard = (
        "  %v = memref.load %out[%bx] : memref<64xindex>\n  %g = arith.cmpi slt, %v, %bx : index\n"
    )
    found = planned(", gpu.known_grid_size = array<i32: 64, 1, 1>", 10, guard)
    assert "(1 guard by unknown values not searched for edges)" in found.words(found.workgroups)


def test_without_a_grid_small_numbers_and_edges_stand_for_it():
    found = planned("", 1000, GUARD)
    assert found.workgroups[0] == (0, 0, 0)
    assert {(1, 0, 0), (0, 1, 0), (4, 0, 0), (10, 0, 0), (11, 0, 0)} <= set(found.workgroups)
    assert not found.complete(found.workgroups)
    assert "(0, 0, 0), (1, 0, 0)" in found.words(found.workgroups)


def test_one_workgroup_is_the_only_one():
    found = planned(", gpu.known_grid_size = array<i32: 1, 1, 1>", 1000)
    assert found.workgroups == ((0, 0, 0),)
    assert found.words(found.workgroups) == " over the only workgroup"


def test_the_largest_grid_is_planned_with_counted_work():
    found = planned(", gpu.known_grid_size = array<i32: 2147483647, 65535, 1>", 100, GUARD)
    assert len(found.workgroups) == 100
    assert np.array(found.workgroups).max(axis=0).tolist() == [2**31 - 2, 65_534, 0]
