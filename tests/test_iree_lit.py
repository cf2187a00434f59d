"""The runner of IREE's tests, on texts of our own in the places where IREE keeps its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler")

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from iree_lit import BATTERY, rows
from lit_meaning import traces
from lit_texts import functions

HEAD = "#x = #iree_codegen.xor_shuffle<64, 4>\n"


def access(name: str, offset: int, width: int = 4) -> str:
    return f"""\
func.func @{name}(%m: memref<4096xf32>) -> vector<{width}xf32> {{
  %0 = iree_codegen.swizzle_hint %m[#x] : memref<4096xf32>
  %c = arith.constant {offset} : index
  %v = vector.load %0[%c] : memref<4096xf32>, vector<{width}xf32>
  return %v : vector<{width}xf32>
}}
"""


def battery(part: str):
    return next(each for each in BATTERY if part in each.file)


def test_a_part_is_compared_function_by_function():
    text = HEAD + access("one", 68) + "// a comment\n" + access("cut", 70)
    assert list(functions(text)) == ["one", "cut"]
    found = {row.function: row for row in rows(battery("resolve_swizzle"), text)}
    assert found["one"].found == "agrees"
    assert found["cut"].found == "stricter"
    assert "4 elements at 70" in found["cut"].why


def test_what_has_no_counterpart_is_counted_as_such():
    (row,) = rows(battery("convert_to_coalesced"), "func.func @k() {\n  return\n}\n")
    assert row.found == "no counterpart"


def test_another_result_is_a_difference(monkeypatch):
    import lit_modes

    def idle(text, battery):
        return lit_modes.Ours(text)

    monkeypatch.setattr(lit_modes, "ours", idle)
    (row,) = rows(battery("resolve_swizzle"), HEAD + access("one", 68))
    assert row.found == "differs"


def test_the_judge_knows_places_from_values():
    """A store of one half elsewhere is another meaning; cutting the store in two is none."""
    whole = """\
func.func @k(%m: memref<64xf32>, %v: vector<8xf32>, %i: index) {
  vector.store %v, %m[%i] : memref<64xf32>, vector<8xf32>
  return
}
"""
    cut = """\
func.func @k(%m: memref<64xf32>, %v: vector<8xf32>, %i: index) {{
  %a = vector.extract_strided_slice %v offsets = [0], sizes = [4], strides = [1] : \
vector<8xf32> to vector<4xf32>
  %b = vector.extract_strided_slice %v offsets = [4], sizes = [4], strides = [1] : \
vector<8xf32> to vector<4xf32>
  %j = affine.apply affine_map<()[s0] -> (s0 + {})>()[%i]
  vector.store %a, %m[%i] : memref<64xf32>, vector<4xf32>
  vector.store %b, %m[%j] : memref<64xf32>, vector<4xf32>
  return
}}
"""
    assert traces(whole) == traces(cut.format(4))
    assert traces(whole) != traces(cut.format(8))
    assert traces(cut.format(4).replace("vector.store %b", "vector.store %a")) != traces(whole)
