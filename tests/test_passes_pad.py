"""Padding: where counting says that it helps, aligned, and never where it would be wrong."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler")

from bankwise.change.compile.compile import compile_text
from bankwise.change.passes.decide import decide
from bankwise.change.passes.pad import pad
from bankwise.change.passes.values import PassOptions
from bankwise.errors import Refusal
from bankwise.notation.padding import PADDINGS_BYTES
from passes_cases import DATA, GFX942, GFX950, LDS, opened, same_results, text_of


def rows(columns: int, number: int = 64, width: int = 8) -> str:
    """64 threads write and read one row each, 16 bytes at a time for ``width`` 8."""
    tile, of = f"memref<{number}x{columns}xf16, {LDS}>", f"memref<{number}x{columns}xf16>"
    vector = f"vector<{width}xf16>"
    return f"""\
func.func @k(%in: {of}, %out: {of}) attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %lds = memref.alloc() : {tile}
  %t = gpu.thread_id x upper_bound 64
  %v = vector.load %in[%t, %c0] : {of}, {vector}
  vector.store %v, %lds[%t, %c0] : {tile}, {vector}
  gpu.barrier
  %w = vector.load %lds[%t, %c0] : {tile}, {vector}
  vector.store %w, %out[%t, %c0] : {of}, {vector}
  memref.dealloc %lds : {tile}
  return
}}
"""


@pytest.mark.parametrize("launch", [GFX942, GFX950], ids=lambda launch: launch.target)
def test_padded_rows_keep_16_byte_accesses_whole(launch):
    text = rows(64)
    done = pad(opened(text), launch)
    assert "%lds_padded = memref.alloc() : memref<64x72xf16" in done.text
    assert "to memref<64x64xf16, strided<[72, 1]>, " in done.text
    assert same_results(text, done.text)
    listing = compile_text(done.text, launch.target, workgroup_size=(64, 1, 1))
    assert not isinstance(listing, Refusal)
    assert listing.counts == {"ds_read_b128": 1, "ds_write_b128": 1}
    assert listing.lds_bytes == 64 * 72 * 2


def test_narrow_accesses_take_the_narrow_padding_that_is_enough():
    text = rows(64, width=4)
    done = pad(opened(text), GFX942)
    assert "memref<64x68xf16" in done.text
    assert same_results(text, done.text)


def test_an_allocation_without_conflict_is_left_alone():
    text = rows(72)
    done = pad(opened(text), GFX942)
    assert done.text == text
    assert "no conflict" in done.remarks[0].reason


def test_padding_never_passes_the_limit_of_a_workgroup():
    text = rows(64, number=512)
    done = pad(opened(text), GFX942)
    assert done.text == text
    assert "a workgroup has 65536" in done.refusals[0].reason
    assert pad(opened(text), GFX950).text != text


def test_a_hinted_allocation_is_never_padded():
    hinted = decide(opened(rows(64)), GFX942).text
    done = pad(opened(hinted), GFX942)
    assert done.text == hinted
    assert "padded or swizzled, never both" in done.refusals[0].reason


def test_what_copies_in_lane_order_fill_is_never_padded():
    text = (DATA / "kernels" / "matmul_f16_32x32x64_gfx950.mlir").read_text()
    done = pad(opened(text), PassOptions("gfx950", (256, 1, 1)))
    assert done.text == text
    assert all("copies in lane order" in refusal.reason for refusal in done.refusals)
    assert len(done.refusals) == 2


def test_rows_seen_through_another_shape_are_refused():
    view = f"%lds = memref.alloc() : memref<64x64xf16, {LDS}>\n"
    text = rows(64).replace(
        view,
        view + f"  %c = memref.collapse_shape %lds [[0, 1]] : memref<64x64xf16, {LDS}> into "
        f"memref<4096xf16, {LDS}>\n  vector.store %u, %c[%c0] : memref<4096xf16, {LDS}>, "
        "vector<8xf16>\n",
    )
    text = text.replace("  %lds =", "  %u = arith.constant dense<0.0> : vector<8xf16>\n  %lds =")
    done = pad(opened(text), GFX942)
    assert done.text == text
    assert "memref.collapse_shape merges columns and rows" in done.refusals[0].reason


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_irees_attention_computes_the_same_with_padded_tiles(target):
    text = text_of(f"examples/iree/attention_1x1024x128.{target}.mlir")
    done = pad(opened(text), PassOptions(target))
    assert sum(remark.changed for remark in done.remarks) == 3
    assert same_results(text, done.text, size=256)


def test_every_padding_is_a_power_of_two_of_bytes():
    assert all(n & (n - 1) == 0 for n in PADDINGS_BYTES)
