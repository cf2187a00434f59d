"""``bankwise fix kernel.cu`` where macros are given the arrays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bankwise.read.toolkit import find_program
from command import bankwise

pytestmark = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

GIVEN = """#define AT(p, y, x, ld) p[(y) * (ld) + (x)]
#define ROW(p, y, x) p[y][x]
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float flat[32 * 32], rows[32][32];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
  ROW(rows, ty, tx) = AT(flat, ty, tx, 32) = AT(in, y, x, n);
  __syncthreads();
  AT(out, blockIdx.x * 32 + ty, blockIdx.y * 32 + tx, n) = AT(flat, tx, ty, 32) + ROW(rows, tx, ty);
}
void run(const float* a, float* b) { transpose<<<1, dim3(32, 32)>>>(a, b, 32); }
"""


def test_arrays_given_to_a_macro_that_others_are_given_are_written_out(tmp_path: Path) -> None:
    """Memory that is not shared has the same macro, so its text stays; what needs no other index
    keeps its call."""
    file, out = tmp_path / "k.cu", tmp_path / "fixed.cu"
    file.write_text(GIVEN, "utf-8")
    done = bankwise("fix", str(file), "-t", "sm_80", "--format", "json", "-o", str(out))
    told, text = json.loads(done.out), out.read_text("utf-8")
    assert done.code == 0
    assert told["after"]["totals"]["run"]["extra"] == 0 < told["before"]["totals"]["run"]["extra"]
    assert {one["judge"]: one["status"] for one in told["verdicts"]} == dict.fromkeys(
        ("proof", "execution", "isa"), "passed"
    )
    old, new = GIVEN.split("\n"), text.split("\n")
    changed = {n + 1: line for n, line in enumerate(new) if line != old[n]}
    assert sorted(changed) == [4, 7, 9]
    assert changed[4].endswith("rows[32][32 + 1];")
    assert changed[7].startswith("  ROW(rows, ty, tx) = flat[(ty * 32 + tx) ^ ")
    assert changed[7].endswith(" = AT(in, y, x, n);")
    assert changed[9].startswith("  AT(out, ")
    assert changed[9].endswith(" + ROW(rows, tx, ty);")
