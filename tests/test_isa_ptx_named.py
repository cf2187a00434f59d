"""A kernel has the shared variables that it names, or a function that it calls, and no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bankwise.read.ptx.parse import kernels
from bankwise.read.toolkit import find_program
from command import bankwise

real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

MODULE = """\
.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 q[];
.extern .shared .align 16 .b8 p[];
.shared .align 4 .b8 b[2048];
.shared .align 4 .b8 deep[64];
.func deepest() { mov.u32 %r1, deep; ret; }
.func peek() { mov.u32 %r1, b; call.uni deepest, (); ret; }
.visible .entry f() { .reg .pred %q<3>; mov.u32 %r1, p; ret; }
.visible .entry g() { .shared .align 4 .b8 c[256]; mov.u32 %r1, c; call.uni peek, (); ret; }
.visible .entry h() { mov.u32 %r1, q; ret; }
.visible .entry any() { mov.u64 %rd1, peek; call.uni (r), %rd1, (), proto; ret; }
.visible .entry none() { ret; }
"""


@pytest.mark.parametrize(
    ("kernel", "names"),
    [("f", "p"), ("g", "b deep c"), ("h", "q"), ("any", "b deep"), ("none", "")],
)
def test_a_kernel_has_the_variables_that_it_may_reach(kernel: str, names: str) -> None:
    (one,) = kernels(MODULE, only=kernel)
    assert {variable.name for variable in one.shared} == set(names.split())


def test_what_it_does_not_reach_takes_no_bytes_of_its_blocks() -> None:
    # ptxas gives g 2,048 + 64 + 256 bytes, and the others nothing.
    sizes = {one.name: one.lds_bytes for one in kernels(MODULE)}
    assert sizes == {"f": None, "g": 2_368, "h": None, "any": 2_112, "none": 0}


TWO = """\
__global__ void f(float *o) {
  extern __shared__ float p[];
  p[threadIdx.x] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = p[31 - threadIdx.x];
}
__global__ void g(float *o) {
  extern __shared__ float q[];
  q[threadIdx.x * 2] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = q[threadIdx.x * 4];
}
void go(float *o) {
  f<<<1, 32, 128>>>(o);
  g<<<1, 32, 512>>>(o);
}
"""


@real
@pytest.mark.parametrize("names", [("p", "q"), ("q", "p"), ("a", "z"), ("z", "a")])
def test_two_kernels_with_an_unsized_array_each_keep_their_own_lines(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    file = tmp_path / "two.cu"
    renamed = TWO.replace("p[", "FIRST[").replace("q[", "SECOND[")
    file.write_text(renamed.replace("FIRST", names[0]).replace("SECOND", names[1]), "utf-8")
    found = json.loads(bankwise("check", file, "--target", "sm_90", "--format", "json").out)
    places = {(a["kernel"][3], a["direction"], a["location"]["line"]) for a in found["accesses"]}
    assert places == {("f", "write", 3), ("f", "read", 5), ("g", "write", 9), ("g", "read", 11)}


OTHERS = """\
__shared__ float b[512];
__device__ __noinline__ float peek(int i) { return b[i]; }
__global__ void g(float *o) {
  b[threadIdx.x] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = peek(31 - threadIdx.x);
}
__global__ void h(float *o) {
  __shared__ float d[512];
  d[threadIdx.x * 16] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = d[31 - threadIdx.x];
}
void go(float *o) {
  g<<<1, 32>>>(o);
  h<<<1, 32>>>(o);
}
"""


@real
def test_an_array_beside_one_of_another_kernel_is_fixed_where_it_lies(tmp_path: Path) -> None:
    """d begins at byte 0 of h's blocks, though b, of 2,048 bytes, stands before it in the PTX."""
    file = tmp_path / "others.cu"
    file.write_text(OTHERS, "utf-8")
    ended = bankwise("fix", file, "--target", "sm_90")
    changed = [line for line in ended.out.splitlines() if line.startswith("+") and "d[" in line]
    assert changed, ended.err
