"""HIP source: compiled by clang, counted at its own lines, fixed with proof."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import sizes
from bankwise.read.cxx.tree import parse
from bankwise.read.hip.clang import knows
from bankwise.read.hip.language import HIP, line_places
from bankwise.read.launch.host import launches_in
from bankwise.read.source import Compilation
from command import bankwise

KERNELS = Path(__file__).parent / "data" / "cuda_fix"


@cache
def needs(target: str) -> None:
    if not knows(target):
        pytest.skip(f"no clang here knows {target}")


def answer(verb: str, path: Path | str, target: str, *options: str) -> tuple[int, dict[str, Any]]:
    done = bankwise(verb, str(path), "-t", target, "--format", "json", *options)
    assert done.out, done.err
    return done.code, json.loads(done.out)


def extra(found: dict[str, Any]) -> int:
    return sum(kernel["totals"]["once"]["extra"] for kernel in found["kernels"])


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize(
    "name", ["gemm_float4", "transpose_f32", "transpose_template", "transpose_f16", "aos"]
)
def test_a_cuda_source_compiled_as_hip_loses_its_conflicts(name: str, target: str) -> None:
    needs(target)
    _, found = answer("fix", KERNELS / f"{name}.cu", target)
    judged = {one["judge"]: one["status"] for one in found["verdicts"]}
    assert judged["proof"] == judged["isa"] == "passed"
    assert extra(found["after"]) < extra(found["before"])
    if target == "gfx942" and name != "aos":
        assert extra(found["after"]) == 0


PRODUCTS = """\
#include <hip/hip_runtime.h>
__global__ void __launch_bounds__(128) weigh(const float* in, float* out) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  for (int n = 0; n < 8; ++n) s[n * 128 + t] = in[n * 128 + t];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += s[t * 8 + i] * (i + 1);
  out[t] = sum;
}
"""


def test_products_that_are_fused_otherwise_are_told_with_the_flag_that_fuses_none(tmp_path) -> None:
    needs("gfx942")
    path = tmp_path / "weigh.hip"
    path.write_text(PRODUCTS)
    said = {}
    for flag in ((), ("--", "-ffp-contract=off")):
        _, found = answer("fix", path, "gfx942", "--launch", "weigh<<<1, 128>>>", *flag)
        (said[flag],) = [one for one in found["verdicts"] if one["judge"] == "execution"]
    plain, strict = said.values()
    assert strict["status"] == "passed"
    if plain["status"] == "passed":
        pytest.skip("this clang fuses the same products of both texts")
    assert "with `-- -ffp-contract=off` it is seen whether anything else differs" in plain["detail"]


def test_registers_stand_beside_the_passes() -> None:
    needs("gfx942")
    path = KERNELS / "gemm_float4.cu"
    _, found = answer("fix", path, "gfx942", "--no-execute")
    (isa,) = [one for one in found["verdicts"] if one["judge"] == "isa"]
    rows = {row["name"]: (row["before"], row["after"]) for row in isa["rows"]}
    (taken,) = [both for name, both in rows.items() if name.endswith("registers of a thread")]
    emitted = HIP.emitted(Compilation(path, "gfx942"))
    assert int(re.findall(r"\.vgpr_count:\s+(\d+)", emitted)[0]) == taken[0]


HIPIFIED = """\
#include <hip/hip_runtime.h>
template <typename T, int N>
__global__ void turn(T* out, const T* in) {
  __shared__ T tile[N][N];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * N + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * N + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void host(float* a, const float* b) {
  hipLaunchKernelGGL(HIP_KERNEL_NAME(turn<float, 32>), dim3(2), dim3(32, 32), 0, 0, a, b);
}
"""


@pytest.mark.parametrize("name", ["kernel.hip", "kernel.cpp"])
def test_a_hip_source_is_counted_as_its_host_code_launches_it(name: str, tmp_path: Path) -> None:
    """32 rows of 32 floats, read down a column by each half wave: 32 passes where one would do,
    of 16 waves and two halves each."""
    needs("gfx942")
    path = tmp_path / name
    path.write_text(HIPIFIED)
    code, found = answer("check", path, "gfx942")
    assert code == 1
    (kernel,) = found["kernels"]
    assert kernel["totals"]["run"]["extra"] == 16 * 2 * (32 - 1)
    said = bankwise("check", str(path), "-t", "gfx942").out
    assert re.findall(r" (\d+):\d+ .* (\w+) shared$", said, re.M) == [("7", "read"), ("5", "write")]
    _, found = answer("fix", path, "gfx942")
    assert extra(found["after"]) == 0


LEAVES = """\
__global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64][64];
  int t = threadIdx.x;
  for (int i = 0; i < 64; ++i) s[i][t] = in[i * 64 + t];
  __syncthreads();
  float a = 0;
  for (int c = 0; c < 64; ++c) a += s[t][c];
  if (n > 500) a += s[0][2 * t];
  out[t] = a;
}
void go(float* a, float* b) { k<<<1, 64>>>(a, b, 100); }
"""


def test_a_row_that_is_left_behind_a_condition_nobody_took_stays_as_it_is(tmp_path: Path) -> None:
    needs("gfx942")
    path = tmp_path / "k.hip"
    path.write_text(LEAVES)
    code, found = answer("fix", path, "gfx942", "--accept-sampled")
    assert (code, found["patch"]) == (1, "")
    (refused,) = found["refusals"]
    assert refused["location"]["line"] == 8
    assert "where 501 is given 2 * t is not from 0 up and below 64" in refused["reason"]
    path.write_text(LEAVES.replace("[2 * t]", "[t]"))
    _, found = answer("fix", path, "gfx942", "--accept-sampled")
    (proof,) = (one for one in found["verdicts"] if one["judge"] == "proof")
    assert (found["accepted"], proof["status"]) == (True, "passed")
    assert "the compiler finds that none does" in proof["detail"]


MANY = """\
__global__ void k(float* o, int n) {
  __shared__ char c[5];
  __shared__ double b[17];
  __shared__ float tile[32][33];
  int x = threadIdx.x;
  tile[x][3] = n; b[x] = n; c[x & 3] = n;
  __syncthreads();
  o[x] = tile[3][x] + b[31 - x] + c[x / 8];
}
"""


def test_where_arrays_lie_is_as_in_the_code_that_is_counted(tmp_path: Path) -> None:
    """LLVM puts arrays where it likes: the offsets of the stores say it, too."""
    needs("gfx942")
    path = tmp_path / "k.hip"
    path.write_text(MANY)
    what = Compilation(path, "gfx942")
    emitted = HIP.emitted(what)
    stored = {
        width: int(found[1] or 0)
        for width in ("b8", "b32", "b64")
        if (found := re.search(rf"ds_write_{width} [^\n]*?(?:offset:(\d+))?\n", emitted))
    }
    source = parse(MANY, str(path))
    measured = sizes(source, shared_arrays(source), HIP, what)
    assert isinstance(measured, dict)
    (kernel,) = measured.values()
    assert [one.bytes_ for one in kernel.values()] == [5, 8 * 17, 4 * 32 * 33]
    starts = [one.start for one in kernel.values()]
    assert starts == [stored["b8"], stored["b64"], stored["b32"] - 3 * 4]


def test_an_instruction_of_the_header_has_the_place_of_who_calls_it() -> None:
    text = """\
\t.file 2 "/x" "t.h"
k:
\t.loc 2 7 3                          ; t.h:7:3 @[ a.hip:5:9 ]
\tds_read_b32 v0, v1
\t.loc 1 0 3                          ; a.hip:0:3
\tds_read_b32 v0, v1
.Lfunc_end0:
\t.file 1 "/x" "a.hip"
"""
    found = line_places(text)
    assert [str(one) for one in found[4]] == ["/x/t.h:7:3", "/x/a.hip:5:9"]
    assert found[6] == ()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("hipLaunchKernelGGL(k, dim3(4), dim3(64, 2), 0, s, a, 7)", ("k", (64, 2, 1), (None, 7))),
        ("hipLaunchKernelGGL((k), 4, 64, 128, s, 8)", ("k", (64, 1, 1), (8,))),
        ("hipLaunchKernelGGL(HIP_KERNEL_NAME(k<3>), 4, B, 0, 0)", ("k<3>", (96, 1, 1), ())),
        ("hipLaunchCooperativeKernel(k<3>, dim3(4), dim3(B), a, 64, s)", ("k<3>", (96, 1, 1), ())),
        ("hipExtLaunchKernelGGL(k, 4, B, 0, s, a, a, 0, 7, a)", ("k", (96, 1, 1), (7, None))),
    ],
)
def test_launches_of_hip_are_read(call: str, said: tuple[Any, ...]) -> None:
    found = launches_in(f"#define B 96\nvoid f(int* a) {{ {call}; }}\n")
    assert (found[0].kernel, found[0].block, found[0].positional) == said


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("hipLaunchKernelGGL(k, grid, block, 0, s, a, n)", (64, 1, 1)),
        ("hipLaunchKernelGGL((k<float, 3>), grid, block, 0, s, a, n)", (64, 1, 1)),
        ("adjust(block); hipLaunchKernelGGL(k, grid, block, 0, s, a, n)", None),
    ],
)
def test_a_launch_leaves_the_variables_that_say_its_sizes(call: str, said: Any) -> None:
    """Two launches by one variable: what is launched gets copies, other functions may change it."""
    text = "void f(int* a, int n) { dim3 grid((n + 31) / 32), block(64); %s; %s; }\n"
    found = launches_in(text % (call, call))
    assert {one.block for one in found} == ({said} if said else set())


@pytest.mark.parametrize(
    "call", ["hipLaunchKernelGGL", "hipLaunchKernelGGL(", "hipLaunchKernelGGL()", "x(k<<<"]
)
def test_a_launch_that_is_cut_off_is_none(call: str) -> None:
    assert launches_in(f"void f() {{ {call}") == ()


# --- the compiler as a program --------------------------------------------------------------------


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing but what the test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "nowhere"))
    monkeypatch.setattr("bankwise.read.hip.clang.find_spec", lambda name: None)
    (tmp_path / "k.hip").write_text("__global__ void k() {}\n")
    return folder


def put(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_without_a_compiler_the_command_for_elsewhere_is_said(alone: Path) -> None:
    done = bankwise("check", str(alone.parent / "k.hip"), "-t", "gfx942")
    assert (done.code, done.out) == (2, "")
    assert "compiled with a clang that knows it, which is not found" in done.err
    assert "hipcc --offload-arch=gfx942 --offload-device-only -S" in done.err


def test_a_clang_that_does_not_know_the_gpu_is_passed_over(alone: Path) -> None:
    put(alone, "hipcc", "echo \"clang: error: invalid target ID 'gfx950'\" >&2; exit 1")
    put(alone, "clang++-19", 'echo "k.hip:3:4: error: no such thing" >&2; exit 1')
    done = bankwise("check", str(alone.parent / "k.hip"), "-t", "gfx950")
    assert done.code == 2
    assert "clang++-19 does not compile it: no such thing" in done.err
    (alone / "clang++-19").unlink()
    done = bankwise("check", str(alone.parent / "k.hip"), "-t", "gfx950")
    assert "not found; hipcc cannot compile for it" in done.err


def test_what_is_of_nvidia_is_named(tmp_path: Path) -> None:
    needs("gfx942")
    done = bankwise("fix", str(KERNELS / "ldmatrix.cu"), "-t", "gfx942")
    assert done.code == 2
    assert "NVIDIA's and what stands for it have no meaning on this GPU" in done.err


def test_hip_for_a_gpu_of_nvidia_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "k.hip"
    path.write_text("__global__ void k() {}\n")
    done = bankwise("check", str(path), "-t", "sm_90")
    assert done.code == 2
    assert "HIP compiled for sm_90 is not followed" in done.err


@pytest.mark.parametrize("bounds", ["128", "128, 2"])
def test_a_block_has_as_many_threads_as_its_launch_bounds_say(bounds: str, tmp_path: Path) -> None:
    """Rows of 32 words: the 32 lanes of each half of the two waves want one bank."""
    needs("gfx942")
    path = tmp_path / "own.hip"
    path.write_text(f"""#include <hip/hip_runtime.h>
__global__ void __launch_bounds__({bounds}) k(float* out) {{
  __shared__ float tile[128 * 32];
  tile[threadIdx.x * 32] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[(127 - threadIdx.x) * 32];
}}
""")
    _, found = answer("check", path, "gfx942")
    accesses, waves, halves = 2, 2, 2
    assert extra(found) == accesses * waves * halves * 31


def test_fix_tells_what_is_not_analysed_of_one_place_once(tmp_path: Path) -> None:
    """Four rounds, unrolled: a read and a write each whose address data decide."""
    needs("gfx942")
    path = tmp_path / "own.hip"
    path.write_text("""#include <hip/hip_runtime.h>
__global__ void __launch_bounds__(64) k(const int* a, int* o) {
  __shared__ int s[64];
  for (int i = 0; i < 4; i++) s[a[i * 64 + threadIdx.x] & 63]++;
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x];
}
""")
    said = bankwise("fix", path, "-t", "gfx942").err
    assert said.count("not analysed: ") == 2
    assert said.count("(and 3 more places)") == 2


def test_what_public_sources_use_beside_shared_memory_compiles(tmp_path: Path) -> None:
    """An atomic through a restricted pointer, vectors by bits, a clock, files and peers of a host.
    Columns of rows of 32 words are read: half a wave wants 32 words of one bank, 31 passes more."""
    needs("gfx942")
    path = tmp_path / "own.hip"
    path.write_text("""#include <hip/hip_runtime.h>
#include <hip/hip_runtime_api.h>
__global__ void k(float* __restrict__ out, int* __restrict__ most, uchar4* key, double* d) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = hypotf(out[threadIdx.x], lrintf(out[0]));
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
  key[threadIdx.x] ^= key[0] & key[1];
  d[0] = fmod(d[1], __drcp_rn(d[2])) + (double)clock();
  atomicMax(most, (int)threadIdx.y);
}
int main() {
  hipDeviceProp_t found;
  hipGetDeviceProperties(&found, 0);
  int can = 0;
  hipDeviceCanAccessPeer(&can, 0, found.clockRate > 0);
  fprintf(stderr, "%d", can);
  k<<<1, dim3(32, 32)>>>(nullptr, nullptr, nullptr, nullptr);
}
""")
    _, found = answer("check", path, "gfx942")
    assert not found["refusals"]
    waves, halves = 32 * 32 // 64, 2
    assert extra(found) == waves * halves * 31
