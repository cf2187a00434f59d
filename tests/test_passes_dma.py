"""Memory that copies in lane order fill: its swizzle is in the order in which they fetch."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler")

from bankwise.change.passes.dma_swizzle import dma_swizzle
from bankwise.change.passes.resolve import resolve
from passes_cases import GFX950, LDS, opened, same_results

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from lit_meaning import traces

TILE = f"memref<8x64xf16, {LDS}>"


def copied(hint: str = "", column: str = "%column") -> str:
    """A wave copies 8 rows of 64 elements and reads 8 rows of 8 columns, 16 bytes a lane.

    ``hint``: stands on the allocation; ``column``: which one a lane fetches.
    """
    flat, name = f"memref<512xf16, {LDS}>", "%h" if hint else "%a"
    made = f"%h = iree_codegen.swizzle_hint %a[{hint}] : {flat}" if hint else ""
    return f"""\
func.func @k(%in: memref<8x64xf16>, %out: memref<64x8xf16>)
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : {flat}
  {made}
  %lds = memref.expand_shape {name} [[0, 1]] output_shape [8, 64] : {flat} into {TILE}
  %t = gpu.thread_id x upper_bound 64
  %row, %chunk = affine.delinearize_index %t into (8, 8) : index, index
  %column = arith.muli %chunk, %c8 : index
  %other = arith.xori %chunk, %row : index
  %moved = arith.muli %other, %c8 : index
  amdgpu.gather_to_lds %in[%row, {column}], %lds[%c0, %c0] : vector<8xf16>, memref<8x64xf16>, {TILE}
  gpu.barrier
  %v = vector.load %lds[%chunk, %c0] : {TILE}, vector<8xf16>
  vector.store %v, %out[%t, %c0] : memref<64x8xf16>, vector<8xf16>
  return
}}
"""


XOR = "#iree_codegen.xor_shuffle<64, 8>"


def fetched(text: str) -> dict[int, int]:
    """Of the copies of some lanes: the element of the source that lands at each element."""
    (found,) = traces(text).values()
    assert not isinstance(found, str)
    seen = [eval(each) for run in found for each in run[0] if each.startswith("('copy'")]
    return {put: taken for _, _, put, _, taken in seen}


@pytest.mark.parametrize("hint", ["", XOR])
def test_the_source_is_permuted_and_readers_go_with_it(hint):
    text = copied(hint)
    done = dma_swizzle(opened(text), GFX950)
    assert "swizzle_hint" not in done.text
    assert "proved for all launches" in done.remarks[0].reason
    assert same_results(copied(), done.text)


def test_a_hint_says_which_element_is_fetched_where():
    """Chunk ``c`` of row ``r`` lies at ``c XOR r``: what lies at a place is fetched from there."""
    done = dma_swizzle(opened(copied(XOR)), GFX950)
    for put, taken in fetched(done.text).items():
        row, column = divmod(put, 64)
        assert taken == row * 64 + (column // 8 ^ row) * 8 + column % 8
    assert fetched(done.text).keys() == fetched(copied()).keys()


def test_a_source_that_follows_the_swizzle_is_not_permuted_again():
    done = dma_swizzle(opened(copied(XOR, "%moved")), GFX950)
    assert done.text == copied(XOR, "%moved")
    assert "follows it already" in done.refusals[0].reason


def with_workgroup(text: str) -> str:
    """The same, the source moved by what only a launch knows."""
    for column in ("%column", "%moved"):
        copy = f"amdgpu.gather_to_lds %in[%row, {column}]"
        block = "%b = gpu.block_id x upper_bound 1"
        moved = f"{block}\n  %f = arith.addi {column}, %b : index\n  "
        text = text.replace(copy, moved + copy.replace(column, "%f"))
    return text


def test_what_only_a_launch_knows_hides_no_permutation():
    plain, moved = (with_workgroup(copied(XOR, column)) for column in ("%column", "%moved"))
    assert dma_swizzle(opened(plain), GFX950).changed
    done = dma_swizzle(opened(moved), GFX950)
    assert done.text == moved
    assert "follows it already" in done.refusals[0].reason


def test_a_column_that_follows_neither_is_refused():
    text = copied(XOR).replace("arith.xori %chunk, %row", "arith.xori %chunk, %c1")
    text = text.replace("%c8 =", "%c1 = arith.constant 1 : index\n  %c8 =", 1)
    done = dma_swizzle(opened(text.replace("%in[%row, %column]", "%in[%row, %moved]")), GFX950)
    assert not done.changed
    assert "not seen" in done.refusals[0].reason


NO = {
    "#iree_codegen.rotate_rows<64, 8>": "rotation",
    "#iree_codegen.xor_shuffle<48, 8>": "no power of two",
    "#iree_codegen.xor_shuffle<64, 4>": "splits the 8 elements",
}


@pytest.mark.parametrize("hint", NO)
def test_what_no_copy_can_do_is_refused(hint):
    done = dma_swizzle(opened(copied(hint)), GFX950)
    assert done.text == copied(hint)
    assert any(NO[hint] in refusal.reason for refusal in done.refusals)


def test_resolve_leaves_it_to_this_pass():
    done = resolve(opened(copied(XOR)), GFX950)
    assert "dma-swizzle" in done.refusals[0].reason


def test_resolve_takes_the_readers_where_the_source_follows_already():
    text = copied(XOR, "%moved")
    done = resolve(opened(text), GFX950)
    assert not done.refusals
    (remark,) = done.remarks
    assert remark.assumed
    assert "1 copies fetch under it" in remark.reason
    assert "swizzle_hint" not in done.text
    assert same_results(copied(), done.text)


def test_resolve_takes_no_hint_that_the_source_does_not_follow():
    """The source follows a fold of 8 rows by one row each, the hint says two rows each."""
    text = copied("#iree_codegen.xor_shuffle<64, 8, 64, 2>", "%moved")
    done = resolve(opened(text), GFX950)
    assert done.text == text
    assert done.refusals
