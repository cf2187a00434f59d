"""What a predicate that nobody knows guards is known where the same predicate guards it again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bankwise.read.assembly import AssemblyKernel
from bankwise.read.toolkit import find_program
from command import bankwise
from isa_texts import lanes, ptx

LANE = np.arange(32)
START = """\
    ld.param.u32 %r9, [k_param_1];
    setp.gt.u32 %p1, %r9, 7;
    mov.u32 %r2, tile;
    shl.b32 %r3, %r1, 2;
    mul.wide.u32 %rd2, %r1, 4;
    ld.param.u64 %rd1, [k_param_0];
    add.s64 %rd2, %rd1, %rd2;
    ld.global.u32 %r5, [%rd2];
"""


def stored(body: str) -> AssemblyKernel:
    return ptx(f"{START}{body}")


@pytest.mark.parametrize("sign", ["", "!"])
def test_an_address_that_the_same_predicate_guards_is_that_of_its_definition(sign: str) -> None:
    kernel = stored(f"@{sign}%p1 add.s32 %r5, %r2, %r3;\n@{sign}%p1 st.shared.b32 [%r5], %r1;")
    assert not kernel.refusals
    (store,) = kernel.accesses
    assert lanes(store) == (4 * LANE).tolist()
    assert not store.counted or store.some_lanes


def test_so_is_one_that_is_made_in_several_steps() -> None:
    kernel = stored(
        "@%p1 add.s32 %r5, %r3, %r3;\n@%p1 add.s32 %r5, %r5, %r2;\n@%p1 st.shared.b32 [%r5], %r1;"
    )
    assert lanes(kernel.accesses[0]) == (8 * LANE).tolist()


DEFINED = "@%p1 add.s32 %r5, %r2, %r3;"


@pytest.mark.parametrize(
    "behind",
    [
        "@!%p1 st.shared.b32 [%r5], %r1;",  # the other lanes
        "st.shared.b32 [%r5], %r1;",  # all of them
        "setp.gt.u32 %p1, %r9, 8;\n@%p1 st.shared.b32 [%r5], %r1;",  # another predicate by now
        "setp.gt.u32 %p2, %r9, 8;\n@%p2 st.shared.b32 [%r5], %r1;",
        "setp.gt.u32 %p2, %r9, 8;\n@%p2 ld.global.u32 %r5, [%rd2];\n"
        "@%p1 st.shared.b32 [%r5], %r1;",  # written again in some lanes
        "ld.global.u32 %r5, [%rd2];\n@%p1 st.shared.b32 [%r5], %r1;",
    ],
)
def test_behind_anything_else_it_is_not_known(behind: str) -> None:
    kernel = stored(f"{DEFINED}\n{behind}")
    assert kernel.refusals, [lanes(one) for one in kernel.accesses]


def test_a_loop_that_decides_its_predicate_anew_does_not_keep_what_an_earlier_round_wrote() -> None:
    body = """\
    mov.u32 %r6, 0;
$again:
    @%p1 st.shared.b32 [%r5], %r1;
    @%p1 add.s32 %r5, %r2, %r3;
    setp.gt.u32 %p1, %r9, %r6;
    add.s32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, 3;
    @%p2 bra $again;
"""
    assert stored(body).refusals


GUARDED = """\
__global__ void transpose(const double *in, double *out, int w, int h) {
  __shared__ double s[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < w && y < h)
    s[threadIdx.y][threadIdx.x] = in[(size_t)y * w + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < h && y < w)
    out[(size_t)y * h + x] = s[threadIdx.x][threadIdx.y];
}
void go(const double *i, double *o) {
  transpose<<<dim3(64, 64), dim3(16, 16)>>>(i, o, 1024, 1024);
}
"""


needs_nvcc = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)


@needs_nvcc
def test_a_transpose_that_is_guarded_against_the_edge_is_fixed(tmp_path: Path) -> None:
    file = tmp_path / "guard.cu"
    file.write_text(GUARDED, "utf-8")
    ended = bankwise("fix", file, "--target", "sm_80", "--accept-sampled")
    assert "+  __shared__ double s[16][16 + 1];" in ended.out, ended.err
    # 8 warps write two rows of 16 doubles, and read 2 columns: 2 passes of 128 bytes each.
    assert "-> 32 passes" in ended.err


STAYS = """\
__global__ void k(const int *in, float *out, int w) {
  __shared__ float s[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  s[in[x]][threadIdx.x] = 1.0f;
  __syncthreads();
  if (x < w)
    out[x] = s[threadIdx.x][3];
}
void go(const int *i, float *o, int w) { k<<<64, 32>>>(i, o, w); }
"""


@needs_nvcc
def test_of_a_text_that_stays_nothing_is_said_to_be_written(tmp_path: Path) -> None:
    file = tmp_path / "stays.cu"
    file.write_text(STAYS, "utf-8")
    ended = bankwise("fix", file, "--target", "sm_80")
    said = " ".join(ended.err.split())
    assert ended.code == 3
    assert "exit 3: conflicts are possible in the text, which stays as it is" in said
    assert "written" not in said
