"""The talk's snapshots, text in and text out: vector, tile, flat memref, address arithmetic."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler")

from iree.compiler.passmanager import PassManager

from bankwise.change.compile.compile import compile_text
from bankwise.change.passes.decide import decide
from bankwise.change.passes.flatten import flatten
from bankwise.change.passes.holes import holes
from bankwise.change.passes.materialise import materialise
from bankwise.change.passes.resolve import resolve
from bankwise.errors import Refusal
from passes_cases import GFX942, opened, places, same_results

WG = "#gpu.address_space<workgroup>"
LAYOUT = (
    "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 8], "
    "outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], "
    "subgroup_strides = [0, 0], thread_strides = [1, 16]>"
)
INFO = (
    "#iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline "
    "workgroup_size = [64, 1, 1] subgroup_size = 64>"
)

VECTOR = f"""\
#reader = {LAYOUT}
func.func @talk(%in: memref<16x128xf16>, %out: memref<16x128xf16>)
    attributes {{translation_info = {INFO}}} {{
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %x = vector.transfer_read %in[%c0, %c0], %p : memref<16x128xf16>, vector<16x128xf16>
  %v = iree_vector_ext.to_layout %x to layout(#reader) : vector<16x128xf16>
  %to = iree_vector_ext.to_layout %v to layout(#reader) <shared_memory_conversion = \
#iree_gpu.derived_thread_config> : vector<16x128xf16>
  vector.transfer_write %to, %out[%c0, %c0] : vector<16x128xf16>, memref<16x128xf16>
  return
}}
"""

TILE = f"""\
  %tile0_alloc = bufferization.alloc_tensor() <{{memory_space = {WG}}}> : tensor<16x128xf16, {WG}>
  %tile0_hint = iree_codegen.swizzle_hint %tile0_alloc[#iree_codegen.xor_shuffle<128, 4, 128, 1>] \
: tensor<16x128xf16, {WG}>
  %tile0_zero = arith.constant 0 : index
  %tile0_write = vector.transfer_write %v, %tile0_hint[%tile0_zero, %tile0_zero] \
{{in_bounds = [true, true]}} : vector<16x128xf16>, tensor<16x128xf16, {WG}>
  %tile0_synced = iree_gpu.value_barrier %tile0_write : tensor<16x128xf16, {WG}>
  %tile0_outside = ub.poison : f16
  %tile0_read = vector.transfer_read %tile0_synced[%tile0_zero, %tile0_zero], %tile0_outside \
{{in_bounds = [true, true]}} : tensor<16x128xf16, {WG}>, vector<16x128xf16>
  %to = iree_vector_ext.to_layout %tile0_read to layout(#reader) : vector<16x128xf16>
"""

FLAT = f"""\
  %tile0_alloc = memref.alloc() : memref<2048xf16, {WG}>
  %tile0_hint = iree_codegen.swizzle_hint %tile0_alloc[#iree_codegen.xor_shuffle<128, 4, 128, 1>] \
: memref<2048xf16, {WG}>
  %tile0_hint_tile = memref.expand_shape %tile0_hint [[0, 1]] output_shape [16, 128] : \
memref<2048xf16, {WG}> into memref<16x128xf16, {WG}>
  %tile0_zero = arith.constant 0 : index
  vector.transfer_write %v, %tile0_hint_tile[%tile0_zero, %tile0_zero] \
{{in_bounds = [true, true]}} : vector<16x128xf16>, memref<16x128xf16, {WG}>
  gpu.barrier memfence [{WG}]
  %tile0_outside = ub.poison : f16
  %tile0_read = vector.transfer_read %tile0_hint_tile[%tile0_zero, %tile0_zero], %tile0_outside \
{{in_bounds = [true, true]}} : memref<16x128xf16, {WG}>, vector<16x128xf16>
"""

LOADS = """\
func.func @talk(%in: memref<16x128xf16>, %out: memref<16x128xf16>)
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = memref.alloc() : memref<2048xf16, #gpu.address_space<workgroup>>
  %h2 = iree_codegen.swizzle_hint %f[#iree_codegen.xor_shuffle<128, 4, 128, 1>] : \
memref<2048xf16, #gpu.address_space<workgroup>>
  %view = memref.expand_shape %h2 [[0, 1]] output_shape [16, 128] : \
memref<2048xf16, #gpu.address_space<workgroup>> into \
memref<16x128xf16, #gpu.address_space<workgroup>>
  %t = gpu.thread_id x upper_bound 64
  %row = affine.apply affine_map<()[s0] -> (s0 mod 16)>()[%t]
  %column = affine.apply affine_map<()[s0] -> ((s0 floordiv 16) * 4)>()[%t]
  %w = vector.load %in[%row, %column] : memref<16x128xf16>, vector<4xf16>
  vector.store %w, %view[%row, %column] : memref<16x128xf16, #gpu.address_space<workgroup>>, \
vector<4xf16>
  gpu.barrier
  %logical = affine.linearize_index disjoint [%row, %column] by (16, 128) : index
  %r = vector.load %h2[%logical] : memref<2048xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  vector.store %r, %out[%row, %column] : memref<16x128xf16>, vector<4xf16>
  return
}
"""

SWIZZLED = """\
  %f = memref.alloc() : memref<2048xf16, #gpu.address_space<workgroup>>
  %view = memref.expand_shape %f [[0, 1]] output_shape [16, 128] : \
memref<2048xf16, #gpu.address_space<workgroup>> into \
memref<16x128xf16, #gpu.address_space<workgroup>>
  %t = gpu.thread_id x upper_bound 64
  %swz0 = affine.apply affine_map<()[s0] -> ((s0 mod 16) * 4)>()[%t]
  %row = affine.apply affine_map<()[s0] -> (s0 mod 16)>()[%t]
  %column = affine.apply affine_map<()[s0] -> ((s0 floordiv 16) * 4)>()[%t]
  %swz1 = arith.xori %column, %swz0 : index
  %w = vector.load %in[%row, %column] : memref<16x128xf16>, vector<4xf16>
  vector.store %w, %view[%row, %swz1] : memref<16x128xf16, #gpu.address_space<workgroup>>, \
vector<4xf16>
  gpu.barrier
  %logical = affine.linearize_index disjoint [%row, %column] by (16, 128) : index
  %swz2 = arith.xori %logical, %swz0 : index
  %r = vector.load %f[%swz2] : memref<2048xf16, #gpu.address_space<workgroup>>, vector<4xf16>
"""


def decided() -> str:
    return decide(opened(VECTOR), GFX942, rule="pr23778").text


def test_a_converted_vector_becomes_tile_hint_write_barrier_and_read():
    after = materialise(opened(decided())).text
    assert TILE in after
    assert after.count(f"gpu.barrier memfence [{WG}]\n  %c0 = arith.constant 0") == 1


def test_without_a_decision_the_tile_has_no_hint():
    after = materialise(opened(VECTOR)).text
    assert "swizzle_hint" not in after
    assert "vector.transfer_write %v, %tile0_alloc" in after


def test_the_tile_becomes_a_flat_memref_with_the_hint_and_its_old_shape():
    tiled = materialise(opened(decided())).text
    after = flatten(opened(tiled))
    assert after.refusals == ()
    assert FLAT in after.text
    assert not [hole for hole in holes(opened(after.text), GFX942) if "dead" in hole.rule]


def test_the_hint_becomes_an_exclusive_or_of_store_and_load():
    after = resolve(opened(LOADS), GFX942).text
    assert SWIZZLED in after
    assert same_results(LOADS, after)


def test_irees_flattening_leaves_a_dead_allocation_and_ours_does_not():
    text = LOADS.replace("memref<2048xf16", "memref<16x128xf16").replace(
        "%h2[%logical]", "%h2[%row, %column]"
    )
    text = "\n".join(line for line in text.splitlines() if "expand_shape" not in line)
    text = text.replace("%view[", "%h2[")
    module = opened(text)
    with module.context:
        PassManager.parse(
            "builtin.module(func.func(iree-codegen-flatten-swizzle-hint-allocs))"
        ).run(module.module.operation)
    assert "allocation-dead" in [h.rule for h in holes(opened(str(module.module)), GFX942)]
    ours = flatten(opened(text)).text
    assert "allocation-dead" not in [h.rule for h in holes(opened(ours), GFX942)]
    assert same_results(text, ours)
    assert places(opened(ours)) == places(opened(str(module.module)))


def test_a_tile_distributed_by_iree_is_resolved_to_what_it_computed():
    flat = flatten(opened(materialise(opened(decided())).text)).text
    module = opened(flat)
    with module.context:
        for name in (
            "iree-llvmgpu-vector-distribute",
            "canonicalize",
            "iree-llvmgpu-vector-lowering",
            "canonicalize",
        ):
            PassManager.parse(f"builtin.module(func.func({name}))").run(module.module.operation)
    lowered = str(module.module)
    after = resolve(opened(lowered), GFX942)
    assert after.refusals == ()
    assert "swizzle_hint" in lowered
    assert "swizzle_hint" not in after.text
    assert same_results(lowered, after.text)


def test_a_tensor_with_another_user_keeps_its_form_and_says_why():
    text = f"""\
func.func @f(%i: index) -> f16 {{
  %a = bufferization.alloc_tensor() <{{memory_space = {WG}}}> : tensor<16xf16, {WG}>
  %e = tensor.extract %a[%i] : tensor<16xf16, {WG}>
  return %e : f16
}}
"""
    done = flatten(opened(text))
    assert done.text == text
    assert "tensor.extract uses it" in done.refusals[0].reason


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_the_resolved_snapshot_compiles_without_its_hint_being_dropped(target):
    after = resolve(opened(LOADS), GFX942).text
    listing = compile_text(after, target, workgroup_size=(64, 1, 1))
    assert not isinstance(listing, Refusal)
    assert (listing.counts["ds_write_b64"], listing.counts["ds_read_b64"]) == (1, 1)
