"""Arguments that nobody says, and that decide which stage of a tile is touched."""

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

STAGES = """\
__global__ void __launch_bounds__(256) sums(const float* A, float* C, int K) {
  __shared__ float s[2][8][128];
  const int t = threadIdx.x, m = t / 2, k = t % 2 * 4;
  float sum = 0.f;
  float4 a = *(const float4*)&A[m * K + k];
  s[0][k][m] = a.x; s[0][k + 1][m] = a.y; s[0][k + 2][m] = a.z; s[0][k + 3][m] = a.w;
  __syncthreads();
  int stage = 0;
  for (int at = 8; at < K; at += 8) {
    a = *(const float4*)&A[m * K + at + k];
    for (int i = 0; i < 8; ++i) sum += s[stage][i][t % 128];
    stage ^= 1;
    s[stage][k][m] = a.x; s[stage][k + 1][m] = a.y;
    s[stage][k + 2][m] = a.z; s[stage][k + 3][m] = a.w;
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i) sum += s[stage][i][t % 128];
  C[t] = sum;
}
void launch(const float* A, float* C, int K) { sums<<<1, 256>>>(A, C, K); }
"""


def test_which_stage_is_touched_is_no_reason_to_stop(tmp_path: Path) -> None:
    """K is taken for 64: 8 rounds store 4 floats by each of 8 warps. Two lanes of a pair are 4 rows
    of 128 floats apart, in one bank: a second pass for each store."""
    path = tmp_path / "stages.cu"
    path.write_text(STAGES)
    done = bankwise("fix", path, "-t", "sm_80", "--format", "json", "--accept-sampled")
    answer = json.loads(done.out)
    assert "s[2][8][128 + 4]" in answer["patch"] or "s[0][k][m ^" in answer["patch"], done.out
    (before,), (after,) = answer["before"]["kernels"], answer["after"]["kernels"]
    assert before["totals"]["run"]["extra"] == 64 // 8 * 4 * 8
    assert after["totals"]["run"]["extra"] == 0
    assert after["launch"]["assumed"] == "--arg 2=64 as an example"
    assert done.code == 3, "a number is assumed"
    statuses = {one["judge"]: one["status"] for one in answer["verdicts"]}
    assert statuses == {"proof": "passed", "execution": "passed", "isa": "passed"}
    (ran,) = [one for one in answer["verdicts"] if one["judge"] == "execution"]
    assert "with 64 and 100 for numbers that nobody says" in ran["detail"]


def test_check_says_that_fix_takes_a_number(tmp_path: Path) -> None:
    """And nothing of that where it is said, or where fix would write nothing."""
    path = tmp_path / "stages.cu"
    path.write_text(STAGES)
    told = "`bankwise fix`, with the same options, looks for a layout with a number"

    def notes(*words: str) -> list[str]:
        answer = json.loads(bankwise("check", path, "-t", "sm_80", "--format", "json", *words).out)
        (kernel,) = answer["kernels"]
        return [note for note in kernel["notes"] if note.startswith(told)]

    numbers = "64, 256, 1024, 27"
    assert notes() == [f"{told} for each argument that nobody says ({numbers}), as an example"]
    assert notes("--arg", "2=16") == []
    path.write_text(STAGES.replace("float s[2][8][128];", "float s[2][8][128]; use((float*)s);"))
    path.write_text("__device__ void use(float* p);\n" + path.read_text())
    path.write_text(path.read_text().replace("float* p);", "float* p) { p[threadIdx.x] = 0.f; }"))
    assert notes() == []


def test_a_number_that_is_said_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "stages.cu"
    path.write_text(STAGES)
    words = ("-t", "sm_80", "--format", "json", "--accept-sampled", "--arg", "2=16")
    answer = json.loads(bankwise("fix", path, *words).out)
    assert answer["before"]["kernels"][0]["totals"]["run"]["extra"] == 16 // 8 * 4 * 8
    assert answer["before"]["kernels"][0]["launch"]["assumed"] is None


SWEEP = """__global__ void sweep(float* data, int length) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  s[t] = data[t];
  s[t + 64] = data[t + 64];
  int offset = 1;
  while (offset < length) {
    __syncthreads();
    int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
    if (b < 128) s[b] += s[a];
    offset <<= 1;
  }
  __syncthreads();
  data[t] = s[t];
  data[t + 64] = s[t + 64];
}
void launch(float* data, int length) { sweep<<<1, 64, 128 * sizeof(float)>>>(data, length); }
"""


def test_a_loop_that_nobody_ends_does_not_leave_the_bytes_of_the_launch(tmp_path: Path) -> None:
    """With 64 for the length there are 6 rounds of two reads and a write, whose lanes are 2, 4, 8,
    .. 64 words apart. Extra passes of each: one in each of two warps, then 3, 3, 3, 3 and 1."""
    path = tmp_path / "sweep.cu"
    path.write_text(SWEEP)
    done = bankwise("fix", path, "-t", "sm_80", "--format", "json", "--accept-sampled")
    answer = json.loads(done.out)
    assert "s[b ^ " in answer["patch"], done.out
    (before,), (after,) = answer["before"]["kernels"], answer["after"]["kernels"]
    assert before["totals"]["run"]["extra"] == 3 * (2 + 3 + 3 + 3 + 3 + 1)
    assert after["totals"]["run"]["extra"] == 0
    assert after["launch"]["assumed"] == "--arg 1=64 as an example"
    assert {one["status"] for one in answer["verdicts"]} == {"passed"}


PARTS = """__global__ void sums(const float* in, float* out, long long n) {
  const int t = threadIdx.x;
  const long long left = min(32LL, n - blockIdx.z * 32);
  __shared__ float rows[128][40];
  for (int i = 0; i < 40; i++) rows[t][i] = in[i * 128 + t];
  __syncthreads();
  float sum = 0;
  for (long long i = 0; i < left; i++) sum += rows[t][i + 4] * rows[t][i];
  out[t] = sum;
}
void launch(const float* in, float* out, long long n) {
  sums<<<dim3(1, 1, (n + 31) / 32), 128>>>(in, out, n);
}
"""


def test_a_last_part_that_is_shorter_is_no_reason_to_stop(tmp_path: Path) -> None:
    """The loop is unrolled, and how many rounds are left over depends on the block's number and on
    ``n``: in the first block, of 27, both run."""
    path = tmp_path / "parts.cu"
    path.write_text(PARTS)
    words = ("-t", "sm_80", "--format", "json", "--accept-sampled")
    answer = json.loads(bankwise("fix", path, *words).out)
    assert answer["patch"]
    (before,), (after,) = answer["before"]["kernels"], answer["after"]["kernels"]
    assert before["totals"]["run"]["extra"] > 2 * after["totals"]["run"]["extra"]
    told = after["launch"]["assumed"].removesuffix(" as an example").split("--arg ")
    assert {one.strip() for one in told} == {"", "2=27", "blockIdx.z=0"}
    assert {one["judge"]: one["status"] for one in answer["verdicts"]}["proof"] == "passed"


FLAG = """\
__global__ void turned(float* p, bool shifted) {
  __shared__ float s[32 * 33];
  for (int i = 0; i < 32; ++i) s[i * 32 + threadIdx.x + shifted] = p[i * 32 + threadIdx.x];
  if (threadIdx.x == 0) s[shifted ? 0 : 1024] = 0;
  __syncthreads();
  for (int i = 0; i < 32; ++i) p[i * 32 + threadIdx.x] = s[threadIdx.x * 32 + i + shifted];
}
void launch(float* p, bool shifted) { turned<<<1, 32>>>(p, shifted); }
"""


def test_a_truth_value_is_tried_as_one(tmp_path: Path) -> None:
    """64 and 256 are none, and both ways of it are executed. Each column of 32 floats is in one
    bank: 31 passes more for each of 32 reads. Behind a pad in every row the last lane of a shifted
    one, which writes to the next, has the bank of the first: one for each of 32 writes."""
    path = tmp_path / "flag.cu"
    path.write_text(FLAG)
    done = bankwise("fix", path, "-t", "sm_80", "--format", "json", "--accept-sampled")
    answer = json.loads(done.out)
    (before,), (after,) = answer["before"]["kernels"], answer["after"]["kernels"]
    assert (before["totals"]["run"]["extra"], after["totals"]["run"]["extra"]) == (31 * 32, 32)
    assert after["launch"]["assumed"] == "--arg 1=1 as an example"
    (ran,) = [one for one in answer["verdicts"] if one["judge"] == "execution"]
    assert ran["status"] == "passed", ran["detail"]


def test_what_data_decide_beside_a_truth_value_is_no_reason_to_leave_a_kernel_out(
    tmp_path: Path,
) -> None:
    """All numbers are tried while something is left, also 1,024, which a byte does not hold."""
    path = tmp_path / "flag.cu"
    path.write_text(FLAG.replace("s[shifted ? 0 : 1024]", "s[(int)p[0] + shifted]"))
    done = bankwise("check", path, "-t", "sm_80", "--format", "json")
    (kernel,) = json.loads(done.out)["kernels"]
    assert kernel["totals"]["run"]["extra"] == 31 * 32
    assert "needs more" not in done.out + done.err
