"""Masks, bounds, gathers, transfers and rank 0: what is touched, and above all what is not."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("iree.compiler")

from bankwise.errors import InputError
from run_mlir import run

LDS = "#gpu.address_space<workgroup>"


def kernel(body: str, shape: str = "64x8", out: str = "64x8") -> str:
    """Thread t, zero, and both buffers."""
    return f"""func.func @k(%in: memref<{shape}xf32>, %out: memref<{out}xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %pad = arith.constant 7.0 : f32
  %t = gpu.thread_id x
{body}
  return
}}"""


def ran(body: str, shape=(64, 8), out=(64, 8), size: int = 64, faults=()):
    """Input 1, 2, 3, ..., output -1, -1, ...: what is left of both."""
    text = kernel(body, "x".join(map(str, shape)), "x".join(map(str, out)))
    given = 1 + np.arange(np.prod(shape), dtype=np.float32)
    left = np.full(np.prod(out), -1, np.float32)
    found = run(text, given, left, size=size).faults
    assert [f.kind for f in found] == list(faults)
    return given.reshape(shape), left.reshape(out)


MASK = "  %m = arith.constant dense<[true, false, true, true]> : vector<4xi1>\n"
KEPT = np.array([True, False, True, True])


def test_a_masked_load_touches_no_element_that_is_off():
    """The element that is off lies in shared memory that nobody has written: no fault."""
    body = f"""{MASK}  %l = memref.alloc() : memref<64x4xf32, {LDS}>
  %v = vector.load %in[%t, %c0] : memref<64x8xf32>, vector<4xf32>
  %two = arith.constant dense<2.0> : vector<4xf32>
  vector.maskedstore %l[%t, %c0], %m, %v : memref<64x4xf32, {LDS}>, vector<4xi1>, vector<4xf32>
  %r = vector.maskedload %l[%t, %c0], %m, %two :
    memref<64x4xf32, {LDS}>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.store %r, %out[%t, %c0] : memref<64x4xf32>, vector<4xf32>"""
    given, out = ran(body, out=(64, 4))
    assert (out == np.where(KEPT, given[:, :4], 2)).all()


def test_a_masked_store_leaves_what_was_there():
    body = f"""{MASK}  %v = vector.load %in[%t, %c0] : memref<64x8xf32>, vector<4xf32>
  vector.maskedstore %out[%t, %c2], %m, %v : memref<64x8xf32>, vector<4xi1>, vector<4xf32>"""
    given, out = ran(body)
    wanted = np.full((64, 8), -1.0)
    wanted[:, 2:6] = np.where(KEPT, given[:, :4], -1)
    assert (out == wanted).all()


@pytest.mark.parametrize("lane", [0, 63])
def test_a_mask_may_differ_between_threads(lane):
    body = f"""  %l = arith.constant {lane} : index
  %here = arith.cmpi eq, %t, %l : index
  %m = vector.broadcast %here : i1 to vector<4xi1>
  %v = vector.load %in[%t, %c0] : memref<64x8xf32>, vector<4xf32>
  vector.maskedstore %out[%c3, %c0], %m, %v : memref<64x8xf32>, vector<4xi1>, vector<4xf32>"""
    given, out = ran(body)
    assert (out[3, :4] == given[lane, :4]).all()
    assert (np.delete(out, 3, axis=0) == -1).all()


def test_threads_that_do_not_take_a_branch_do_not_store():
    body = """  %low = arith.cmpi ult, %t, %c4 : index
  scf.if %low {
    %x = memref.load %in[%t, %c0] : memref<64x8xf32>
    memref.store %x, %out[%t, %c0] : memref<64x8xf32>
  }"""
    given, out = ran(body)
    assert (out[:4, 0] == given[:4, 0]).all()
    assert (out == -1).sum() == out.size - 4


TRANSFER_MASK = "  %m = vector.create_mask %c2, %c3 : vector<4x8xi1>\n"


def test_a_masked_transfer_read_pads_and_does_not_touch():
    """Only 2 x 3 elements of the 4 x 8 are read; the others are poison in shared memory."""
    body = f"""{TRANSFER_MASK}  %l = memref.alloc() : memref<4x8xf32, {LDS}>
  %a = vector.transfer_read %in[%c0, %c0], %pad, %m {{in_bounds = [true, true]}} :
    memref<64x8xf32>, vector<4x8xf32>
  vector.transfer_write %a, %l[%c0, %c0], %m {{in_bounds = [true, true]}} :
    vector<4x8xf32>, memref<4x8xf32, {LDS}>
  %r = vector.transfer_read %l[%c0, %c0], %pad, %m {{in_bounds = [true, true]}} :
    memref<4x8xf32, {LDS}>, vector<4x8xf32>
  vector.transfer_write %r, %out[%c0, %c0] {{in_bounds = [true, true]}} :
    vector<4x8xf32>, memref<64x8xf32>"""
    given, out = ran(body)
    wanted = np.full((64, 8), -1.0)
    wanted[:4] = 7
    wanted[:2, :3] = given[:2, :3]
    assert (out == wanted).all()


def test_a_masked_transfer_write_leaves_what_was_there():
    body = f"""{TRANSFER_MASK}  %a = vector.transfer_read %in[%c0, %c0], %pad
      {{in_bounds = [true, true]}} : memref<64x8xf32>, vector<4x8xf32>
  vector.transfer_write %a, %out[%c1, %c0], %m {{in_bounds = [true, true]}} :
    vector<4x8xf32>, memref<64x8xf32>"""
    given, out = ran(body)
    wanted = np.full((64, 8), -1.0)
    wanted[1:3, :3] = given[:2, :3]
    assert (out == wanted).all()


def test_the_mask_of_a_transposing_transfer_has_the_dimensions_of_the_memory():
    """Language reference: the mask's shape is that of the elements before they are permuted."""
    body = """  %m = vector.create_mask %c2, %c3 : vector<4x8xi1>
  %a = vector.transfer_read %in[%c0, %c0], %pad, %m {in_bounds = [true, true],
    permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<64x8xf32>, vector<8x4xf32>
  vector.transfer_write %a, %out[%c0, %c0] {in_bounds = [true, true]} :
    vector<8x4xf32>, memref<8x4xf32>"""
    given, out = ran(body, out=(8, 4))
    wanted = np.full((4, 8), 7.0)
    wanted[:2, :3] = given[:2, :3]
    assert (out == wanted.T).all()


def test_a_transposing_write_and_its_mask():
    body = """  %m = vector.create_mask %c3, %c2 : vector<4x2xi1>
  %a = vector.transfer_read %in[%c0, %c0], %pad {in_bounds = [true, true]} :
    memref<64x8xf32>, vector<2x4xf32>
  vector.transfer_write %a, %out[%c0, %c0], %m {in_bounds = [true, true],
    permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : vector<2x4xf32>, memref<8x4xf32>"""
    given, out = ran(body, out=(8, 4))
    wanted = np.full((8, 4), -1.0)
    wanted[:3, :2] = given[:2, :3].T
    assert (out == wanted).all()


def test_a_transfer_repeats_along_the_dimensions_that_are_0():
    body = """  %a = vector.transfer_read %in[%t, %c1], %pad {in_bounds = [true, true],
    permutation_map = affine_map<(d0, d1) -> (0, d1)>} : memref<64x8xf32>, vector<2x4xf32>
  vector.transfer_write %a, %out[%t, %c0, %c0] {in_bounds = [true, true]} :
    vector<2x4xf32>, memref<64x2x4xf32>"""
    given, out = ran(body, out=(64, 2, 4))
    assert (out == given[:, None, 1:5]).all()


def test_a_transfer_along_an_outer_dimension_reads_a_column():
    body = """  %a = vector.transfer_read %in[%c4, %c1], %pad {in_bounds = [true],
    permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<64x8xf32>, vector<4xf32>
  vector.transfer_write %a, %out[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>"""
    given, out = ran(body, out=(4,))
    assert (out == given[4:8, 1]).all()


def test_out_of_bounds_counts_in_the_dimension_of_the_memory():
    """Rows 62 and 63 exist, 64 and 65 do not; the columns all do."""
    body = """  %far = arith.constant 62 : index
  %a = vector.transfer_read %in[%far, %c0], %pad {in_bounds = [true, false],
    permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<64x8xf32>, vector<8x4xf32>
  vector.transfer_write %a, %out[%c0, %c0] {in_bounds = [true, true]} :
    vector<8x4xf32>, memref<8x4xf32>"""
    given, out = ran(body, out=(8, 4))
    assert (out[:, :2] == given[62:].T).all()
    assert (out[:, 2:] == 7).all()


def test_a_transfer_that_promises_bounds_and_leaves_them_is_a_fault():
    body = """  %a = vector.transfer_read %in[%t, %c4], %pad {in_bounds = [true]} :
    memref<64x8xf32>, vector<8xf32>
  vector.transfer_write %a, %out[%t, %c0] {in_bounds = [true]} : vector<8xf32>, memref<64x8xf32>"""
    ran(body, faults=["bounds"])


def test_a_write_out_of_bounds_writes_nothing_there():
    body = """  %a = vector.transfer_read %in[%t, %c0], %pad {in_bounds = [true]} :
    memref<64x8xf32>, vector<8xf32>
  vector.transfer_write %a, %out[%t, %c3] {in_bounds = [false]} :
    vector<8xf32>, memref<64x8xf32>"""
    given, out = ran(body)
    assert (out[:, :3] == -1).all()
    assert (out[:, 3:] == given[:, :5]).all()


STEPS = "  %s = arith.constant dense<[3, 0, 9, 3]> : vector<4xi32>\n"


def test_a_gather_steps_from_its_base_also_into_the_next_row():
    body = f"""{MASK}{STEPS}  %two = arith.constant dense<2.0> : vector<4xf32>
  %row = arith.minui %t, %c3 : index
  %r = vector.gather %in[%row, %c1][%s], %m, %two :
    memref<64x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.store %r, %out[%t, %c0] : memref<64x4xf32>, vector<4xf32>"""
    given, out = ran(body, out=(64, 4))
    flat = given.ravel()
    for thread in range(64):
        base = 8 * min(thread, 3) + 1
        assert out[thread].tolist() == [flat[base + 3], 2, flat[base + 9], flat[base + 3]]


def test_a_gather_does_not_touch_what_its_mask_has_off():
    """Element 1 would lie far outside."""
    body = f"""{MASK}  %s = arith.constant dense<[3, 99999, 2, 0]> : vector<4xi32>
  %two = arith.constant dense<2.0> : vector<4xf32>
  %r = vector.gather %in[%t, %c0][%s], %m, %two :
    memref<64x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.store %r, %out[%t, %c0] : memref<64x4xf32>, vector<4xf32>"""
    given, out = ran(body, out=(64, 4))
    assert (out == np.where(KEPT, given[:, [3, 0, 2, 0]], 2)).all()


def test_a_scatter_writes_in_order_and_only_what_is_on():
    """Elements 0 and 3 have one place: the later one stays (language reference)."""
    body = f"""{MASK}{STEPS.replace("9", "5")}
  %v = vector.load %in[%t, %c0] : memref<64x8xf32>, vector<4xf32>
  vector.scatter %out[%t, %c1][%s], %m, %v :
    memref<64x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>"""
    given, out = ran(body)
    wanted = np.full((64, 8), -1.0)
    wanted[:, 1 + 5] = given[:, 2]
    wanted[:, 1 + 3] = given[:, 3]
    assert (out == wanted).all()


def test_lanes_that_scatter_different_values_to_one_place_are_a_fault():
    body = f"""{MASK}{STEPS}
  %v = vector.load %in[%t, %c0] : memref<64x8xf32>, vector<4xf32>
  vector.scatter %out[%c0, %c1][%s], %m, %v :
    memref<64x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>"""
    ran(body, faults=["write-write"])


def test_expanding_and_compressing_close_the_gaps_of_the_mask():
    body = f"""{MASK}  %two = arith.constant dense<2.0> : vector<4xf32>
  %r = vector.expandload %in[%t, %c1], %m, %two :
    memref<64x8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.store %r, %out[%t, %c0] : memref<64x8xf32>, vector<4xf32>
  %v = vector.load %in[%t, %c0] : memref<64x8xf32>, vector<4xf32>
  vector.compressstore %out[%t, %c4], %m, %v : memref<64x8xf32>, vector<4xi1>, vector<4xf32>"""
    given, out = ran(body)
    assert (out[:, :4] == np.where(KEPT, given[:, [1, 0, 2, 3]], 2)).all()
    assert (out[:, 4:7] == given[:, [0, 2, 3]]).all()
    assert (out[:, 7] == -1).all()


def test_rank_0_is_loaded_stored_and_transferred():
    text = f"""func.func @k(%in: memref<f32>, %out: memref<4xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %pad = arith.constant 0.0 : f32
  %l = memref.alloc() : memref<f32, {LDS}>
  %x = memref.load %in[] : memref<f32>
  memref.store %x, %l[] : memref<f32, {LDS}>
  %v = vector.transfer_read %l[], %pad : memref<f32, {LDS}>, vector<f32>
  %e = vector.extract %v[] : f32 from vector<f32>
  memref.store %e, %out[%c0] : memref<4xf32>
  %d = arith.addf %v, %v : vector<f32>
  vector.transfer_write %d, %l[] : vector<f32>, memref<f32, {LDS}>
  %w = vector.load %l[] : memref<f32, {LDS}>, vector<f32>
  %f = vector.extract %w[] : f32 from vector<f32>
  memref.store %f, %out[%c1] : memref<4xf32>
  return
}}"""
    out = np.full(4, -1, np.float32)
    result = run(text, np.array([5], np.float32), out, size=64)
    assert result.faults == ()
    assert out.tolist() == [5, 10, -1, -1]


def test_reading_rank_0_that_nobody_wrote_is_poison():
    text = f"""func.func @k(%out: memref<1xf32>) {{
  %c0 = arith.constant 0 : index
  %l = memref.alloc() : memref<f32, {LDS}>
  %x = memref.load %l[] : memref<f32, {LDS}>
  memref.store %x, %out[%c0] : memref<1xf32>
  return
}}"""
    (fault,) = run(text, np.zeros(1, np.float32), size=1).faults
    assert fault.kind == "poison"


def test_numbers_of_the_launch_are_given_by_value():
    text = """func.func @k(%n: index, %out: memref<8xindex>) {
  %m = hal.interface.constant.load layout(<constants = 1, bindings = [
    #hal.pipeline.binding<storage_buffer>]>) ordinal(0) : i32
  %mi = arith.index_cast %m : i32 to index
  %c0 = arith.constant 0 : index
  %s = arith.addi %n, %mi : index
  memref.store %s, %out[%c0] : memref<8xindex>
  return
}"""
    out = np.zeros(8, np.int64)
    values = {"index": 40, "i32": 2}
    empty = np.zeros(0, np.uint8)
    run(text, empty, out, size=1, known=lambda value: values.get(str(value.type)))
    assert out[0] == 42


def test_a_call_runs_the_body_of_its_function_in_its_place():
    text = f"""func.func @k(%in: memref<64xf32>, %out: memref<64xf32>) {{
  %t = gpu.thread_id x
  %l = memref.alloc() : memref<64xf32, {LDS}>
  %c63 = arith.constant 63 : index
  %x = memref.load %in[%t] : memref<64xf32>
  %y = func.call @twice(%x, %l, %t) : (f32, memref<64xf32, {LDS}>, index) -> f32
  %o = arith.subi %c63, %t : index
  %z = func.call @twice(%y, %l, %o) : (f32, memref<64xf32, {LDS}>, index) -> f32
  memref.store %z, %out[%t] : memref<64xf32>
  return
}}
func.func private @twice(%x: f32, %l: memref<64xf32, {LDS}>, %i: index) -> f32 {{
  %s = arith.addf %x, %x : f32
  memref.store %s, %l[%i] : memref<64xf32, {LDS}>
  %r = memref.load %l[%i] : memref<64xf32, {LDS}>
  return %r : f32
}}"""
    given, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    result = run(text, given, out)
    assert result.faults == ()
    assert (out == 4 * given).all()
    assert result.operations["func.call"] == 2


@pytest.mark.parametrize("callee", ["k", "nobody"])
def test_a_call_that_cannot_be_followed_is_refused_by_name(callee):
    text = f"""func.func @k() {{
  func.call @{callee}() : () -> ()
  return
}}
func.func private @nobody()"""
    with pytest.raises(InputError, match=callee):
        run(text)


def test_a_memref_is_copied_element_by_element():
    text = f"""func.func @k(%in: memref<4x8xf32>, %out: memref<4x8xf32>) {{
  %l = memref.alloc() : memref<4x8xf32, strided<[9, 1]>, {LDS}>
  memref.copy %in, %l : memref<4x8xf32> to memref<4x8xf32, strided<[9, 1]>, {LDS}>
  memref.copy %l, %out : memref<4x8xf32, strided<[9, 1]>, {LDS}> to memref<4x8xf32>
  return
}}"""
    given, out = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    assert run(text, given, out, size=1).faults == ()
    assert (out == given).all()
