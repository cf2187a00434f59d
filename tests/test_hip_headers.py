"""What stands for ROCm's headers takes the host code that kernels of HIP stand beside."""

from __future__ import annotations

import pytest

from bankwise.read.hip.clang import OWN_HEADER, knows
from command import bankwise

HOST = """\
#define HIP_TEMPLATE_KERNEL_LAUNCH
#include <hip/hip_runtime.h>
#include <memory>
__noinline__ __device__ float twice(float x) { return x + x; }
template <int COLUMNS, int ROWS>
__global__ void columns(const float* in, float* out) {
  __shared__ float s[ROWS][COLUMNS];
  s[threadIdx.x][0] = twice(in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x][0];
}
std::string launch(const float* in, float* out) {
  hipDeviceProp_t seen;
  if (hipGetDeviceProperties(&seen, 0) == hipErrorInvalidDevice || seen.maxThreadsPerBlock < 64)
    return "";
  auto kept = std::make_shared<float*>(out);
  hipLaunchKernelGGL(columns<32, 64>, dim3(1), dim3(64), 0, 0, in, out);
  return seen.gcnArchName;
}
"""


def test_host_code_with_the_standard_library_and_a_launch_by_a_function_compiles(tmp_path) -> None:
    if not knows("gfx942"):
        pytest.skip("no clang here knows gfx942")
    path = tmp_path / "columns.hip"
    path.write_text(HOST)
    done = bankwise("check", str(path), "-t", "gfx942")
    assert done.code == 1, done.err
    # Rows of 32 words: all lanes of a phase of 32 in one bank, 64 passes for 2, twice.
    assert "SQ_LDS_BANK_CONFLICT += 124 per workgroup" in done.out
    assert "workgroup size 64,1,1, as it is launched at line 17" in " ".join(done.out.split())


@pytest.mark.parametrize("header", ["cuda.h", "cuda_runtime_api.h", "device_functions.h"])
def test_headers_of_cuda_that_declare_what_hip_has_are_found(tmp_path, header: str) -> None:
    if not knows("gfx942"):
        pytest.skip("no clang here knows gfx942")
    path = tmp_path / "k.cu"
    path.write_text(f"#include <{header}>\n__global__ void k(int* p) {{ *p = threadIdx.x; }}\n")
    done = bankwise("check", str(path), "-t", "gfx942")
    assert done.code == 0, done.err


GUARDED = """\
#include <hip/hip_runtime.h>

__global__ void k(const float* in, float* out, int n) {
  __shared__ float s[512];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) s[threadIdx.x * 2] = in[i];
  __syncthreads();
  if (i < n) out[i] = s[threadIdx.x * 2];
}
"""


def test_places_are_the_authors_where_bankwise_lies_below_the_folder(tmp_path, monkeypatch) -> None:
    """A compiler names what lies below the folder that it runs in from there: a venv, for one."""
    if not knows("gfx942"):
        pytest.skip("no clang here knows gfx942")
    path = tmp_path / "k.hip"
    path.write_text(GUARDED)
    monkeypatch.chdir(OWN_HEADER.parents[2])
    done = bankwise("check", str(path), "-t", "gfx942", "--workgroup-size", "256")
    assert "line 6: both ways followed: kernel argument at byte 16 (line 5)" in done.out
