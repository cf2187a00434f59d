"""What an index is a multiple of in every launch: texts that are written on that, and proved by it.

The numbers are by hand. A text of the kernel that is wrong for one of them would be ``s[at + 1 +
at / 32 * 4]`` where ``at + 1`` leads into the next 32 elements.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.prove import prove_text
from bankwise.read.cuda import CUDA
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import sizes
from bankwise.read.cxx.tree import parse
from bankwise.read.source import Compilation
from cuda_fixes import real

KERNEL = """#define NEXT at++
#define HALF 2
#define BROKEN 2.5f
#define STEP(n) at += n
#define SAME at
#define AFTER (at + 1)
template <class T> __global__ void k(const float* A, float* o, int n, T z, dim3 d) {{
  __shared__ float s[4096];
  const int tid = threadIdx.x;
  constexpr int V = 4;
  {{ {body} }}
  o[tid] = s[tid];
}}
template __global__ void k<float>(const float*, float*, int, float, dim3);
"""

MULTIPLES = {
    "int at = tid * 4; s[at + 1] = 0;": 4,
    "const unsigned at = n << 3; s[at + 1] = 0;": 8,
    "int at; at = tid * 4; s[at + 1] = 0;": 4,
    "int at = 0; at = tid * 4; at -= 24; s[at + 1] = 0;": 4,
    "int at = tid * 8; for (int i = 0; i < 4; ++i) { s[at + 1] = 0; at += 12; }": 4,
    "int at = tid * 8; for (int i = 0; i < 4; ++i, at += n * 4) s[at + 1] = 0;": 4,
    "int at = tid * 8, b; for (int i = 0; i < n; ++i) { b = at; at = b * 3; s[at + 1] = 0; }": 8,
    "int at = tid * 4; auto f = [&](int j) { s[at + 1] = j; }; f(n);": 4,
    "int at = tid * 4, c = 0; auto f = [&] { ++c; }; f(); s[at + 1] = c;": 4,
    "int at = min(tid, n) * 4; s[at + 1] = 0;": 4,
    "int b = A[tid]; int at = b * 4; s[at + 1] = 0;": 4,
    "int at = (int)A[tid] * 4; s[at + 1] = 0;": 4,
    "int at = (threadIdx.x + threadIdx.y / 2) * V; s[at + 1] = 0;": 4,
    "int at = (tid / HALF) * 64; s[at + 1] = 0;": 64,
    "int at = (tid / V % HALF + n / (HALF * V)) * 64; s[at + 1] = 0;": 64,
    # What is no whole number, on the way or at the end.
    "int at = (tid / BROKEN) * 64; s[at + 1] = 0;": 1,
    "int at = (tid / (HALF * BROKEN)) * 64; s[at + 1] = 0;": 1,
    "constexpr float R = 2.5f; int at = (tid / R) * 64; s[at + 1] = 0;": 1,
    "int at = tid * 2.5f; s[at + 1] = 0;": 1,
    "int at = tid * 0.5f; s[at + 1] = 0;": 1,
    "constexpr float R = 2.5f; int at = tid * R; s[at + 1] = 0;": 1,
    "int at = A[tid] * 16; s[at + 1] = 0;": 1,
    "int at = z * 16; s[at + 1] = 0;": 1,
    "auto x = A[tid] * 16; int at = x * 4; s[at + 1] = 0;": 1,
    "float x = tid; int at = x * 4 * 0.25f; s[at + 1] = 0;": 1,
    # Other types have other values.
    "bool at = tid * 4; s[at + 1] = 0;": 1,
    "unsigned char at = tid * 12; s[at + 1] = 0;": 1,
    # Who else writes it.
    "int at = tid * 4; NEXT; s[at + 1] = 0;": 1,
    "int at = tid * 4; STEP(3); s[at + 1] = 0;": 1,
    "int at = tid * 4; SAME = 3; s[at + 1] = 0;": 1,
    "int at = tid * 4; at++; s[at + 1] = 0;": 1,
    "int at = tid * 4; at *= 0.3f; s[at + 1] = 0;": 1,
    "int at = tid * 4; int& r = at; r = 1; s[at + 1] = 0;": 1,
    "int at = tid * 4; int* p = &at; *p = 3; s[at + 1] = 0;": 1,
    'int at = tid * 4; asm("add.s32 %0, %0, 1;" : "+r"(at)); s[at + 1] = 0;': 1,
    "int at = tid * 4; auto f = [&] { at = 3; }; f(); s[at + 1] = 0;": 1,
    "int at = tid * 4, b = 0; (n ? at : b) = 3; s[at + 1] = b;": 1,
    # A constant that is another one where the index stands.
    "constexpr int W = 2; int at = tid * W; { constexpr int W = 8; s[at + 1] = W; }": 1,
    "int at; { constexpr int W = 2; at = tid * W; } s[at + 1] = 0;": 1,
}
"""By body what the first term of its index is a multiple of."""


@real
def test_an_index_is_a_multiple_of_what_divides_all_that_its_variable_is_ever_set_to(
    tmp_path: Path,
) -> None:
    text = "".join(
        KERNEL.format(body=body).replace("k(", f"k{n}(").replace("k<", f"k{n}<")
        for n, body in enumerate(MULTIPLES)
    )
    arrays = shared_arrays(source := parse(text, "k.cu"))
    found = sizes(source, arrays, CUDA, Compilation(tmp_path / "k.cu", "sm_90", (), text))
    assert isinstance(found, dict), found
    told = {}
    for number, body in enumerate(MULTIPLES):
        (size,) = [one[number] for one in found.values() if number in one]
        told[body] = size.facts(0)[0][0]
    assert told == MULTIPLES


BOUNDS = {
    "for (int i = 0; i < V; ++i) s[tid * 4 + i] = 0;": 3,
    "int c = tid % 8; s[tid * 8 + c] = 0;": 7,
    "for (int i = 0; i < 2.5f; ++i) s[tid * 4 + i] = 0;": -1,
    "for (int i = 0; i < V; ++i) { constexpr int V = 2; s[tid * 4 + i] = V; }": -1,
    "signed char c = tid % 256; s[tid * 8 + c] = 0;": -1,
    "int at = tid % 8; NEXT; s[tid * 8 + at] = 0;": -1,
}
"""By body the largest value of the second term of its index; -1 where none is told."""


@real
def test_a_term_is_no_larger_than_its_bound_whatever_the_types_and_macros(tmp_path: Path) -> None:
    for body, most in BOUNDS.items():
        text = KERNEL.format(body=body)
        arrays = shared_arrays(source := parse(text, "k.cu"))
        found = sizes(source, arrays, CUDA, Compilation(tmp_path / "k.cu", "sm_90", (), text))
        assert isinstance(found, dict), found
        ((size,),) = [[*one.values()] for one in found.values()]
        assert size.facts(0)[1][1] == most, body


@real
@pytest.mark.parametrize(
    ("body", "proved"),
    [
        ("int at = tid * 4;", True),
        ("int at = tid * 4; NEXT;", False),
        ("int at = A[tid] * 16;", False),
        ("int at = tid * 2.5f;", False),
        ("bool at = tid * 4;", False),
    ],
)
def test_a_text_that_goes_on_from_a_multiple_is_proved_where_it_is_one(
    body: str, proved: bool, tmp_path: Path
) -> None:
    """``at`` of 31 is in the first 32 elements, and ``at + 1`` is not."""
    text = KERNEL.format(body=f"{body} s[at + 1] = 0;")
    after = text.replace("s[4096]", "s[4096 + 4096 / 32 * 4]")
    after = after.replace("s[at + 1]", "s[at + 1 + at / 32 * 4]")
    after = after.replace("= s[tid]", "= s[tid + tid / 32 * 4]")
    arrays = shared_arrays(source := parse(text, "k.cu"))
    found = sizes(source, arrays, CUDA, Compilation(tmp_path / "k.cu", "sm_90", (), text))
    assert isinstance(found, dict), found
    ((size,),) = [[*one.values()] for one in found.values()]
    claim = ArrayClaim(0, "s", (), 4, (size,), row=32)
    assert isinstance(prove_text(source, parse(after, "k.cu"), [claim]), int) is proved
