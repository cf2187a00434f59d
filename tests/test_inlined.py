"""A conflict in a header of the user's: named by its own expression, at its own line.

A row of the tile is 32 words long: ``get(tile, y + j, x)`` reads element 32 * x + y + j, so the 32
lanes of a warp, x = 0 to 31, want 32 words of one bank. Eight warps read four rows each:
8 * 4 * 31 = 992 extra passes. ``get(tile, y + j, 0)`` is one word a warp.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bankwise.read.toolkit import find_program
from command import bankwise

pytestmark = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

HEADER = """\
#pragma once
__device__ inline void put(float* tile, int r, int c, float v) {
  tile[r * 32 + c] = v;
}
__device__ inline float get(const float* tile, int r, int c) {
  return tile[c * 32 + r];
}
"""
ROWS = """\
#include "tile.cuh"
__global__ void rows(const float* in, float* out, int n) {
  __shared__ float tile[32 * 32];
  int x = threadIdx.x, y = threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    put(tile, y + j, x, in[(blockIdx.x * 32 + y + j) * n + x]);
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    out[(blockIdx.x * 32 + y + j) * n + x] = get(tile, y + j, x) * get(tile, y + j, 0);
}
void go(const float* in, float* out, int n) { rows<<<n / 32, dim3(32, 8)>>>(in, out, n); }
"""
BUILD = [{"directory": ".", "file": "kernels/rows.cu", "command": "nvcc -Iinclude kernels/rows.cu"}]
CALLS = "get(tile, y + j, x) * get(tile, y + j, 0)"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("include/tile.cuh", HEADER), ("kernels/rows.cu", ROWS)):
        Path(name).parent.mkdir()
        Path(name).write_text(text, "utf-8")
    Path(".git").mkdir()
    Path("compile_commands.json").write_text(json.dumps(BUILD), "utf-8")
    return tmp_path


def told(*words: str) -> str:
    ended = bankwise("check", "kernels/rows.cu", "-t", "sm_90", *words)
    assert ended.code == 1, ended.err
    return ended.out


def saved(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told("--format", *words))
    return found


def test_a_message_names_the_expression_and_the_source_line_its_place() -> None:
    said = told()
    place = f"kernels/rows.cu:9:{ROWS.splitlines()[8].index('get') + 1}"
    assert f"{place}: 32-way bank conflict: read of tile[c * 32 + r]\n" in said
    assert "= source: include/tile.cuh:6:10\n" in said
    assert f"    6 |   return tile[c * 32 + r];\n      |          ^{'~' * 15}\n" in said
    assert "(rows), inlined from include/tile.cuh:6:10\n" in told("--concise")


def test_an_annotation_stands_in_the_header_and_names_the_call_and_the_command() -> None:
    (first, *_) = told("--format", "github").splitlines()
    assert first.startswith("::error file=include/tile.cuh,line=6,col=10,endColumn=26,title=")
    assert "::32-way bank conflict: read of tile[c * 32 + r]%0A" in first
    assert "992 extra passes a workgroup%0Acalled at kernels/rows.cu:9:" in first
    call, command = first.split("%0A")[-2:]
    assert call.endswith(CALLS)
    assert command == "bankwise fix kernels/rows.cu --target sm_90"


def kept_in_the_header() -> None:
    """A line of the preprocessor in ``put``: a function that has one is not copied."""
    lines = HEADER.replace("  tile[r * 32 + c] = v;\n", "#if 1\n  tile[r * 32 + c] = v;\n#endif\n")
    Path("include/tile.cuh").write_text(lines, "utf-8")


def test_an_annotation_says_what_to_write_where_the_header_keeps_its_function() -> None:
    """No command writes it: a fold of the 32 columns, by the number of the row."""
    kept_in_the_header()
    (first, *_) = told("--format", "github").splitlines()
    call, mend, why = first.split("%0A")[-3:]
    assert call.endswith(CALLS)
    assert mend.startswith("by hand: where byte a of tile is to lie,")
    assert ": a ^ ((a >> 5) & 0x7c); " in mend
    assert why.startswith("`bankwise fix` would not edit it: ")
    assert why.endswith("tile is passed to put, which is not followed")


def test_a_result_of_sarif_stands_in_the_header_and_names_the_call() -> None:
    (one,) = saved("sarif")["runs"][0]["results"]
    (place,) = one["locations"]
    physical = place["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "include/tile.cuh"
    assert (physical["region"]["startLine"], physical["region"]["startColumn"]) == (6, 10)
    assert physical["region"]["snippet"]["text"] == "tile[c * 32 + r]"
    (call,) = one["relatedLocations"]
    assert call["physicalLocation"]["artifactLocation"]["uri"] == "kernels/rows.cu"
    assert call["physicalLocation"]["region"]["startLine"] == 9
    assert call["message"]["text"] == f"called here: {CALLS}"


def test_json_has_both_places_and_no_path_is_absolute(project: Path) -> None:
    found = saved("json")
    assert str(project) not in json.dumps(found)
    (one,) = found["diagnostics"]
    assert one["expression"] == CALLS
    assert one["message"] == "32-way bank conflict: read of tile[c * 32 + r]"
    for number in one["accesses"]:
        access = found["accesses"][number]
        assert (access["location"]["file"], access["location"]["line"]) == ("kernels/rows.cu", 9)
        place = access["origin"]
        assert (place["file"], place["line"], place["column"]) == ("include/tile.cuh", 6, 10)
    assert "flags of compile_commands.json" in found["notes"]


def test_a_header_outside_of_the_working_folder_is_named_beside_the_call(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is no part of the checkout has no line there."""
    monkeypatch.chdir(project / "kernels")
    ended = bankwise("check", "rows.cu", "-t", "sm_90", "--format", "github")
    assert ended.out.startswith("::error file=rows.cu,line=9,"), ended.out


def test_what_to_write_by_hand_names_the_lines_of_the_header_where_the_indices_stand() -> None:
    """Those of put and of get: nothing is to be written at the calls."""
    kept_in_the_header()
    ended = bankwise("fix", "kernels/rows.cu", "-t", "sm_90")
    said = " ".join((ended.out + ended.printed).split())
    assert "by hand, wherever it is used (lines 4, 8 of include/tile.cuh): tile[i] -> " in said
