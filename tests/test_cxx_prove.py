"""The proof of edits in CUDA text: right ones pass, every corrupted one is refused."""

from __future__ import annotations

import random
import re
from functools import cache

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.algebra.address import Fold
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.index_map import IndexMap
from bankwise.change.cxx.prove import prove_text
from bankwise.change.cxx.spell import spellings
from bankwise.change.cxx.spelling import Spelling, edited, together
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import CxxSource, parse

TEXT = """
__global__ void k(float* o, const float* a, int t) {
  __shared__ float s[64][32];
  __shared__ float u[8];
  for (int i = t; i < 512; i += 64)
    *(float4*)&s[i / 8][i % 8 * 4] = *(const float4*)&a[4 * i];
  u[t & 7] = 1;
  for (int k = 0; k < 32; ++k) o[k] += s[t * 4 + 1][k] * s[t][3] * s[7][5] * s[k][k] * u[k & 7];
}
"""
SIZE = ArraySize(64 * 32 * 4, 4, (64, 32), 16, 0, (("sizeof(float4)", 16),))
FOLD = Fold(4, 4, 8)
"""Chunks of 4 elements, XORed with (row / 4) mod 8."""


def spelled(map_: IndexMap, text: str = TEXT) -> tuple[CxxSource, tuple[Spelling, ...]]:
    source = parse(text, "k.cu")
    ways = spellings(source, shared_arrays(source)[0], map_, [SIZE])
    assert not isinstance(ways, Refusal)
    return source, ways


def judged(before: str, after: str, fold: Fold = FOLD, pad: int = 0) -> int | Refusal:
    folds = () if pad else (fold,)
    claim = ArrayClaim(0, "s", folds, pad, (SIZE,))
    return prove_text(source_of(before), parse(after, "k.cu"), [claim])


@cache
def source_of(text: str) -> CxxSource:
    """What is the same before many changes is parsed once."""
    return parse(text, "k.cu")


def texts(map_: IndexMap) -> list[str]:
    source, ways = spelled(map_)
    found = [edited(source, way.edits) for way in ways]
    assert all(isinstance(one, str) for one in found)
    return [str(one) for one in found]


def test_every_spelling_is_proved_and_is_the_map() -> None:
    source, ways = spelled(IndexMap((FOLD,)))
    assert [way.how for way in ways] == ["xor", "sum", "step", *["unrolled"] * 3]
    rows, columns = np.meshgrid(range(64), range(32), indexing="ij")
    by_hand = columns ^ (rows // 4 % 8) * 4
    for way in ways:
        index = re.search(r"-> s\[r\]\[(.*)\](?:, under #pragma unroll(?: 4)?)?$", way.text)
        assert index is not None
        python = index[1].replace("/", "//")
        assert (eval(python, {"c": columns, "r": rows}) == by_hand).all(), way.text
        after = edited(source, way.edits)
        assert isinstance(after, str)
        assert judged(TEXT, after) == 5


def test_a_pitch_is_proved() -> None:
    (after,) = texts(IndexMap(pad=4))
    assert "s[64][32 + 4]" in after
    assert judged(TEXT, after, pad=4) == 5


def test_a_pitch_of_a_sum_behind_a_pointer_is_proved() -> None:
    text = (
        "__global__ void k(int t) {\n__shared__ float s[64][32];\n*(&s[0][0] + t * 32 + 5) = 1; }"
    )
    source, (way,) = spelled(IndexMap(pad=4), text)
    after = edited(source, way.edits)
    assert isinstance(after, str)
    assert "*(&s[0][0] + ((t * 32 + 5) + (t * 32 + 5) / 32 * 4)) = 1" in after
    assert judged(text, after, pad=4) == 1


@pytest.mark.parametrize(
    ("taken", "end"),
    [
        ("template <int R, int C> __device__ float f(const float (&a)[R][C], int r)", "C"),
        ("template <int C> __device__ float f(float (*a)[C], int r)", "C"),
        ("template <class A> __device__ float f(A& a, int r)", "sizeof(A) / 256"),
        ("template <class A> __device__ float f(A a, int r)", "sizeof(a[r]) / 4"),
    ],
)
def test_rows_are_not_longer_where_a_template_asks_how_long_they_are(taken: str, end: str) -> None:
    """``c < C`` with a C of 36 reads what nobody wrote."""
    text = f"""{taken} {{ float x = 0; for (int c = 0; c < {end}; ++c) x += a[r][c]; return x; }}
__global__ void k(float* o, int t) {{ __shared__ float s[64][32]; s[t][0] = 1; *o = f(s, t); }}"""
    told = judged(text, text.replace("s[64][32]", "s[64][32 + 4]"), pad=4)
    assert isinstance(told, Refusal)
    assert "its size is asked for" in told.reason


@pytest.mark.parametrize(
    ("defined", "proved"),
    [
        ("#define W 32", True),
        ("#define W (64 >> 1)", True),
        ("#define W H * 2\n#define H 16", True),
        ("#define W 64 >> 1", False),
        ("#define W H\n#define H 1 ? 32 : 16", False),
    ],
)
def test_an_extent_is_one_operand_of_the_longer_one(defined: str, proved: bool) -> None:
    text = f"""{defined}
__global__ void k(int t) {{ __shared__ float s[64][W]; s[t][0] = 1; }}"""
    told = judged(text, text.replace("[W]", "[W + 4]"), pad=4)
    assert (told == 1) if proved else isinstance(told, Refusal), told


MACRO = """#define S(i, j) s[(i)][j]
__global__ void k(float* o, int t) {
  __shared__ float s[64][32];
  S(t, 0) = o[t];
  *(float4*)&S(t, 4) = {};
  o[t] = S(t, 1) + s[t][2];
}
"""


def test_a_pitch_of_what_a_macro_names_is_proved_and_nothing_else() -> None:
    right = MACRO.replace("[32]", "[32 + 4]")
    assert judged(MACRO, right, pad=4) == 2
    assert isinstance(judged(MACRO, MACRO.replace("[32]", "[32 + 2]"), pad=2), Refusal)
    for old, new in (
        ("[32 + 4]", "[32 + 8]"),
        ("[32 + 4]", "[32]"),
        ("s[(i)][j]", "s[(i)][j ^ 1]"),
        ("s[(i)][j]", "s[(j)][i]"),
        ("s[(i)][j]", "(&s[0][0])[(i) * 32 + j]"),
        ("S(i, j)", "S(j, i)"),
        ("S(t, 0)", "S(t, 1)"),
        ("s[t][2]", "s[t][3]"),
    ):
        assert old in right
        assert isinstance(judged(MACRO, right.replace(old, new), pad=4), Refusal), new
    flat = MACRO.replace("s[(i)][j]", "(&s[0][0])[(i) * 32 + j]")
    assert isinstance(judged(flat, flat.replace("[64][32]", "[64][32 + 4]"), pad=4), Refusal)
    folded = MACRO.replace("s[(i)][j]", "s[(i)][j ^ ((i & 7) << 2)]")
    assert isinstance(judged(MACRO, folded.replace("[t][2]", "[t][2 ^ ((t & 7) << 2)]")), Refusal)


MACROS = """#define S(i, j) \\
  s[i][ \\
    j]
#define F(r, c) f[(r) * 32 + c]
__global__ void k(float* o, int t) {
  __shared__ float s[64][32];
  __shared__ float f[2048];
  S(t | 1, t & 3 ? 4 : 8) = F(t + 1, t ^ 5) + S(2, 1);
  *(float4*)&S(t, 4) = *(float4*)&F(t, 8);
}
"""
FLAT = ArraySize(2048 * 4, 4, (2048,), 16, 8192, (("sizeof(float4)", 16),))
FLAT_FOLD = Fold(32, 4, 8)
CLAIMS = [ArrayClaim(0, "s", (FOLD,), 0, (SIZE,)), ArrayClaim(1, "f", (FLAT_FOLD,), 0, (FLAT,))]


def in_macros() -> list[str]:
    source = parse(MACROS, "k.cu")
    arrays, found = shared_arrays(source), []
    both = zip(arrays, (FOLD, FLAT_FOLD), (SIZE, FLAT), strict=True)
    ways = [spellings(source, array, IndexMap((fold,)), [size]) for array, fold, size in both]
    for chosen in zip(*ways, strict=True):  # type: ignore[arg-type]
        found.append(edited(source, tuple(e for one in chosen for e in one.edits)))
    assert all(isinstance(one, str) for one in found)
    return [str(one) for one in found]


def test_a_fold_is_written_into_a_macro_once_and_means_the_map_wherever_it_stands() -> None:
    texts_ = in_macros()
    assert len(texts_) == 3
    for after in texts_:
        judged_ = prove_text(parse(MACROS, "k.cu"), parse(after, "k.cu"), CLAIMS)
        assert judged_ == 2
        assert after.splitlines()[-6:] == MACROS.splitlines()[-6:]
        flat = after.replace("\\\n", "  ")
        bodies = re.findall(r"#define (\w)\((\w), (\w)\) +\w\[(.*)\]\n", flat)
        for name, first, second, body in bodies:
            for given in (("t | 1", "t & 3"), ("t + 1", "t ^ 5"), ("2", "1")):
                text = body.partition("][")[2] if name == "S" else body
                names = {first: given[0], second: given[1]}
                text = re.sub(r"\b[ijrc]\b", lambda found, to=names: to[found[0]], text)
                for t in range(0, 60, 7):
                    row, column = (eval(one, {"t": t}) for one in given)
                    new = eval(text.replace("/", "//").strip(), {"t": t})
                    number = eval(f"(({given[0]}) * 32 + {given[1]})", {"t": t})
                    wanted = column ^ (row // 4 % 8) * 4
                    assert new == (wanted if name == "S" else number ^ (number // 32 % 8) * 4)


def test_a_macro_that_is_defined_twice_is_changed_each_time() -> None:
    kernel = "__global__ void {}(int t) {{\n  __shared__ float f[2048];\n  f(t, 3) = 1;\n}}\n"
    macro = "#define f(r, c) f[(r) * 32 + (c)]\n"
    text = f"{macro}{kernel.format('a')}#if 0\n{macro}#endif\n{kernel.format('b')}"
    source = parse(text, "k.cu")
    ways = [spellings(source, one, IndexMap((FLAT_FOLD,)), [FLAT]) for one in shared_arrays(source)]
    claims = [ArrayClaim(number, "f", (FLAT_FOLD,), 0, (FLAT,)) for number in range(2)]
    for chosen in zip(*ways, strict=True):  # type: ignore[arg-type]
        after = edited(source, together(chosen).edits)
        assert isinstance(after, str)
        assert after.count("#define f(r, c) f[(r) * 32 + (c)]\n") == 0
        assert prove_text(source, parse(after, "k.cu"), claims) == 4
        assert isinstance(prove_text(source, parse(after, "k.cu"), claims[:1]), Refusal)
        first, second = (one.start() for one in re.finditer("#define", after))
        for at in (first, second):
            stop = after.index("\n", at)
            wrong = after[:at] + macro[:-1] + after[stop:]
            assert isinstance(prove_text(source, parse(wrong, "k.cu"), claims), Refusal)


def test_a_fold_in_a_macro_that_is_wrong_in_one_place_is_refused() -> None:
    after = in_macros()[0]
    for old, new in (
        ("(i) >> 2", "i >> 2"),
        ("(j) ^", "j ^"),
        ("((r) * 32 + c) ^", "(r) * 32 + c ^"),
        ("((r) * 32 + c) >> 5", "(r) * 32 + c >> 5"),
        (">> 2 & 7", ">> 2 & 3"),
        (">> 5 & 7", ">> 4 & 7"),
        ("S(2, 1)", "S(1, 2)"),
        ("#define F(r, c)", "#define F(c, r)"),
        ("  __shared__", "#undef F\n  __shared__"),
        ("S(2, 1)", "S(2, t++)"),
    ):
        assert old in after, old
        wrong = after.replace(old, new, 1)
        before = MACROS.replace(old, new, 1) if old in MACROS else MACROS
        if "t++" in new or "undef" in new:
            assert isinstance(
                prove_text(parse(before, "k.cu"), parse(wrong, "k.cu"), CLAIMS), Refusal
            )
        assert isinstance(prove_text(parse(MACROS, "k.cu"), parse(wrong, "k.cu"), CLAIMS), Refusal)


@pytest.mark.parametrize("pad", [1, 2, 3, 6])
def test_a_pitch_that_parts_a_vector_is_refused(pad: int) -> None:
    (after,) = texts(IndexMap(pad=pad))
    assert isinstance(judged(TEXT, after, pad=pad), Refusal)


def test_a_map_that_parts_a_vector_or_leaves_its_row_is_refused() -> None:
    for fold in (Fold(4, 2, 8), Fold(4, 1, 8), Fold(4, 8, 8), Fold(4, 4, 16)):
        for after in texts(IndexMap((fold,))):
            assert isinstance(judged(TEXT, after, fold), Refusal), fold


def corrupted(text: str, seed: int) -> str:
    """One number, one sign, one name or one whole use changed."""
    draw = random.Random(seed)
    lines = text.splitlines(keepends=True)
    at = draw.choice(
        [n for n, line in enumerate(lines) if "s[" in line and "__shared__" not in line]
    )
    places = list(re.finditer(r"\b\d+\b|>>|<<|\^|(?<![&])&(?!\w|s)|\b[tik]\b", lines[at]))
    place = draw.choice(places)
    word = place[0]
    other = {
        "^": draw.choice(["|", "+", "&"]),
        ">>": "<<",
        "<<": ">>",
        "&": draw.choice(["|", "^"]),
    }.get(word)
    if other is None:
        other = str(int(word) + draw.choice([1, 2, 4])) if word.isdecimal() else draw.choice("tik")
    if other == word:
        other = "o"
    lines[at] = lines[at][: place.start()] + other + lines[at][place.end() :]
    return "".join(lines)


@cache  # one index is changed in each text, the others are the same
def is_folded(row: str, column: str, new_row: str, place: str, fold: Fold) -> bool:
    """Whether an element goes where the fold has it, for all values of the variables."""
    i, k, t = np.ogrid[:512, :32, :15]
    values = {"i": i, "k": k, "t": t, "o": np.nan}
    try:
        rows, columns, new_rows, places = (
            eval(x.replace("/", "//"), values) for x in (row, column, new_row, place)
        )
    except TypeError:
        return False
    expected = columns ^ (rows // fold.divisor % fold.phases) * fold.unit
    outside = np.asarray((rows >= 64) | (columns >= 32))
    return bool(np.all(new_rows == rows) and np.all((places == expected) | outside))


def means_the_same(text: str, fold: Fold) -> bool:
    """By evaluating each index in Python."""
    uses = re.compile(r"\bs\[([^\]]*)\]\[([^\]]*)\]")
    text = re.sub(r"#pragma unroll(?: 4)?\n", "", text)
    body = [one.split("{", 1)[1].split("u[8];", 1) for one in (TEXT, text)]
    (head, old), (other_head, new) = body
    if head != other_head or uses.sub("", old) != uses.sub("", new):
        return False
    every = zip(uses.findall(old), uses.findall(new), strict=True)
    return all(is_folded(*one, *other, fold) for one, other in every)


@pytest.mark.parametrize("map_", [IndexMap((FOLD,)), IndexMap((Fold(1, 4, 8),))])
def test_corrupted_rewrites_are_refused(map_: IndexMap) -> None:
    right = texts(map_)
    seen = 0
    for number, text in enumerate(right):
        for seed in range(60):
            wrong = corrupted(text, 100 * number + seed)
            if means_the_same(wrong, map_.folds[0]):
                continue
            seen += 1
            told = judged(TEXT, wrong, map_.folds[0])
            assert isinstance(told, Refusal), f"{wrong}\n proved {told} uses"
    assert seen > 150


@pytest.mark.parametrize("index", ["c ^ (r >> 2 << 2)", "c ^ (r >> 2 & 7) << 2 ^ r >> 5 << 5"])
def test_an_index_is_the_map_in_every_row_not_in_the_first_alone(index: str) -> None:
    before = "__global__ void k(int r, int c) { __shared__ float s[64][32]; s[r][c] = 1; }"
    assert all(eval(index, {"r": r, "c": 5}) == 5 ^ (r // 4 % 8) * 4 for r in range(32))
    right, wrong = (before.replace("[c]", f"[{one}]") for one in ("c ^ (r >> 2 & 7) << 2", index))
    assert judged(before, right) == 1
    assert isinstance(judged(before, wrong), Refusal)


def test_a_use_that_was_missed_is_refused() -> None:
    after = texts(IndexMap((FOLD,)))[0]
    source = parse(TEXT, "k.cu")
    for use in shared_arrays(source)[0].uses:
        _, ways = spelled(IndexMap((FOLD,)))
        edits = tuple(e for e in ways[0].edits if e.span != use.indices[-1])
        missed = edited(source, edits)
        assert isinstance(missed, str)
        if missed != after:
            assert isinstance(judged(TEXT, missed), Refusal)


def test_a_change_elsewhere_is_refused() -> None:
    after = texts(IndexMap((FOLD,)))[0]
    for old, new in (("k < 32", "k < 31"), ("float u[8]", "float u[9]"), ("i += 64", "i += 32")):
        assert isinstance(judged(TEXT, after.replace(old, new)), Refusal)


def test_a_line_that_asks_for_unrolling_is_no_change_and_any_other_is() -> None:
    after = texts(IndexMap((FOLD,)))[-1]
    assert after.count("#pragma unroll\n") == 1
    assert judged(TEXT, after) == 5
    for wrong in ("#pragma nounroll", "#pragma omp simd", "#define k 3", "k = 3;", "#undef k"):
        assert isinstance(judged(TEXT, after.replace("#pragma unroll", wrong)), Refusal), wrong


def test_an_index_with_an_effect_is_not_written_twice() -> None:
    text = TEXT.replace("s[t][3]", "s[t++][3]")
    source = parse(text, "k.cu")
    told = spellings(source, shared_arrays(source)[0], IndexMap((FOLD,)), [SIZE])
    assert isinstance(told, Refusal)
    assert "t++ would happen twice" in told.reason


@pytest.mark.parametrize("row", ["t++", "next(t)", "(t += 1)"])
def test_an_effect_that_was_written_twice_is_refused(row: str) -> None:
    before = f"__global__ void k(int t, int c) {{ __shared__ float s[64][32]; s[{row}][c] = 1; }}"
    after = before.replace("[c]", f"[c ^ ({row} >> 2 & 7) << 2]")
    assert isinstance(judged(before, after), Refusal)
    assert judged(*(one.replace(row, "t") for one in (before, after))) == 1


def test_a_macro_is_no_operand() -> None:
    head = "#define COL a | b\n#define N 32\n"
    before = "__global__ void k(int t, int a, int b) { __shared__ float s[64][N]; s[t][COL] = 1; }"
    source = parse(head + before, "k.cu")
    ways = spellings(source, shared_arrays(source)[0], IndexMap((FOLD,)), [SIZE])
    assert not isinstance(ways, Refusal)
    for way in ways:
        after = edited(source, way.edits)
        assert isinstance(after, str)
        assert judged(head + before, after) == 1
        assert isinstance(judged(head + before, after.replace("(COL)", "COL")), Refusal)
        for t, a, b in ((5, 1, 2), (63, 8, 4), (40, 16, 15)):
            index = re.search(r"s\[t\]\[(.*)\] = 1", after)
            assert index is not None
            text = index[1].replace("COL", "a | b").replace("/", "//")
            assert eval(text, {"t": t, "a": a, "b": b}) == (a | b) ^ (t // 4 % 8) * 4


def test_an_index_inside_an_index_is_refused() -> None:
    text = TEXT.replace("s[t][3]", "s[t][(int)s[t][1]]")
    source = parse(text, "k.cu")
    ways = spellings(source, shared_arrays(source)[0], IndexMap((FOLD,)), [SIZE])
    assert not isinstance(ways, Refusal)
    assert isinstance(edited(source, ways[0].edits), Refusal)


def test_one_dimension_goes_through_its_own_number() -> None:
    text = "__global__ void k(float* o) { __shared__ float s[256]; o[0] = s[o - o + 3] + s[9]; }"
    source = parse(text.replace("o - o", "threadIdx.x"), "k.cu")
    size = ArraySize(1024, 4, (256,), 4, 0)
    ways = spellings(source, shared_arrays(source)[0], IndexMap((Fold(32, 1, 8),)), [size])
    assert not isinstance(ways, Refusal)
    after = edited(source, ways[0].edits)
    assert isinstance(after, str)
    claim = ArrayClaim(0, "s", (Fold(32, 1, 8),), 0, (size,))
    assert prove_text(source, parse(after, "k.cu"), [claim]) == 2
    wrong = parse(after.replace("& 7", "& 3"), "k.cu")
    assert isinstance(prove_text(source, wrong, [claim]), Refusal)


def test_two_folds_of_one_number_are_proved_and_their_corruptions_refused() -> None:
    """By evaluating each index in Python, for every element."""
    text = "__global__ void k(float* o, int t) { __shared__ float s[256]; o[0] = s[t] + s[t + 9]; }"
    folds, size = (Fold(16, 2, 4), Fold(32, 2, 4)), ArraySize(1024, 4, (256,), 8, 0)
    source, t = parse(text, "k.cu"), np.arange(256)
    ways = spellings(source, shared_arrays(source)[0], IndexMap(folds), [size])
    assert not isinstance(ways, Refusal)
    refused = 0

    def right(after: str) -> bool:
        found = re.findall(r"\bs\[(.+?)\](?= [+]|;)", after.split("o[0]")[1])
        for index, old in zip(found, (t, t + 9), strict=True):
            new = eval(index.replace("/", "//"), {"t": t})
            wanted = old ^ (old >> 4 & 3) << 1 ^ (old >> 5 & 3) << 1
            if (new != wanted)[old < 256].any():
                return False
        return True

    for way in ways:
        after = edited(source, way.edits)
        assert isinstance(after, str)
        after = re.sub(r"#pragma unroll(?: 2)?\n", "", after)
        assert right(after)
        claim = ArrayClaim(0, "s", folds, 0, (size,))
        assert prove_text(source, parse(after, "k.cu"), [claim]) == 2
        begin = after.index("= s[")
        for place in re.finditer(r">>|<<|\^|&|\b\d+\b", after[begin:]):
            word, at = place[0], begin + place.start()
            others = (str(int(word) + 1),) if word.isdecimal() else ("|", "-")
            for other in others:
                wrong = after[:at] + other + after[at + len(word) :]
                if not right(wrong):
                    refused += 1
                    told = prove_text(source, parse(wrong, "k.cu"), [claim])
                    assert isinstance(told, Refusal), wrong
        for less in folds:
            part = ArrayClaim(0, "s", (less,), 0, (size,))
            assert isinstance(prove_text(source, parse(after, "k.cu"), [part]), Refusal)
    assert refused > 60


ACROSS = """__global__ void k(float* o, int t, int k) {
  __shared__ float s[64][16];
  const float* p = &s[0][0];
  o[t] = s[t * 4 + 1][k] * s[t][3] * s[37][k] * s[53][5] * s[k][k] * p[t * 16 + k];
}
"""
CROSSING = (Fold(64, 4, 8), Fold(4, 1, 2))
"""Of the number of the element: bits 6 to 8 into 2 to 4, of which 4 is of the row, and bit 2 into
bit 0, both of the column."""
SIXTEEN = ArraySize(4096, 4, (64, 16), 4, 0)


def crosses(text: str) -> bool:
    """By evaluating each index in Python, for every element."""
    t, k = np.meshgrid(range(64), range(16), indexing="ij")

    def elements(text: str) -> list[np.ndarray]:
        found = re.findall(r"s\[([^\]]*)\]\[([^\]]*)\] *[*]|p\[(.*)\];", text.split("o[t] =")[1])
        uses = [[eval(i.replace("/", "//"), {"t": t, "k": k}) for i in u if i] for u in found]
        rows = [u[0] + 0 * t if len(u) > 1 else u[0] // 16 for u in uses]
        columns = [u[-1] + 0 * t if len(u) > 1 else u[0] % 16 for u in uses]
        assert len(uses) == 6
        return [np.stack(one) for one in zip(rows, columns, strict=True)]

    for (row, column), new in zip(elements(ACROSS), elements(text), strict=True):
        old = row * 16 + column
        place = old ^ (old >> 6 & 7) << 2 ^ (old >> 2 & 1)
        if not np.array_equal(new[:, row < 64], np.stack((place // 16, place % 16))[:, row < 64]):
            return False
    return True


def test_a_fold_across_rows_is_written_into_both_indices_and_its_corruptions_are_refused() -> None:
    source, refused = parse(ACROSS, "k.cu"), 0
    claim = ArrayClaim(0, "s", CROSSING, 0, (SIXTEEN,), columns=16)
    (way,) = spellings(source, shared_arrays(source)[0], IndexMap(CROSSING, 0, 16), [SIXTEEN])  # type: ignore[misc]
    after = str(edited(source, way.edits))
    assert crosses(after)
    assert prove_text(source, parse(after, "k.cu"), [claim]) == 6
    begin = after.index("o[t] =") + 6
    for place in re.finditer(r">>|<<|\^|&|\b\d+\b|\b[tk]\b", after[begin:]):
        word, at = place[0], begin + place.start()
        other = str(int(word) + 1) if word.isdecimal() else {"t": "k", "k": "t"}.get(word, "|")
        wrong = after[:at] + other + after[at + len(word) :]
        if not crosses(wrong):
            refused += 1
            assert isinstance(prove_text(source, parse(wrong, "k.cu"), [claim]), Refusal), wrong
    assert refused > 60
    right = parse(after, "k.cu")
    for less in (
        replace(claim, folds=CROSSING[:1]),
        replace(claim, columns=0),
        replace(claim, columns=32),
        replace(claim, sizes=(replace(SIXTEEN, kept_bytes=16),)),
        replace(claim, sizes=(replace(SIXTEEN, extents=(17, 16)),)),
        replace(claim, sizes=(replace(SIXTEEN, aligned=64),)),
    ):
        assert isinstance(prove_text(source, right, [less]), Refusal), less


IN_ONE = """__global__ void k(float* o, int t) {
  __shared__ float s[N * 4];
  s[(t * 4 + 1) * N + 3] = o[t];
  *(float4*)&s[t * 4] = {};
  o[t] = s[t] + s[70];
}
"""
ONE = ArraySize(512, 4, (128,), 16, 0, (("sizeof(float4)", 16),))


def longer(after: str, size: ArraySize = ONE, row: int = 32, pad: int = 4) -> int | Refusal:
    claim = ArrayClaim(0, "s", (), pad, (size,), row=row)
    return prove_text(parse(IN_ONE, "k.cu"), parse(after, "k.cu"), [claim])


def test_a_pitch_of_one_dimension_is_the_pads_before_each_element() -> None:
    """By evaluating each index in Python, for every element that there is."""
    source = parse(IN_ONE, "k.cu")
    ways = spellings(source, shared_arrays(source)[0], IndexMap(pad=4, row=32), [ONE])
    assert not isinstance(ways, Refusal)
    assert [way.how for way in ways] == ["pitch", "shifted"]
    for way in ways:
        after = edited(source, way.edits)
        assert isinstance(after, str)
        uses = re.compile(r"\bs\[([^\]]*)\]")
        (_, *old), (extent, *new) = uses.findall(IN_ONE), uses.findall(after)
        assert eval(extent.replace("/", "//"), {"N": 32}) >= 127 + 127 // 32 * 4 + 1
        for t in range(128):
            for one, other in zip(old, new, strict=True):
                was, is_ = (eval(x.replace("/", "//"), {"N": 32, "t": t}) for x in (one, other))
                assert is_ == was + was // 32 * 4
        assert new[-1] == "78"
        assert longer(after) == 4
        assert isinstance(longer(after.replace(">> 5", ">> 4").replace("/ 32", "/ 16")), Refusal)


def test_a_pitch_of_one_dimension_that_is_wrong_in_one_place_is_refused() -> None:
    source = parse(IN_ONE, "k.cu")
    ways = spellings(source, shared_arrays(source)[0], IndexMap(pad=4, row=32), [ONE])
    assert not isinstance(ways, Refusal)
    right = str(edited(source, ways[0].edits))
    for old, new in (
        ("/ 32 * 4];\n  s", "/ 64 * 4];\n  s"),
        ("s[(N * 4) + (N * 4) / 32 * 4]", "s[N * 4]"),
        ("s[78]", "s[70]"),
        ("s[t + t / 32 * 4]", "s[t]"),
        ("s[t + t / 32 * 4]", "s[t + t / 16 * 4]"),
        ("s[t + t / 32 * 4]", "s[t + t / 32 * 8]"),
        ("s[t + t / 32 * 4]", "s[t + t / 32 * 4 + 1]"),
        ("(t * 4) / 32 * 4]", "(t * 4) / 32 * 2]"),
    ):
        assert old in right, old
        assert isinstance(longer(right.replace(old, new)), Refusal), new
    assert isinstance(longer(right, pad=2), Refusal)
    assert isinstance(longer(right, row=64), Refusal)
    assert isinstance(longer(right, replace(ONE, aligned=32)), Refusal)
    asked = IN_ONE.replace("s[70]", "sizeof(s)")
    claim = ArrayClaim(0, "s", (), 4, (ONE,), row=32)
    both = (parse(one.replace("s[78]", "sizeof(s)"), "k.cu") for one in (asked, right))
    assert isinstance(prove_text(*both, [claim]), Refusal)


BY_TERMS = (
    "__global__ void k(float* o, int t) { __shared__ float s[128]; o[t] = s[t * 8 + (t & 7)]; }"
)
TERMS = ArraySize(512, 4, (128,), 4, 0, terms=((0, ((8, -1), (1, 7))),))
"""The first term is a multiple of 8, the second is 7 at most."""


def test_a_pitch_by_the_terms_that_lead_from_row_to_row_is_proved_and_its_corruptions_refused() -> (
    None
):
    source = parse(BY_TERMS, "k.cu")
    ways = spellings(source, shared_arrays(source)[0], IndexMap(pad=1, row=32), [TERMS])
    assert not isinstance(ways, Refusal)
    right = str(edited(source, ways[0].edits))
    index = re.findall(r"\bs\[([^\]]*)\]", right)[1]
    assert index == "t * 8 + (t & 7) + (t * 8) / 32"
    for t in range(128):
        was = t * 8 + (t & 7)
        assert eval(index.replace("/", "//"), {"t": t}) == was + was // 32

    def told(text: str, size: ArraySize = TERMS) -> int | Refusal:
        claim = ArrayClaim(0, "s", (), 1, (size,), row=32)
        return prove_text(source, parse(text, "k.cu"), [claim])

    assert [told(str(edited(source, way.edits))) for way in ways] == [1, 1, 1]
    shifted = str(edited(source, ways[2].edits))
    assert "s[t * 8 + (t & 7) + ((t * 8) >> 5)]" in shifted
    assert isinstance(told(shifted.replace(">> 5", ">> 4")), Refusal)
    for old, new in (
        ("+ (t * 8) / 32", "+ (t * 8) / 16"),
        ("+ (t * 8) / 32", "+ (t & 7) / 32"),
        ("+ (t * 8) / 32", ""),
        ("t * 8 + (t & 7) +", "t * 8 + (t & 3) +"),
        ("t * 8 + (t & 7) +", "t * 8 +"),
    ):
        assert old in right
        assert isinstance(told(right.replace(old, new)), Refusal), new
    for terms in (((8, -1), (1, -1)), ((8, -1), (1, 8)), ((4, -1), (1, 7)), ()):
        unknown = replace(TERMS, terms=((0, terms),))
        assert isinstance(told(right, unknown), Refusal), terms


@pytest.mark.parametrize(
    ("index", "terms"),
    [
        ("2 * t + 1", ((2, -1), (1, 1))),
        ("64 * t + 32 + (u & 1)", ((64, -1), (32, 32), (1, 1))),
    ],
)
def test_a_number_in_an_index_of_terms_is_itself_also_where_the_fold_says_it_again(
    index: str, terms: tuple[tuple[int, int], ...]
) -> None:
    """``2 * t + (1 ^ (2 * t >> 5 & 1))``: the mask is no part of the index. By evaluating each text
    in Python."""
    head = "__global__ void k(float* o, int t, int u) { __shared__ float s[256]; "
    source = parse(f"{head}o[t] = s[{index}]; }}", "k.cu")
    fold = Fold(32, 1, 2)
    size = ArraySize(1024, 4, (256,), 4, 0, terms=((0, terms),))
    ways = spellings(source, shared_arrays(source)[0], IndexMap((fold,)), [size])
    assert not isinstance(ways, Refusal)
    claim = ArrayClaim(0, "s", (fold,), 0, (size,))
    right = str(edited(source, ways[0].edits))
    begin = right.index(" = s[")
    refused = 0

    def means(text: str) -> bool:
        new = text.split(" = s[")[1].split("];")[0]
        every = [{"t": t, "u": u} for t in range(128) for u in range(2)]
        some = [(eval(index, one), eval(new, one)) for one in every if eval(index, one) < 256]
        return all(after == was ^ (was >> 5 & 1) for was, after in some)

    assert means(right)
    assert prove_text(source, parse(right, "k.cu"), [claim]) == 1
    for place in re.finditer(r"\b\d+\b", right[begin:]):
        at = begin + place.start()
        wrong = right[:at] + str(int(place[0]) + 1) + right[at + len(place[0]) :]
        if not means(wrong):
            refused += 1
            assert isinstance(prove_text(source, parse(wrong, "k.cu"), [claim]), Refusal), wrong
    assert refused > 3
