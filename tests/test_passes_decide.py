"""Deciding: the rule of iree-org/iree#23778 step by step, and ours on tiles and lowered kernels."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("iree.compiler")

from bankwise.change.passes.decide import decide
from bankwise.change.passes.nested import NestedLayout, first_elements, nested_layout
from bankwise.change.passes.resolve import resolve
from bankwise.change.passes.rule_23778 import choose
from bankwise.change.passes.values import PassOptions
from passes_cases import DATA, GFX942, GFX950, opened, same_results, text_of

SLIDE = (
    "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 4], "
    "outer_tile = [4, 1], thread_tile = [4, 2], element_tile = [1, 4], "
    "subgroup_strides = [0, 0], thread_strides = [1, 4]>"
)
"""The 32x32 layout of the talk."""

DECLINED = {
    "rank 0": ((), 16, (4,), (4,), "rank 0"),
    "reader unknown": ((32, 32), 16, (1, 4), None, "no nested_layout"),
    "empty writer": ((32, 32), 16, (), (1, 4), "empty"),
    "empty reader": ((32, 32), 16, (1, 4), (), "empty"),
    "access 0": ((32, 32), 16, (1, 0), (1, 0), "do not divide"),
    "access does not divide": ((32, 36), 16, (1, 8), (1, 8), "do not divide"),
    "f16 mismatch": ((32, 128), 16, (1, 8), (1, 4), "the narrow side"),
    "i8 mismatch": ((32, 128), 8, (1, 16), (1, 8), "the narrow side"),
    "one group": ((32, 8), 16, (1, 8), (1, 8), "one group"),
    "rows spread": ((32, 66), 16, (1, 2), (1, 2), "already spread"),
}

CHOSEN = {
    "the talk's tile": ((16, 128), 16, (1, 4), (1, 4), 32, "xor_shuffle<128, 4, 128, 1>"),
    "a writer without layout": ((16, 128), 16, None, (1, 8), 32, "xor_shuffle<128, 8, 128, 1>"),
    "f32 capped at 2": ((16, 128), 32, (1, 4), (1, 1), 32, "xor_shuffle<128, 2, 128, 1>"),
    "f32, a wider reader": ((16, 128), 32, (1, 1), (1, 4), 32, "xor_shuffle<128, 4, 128, 1>"),
    "f32, writer of 2": ((16, 128), 32, (1, 2), (1, 1), 32, "xor_shuffle<128, 2, 128, 1>"),
    "f32, an odd row": ((16, 63), 32, (1, 9), (1, 3), 32, "xor_shuffle<63, 9, 63, 1>"),
    "f16 mismatch of 1": ((32, 128), 16, (1, 1), (1, 1), 32, "xor_shuffle<128, 1, 128, 1>"),
    "spread on 64 banks only": ((32, 64), 16, (1, 8), (1, 8), 64, "xor_shuffle<64, 8, 64, 1>"),
    "3 bytes round up": ((16, 64), 24, (1, 4), (1, 4), 32, "xor_shuffle<64, 4, 64, 1>"),
}


@pytest.mark.parametrize("case", DECLINED)
def test_the_rule_declines(case):
    shape, bits, writer, reader, reason = DECLINED[case]
    choice = choose(shape, bits, writer, reader)
    assert choice.hint is None
    assert reason in choice.reason
    assert "left to padding" in choice.reason


@pytest.mark.parametrize("case", [c for c in CHOSEN if c != "f32, an odd row"])
def test_the_rule_chooses(case):
    shape, bits, writer, reader, banks, hint = CHOSEN[case]
    assert str(choose(shape, bits, writer, reader, banks).hint) == hint


def test_rows_that_begin_an_odd_number_of_banks_apart_are_spread():
    shape, bits, writer, reader, *_ = CHOSEN["f32, an odd row"]
    assert "already spread" in choose(shape, bits, writer, reader).reason


def test_the_number_of_banks_decides_which_rows_are_spread():
    rows_of_33_words = ((32, 33), 32, (1, 1), (1, 1))
    assert choose(*rows_of_33_words, 32).hint is None
    assert choose(*rows_of_33_words, 33).hint is not None


def test_a_nested_layout_gives_every_element_of_its_tile_once():
    layout = nested_layout(SLIDE)
    assert layout is not None
    assert layout.shape == (32, 32)
    eight_lanes = first_elements(layout, 8)
    held = np.add.outer(eight_lanes, np.arange(4)).ravel()
    assert sorted(held.tolist()) == list(range(32 * 32))


def test_a_nested_layout_places_threads_by_their_strides():
    layout = NestedLayout((1, 1), (1, 1), (1, 1), (4, 16), (1, 8), (0, 0), (16, 1))
    assert layout.shape == (4, 128)
    first = first_elements(layout, 64)[0, 0]
    assert first.tolist() == [128 * (lane // 16) + 8 * (lane % 16) for lane in range(64)]


def test_another_layout_is_not_read():
    assert nested_layout("#gpu.blocked<[1]>") is None
    assert nested_layout("#iree_vector_ext.nested_layout<batch_tile = [1]>") is None


def tile(layout: str, shape: str, writer: str = "") -> str:
    before = f"  %v = iree_vector_ext.to_layout %x to layout({writer}) : vector<{shape}>\n"
    value = "%v" if writer else "%x"
    return (
        f"func.func @f(%x: vector<{shape}>) -> vector<{shape}> {{\n{before if writer else ''}"
        f"  %y = iree_vector_ext.to_layout {value} to layout({layout}) "
        f"<shared_memory_conversion = #iree_gpu.derived_thread_config> : vector<{shape}>\n"
        f"  return %y : vector<{shape}>\n}}\n"
    )


def test_the_talks_32x32_layout_is_decided_with_its_reason():
    done = decide(opened(tile(SLIDE, "32x32xf16")), GFX942, rule="pr23778")
    (remark,) = done.remarks
    assert remark.reason.startswith("#iree_codegen.xor_shuffle<32, 4, 32, 1>: ")
    assert "rows of 32 elements begin 16 banks of 32 apart" in remark.reason
    assert "{iree_codegen.swizzle = #iree_codegen.xor_shuffle<32, 4, 32, 1>} : " in done.text


def test_the_talks_layout_behind_a_wider_f16_writer_is_left_to_padding():
    writer = SLIDE.replace("element_tile = [1, 4]", "element_tile = [1, 8]").replace(
        "batch_tile = [2, 4]", "batch_tile = [2, 2]"
    )
    text = tile(SLIDE, "32x32xf16", writer)
    done = decide(opened(text), GFX942, rule="pr23778")
    assert done.text == text
    assert "the writer takes 8 elements of 16 bits at once, the reader 4" in done.remarks[0].reason


def test_our_rule_counts_the_talks_layout():
    done = decide(opened(tile(SLIDE, "32x32xf16")), GFX942)
    (remark,) = done.remarks
    assert "512 -> 256 passes of ideal 256" in remark.reason


@pytest.mark.parametrize("rule", ["solver", "pr23778"])
def test_with_the_flag_off_the_text_stays_as_it_was(rule):
    for text in (tile(SLIDE, "32x32xf16"), text_of("examples/iree/matmul_abt_4096.gfx942.mlir")):
        done = decide(opened(text), GFX942, rule=rule, enabled=False)
        assert (done.text, done.remarks, done.refusals) == (text, (), ())


SMALL = sorted((DATA / "kernels").glob("*.mlir")) + sorted((DATA / "dumps").glob("*-kernel.mlir"))


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_every_hint_that_is_emitted_is_resolved_and_none_is_dropped(path):
    _emitted_and_resolved(path.read_text(), "gfx950" if "950" in path.stem else "gfx942")


@pytest.mark.parametrize("name", ["matmul_abt_4096.gfx942", "matmul_abt_4096.gfx950"])
def test_the_hints_on_both_tiles_of_irees_matmul_are_resolved(name):
    text = text_of(f"examples/iree/{name}.mlir")
    hinted, resolved = _emitted_and_resolved(text, name.rpartition(".")[2])
    assert hinted.count("iree_codegen.swizzle_hint") == 2
    assert decide(opened(resolved), PassOptions(name.rpartition(".")[2])).text == resolved


def _emitted_and_resolved(text: str, target: str) -> tuple[str, str]:
    launch = PassOptions(target, (256, 1, 1))
    hinted = decide(opened(text), launch)
    emitted = hinted.text.count("iree_codegen.swizzle_hint")
    assert emitted == sum(len(r.subject.split(", ")) for r in hinted.remarks if r.changed)
    done = resolve(opened(hinted.text), launch)
    assert done.refusals == ()
    assert "swizzle_hint" not in done.text
    assert sum(r.changed for r in done.remarks) == emitted
    return hinted.text, done.text


COLUMNS = """\
func.func @k(%in: memref<64x64xf16>, %out: memref<64x64xf16>)
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %lds = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>
  %t = gpu.thread_id x upper_bound 64
  %v = vector.load %in[%t, %c0] : memref<64x64xf16>, vector<8xf16>
  vector.store %v, %lds[%t, %c0] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  gpu.barrier
  %w = vector.load %lds[%t, %c0] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  vector.store %w, %out[%t, %c0] : memref<64x64xf16>, vector<8xf16>
  memref.dealloc %lds : memref<64x64xf16, #gpu.address_space<workgroup>>
  return
}
"""


@pytest.mark.parametrize("launch", [GFX942, GFX950], ids=lambda launch: launch.target)
def test_a_lowered_kernel_gets_a_hint_and_then_its_arithmetic(launch):
    hinted = decide(opened(COLUMNS), launch)
    assert "%lds_flat = memref.alloc() : memref<4096xf16" in hinted.text
    assert "%lds = memref.expand_shape %lds_hint [[0, 1]] output_shape [64, 64]" in hinted.text
    assert "memref.dealloc %lds_flat" in hinted.text
    resolved = resolve(opened(hinted.text), launch)
    assert same_results(COLUMNS, hinted.text)
    assert same_results(COLUMNS, resolved.text)


def test_an_allocation_without_conflict_gets_no_hint():
    text = COLUMNS.replace("%lds[%t, %c0]", "%lds[%c0, %t]").replace("8xf16>", "1xf16>")
    done = decide(opened(text), GFX942)
    assert done.text == text
    assert "no conflict" in done.remarks[0].reason


def test_what_copies_in_lane_order_fill_gets_no_hint():
    text = (DATA / "kernels" / "matmul_f16_32x32x64_gfx950.mlir").read_text()
    done = decide(opened(text), PassOptions("gfx950", (256, 1, 1)))
    assert done.text == text
    assert any("a copy in lane order cannot follow" in r.reason for r in done.remarks)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_irees_attention_computes_the_same_with_hints_and_with_their_arithmetic(target):
    text = text_of(f"examples/iree/attention_1x1024x128.{target}.mlir")
    hinted, resolved = _emitted_and_resolved(text, target)
    assert hinted.count("iree_codegen.swizzle_hint") == 3
    assert same_results(text, hinted, size=256)
    assert same_results(text, resolved, size=256)
