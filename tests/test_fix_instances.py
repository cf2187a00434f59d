"""One text, several instances of a template: a row is as long in each, in its own elements."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bankwise.algebra.address import Padded
from bankwise.algebra.offset import Shape
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.hardware.policies import Issue
from bankwise.read.toolkit import find_program, of_compiler
from bankwise.solver.price import Workload, cost
from bankwise.tile import Tile, Use
from command import bankwise

OUTER = """\
#include <cuda_fp16.h>
template <typename T>
__global__ void __launch_bounds__(256) outer(const T* A, const T* B, T* C) {
  __shared__ T As[16][128];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  for (int i = t; i < 2048; i += 256) As[i % 16][i / 16] = A[i];
  __syncthreads();
  T sum[8] = {};
#pragma unroll
  for (int k = 0; k < 16; ++k)
#pragma unroll
    for (int i = 0; i < 8; ++i) sum[i] += As[k][ty * 8 + i] * B[k * 16 + tx];
  for (int i = 0; i < 8; ++i) C[(ty * 8 + i) * 16 + tx] = sum[i];
}
void launch(const double* a, double* b, const __half* c, __half* d) {
  outer<<<1, 256>>>(a, a, b);
  outer<<<1, 256>>>(c, c, d);
}
"""


def test_a_pitch_at_which_the_machine_faults_is_no_layout() -> None:
    """Rows of 128 floats and one more: the float4 of row 1 would begin at byte 516."""
    starts = (np.arange(32) % 2 * 128)[None, :, None] + np.arange(4)
    read = Use(
        "ld.shared.b128", "read", starts, np.ones((1, 32), bool), (Issue("ld.shared.b128", 0),)
    )
    tile = Tile(Shape((("n", 128), ("m", 2)), 32), (read,))
    found = [cost(Workload(machine("sm_90"), tile), Padded(128, pad)) for pad in (1, 4)]
    assert isinstance(found[0], Refusal)
    assert found[0].fault
    assert not isinstance(found[1], Refusal)


@pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)
def test_a_pitch_serves_every_instance_and_misaligns_none(tmp_path: Path) -> None:
    """Best for the doubles is a pad of one, at which the vectors of the halves are not aligned.

    A pad of 4 is best for the halves: 16 rows begin two banks apart, and lanes of two columns share
    a word. The doubles of 16 rows begin at four banks then, so each half of a warp takes 4 passes.
    """
    path = tmp_path / "outer.cu"
    path.write_text(OUTER)
    done = bankwise("fix", path, "-t", "sm_90", "--format", "json", "--accept-sampled")
    answer = json.loads(done.out)
    assert "As[16][128 + 4]" in answer["patch"], done.out
    extra = {
        kernel["demangled"].split("(")[0]: kernel["totals"]["run"]["extra"]
        for kernel in answer["after"]["kernels"]
    }
    stores = 2048 // 32
    assert extra == {"void outer<double>": stores * (2 * 4 - 2), "void outer<__half>": 0}


TWO_LINES = """\
template <int COLUMNS, int SKEW>
__global__ void k(const float* in, float* out) {
  __shared__ float tile[32][COLUMNS +
                            SKEW];
  float* p = (float*)tile;
  ++p;
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void go(const float* a, float* b) { k<32, 0><<<1, dim3(32, 32)>>>(a, b); }
"""


@pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)
def test_an_extent_of_several_lines_is_said_in_one(tmp_path: Path) -> None:
    path = tmp_path / "tile.cu"
    path.write_text(TWO_LINES)
    (no,) = json.loads(bankwise("fix", path, "-t", "sm_90", "--format", "json").out)["refusals"]
    assert "tile: rows of COLUMNS + SKEW become COLUMNS + SKEW + 1: " in no["reason"]


@pytest.mark.parametrize(
    ("file", "own"),
    [
        ("/usr/local/cuda-13.0/targets/x86_64-linux/include/crt/mma.hpp", False),
        ("/opt/env/lib/python3.12/site-packages/nvidia/cu13/include/cuda_fp16.hpp", False),
        ("include/tiles.cuh", True),
        ("/home/me/cuda/tiles/load.cuh", True),
    ],
)
def test_headers_of_a_compiler_are_told_from_those_of_an_author(file: str, own: bool) -> None:
    assert of_compiler(file) != own
