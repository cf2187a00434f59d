"""What a changed text may cost although its conflicts are gone, in words and in JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from bankwise.ask.dearer import dear, heavy, slower, thinly, unrolled
from bankwise.ask.every_launch import Passes, key_of
from bankwise.errors import Location
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.toolkit import find_program
from command import bankwise

real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)


def kernel(registers: int, instructions: int, shared: int = 8_192) -> AssemblyKernel:
    place = Location("k.cu", 1)
    return AssemblyKernel(
        *("gemm", "sm_90", place, shared, registers, (256, 1, 1), (), (), (), {}),
        instructions=instructions,
    )


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        # 65,536 registers: 2 blocks of 256 threads with 96 or 128 of them, 3 with 80.
        ((96, 768), (96, 768), ""),
        ((96, 768), (128, 900), ""),
        ((96, 768), (128, 1_368), "768 -> 1,368 instructions, 96 -> 128 registers"),
        ((80, 768), (96, 768), "80 -> 96 registers, 3 -> 2 blocks fit a unit"),
        ((80, 400), (96, 700), "400 -> 700 instructions, 80 -> 96 registers, 3 -> 2 blocks fit"),
        # 1,024 bytes more for each block: 233,472 // 46,080 = 5, // 47,104 = 4.
        ((32, 100, 45_056), (32, 100, 46_080), "45,056 -> 46,080 shared bytes, 5 -> 4 blocks fit"),
    ],
)
def test_more_of_a_text_is_told_with_what_it_is(
    before: tuple[int, ...], after: tuple[int, ...], told: str
) -> None:
    found = dear([kernel(*before)], [kernel(*after)])
    assert bool(slower([kernel(*before)], [kernel(*after)])) is bool(told)
    assert told in slower([kernel(*before)], [kernel(*after)])
    if not told:
        assert not found
        return
    (one,) = found
    assert one.startswith("gemm may be slower though it has fewer conflicts (")
    assert told in one


@pytest.mark.parametrize(("executed", "more"), [(2_510_848, False), (2_555_905, True), (0, True)])
def test_a_text_whose_loops_were_unrolled_may_not_be_slower_for_its_length(
    executed: int, more: bool
) -> None:
    """The numbers of an SGEMM that took 3.52 ms for 4.33 on an H200; 0: nobody knows them."""
    before = replace(kernel(94, 312), executed=2_555_904)
    after = replace(kernel(108, 832), executed=executed)
    assert bool(slower([before], [after])) is more
    assert bool(dear([before], [after])) is more
    assert heavy([before], [after]) is more
    assert unrolled([before], [after]) is not more


CROWDED = """\
__global__ void __launch_bounds__(256) k(const float *in, float *out) {
  __shared__ float s[352][32];
  for (int r = threadIdx.x / 32; r < 352; r += 8)
    s[r][threadIdx.x % 32] = in[r * 32 + threadIdx.x % 32];
  __syncthreads();
  float sum = 0;
  for (int c = 0; c < 32; ++c)
    sum += s[threadIdx.x][c];
  out[threadIdx.x] = sum;
}
void go(float *a) { k<<<4, 256>>>(a, a); }
"""


@real
def test_a_pitch_that_leaves_room_for_fewer_blocks_says_so(tmp_path: Path) -> None:
    """352 rows of 32 words and 1,024 bytes are 46,080: 5 blocks; a word more a row leaves 4."""
    file = tmp_path / "k.cu"
    file.write_text(CROWDED, "utf-8")
    ended = bankwise("fix", file, "--target", "sm_90", "--format", "json", "--accept-sampled")
    found = json.loads(ended.out)
    before, after = (found[side]["kernels"][0]["lds_bytes"] for side in ("before", "after"))
    notes = [note for note in found["notes"] if "blocks fit a unit" in note]
    assert bool(notes) == (after > before)
    assert [f"{one}: time it with --run before you take it" for one in found["slower"]] == notes
    assert ("it may be slower (note: ..)" in ended.err) == bool(notes)


def passes(kernels: Sequence[AssemblyKernel], taken: int) -> Passes:
    return {key_of(one): taken for one in kernels}


@pytest.mark.parametrize(("then", "now", "kept"), [(7_168, 6_656, False), (7_168, 3_584, True)])
def test_a_unit_may_not_lose_more_of_its_blocks_than_of_its_passes(
    then: int, now: int, kept: bool
) -> None:
    """125 and 167 registers of 256 threads leave room for 2 blocks and for 1: a half."""
    before, after = [kernel(125, 2_408)], [kernel(167, 2_512)]
    told = thinly(before, after, (passes(before, then), passes(after, now)))
    assert (not told) is kept
    assert kept or told == "1 blocks of gemm would fit a unit for 2, with 6,656 passes for 7,168"
    assert not thinly(after, before, (passes(after, now), passes(before, then)))


TILED = """\
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
tiled(float *A, float *B, float *C, int N, int K) {
  const unsigned column = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
  const unsigned threads = BM * BN / (TM * TN);
  __shared__ float a[BM * BK], b[BN * BK];
  float sums[TM * TN] = {0}, m[TM] = {0}, n[TN] = {0};
  for (unsigned k = 0; k < K; k += BK) {
    for (unsigned i = 0; i < BM; i += threads / BK)
      a[(threadIdx.x / BK + i) * BK + threadIdx.x % BK] =
          A[(threadIdx.x / BK + i) * K + threadIdx.x % BK];
    for (unsigned i = 0; i < BK; i += threads / BN)
      b[(threadIdx.x / BN + i) * BN + threadIdx.x % BN] =
          B[(threadIdx.x / BN + i) * N + threadIdx.x % BN];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (unsigned d = 0; d < BK; ++d) {
      for (unsigned i = 0; i < TM; i++) m[i] = a[(row * TM + i) * BK + d];
      for (unsigned i = 0; i < TN; i++) n[i] = b[d * BN + column * TN + i];
      for (unsigned i = 0; i < TM; ++i)
        for (unsigned j = 0; j < TN; ++j) sums[i * TN + j] += m[i] * n[j];
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < TM; ++i)
    for (unsigned j = 0; j < TN; ++j) C[(row * TM + i) * N + column * TN + j] = sums[i * TN + j];
}
void go(float *a) { tiled<64, 64, 8, 8, 8><<<dim3(4, 4), 64>>>(a, a, a, 256, 64); }
"""


@real
def test_a_text_with_many_more_instructions_stands_behind_a_plainer_one(tmp_path: Path) -> None:
    """An H200 ran such a kernel 1.7 times as long without any conflict, with 2.3 times the
    instructions: a text of fewer conflicts with about as many as before is preferred."""
    file = tmp_path / "k.cu"
    file.write_text(TILED, "utf-8")
    ended = bankwise("fix", file, "--target", "sm_90", "--format", "json", "--no-execute")
    found = json.loads(ended.out)
    rows = {row["name"]: row for one in found["verdicts"] for row in one["rows"]}
    taken = next(row for name, row in rows.items() if name.endswith(": instructions"))
    assert found["accepted"]
    assert 2 * taken["after"] < 3 * taken["before"]
    assert 2 * rows["passes of a workgroup"]["after"] < rows["passes of a workgroup"]["before"]
    assert found["slower"] == []
