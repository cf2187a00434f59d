"""Folds of rows that are no power of two long: chunks change places in the part that is one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from bankwise.read.toolkit import find_program
from command import bankwise

real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

ROWS = """\
__global__ void k(const float4 *in, float4 *out) {
  __shared__ float t[64][COLUMNS];
  for (int i = threadIdx.x; i < 64 * (COLUMNS / 4); i += 64)
    *(float4 *)&t[i / (COLUMNS / 4)][i % (COLUMNS / 4) * 4] = in[i];
  __syncthreads();
  float4 s = {0, 0, 0, 0};
  for (int c = 0; c < COLUMNS / 4; ++c) {
    float4 v = *(float4 *)&t[threadIdx.x][c * 4];
    s.x += v.x, s.y += v.y, s.z += v.z, s.w += v.w;
  }
  out[threadIdx.x] = s;
}
void go(float4 *a) { k<<<1, 64>>>(a, a); }
"""

Place = Callable[[int, int], int]
"""The column of an element, by row and column."""


def passes(columns: int, place: Place) -> int:
    """Of a block: 128-bit accesses are served eight lanes at a time, over 32 banks."""

    def phase(elements: list[tuple[int, int]]) -> int:
        words = {columns * r + place(r, c) + n for r, c in elements for n in range(4)}
        return max(Counter(word % 32 for word in words).values())

    wide = columns // 4
    stores = [[(i // wide, i % wide * 4) for i in range(n, n + 8)] for n in range(0, 64 * wide, 8)]
    loads = [[(r, 4 * c) for r in range(n, n + 8)] for n in range(0, 64, 8) for c in range(wide)]
    return sum(map(phase, (*stores, *loads)))


@real
@pytest.mark.parametrize("columns", [40, 24, 48, 56])
def test_rows_of_any_length_are_folded(tmp_path: Path, columns: int) -> None:
    file = tmp_path / "rows.cu"
    file.write_text(ROWS.replace("COLUMNS", str(columns)), "utf-8")
    ended = bankwise("fix", file, "--target", "sm_80", "--format", "json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    (change,) = found["changes"]
    fold = re.search(r"c \^ \((?:\((r(?: >> \d+)? & \d+)\) << (\d+)|r)", change["address"])
    assert fold, change["address"]
    shift = int(fold[2])
    assert (1 << shift) % 4 == 0
    mask, moved = eval(f"lambda r: ({fold[1]})"), shift

    def folded(r: int, c: int) -> int:
        return c ^ (int(mask(r)) << moved)

    for r in range(64):
        assert sorted(folded(r, c) for c in range(columns)) == list(range(columns))
    assert passes(columns, lambda r, c: c) == change["before"]["passes"]
    assert passes(columns, folded) == change["after"]["passes"]
    assert change["after"]["passes"] == change["before"]["ideal"]
    after = found["after"]["kernels"][0]
    assert after["lds_bytes"] == found["before"]["kernels"][0]["lds_bytes"]
    assert after["totals"]["run"]["passes"] == change["after"]["passes"]
