"""Where ptxas puts the shared variables of a kernel, and of functions that several kernels call."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankwise.read.cuda import CUDA, ptx_parts
from bankwise.read.source import Compilation
from bankwise.read.toolkit import find_program

NVCC = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

SOURCE = """__device__ float whole(float value) {
  static __shared__ float part[32];
  part[threadIdx.x] = value;
  __syncthreads();
  return part[31 - threadIdx.x];
}
__global__ void turned(float* p) {
  __shared__ float first;
  __shared__ float tile[32][32];
  const float sum = whole(p[threadIdx.x]);
  if (threadIdx.x == 0) first = sum;
  for (int n = 0; n < 32; ++n) tile[n][threadIdx.x] = p[n * 32 + threadIdx.x];
  __syncthreads();
  for (int n = 0; n < 32; ++n) p[n * 32 + threadIdx.x] = tile[threadIdx.x][n] / first;
}
__global__ void summed(float* p) { p[threadIdx.x] = whole(p[threadIdx.x]); }
void launch(float* p) { turned<<<1, 32>>>(p); summed<<<1, 32>>>(p); }
"""

PTX = """.version 8.0
.target sm_80
.shared .align 4 .b8 whole[128];
.shared .align 16 .b8 other[16];
.extern .shared .align 16 .b8 all[];
.entry one(.param .u64 p)
{
  .shared .align 4 .b8 first[4];
  st.shared.u32 [whole], %r1;
  st.shared.u32 [first], %r1;
  st.shared.u32 [other], %r1;
  st.shared.u32 [all], %r1;
  ret;
}
.entry two(.param .u64 p)
{
  .shared .align 8 .b8 later[8];
  st.shared.u32 [later], %r1;
  st.shared.u32 [whole], %r1;
  ret;
}
"""


def test_a_kernels_own_variables_come_before_those_of_the_module() -> None:
    """By hand: 4 bytes, 128 behind them, 16 at a multiple of 16, and what the launch sizes."""
    placed = {part.kernel: dict(part.variables) for part in ptx_parts(PTX)}
    assert placed["one"] == {"first": 0, "whole": 4, "other": 144, "all": 160}
    assert placed["two"] == {"later": 0, "whole": 8}


@NVCC
def test_that_is_where_the_machine_code_finds_them(tmp_path: Path) -> None:
    """Each variable by the line that stores to it."""
    file = tmp_path / "k.cu"
    file.write_text(SOURCE, "utf-8")
    made = CUDA.check(Compilation(file, "sm_80", ()), args={})
    kernel = next(one for one in made.kernels if "turned" in one.name)
    first = {
        access.access.location.line: int(access.access.patterns[0].offsets_bytes.min())
        for access in reversed(kernel.accesses)
        if access.access.direction == "write"
    }
    placed = dict(made.variables[kernel.name])
    lines = {"part": 3, "first": 11, "tile": 12}
    for name, line in lines.items():
        (at,) = (at for mangled, at in placed.items() if f"{len(name)}{name}" in mangled)
        assert first[line] == at
