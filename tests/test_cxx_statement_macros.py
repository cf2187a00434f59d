"""Macros that end a statement by themselves: what follows a call of one is another statement."""

from __future__ import annotations

import pytest

from bankwise.errors import Location
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.tree import parse

STATEMENT = """#define LOAD(v, p)\\
  v = *(const float4*)(p); // a statement
#define S(i, j) s[(j) * 32 + (i)]
#define TWO(v, p) LOAD(v, p)
__global__ void k(const float* a, float* o, int t) {
  __shared__ float s[512];
  float4 v;
  LOAD(v, &a[(t + 1) * 4]) ((float4*)s)[t] = v;
  LOAD(v, a)
  S(t, 1) = v.x;
  if (t) LOAD(v, a + 4)
  else
    v.x = s[t];
  LOAD(v, &S(t, 2))
  *o = v.x;
}
"""


def test_a_macro_that_ends_a_statement_is_not_called_with_what_follows() -> None:
    source = parse(STATEMENT, "k.cu")
    (array,) = shared_arrays(source)
    assert not array.refusals
    told = [(source.of(use.indices[-1]), use.scale) for use in array.uses]
    assert sorted(told) == [("(j) * 32 + (i)", ""), ("t", ""), ("t", "sizeof(float4)")]
    assert not source.root.has_error
    (vector,) = [use for use in array.uses if use.scale]
    assert source.place(vector.indices[-1].start) == Location("k.cu", 8, 41)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(p); //", "(p) //"),
        ("#define S", "#define LOAD(v, p) v = p\n#define S"),
    ],
)
def test_a_macro_that_may_not_end_a_statement_is_read_as_it_stands(old: str, new: str) -> None:
    (array,) = shared_arrays(parse(STATEMENT.replace(old, new), "k.cu"))
    assert any("LOAD" in one.reason for one in array.refusals)
    assert not any(use.scale for use in array.uses)


BLOCK = """#define SWAP(i, j) { float x = s[i]; s[i] = s[j]; s[j] = x; } // of two
#define NUMBERS(n) {n, 1}
__global__ void k(float* o, int t) {
  __shared__ float s[512];
  int v[2] = NUMBERS(3);
  if (t) SWAP(t, t + 1)
  else s[t] = v[0];
  SWAP(t, 3) s[t + 2] = 1;
  o[t] = s[t + 3];
}
"""


def test_so_does_one_that_is_a_block_and_what_is_a_list_does_not() -> None:
    source = parse(BLOCK, "k.cu")
    (array,) = shared_arrays(source)
    assert not array.refusals
    assert not source.root.has_error
    told = sorted(source.of(use.indices[0]) for use in array.uses)
    assert told == sorted(["i", "i", "j", "j", "t", "t + 2", "t + 3"])
