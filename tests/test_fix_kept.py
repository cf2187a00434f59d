"""A text in a source's place costs what it changes: what is the same is compiled and followed once,
and who waits hears what is done now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bankwise.ask.check_source import check_source_file
from bankwise.ask.fix_source import fix_source_file
from bankwise.errors import Location, Refusal
from bankwise.read import cuda
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.device_text import DeviceText
from bankwise.read.follow.openers import with_openers
from bankwise.read.launch.facts import Given
from bankwise.read.options import Judges, Options
from bankwise.read.toolkit import find_program

NVCC = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

SOURCE = """
__global__ void plain(float* out) {
  __shared__ float line[64];
  line[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = line[63 - threadIdx.x];
}
__global__ void staged(float* out, int rounds) {
  __shared__ float two[2][64];
  for (int k = 0; k < rounds; ++k) two[k & 1][threadIdx.x] = out[k * 64 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = two[rounds & 1][63 - threadIdx.x];
}
__global__ void turned(float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = out[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void launch(float* out, int n) {
  plain<<<1, 64>>>(out);
  staged<<<1, 64>>>(out, n);
  turned<<<1, dim3(32, 32)>>>(out);
}
"""


class Heard:
    """A progress that keeps the phases."""

    def __init__(self) -> None:
        self.phases: list[str] = []

    def __call__(self, done: int, total: int) -> None:
        """No step is told of a source."""

    def phase(self, text: str) -> None:
        """One more."""
        self.phases.append(text)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[str]]:
    """The texts that nvcc compiles to machine code, and the kernels that are followed."""
    texts: list[str] = []
    followed: list[str] = []
    compile_cuda, follow = cuda.compile_cuda, cuda.follow_at_source

    def compiled(source: Path, made: Path, *more: Any) -> str:
        if made.suffix == ".cubin":
            texts.append(source.read_text())
        return compile_cuda(source, made, *more)

    def at_source(kernel: Any, *more: Any) -> AssemblyKernel:
        followed.append(kernel.name)
        return follow(kernel, *more)

    monkeypatch.setattr(cuda, "compile_cuda", compiled)
    monkeypatch.setattr(cuda, "follow_at_source", at_source)
    return texts, followed


@NVCC
def test_each_text_is_compiled_once_and_its_changed_kernels_alone_are_followed(
    tmp_path: Path, counted: tuple[list[str], list[str]]
) -> None:
    file, heard = tmp_path / "kernel.cu", Heard()
    file.write_text(SOURCE)
    report = fix_source_file(file, Options("sm_80"), Judges(execute=False), progress=heard)
    texts, followed = counted
    assert [change.allocations for change in report.changes] == [("tile",)]
    assert texts[0] == SOURCE
    assert len(texts) == len(set(texts)) > 1
    times = {name: sum(name in one for one in followed) for name in ("plain", "staged", "turned")}
    assert times["plain"] == 1
    assert times["turned"] == len(texts)
    tried = [one for one in heard.phases if one.startswith("following them with ")]
    assert times["staged"] == 1 + len(tried) > 1, "as it is, and with numbers for `rounds`"
    assert heard.phases[0] == "compiling, following kernels"
    assert "following them with 64 for arguments" in heard.phases
    assert "compiling it for the sizes of arrays" in heard.phases
    assert "planning tile" in heard.phases
    tried = [one for one in heard.phases if one.startswith("compiling tile, text ")]
    assert len(tried) == len(texts) - 1
    assert heard.phases[-1].startswith("proving")


@NVCC
def test_check_tells_its_phases(tmp_path: Path) -> None:
    file, heard = tmp_path / "kernel.cu", Heard()
    file.write_text(SOURCE)
    check_source_file(file, Options("sm_80"), heard)
    assert heard.phases[:2] == [
        "compiling, following kernels",
        "compiling it for the sizes of arrays",
    ]


def _kernel(arguments: Given, facts: tuple[str, ...], *reasons: str) -> AssemblyKernel:
    place = Location("k.cu", 1)
    refusals = tuple(Refusal(one, place) for one in reasons)
    size = (32, 1, 1)
    found = AssemblyKernel("k", "sm_80", place, 128, None, size, (), (), refusals, {}, facts=facts)
    return replace(found, launch=replace(found.launch, arguments=arguments))


def test_an_argument_that_decided_nothing_is_not_tried_alone() -> None:
    asked: list[dict[str | int, Any]] = []

    def again(more: Given, steps: int | None) -> AssemblyKernel:
        asked.append(dict(more))
        known = {"n": "m", "m": ""}
        facts = tuple(fact for fact in ("n", *(known[k] for k in more)) if fact not in more)
        return _kernel(more, tuple(filter(None, facts)), "open")

    with_openers(_kernel({}, ("n",), "open"), again, 8)
    assert {"n": 16} in asked
    assert {"n": 16, "m": 16} in asked
    assert {"m": 16} not in asked


def test_the_same_numbers_are_followed_once() -> None:
    """A block's own number is 0 whatever values are tried for an argument that it leads to."""
    asked: list[dict[str | int, Any]] = []

    def again(more: Given, steps: int | None) -> AssemblyKernel:
        asked.append(dict(more))
        found = _kernel(more, () if "n" in more else ("n",), "open")
        return replace(found, open_branches={len(asked): "another one"})

    with_openers(_kernel({}, ("ctaid.x",), "open"), again, 8)
    assert asked.count({"ctaid.x": 0}) == 1
    values = [one["n"] for one in asked if len(one) == 2]
    assert len(values) == len(set(values)) > 2


def test_what_takes_too_long_with_one_more_argument_is_told_without_it() -> None:
    steps_of: dict[tuple[str | int, ...], list[int | None]] = {}

    def again(more: Given, steps: int | None) -> AssemblyKernel:
        steps_of.setdefault(tuple(more), []).append(steps)
        if "m" in more:
            return _kernel(more, (), "more work than 120,000 steps")
        return _kernel(more, ("m",), "open")

    with_openers(_kernel({}, ("n",), "open"), again, 8)
    assert steps_of[("n",)][0] is None
    assert len(steps_of[("n", "m")]) == 1, "no other value of both is tried then"
    assert steps_of[("n", "m")][0] is not None


BOUND = """#include <frame/tensor.h>
#ifndef STEP
#define STEP 1
#endif
template <int N> __global__ void turned(float* out) {
  __shared__ float tile[N][N];
  tile[threadIdx.y][threadIdx.x] = out[threadIdx.y * N + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * N + threadIdx.x * STEP] = tile[threadIdx.x][threadIdx.y];
}
#define RUN(name, N) void name(frame::Tensor x) { turned<N><<<1, dim3(N, N)>>>(x.data); }
RUN(run, 32)
void other(frame::Tensor x);
"""
FRAME = "#pragma once\nnamespace frame { struct Tensor { float* data; }; }\n"
LONG = "__device__ int variable_of_all_the_module;\n" + "// of a framework\n" * 60_000


def bound(folder: Path, header: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[str]]:
    """The patch of a source that includes such a header, and what of it was compiled, in turn."""
    (folder / "frame").mkdir(parents=True)
    (folder / "frame" / "tensor.h").write_text(header, "utf-8")
    file, told = folder / "k.cu", []
    file.write_text(BOUND, "utf-8")
    compile_cuda = cuda.compile_cuda

    def heard(source: Path, made: Path, *more: Any) -> str:
        told.append("alone" if "template __global__" in source.read_text("utf-8") else "whole")
        return compile_cuda(source, made, *more)

    monkeypatch.setattr(cuda, "compile_cuda", heard)
    found = fix_source_file(file, Options(target="sm_80", flags=(f"-I{folder}",)))
    monkeypatch.undo()
    assert found.accepted
    assert "absent" not in found.verdicts[-1].detail
    return found.patch.partition("@@")[2], told


@NVCC
def test_texts_are_tried_without_the_host_where_its_headers_are_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The patch is that of a short header. The first text and the last are compiled whole; where
    the header decides what a kernel does, all of them."""
    short, told = bound(tmp_path / "short", FRAME, monkeypatch)
    assert set(told) == {"whole"}
    long, told = bound(tmp_path / "long", FRAME + LONG, monkeypatch)
    assert long == short
    assert told.count("whole") == 2
    assert told[0] == "whole"
    assert told.count("alone") > 2
    deciding, told = bound(tmp_path / "deciding", f"{FRAME}#define STEP 1\n" + LONG, monkeypatch)
    assert deciding == short
    other, told = bound(tmp_path / "other", f"{FRAME}#define STEP 2\n" + LONG, monkeypatch)
    assert other == short
    assert told.count("whole") > 2


@pytest.mark.parametrize(
    ("item", "host"),
    [
        ("void f(Tensor t) { g(); }", True),
        ("extern void f(Tensor);", True),
        ("BIND_MODULE(x, m) { m.def(1); }", True),
        ("template <int N, bool B = (N > 2)> void f(Tensor t) { }", True),
        ("template <typename T> __device__ T f(T t) { return t; }", False),
        ("__global__ void f() { }", False),
        ("static HOST_DEVICE int f() { return 1; }", False),
        ("constexpr int f() { return 1; }", False),
        ("struct A { int f() { return 1; } };", False),
        ("static_assert(sizeof(int) == 4);", False),
        ("const int a[] = {f(1)};", False),
        ("auto f = [](int i) { return i; };", False),
        ("DECLARE(f);", False),
    ],
)
def test_only_functions_of_the_host_are_left_out(item: str, host: bool) -> None:
    text = f'// "a {{ (\nnamespace a {{\n{item}\n}}\nint after;\n'
    left = DeviceText((), ("_ZN1a1kILi4EEEvPf", "plain")).of(text)
    assert (item in left) is not host
    assert left.startswith('// "a { (\nnamespace a {\n')
    assert left.endswith("\n}\nint after;\n\ntemplate __global__ void a::k<4>(float*);\n")


def test_what_does_not_compile_is_left_out_unless_it_is_of_the_device() -> None:
    text = "#define RUN(x) \\\n  void run(x)\nRUN(T)\nusing host::T;\n__global__ void k(T* t) { }\n"
    nothing = DeviceText((), ())
    assert nothing.at(text, 5) == ""
    assert nothing.at(text, 9) == ""
    macro, using = nothing.at(text, 3), nothing.at(text.replace("RUN(T)", ""), 4)
    assert "void run(x)" in macro
    left = DeviceText((), (), (macro, using)).of(text.replace("RUN(T)\n", "RUN(T);\n"))
    assert "run(x)" not in left
    assert left.split("\n")[4] == "__global__ void k(T* t) { }"
