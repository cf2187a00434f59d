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
    report = fix_source_file(file, Options("sm_90"), Judges(execute=False), progress=heard)
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
    check_source_file(file, Options("sm_90"), heard)
    assert heard.phases[:2] == [
        "compiling, following kernels",
        "compiling it for the sizes of arrays",
    ]


def _kernel(arguments: Given, facts: tuple[str, ...], *reasons: str) -> AssemblyKernel:
    place = Location("k.cu", 1)
    refusals = tuple(Refusal(one, place) for one in reasons)
    size = (32, 1, 1)
    found = AssemblyKernel("k", "sm_90", place, 128, None, size, (), (), refusals, {}, facts=facts)
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
