"""Kernels and arrays in namespaces, also without a name: what no other file sees nvcc calls by a
hash of the text, which is another one for every text that is tried."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bankwise.ask.judge_run import run_cases
from bankwise.read.cuda import CUDA
from bankwise.read.names import demangled, steady
from bankwise.read.source import Compilation
from bankwise.read.toolkit import find_program
from command import bankwise

real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

TURN = """\
{outer}
{file}
{static}__global__ void turn(const float* in, float* out) {{
  {inner}
  int t = threadIdx.x;
  for (int i = 0; i < 32; ++i) s[i * 32 + t] = in[i * 32 + t];
  __syncthreads();
  for (int i = 0; i < 32; ++i) out[i * 32 + t] = s[t * 32 + i];
}}
{end}
void go(const float* in, float* out) {{ {name}turn<<<1, 32, 4096>>>(in, out); }}
"""
PLAIN, LAUNCHED = "__shared__ float s[1024];", "extern __shared__ float s[];"
SPACES = {
    "": ("", "", ""),
    "a namespace": ("namespace top {", "}", "top::"),
    "two namespaces": ("namespace top { namespace s2 {", "} }", "top::s2::"),
    "no name": ("namespace {", "}", ""),
    "no name in a namespace": ("namespace top { namespace {", "} }", "top::"),
}


def source(space: str, declared: str, *, inside: bool, static: bool = False) -> str:
    outer, end, name = SPACES[space]
    return TURN.format(
        outer=outer,
        end=end,
        name=name,
        file="" if inside else declared,
        inner=declared if inside else "",
        static="static " * static,
    )


WAYS = {
    "sized in the kernel": (PLAIN, True),
    "launched at file scope": (LAUNCHED, False),
    "launched in the kernel": (LAUNCHED, True),
    "sized at file scope": (PLAIN, False),
}
STANDS = [(space, way) for n, space in enumerate(SPACES) for way in list(WAYS)[2 * (n % 2) :][:2]]
"""Each two of a space, how the array is declared and where it stands meet."""


@real
@pytest.mark.parametrize(("space", "way"), STANDS)
def test_an_array_is_found_wherever_it_stands(tmp_path: Path, space: str, way: str) -> None:
    path = tmp_path / "k.cu"
    declared, inside = WAYS[way]
    path.write_text(source(space, declared, inside=inside), "utf-8")
    answer = json.loads(bankwise("fix", str(path), "-t", "sm_80", "--format", "json").out)
    assert not answer["refusals"]
    assert [one["status"] for one in answer["verdicts"]] == ["passed"] * 3
    assert answer["before"]["totals"]["run"]["extra"] > 0
    assert answer["after"]["totals"]["run"]["extra"] == 0


@real
@pytest.mark.parametrize("space", ["", "no name"])
def test_a_gpu_is_asked_for_the_names_that_a_text_has(tmp_path: Path, space: str) -> None:
    """Of both texts nvcc calls them otherwise; the kernel that was followed is called by none."""
    texts = [source(space, PLAIN, inside=True, static=not space)]
    texts.append(texts[0].replace("s[t * 32 + i]", "s[(t * 32 + i)] + 1"))
    path = tmp_path / "k.cu"
    path.write_text(texts[0], "utf-8")
    what = Compilation(path, "sm_80")
    found = CUDA.check(what, args={}).kernels
    (case,) = run_cases(what, found, *texts, tmp_path)
    assert isinstance(case, dict)
    for version in ("before", "after"):
        names = Path(case[version]).read_bytes()
        assert case["kernel"][version].encode() + b"\0" in names
    assert len(set(case["kernel"].values())) == (2 if space else 1)


def test_names_of_a_text_are_those_of_every_text() -> None:
    name = "_ZN37_GLOBAL__N__df64fd1d_5_n3_cu_c2bf53a24turnEPKfPf"
    other = name.replace("df64fd1d", "01234567")
    assert steady(name) == steady(other) != name
    assert demangled(steady(name)) == demangled(name)
    for kept in ("_Z4turnPKfPf", "_ZN12_GLOBAL__N_14turnEPf", "a__nv_static_b"):
        assert steady(kept) == kept
