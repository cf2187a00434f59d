"""Pads inside rows, ``s[r][c]`` as ``s[r][c + c / 32 * 4]``: written, proved, compiled."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from bankwise.algebra.address import Fold
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.index_map import IndexMap
from bankwise.change.cxx.prove import prove_text
from bankwise.change.cxx.spell import spellings
from bankwise.change.cxx.spelling import edited
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.terms import meant
from bankwise.read.cxx.tree import ByteSpan, parse
from command import bankwise
from cuda_fixes import real

TEXT = """#define N 64
__global__ void k(float* o, int t) {
  __shared__ float s[8][N];
  for (int i = 0; i < 4; ++i) {
    int c = t * 4 + i;
    o[i] = s[t & 7][c] + s[i][5] + s[i][40] + (&s[0][0])[t + 64];
  }
}
"""
SIZE = ArraySize(2048, 4, (8, 64), 4, 0, terms=((0, ((4, -1), (1, 3))),))
"""Of ``t * 4 + i`` the first term is a multiple of 4, the second is 3 at most."""
MAP = IndexMap(pad=4, row=32)


def written(text: str = TEXT, size: ArraySize = SIZE) -> str | Refusal:
    """The text by terms, where there is one."""
    source = parse(text, "k.cu")
    ways = spellings(source, shared_arrays(source)[0], MAP, [size])
    return ways if isinstance(ways, Refusal) else str(edited(source, ways[0].edits))


def proved(after: str, size: ArraySize = SIZE, row: int = 32, pad: int = 4) -> int | Refusal:
    claim = ArrayClaim(0, "s", (), pad, (size,), row=row)
    return prove_text(parse(TEXT, "k.cu"), parse(after, "k.cu"), [claim])


def test_each_index_has_the_pads_before_it_in_its_row() -> None:
    after = written()
    assert isinstance(after, str)
    assert "s[8][N + N / 32 * 4]" in after
    assert "s[t & 7][t * 4 + i + (t * 4) / 32 * 4]" in after
    assert "s[i][5]" in after
    assert "s[i][44]" in after
    (over,) = re.findall(r"\(&s\[0\]\[0\]\)\[(.*?)\];", after)
    long = 64 + 64 // 32 * 4
    for t in range(448):  # an index over all rows goes to the row and column that it did
        row, column = divmod(t + 64, 64)
        there = row * long + column + column // 32 * 4
        assert eval(over.replace("/", "//"), {"t": t}) == there
    assert proved(after) == 4


def test_an_index_keeps_its_line_breaks_where_their_words_stay_neighbours() -> None:
    index = "t * 4 +\n                  i"
    before = TEXT.replace("int c = t * 4 + i;\n", "").replace("[c]", f"[{index}]")
    source = parse(before, "k.cu")
    inside, whole = spellings(source, shared_arrays(source)[0], MAP, [SIZE])[:2]  # type: ignore[index]
    for way, said in (inside, f"{index} + (t * 4) / 32 * 4"), (whole, f"({index}) + (t * 4 + i) /"):
        after = edited(source, way.edits)
        assert isinstance(after, str)
        assert said in after
        assert after.count("\n") == before.count("\n")
        claim = ArrayClaim(0, "s", (), 4, (SIZE,), row=32)
        assert prove_text(source, parse(after, "k.cu"), [claim]) == 4


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("N + N / 32 * 4", "N + N / 32 * 8"),  # rows are longer than the pads say
        ("N + N / 32 * 4", "N"),
        ("s[t & 7][t * 4", "s[t & 3][t * 4"),
        ("(t * 4) / 32 * 4", "(t * 4) / 64 * 4"),
        ("(t * 4) / 32 * 4", "(t * 4) / 32 * 2"),
        ("(t * 4) / 32 * 4", "i / 32 * 4"),
        ("t * 4 + i +", "t * 4 +"),
        ("s[i][44]", "s[i][40]"),
        ("s[i][5]", "s[i][9]"),
        ("(t + 64) / 32 * 4", "(t + 64) / 64 * 4"),
    ],
)
def test_a_pad_that_is_wrong_in_one_place_is_refused(old: str, new: str) -> None:
    after = written()
    assert isinstance(after, str)
    assert old in after
    assert isinstance(proved(after.replace(old, new)), Refusal)


def test_what_the_terms_do_not_say_is_not_proved() -> None:
    after = written()
    assert isinstance(after, str)
    for facts in (((4, -1), (1, 4)), ((4, -1), (1, -1)), ((2, -1), (1, 3)), ()):
        assert isinstance(proved(after, replace(SIZE, terms=((0, facts),))), Refusal), facts
    assert isinstance(proved(after, row=16), Refusal)
    assert isinstance(proved(after, pad=8), Refusal)
    assert isinstance(proved(after, replace(SIZE, aligned=32)), Refusal)
    assert isinstance(proved(after, replace(SIZE, kept_bytes=32)), Refusal)


@pytest.mark.parametrize(
    ("head", "sum_"),
    [
        ("int c = t * 4 + i;", True),
        ("const int c = t * 4 + i;", True),
        ("int c = t * N + i;", True),
        ("{ int t = 3; o[t] = 0; } int c = t * 4 + i;", True),
        ("int c = t * 4 + i; c ^= 1;", False),
        ("int c = t * 4 + i; t++;", False),
        ("int c = t * 4 + i; { int t = 3; o[t] = 0; }", False),
        ("int c = t * 4 + i; int& u = c; u = 0;", False),
        ("int c = t * 4 + hidden;", False),
        ("int c = read(t) + i;", False),
        ("int c; c = t * 4 + i;", False),
        ("short c = t * 4 + i;", False),
    ],
)
def test_a_variable_is_the_sum_that_it_was_set_from_while_nothing_changes_either(
    head: str, sum_: bool
) -> None:
    """``hidden`` is declared nowhere in the file, and may be a variable."""
    text = TEXT.replace("int c = t * 4 + i;", head)
    begin = text.index("s[t & 7][c]") + len("s[t & 7][")
    index = ByteSpan(begin, begin + 1)
    source = parse(text, "k.cu")
    assert (source.of(meant(source, index)) != "c") == sum_


GEMM = """__global__ void rows(const float* a, float* o) {
  __shared__ float s[8][128];
  const int tx = threadIdx.x, t = threadIdx.y * 16 + tx;
  *(float4*)&s[t >> 5][(t & 31) * 4] = ((const float4*)a)[t];
  __syncthreads();
  float sum[8] = {0};
#pragma unroll
  for (int k = 0; k < 8; ++k)
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      int c = tx * 8 + n;
      sum[n] += s[k][c];
    }
  for (int n = 0; n < 8; ++n) o[t * 8 + n] = sum[n];
}
void launch(const float* a, float* o) { rows<<<1, dim3(16, 16)>>>(a, o); }
"""


@real
def test_a_thread_that_reads_8_of_a_row_has_no_conflicts_and_no_more_instructions(
    tmp_path: Path,
) -> None:
    """Two reads of 16 bytes for each of 8 rows, by 8 warps. The 8 lanes of a phase are 32 bytes
    apart, so two of them meet in each bank: 4 passes more. Behind each 128 bytes 16 of padding,
    and none do. Longer rows help nothing, and under a fold nvcc no longer reads 16 bytes at once.
    """
    path = tmp_path / "rows.cu"
    path.write_text(GEMM)
    done = bankwise("fix", path, "-t", "sm_80", "--format", "json")
    answer = json.loads(done.out)
    assert "__shared__ float s[8][144];" in answer["patch"], done.out
    assert "sum[n] += s[k][tx * 8 + n + (tx * 8) / 32 * 4];" in answer["patch"]
    (before,), (after,) = answer["before"]["kernels"], answer["after"]["kernels"]
    assert before["totals"]["run"]["extra"] == 8 * 8 * 2 * 4
    assert after["totals"]["run"]["extra"] == 0
    assert {one["status"] for one in answer["verdicts"]} == {"passed"}
    (isa,) = [one for one in answer["verdicts"] if one["judge"] == "isa"]
    (executed,) = [r for r in isa["rows"] if r["name"].startswith("shared-memory instructions")]
    assert executed["before"] == executed["after"] == 8 * (1 + 8 * 2)


def test_a_pad_in_the_text_of_a_macro_is_proved() -> None:
    """``(i) + (i) / 32 * 4`` is a cast, as far as a tree without names of types tells."""
    text = "#define S(i) s[i]\n__global__ void k(int t) { __shared__ float s[1024]; S(t) = 1; }\n"
    source, size = parse(text, "k.cu"), ArraySize(4096, 4, (1024,), 16, 0)
    ways = spellings(source, shared_arrays(source)[0], MAP, [size])
    assert not isinstance(ways, Refusal)
    assert {way.how for way in ways} == {"pitch", "shifted"}
    for way in ways:
        after = parse(str(edited(source, way.edits)), "k.cu")
        assert prove_text(source, after, [ArrayClaim(0, "s", (), 4, (size,), row=32)]) == 1


@pytest.mark.parametrize(
    ("defined", "use"), [("#define S(i, j) s[i][j]", "S(t, 0)"), ("", "s[(int)t][t % 8]")]
)
def test_a_row_that_stays_is_no_matter_whatever_it_is(defined: str, use: str) -> None:
    """A fold of the number of a place that changes columns alone: the index of the row is as it
    was, and stands alone."""
    text = f"{defined}\n__global__ void k(int t) {{ __shared__ float s[32][32]; {use} = 1; }}\n"
    source, size = parse(text, "k.cu"), ArraySize(4096, 4, (32, 32), 4, 0)
    map_ = IndexMap((Fold(64, 1, 16),), columns=32)
    ways = spellings(source, shared_arrays(source)[0], map_, [size])
    assert not isinstance(ways, Refusal)
    after = parse(str(edited(source, ways[0].edits)), "k.cu")
    claim = ArrayClaim(0, "s", map_.folds, 0, (size,), columns=32)
    assert prove_text(source, after, [claim]) == 1
