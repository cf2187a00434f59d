"""What iree-base-compiler 3.13.0 accepts and gets wrong is found, each under its own rule."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler")

from bankwise.change.passes.decide import decide
from bankwise.change.passes.holes import RULES, hole_of_error, holes
from bankwise.change.passes.values import PassOptions
from bankwise.errors import InputError
from passes_cases import DATA, GFX942, GFX950, LDS, opened, roundtrip, text_of

XOR = "#iree_codegen.xor_shuffle<{}>"
FLAT = f"memref<4096xf16, {LDS}>"


def rules(text: str, launch: PassOptions = GFX942) -> list[str]:
    return [hole.rule for hole in holes(opened(text), launch)]


def test_a_swizzle_that_is_no_bijection():
    text = roundtrip(XOR.format("96, 4"), width=4, read_width=4, size=6144)
    (hole,) = holes(opened(text), GFX942)
    assert hole.rule == "swizzle-not-bijective"
    assert "both go to" in hole.message
    assert hole.location.line == text[: text.index("iree_codegen.swizzle_hint")].count("\n") + 1


def test_a_swizzle_that_counts_from_a_shifted_view():
    part = f"memref<4032xf16, strided<[1], offset: 64>, {LDS}>"
    text = roundtrip(XOR.format("64, 8")).replace(
        "  gpu.barrier\n",
        f"  %s = memref.subview %lds[64] [4032] [1] : {FLAT} to {part}\n"
        f"  %h2 = iree_codegen.swizzle_hint %s[{XOR.format('64, 8')}] : {part}\n"
        f"  %v2 = vector.load %h2[%c0] : {part}, vector<8xf16>\n  gpu.barrier\n",
    )
    assert set(rules(text)) == {"swizzle-shifted"}


def test_a_view_that_begins_at_a_whole_period_is_no_hole():
    part = f"memref<3584xf16, strided<[1], offset: 512>, {LDS}>"
    text = roundtrip(XOR.format("64, 8")).replace(
        "  gpu.barrier\n",
        f"  %s = memref.subview %lds[512] [3584] [1] : {FLAT} to {part}\n"
        f"  %h2 = iree_codegen.swizzle_hint %s[{XOR.format('64, 8')}] : {part}\n"
        f"  %v2 = vector.load %h2[%c0] : {part}, vector<8xf16>\n  gpu.barrier\n",
    )
    assert rules(text) == []


def test_a_swizzle_on_a_padded_allocation():
    wide, narrow = f"memref<8x72xf16, {LDS}>", f"memref<8x64xf16, strided<[72, 1]>, {LDS}>"
    text = f"""\
func.func @k() attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %p = memref.alloc() : {wide}
  %s = memref.subview %p[0, 0] [8, 64] [1, 1] : {wide} to {narrow}
  %h = iree_codegen.swizzle_hint %s[{XOR.format("64, 8")}] : {narrow}
  return
}}
"""
    assert rules(text) == ["swizzle-padded"]


COPY = """\
func.func @k(%in: memref<512xf16>, %out: memref<512xf16>)
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %lds = memref.alloc(){attribute} : memref<{rows}xf16, #gpu.address_space<workgroup>>
{views}  %t = gpu.thread_id x upper_bound 64
  %g = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%t]
  %row = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%t]
  %column = affine.apply affine_map<()[s0] -> ((s0 mod 8) * 8)>()[%t]
  amdgpu.gather_to_lds %in[%g], {to}[%c0, %c0] : vector<8xf16>, memref<512xf16>, {of}
  amdgpu.memory_counter_wait load(0)
  gpu.barrier
  %v = vector.load {to}[%row, %column] : {of}, vector<8xf16>
  vector.store %v, %out[%g] : memref<512xf16>, vector<8xf16>
  return
}}
"""


def test_a_swizzle_on_memory_that_copies_fill():
    of = f"memref<8x64xf16, {LDS}>"
    attribute = " {iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>}"
    text = COPY.format(attribute=attribute, rows="8x64", views="", to="%lds", of=of)
    assert rules(text, GFX950) == ["swizzle-dma"]
    assert rules(COPY.format(attribute="", rows="8x64", views="", to="%lds", of=of), GFX950) == []


def test_padding_under_a_copy_in_lane_order():
    wide, of = f"memref<8x72xf16, {LDS}>", f"memref<8x64xf16, strided<[72, 1]>, {LDS}>"
    view = f"  %s = memref.subview %lds[0, 0] [8, 64] [1, 1] : {wide} to {of}\n"
    text = COPY.format(attribute="", rows="8x72", views=view, to="%s", of=of)
    assert rules(text, GFX950) == ["padding-dma"]


def test_a_swizzle_that_the_compiler_drops():
    text = roundtrip(XOR.format("64, 8"), read_width=4)
    (hole,) = holes(opened(text), GFX942)
    assert hole.rule == "swizzle-dropped"
    assert "vector.load of 4 elements" in hole.message


def test_blind_padding_of_rows_that_had_no_conflict():
    wide, of = f"memref<64x68xf16, {LDS}>", f"memref<64x64xf16, strided<[68, 1]>, {LDS}>"
    text = f"""\
func.func @k(%in: memref<64x64xf16>, %out: memref<64x64xf16>)
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %lds = memref.alloc() : {wide}
  %s = memref.subview %lds[0, 0] [64, 64] [1, 1] : {wide} to {of}
  %t = gpu.thread_id x upper_bound 64
  %v = vector.load %in[%c0, %t] : memref<64x64xf16>, vector<1xf16>
  vector.store %v, %s[%c0, %t] : {of}, vector<1xf16>
  gpu.barrier
  %w = vector.load %s[%c0, %t] : {of}, vector<1xf16>
  vector.store %w, %out[%c0, %t] : memref<64x64xf16>, vector<1xf16>
  return
}}
"""
    (hole,) = holes(opened(text), GFX942)
    assert hole.rule == "padding-blind"
    assert "4 elements behind each row save no pass" in hole.message


def test_an_allocation_that_nobody_uses():
    text = roundtrip(XOR.format("64, 8")).replace(
        "  %t =", f"  %old = memref.alloc() : memref<64x64xf16, {LDS}>\n  %t ="
    )
    assert rules(text) == ["allocation-dead"]


@pytest.mark.parametrize("numbers", ["0, 8", "64, 0"])
def test_sizes_of_0_are_refused_before_the_parser_sees_them(numbers):
    with pytest.raises(InputError, match="must not be 0") as caught:
        opened(roundtrip(XOR.format(numbers)))
    hole = hole_of_error(caught.value)
    assert hole is not None
    assert hole.rule == "swizzle-zero"
    assert hole_of_error(InputError("no such file")) is None


@pytest.mark.parametrize("path", sorted((DATA / "kernels").glob("*.mlir")), ids=lambda p: p.stem)
def test_irees_own_kernels_run_into_none(path):
    launch = PassOptions("gfx950" if "950" in path.stem else "gfx942", (256, 1, 1))
    assert rules(path.read_text(), launch) == []


def test_what_decide_emits_is_no_hole_but_for_hints_that_only_we_resolve():
    text = text_of("examples/iree/matmul_abt_4096.gfx950.mlir")
    assert rules(decide(opened(text), GFX950).text, GFX950) == []


def test_every_rule_says_what_is_wrong():
    assert all(RULES.values())
