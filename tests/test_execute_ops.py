"""Operations, each against what its dialect's reference says, computed here with numpy."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("iree.compiler")

from run_mlir import run

LDS = "#gpu.address_space<workgroup>"
THREADS = np.arange(64)


def vector(body: str, kind: str = "f32", count: int = 4, results: int = 4):
    """What 64 threads load as ``%v``, and what they store as ``%r`` after ``body``."""
    text = f"""func.func @k(%in: memref<64x{count}x{kind}>, %out: memref<64x{results}x{kind}>) {{
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %v = vector.load %in[%t, %c0] : memref<64x{count}x{kind}>, vector<{count}x{kind}>
{body}
  vector.store %r, %out[%t, %c0] : memref<64x{results}x{kind}>, vector<{results}x{kind}>
  return
}}"""
    of = {"f32": np.float32, "i32": np.int32, "i8": np.int8}[kind]
    given = np.random.default_rng(0).integers(-9, 9, 64 * count).astype(of)
    out = np.zeros(64 * results, of)
    assert run(text, given, out).faults == ()
    return given.reshape(64, count), out.reshape(64, results)


RESHAPES = {
    "vector.shuffle %v, %v [3, 6, 1, 0] : vector<4xf32>, vector<4xf32>": lambda v: v[
        :, [3, 2, 1, 0]
    ],
    "arith.negf %v : vector<4xf32>": lambda v: -v,
    "math.absf %v : vector<4xf32>": np.abs,
    "arith.maximumf %v, %v : vector<4xf32>": lambda v: v,
    "math.fma %v, %v, %v : vector<4xf32>": lambda v: v * v + v,
}


@pytest.mark.parametrize("op", RESHAPES)
def test_elementwise_and_shuffles(op):
    given, out = vector(f"  %r = {op}")
    assert (out == RESHAPES[op](given)).all()


def test_a_transpose_between_two_shape_casts():
    body = """  %a = vector.shape_cast %v : vector<6xf32> to vector<2x3xf32>
  %b = vector.transpose %a, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
  %r = vector.shape_cast %b : vector<3x2xf32> to vector<6xf32>"""
    given, out = vector(body, count=6, results=6)
    assert (out == given.reshape(64, 2, 3).swapaxes(1, 2).reshape(64, 6)).all()


def test_slices_extract_and_insert():
    body = """  %s = vector.extract_strided_slice %v offsets = [1], sizes = [2], strides = [1] :
    vector<4xf32> to vector<2xf32>
  %i = vector.insert_strided_slice %s, %v offsets = [2], strides = [1] :
    vector<2xf32> into vector<4xf32>
  %e = vector.extract %v[3] : f32 from vector<4xf32>
  %r = vector.insert %e, %i[0] : f32 into vector<4xf32>"""
    given, out = vector(body)
    assert (out == given[:, [3, 1, 1, 2]]).all()


def test_positions_may_differ_between_threads():
    body = """  %four = arith.constant 4 : index
  %p = arith.remui %t, %four : index
  %e = vector.extract %v[%p] : f32 from vector<4xf32>
  %r = vector.insert %e, %v[0] : f32 into vector<4xf32>"""
    given, out = vector(body)
    assert (out[:, 0] == given[THREADS, THREADS % 4]).all()


def test_elements_come_apart_and_together():
    body = """  %e:4 = vector.to_elements %v : vector<4xf32>
  %r = vector.from_elements %e#3, %e#3, %e#0, %e#1 : vector<4xf32>"""
    given, out = vector(body)
    assert (out == given[:, [3, 3, 0, 1]]).all()


@pytest.mark.parametrize(
    ("name", "function"), [("add", np.sum), ("maximumf", np.max), ("minimumf", np.min)]
)
def test_reductions(name, function):
    body = f"""  %x = vector.reduction <{name}>, %v : vector<4xf32> into f32
  %r = vector.broadcast %x : f32 to vector<4xf32>"""
    given, out = vector(body)
    assert (out == function(given, axis=1)[:, None]).all()


def test_a_reduction_over_one_of_two_dimensions():
    body = """  %m = vector.shape_cast %v : vector<6xf32> to vector<2x3xf32>
  %z = arith.constant dense<[1.0, 2.0, 3.0]> : vector<3xf32>
  %r = vector.multi_reduction <add>, %m, %z [0] : vector<2x3xf32> to vector<3xf32>"""
    given, out = vector(body, count=6, results=3)
    assert (out == given.reshape(64, 2, 3).sum(axis=1) + np.array([1, 2, 3])).all()


def test_masked_accesses_leave_the_rest():
    body = """  %m = vector.constant_mask [3] : vector<4xi1>
  %w = vector.maskedload %in[%t, %c0], %m, %two :
    memref<64x4xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %r = arith.mulf %w, %two : vector<4xf32>"""
    given, out = vector("  %two = arith.constant dense<2.0> : vector<4xf32>\n" + body)
    assert (out == np.where(np.arange(4) < 3, given * 2, 4)).all()


def test_a_transfer_read_pads_what_lies_outside():
    body = """  %pad = arith.constant 5.0 : f32
  %two = arith.constant 2 : index
  %r = vector.transfer_read %in[%t, %two], %pad : memref<64x4xf32>, vector<4xf32>"""
    given, out = vector(body)
    assert (out == np.concatenate([given[:, 2:], np.full((64, 2), 5)], axis=1)).all()


def test_integers_wrap_at_their_width_also_in_vectors():
    body = "  %a = arith.muli %v, %v : vector<4xi8>\n  %r = arith.addi %a, %a : vector<4xi8>"
    given, out = vector(body, "i8")
    assert (out == (given.astype(np.int64) ** 2 * 2).astype(np.int8)).all()


@pytest.mark.parametrize(
    ("predicate", "holds"),
    [
        ("ogt", [False, False, True, False]),
        ("ueq", [False, True, False, True]),
        ("one", [True, False, True, False]),
        ("ult", [True, False, False, True]),
        ("ord", [True, True, True, False]),
        ("uno", [False, False, False, True]),
        ("true", [True] * 4),
        ("false", [False] * 4),
    ],
)
def test_float_comparisons_know_nan(predicate, holds):
    body = f"""  %a = arith.constant dense<[1.0, 2.0, 3.0, 0x7FC00000]> : vector<4xf32>
  %b = arith.constant dense<2.0> : vector<4xf32>
  %z = arith.constant dense<0.0> : vector<4xf32>
  %c = arith.cmpf {predicate}, %a, %b : vector<4xf32>
  %r = arith.select %c, %b, %z : vector<4xi1>, vector<4xf32>"""
    _, out = vector(body)
    assert (out[0] == np.where(holds, 2, 0)).all()


SHUFFLES = {
    "xor": THREADS ^ 3,
    "up": np.maximum(THREADS - 3, 0) * (THREADS % 16 >= 3) + THREADS * (THREADS % 16 < 3),
    "down": np.where(THREADS % 16 + 3 < 16, THREADS + 3, THREADS),
    "idx": THREADS // 16 * 16 + 3,
}


@pytest.mark.parametrize("mode", SHUFFLES)
def test_lanes_exchange_inside_clusters(mode):
    body = f"""  %three = arith.constant 3 : i32
  %width = arith.constant 16 : i32
  %e = vector.extract %v[0] : f32 from vector<4xf32>
  %x, %ok = gpu.shuffle {mode} %e, %three, %width : f32
  %r = vector.broadcast %x : f32 to vector<4xf32>"""
    given, out = vector(body)
    assert (out[:, 0] == given[SHUFFLES[mode], 0]).all()


def test_a_subgroup_reduction_over_strided_clusters():
    body = """  %e = vector.extract %v[0] : f32 from vector<4xf32>
  %x = gpu.subgroup_reduce add %e cluster(size = 4, stride = 16) : (f32) -> f32
  %r = vector.broadcast %x : f32 to vector<4xf32>"""
    given, out = vector(body)
    assert (out[:, 0] == given[:, 0].reshape(4, 16).sum(axis=0)[THREADS % 16]).all()


def test_threads_take_both_sides_of_a_branch():
    body = """  %half = arith.constant 32 : index
  %low = arith.cmpi ult, %t, %half : index
  %r = scf.if %low -> vector<4xf32> {
    %a = arith.negf %v : vector<4xf32>
    scf.yield %a : vector<4xf32>
  } else {
    scf.yield %v : vector<4xf32>
  }"""
    given, out = vector(body)
    assert (out == np.where(THREADS[:, None] < 32, -given, given)).all()


def test_threads_run_a_loop_for_different_times():
    body = """  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : vector<4xf32>
  %r = scf.for %i = %c0 to %t step %c1 iter_args(%s = %z) -> vector<4xf32> {
    %n = arith.addf %s, %v : vector<4xf32>
    scf.yield %n : vector<4xf32>
  }"""
    given, out = vector(body)
    assert (out == given * THREADS[:, None]).all()


def test_a_loop_with_a_condition_runs_until_it_fails():
    body = """  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %n, %r = scf.while (%i = %c0, %s = %v) : (index, vector<4xf32>) -> (index, vector<4xf32>) {
    %more = arith.cmpi ult, %i, %c5 : index
    scf.condition(%more) %i, %s : index, vector<4xf32>
  } do {
  ^bb0(%i: index, %s: vector<4xf32>):
    %j = arith.addi %i, %c1 : index
    %d = arith.addf %s, %s : vector<4xf32>
    scf.yield %j, %d : index, vector<4xf32>
  }"""
    given, out = vector(body)
    assert (out == given * 32).all()


def test_views_lead_to_the_elements_they_name():
    text = f"""func.func @k(%in: memref<64xf32>, %out: memref<64xf32>) {{
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %lds = memref.alloc() : memref<8x24xf32, {LDS}>
  %sub = memref.subview %lds[0, %c2] [8, 8] [1, 1] :
    memref<8x24xf32, {LDS}> to memref<8x8xf32, strided<[24, 1], offset: ?>, {LDS}>
  %wide = memref.expand_shape %sub [[0], [1, 2]] output_shape [8, 4, 2] :
    memref<8x8xf32, strided<[24, 1], offset: ?>, {LDS}> into memref<8x4x2xf32, strided<[24, 2,
    1], offset: ?>, {LDS}>
  %d:3 = affine.delinearize_index %t into (8, 4, 2) : index, index, index
  %x = memref.load %in[%t] : memref<64xf32>
  memref.store %x, %wide[%d#0, %d#1, %d#2] :
    memref<8x4x2xf32, strided<[24, 2, 1], offset: ?>, {LDS}>
  gpu.barrier
  %flat = memref.collapse_shape %lds [[0, 1]] : memref<8x24xf32, {LDS}> into memref<192xf32, {LDS}>
  %at = affine.apply affine_map<()[s] -> (s mod 8 + (s floordiv 8) * 24 + 2)>()[%t]
  %y = memref.load %flat[%at] : memref<192xf32, {LDS}>
  memref.store %y, %out[%t] : memref<64xf32>
  return
}}"""
    given, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    assert run(text, given, out).faults == ()
    assert (out == given).all()


def test_a_swizzle_hint_permutes_loads_and_stores_alike():
    """The talk's example: with <128, 4, 128, 1> element 392 lies at 388."""
    hint = "#iree_codegen.xor_shuffle<128, 4, 128, 1>"
    text = f"""func.func @k(%out: memref<1xf32>) {{
  %lds = memref.alloc() : memref<2048xf32, {LDS}>
  %h = iree_codegen.swizzle_hint %lds[{hint}] : memref<2048xf32, {LDS}>
  %c0 = arith.constant 0 : index
  %a = arith.constant 392 : index
  %b = arith.constant 388 : index
  %x = arith.constant 5.0 : f32
  memref.store %x, %h[%a] : memref<2048xf32, {LDS}>
  %y = memref.load %lds[%b] : memref<2048xf32, {LDS}>
  memref.store %y, %out[%c0] : memref<1xf32>
  return
}}"""
    out = np.zeros(1, np.float32)
    assert run(text, out).faults == ()
    assert out[0] == 5


def test_atomics_add_every_thread_once():
    text = f"""func.func @k(%out: memref<1xi32>) {{
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %lds = memref.alloc() : memref<1xi32, {LDS}>
  memref.store %zero, %lds[%c0] : memref<1xi32, {LDS}>
  gpu.barrier
  %old = memref.atomic_rmw addi %one, %lds[%c0] : (i32, memref<1xi32, {LDS}>) -> i32
  gpu.barrier
  %sum = memref.load %lds[%c0] : memref<1xi32, {LDS}>
  memref.store %sum, %out[%c0] : memref<1xi32>
  return
}}"""
    out = np.zeros(1, np.int32)
    assert run(text, out, size=128).faults == ()
    assert out[0] == 128


def test_the_lanes_missing_from_the_last_wave_do_nothing():
    text = """func.func @k(%out: memref<100xindex>) {
  %t = gpu.thread_id x
  gpu.barrier
  memref.store %t, %out[%t] : memref<100xindex>
  return
}"""
    out = np.zeros(100, np.int64)
    assert run(text, out, size=100).faults == ()
    assert (out == np.arange(100)).all()


NVIDIA = f"""func.func @k(%a: memref<16x16xf16>, %b: memref<8x16xf16>, %out: memref<16x8xf32>) {{
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %t = gpu.thread_id x
  %la = memref.alloc() : memref<16x16xf16, {LDS}>
  %lb = memref.alloc() : memref<8x16xf16, {LDS}>
  %r:2 = affine.delinearize_index %t into (16, 2) : index, index
  %col = arith.muli %r#1, %c8 : index
  %ta = nvgpu.device_async_copy %a[%r#0, %col], %la[%r#0, %col], 8 :
    memref<16x16xf16> to memref<16x16xf16, {LDS}>
  %ga = nvgpu.device_async_create_group %ta
  %rb = arith.remui %r#0, %c8 : index
  %x = vector.load %b[%rb, %col] : memref<8x16xf16>, vector<8xf16>
  vector.store %x, %lb[%rb, %col] : memref<8x16xf16, {LDS}>, vector<8xf16>
  WAIT
  gpu.barrier memfence []
  %q:2 = affine.delinearize_index %t into (2, 16) : index, index
  %k = arith.muli %q#0, %c8 : index
  %fa = nvgpu.ldmatrix %la[%q#1, %k] numTiles = 4 transpose = false :
    memref<16x16xf16, {LDS}> -> vector<4x2xf16>
  %kb = affine.apply affine_map<()[s] -> ((s floordiv 8) mod 2 * 8)>()[%t]
  %nb = arith.remui %t, %c8 : index
  %fb = nvgpu.ldmatrix %lb[%nb, %kb] numTiles = 2 transpose = false :
    memref<8x16xf16, {LDS}> -> vector<2x2xf16>
  %z = arith.constant dense<0.0> : vector<2x2xf32>
  %d = nvgpu.mma.sync(%fa, %fb, %z) mmaShape = [16, 8, 16] :
    (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  %g:2 = affine.delinearize_index %t into (8, 4) : index, index
  %n = affine.apply affine_map<()[s] -> (s * 2)>()[%g#1]
  %low = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
  %high = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
  %g8 = arith.addi %g#0, %c8 : index
  vector.store %low, %out[%g#0, %n] : memref<16x8xf32>, vector<2xf32>
  vector.store %high, %out[%g8, %n] : memref<16x8xf32>, vector<2xf32>
  return
}}"""


def test_ldmatrix_and_mma_sync_multiply():
    random = np.random.default_rng(0)
    a, b = (random.uniform(-1, 1, n).astype(np.float16) for n in (256, 128))
    out = np.zeros(128, np.float32)
    text = NVIDIA.replace("WAIT", "nvgpu.device_async_wait %ga")
    assert run(text, a, b, out, size=32, wave_size=32).faults == ()
    wanted = a.reshape(16, 16).astype(np.float64) @ b.reshape(8, 16).astype(np.float64).T
    assert np.abs(out.reshape(16, 8) - wanted).max() < 1e-5


def test_an_asynchronous_copy_must_be_waited_for():
    a, b = np.zeros(256, np.float16), np.zeros(128, np.float16)
    text = NVIDIA.replace("WAIT", "")
    (fault,) = run(text, a, b, np.zeros(128, np.float32), size=32, wave_size=32).faults
    assert (fault.kind, fault.operation) == ("dma", "nvgpu.ldmatrix")


def test_progress_is_told_after_every_workgroup():
    told = []
    run(
        "func.func @k() {\n  return\n}",
        grid=(2, 2, 1),
        progress=lambda done, all_: told.append((done, all_)),
    )
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
