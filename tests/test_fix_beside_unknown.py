"""``bankwise fix`` of arrays beside accesses whose addresses data decide: of other arrays, by their
lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command import bankwise
from cuda_fixes import extra, real, verdicts

HISTOGRAM = """\
__global__ void k(const int* __restrict__ key, const float* __restrict__ in, float* out, int* n) {
  __shared__ float tile[32][32];
  __shared__ int bins[256];
  int x = threadIdx.x, y = threadIdx.y, t = y * 32 + x;
  if (t < 256) bins[t] = 0;
  __syncthreads();
  tile[y][x] = in[blockIdx.x * 1024 + t];
  atomicAdd(&bins[key[blockIdx.x * 1024 + t] & 255], 1);
  __syncthreads();
  out[blockIdx.x * 1024 + t] = tile[x][y];
  if (t < 256) atomicAdd(&n[t], bins[t]);
}
void go(const int* key, const float* in, float* out, int* n) {
  k<<<128, dim3(32, 32)>>>(key, in, out, n);
}
"""
TABLE = """\
#define PUT(r, c, v) tile[r][c] = v
__global__ void k(const int* __restrict__ key, const float* __restrict__ in, float* out) {{
  __shared__ float tile[32][32];
  __shared__ float lut[256];
  int x = threadIdx.x, y = threadIdx.y, t = y * 32 + x;
  if (t < 256) lut[t] = in[t];
  __syncthreads();
  PUT(y, x, in[blockIdx.x * 1024 + t]);
  __syncthreads();
  {read}
}}
void go(const int* key, const float* in, float* out) {{ k<<<128, dim3(32, 32)>>>(key, in, out); }}
"""
ALONE = "float v = lut[key[t] & 255];\n  out[blockIdx.x * 1024 + t] =\n    tile[x][y] + v;"
TOGETHER = "out[blockIdx.x * 1024 + t] = tile[x][y] +\n    lut[key[t] & 255];"
OF_ITS_OWN = "out[blockIdx.x * 1024 + t] = tile[key[t] & 31][y] + lut[t & 255];"


def fixed(path: Path, text: str) -> tuple[int, dict[str, Any]]:
    path.write_text(text)
    done = bankwise("fix", str(path), "-t", "sm_80", "--accept-sampled", "--format", "json")
    return done.code, json.loads(done.out)


@real
def test_a_tile_beside_a_histogram_is_fixed_and_what_is_not_known_is_told(tmp_path: Path) -> None:
    """32 lanes read a column: 32 passes for 1, by each of 32 warps."""
    code, answer = fixed(tmp_path / "k.cu", HISTOGRAM)
    assert code == 3
    assert extra(answer["before"]) == 32 * 31
    assert extra(answer["after"]) == 0
    assert "+  __shared__ float tile[32][32 + 1];" in answer["patch"]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    (told,) = answer["refusals"]
    assert "bins: not all accesses are known" in told["reason"]
    done = bankwise("fix", str(tmp_path / "k.cu"), "-t", "sm_80", "--accept-sampled")
    said = " ".join((done.out + done.err).split())
    assert "open in k: 1 not analysed" in said
    assert "ideal 64; optimal among all layouts, with accesses left whole: every access" in said
    assert "what is not analysed is of other arrays, by its lines" in said


@real
def test_check_says_that_arrays_are_looked_at_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(HISTOGRAM)
    done = bankwise("check", str(tmp_path / "k.cu"), "-t", "sm_80")
    assert done.code == 1
    assert "looks for layouts array by array" in done.out


@real
def test_a_statement_that_names_both_arrays_may_be_of_either(tmp_path: Path) -> None:
    """A macro sets the one: its line counts where it is used, and not where it is defined."""
    code, answer = fixed(tmp_path / "k.cu", TABLE.format(read=ALONE))
    assert code == 3
    assert "+  __shared__ float tile[32][32 + 1];" in answer["patch"]
    code, answer = fixed(tmp_path / "k.cu", TABLE.format(read=TOGETHER))
    assert code == 1
    assert not answer["changes"]
    assert any("tile: not all accesses are known" in one["reason"] for one in answer["refusals"])


@real
def test_an_array_whose_own_accesses_are_not_known_stays(tmp_path: Path) -> None:
    _, answer = fixed(tmp_path / "k.cu", TABLE.format(read=OF_ITS_OWN))
    assert not answer["changes"]


BY_REFERENCE = """\
{bump}
__global__ void k(const int* __restrict__ key, const int* __restrict__ in, int* out) {{
  __shared__ int tile[32][32];
  __shared__ int bins[256];
  int x = threadIdx.x, y = threadIdx.y, t = y * 32 + x;
  tile[y][x] = in[t];
  if (t < 256) bins[t] = 0;
  __syncthreads();
  bump({what});
  __syncthreads();
  out[t] = tile[x][y] + bins[t & 255];
}}
void go(const int* key, const int* in, int* out) {{ k<<<128, dim3(32, 32)>>>(key, in, out); }}
"""


@real
@pytest.mark.parametrize("what", ["tile[key[t] & 31][x]", "bins[key[t] & 255]"])
@pytest.mark.parametrize(
    "bump",
    [
        "__device__ void bump(int& a) {\n  a += 1;\n}",
        "__shared__ int table[32];\n__device__ void bump(int& a) {\n  a += table[threadIdx.x];\n}",
    ],
)
def test_what_a_function_touches_by_reference_may_be_of_any_array(
    tmp_path: Path, bump: str, what: str
) -> None:
    """Rows of 33 would give ``tile[key[t] & 31][x]``, which has no conflicts, some."""
    _, answer = fixed(tmp_path / "k.cu", BY_REFERENCE.format(bump=bump, what=what))
    assert not answer["changes"]
    assert any("tile: not all accesses are known" in one["reason"] for one in answer["refusals"])
