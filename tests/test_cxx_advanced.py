"""Pointers into arrays of one dimension that are advanced: ``p += stage * 1024; p[i]``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bankwise.algebra.address import Fold
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.prove import prove_text
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray, shared_arrays
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import CxxSource, parse
from command import bankwise
from cuda_fixes import extra, real, verdicts


def read(body: str) -> tuple[CxxSource, SharedArray]:
    text = f"__global__ void k(float* o, int t) {{ __shared__ float s[2048], r[8][32]; {body} }}"
    source = parse(text, "k.cu")
    name = "r" if "r[" in body else "s"
    return source, next(one for one in shared_arrays(source) if one.name == name)


@pytest.mark.parametrize(
    ("body", "bases"),
    [
        ("float* p = s; p[t] = 1; p += t * 32; p[t] = 2;", [("t * 32", "")]),
        ("float* p = s + 64; p -= 128; *p = 1;", [("64", ""), ("128", "")]),
        ("for (float* p = s; t; p += 64) p[t] = 1;", [("64", "")]),
        ("float4* q = (float4*)s; if (t) q += 8; q[t] = {};", [("8", "sizeof(float4)")]),
    ],
)
def test_a_pointer_that_is_advanced_counts_from_elsewhere(
    body: str, bases: list[tuple[str, str]]
) -> None:
    source, array = read(body)
    assert not array.refusals
    assert [(source.of(one.span), one.scale) for one in array.bases] == bases
    assert len(array.uses) == body.count("] =") + body.count("*p =")


@pytest.mark.parametrize(
    "body",
    [
        "float* p = s; *(p += 4) = 1;",
        "float* p = s; float* q = p += 4; q[t] = 1;",
        "for (float* p = s; t; --t, p += 4) p[t] = 1;",
        "float* p = s; p = p + 4; p[t] = 1;",
        "float* p = s; ++p; p[t] = 1;",
        "float* p = r[t]; p += 4; p[1] = 1;",
    ],
)
def test_what_else_gives_a_pointer_another_value_is_refused(body: str) -> None:
    _, array = read(body)
    assert any("another value" in one.reason or "p += 4" in one.reason for one in array.refusals)


STAGES = """__global__ void stages(const float* a, float* o, int n) {
  __shared__ float s[2048];
  const int x = threadIdx.x, y = threadIdx.y;
  float *p = s, sum = 0;
  for (int i = 0; i < n; ++i) {
    p[y * 32 + x] = a[i * 1024 + y * 32 + x];
    __syncthreads();
    sum += p[x * 32 + y];
    if (i & 1)
      p -= 1024;
    else
      p += 1024;
  }
  o[y * 32 + x] = sum;
}
void launch(const float* a, float* o) { stages<<<1, dim3(32, 32)>>>(a, o, 8); }
"""


def test_it_goes_through_the_map_if_it_is_advanced_by_whole_periods() -> None:
    after = STAGES.replace("y * 32 + x] = a", "(y * 32 + x) ^ ((y * 32 + x) >> 5 & 31)] = a")
    after = after.replace("p[x * 32 + y]", "p[(x * 32 + y) ^ ((x * 32 + y) >> 5 & 31)]")
    for aligned, right in ((1024, True), (2048, True), (512, False), (32, False), (1, False)):
        size = ArraySize(8192, 4, (2048,), 4, 0, aligned=aligned)
        claim = ArrayClaim(0, "s", (Fold(32, 1, 32),), 0, (size,))
        told = prove_text(parse(STAGES, "k.cu"), parse(after, "k.cu"), [claim])
        assert isinstance(told, Refusal) is not right, aligned
        pads = ArrayClaim(0, "s", (), 1, (size,), row=32)
        longer = STAGES.replace("[2048]", "[2112]").replace("y * 32 + x] =", "y * 33 + x] =")
        assert isinstance(prove_text(parse(STAGES, "k.cu"), parse(longer, "k.cu"), [pads]), Refusal)


@real
@pytest.mark.parametrize(("step", "changed"), [("1024", True), ("512", False)])
def test_stages_that_a_pointer_steps_by_have_a_fold_where_it_repeats_with_them(
    step: str, changed: bool, tmp_path: Path
) -> None:
    """8 rounds of 32 warps: 32 passes for 1 of each read of a column."""
    path = tmp_path / "k.cu"
    path.write_text(STAGES.replace("= 1024;", f"= {step};"))
    done = bankwise("fix", path, "-t", "sm_80", "--accept-sampled", "--format", "json")
    answer = json.loads(done.out)
    assert extra(answer["before"]) == 8 * 32 * 31
    if changed:
        assert done.code == 0
        assert extra(answer["after"]) == 0
        assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    else:
        (refused,) = answer["refusals"]
        assert "a pointer begins inside it, 512 elements on" in refused["reason"]
        assert answer["patch"] is None or "^" not in answer["patch"]
