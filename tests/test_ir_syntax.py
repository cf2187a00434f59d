"""Older MLIR syntax: read as what it means, told, and tried on dumps of other releases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bankwise.read.mlir.module import open_module, open_text

pytest.importorskip("iree.compiler.ir", reason="needs the extra [ir]")

from bankwise.read.mlir.kernels import kernels

ROOT = Path(__file__).parent.parent
DUMPS = ROOT / "tests" / "data" / "dumps"

SHARED = "memref<64x64xf16, #gpu.address_space<workgroup>>"
ARGUMENTS = (
    f"%i: index, %m: {SHARED}, %g: memref<?xf32>, %h: f16, %v: vector<8xf16>, %a: vector<4xf32>,"
    "%n: i64, %s: i14, %k: i32, %p: vector<4x2xf16>, %q: vector<2x2xf16>, %d: memref<8192xf16>,"
    "%y: !nvgpu.device.async.token"
)
MUL = "%x = amdgpu.mfma 16x16x32 %v * %v + %a"
MFMA = "vector<8xf16>, vector<8xf16>, vector<4xf32>"
COPY = "nvgpu.device_async_copy %m[%i, %i], %m[%i, %i], 8"
RAW = "%x = amdgpu.fat_raw_buffer_cast %g"
CAST = "memref<?xf32> to memref<?xf32, #amdgpu.address_space<fat_raw_buffer>>"
HINT = "%x = iree_codegen.swizzle_hint %d[#iree_codegen.xor_shuffle"
FLAT = "memref<8192xf16>"
MMA = "(vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>"
LOAD = "%x = nvgpu.ldmatrix %m[%i, %i]"
MATRIX = f'{SHARED} -> !gpu.mma_matrix<16x16xf16, "AOp">'

FORMS = [
    (
        f"{HINT}<row_width=128, access_width=4,\n  row_stride=128, per_phase=1>] : {FLAT}",
        f"{HINT}<128, 4, 128, 1>] : {FLAT}",
    ),
    (
        f"{HINT}<per_phase = 2, row_width = 128, row_stride = 256, access_width = 4>]: {FLAT}",
        f"{HINT}<128, 4, 256, 2>] : {FLAT}",
    ),
    (
        f"{HINT}</*row_width=*/128, /*access_width=*/4, /*row_stride=*/128, /*per_phase=*/1>]"
        f": {FLAT}",
        f"{HINT}<128, 4, 128, 1>] : {FLAT}",
    ),
    (
        f"{RAW}\n  cache_swizzle_stride = %s\n  bounds_check = true\n"
        f"  reset_offset = true\n  valid_bytes = %n : {CAST}",
        f"{RAW} validBytes(%n) cacheSwizzleStride(%s) resetOffset : {CAST}",
    ),
    (
        f"{RAW} bounds_check = false reset_offset = false : {CAST}",
        f"{RAW} boundsCheck(false) : {CAST}",
    ),
    ("rocdl.sched.barrier 0", "rocdl.sched.barrier none"),
    ("rocdl.sched.barrier 6", "rocdl.sched.barrier valu|salu"),
    ("rocdl.sched.group.barrier 256, 1, 0", "rocdl.sched.group.barrier ds_read, 1, 0"),
    ("amdgpu.sched_barrier allow = <valu>", "amdgpu.sched_barrier allow = valu"),
    (
        f"{MUL} {{abid = 1 : i32, cbsz = 1 : i32}} blgp =  none : {MFMA}",
        f"{MUL} abid(1) cbsz(1) blgp(none) : {MFMA}",
    ),
    (
        "%x = amdgpu.mfma %v * %v + %a {blocks = 1 : i32, k = 32 : i32, m = 16 : i32, n = 16 : i32}"
        f" blgp = none : {MFMA}",
        f"{MUL} : {MFMA}",
    ),
    (
        "%x = amdgpu.raw_buffer_load {boundsCheck = false} %g[%k] : memref<?xf32>, i32 -> f32",
        "%x = amdgpu.raw_buffer_load boundsCheck(false) %g[%k] : memref<?xf32>, i32 -> f32",
    ),
    (
        "%x = vector.insert_strided_slice %v, %v {offsets = [0], strides = [1]}"
        " : vector<8xf16> into vector<8xf16>",
        "%x = vector.insert_strided_slice %v, %v offsets = [0], strides = [1]"
        " : vector<8xf16> into vector<8xf16>",
    ),
    (
        "%x = vector.splat %h : vector<4x8xf16>",
        "%x = vector.broadcast %h : f16 to vector<4x8xf16>",
    ),
    (
        "%x = memref.alloc() {alignment = 64 : i64, foo.bar = [1, 2]} : memref<4xf32>",
        "%x = memref.alloc() alignment = 64 {foo.bar = [1, 2]} : memref<4xf32>",
    ),
    (
        f"%x = memref.load %m[%i, %i] {{nontemporal = true}} : {SHARED}",
        f"%x = memref.load %m[%i, %i] nontemporal(true) : {SHARED}",
    ),
    (
        f"vector.store %v, %m[%i, %i] {{alignment = 16 : i64}} : {SHARED}, vector<8xf16>",
        f"vector.store %v, %m[%i, %i] alignment = 16 : {SHARED}, vector<8xf16>",
    ),
    ("%x = gpu.thread_id x {upper_bound = 64 : index}", "%x = gpu.thread_id x upper_bound 64"),
    (
        f"%x = gpu.subgroup_mma_load_matrix %m[%i, %i] {{leadDimension = 64 : index, transpose}}"
        f" : {MATRIX}",
        f"%x = gpu.subgroup_mma_load_matrix %m[%i, %i] leadDimension 64 transpose : {MATRIX}",
    ),
    (
        f"{LOAD} {{numTiles = 4 : i32, transpose = false}} : {SHARED} -> vector<4x2xf16>",
        f"{LOAD} numTiles = 4 transpose = false : {SHARED} -> vector<4x2xf16>",
    ),
    (
        f"%x = nvgpu.mma.sync(%p, %q, %q) {{mmaShape = [16, 8, 16]}} : {MMA}",
        f"%x = nvgpu.mma.sync(%p, %q, %q) mmaShape = [16, 8, 16] : {MMA}",
    ),
    (
        f"%x = {COPY} {{bypassL1}} : {SHARED} to {SHARED}",
        f"%x = {COPY} bypassL1 : {SHARED} to {SHARED}",
    ),
    (
        "nvgpu.device_async_wait %y {numGroups = 1 : i32}",
        "nvgpu.device_async_wait %y numGroups = 1",
    ),
    (
        "%x = bufferization.alloc_tensor() {memory_space = #gpu.address_space<workgroup>}"
        " : tensor<4xf32>",
        "%x = bufferization.alloc_tensor() <{memory_space = #gpu.address_space<workgroup>}>"
        " : tensor<4xf32>",
    ),
]


@pytest.mark.parametrize(("old", "new"), FORMS, ids=[re.sub(r"\W+", "-", f[0][:40]) for f in FORMS])
def test_an_older_form_means_what_its_new_form_means(old: str, new: str) -> None:
    function = "func.func @f({}) {{\n  {}\n  return\n}}\n"
    told = open_text(function.format(ARGUMENTS, old))
    plain = open_text(function.format(ARGUMENTS, new))
    assert str(told.module) == str(plain.module)
    assert len(told.notes) >= 1
    assert not plain.notes


LAYOUT = (
    "#l = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], "
    "thread_tile = [4], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>\n"
)
MODULES = [
    (
        LAYOUT
        + "func.func @f(%y: vector<4xf16>) {\n  %x = iree_vector_ext.to_layout %y to layout(#l)"
        "OPEN shared_memory_conversion = #iree_gpu.derived_thread_config CLOSE : vector<4xf16>\n"
        "  return\n}\n"
    ),
    (
        "module attributes {transform.with_named_sequence} {\n  transform.named_sequence @s("
        "%x: !transform.any_op) {\n    transform.iree.reduce_shared_memory_bank_conflicts %x OPEN "
        "padding_size_bits = 64 CLOSE : (!transform.any_op) -> ()\n    transform.yield\n  }\n}\n"
    ),
]


@pytest.mark.parametrize("text", MODULES, ids=["to_layout", "transform"])
def test_an_older_attribute_in_braces_stands_in_angles(text: str) -> None:
    old, new = (text.replace("OPEN", a).replace("CLOSE", b) for a, b in ((" {", "}"), (" <", ">")))
    told, plain = open_text(old), open_text(new)
    assert str(told.module) == str(plain.module)
    assert (len(told.notes), len(plain.notes)) == (1, 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("None", "#iree_codegen.no_pipeline"),
        ("LLVMGPUTileAndFuse", "#iree_gpu.pipeline<TileAndFuse>"),
        ("{prefetch_shared_memory = true}", "{prefetch_num_stages = 2}"),
    ],
)
def test_an_older_attribute_means_what_its_new_form_means(old: str, new: str) -> None:
    def attribute(value: str) -> str:
        if value[0] == "{":
            return f"#iree_gpu.pipeline_options<{value[1:-1]}>"
        return f"#iree_codegen.translation_info<pipeline = {value} workgroup_size = [64]>"

    function = "func.func private @f() attributes {{a = {}}}"
    told, plain = (open_text(function.format(attribute(value))) for value in (old, new))
    assert str(told.module) == str(plain.module)
    assert (len(told.notes), len(plain.notes)) == (1, 0)


def test_a_text_that_parses_is_not_touched() -> None:
    text = "func.func private @f()\n// blgp = none, rocdl.sched.barrier 0\n"
    opened = open_text(text)
    assert opened.source.parsed == text
    assert opened.notes == ()


def test_comments_and_strings_are_not_rewritten() -> None:
    body = "rocdl.sched.barrier 0 // blgp = none\n  return"
    text = f'func.func @f() attributes {{s = "blgp = none"}} {{\n  {body}\n}}\n'
    (note,) = open_text(text, "f").notes
    assert (
        note == "f:2:23: older syntax read: rocdl.sched.barrier 0 -> none (mask by name), 1 place"
    )


# Dumps of other releases


def table() -> list[list[str]]:
    rows = [
        line
        for line in (ROOT / "docs" / "dumps.md").read_text("utf-8").split("\n")
        if ".mlir` |" in line
    ]
    return [
        [cell.strip(" `") for cell in row.strip("|").split("|")] for row in rows if "| yes |" in row
    ]


@pytest.mark.parametrize("row", table(), ids=lambda row: row[2])
def test_the_table_of_dumps_is_true(row: list[str]) -> None:
    compiler, after, name, _, rules, target, size = row
    header = (DUMPS / name).read_text("utf-8")[:400]
    assert f"iree-base-compiler {compiler.split()[1]}:" in header
    assert f"--mlir-print-ir-after={after}\n" in header
    opened = open_module(DUMPS / name)
    (kernel,) = kernels(opened)
    assert sum("older syntax" in note for note in opened.notes) == int(rules)
    assert (kernel.target or "-") == target
    assert " x ".join(map(str, kernel.workgroup_size or ())) == size


def test_the_table_lists_every_dump() -> None:
    assert {row[2] for row in table()} == {path.name for path in DUMPS.glob("iree-*")}
