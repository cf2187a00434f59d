"""What a changed text may cost although its conflicts are gone, in words and in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bankwise.ask.dearer import dear
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
    found = dear([kernel(*before)], [kernel(*after)], "time it")
    if not told:
        assert not found
        return
    (one,) = found
    assert one.startswith("gemm may be slower though it has fewer conflicts (")
    assert told in one
    assert one.endswith(": time it")


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
