"""What is added to a pointer behind a cast, added before it: the same place, and one index.

*((int4*)(p + row * 128) + t)   ->   *((int4*)(p + row * 128 + (t) * (sizeof(int4) / ..)))
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from bankwise.change.cxx.cast_sums import with_sums
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.tree import parse
from command import bankwise
from cuda_fixes import extra, real

KERNEL = """__global__ void k(int4* o, {kind} n, unsigned {type}) {{
  __shared__ half s[64 * 64];
  half* p = &s[0] + threadIdx.y * 512;
  o[0] = {use};
}}
"""
STEP = "(sizeof(int4) / sizeof(half))"
BECOMES = {
    "*((int4*)(p + n * 64) + n % 8)": f"*((int4*)(p + n * 64 + (n % 8) * {STEP}))",
    "*((const int4 *)(p + n * 64) + n)": f"*((const int4 *)(p + n * 64 + (n) * {STEP}))",
    "((int4*)(p + n * 64))[n + 1]": f"((int4*)(p + n * 64 + (n + 1) * {STEP}))[0]",
    "reinterpret_cast<int4*>(p + n)[n]": f"reinterpret_cast<int4*>(p + n + (n) * {STEP})[0]",
    "*(reinterpret_cast<int4*>(p + n) + 2)": f"*(reinterpret_cast<int4*>(p + n + (2) * {STEP}))",
    "*(((int4*)(p + n)) + n)": f"*(((int4*)(p + n + (n) * {STEP})))",
}
STAYS = [
    "*(int4*)(p + n)",
    "((int4*)(p + n))[0]",
    "*((int4*)(p + n) + n - 1)",  # two numbers, whose sum may be below zero
    "*((int4*)p + n)",
    "*(n + (int4*)(p + n))",
    "make_int4(*((char*)(p + n) + n), 0, 0, 0)",  # one is less than an element
    "*((Own*)(p + n) + n)",
]


def text_of(use: str, kind: str = "int", type_: str = "other") -> str:
    return KERNEL.format(use=use, kind=kind, type=type_)


@pytest.mark.parametrize("use", BECOMES)
def test_what_is_added_behind_a_cast_is_added_before_it(use: str) -> None:
    made, calls = with_sums(parse(text_of(use), "k.cu"), ())
    assert made.text == text_of(BECOMES[use])
    assert [made.of(one.span) in made.text and one.call in use for one in calls] == [True]
    assert not any(one.macros for one in calls)
    (before,), (after,) = (shared_arrays(parse(t, "k.cu")) for t in (text_of(use), made.text))
    assert len(after.bases) < len(before.bases)


@pytest.mark.parametrize("use", STAYS)
def test_other_sums_stay(use: str) -> None:
    source = parse(text_of(use), "k.cu")
    assert with_sums(source, ()) == (source, ())


@pytest.mark.parametrize(
    "own",
    [
        "struct int4 { char c[24]; };\n",
        "struct __align__(8) int4 { char c[24]; };\n",
        "typedef struct { char c[3]; char d; } half;\n",
        "template <typename half> struct S;\n",
        "#define half float\n",
        "typedef short half;\n",
    ],
)
def test_a_type_that_the_file_declares_has_no_known_size(own: str) -> None:
    text = text_of(next(iter(BECOMES)))
    for source in (parse(own + text, "k.cu"), parse(text, "k.cu", beside=(("h.h", own),))):
        assert with_sums(source, ()) == (source, ())


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_both_are_one_place_whatever_the_type_of_the_number(tmp_path: Path) -> None:
    kinds = ("signed char", "short", "int", "unsigned", "long", "unsigned long", "bool")
    checks = "".join(
        f"for ({kind} n : {{({kind})0, ({kind})1, ({kind})-1, ({kind})1234567}})"
        f" if (&({use}) != &({after})) return 1;\n"
        for kind in kinds
        for use, after in BECOMES.items()
        if "% 8" not in use
    )
    types = "#include <initializer_list>\ntypedef short half; struct int4 { int x, y, z, w; };\n"
    (tmp_path / "t.cpp").write_text(
        f"{types}int main() {{ static half s[8]; half* p = s;\n{checks}return 0; }}\n"
    )
    made = tmp_path / "t"
    subprocess.run(["g++", "-w", "-O0", "-o", made, tmp_path / "t.cpp"], check=True)
    assert subprocess.run([made], check=False).returncode == 0


def test_what_is_refused_is_said_in_one_line() -> None:
    use = "*strange(p +\n    n * 64 +\n    n % 8)"
    (array,) = shared_arrays(parse(text_of(use), "k.cu"))
    said = [one.reason for one in array.refusals]
    assert any("p + n * 64 + n % 8 is passed to strange" in one for one in said), said


EPILOGUE = """#include <cuda_fp16.h>
__global__ void k(int4* o, const int4* a) {
  __shared__ half s[16 * 2][64];
  const int w = threadIdx.x / 32, t = threadIdx.x % 32;
  half* p = &s[0][0] + w * 1024;
  for (int i = 0; i < 16; ++i) {
    *(int*)(p + (t / 4 + i % 2 * 8) * 64 + i / 2 * 8 + (t % 4) * 2) = a[t + i].x;
  }
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    o[i * 64 + threadIdx.x] = *((int4*)(p + (i * 4 + t / 8) * 64) + t % 8);
  }
}
void go(int4* o, const int4* a) { k<<<1, 64>>>(o, a); }
"""


@real
def test_an_epilogue_that_reads_rows_as_int4_is_changed(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(EPILOGUE)
    done = bankwise("fix", str(tmp_path / "k.cu"), "-t", "sm_90", "--format", "json")
    answer = json.loads(done.out)
    assert {one["judge"]: one["status"] for one in answer["verdicts"]} == dict.fromkeys(
        ("proof", "execution", "isa"), "passed"
    )
    proof = next(one["detail"] for one in answer["verdicts"] if one["judge"] == "proof")
    assert "added to a pointer behind a cast" in proof
    assert extra(answer["before"]) > 0
    assert extra(answer["after"]) == 0
    assert "(int4*)(p + " in answer["patch"].rpartition("+    o[i * 64")[2]
