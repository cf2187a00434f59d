"""Hints anywhere: on arguments, at places that only a run knows, on tensors, on allocations."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler")

from bankwise.ask.opt import opt
from bankwise.change.passes.absorb import absorb
from bankwise.change.passes.flatten import flatten
from bankwise.change.passes.fold_hints import fold_hints
from bankwise.change.passes.resolve import resolve
from passes_cases import GFX942, LDS, opened, roundtrip

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from lit_meaning import traces

XOR = "#iree_codegen.xor_shuffle<64, 4>"


def argument(offset: str, *, width: int = 4, hint: str = XOR, user: str = "") -> str:
    """A load and a store through a hint on an argument, at ``offset``."""
    return f"""\
func.func @k(%m: memref<4096xf32>, %n: memref<4096xf32>, %i: index) {{
  %0 = iree_codegen.swizzle_hint %m[{hint}] : memref<4096xf32>
  {offset}
  %v = vector.load %0[%o] : memref<4096xf32>, vector<{width}xf32>
  vector.store %v, %0[%o] : memref<4096xf32>, vector<{width}xf32>
  {user}
  return
}}
"""


def elements(text: str) -> list[list[int]]:
    """The elements that are loaded, for each sample of the arguments."""
    (found,) = traces(text).values()
    assert not isinstance(found, str)
    loads = [[eval(seen) for seen in run[0] if seen.startswith("('load'")] for run in found]
    return [sorted(place for _, _, place in run) for run in loads]


def shuffled(element: int) -> int:
    """What the attribute's definition says of <64, 4>: 16 groups, XOR with the row."""
    row, column = divmod(element, 64)
    return row * 64 + (column // 4 ^ row % 16) * 4 + column % 4


@pytest.mark.parametrize(
    "offset",
    [
        "%o = arith.constant 1092 : index",
        "%o = arith.addi %i, %i : index",
        "%c = arith.constant 4 : index\n  %o = arith.muli %i, %c : index",
    ],
)
@pytest.mark.parametrize("width", [4, 8])
def test_a_hint_on_an_argument_is_resolved_wherever_the_accesses_go(offset, width):
    text = argument(offset, width=width)
    done = resolve(opened(text), GFX942)
    assert "swizzle_hint" not in done.text
    wanted = [sorted(map(shuffled, run)) for run in elements(text)]
    assert elements(done.text) == wanted
    assert wanted != elements(text)
    (remark,) = done.remarks
    assert remark.assumed
    assert "whoever else accesses this memory swizzles it, too" in remark.reason
    assert ("offsets are multiples of 4" in remark.reason) == ("constant 1092" not in offset)


def test_an_answer_that_rests_on_an_assumption_ends_with_3(tmp_path):
    file = tmp_path / "k.mlir"
    file.write_text(argument("%o = arith.constant 8 : index"))
    assert opt(file, ["resolve"], "gfx942").exit_code == 3
    file.write_text(roundtrip("#iree_codegen.xor_shuffle<64, 8>"))
    assert opt(file, ["resolve"], "gfx942").exit_code == 0


EIGHT = "%o = arith.constant 8 : index"
STAYS = {
    argument("%o = arith.constant 6 : index"): "4 elements at 6 do not begin and end",
    argument(EIGHT, width=6): "6 elements at 8 do not begin and end",
    argument(EIGHT, hint="#iree_codegen.xor_shuffle<48, 4>"): "no power of two",
    argument(EIGHT, user="memref.copy %0, %n : memref<4096xf32> to memref<4096xf32>"): (
        "memref.copy: only vector.load and vector.store"
    ),
    argument(EIGHT, user="memref.copy %m, %n : memref<4096xf32> to memref<4096xf32>"): (
        "memref.copy goes past the hint"
    ),
    argument(EIGHT).replace("4096x", "64x64x").replace("[%o]", "[%o, %o]"): "in one dimension",
}


@pytest.mark.parametrize("text", STAYS)
def test_a_hint_that_cannot_be_followed_stays_with_a_reason(text):
    done = resolve(opened(text), GFX942)
    assert done.text == text
    assert STAYS[text] in done.refusals[0].reason


def test_copies_pass_through_a_hint_that_nothing_else_uses():
    text = f"""\
func.func @k(%g: memref<4096xf16>) attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<512xf16, {LDS}>
  %0 = iree_codegen.swizzle_hint %a[#iree_codegen.xor_shuffle<64, 8>] : memref<512xf16, {LDS}>
  amdgpu.gather_to_lds %g[%c0], %0[%c0] : vector<8xf16>, memref<4096xf16>, memref<512xf16, {LDS}>
  return
}}
"""
    done = resolve(opened(text), GFX942)
    assert "swizzle_hint" not in done.text
    assert "nothing but copies" in done.remarks[0].reason


def test_a_hint_that_mlir_printed_is_flattened():
    """A name that begins with a digit is a number: ``%0`` has no ``%0_tile``."""
    text = f"""\
func.func @k() -> vector<4xf32> {{
  %c0 = arith.constant 0 : index
  %1 = memref.alloc() : memref<8x64xf32, {LDS}>
  %0 = iree_codegen.swizzle_hint %1[{XOR}] : memref<8x64xf32, {LDS}>
  %2 = vector.load %0[%c0, %c0] : memref<8x64xf32, {LDS}>, vector<4xf32>
  return %2 : vector<4xf32>
}}
"""
    done = flatten(opened(text))
    assert f"%0 = iree_codegen.swizzle_hint %1[{XOR}] : memref<512xf32" in done.text
    assert opened(done.text)


HINTED = f"""\
func.func @k(%v: vector<8xf16>) attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %a = memref.alloc() alignment = 16 : memref<512xf16, {LDS}>
  %h = iree_codegen.swizzle_hint %a[#iree_codegen.xor_shuffle<64, 8>] : memref<512xf16, {LDS}>
  vector.store %v, %h[%c0] : memref<512xf16, {LDS}>, vector<8xf16>
  memref.dealloc %a : memref<512xf16, {LDS}>
  return
}}
"""


def test_absorbing_and_resolving_is_resolving():
    done = absorb(opened(HINTED))
    assert "swizzle_hint" not in done.text
    assert "{iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>}" in done.text
    resolved = resolve(opened(done.text), GFX942).text
    assert traces(resolved) == traces(resolve(opened(HINTED), GFX942).text)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("%x = vector.load %a[%c0] : memref<512xf16, LDS>, vector<8xf16>", "goes past its hint"),
        ("%x = iree_codegen.swizzle_hint %a[#iree_codegen.xor_shuffle<64, 4>] : "
         "memref<512xf16, LDS>", "several hints"),
    ],
)  # fmt: skip
def test_what_one_attribute_cannot_say_is_not_absorbed(line, reason):
    text = HINTED.replace("  memref.dealloc", f"  {line.replace('LDS', LDS)}\n  memref.dealloc")
    done = absorb(opened(text))
    assert done.text == text
    assert reason in done.refusals[0].reason


FOLDED = """\
func.func @k(%m: index, %n: index) -> tensor<4x?xf32> {
  %e = tensor.empty(%n) : tensor<64x?xf32>
  %h = iree_codegen.swizzle_hint %e[#iree_codegen.xor_shuffle<64, 4>] : tensor<64x?xf32>
  %s = tensor.extract_slice %h[0, %m] [8, %m] [1, 1] : tensor<64x?xf32> to tensor<8x?xf32>
  %t = tensor.extract_slice %s[0, 0] [4, %n] [1, 1] : tensor<8x?xf32> to tensor<4x?xf32>
  return %t : tensor<4x?xf32>
}
"""


def test_slices_of_slices_fold_and_take_their_own_sizes():
    done = fold_hints(opened(FOLDED))
    assert "extract_slice" not in done.text
    assert done.text.count("tensor.empty") == 1
    assert "tensor.empty(%n) : tensor<4x?xf32>" in done.text
    assert opened(done.text)


def test_a_tensor_with_elements_is_not_folded():
    text = FOLDED.replace(
        "%e = tensor.empty(%n) : tensor<64x?xf32>",
        "%f = tensor.empty(%n) : tensor<64x?xf32>\n  %z = arith.constant 0.0 : f32\n"
        "  %e = linalg.fill ins(%z : f32) outs(%f : tensor<64x?xf32>) -> tensor<64x?xf32>",
    )
    done = fold_hints(opened(text))
    assert done.text == text
    assert "has elements" in done.remarks[0].reason
