"""Extraction of shared-memory accesses: own small kernels, offsets worked out by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

ir = pytest.importorskip("iree.compiler.ir")

from bankwise.counting.conflict import count  # noqa: E402
from bankwise.errors import Location  # noqa: E402
from bankwise.hardware.machine import machine  # noqa: E402
from bankwise.read.mlir import trace  # noqa: E402
from bankwise.read.mlir.extract import Extraction, extract  # noqa: E402

LDS = "#gpu.address_space<workgroup>"
KEPT: list = []
"""Operations do not keep their module alive."""

WAVE_SOURCE = Path(__file__).parents[2] / "shared" / "sources" / "001_310590777696acf1.txt"

PRELUDE = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %f = arith.constant 0.0 : f16
  %t = gpu.thread_id x
"""


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context():
        yield
        KEPT.clear()


def locate(op: object) -> Location:
    return Location("kernel.mlir", op.location.start_line, op.location.start_col)


def run(text: str, size: tuple = (64, 1, 1), wave: int = 64, **options: object) -> Extraction:
    module = ir.Module.parse(text)
    KEPT.append(module)
    functions: list = []

    def collect(op: object) -> object:
        if op.name in ("func.func", "gpu.func") and len(op.regions[0].blocks):
            functions.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(collect)
    return extract(
        functions[0], name="k", workgroup_size=size, wave_size=wave, locate=locate, **options
    )


def kernel(body: str, signature: str = "", **options: object) -> Extraction:
    body = body.replace("LDS", LDS)
    text = f"func.func @k({signature.replace('LDS', LDS)}) {{{PRELUDE}\n{body}\n  return\n}}"
    return run(text, **options)


def with_type(text: str, memref: str = "memref<64x64xf16, LDS>") -> str:
    """The text with every lone M replaced by the memref's type."""
    return re.sub(r"(?<![\w#%])M(?!\w)", memref, text)


def accesses(body: str, signature: str = "", **options: object) -> list:
    found = kernel(body, signature, **options)
    assert not found.refusals, [str(r) for r in found.refusals]
    return list(found.accesses)


def offsets(access: object, pattern: int = 0) -> list[int]:
    assert access.access.patterns[pattern].active.all()
    return access.access.patterns[pattern].offsets_bytes.ravel().tolist()


def refusal(body: str, signature: str = "", **options: object) -> str:
    found = kernel(body, signature, **options)
    assert len(found.refusals) == 1, [str(r) for r in found.refusals]
    return str(found.refusals[0])


LANES = range(64)
ALLOC = "%m = memref.alloc() : memref<64x64xf16, LDS>\n"


# Which operation touches what


def test_a_vector_load_reads_its_row() -> None:
    [a] = accesses(ALLOC + "%v = vector.load %m[%t, %c8] : memref<64x64xf16, LDS>, vector<8xf16>")
    assert (a.access.operation, a.access.direction, a.access.kind) == (
        "vector.load",
        "read",
        "plain",
    )
    assert (a.access.width_bytes, a.access.element_bytes, a.vector_elements) == (16, 2, 8)
    assert offsets(a) == [128 * lane + 16 for lane in LANES]
    assert a.access.alignment_bytes == 16
    assert a.access.allocations == ("alloc",)
    assert a.access.location == Location("kernel.mlir", 12, 6)
    assert (a.base.strides, a.base.offsets, a.base.element_bytes) == ((64, 1), (0,), 2)


def test_alignment_is_what_every_lane_keeps() -> None:
    memref = "memref<64x68xf16, LDS>"
    [a] = accesses(f"""%m = memref.alloc() : {memref}
      %v = vector.load %m[%t, %c0] : {memref}, vector<8xf16>""")
    assert offsets(a) == [136 * lane for lane in LANES]
    assert a.access.alignment_bytes == 8


@pytest.mark.parametrize(
    ("line", "direction", "kind", "width"),
    [
        ("%v = vector.load %m[%t, %c0] : M, vector<4xf16>", "read", "plain", 8),
        ("vector.store %v4, %m[%t, %c0] : M, vector<4xf16>", "write", "plain", 8),
        ("%v = memref.load %m[%t, %c0] : M", "read", "plain", 2),
        ("memref.store %f, %m[%t, %c0] : M", "write", "plain", 2),
        ("%v = vector.transfer_read %m[%t, %c0], %f {in_bounds = [true]} : M, vector<4xf16>",
         "read", "plain", 8),
        ("vector.transfer_write %v4, %m[%t, %c0] {in_bounds = [true]} : vector<4xf16>, M",
         "write", "plain", 8),
        ("%v = vector.maskedload %m[%t, %c0], %all, %v4 : M, vector<4xi1>, vector<4xf16> "
         "into vector<4xf16>", "read", "plain", 8),
        ("vector.maskedstore %m[%t, %c0], %all, %v4 : M, vector<4xi1>, vector<4xf16>",
         "write", "plain", 8),
        ("%v = memref.atomic_rmw addf %f, %m[%t, %c0] : (f16, M) -> f16", "write", "atomic", 2),
        ("%v = memref.generic_atomic_rmw %m[%t, %c0] : M { ^bb0(%x: f16): "
         "memref.atomic_yield %x : f16 }", "write", "atomic", 2),
        ("%v = amdgpu.transpose_load %m[%t, %c0] : M -> vector<4xf16>", "read", "transpose", 8),
        ("%v = nvgpu.device_async_copy %g[%c0, %c0], %m[%t, %c0], 8 : memref<8x8xf16> to M",
         "write", "async", 16),
    ],
)  # fmt: skip
def test_every_access_operation_is_found(line: str, direction: str, kind: str, width: int) -> None:
    body = f"""{ALLOC}%v4 = arith.constant dense<0.0> : vector<4xf16>
      %all = vector.constant_mask [4] : vector<4xi1>
      {with_type(line)}"""
    [a] = accesses(body, "%g: memref<8x8xf16>")
    assert (a.access.direction, a.access.kind, a.access.width_bytes) == (direction, kind, width)
    assert offsets(a) == [128 * lane for lane in LANES]
    assert [str(i.get_name()) for i in a.indices] == ["%thread_id_x", "%c0"]


def test_an_atomic_is_named_as_the_assembler_names_it() -> None:
    [a, b] = accesses("""%m = memref.alloc() : memref<64xi32, LDS>
      %i = arith.constant 1 : i32
      %x = memref.atomic_rmw maxs %i, %m[%t] : (i32, memref<64xi32, LDS>) -> i32
      %y = memref.atomic_rmw addi %x, %m[%t] : (i32, memref<64xi32, LDS>) -> i32""")
    assert (a.access.variant, b.access.variant) == ("max_rtn_i32", "add_u32")


def test_the_atomics_are_in_the_order_of_mlir() -> None:
    from iree.compiler.dialects import arith

    from bankwise.read.mlir.touches import _ATOMICS

    names = [kind.name for kind in sorted(arith.AtomicRMWKind, key=int)]
    stems = {"maximumf": "max_f", "maxnumf": "max_f", "minimumf": "min_f", "minnumf": "min_f"}
    for name, instruction in zip(names, _ATOMICS, strict=True):
        assert instruction == stems.get(name, instruction)
        assert name[:3] == instruction[:3] or name in ("assign", "mulf", "muli", "ori")


def test_ldmatrix_takes_one_row_address_from_the_first_lanes() -> None:
    body = ALLOC + (
        "%v = nvgpu.ldmatrix %m[%t, %c8] numTiles = 2 transpose = true : "
        "memref<64x64xf16, LDS> -> vector<2x2xf16>"
    )
    [a] = accesses(body, size=(32, 1, 1), wave=32)
    [pattern] = a.access.patterns
    assert (a.access.kind, a.access.width_bytes, a.access.variant) == ("matrix", 16, "x2.trans")
    assert pattern.active.tolist() == [[lane < 16 for lane in range(32)]]
    assert pattern.offsets_bytes[0, :16].tolist() == [128 * lane + 16 for lane in range(16)]


@pytest.mark.parametrize(
    ("moved", "width", "slot"),
    [("vector<8xf16>", 16, 16), ("vector<6xf16>", 12, 16), ("vector<2xf16>", 4, 4), ("f16", 2, 4)],
)
def test_a_direct_copy_writes_in_lane_order(moved: str, width: int, slot: int) -> None:
    """CDNA4 ISA 9.1.9: lane*4 up to a dword, lane*16 for dwordx3 and dwordx4."""
    body = f"""{ALLOC}%w = affine.apply affine_map<()[s0] -> (s0 floordiv 64 * 16)>()[%t]
      amdgpu.gather_to_lds %g[%t, %c8], %m[%w, %c0] : {moved}, memref<256x64xf16>,
        memref<64x64xf16, LDS>"""
    [a] = accesses(body, "%g: memref<256x64xf16>", size=(128, 1, 1))
    assert (a.access.kind, a.access.direction, a.access.width_bytes) == ("dma", "write", width)
    assert offsets(a) == [w * 16 * 128 + slot * lane for w in range(2) for lane in LANES]
    assert str(a.source.get_name()) == "%arg0"
    assert [i.get_name() for i in a.source_indices] == ["%thread_id_x", "%c8"]
    assert not a.access.note


def test_a_direct_copy_with_lanes_of_different_minds_follows_the_first() -> None:
    body = f"""{ALLOC}amdgpu.gather_to_lds %g[%t, %c0], %m[%t, %c0] : vector<2xf16>,
        memref<64x64xf16>, memref<64x64xf16, LDS>"""
    [a] = accesses(body, "%g: memref<64x64xf16>")
    assert offsets(a) == [4 * lane for lane in LANES]
    assert "first active lane" in a.access.note


def test_a_vector_of_two_dimensions_is_cut_into_its_rows() -> None:
    body = ALLOC + "%v = vector.load %m[%c2, %t] : memref<64x64xf16, LDS>, vector<2x1xf16>"
    a, b = accesses(body)
    assert (offsets(a)[5], offsets(b)[5]) == (2 * 128 + 10, 3 * 128 + 10)
    assert (a.first_element, b.first_element) == (0, 1)
    assert (a.access.shared_index, b.access.shared_index) == (0, 1)
    assert (a.base.offsets, b.base.offsets) == ((0,), (64,))


def test_a_two_dimensional_vector_of_whole_rows_stays_one_access() -> None:
    memref = "memref<64x8x4xf16, LDS>"
    [a] = accesses(f"""%m = memref.alloc() : {memref}
      %v = vector.load %m[%t, %c0, %c0] : {memref}, vector<2x4xf16>""")
    assert (a.access.width_bytes, offsets(a)) == (16, [64 * lane for lane in LANES])


def test_a_permuted_transfer_is_one_access_for_each_element() -> None:
    body = f"""{ALLOC}%v = vector.transfer_read %m[%c0, %t], %f {{in_bounds = [true],
      permutation_map = affine_map<(d0, d1) -> (d0)>}} : memref<64x64xf16, LDS>, vector<4xf16>"""
    found = accesses(body)
    assert [a.access.width_bytes for a in found] == [2, 2, 2, 2]
    assert [offsets(a)[3] for a in found] == [6, 134, 262, 390]


def test_a_broadcast_transfer_reads_its_element_once() -> None:
    body = f"""{ALLOC}%v = vector.transfer_read %m[%t, %c1], %f {{in_bounds = [true],
      permutation_map = affine_map<(d0, d1) -> (0)>}} : memref<64x64xf16, LDS>, vector<4xf16>"""
    [a] = accesses(body)
    assert (a.access.width_bytes, offsets(a)) == (2, [128 * lane + 2 for lane in LANES])


def test_a_transfer_leaves_out_what_lies_outside() -> None:
    memref = "memref<8x6xf16, LDS>"
    body = f"""%m = memref.alloc() : {memref}
      %v = vector.transfer_read %m[%t, %c3], %f : {memref}, vector<4xf16>"""
    found = accesses(body, size=(8, 1, 1), wave=8)
    assert [offsets(a)[1] for a in found] == [18, 20, 22]


def test_a_mask_switches_lanes_off_or_cuts_the_vector() -> None:
    memref = "memref<64x8xf16, LDS>"
    template = """%m = memref.alloc() : M
      %v8 = arith.constant dense<0.0> : vector<8xf16>
      %n = affine.apply affine_map<()[s0] -> (MAP)>()[%t]
      %mask = vector.create_mask %n : vector<8xi1>
      vector.maskedstore %m[%t, %c0], %mask, %v8 : M, vector<8xi1>, vector<8xf16>"""
    template = with_type(template, memref)
    [a] = accesses(template.replace("MAP", "(s0 mod 2) * 8"))
    assert a.access.width_bytes == 16
    assert a.access.patterns[0].active.tolist() == [[lane % 2 == 1 for lane in LANES]]
    found = accesses(template.replace("MAP", "3"))
    assert [a.access.width_bytes for a in found] == [2, 2, 2]


def test_threads_that_do_not_exist_are_not_active() -> None:
    body = ALLOC + "%v = memref.load %m[%t, %c0] : memref<64x64xf16, LDS>"
    [a] = accesses(body, size=(20, 2, 1), wave=32)
    [pattern] = a.access.patterns
    assert pattern.offsets_bytes.shape == (2, 32)
    assert pattern.active.sum() == 40
    assert pattern.offsets_bytes[0, 18:22].tolist() == [18 * 128, 19 * 128, 0, 128]


# Where a view lies


@pytest.mark.parametrize(
    ("views", "access", "expected"),
    [
        ("%v = memref.subview %m[%t, 8] [1, 16] [1, 2] : M to "
         "memref<16xf16, strided<[2], offset: ?>, LDS>",
         "%v[%c3] : memref<16xf16, strided<[2], offset: ?>, LDS>", lambda t: 64 * t + 8 + 6),
        ("%v = memref.expand_shape %m [[0, 1], [2]] output_shape [8, 8, 64] : M into "
         "memref<8x8x64xf16, LDS>",
         "%v[%c2, %c1, %t] : memref<8x8x64xf16, LDS>", lambda t: 17 * 64 + t),
        ("%v = memref.collapse_shape %m [[0, 1]] : M into memref<4096xf16, LDS>",
         "%v[%t] : memref<4096xf16, LDS>", lambda t: t),
        ("%w = memref.cast %m : M to memref<?x64xf16, LDS>\n"
         "%v = memref.assume_alignment %w, 16 : memref<?x64xf16, LDS>",
         "%v[%c1, %t] : memref<?x64xf16, LDS>", lambda t: 64 + t),
        ("%v = memref.reinterpret_cast %m to offset: [%c10], sizes: [8, 8], strides: [32, 2] : M to"
         " memref<8x8xf16, strided<[32, 2], offset: ?>, LDS>",
         "%v[%c1, %c3] : memref<8x8xf16, strided<[32, 2], offset: ?>, LDS>",
         lambda t: 10 + 32 + 6),
        ("%v = memref.transpose %m (d0, d1) -> (d1, d0) : M to "
         "memref<64x64xf16, strided<[1, 64]>, LDS>",
         "%v[%c3, %t] : memref<64x64xf16, strided<[1, 64]>, LDS>", lambda t: 64 * t + 3),
        ("%s = memref.subview %m[2, 4] [8, 8] [1, 1] : M to "
         "memref<8x8xf16, strided<[64, 1], offset: 132>, LDS>\n"
         "%b, %o, %z:2, %st:2 = memref.extract_strided_metadata %s : "
         "memref<8x8xf16, strided<[64, 1], offset: 132>, LDS> -> memref<f16, LDS>, index, index, "
         "index, index, index\n"
         "%v = memref.reinterpret_cast %b to offset: [%o], sizes: [8], strides: [%st#0] : "
         "memref<f16, LDS> to memref<8xf16, strided<[?], offset: ?>, LDS>",
         "%v[%c3] : memref<8xf16, strided<[?], offset: ?>, LDS>", lambda t: 132 + 192),
        ("%h = arith.cmpi eq, %c1, %c2 : index\n%o = memref.alloc() : M\n"
         "%v = arith.select %h, %o, %m : M", "%v[%c1, %t] : M", lambda t: 64 + t),
    ],
)  # fmt: skip
def test_views_are_followed(views: str, access: str, expected: object) -> None:
    body = with_type(f"{ALLOC}{views}\n%x = memref.load {access}")
    [a] = accesses(body)
    assert a.access.allocations == ("alloc",)
    assert offsets(a) == [2 * expected(lane) for lane in LANES]


def test_a_byte_buffer_can_be_viewed_as_anything() -> None:
    [a] = accesses("""%m = memref.alloc() : memref<8192xi8, LDS>
      %s = arith.constant 1024 : index
      %o = memref.view %m[%s][] : memref<8192xi8, LDS> to memref<7168xi8, LDS>
      %v = memref.view %m[%s][] : memref<8192xi8, LDS> to memref<64x16xf32, LDS>
      %x = memref.load %v[%t, %c1] : memref<64x16xf32, LDS>""")
    assert a.access.allocations == ("alloc",)
    assert offsets(a) == [1024 + 4 * (16 * lane + 1) for lane in LANES]
    assert (a.access.element_bytes, a.base.offsets) == (4, (256,))


def test_a_view_of_bytes_that_no_other_view_shows_is_an_allocation() -> None:
    [a] = accesses("""%m = memref.alloc() : memref<8192xi8, LDS>
      %s = arith.constant 1024 : index
      %v = memref.view %m[%s][] : memref<8192xi8, LDS> to memref<64x16xf32, LDS>
      %x = memref.load %v[%t, %c1] : memref<64x16xf32, LDS>""")
    assert a.access.allocations == ("view",)
    assert offsets(a) == [4 * (16 * lane + 1) for lane in LANES]


def test_readfirstlane_by_its_name_in_llvm_is_followed() -> None:
    [a] = accesses(f"""{ALLOC}
      %wide = arith.index_cast %t : index to i32
      %one = llvm.call_intrinsic "llvm.amdgcn.readfirstlane"(%wide) : (i32) -> i32
      %r = arith.index_cast %one : i32 to index
      %x = memref.load %m[%r, %t] : memref<64x64xf16, LDS>""")
    assert offsets(a) == [2 * lane for lane in LANES]


def in_unknown_lanes(value: str) -> str:
    """``value`` of the first lane that runs, where data decide which lanes run."""
    return f"""{ALLOC}
      %who = memref.load %m[%c0, %t] : memref<64x64xf16, LDS>
      %zero = arith.constant 0.0 : f16
      %some = arith.cmpf ogt, %who, %zero : f16
      scf.if %some {{
        %wide = arith.index_cast {value} : index to i32
        %one = llvm.call_intrinsic "llvm.amdgcn.readfirstlane"(%wide) : (i32) -> i32
        %r = arith.index_cast %one : i32 to index
        %x = memref.load %m[%r, %t] : memref<64x64xf16, LDS>
      }}"""


def test_the_first_of_unknown_lanes_is_known_only_of_what_all_have() -> None:
    assert "of values that differ, in unknown lanes" in refusal(in_unknown_lanes("%t"))
    assert len(accesses(in_unknown_lanes("%c2"))) == 2


def test_another_intrinsic_is_not() -> None:
    told = refusal(f"""{ALLOC}
      %wide = arith.index_cast %t : index to i32
      %one = llvm.call_intrinsic "llvm.amdgcn.mov.dpp"(%wide) : (i32) -> i32
      %r = arith.index_cast %one : i32 to index
      %x = memref.load %m[%r, %t] : memref<64x64xf16, LDS>""")
    assert "llvm.call_intrinsic" in told


def test_a_global_is_one_allocation_however_often_it_is_fetched() -> None:
    found = run(f"""memref.global "private" @buf : memref<64xf32, {LDS}>
      func.func @k() {{{PRELUDE}
        %a = memref.get_global @buf : memref<64xf32, {LDS}>
        %b = memref.get_global @buf : memref<64xf32, {LDS}>
        %x = memref.load %a[%t] : memref<64xf32, {LDS}>
        memref.store %x, %b[%t] : memref<64xf32, {LDS}>
        return }}""")
    assert [(a.name, a.size_bytes) for a in found.allocations] == [("buf", 256)]
    assert [a.access.allocations for a in found.accesses] == [("buf",), ("buf",)]


def test_workgroup_attributions_are_allocations() -> None:
    found = run(f"""gpu.module @m {{
      gpu.func @k(%g: memref<4xf32>) workgroup(%s: memref<64x4xf32, {LDS}>) kernel {{
        {PRELUDE}
        %x = memref.load %s[%t, %c1] : memref<64x4xf32, {LDS}>
        gpu.return }} }}""")
    [allocation] = found.allocations
    assert (allocation.shape, allocation.strides, allocation.element_type) == (
        (64, 4),
        (4, 1),
        "f32",
    )
    assert offsets(found.accesses[0]) == [16 * lane + 4 for lane in LANES]
    assert not found.notes


def test_nvgpus_memory_space_3_is_workgroup_memory() -> None:
    [a] = accesses("""%m = memref.alloc() : memref<64xf32, 3>
      %x = memref.load %m[%t] : memref<64xf32, 3>""")
    assert offsets(a) == [4 * lane for lane in LANES]


def test_an_unused_allocation_is_still_an_allocation() -> None:
    found = kernel("%m = memref.alloca() : memref<4x8xvector<2xf16>, LDS>")
    [allocation] = found.allocations
    assert (allocation.shape, allocation.element_bytes, allocation.size_bytes) == ((4, 8), 4, 128)
    assert found.accesses == ()


def test_a_swizzle_hint_moves_the_elements_as_iree_does() -> None:
    """Source 000: with <128, 4, 128, 1> the element at 392 lies at 388."""
    body = """%m = memref.alloc() : memref<8192xf16, LDS>
      %h = iree_codegen.swizzle_hint %m[#iree_codegen.xor_shuffle<128, 4, 128, 1>]
        : memref<8192xf16, LDS>
      %i = arith.constant 392 : index
      %x = vector.load %h[%i] : memref<8192xf16, LDS>, vector<8xf16>"""
    a, b = accesses(body)
    assert (a.access.width_bytes, offsets(a)[0], offsets(b)[0]) == (8, 2 * 388, 2 * 384)
    assert a.base is None


def test_a_hint_that_iree_would_drop_is_refused() -> None:
    body = """%m = memref.alloc() : memref<8192xf16, LDS>
      %h = iree_codegen.swizzle_hint %m[#iree_codegen.xor_shuffle<128, 8>] : memref<8192xf16, LDS>
      %x = vector.load %h[%c0] : memref<8192xf16, LDS>, vector<4xf16>"""
    assert "not a multiple of 8, and drops the hint" in refusal(body)


# How often


def load(index: str, memref: str = "%m") -> str:
    return f"%x = memref.load {memref}[{index}, %t] : memref<64x64xf16, LDS>"


def executions(a: object) -> list[tuple[int, tuple[int, ...]]]:
    return [(p.executions, p.iterations) for p in a.access.patterns]


def test_a_loop_that_changes_nothing_multiplies() -> None:
    body = f"{ALLOC}scf.for %i = %c0 to %c10 step %c3 {{ {load('%c1')} }}"
    [a] = accesses(body)
    assert executions(a) == [(4, (0,))]


def test_nested_loops_multiply_what_they_do_not_change() -> None:
    body = f"""{ALLOC}scf.for %i = %c0 to %c10 step %c1 {{ scf.for %j = %c2 to %c8 step %c3 {{
      {load("%j")} }} }}"""
    [a] = accesses(body)
    assert executions(a) == [(10, (0, 2)), (10, (0, 5))]
    assert [offsets(a, n)[0] for n in (0, 1)] == [256, 640]


def test_equal_patterns_of_different_iterations_are_one() -> None:
    body = f"""{ALLOC}scf.for %i = %c1 to %c10 step %c1 {{
      %r = arith.remui %i, %c2 : index\n{load("%r")} }}"""
    [a] = accesses(body)
    assert executions(a) == [(5, (1,)), (4, (2,))]


def test_rotating_buffers_take_turns() -> None:
    of = "memref<64x64xf16, LDS>"
    [inside, after] = accesses(
        f"""%a = memref.alloc() : {of}
      %b = memref.alloc() : {of}
      %c = memref.alloc() : {of}
      %r:3 = scf.for %i = %c0 to %c10 step %c1 iter_args(%p = %a, %q = %b, %s = %c)
          -> ({of}, {of}, {of}) {{
        {load("%c1", "%p")}
        scf.yield %q, %s, %p : {of}, {of}, {of}
      }}
      {load("%c2", "%r#1")}""".replace("%x = memref.load %r", "%y = memref.load %r")
    )
    assert inside.access.allocations == ("alloc", "alloc_0", "alloc_1")
    assert executions(inside) == [(4, (0,)), (3, (1,)), (3, (2,))]
    assert after.access.allocations == ("alloc_1",)


def test_values_settle_before_they_repeat() -> None:
    """0, 1, 3, 3, 3 ...: the first two rounds happen once, the third kind five times."""
    body = f"""{ALLOC}%r = scf.for %i = %c1 to %c8 step %c1 iter_args(%k = %c0) -> (index) {{
      {load("%k")}
      %d = arith.muli %k, %c2 : index
      %e = arith.addi %d, %c1 : index
      %n = arith.minui %e, %c3 : index
      scf.yield %n : index }}
      %y = memref.load %m[%r, %t] : memref<64x64xf16, LDS>"""
    [inside, after] = accesses(body)
    assert executions(inside) == [(1, (1,)), (1, (2,)), (5, (3,))]
    assert offsets(after)[0] == 3 * 128


def test_threads_may_leave_a_loop_one_by_one() -> None:
    body = f"""{ALLOC}%n = arith.andi %t, %c3 : index
      scf.for %i = %c0 to %n step %c1 {{ {load("%i")} }}"""
    [a] = accesses(body)
    active = [p.active[0].tolist() for p in a.access.patterns]
    assert active == [[lane % 4 > i for lane in LANES] for i in range(3)]


def test_a_loop_that_never_runs_touches_nothing() -> None:
    assert accesses(f"{ALLOC}scf.for %i = %c8 to %c2 step %c1 {{ {load('%i')} }}") == []


def test_a_long_loop_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trace.MOST_PASSES == 65_536
    monkeypatch.setattr(trace, "MOST_PASSES", 600)
    body = f"""{ALLOC}%n = arith.constant 1000000 : index
      scf.for %i = %c0 to %n step %c1 {{ %r = arith.remui %i, %c2 : index\n {load("%r")} }}"""
    assert "kernel.mlir:13:7: scf.for runs more than 600 rounds" in refusal(body)


def test_a_loop_of_unknown_length_counts_every_kind_of_round_once() -> None:
    found = kernel(f"{ALLOC}scf.for %i = %c0 to %n step %c1 {{ {load('%c1')} }}", "%n: index")
    assert not found.refusals
    assert "argument arg0, whose value is not given" in str(found.notes[0])
    assert executions(found.accesses[0]) == [(1, (0,))]


def test_a_loop_of_unknown_length_cannot_index() -> None:
    text = refusal(f"{ALLOC}scf.for %i = %c0 to %n step %c1 {{ {load('%i')} }}", "%n: index")
    assert "the variable of scf.for, whose bounds depend on argument arg0" in text


def test_dims_give_the_length() -> None:
    body = f"{ALLOC}scf.for %i = %c0 to %n step %c1 {{ {load('%i')} }}"
    [a] = accesses(body, "%n: index", dims={"arg0": 5})
    assert a.access.executions == 5


# Who


def test_a_divergent_branch_masks_lanes() -> None:
    body = f"""{ALLOC}%low = arith.cmpi ult, %t, %c8 : index
      scf.if %low {{ {load("%c1")} }} else {{ {load("%c2")} }}"""
    a, b = accesses(body)
    assert a.access.patterns[0].active.tolist() == [[lane < 8 for lane in LANES]]
    assert b.access.patterns[0].active.tolist() == [[lane >= 8 for lane in LANES]]


def test_a_uniform_branch_is_decided() -> None:
    body = f"""{ALLOC}%yes = arith.cmpi ult, %c1, %c8 : index
      scf.if %yes {{ {load("%c1")} }} else {{ {load("%c2")} }}"""
    [a] = accesses(body)
    assert offsets(a)[0] == 128


def test_a_branch_on_data_counts_both_sides_and_says_so() -> None:
    body = f"""{ALLOC}%d = memref.load %g[%t] : memref<64xi1>
      scf.if %d {{ {load("%c1")} }} else {{ {load("%c2")} }}"""
    found = kernel(body, "%g: memref<64xi1>")
    assert len(found.accesses) == 2
    assert "data loaded by memref.load (kernel.mlir:12:6)" in str(found.notes[0])


def test_waves_may_choose_different_buffers() -> None:
    of = "memref<64x64xf16, LDS>"
    body = f"""%a = memref.alloc() : {of}
      %b = memref.alloc() : {of}
      %w = gpu.subgroup_id : index
      %odd = arith.cmpi eq, %w, %c1 : index
      %m = scf.if %odd -> ({of}) {{ scf.yield %b : {of} }} else {{ scf.yield %a : {of} }}
      %z = arith.remui %t, %c8 : index
      %x = memref.load %m[%z, %c0] : {of}"""
    [a] = accesses(body, size=(128, 1, 1))
    by_name = {p.allocation: p.active.any(axis=1).tolist() for p in a.access.patterns}
    assert by_name == {"alloc": [True, False], "alloc_0": [False, True]}


def test_an_address_that_depends_on_the_workgroup_is_told() -> None:
    body = f"{ALLOC}%b = gpu.block_id x\n{load('%b')}"
    found = kernel(body, grid=(4, 1, 1))
    assert offsets(found.accesses[0])[0] == 0
    assert "depend on the workgroup" in found.accesses[0].access.note
    assert len(found.notes) == 1
    [a] = kernel(body, workgroup_id=(3, 0, 0), grid=(4, 1, 1)).accesses
    assert offsets(a)[0] == 3 * 128
    assert not kernel(body, grid=(1, 1, 1)).notes


# What cannot be analysed


def test_an_index_from_memory_names_the_load() -> None:
    text = refusal(f"{ALLOC}%i = memref.load %g[%t] : memref<64xindex>\n{load('%i')}",
                   "%g: memref<64xindex>")  # fmt: skip
    assert text == (
        "kernel.mlir:13:6: the index of memref.load depends on data loaded by memref.load "
        "(kernel.mlir:12:6)"
    )


def test_the_load_is_found_behind_what_is_computed_from_it() -> None:
    body = f"""{ALLOC}%v = vector.load %g[%t] : memref<64xi32>, vector<1xi32>
      %e = vector.extract %v[0] : i32 from vector<1xi32>
      %i = arith.index_cast %e : i32 to index\n{load("%i")}"""
    assert "depends on data loaded by vector.load (kernel.mlir:12:6)" in refusal(
        body, "%g: memref<64xi32>"
    )


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("memref.copy %m, %g : M to memref<64x64xf16>", "memref.copy uses workgroup memory"),
        ("linalg.fill ins(%f : f16) outs(%m : M)", "linalg.fill uses workgroup memory"),
        ("func.call @other(%m) : (M) -> ()", "func.call hands workgroup memory to a function"),
        ("%p = memref.extract_aligned_pointer_as_index %m : M -> index",
         "memref.extract_aligned_pointer_as_index uses workgroup memory"),
        ("%v = memref.memory_space_cast %m : M to memref<64x64xf16>\n"
         "%x = memref.load %v[%t, %t] : memref<64x64xf16>", "hides that its result is workgroup"),
        ("scf.forall (%i) in (64) { %x = memref.load %m[%i, %c0] : M }",
         "memref.load is inside scf.forall (kernel.mlir:12:1), which is not followed: lower it"),
        ("scf.while : () -> () { %x = memref.load %m[%t, %c0] : M\n %d = arith.constant true\n"
         "scf.condition(%d) } do { scf.yield }", "memref.load is inside scf.while"),
    ],
)  # fmt: skip
def test_no_use_of_workgroup_memory_is_skipped(lines: str, says: str) -> None:
    text = f"""func.func private @other(memref<64x64xf16, {LDS}>)
      func.func @k(%g: memref<64x64xf16>) {{{PRELUDE}{ALLOC}{lines} return }}"""
    text = with_type(text).replace("LDS", LDS)
    found = run(text)
    assert len(found.refusals) == 1
    assert says in str(found.refusals[0])
    assert found.accesses == ()


def test_unstructured_control_flow_is_refused() -> None:
    text = refusal(f"""{ALLOC}cf.br ^next
      ^next:
      {load("%c1")}""")
    assert "a kernel with cf.br" in text


def test_an_access_outside_names_lane_and_wave() -> None:
    """Row 145 begins at element 9280; the allocation ends at 4096, in row 64."""
    body = f"""{ALLOC}%r = affine.apply affine_map<()[s0] -> (s0 floordiv 2)>()[%t]
      %x = memref.load %m[%r, %c0] : memref<64x64xf16, LDS>"""
    assert "lane 0 of wave 2 reads element 4096 of 4096 of alloc" in refusal(body, size=(256, 1, 1))


def test_the_last_element_of_a_vector_counts() -> None:
    memref = "memref<64xf16, LDS>"
    body = f"""%m = memref.alloc() : {memref}
      %x = vector.load %m[%t] : {memref}, vector<2xf16>"""
    assert "lane 63 of wave 0 reads element 64 of 64 of alloc" in refusal(body)


def test_lanes_that_are_off_may_point_anywhere() -> None:
    body = f"""{ALLOC}%few = arith.cmpi ult, %t, %c8 : index
      %r = arith.subi %c8, %t : index
      scf.if %few {{ {load("%r")} }}"""
    [a] = accesses(body)
    assert a.access.patterns[0].offsets_bytes.min() == 0


def test_elements_of_half_a_byte_are_refused() -> None:
    body = """%m = memref.alloc() : memref<64xi4, LDS>
      %x = memref.load %m[%t] : memref<64xi4, LDS>"""
    assert any("not whole bytes" in str(r) for r in kernel(body).refusals)


def test_a_dynamic_allocation_takes_its_size_from_dims() -> None:
    body = """%m = memref.alloc(%n) : memref<?x64xf16, LDS>
      %x = memref.load %m[%t, %c0] : memref<?x64xf16, LDS>"""
    found = kernel(body, "%n: index", dims={"arg0": 64})
    assert [a.shape for a in found.allocations] == [(64, 64)]
    assert any("the allocation alloc depends on argument arg0" in str(r)
               for r in kernel(body, "%n: index").refusals)  # fmt: skip


def test_dims_give_what_only_the_launch_knows() -> None:
    body = f"{ALLOC}%n = memref.dim %g, %c0 : memref<?xf16>\n{load('%n')}"
    assert "the result of memref.dim (kernel.mlir:12:6)" in refusal(body, "%g: memref<?xf16>")
    [a] = accesses(body, "%g: memref<?xf16>", dims={"dim": 3})
    assert offsets(a)[0] == 3 * 128


# IREE's own passes as the judge


def passed(text: str, name: str) -> Extraction:
    from iree.compiler.passmanager import PassManager

    module = ir.Module.parse(text)
    PassManager.parse(f"builtin.module(func.func({name}))").run(module.operation)
    return run(str(module))


def footprints(found: Extraction) -> list[tuple[int, list[int]]]:
    assert not found.refusals
    assert found.accesses
    return [(a.access.width_bytes, offsets(a)) for a in found.accesses]


@pytest.mark.parametrize(
    "swizzle",
    [
        "xor_shuffle<128, 4>",
        "xor_shuffle<64, 8, 128, 2>",
        "xor_shuffle<96, 8>",
        "rotate_rows<64, 8>",
    ],
)
def test_a_hint_reads_as_the_code_that_iree_makes_of_it(swizzle: str) -> None:
    text = f"""func.func @k() {{{PRELUDE}
      %m = memref.alloc() : memref<8192xf16, {LDS}>
      %h = iree_codegen.swizzle_hint %m[#iree_codegen.{swizzle}] : memref<8192xf16, {LDS}>
      %i = affine.apply affine_map<()[s0] -> (s0 * 120)>()[%t]
      %x = vector.load %h[%i] : memref<8192xf16, {LDS}>, vector<8xf16>
      vector.store %x, %h[%i] : memref<8192xf16, {LDS}>, vector<8xf16>
      return }}"""
    resolved = passed(text, "iree-codegen-resolve-swizzle-hints")
    assert footprints(run(text)) == footprints(resolved)


@pytest.mark.parametrize(
    "views",
    [
        "%v = memref.subview %m[%c2, %c8] [16, 8] [3, 1] : M to V",
        "%e = memref.expand_shape %m [[0, 1], [2]] output_shape [16, 4, 64] : M into "
        "memref<16x4x64xf16, LDS>\n%v = memref.subview %e[0, %c2, %c8] [16, 1, 8] [1, 1, 1] : "
        "memref<16x4x64xf16, LDS> to V",
    ],
)
def test_views_read_as_the_code_that_mlir_folds_them_to(views: str) -> None:
    view = "memref<16x8xf16, strided<[ROW, 1], offset: ?>, LDS>"
    view = view.replace("ROW", "192" if "[3, 1]" in views else "256")
    body = f"""{ALLOC}{views}
      %r = affine.apply affine_map<()[s0] -> (s0 mod 16)>()[%t]
      %x = vector.load %v[%r, %c0] : V, vector<8xf16>
      vector.store %x, %v[%r, %c0] : V, vector<8xf16>
      return"""
    body = with_type(body).replace(" V", f" {view}").replace("LDS", LDS)
    text = f"func.func @k() {{{PRELUDE}{body} }}"
    folded = passed(text, "iree-codegen-fold-memref-alias-ops")
    assert footprints(run(text)) == footprints(folded)


# A real kernel


def wave_kernel() -> str:
    """The GEMM of source 001 for 3.13.0, taken out of its RST code block."""
    if not WAVE_SOURCE.exists():
        pytest.skip("the source documents are not here")
    lines = WAVE_SOURCE.read_text("utf-8").splitlines()
    block: list[str] = []
    for line in lines[lines.index(".. code-block:: mlir") + 1 :]:
        if line and not line.startswith(" "):
            break
        block.append(line[3:])
    text = "\n".join(line for line in block if line.strip())
    text = re.sub(r"pipeline = None\b", "pipeline = #iree_codegen.no_pipeline", text)
    text = re.sub(r"rocdl\.sched\.barrier 0\b", "rocdl.sched.barrier none", text)
    text = re.sub(r" blgp = none\b", "", text)
    return re.sub(r"(vector\.extract_strided_slice %\S+) \{([^}]*)\}", r"\1 \2", text)


def reads(found: Extraction) -> list[tuple[int, int]]:
    """(passes, ideal) of one execution of each plain access on gfx950."""
    instruction = machine("gfx950").instruction("ds_read_b128")
    plain = [a.access for a in found.accesses if a.access.kind == "plain"]
    results = [count(instruction, a.patterns[0].offsets_bytes) for a in plain]
    return [(int(r.passes.sum()), int(r.ideal.sum())) for r in results]


def test_the_wave_kernel_has_no_conflicts() -> None:
    found = run(wave_kernel(), size=(256, 2, 1))
    assert not found.refusals
    kinds = [a.access.kind for a in found.accesses]
    assert (kinds.count("plain"), kinds.count("dma"), len(kinds)) == (16, 12, 28)
    assert sum(a.size_bytes for a in found.allocations) == 36864
    passes = reads(found)
    assert (sum(p for p, _ in passes), sum(i for _, i in passes)) == (512, 512)


def test_the_wave_kernels_buffers_rotate_in_three() -> None:
    """Seven rounds of a loop over three buffers: 3 + 2 + 2."""
    found = run(wave_kernel(), size=(256, 2, 1))
    rotating = [a.access for a in found.accesses if len(a.access.patterns) > 1]
    assert len(rotating) == 14
    assert {tuple(p.executions for p in a.patterns) for a in rotating} == {(3, 2, 2)}
    assert {len(a.allocations) for a in rotating} == {3}


def test_the_wave_kernel_without_its_xors_takes_four_times_as_long() -> None:
    naive = wave_kernel()
    for name, first in re.findall(r"(%\d+) = arith\.xori (%\d+), %\d+ : index", naive):
        naive = re.sub(rf" {name} = arith\.xori.*\n", "\n", naive)
        naive = re.sub(rf"{name}(?!\d)", first, naive)
    passes = reads(run(naive, size=(256, 2, 1)))
    assert sum(p for p, _ in passes) == 2048
    assert {(p // 8, i // 8) for p, i in passes} == {(16, 4)}


def test_offsets_are_those_of_the_documents_formula() -> None:
    """Source 001: the first read of A, row m and 16-byte chunk (k XOR row mod 8)."""
    found = run(wave_kernel(), size=(256, 2, 1))
    first = next(a for a in found.accesses if a.access.kind == "plain")
    thread = np.arange(512) % 256
    row = thread % 16 + thread // 64 * 16
    chunk = (thread % 64 // 16) ^ (thread % 8)
    assert (offsets(first) == 128 * row + 16 * chunk).all()
