"""Padding constants: which number a name in a row's length is, and the judge of another one."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.prove import prove_text
from bankwise.change.cxx.skew import by_skews
from bankwise.change.cxx.spelling import edited
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.skews import Skew, skew_of
from bankwise.read.cxx.sums import terms_added
from bankwise.read.cxx.tree import node_at, parse

TEMPLATE = """
template <int BM, typename T = float, const int PAD = 0>
__global__ void k(float* o) {
  __shared__ float s[BM][32 + PAD];
  s[threadIdx.y][threadIdx.x] = o[0];
  o[threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
"""
LOCAL = """
void host(float* o) {
  constexpr int SKEW = 0;
  k<32, float, SKEW><<<1, dim3(32, 32)>>>(o);
}
"""
PLAIN = """
#define SKEW 0 // no padding
__global__ void k(float* o) {
  __shared__ float s[32][32 + SKEW];
  s[threadIdx.y][threadIdx.x] = o[0];
  o[threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
"""
SIZE = ArraySize(32 * 32 * 4, 4, (32, 32), 4, 0)


def the_skew(text: str, file: str = "k.cu") -> Skew | Refusal:
    source = parse(text, file)
    terms = terms_added(source, node_at(source, shared_arrays(source)[0].extents[-1]))
    return skew_of(source, next(one for one in terms if one.type == "identifier"))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (PLAIN, [" 0 // no padding"]),
        (PLAIN.replace("0 //", "(0) /* none */ //"), ["0) /* none */"]),
        (PLAIN.replace("#define SKEW 0", "constexpr int SKEW = 0;"), [" 0; //"]),
        (PLAIN.replace("#define SKEW 0", "static const unsigned SKEW = 0;"), [" 0; //"]),
        (PLAIN.replace("#define SKEW 0", "const float SKEW = 0;"), None),
        (TEMPLATE + LOCAL, [" 0;\n  k<"]),
        (TEMPLATE + "void f(float* o) { k<32, float, 0><<<1, 32>>>(o); }", [" 0><<<"]),
        (TEMPLATE + "void f(float* o) { k<32><<<1, 32>>>(o); }", [" 0>\n__global__"]),
        (
            TEMPLATE
            + LOCAL
            + "void f(float* o) { k<8><<<1, 32>>>(o); k<9, int, (0)><<<1, 1>>>(o); }",
            [" 0>\n__global__", " 0;\n  k<", "0)><<<1"],
        ),
        (
            TEMPLATE
            + LOCAL.replace("k<32", "cudaFuncSetAttribute(k<32, float, SKEW>, a, 1); k<32"),
            [" 0;\n  cuda"],
        ),
        (
            TEMPLATE + "template <int P = 0> void f(float* o) { k<8, int, P><<<1, 1>>>(o); }"
            "void g(float* o) { f(o); f<0>(o); }",
            [" 0> void f", "0>(o); }"],
        ),
    ],
)
def test_where_the_number_stands_that_a_name_is(text: str, places: list[str] | None) -> None:
    skew = the_skew(text)
    if places is None:
        assert isinstance(skew, Refusal)
        return
    assert isinstance(skew, Skew), skew
    assert skew.number == 0
    assert [one.start for one in skew.literals] == [
        text.index(one) + one.index("0") for one in places
    ]
    assert len(skew.mentions) == 1


@pytest.mark.parametrize(
    ("text", "file", "why"),
    [
        (PLAIN.replace("SKEW 0", "SKEW (1 - 1)"), "k.cu", "is no number where it is defined"),
        (f"#if X\n{PLAIN}#endif\n", "k.cu", "is no constant"),
        (PLAIN + "#define ROW (32 + SKEW)\n", "k.cu", "the syntax tree shows no use"),
        (PLAIN + "void f(int SKEW);\n", "k.cu", "is a macro and something else"),
        (PLAIN, "k.cuh", "in other files"),
        (PLAIN.replace("__global__", '#include "more.h"\n__global__', 1), "k.cu", "in other files"),
        (PLAIN.replace("#define SKEW 0", "int SKEW = 0;"), "k.cu", "is no constant"),
        (PLAIN.replace("#define SKEW 0 //", "//"), "k.cu", "is defined in no line"),
        (
            TEMPLATE + LOCAL + "void f(float* o) { k<8, int, 4><<<1, 1>>>(o); }",
            "",
            "not one number",
        ),
        (TEMPLATE + LOCAL + "template __global__ void k<8, int, 0>(float*);", "", "other files"),
        (TEMPLATE + LOCAL + "auto f = &k;", "", "is named otherwise here"),
        (TEMPLATE + LOCAL + "#define RUN k<8><<<1, 1>>>\n", "", "is named otherwise here"),
        (TEMPLATE + LOCAL.replace("32, float, SKEW", "32, float, SKEW + 1"), "", "an expression"),
        (
            TEMPLATE.replace("PAD = 0", "PAD") + "void f() { k<8, int><<<1, 1>>>(0); }",
            "",
            "no number",
        ),
        (
            TEMPLATE + "template <int B> __global__ void k(int* o) {}" + LOCAL,
            "",
            "several templates",
        ),
        (
            TEMPLATE
            + LOCAL.replace("void host(float* o) {", "void host(float* o, int SKEW) {{")
            + "}",
            "",
            None,
        ),
    ],
)
def test_what_is_not_one_number_is_refused(text: str, file: str, why: str | None) -> None:
    skew = the_skew(text, file or "k.cu")
    if why is None:
        assert isinstance(skew, Skew)
        return
    assert isinstance(skew, Refusal), skew
    assert why in skew.reason


@pytest.mark.parametrize("text", [PLAIN, TEMPLATE + LOCAL])
def test_the_number_is_changed_where_rows_alone_are_meant(text: str) -> None:
    source = parse(text, "k.cu")
    (way,) = by_skews(source, shared_arrays(source), {0: 1})
    after = edited(source, way.edits)
    by_hand = text.replace("SKEW 0", "SKEW 1").replace("SKEW = 0", "SKEW = 1")
    assert after == by_hand != text
    name = "SKEW" if text == PLAIN else "PAD"
    assert way.names == {0: name}
    assert [(one.template, one.position) for one in way.changed] == [("k", 2)] * (text != PLAIN)
    claim = ArrayClaim(0, "s", (), 1, (SIZE,), constant=name)
    assert prove_text(source, parse(by_hand, "k.cu"), [claim]) == 2


ELSE = [
    ("s[threadIdx.x][threadIdx.y]", "s[threadIdx.x][threadIdx.y + NAME]"),
    ("s[threadIdx.x][threadIdx.y]", "(&s[0][0])[threadIdx.x * (32 + NAME)]"),
    ("  s[thr", "  __shared__ float t[32 + NAME][32];\n  t[0][threadIdx.x] = 1;\n  s[thr"),
    ("[32 + NAME]", "[32 + NAME * 2]"),
    ("[32 + NAME]", "[32 + 2 * (NAME + 1)]"),
    ("[32 + NAME]", "[40 - NAME]"),
    ("[32 + NAME]", "[32 + NAME + NAME]"),
]


@pytest.mark.parametrize(("old", "new"), ELSE)
@pytest.mark.parametrize("text", [PLAIN, TEMPLATE + LOCAL])
def test_a_constant_that_says_more_is_left_and_refused(text: str, old: str, new: str) -> None:
    name = "SKEW" if text == PLAIN else "PAD"
    old, new = (one.replace("NAME", name) for one in (old, new))
    assert old in text
    before = text.replace(old, new)
    after = before.replace("SKEW 0", "SKEW 1").replace("SKEW = 0", "SKEW = 1")
    source = parse(before, "k.cu")
    assert not [
        one for one in by_skews(source, shared_arrays(source), {0: 1}) if one.skew.name == name
    ]
    claim = ArrayClaim(0, "s", (), 1, (SIZE,), constant=name)
    assert isinstance(prove_text(source, parse(after, "k.cu"), [claim]), Refusal)


def test_a_type_that_says_the_length_otherwise_does_not_follow_a_constant() -> None:
    read = "__device__ float get(float (*t)[32], int r, int c) { return t[r][c]; }\n"
    before = PLAIN.replace("__global__", read + "__global__").replace(
        "s[threadIdx.x][threadIdx.y]", "get(s, threadIdx.x, threadIdx.y)"
    )
    after = before.replace("SKEW 0", "SKEW 1")
    claim = ArrayClaim(0, "s", (), 1, (SIZE,), constant="SKEW")
    found = prove_text(parse(before, "k.cu"), parse(after, "k.cu"), [claim])
    assert isinstance(found, Refusal)
    assert "rows of 32 are not rows of 32 + SKEW" in found.reason


def test_bytes_of_a_launch_are_something_else() -> None:
    text = TEMPLATE + LOCAL.replace("dim3(32, 32)", "dim3(32, 32), 32 * (32 + SKEW) * 4")
    source = parse(text, "k.cu")
    assert not list(by_skews(source, shared_arrays(source), {0: 1}))
    claim = ArrayClaim(0, "s", (), 1, (SIZE,), constant="PAD")
    after = parse(text.replace("SKEW = 0", "SKEW = 1"), "k.cu")
    found = prove_text(source, after, [claim])
    assert isinstance(found, Refusal)
    assert "says something else here" in found.reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SKEW = 1", "SKEW = 2"),
        ("SKEW = 1", "SKEW = 0"),
        ("SKEW = 1", "SKEW = 01"),
        ("PAD = 0", "PAD = 1"),
        ("[32 + PAD]", "[32 + PAD + 1]"),
        ("[32 + PAD]", "[32 + 1]"),
        ("k<32, float, SKEW>", "k<32, float, 1>"),
        ("k<32, float, SKEW>", "k<33, float, SKEW>"),
        ("s[threadIdx.x][threadIdx.y]", "s[threadIdx.x][threadIdx.x]"),
    ],
)
def test_every_other_text_is_rejected(old: str, new: str) -> None:
    before = TEMPLATE + LOCAL
    after = before.replace("SKEW = 0", "SKEW = 1")
    claim = ArrayClaim(0, "s", (), 1, (SIZE,), constant="PAD")
    assert prove_text(parse(before, "k.cu"), parse(after, "k.cu"), [claim]) == 2
    assert old in after
    wrong = parse(after.replace(old, new), "k.cu")
    assert isinstance(prove_text(parse(before, "k.cu"), wrong, [claim]), Refusal)


SHARED = """
constexpr int PAD = 0;
__global__ void k(half* o) {
  __shared__ half a[16][64 + PAD], b[64][32 + PAD];
  a[threadIdx.y][threadIdx.x] = o[0];
  wmma::load_matrix_sync(f, &b[16 * w][0], 32 + PAD);
}
"""


def test_arrays_of_one_constant_become_longer_together() -> None:
    """``b`` is of matrices: rows of 32, which begin in multiples of 16; 8 halves are 16 bytes."""
    source = parse(SHARED, "k.cu")
    (way,) = by_skews(source, shared_arrays(source), {0: 8})
    assert way.names == {0: "PAD", 1: "PAD"}
    first = ArraySize(16 * 64 * 2, 2, (16, 64), 2, 0)
    second = ArraySize(
        64 * 32 * 2, 2, (64, 32), 16, 0, (("16", 16),), strides=((0, (32,)),), rows=((0, (16,)),)
    )
    claims = [
        ArrayClaim(number, name, (), 8, (size,), constant="PAD")
        for number, name, size in ((0, "a", first), (1, "b", second))
    ]
    after = parse(SHARED.replace("PAD = 0", "PAD = 8"), "k.cu")
    assert edited(source, way.edits) == after.text
    assert prove_text(source, after, claims) == 2
    for some in (claims[:1], claims[1:]):
        assert isinstance(prove_text(source, after, some), Refusal)
    apart = SHARED.replace("0], 32 + PAD", "0], 2 * (32 + PAD)")
    told = parse(apart, "k.cu"), parse(apart.replace("PAD = 0", "PAD = 8"), "k.cu")
    assert isinstance(prove_text(*told, claims), Refusal)
    fixed = SHARED.replace("0], 32 + PAD", "0], 32")
    told = parse(fixed, "k.cu"), parse(fixed.replace("PAD = 0", "PAD = 8"), "k.cu")
    assert isinstance(prove_text(*told, claims), Refusal)


FLAT = """
template <int COLUMNS, int PAD = 0>
__global__ void k(float* o) {
  __shared__ float s[64 * (COLUMNS + PAD)];
  const int c = threadIdx.x % COLUMNS;
  s[threadIdx.y * (COLUMNS + PAD) + c] = o[0];
  for (int i = 0; i < COLUMNS; ++i) o[i] = s[(threadIdx.x + 1) * (COLUMNS + PAD) + i];
}
void f(float* o) { k<32><<<1, dim3(32, 32)>>>(o); }
"""
FACTS = ((0, ((32, -1), (1, 31))), (1, ((32, -1), (1, 31))))
"""As the compiler would tell it: the first term is a multiple of 32, the other is 31 at most."""
LINE = ArraySize(64 * 32 * 4, 4, (64 * 32,), 4, 0, terms=FACTS)


def judged(before: str, size: ArraySize = LINE) -> int | Refusal:
    claim = ArrayClaim(0, "s", (), 1, (size,), row=32, constant="PAD")
    after = before.replace("int PAD = 0", "int PAD = 1")
    return prove_text(parse(before, "k.cu"), parse(after, "k.cu"), [claim])


def test_indices_that_count_such_rows_go_with_them() -> None:
    source = parse(FLAT, "k.cu")
    (way,) = by_skews(source, shared_arrays(source), {0: 1})
    assert edited(source, way.edits) == FLAT.replace("int PAD = 0", "int PAD = 1")
    assert judged(FLAT) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("threadIdx.y * (COLUMNS + PAD)", "threadIdx.y * 2 * (16 + PAD)"),
        ("threadIdx.y * (COLUMNS + PAD)", "threadIdx.y * (PAD + COLUMNS)"),
        ("threadIdx.y * (COLUMNS + PAD)", "threadIdx.y * COLUMNS + threadIdx.y * PAD"),
        ("threadIdx.y * (COLUMNS + PAD)", "threadIdx.y * 32"),
        ("PAD) + c]", "PAD) + c + PAD]"),
        ("threadIdx.y * (COLUMNS + PAD)", "(threadIdx.y + PAD) * (COLUMNS + PAD)"),
        ("[64 * (COLUMNS + PAD)]", "[64 * COLUMNS + PAD]"),
        ("[64 * (COLUMNS + PAD)]", "[(64 + PAD) * (COLUMNS + PAD)]"),
    ],
)
def test_an_index_that_counts_otherwise_is_refused(old: str, new: str) -> None:
    assert old in FLAT
    assert isinstance(judged(FLAT.replace(old, new)), Refusal)


@pytest.mark.parametrize(
    "terms",
    [
        (FACTS[0], (1, ((32, -1), (1, -1)))),
        (FACTS[0], (1, ((32, -1), (1, 32)))),
        (FACTS[0], (1, ((16, -1), (1, 31)))),
        FACTS[:1],
    ],
)
def test_what_may_leave_a_row_is_refused(
    terms: tuple[tuple[int, tuple[tuple[int, int], ...]], ...],
) -> None:
    assert isinstance(judged(FLAT, replace(LINE, terms=terms)), Refusal)
