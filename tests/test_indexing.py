"""Index evaluation: each expectation is worked out by hand or by Python's own integers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ir = pytest.importorskip("iree.compiler.ir")

from bankwise.read.mlir.indexing import ThreadIds, evaluate, thread_results  # noqa: E402

KEPT: list = []
"""Operations do not keep their module alive."""

SIGNATURE = "%a: index, %b: index, %p: i8, %q: i8, %t: i1, %f: i1, %w: i32"


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context():
        yield
        KEPT.clear()


def ops(body: str) -> list:
    module = ir.Module.parse(f"func.func @f({SIGNATURE}) {{\n{body}\nreturn }}")
    KEPT.append(module)
    return [o.operation for o in module.body.operations[0].regions[0].blocks[0].operations][:-1]


def one(line: str, *operands: object) -> list:
    [op] = ops(line)
    results = evaluate(op, [np.asarray(x, np.int64) for x in operands])
    assert results is not None
    return [np.asarray(r).tolist() for r in results]


def truncated(a: int, b: int) -> int:
    return int(math.copysign(abs(a) // abs(b), a * b)) if a else 0


def unsigned(x: int) -> int:
    return x & 0xFF


def as_i8(x: int) -> int:
    return (x & 0xFF) - 256 if x & 0x80 else x & 0xFF


BY_PYTHON = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "divsi": truncated,
    "remsi": lambda a, b: a - truncated(a, b) * b,
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
    "divui": lambda a, b: unsigned(a) // unsigned(b),
    "remui": lambda a, b: unsigned(a) % unsigned(b),
    "ceildivui": lambda a, b: -(-unsigned(a) // unsigned(b)),
    "minsi": min,
    "maxsi": max,
    "minui": lambda a, b: min(a, b, key=unsigned),
    "maxui": lambda a, b: max(a, b, key=unsigned),
}


@settings(max_examples=20)
@given(st.integers(-128, 127), st.integers(-128, 127).filter(bool))
def test_i8_arithmetic_is_pythons_wrapped_to_eight_bits(a: int, b: int) -> None:
    for name, expected in BY_PYTHON.items():
        got = one(f"%x = arith.{name} %p, %q : i8", [a], [b])
        assert got == [[as_i8(expected(a, b))]], name


@settings(max_examples=20)
@given(st.integers(-128, 127), st.integers(0, 7))
def test_i8_shifts_are_pythons_wrapped_to_eight_bits(a: int, n: int) -> None:
    assert one("%x = arith.shli %p, %q : i8", [a], [n]) == [[as_i8(a << n)]]
    assert one("%x = arith.shrui %p, %q : i8", [a], [n]) == [[as_i8(unsigned(a) >> n)]]
    assert one("%x = arith.shrsi %p, %q : i8", [a], [n]) == [[a >> n]]


def test_the_index_dialect_names_the_same_arithmetic() -> None:
    assert one("%x = index.add %a, %b", [5], [3]) == [[8]]
    assert one("%x = index.divs %a, %b", [-7], [2]) == [[-3]]
    assert one("%x = index.floordivs %a, %b", [-7], [2]) == [[-4]]
    assert one("%x = index.shl %a, %b", [5], [3]) == [[40]]
    assert one("%x = index.cmp ult(%a, %b)", [5, -1], [3, 3]) == [[0, 0]]
    assert one("%x = index.constant 9") == [9]
    assert one("%x = index.casts %p : i8 to index", [-3]) == [[-3]]
    assert one("%x = index.castu %p : i8 to index", [-3]) == [[253]]


def test_undefined_lanes_do_not_disturb_the_others() -> None:
    assert one("%x = arith.divui %a, %b : index", [7, 7], [0, 2]) == [[0, 3]]
    assert one("%x = arith.ceildivsi %a, %b : index", [7, 7], [0, 2]) == [[0, 4]]
    assert one("%x = arith.shli %p, %q : i8", [1, 1], [9, 2]) == [[0, 4]]


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("eq", [0, 0, 1]),
        ("ne", [1, 1, 0]),
        ("slt", [1, 0, 0]),
        ("sle", [1, 0, 1]),
        ("sgt", [0, 1, 0]),
        ("sge", [0, 1, 1]),
        ("ult", [0, 1, 0]),
        ("ule", [0, 1, 1]),
        ("ugt", [1, 0, 0]),
        ("uge", [1, 0, 1]),
    ],
)
def test_comparisons_keep_signed_and_unsigned_apart(predicate: str, expected: list[int]) -> None:
    line = f"%x = arith.cmpi {predicate}, %a, %b : index"
    assert one(line, [-1, 1, 4], [1, -1, 4]) == [expected]


def test_a_true_bit_is_minus_one_when_signed() -> None:
    assert one("%x = arith.cmpi slt, %t, %f : i1", [1], [0]) == [[1]]
    assert one("%x = arith.cmpi ult, %t, %f : i1", [1], [0]) == [[0]]
    assert one("%x = arith.extsi %t : i1 to i32", [1]) == [[-1]]
    assert one("%x = arith.extui %t : i1 to i32", [1]) == [[1]]
    assert one("%x = arith.constant true") == [1]


def test_casts_wrap_and_extend() -> None:
    assert one("%x = arith.trunci %w : i32 to i8", [200, 300]) == [[-56, 44]]
    assert one("%x = arith.extui %p : i8 to i32", [-56]) == [[200]]
    assert one("%x = arith.extsi %p : i8 to i32", [-56]) == [[-56]]
    assert one("%x = arith.index_cast %a : index to i8", [200]) == [[-56]]
    assert one("%x = arith.index_castui %p : i8 to index", [-56]) == [[200]]


def test_select_chooses_per_lane() -> None:
    assert one("%x = arith.select %t, %a, %b : index", [1, 0], [5, 5], [6, 7]) == [[5, 7]]


def test_affine_division_rounds_down() -> None:
    quarter = "affine_map<(d0)[s0] -> (d0 floordiv 4 + s0 * 10 + d0 mod 4)>"
    assert one(f"%x = affine.apply {quarter}(%a)[%b]", [-1, 6], [1, 1]) == [[12, 13]]
    assert one("%x = affine.apply affine_map<(d0) -> (d0 ceildiv 4)>(%a)", [-1, 6]) == [[0, 2]]
    assert one("%x = affine.min affine_map<(d0) -> (d0, 4)>(%a)", [3, 9]) == [[3, 4]]
    assert one("%x = affine.max affine_map<(d0) -> (d0, 4)>(%a)", [3, 9]) == [[4, 9]]


def test_mixed_radix_has_the_last_basis_entry_fastest() -> None:
    assert one("%x:3 = affine.delinearize_index %a into (2, 2, 64) : index, index, index", 200) == [
        1,
        1,
        8,
    ]
    assert one("%x = affine.linearize_index [%a, %b] by (4, 16) : index", 3, 5) == [53]
    assert one("%x = affine.linearize_index [%a, %b] by (%b, 16) : index", 3, 5, 9) == [53]


def test_the_outermost_basis_entry_is_only_a_bound() -> None:
    with_bound = "%x:2 = affine.delinearize_index %a into (64, 16) : index, index"
    without = "%x:2 = affine.delinearize_index %a into (16) : index, index"
    assert one(with_bound, 1100) == one(without, 1100) == [68, 12]
    assert one("%x = affine.linearize_index [%a, %b] by (16) : index", 3, 5) == [53]


def test_what_is_no_integer_operation_has_no_value() -> None:
    for line in ("%x = arith.constant 1.0 : f32", "%x = arith.constant dense<1> : vector<4xi32>"):
        assert evaluate(ops(line)[0], []) is None


IDS = ThreadIds((4, 3, 2), 16, workgroup_id=(5, 6, 7), grid=(8, 9, 10))


def asked(line: str, *operands: object, active: object = None) -> list:
    [op] = ops(line)
    results = thread_results(op, IDS, [np.asarray(x, np.int64) for x in operands], active)
    assert results is not None
    return np.asarray(results[0]).tolist()


def test_threads_are_numbered_x_fastest_and_fill_whole_waves() -> None:
    assert (IDS.count, IDS.waves, IDS.valid.sum(), len(IDS.linear)) == (24, 2, 24, 32)
    assert asked("%x = gpu.thread_id x")[:5] == [0, 1, 2, 3, 0]
    assert asked("%x = gpu.thread_id y")[:13] == [0] * 4 + [1] * 4 + [2] * 4 + [0]
    assert asked("%x = gpu.thread_id z")[11:14] == [0, 1, 1]
    assert asked("%x = gpu.lane_id")[15:18] == [15, 0, 1]
    assert asked("%x = gpu.subgroup_id : index")[15:18] == [0, 1, 1]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("gpu.block_id y", 6),
        ("gpu.block_dim y", 3),
        ("gpu.grid_dim z", 10),
        ("gpu.subgroup_size : index", 16),
        ("hal.interface.workgroup.id[2] : index", 7),
        ("hal.interface.workgroup.count[0] : index", 8),
        ("hal.interface.workgroup.size[0] : index", 4),
        ("rocdl.workgroup.id.x : i32", 5),
        ("nvvm.read.ptx.sreg.ctaid.z : i32", 7),
        ("nvvm.read.ptx.sreg.ntid.z : i32", 2),
    ],
)
def test_workgroup_and_launch_are_uniform(line: str, expected: int) -> None:
    assert asked(f"%x = {line}") == expected


def test_every_vendors_thread_id_is_the_same() -> None:
    expected = asked("%x = gpu.thread_id y")
    assert asked("%x = rocdl.workitem.id.y : i32") == expected
    assert asked("%x = nvvm.read.ptx.sreg.tid.y : i32") == expected


def test_a_broadcast_takes_the_first_active_lane_of_each_wave() -> None:
    line = "%x = gpu.subgroup_broadcast %a, first_active_lane : index"
    values = np.arange(32) * 10
    assert asked(line, values) == [0] * 16 + [160] * 16
    assert asked(line, values, active=values % 80 == 30) == [30] * 16 + [190] * 16


def test_an_unknown_grid_is_not_guessed() -> None:
    [op] = ops("%x = gpu.grid_dim x")
    assert thread_results(op, ThreadIds((64, 1, 1), 64)) is None
