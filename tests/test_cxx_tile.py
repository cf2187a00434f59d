"""A layout as a type: what the type does, what is written, and which texts the proof refuses."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from bankwise.algebra.address import Fold
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.index_map import IndexMap
from bankwise.change.cxx.prove import prove_text
from bankwise.change.cxx.spelling import edited
from bankwise.change.cxx.tile import HEADER, as_tile
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import parse

TEXT = """// A kernel.
#pragma once
#include <cuda_fp16.h>
#define S(i, j) s[i][j]
__global__ void k(float* o, int t) {
  __shared__ __align__(16) float s[64][32];
  *(float4*)&s[t / 8][t % 8 * 4] = make_float4(0, 0, 0, 0);
  for (int c = 0; c < 32; ) o[c] += s[t * 4 + 1][c++] * S(t, 3) * (s[7])[5] * s[c][c];
}
"""
SIZE = ArraySize(64 * 32 * 4, 4, (64, 32), 16, 0, (("sizeof(float4)", 16),))
FOLD = Fold(4, 4, 8)
"""Chunks of 4 elements, XORed with (row / 4) mod 8."""
TYPE = "bankwise::tile<float, 64, 32, bankwise::fold<4, 8, 4>>"


def typed(text: str = TEXT, folds: tuple[Fold, ...] = (FOLD,), size: ArraySize = SIZE) -> str:
    source = parse(text, "k.cu")
    ways = as_tile(source, shared_arrays(source)[0], IndexMap(folds), [size])
    assert not isinstance(ways, Refusal), ways
    after = edited(source, ways[0].edits)
    assert isinstance(after, str)
    return after


def judged(
    after: str, text: str = TEXT, folds: tuple[Fold, ...] = (FOLD,), size: ArraySize = SIZE
) -> int | Refusal:
    source = parse(text, "k.cu")
    claim = ArrayClaim(0, shared_arrays(source)[0].name, folds, 0, (size,), typed=True)
    return prove_text(source, parse(after, "k.cu"), [claim])


def test_the_declaration_changes_and_every_use_stays() -> None:
    after = typed()
    head, _, rest = after.partition(f"{HEADER.read_text()}\n")
    assert head + rest == TEXT.replace("float s[64][32]", f"{TYPE} s")
    assert head == "".join(TEXT.splitlines(keepends=True)[:3])
    assert judged(after) == 5


def test_arrays_of_one_and_of_three_dimensions() -> None:
    flat = (
        "__global__ void k(float* o, int t) {\n  __shared__ float s[N];\n  *o = s[t * 32 + 1];\n}\n"
    )
    folds, size = (Fold(32, 1, 16), Fold(64, 16, 2)), ArraySize(8192, 4, (2048,), 4, 0)
    after = typed(flat, folds, size)
    both = "bankwise::both<bankwise::fold<32, 16, 1>, bankwise::fold<64, 2, 16>>"
    assert f"__shared__ bankwise::line<float, N, {both}> s;" in after
    assert judged(after, flat, folds, size) == 1
    deep = flat.replace("s[N]", "s[2][8][32]").replace("s[t * 32 + 1]", "s[1][t][3]")
    rows, size = (Fold(1, 1, 8),), ArraySize(2048, 4, (2, 8, 32), 4, 0)
    after = typed(deep, rows, size)
    assert "bankwise::tile<float, 8, 32, bankwise::fold<1, 8, 1>> s[2];" in after
    assert judged(after, deep, rows, size) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(("fold<4, 8, 4>", f"fold<{other}>") for other in ("2, 8, 4", "4, 4, 4", "4, 8, 2")),
        ("fold<4, 8, 4>", "fold<8, 4, 4>"),
        ("<4, 8, 4>> s", "<4, 8, 4>> s[2]"),
        (TYPE, TYPE.replace("64, 32", "32, 64")),
        (TYPE, TYPE.replace("64, 32", "64, 33")),
        (TYPE, TYPE.replace("float", "int")),
        (TYPE, f"volatile {TYPE}"),
        (TYPE, TYPE.replace("fold<4, 8, 4>", "other<4, 8, 4>")),
        (TYPE, TYPE.replace("tile", "tiles")),
        (" s;", " u;"),
        ("c / kUnit ^", "c / kUnit |"),
        ("kPhases - 1", "kPhases"),
        ("{data[r], r}", "{data[r], 0}"),
        ("data[kExtent][kColumns]", "data[kColumns][kExtent]"),
        ("#define S", "#define fold other\n#define S"),
        ("#ifndef BANKWISE_TILE", "#define unsigned int\n#ifndef BANKWISE_TILE"),
        ("// Shared", "#define kUnit 2\n// Shared"),
        ("s[7])[5]", "s[7])[4]"),
        ("s[i][j]", "s[j][i]"),
        ("c < 32", "c < 31"),
    ],
)
def test_what_differs_from_the_claim_is_refused(old: str, new: str) -> None:
    right = typed()
    assert old in right
    assert isinstance(judged(right.replace(old, new, 1)), Refusal), new


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("*o;", "*o; float* row = s[t]; row[1] = 2;", "is no element of s"),
        ("*o;", "*o; (&s[0][0])[t] = 2;", "is no element of s"),
        ("*o;", "*o; t = sizeof(s[0]);", "is no element of s"),
        ("*o;", "*o; *s[t] = 2;", "is no element of s"),
        ("*o;", "*o; fill(s);", "is passed to fill"),
        ("s[64][32];", "s[64][32], u[4];", "is declared together"),
        ("__shared__ float", "extern __shared__ float", ""),
        ("#define S", "#define fold 1\n#define S", "fold is a name of the text itself"),
        ("#define S", "namespace bankwise {}\n#define S", "bankwise is a name of the text itself"),
    ],
)
def test_a_type_is_written_only_where_all_uses_are_elements(old: str, new: str, why: str) -> None:
    text = TEXT.replace("for (int", "*o; for (int", 1).replace(old, new, 1)
    text = text.replace("s[64][32]", "s[][32]") if "extern" in new else text
    source = parse(text, "k.cu")
    found = as_tile(source, shared_arrays(source)[0], IndexMap((FOLD,)), [SIZE])
    assert isinstance(found, Refusal)
    assert why in found.reason


PROGRAM = """
#include <cstdio>
struct Pair { float a, b; };
using Both = bankwise::both<bankwise::fold<2, 4, 2>, bankwise::fold<1, 2, 8>>;
static bankwise::tile<Pair, 24, 32, Both> s[2];
static bankwise::line<short, 256, bankwise::fold<16, 8, 2>> u;
int main() {
  for (int n = 0; n < 2; ++n)
    for (int r = 0; r < 24; ++r)
      for (int c = 0; c < 32; ++c) {
        s[n][r][c].a = n * 768 + r * 32 + c;
        std::printf("%d\\n", (int)(&s[n][r][c] - &s[0].data[0][0]));
      }
  for (int i = 0; i < 256; ++i) std::printf("%d\\n", (int)(&u[i] - u.data));
  std::printf("%d %d %d\\n", (int)sizeof(s), (int)sizeof(u), (int)alignof(decltype(u)));
}
"""


def test_a_compiler_finds_every_element_where_the_layout_says(tmp_path: Path) -> None:
    compiler = next(filter(None, map(shutil.which, ("g++", "clang++", "c++"))), None)
    if compiler is None:
        pytest.skip("needs a C++ compiler")
    source = tmp_path / "k.cpp"
    source.write_text(HEADER.read_text() + PROGRAM)
    words = ["-std=c++14", "-Wall", "-Werror", "-D__device__=", "-D__forceinline__=inline"]
    subprocess.run([compiler, *words, str(source), "-o", str(tmp_path / "k")], check=True)
    done = subprocess.run([str(tmp_path / "k")], capture_output=True, text=True, check=True)
    *places, sizes = done.stdout.splitlines()
    rows = [(n * 24 + r) * 32 for n in range(2) for r in range(24)]
    wanted = [
        at + (c ^ (at // 32 % 24 // 2 % 4) * 2 ^ (at // 32 % 24 % 2) * 8)
        for at in rows
        for c in range(32)
    ]
    wanted += [i ^ (i // 16 % 8) * 2 for i in range(256)]
    assert list(map(int, places)) == wanted
    assert sizes == f"{2 * 24 * 32 * 8} {256 * 2} 16"
