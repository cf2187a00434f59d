"""``bankwise check kernel.cu``: compiled here, answered at the author's lines."""

from __future__ import annotations

import json
import os
import shlex
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bankwise as package
from bankwise.ask import job
from bankwise.ask.jobs import Order
from bankwise.errors import InputError
from bankwise.read import toolkit
from bankwise.read.options import Options
from bankwise.read.toolkit import find_program
from command import bankwise, unfolded

compiles = pytest.mark.compiles
real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

GEMM = """\
// One column of a tile after the other: 64 threads, two warps.
extern "C" __global__ void __launch_bounds__(64) gemm(const float *A, const float *B, float *C) {
  __shared__ float Bs[64][PITCH];
#pragma unroll 1
  for (int row = threadIdx.x / 32; row < 64; row += 2)
    Bs[row][threadIdx.x % 32] = B[row * 32 + threadIdx.x % 32];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 32; ++k)
    sum += A[k] * Bs[threadIdx.x][k];
  C[threadIdx.x] = sum;
}
"""
WRITE, READ = 6, 11
"""The lines of its accesses."""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Write a file where the command runs; its name, as the user types it."""
    monkeypatch.chdir(tmp_path)

    def written(text: str, name: str = "src/kernel.cu") -> str:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, "utf-8")
        return name

    return written


def gemm(pitch: int) -> str:
    return GEMM.replace("PITCH", str(pitch))


def checked(*words: object, code: int) -> dict[str, Any]:
    ended = bankwise("check", *words, "--format", "json")
    assert ended.code == code, ended.err
    return dict(json.loads(ended.out))


@real
@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
def test_a_column_conflicts_at_the_line_that_reads_it(
    write: Callable[..., str], target: str
) -> None:
    found = checked(write(gemm(32)), "--target", target, code=1)
    assert found["file"] == "src/kernel.cu"
    assert found["target"] == target
    (kernel,) = found["kernels"]
    assert kernel["location"] == {"file": "src/kernel.cu", "line": 2, "column": None}
    places = {(a["location"]["file"], a["location"]["line"]) for a in found["accesses"]}
    assert places == {("src/kernel.cu", WRITE), ("src/kernel.cu", READ)}
    (read,) = [a for a in found["accesses"] if a["location"]["line"] == READ]
    # Lane n reads word 32 n + k: 32 rows in one bank. Two warps, 32 iterations.
    assert (read["ways"], read["run"]) == (
        32,
        {"passes": 32 * 2 * 32, "ideal": 2 * 32, "extra": 31 * 2 * 32},
    )
    # A warp writes a row at a time: 64 rows.
    assert found["totals"]["run"]["passes"] == 32 * 2 * 32 + 64
    assert not [line for line in kernel["notes"] if "nvdisasm" in line]


@real
def test_one_word_of_padding_frees_it(write: Callable[..., str]) -> None:
    found = checked(write(gemm(33)), "--target", "sm_80", code=0)
    # Lane n reads word 33 n + k, in bank (n + k) mod 32.
    assert found["totals"]["run"] == {"passes": 128, "ideal": 128, "extra": 0}


@compiles
@real
def test_it_says_by_which_compiler_and_command(
    write: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(GEMM)
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-DPITCH=33")
    (note,) = checked(file, "--target", "sm_90", code=0)["notes"]
    assert note.startswith("compiled by nvcc 1")
    typed = "nvcc -lineinfo -cubin -arch=sm_90 -Isrc src/kernel.cu -o kernel.cubin"
    assert note.endswith(f": NVCC_APPEND_FLAGS=-DPITCH=33 {typed}")


@real
def test_python_answers_like_the_command_line(write: Callable[..., str]) -> None:
    report = package.check(write(gemm(32)), "sm_90")
    assert report.totals.run.extra == 31 * 2 * 32
    column = gemm(32).splitlines()[READ - 1].index("Bs[") + 1
    assert str(report.accesses[0].location) == f"src/kernel.cu:{READ}:{column}"


@compiles
@real
def test_nothing_is_written_beside_the_source(write: Callable[..., str], tmp_path: Path) -> None:
    file = write(gemm(32))
    checked(file, "--target", "sm_80", code=1)
    assert [p.name for p in tmp_path.rglob("*")] == ["src", "kernel.cu"]


INLINED = """\
#include "sub/column.cuh"
extern "C" __global__ void __launch_bounds__(32) k(const float *x, float *y) {
  __shared__ float tile[32][32];
  for (int row = 0; row < 32; ++row) tile[row][threadIdx.x] = x[row * 32 + threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 32; ++k)
    sum += column(tile, k);
  y[threadIdx.x] = sum;
}
"""
COLUMN = """\
#pragma once

static __device__ float column(const float (*tile)[32], int k) {
  return tile[threadIdx.x][k];
}
"""


@compiles
@real
def test_what_is_inlined_from_a_header_stands_where_the_kernel_uses_it(
    write: Callable[..., str],
) -> None:
    write(COLUMN, "src/sub/column.cuh")
    worst = checked(write(INLINED), "--target", "sm_80", code=1)["accesses"][0]
    assert worst["run"]["extra"] == 31 * 32
    assert (worst["location"]["file"], worst["location"]["line"]) == ("src/kernel.cu", 9)
    assert "source src/sub/column.cuh:4" in worst["note"]


@real
def test_a_kernel_of_a_header_stands_in_the_header(write: Callable[..., str]) -> None:
    write(gemm(32), "src/sub/gemm.cuh")
    found = checked(write("#include <sub/gemm.cuh>\n"), "--target", "sm_80", code=1)
    place = found["accesses"][0]["location"]
    assert (place["file"], place["line"]) == ("src/sub/gemm.cuh", READ)
    assert found["file"] == "src/kernel.cu"


DATA = """\
__device__ void add(unsigned *bins, unsigned bin) {
  bins[bin] += 1;
}
extern "C" __global__ void __launch_bounds__(32) histogram(const unsigned *x, unsigned *y) {
  __shared__ unsigned bins[1024];
  unsigned bin = x[threadIdx.x];
  add(bins, bin & 1023);
  __syncwarp();
  y[threadIdx.x] = bins[threadIdx.x];
}
extern "C" __global__ void __launch_bounds__(32) copy(const unsigned *x, unsigned *y) {
  __shared__ unsigned line[32];
  line[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  y[threadIdx.x] = line[31 - threadIdx.x];
}
"""


@real
def test_what_is_not_analysed_is_said_at_source_lines_of_the_kernel_that_it_is_in(
    write: Callable[..., str],
) -> None:
    found = checked(write(DATA), "--target", "sm_80", code=3)
    assert found["refusals"]
    for refusal in found["refusals"]:
        assert (refusal["location"]["file"], refusal["location"]["line"]) == ("src/kernel.cu", 2)
        assert refusal["reason"].endswith("depends on a value loaded from memory (line 6)")
    verdicts = {k["name"]: k["verdict"].partition(":")[0] for k in found["kernels"]}
    assert verdicts == {"histogram": "no conflicts in what is known", "copy": "no conflicts"}


@real
def test_threads_that_the_source_does_not_bound_are_assumed(write: Callable[..., str]) -> None:
    file = write(gemm(32).replace("__launch_bounds__(64)", ""))
    (kernel,) = checked(file, "--target", "sm_80", code=1)["kernels"]
    x, y, z = kernel["workgroup_size"]
    assert kernel["launch"]["assumed"] == f"{x},{y},{z} threads a block"
    assert "assumed" in kernel["verdict"]
    found = checked(file, "--target", "sm_80", "--workgroup-size", "64", code=1)
    assert found["totals"]["run"]["extra"] == 31 * 2 * 32


@compiles
@real
def test_a_source_through_a_pipe_includes_what_stands_where_the_command_runs(
    write: Callable[..., str], tmp_path: Path
) -> None:
    write(COLUMN, "sub/column.cuh")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(INLINED,))
    writer.start()
    found = checked(pipe, "--target", "sm_80", code=1)
    writer.join()
    place = found["accesses"][0]["location"]
    assert (place["file"], place["line"]) == (str(pipe), 9)
    assert found["notes"][0].endswith(" -I. kernel.cu -o kernel.cubin")


@compiles
@real
def test_headers_beside_a_link_are_named_as_its_user_names_them(
    write: Callable[..., str],
) -> None:
    write(INLINED, "elsewhere/k.cu")
    write(COLUMN, "src/sub/column.cuh")
    Path("src/kernel.cu").symlink_to("../elsewhere/k.cu")
    worst = checked("src/kernel.cu", "--target", "sm_80", code=1)["accesses"][0]
    assert (worst["location"]["file"], worst["location"]["line"]) == ("src/kernel.cu", 9)
    assert "source src/sub/column.cuh:4" in worst["note"]


PARTS = """__global__ void f(const float* A, float* C) {
  __shared__ float Bs[2][32][32];
  __shared__ float c[32];
  int t = threadIdx.x;
  for (int s = 0; s < 2; ++s) for (int i = 0; i < 32; ++i) Bs[s][i][t] = A[s * 1024 + i * 32 + t];
  c[t] = A[t];
  __syncthreads();
  float v = 0;
  for (int s = 0; s < 2; ++s) for (int i = 0; i < 32; ++i) v += Bs[s][t][i];
  C[t] = v + c[31 - t];
}
void g(const float* A, float* C) { f<<<1, 32>>>(A, C); }
"""
HALVES = """__global__ void f(const float* A, float* C) {
  __shared__ float Bs[2048];
  int t = threadIdx.x;
  for (int i = 0; i < 32; ++i) Bs[i * 32 + t] = A[i * 32 + t];
  for (int i = 0; i < 16; ++i) Bs[1024 + i * 32 + t] = A[i * 32 + t];
  __syncthreads();
  float v = 0;
  for (int i = 0; i < 32; ++i) v += Bs[t * 32 + i];
  for (int i = 0; i < 16; ++i) v += Bs[1024 + t + 32 * i];
  C[t] = v;
}
void g(const float* A, float* C) { f<<<1, 32>>>(A, C); }
"""


@real
def test_layouts_are_told_of_the_authors_arrays(write: Callable[..., str]) -> None:
    (kernel,) = checked(write(PARTS), "--target", "sm_80", code=1)["kernels"]
    named = [name for optimum in kernel["optima"] for name in optimum["allocations"]]
    assert named == ["Bs in parts of 4096", "c"]


@real
def test_an_array_of_which_parts_are_told_apart_calls_none_of_them(
    write: Callable[..., str],
) -> None:
    (kernel,) = checked(write(HALVES), "--target", "sm_80", code=1)["kernels"]
    named = [name for optimum in kernel["optima"] for name in optimum["allocations"]]
    assert named[0] == "shared[0:4096]"
    assert all(name.startswith("shared[") for name in named)


# --- what does not compile ------------------------------------------------------------------------


@compiles
@real
def test_the_words_of_nvcc_stand_at_the_users_line(write: Callable[..., str]) -> None:
    file = write(gemm(32).replace("sum += A[k]", "total += A[k]"))
    ended = bankwise("check", file, "--target", "sm_80")
    assert (ended.code, ended.out) == (2, "")
    said = 'nvcc does not compile it: identifier "total" is undefined'
    assert ended.err.startswith(f"error: src/kernel.cu:{READ}: {said}\n")
    assert "-- -Iinclude" in ended.err
    assert "did you mean" not in ended.err


@real
def test_a_function_that_cuda_has_no_more_is_named_by_its_new_name(
    write: Callable[..., str],
) -> None:
    file = write(gemm(32) + "void go() { cudaThreadSynchronize(); cudaThreadExit(); }\n")
    ended = bankwise("check", file, "--target", "sm_80")
    assert ended.code == 2
    flags = [f"-DcudaThread{old}=cudaDevice{new}" for old, new in RENAMED]
    assert " ".join(("--", *flags)) in unfolded(ended.err)
    assert bankwise("check", file, "--target", "sm_80", "--", *flags).code == 1


RENAMED = (("Synchronize", "Synchronize"), ("Exit", "Reset"))


@real
def test_a_name_like_one_of_the_source_is_asked_for(write: Callable[..., str]) -> None:
    ended = bankwise("check", write(gemm(32).replace("sum += A[k]", "sum += A[k] * summ")))
    assert "did you mean sum? Else flags that it needs" in unfolded(ended.err)


@compiles
@real
def test_errors_of_headers_and_of_the_preprocessor_have_places(write: Callable[..., str]) -> None:
    write("static __device__ int one = ;\n", "src/sub/bad.cuh")
    ended = bankwise("check", write('#include "sub/bad.cuh"\n'), "--target", "sm_80")
    assert ended.err.startswith("error: src/sub/bad.cuh:1: nvcc does not compile it: expected")
    ended = bankwise("check", write('\n#include "none.cuh"\n'), "--target", "sm_80")
    assert ended.err.startswith("error: src/kernel.cu:2: nvcc does not compile it: none.cuh: No ")
    assert ended.code == 2


@real
def test_a_source_without_a_kernel_and_a_kernel_that_it_lacks(write: Callable[..., str]) -> None:
    template = "template <int N> __global__ void k(float *a) { a[N] = 1; }\n"
    ended = bankwise("check", write(template), "--target", "sm_80")
    assert (ended.code, ended.err.splitlines()[0]) == (
        2,
        "error: src/kernel.cu: no kernel was compiled",
    )
    assert "`template __global__ void k<..>(..);`" in ended.err
    ended = bankwise("check", write("__device__ int one = 1;\n"), "--target", "sm_80")
    assert ended.err.endswith("hint: no __global__ function stands in it\n")
    ended = bankwise("check", write(gemm(32)), "--target", "sm_80", "--kernel", "none")
    assert "no kernel 'none' in this source\n  hint: it has gemm" in ended.err


@compiles
def test_without_nvcc_the_command_to_run_elsewhere_is_said(
    write: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = write(GEMM, "kernel.cu")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolkit, "_places", lambda name: iter(()))
    ended = bankwise("check", file, "--target", "sm_90")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: kernel.cu: CUDA source is compiled with nvcc, which is not")
    command = "nvcc -lineinfo -cubin -arch=sm_90 -I. kernel.cu -o kernel.cubin"
    assert f"{command} && bankwise check kernel.cubin" in ended.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--target", "sm_75"), "CUDA compiled for sm_75 is not followed\n"),
        (("--target", "gfx1100"), "CUDA compiled for gfx1100 is not followed\n"),
    ],
)
def test_a_target_that_is_not_followed_is_refused(
    write: Callable[..., str], words: tuple[str, ...], says: str
) -> None:
    ended = bankwise("check", write(GEMM), *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: src/kernel.cu: {says}  hint: --target sm_90")


# --- the compiler as a program --------------------------------------------------------------------


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put an nvcc on PATH that runs a script; it is called with the words of nvcc."""
    folder = tmp_path / "fake"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def put(script: str) -> None:
        (folder / "nvcc").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "nvcc").chmod(0o755)

    return put


@compiles
def test_a_compiler_that_does_not_end_is_ended_with_all_that_it_started(
    write: Callable[..., str],
    fake: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    started = tmp_path / "started"
    fake(f"sleep 60 &\necho $! > {shlex.quote(str(started))}\nwait")
    monkeypatch.setattr(toolkit, "SECONDS", 1)
    ended = bankwise("check", write(GEMM), "--target", "sm_80")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "error: src/kernel.cu: nvcc took more than 1 s\n"
    ends = time.monotonic() + 30  # It sleeps for 60 s; one that is killed needs its turn to die.
    while _lives(int(started.read_text())) and time.monotonic() < ends:
        time.sleep(0.01)
    assert not _lives(int(started.read_text()))


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@compiles
def test_what_nvcc_says_without_a_place_is_quoted(
    write: Callable[..., str], fake: Callable[[str], None]
) -> None:
    fake("echo \"ptxas fatal   : Unresolved extern function 'f'\" >&2; exit 255")
    ended = bankwise("check", write(GEMM), "--target", "sm_80")
    said = "nvcc does not compile it: ptxas fatal   : Unresolved extern function 'f'"
    assert ended.err.startswith(f"error: src/kernel.cu: {said}\n")
    fake("exit 0")
    ended = bankwise("check", write(GEMM), "--target", "sm_80")
    assert "src/kernel.cu: nvcc does not compile it: exit 0" in ended.err
    assert ended.code == 2


@compiles
def test_another_name_of_a_machine_is_compiled_for_what_nvcc_knows(
    write: Callable[..., str],
    fake: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    source = Path(package.__file__).parent / "hardware" / "sm_90.toml"
    write(source.read_text("utf-8").replace('name = "sm_90"', 'name = "h200"'), "own/h200.toml")
    monkeypatch.setenv("BANKWISE_MACHINES", str(tmp_path / "own"))
    fake('echo "fatal: $*"; exit 1')
    ended = bankwise("check", write(GEMM), "--target", "h200")
    assert "fatal: -lineinfo -cubin -arch=sm_90 -Isrc src/kernel.cu -o " in ended.err


@compiles
def test_a_page_never_compiles(
    write: Callable[..., str], fake: Callable[[str], None], tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    fake(f"touch {shlex.quote(str(marker))}; exit 1")
    file, options = write(GEMM), Options("sm_90")
    said = r"this is CUDA source, which is not compiled here: it could include any file\n.*nvcc"
    for verb in job.VERBS:
        with pytest.raises(InputError, match=said):
            job.document(Order(verb, "", file, options), lambda stage, done, total: None)
    assert not marker.exists()
    assert bankwise("check", file, "--target", "sm_80").code == 2
    assert marker.exists()


@compiles
@real
@pytest.mark.parametrize("name", ["k.cuh", "k.h", "k.cpp", "k.cc", "k.hpp"])
def test_a_kernel_in_a_header_or_in_cpp_is_compiled_as_cuda(
    write: Callable[..., str], name: str
) -> None:
    found = checked(write(gemm(32), name), "--target", "sm_80", code=1)
    assert [access["location"]["line"] for access in found["accesses"]] == [READ, WRITE]


@real
def test_a_header_of_templates_says_what_instantiates_them(write: Callable[..., str]) -> None:
    template = gemm(32).replace('extern "C" ', "template <int N> ")
    file = write(template, "k.cuh")
    ended = bankwise("check", file)
    assert ended.code == 2
    assert "template __global__ void gemm<..>(..);" in ended.err
    whole = f"{template}template __global__ void gemm<1>(const float*, const float*, float*);\n"
    left = "// __global__ void no(\ntemplate <class T> __global__ void left(T* out) { *out = 1; }\n"
    found = checked(write(f"{whole}{left}", "k.cuh"), code=1)
    assert found["accesses"]
    (note,) = (note for note in found["notes"] if note.startswith("not compiled"))
    assert note.startswith("not compiled, so not checked: left: a template")
    assert "template __global__ void left<..>(..);" in note


@real
def test_names_are_spelled_and_every_spelling_means_the_kernel(write: Callable[..., str]) -> None:
    source = gemm(32).replace('extern "C" __global__', "template <int N> __global__")
    file = write(f"{source}template __global__ void gemm<7>(const float*, const float*, float*);\n")
    (kernel,) = checked(file, "--target", "sm_80", code=1)["kernels"]
    assert kernel["name"].startswith("_Z4gemmILi7EE")
    for name in ("gemm", "gemm<7>", kernel["name"], kernel["demangled"], "gem*"):
        assert checked(file, "--target", "sm_80", "--kernel", name, code=1)["kernels"], name
    fixed = bankwise("fix", file, "--target", "sm_80", "--no-execute", "--format", "json")
    assert json.loads(fixed.out)["changes"][0]["demangled"] == kernel["demangled"]
    assert "_Z4gemm" not in bankwise("fix", file, "--target", "sm_80", "--no-execute").err


TURNS = """__global__ void k(float* o) {
  __shared__ float s[64];
  s[threadIdx.x] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = s[63 - threadIdx.x];
}
"""


@pytest.mark.parametrize("blank", range(4, 40, 7))
def test_a_launch_stands_at_its_own_line(blank: int, tmp_path: Path) -> None:
    """However far down: no line of the machine code is taken for it."""
    text = TURNS + "\n" * blank + "void l(float* o) { k<<<1, 64>>>(o); }\n"
    line = next(n for n, one in enumerate(text.splitlines(), 1) if "<<<" in one)
    path = tmp_path / "k.cu"
    path.write_text(text)
    assert f"as it is launched at line {line}" in bankwise("check", path, "-t", "sm_90").out


@compiles
@real
def test_a_header_that_lies_elsewhere_in_the_project_is_named(write: Callable[..., str]) -> None:
    write("", ".git/HEAD")  # nobody looks beyond a repository, as at what another run left
    file = write('#include "tool/sizes.h"\n__global__ void k(float *a) { a[N] = 1; }\n')
    assert "sizes.h lies" not in bankwise("check", file, "--target", "sm_80").err
    write("#define N 4\n", "a/far/include/tool/sizes.h")
    write("#define N 4\n", "include/tool/sizes.h")
    write("#define N 4\n", ".venv/tool/sizes.h")
    ended = bankwise("check", file, "--target", "sm_80")
    flag = "-Iinclude"
    said = f"tool/sizes.h lies in include (and in 1 more): `bankwise check FILE -- {flag}`."
    assert ended.code == 2
    assert said in unfolded(ended.err)
    assert bankwise("check", file, "--target", "sm_80", "--", flag).code == 0


@real
def test_the_file_that_includes_one_without_its_types_is_named(write: Callable[..., str]) -> None:
    kernel = "__global__ void k(real *a) { a[threadIdx.x] = 1; }\n"
    file = write(kernel, "src/kernels.cu")
    assert "includes this file" not in bankwise("check", file, "--target", "sm_80").err
    write('typedef float real;\n#include "kernels.cu"\n', "src/main.cu")
    write('// #include "kernels.cu"\n', "src/a.cu")
    ended = bankwise("check", file, "--target", "sm_80")
    said = "src/main.cu includes this file: `bankwise check src/main.cu`."
    assert ended.code == 2
    assert said in unfolded(ended.err)
    assert bankwise("check", "src/main.cu", "--target", "sm_80").code == 0


SMALL_PARAMETERS = """\
__global__ void k(float* out, bool turned, short wide, signed char first, unsigned char rows) {
  __shared__ float s[4096];
  int t = threadIdx.x;
  s[t * (turned ? wide : 1) + first] = out[t];
  __syncthreads();
  out[t] = s[t % 32 * rows + 2];
}
void run(float* out) { k<<<1, 64>>>(out, true, 32, 3, 36); }
"""


@real
@pytest.mark.parametrize("target", ["sm_80", "sm_90", "sm_120"])
def test_parameters_of_a_byte_or_two_are_read(write: Callable[..., str], target: str) -> None:
    found = checked(write(SMALL_PARAMETERS), "--target", target, code=1)
    assert not found["refusals"]
    stored, loaded = sorted(found["accesses"], key=lambda a: a["location"]["line"])
    # Steps of 32 words: one bank, of 36 words: each fourth bank, so 4 lanes meet.
    assert (stored["ways"], stored["passes"]) == (32, 64)
    assert (loaded["ways"], loaded["passes"]) == (4, 8)
