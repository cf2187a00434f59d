"""Accesses that the compiler made wide, and that other rows make narrow again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bankwise.read.toolkit import find_program
from command import bankwise

pytestmark = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

ROWS = """\
__global__ void __launch_bounds__(128) rows(const float *in, float *out) {
  __shared__ float tile[128][32 + 4];
  const int lane = threadIdx.x % 32, row = threadIdx.x;
  for (int r = threadIdx.x / 32; r < 128; r += 4)
    tile[r][lane] = in[r * 32 + lane];
  __syncthreads();
  float most = -1e30f;
  READ
  for (int c = 0; c < 32; ++c)
    tile[row][c] = expf(tile[row][c] - most);
  __syncthreads();
  for (int r = threadIdx.x / 32; r < 128; r += 4)
    out[r * 32 + lane] = tile[r][lane];
}
void go(const float *in, float *out) { rows<<<1, 128>>>(in, out); }
"""
SCALAR = "for (int c = 0; c < 32; ++c) most = fmaxf(most, tile[row][c]);"
VECTOR = """for (int c = 0; c < 32; c += 4) {
    float4 v = *(float4 *)&tile[row][c];
    most = fmaxf(most, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }"""


def fixed(folder: Path, read: str) -> tuple[str, str]:
    """The text that is written, and what is said."""
    file, out = folder / "rows.cu", folder / "out.cu"
    file.write_text(ROWS.replace("READ", read), "utf-8")
    words = ("--target", "sm_80", "--accept-sampled", "-o", out)
    ended = bankwise("fix", file, *words)
    return out.read_text("utf-8") if out.exists() else "", ended.err


def test_a_pitch_that_parts_what_the_compiler_joined_is_tried_and_counted(tmp_path: Path) -> None:
    text, said = fixed(tmp_path, SCALAR)
    assert re.search(r"tile\[128\]\[32 \+ 4 \+ \d*[13579]\]", text), said
    assert "accesses split (ld.shared.b128 as 4 x ld.shared.b32)" in " ".join(said.split())
    found = json.loads(
        bankwise("check", tmp_path / "out.cu", "--target", "sm_80", "--format", "json").out
    )
    # 128 threads are 4 warps, and each of 5 loops takes one pass for each of its 32 elements.
    assert found["totals"]["run"] == {"passes": 5 * 4 * 32, "ideal": 5 * 4 * 32, "extra": 0}


def test_what_the_source_moves_as_a_vector_stays_aligned(tmp_path: Path) -> None:
    text, said = fixed(tmp_path, VECTOR)
    pad = re.search(r"tile\[128\]\[32 \+ 4 \+ (\d+)\]", text)
    assert pad is None or int(pad[1]) % 4 == 0, said
    assert "no other length" not in said
    assert "as 4 x" not in said


CHUNKS = """\
template <int THREADS, int PER> __global__ void scan(const float *in, float *out) {
  __shared__ float smem[THREADS * PER];
  for (int i = threadIdx.x; i < THREADS * PER; i += THREADS)
    smem[i] = in[i];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < PER; ++i) {
    sum += smem[threadIdx.x * PER + i];
    smem[threadIdx.x * PER + i] = sum;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < THREADS * PER; i += THREADS)
    out[i] = smem[i];
}
void go(const float *in, float *out) { scan<128, 16><<<1, 128>>>(in, out); }
"""


def test_chunks_of_a_flat_array_are_folded_element_by_element(tmp_path: Path) -> None:
    file, out = tmp_path / "scan.cu", tmp_path / "out.cu"
    file.write_text(CHUNKS, "utf-8")
    ended = bankwise("fix", file, "--target", "sm_80", "--accept-sampled", "-o", out)
    assert out.exists(), ended.err
    found = json.loads(bankwise("check", out, "--target", "sm_80", "--format", "json").out)
    assert found["totals"]["run"]["extra"] == 0, ended.err
