"""Vectors on their way through shared memory: who asks for it, and who fetches in which order."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("iree.compiler")

from bankwise.change.passes.materialise import materialise
from bankwise.change.passes.nested import in_order, nested_layout
from passes_cases import opened

INFO = (
    "#iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline "
    "workgroup_size = [64, 1, 1] subgroup_size = 64>"
)


def layout(thread: str, element: str, strides: str) -> str:
    ones = "[1, 1]"
    return (
        f"#iree_vector_ext.nested_layout<subgroup_tile = {ones}, batch_tile = {ones}, "
        f"outer_tile = {ones}, thread_tile = {thread}, element_tile = {element}, "
        f"subgroup_strides = [0, 0], thread_strides = {strides}>"
    )


ROWS, COLUMNS = layout("[16, 4]", "[1, 4]", "[4, 1]"), layout("[4, 16]", "[4, 1]", "[16, 1]")


def converted(asked: str, *, first: str = "") -> str:
    """A tile from global memory, wanted in columns; ``first``: a layout it has before."""
    value = "%y" if first else "%x"
    made = f"%y = iree_vector_ext.to_layout %x to layout({first}) : vector<16x16xf16>"
    return f"""\
func.func @k(%in: memref<16x16xf16>) -> vector<16x16xf16>
    attributes {{translation_info = {INFO}}} {{
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %x = vector.transfer_read %in[%c0, %c0], %p : memref<16x16xf16>, vector<16x16xf16>
  {made if first else ""}
  %to = iree_vector_ext.to_layout {value} to layout({COLUMNS}){asked} : vector<16x16xf16>
  return %to : vector<16x16xf16>
}}
"""


DERIVED = "#iree_gpu.derived_thread_config"


@pytest.mark.parametrize(
    "asked",
    [
        f" <shared_memory_conversion = {DERIVED}>",
        f" {{shared_memory_conversion = {DERIVED}}}",
        f" {{shared_memory_conversion = {DERIVED}, other = 3 : i64}}",
    ],
)
def test_a_tile_is_fetched_in_order_of_memory_in_either_syntax(asked):
    done = materialise(opened(converted(asked)))
    assert "shared_memory_conversion" not in done.text
    assert f"%tile0_fetched = iree_vector_ext.to_layout %x to layout({ROWS})" in done.text
    assert ("other = 3" in done.text) == ("other = 3" in asked)
    assert opened(done.text)


def test_a_copy_past_the_registers_gets_no_tile():
    asked = " <shared_memory_conversion = #iree_gpu.use_global_load_dma>"
    done = materialise(opened(converted(asked)))
    assert done.text == converted("")
    assert "no tile is made here" in done.remarks[0].reason


NO = {
    '"invalid"': "is no promotion of #iree_gpu",
    "3 : i64": "is no promotion of #iree_gpu",
    "#iree_gpu.promote_with_cache_swizzle<#iree_gpu.derived_thread_config>": "not known here",
}


@pytest.mark.parametrize("promotion", NO)
def test_what_is_no_promotion_is_refused(promotion):
    text = converted(f" <shared_memory_conversion = {promotion}>")
    done = materialise(opened(text))
    assert done.text == text
    assert NO[promotion] in done.refusals[0].reason


def test_layouts_that_exchange_elements_go_through_shared_memory():
    done = materialise(opened(converted("", first=ROWS)))
    assert "vector.transfer_write %y, %tile0_alloc" in done.text
    assert opened(done.text)


def test_a_layout_that_only_renames_registers_does_not():
    text = converted("", first=COLUMNS)
    assert materialise(opened(text)).text == text


@pytest.mark.parametrize(
    ("shape", "bits", "threads"),
    [((16, 16), 16, 64), ((64, 128), 16, 256), ((4, 8, 32), 32, 64), ((128, 4), 8, 64)],
)
def test_neighbouring_threads_fetch_neighbouring_runs(shape, bits, threads):
    """Brute force: in the first round thread n takes the n-th run of the tile, and none is left."""
    found = nested_layout(in_order(shape, bits, threads) or "")
    assert found is not None
    held = found.spread(lanes=threads).coordinates().reshape(threads, -1, len(shape))
    places = np.ravel_multi_index(tuple(np.moveaxis(held, -1, 0)), shape)
    run = found.element_tile[-1]
    assert run * bits <= 128
    assert (places[:, 0] == np.arange(threads) * run).all()
    assert sorted(places.ravel().tolist()) == list(range(int(np.prod(shape))))


@pytest.mark.parametrize(("shape", "threads"), [((16, 15), 64), ((4, 4), 64), ((), 64)])
def test_what_does_not_divide_has_no_such_layout(shape, threads):
    assert in_order(shape, 16, threads) is None
