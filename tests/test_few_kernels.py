"""Texts of an array are tried with the kernels alone that use it; what is written is whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bankwise.ask import array_search
from bankwise.ask.few_kernels import whole_text
from bankwise.ask.fix_source import fix_source_file
from bankwise.read import cuda
from bankwise.read.device_text import DeviceText, usual_headers
from bankwise.read.options import Options
from bankwise.read.toolkit import find_program
from bankwise.show.fixing import FixReport

NVCC = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

SOURCE = """#include <vector>
#include <cfloat>
#ifdef FLT_MAX
#define STEP 1
#else
#define STEP 2
#endif
struct Pair { float a, b; };
__device__ float twice(float x) { return 2 * x; }
__device__ float thrice(Pair x) { return 3 * x.a; }
template <int N> __global__ void plain(float* out) {
  __shared__ float line[N];
  for (int n = 0; n < 64; n += int(out[n]) + 1) line[n] = out[n];
  line[threadIdx.x] = thrice({out[threadIdx.x], 1});
  __syncthreads();
  out[threadIdx.x] = line[N - 1 - threadIdx.x];
}
__global__ void turned(float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = out[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x * STEP] = twice(tile[threadIdx.x][threadIdx.y]);
}
void launch(std::vector<float*> all) {
  plain<64><<<1, 64>>>(all[0]);
  turned<<<1, dim3(32, 32)>>>(all[1]);
}
"""


def fixed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, whole: int, source: str = SOURCE
) -> tuple[FixReport, list[str]]:
    """What becomes of a source, and the texts that were compiled to machine code, in turn;
    ``whole``: how many texts of an array are compiled whole before others are."""
    file, texts = folder / "k.cu", list[str]()
    file.write_text(source, "utf-8")
    compile_cuda = cuda.compile_cuda

    def heard(source: Path, made: Path, *more: Any) -> str:
        if made.suffix == ".cubin":
            texts.append(source.read_text("utf-8"))
        return compile_cuda(source, made, *more)

    monkeypatch.setattr(array_search, "_WHOLE", whole)
    with monkeypatch.context() as patched:
        patched.setattr(cuda, "compile_cuda", heard)
        return fix_source_file(file, Options(target="sm_80")), texts


def is_few(text: str) -> bool:
    """Whether a text is one of the array's kernel alone: the other one has no body."""
    assert "tile[threadIdx.y]" in text
    return "line[" not in text


@NVCC
def test_texts_of_an_array_are_compiled_with_its_kernels_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is that of whole texts. Without <cfloat> the kernel is other code, which is
    found out; what is written is compiled whole behind what was tried."""
    usual, texts = fixed(tmp_path, monkeypatch, whole=99)
    assert usual.accepted
    assert not any(map(is_few, texts))
    found, texts = fixed(tmp_path, monkeypatch, whole=0)
    assert found.patch == usual.patch
    assert found.verdicts == usual.verdicts
    few = [one for one in texts if is_few(one)]
    assert len(few) > 2
    assert "<cfloat>" not in few[0]
    assert all("<cfloat>" in one for one in few[1:])
    for one in few:
        assert "<vector>" not in one
        assert "void launch" not in one
        assert "thrice" not in one
        assert "twice" in one
        assert "template __global__ void plain<64>(float*);" in one
    assert texts[0] == SOURCE
    assert texts[-1] == found.fixed_text


@NVCC
def test_where_the_whole_of_what_was_chosen_is_other_code_all_texts_are_compiled_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, whole = fixed(tmp_path, monkeypatch, whole=99)
    monkeypatch.setattr(array_search, "whole_text", lambda *_: None)
    found, texts = fixed(tmp_path, monkeypatch, whole=0)
    assert any(map(is_few, texts))
    assert [one for one in texts if not is_few(one)] == whole
    assert (found.patch, found.verdicts) == (usual.patch, usual.verdicts)


@NVCC
def test_the_whole_of_a_text_is_held_against_what_was_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without <cfloat> the kernel is another one."""
    calls = []
    monkeypatch.setattr(array_search, "whole_text", lambda *a: calls.append(a) or whole_text(*a))
    fixed(tmp_path, monkeypatch, whole=0)
    author, few, made = calls[-1]
    assert whole_text(author, few, made) is not None
    less = replace(few.what.alone, included=frozenset())
    other = replace(few, what=replace(few.what, alone=less))
    assert whole_text(author, other, made) is None


TEXT = """#include <vector>
#include <cstdint>
#include "own.h"
#define KERNEL(n) extern "C" __global__ void __launch_bounds__(n)
struct A { int f() { return 1; } };
__device__ float used(float x) { return x; }
__device__ float unused(float x) { return used(x); }
template <int N> __global__ void mine(float* p) { p[0] = used(p[N]); }
template <> __global__ void mine<4>(float* p) { p[0] = 4; }
template <int N> __global__ void
other(float* p) {  // what it does
  p[0] = unused(p[N]);
#define SEEN 1
  #pragma unroll
}
KERNEL(32) third(float* p);
KERNEL(32) third(float* p) { p[0] = 1; }
KERNEL(32) fourth(float* p) { p[0] = 1; }
void mine(float* p) { mine<2><<<1, 1>>>(p); other<2><<<1, 1>>>(p); }
"""
LESS = """
#include <cstdint>
#include "own.h"
#define KERNEL(n) extern "C" __global__ void __launch_bounds__(n)
struct A { int f() { return 1; } };
__device__ float used(float x) { return x; }

template <int N> __global__ void mine(float* p) { p[0] = used(p[N]); }
template <> __global__ void mine<4>(float* p) { p[0] = 4; }
template <int N> __global__ void
other(float* p) {

#define SEEN 1

}
KERNEL(32) third(float* p);
KERNEL(32) third(float* p) {           }
KERNEL(32) fourth(float* p) { p[0] = 1; }


template __global__ void mine<2>(float*);
template __global__ void other<2>(float*);
"""


def test_a_text_of_a_few_kernels_has_the_others_without_what_they_do() -> None:
    kernels = ("_Z4mineILi2EEvPf", "_Z5otherILi2EEvPf", "third", "fourth")
    less = DeviceText((), kernels, (), frozenset({"other", "third"}), usual_headers())
    lines = [line.rstrip() for line in less.of(TEXT).split("\n")]
    assert lines == [line.rstrip() for line in LESS.split("\n")]
    assert [less.has(one) for one in kernels] == [True, False, False, True]


def test_what_does_not_compile_beside_a_few_kernels_may_be_a_function_of_the_device() -> None:
    few, every = DeviceText((), (), (), frozenset({"other"})), DeviceText((), ())
    assert few.at(TEXT, 7) == "__device__ float unused(float x) { return used(x); }"
    assert every.at(TEXT, 7) == ""
    assert few.at(TEXT, 8) == ""


SECOND = """__global__ void again(float* out) {
  __shared__ float more[64][32];
  more[threadIdx.y][threadIdx.x] = out[threadIdx.y * 32 + threadIdx.x];
  more[threadIdx.y + 32][threadIdx.x] = out[threadIdx.x * 32 + threadIdx.y];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = more[threadIdx.x + 32][threadIdx.y] + more[threadIdx.x][0];
}
"""


@NVCC
def test_where_that_saved_something_the_next_array_is_tried_so_from_its_first_text_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the first array nothing but that it is known says so."""
    asked = array_search.few_kernels

    def once(*given: Any) -> Any:
        monkeypatch.setattr(array_search, "_WHOLE", 99)
        return asked(*given)

    launched = SOURCE.replace("  turned<<<", "  again<<<1, dim3(32, 32)>>>(all[1]);\n  turned<<<")
    source = launched.replace("void launch", f"{SECOND}void launch").replace("STEP 2", "STEP 1")
    monkeypatch.setattr(array_search, "few_kernels", once)
    found, texts = fixed(tmp_path, monkeypatch, whole=0, source=source)
    assert [one.allocations for one in found.changes] == [("more",), ("tile",)]
    first = [n for n, one in enumerate(texts) if "tile[threadIdx" not in one]
    second = [n for n, one in enumerate(texts) if "more[threadIdx" not in one]
    assert first
    assert second
    assert max(first) < min(second)


@NVCC
def test_a_short_source_without_headers_is_compiled_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "\n".join(line for line in SOURCE.split("\n") if "#include" not in line)
    source = source.replace("std::vector<float*> all", "float** all")
    _, texts = fixed(tmp_path, monkeypatch, whole=0, source=source)
    assert not any(map(is_few, texts))


SAYING = {
    "#include <vector>": "#include <vector>\n#include <cassert>\n#include <cstdio>",
    "  line[threadIdx.x] =": "  assert(out[0] > 1);\n  line[threadIdx.x] =",
    "  tile[threadIdx.y][": "  assert(out[1] > 2);\n  tile[threadIdx.y][",
    "  out[threadIdx.y *": '  if (out[2] > 3) printf("%f", out[4]);\n  out[threadIdx.y *',
}
"""What makes the kernels of the source assert and print."""


@NVCC
def test_a_kernel_that_asserts_and_prints_is_compiled_alone_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its texts and the functions of the driver have other places in constant bank 4 beside other
    kernels."""
    source, asked = SOURCE, array_search.few_kernels
    for old, new in SAYING.items():
        source = source.replace(old, new)
    usual, _ = fixed(tmp_path, monkeypatch, whole=99, source=source)
    answers = list[Any]()
    asking = lambda *a: answers.append(asked(*a)) or answers[-1]  # noqa: E731 - in its place
    monkeypatch.setattr(array_search, "few_kernels", asking)
    found, _ = fixed(tmp_path, monkeypatch, whole=0, source=source)
    assert answers
    assert None not in answers
    assert (found.patch, found.verdicts) == (usual.patch, usual.verdicts)
