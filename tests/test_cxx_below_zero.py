"""Indices below zero, of pointers that count from a place inside of an array: ``p[-1]`` is the
element before that place."""

from __future__ import annotations

import re

import pytest

from bankwise.algebra.address import Fold
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.index_map import IndexMap
from bankwise.change.cxx.prove import prove_text
from bankwise.change.cxx.spell import spellings
from bankwise.change.cxx.spelling import edited
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import CxxSource, parse

KERNEL = """
__global__ void g(float* o, int t, int n) {{
  __shared__ float s[2048];
  float* p = s + 1024 * n;
  {}
}}
"""
SIZE = ArraySize(2048 * 4, 4, (2048,), 4, 0, aligned=1024)
FOLD = Fold(32, 4, 8)
"""Chunks of 4 elements, XORed with the number of their row of 32, modulo 8."""


def source_of(body: str) -> CxxSource:
    return parse(KERNEL.format(body), "k.cu")


def proved(before: CxxSource, after: str) -> int | Refusal:
    claim = ArrayClaim(0, "s", (FOLD,), 0, (SIZE,))
    return prove_text(before, parse(after, "k.cu"), [claim])


def value(text: str, n: int) -> int:
    """An expression of n, as C++ computes it: a division rounds to zero."""
    text = re.sub(r"\(n - 7\) / 4", "int((n - 7) / 4)", text)
    return int(eval(text, {}, {"n": n}))


def test_every_spelling_is_right_below_zero() -> None:
    before = source_of("o[0] = p[n - 7];")
    ways = spellings(before, shared_arrays(before)[0], IndexMap((FOLD,)), [SIZE])
    assert not isinstance(ways, Refusal)
    assert {way.how for way in ways} == {"xor", "sum", "step"}
    for way in ways:
        after = edited(before, way.edits)
        assert isinstance(after, str)
        found = re.search(r"o\[0\] = p\[(.*)\];", after)
        assert found is not None
        for n in range(-600, 600):
            old = 1024 + n - 7
            new = old // 32 * 32 + (old // 4 % 8 ^ old // 32 % 8) * 4 + old % 4
            assert value(found[1], n) == new - 1024
        assert proved(before, after) == 1


def test_a_division_is_no_spelling_of_what_may_be_below_zero() -> None:
    before = source_of("o[0] = p[n];")
    step = "n + ((n / 4 ^ (n >> 5 & 7)) - n / 4) * 4"
    after = before.text.replace("p[n]", f"p[{step}]")
    assert isinstance(proved(before, after), Refusal)
    assert proved(before, after.replace("n / 4", "(n >> 2)")) == 1


@pytest.mark.parametrize(
    ("sum_", "pinned"),
    [
        ("n - t", False),
        ("threadIdx.x + t", True),
        ("threadIdx.x - 4", True),
        ("threadIdx.x * 4 + 3", False),
        ("(threadIdx.x - n)", False),
    ],
)
def test_terms_that_move_a_pointer_have_a_sign(sum_: str, pinned: bool) -> None:
    """Together ``threadIdx.x + t`` has none: of 0 and -1 it is 4294967295, and the pointer moves
    by -1."""
    body = f"o[0] = *(p + {sum_}); o[1] = *(s + threadIdx.x + t);"
    first, other = shared_arrays(source_of(body))[0].uses
    assert bool(first.pinned) is pinned
    assert not other.pinned


@pytest.mark.parametrize(
    ("defined", "sum_", "pinned"),
    [
        ("#define W 64", "threadIdx.x * W + threadIdx.y", False),
        ("#define W (0 - 64)", "threadIdx.x * W + threadIdx.y", True),
        ("", "threadIdx.x + threadIdx.y * sizeof(int4) / sizeof(float)", False),
        ("", "threadIdx.x - threadIdx.y * sizeof(float)", True),
    ],
)
def test_constants_and_sizes_are_not_below_zero(defined: str, sum_: str, pinned: bool) -> None:
    text = f"{defined}\n{KERNEL.format(f'o[0] = *(p + {sum_});')}"
    (use,) = shared_arrays(parse(text, "k.cu"))[0].uses
    assert bool(use.pinned) is pinned
