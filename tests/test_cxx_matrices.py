"""Matrices that the CUDA library moves: their rows are followed, made longer, and never folded."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bankwise.algebra.address import Fold
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.index_map import IndexMap
from bankwise.change.cxx.prove import prove_text
from bankwise.change.cxx.spell import spellings
from bankwise.change.cxx.spelling import edited, said
from bankwise.change.cxx.tile import as_tile
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray, shared_arrays
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.terms import terms_of
from bankwise.read.cxx.tree import parse

KERNEL = "__global__ void k(half* o, int w) {{ __shared__ half s[64][32]; int t, r; {} }}"
TILE = """
__global__ void k(half* o, int w) {
  __shared__ half s[64][32];
  s[w][w + 1] = o[w];
  wmma::load_matrix_sync(f, &s[w * 16][16], 32);
  wmma::store_matrix_sync(&s[w * 8][0], f, (32), wmma::mem_row_major);
}
"""
ROWS = ((1, (16,)), (2, (8,)))
SIZE = ArraySize(
    64 * 32 * 2, 2, (64, 32), 16, 0, (("16", 16),), strides=((1, (32,)), (2, (32,))), rows=ROWS
)
"""As the compiler would tell it: both strides are 32, in rows that are multiples of 16 and 8."""


def the_array(text: str) -> SharedArray:
    (array,) = shared_arrays(parse(text, "k.cu"))
    return array


def longer(text: str, size: ArraySize, map_: IndexMap) -> str | Refusal:
    source = parse(text, "k.cu")
    ways = spellings(source, shared_arrays(source)[0], map_, [size])
    return ways if isinstance(ways, Refusal) else edited(source, ways[0].edits)


def proved(before: str, after: str, claim: ArrayClaim) -> bool:
    found = prove_text(parse(before, "k.cu"), parse(after, "k.cu"), [claim])
    return not isinstance(found, Refusal)


@pytest.mark.parametrize(
    ("body", "strides"),
    [
        ("wmma::load_matrix_sync(f, &s[w][0], 32);", ["32"]),
        ("nvcuda::wmma::load_matrix_sync(f[t], &s[w][0], L, mem_col_major);", ["L"]),
        ("wmma::load_matrix_sync(f, s[w], L + 1);", ["L + 1"]),
        ("half* p = &s[w][0]; store_matrix_sync(p, f, L, m);", ["L"]),
        ("const half* p = &s[w][0]; load_matrix_sync(f, p, 8); load_matrix_sync(g, p, 9);", "89"),
    ],
)
def test_where_a_matrix_begins_is_a_use_with_its_strides(body: str, strides: list[str]) -> None:
    text = KERNEL.format(body)
    array = the_array(text)
    assert not array.refusals
    (use,) = array.uses
    assert [text[one.start : one.stop] for one in use.strides] == list(strides)
    assert use.kept == ("16",)


@pytest.mark.parametrize(
    ("head", "body", "why"),
    [
        ("", "wmma::load_matrix_sync(f, &s[w][16] + 8, 32);", "cannot be followed"),
        ("", "wmma::load_matrix_sync(f, (float*)&s[w][16], 32);", "is made float*"),
        (
            "",
            "wmma::load_matrix_sync(f, reinterpret_cast<half2*>(&s[w][16]), 32);",
            "is made half2",
        ),
        ("#define LOAD(p) load_matrix_sync(f, p, 32)", "LOAD(&s[w][16]);", "length of its own"),
        (
            "__device__ void load(half* p) { load_matrix_sync(f, p, 32); }",
            "load(&s[w][16]);",
            "is passed to load, which moves a matrix",
        ),
        (
            "__device__ void load_matrix_sync(int f, half* p, int) { p[3] = 1; }",
            "load_matrix_sync(f, &s[w][16], 32);",
            "indexed further",
        ),
    ],
)
def test_what_hides_the_rows_of_a_matrix_is_refused(head: str, body: str, why: str) -> None:
    array = the_array(f"{head}\n{KERNEL.format(body)}")
    assert any(why in one.reason for one in array.refusals), array.refusals


def test_rows_and_strides_grow_together() -> None:
    after = longer(TILE, SIZE, IndexMap(pad=8))
    by_hand = TILE.replace("[32]", "[32 + 8]").replace("16], 32", "16], 32 + 8")
    by_hand = by_hand.replace("(32)", "(32) + 8")
    assert after == by_hand
    claim = ArrayClaim(0, "s", (), 8, (SIZE,))
    assert proved(TILE, by_hand, claim)
    for old, new in (
        ("16], 32 + 8", "16], 32"),
        ("16], 32 + 8", "16], 32 + 16"),
        ("(32) + 8", "(32)"),
        ("(32) + 8", "32 + w"),
        ("[64][32 + 8]", "[64][32]"),
        ("[64][32 + 8]", "[64][32 + 16]"),
        ("&s[w * 16][16]", "&s[w * 16][8]"),
        ("&s[w * 8][0]", "&s[w * 16][0]"),
        ("load_matrix_sync(f,", "load_matrix_sync(g,"),
        ("f, (32) + 8, wmma::mem_row_major", "f, (32) + 8, wmma::mem_col_major"),
    ):
        assert old in by_hand
        assert not proved(TILE, by_hand.replace(old, new), claim), new


@pytest.mark.parametrize(
    ("pad", "change", "why"),
    [
        (4, {}, "a multiple of 16 bytes"),
        (8, {"rows": ((1, (16,)), (2, (1,)))}, "nothing tells that its row is a multiple of 2"),
        (8, {"rows": ((1, (16,)),)}, "nothing tells that its row is a multiple of 2"),
        (16, {"rows": ((1, (16,)), (2, (1,)))}, ""),
        (8, {"strides": ((1, (32,)), (2, (0,)))}, "not known to be 32 elements apart"),
        (8, {"strides": ((1, (32,)), (2, (40,)))}, "not known to be 32 elements apart"),
        (8, {"strides": ((1, (32,)),)}, "not known to be 32 elements apart"),
        (8, {"strides": ((1, (64,)), (2, (32,)))}, ""),
    ],
)
def test_pitches_keep_the_alignment_of_matrices(
    pad: int, change: dict[str, object], why: str
) -> None:
    """A pointer to 32 bytes, a stride to 16, as the programming guide has it; rows of halves."""
    size = replace(SIZE, **change)
    apart = size.apart(1)[0]
    before = TILE.replace("16], 32", f"16], {apart}")
    after = longer(before, size, IndexMap(pad=pad))
    wrong = after.reason if isinstance(after, Refusal) else ""
    assert why in wrong
    assert bool(why) == bool(wrong)
    text = before.replace("[32]", f"[32 + {pad}]").replace("(32)", f"(32) + {pad}")
    text = text.replace(f"16], {apart}", f"16], {apart} + {apart // 32 * pad}")
    assert proved(before, text, ArrayClaim(0, "s", (), pad, (size,))) == (not why)


@pytest.mark.parametrize(("row", "why"), [(8, ""), (1, "nothing tells that its row is a")])
@pytest.mark.parametrize("said", ["s[w * 8]", "(half*) &s[w * 8][0]", "(half*) s[w * 8]"])
def test_a_matrix_may_begin_with_a_row_by_itself(said: str, row: int, why: str) -> None:
    """Its last index is 0, said or not; a cast to what the elements are changes nothing."""
    size = replace(SIZE, rows=((1, (16,)), (2, (row,))))
    before = TILE.replace("&s[w * 8][0]", said)
    after = longer(before, size, IndexMap(pad=8))
    wrong = after.reason if isinstance(after, Refusal) else ""
    assert why in wrong
    assert bool(why) == bool(wrong)
    by_hand = before.replace("[32]", "[32 + 8]").replace("16], 32", "16], 32 + 8")
    by_hand = by_hand.replace("(32)", "(32) + 8")
    assert why or after == by_hand
    assert proved(before, by_hand, ArrayClaim(0, "s", (), 8, (size,))) == (not why)


def test_rows_of_a_matrix_are_never_folded() -> None:
    fold = Fold(1, 8, 4)
    refused = longer(TILE, SIZE, IndexMap((fold,)))
    assert isinstance(refused, Refusal)
    assert "no swizzle of its rows" in refused.reason
    source = parse(TILE, "k.cu")
    assert isinstance(as_tile(source, the_array(TILE), IndexMap((fold,)), [SIZE]), Refusal)
    folded = TILE.replace("[w + 1]", "[(w + 1) ^ ((w & 3) << 3)]")
    folded = folded.replace("[16]", "[16 ^ (((w * 16) & 3) << 3)]")
    folded = folded.replace("[w * 8][0]", "[w * 8][0 ^ (((w * 8) & 3) << 3)]")
    assert not proved(TILE, folded, ArrayClaim(0, "s", (fold,), 0, (SIZE,)))


FLAT = """
__global__ void k(half* o, int w) {
  __shared__ half s[2048];
  s[w] = o[w];
  wmma::load_matrix_sync(f, s + w * 512 + 16, 32);
}
"""
FLAT_SIZE = ArraySize(
    4096,
    2,
    (2048,),
    16,
    0,
    (("16", 16),),
    strides=((1, (32,)),),
    terms=((1, ((512, -1), (16, 16))),),
)


def test_a_flat_array_has_pads_behind_the_rows_of_its_matrices() -> None:
    after = longer(FLAT, FLAT_SIZE, IndexMap(pad=8, row=32))
    claim = ArrayClaim(0, "s", (), 8, (FLAT_SIZE,), row=32)
    assert isinstance(after, str)
    assert "s[w + w / 32 * 8]" in after
    assert "16), 32 + 8)" in after or "8), 32 + 8)" in after
    assert proved(FLAT, after, claim)
    assert not proved(FLAT, after.replace(", 32 + 8", ", 32"), claim)
    assert not proved(FLAT, after.replace(", 32 + 8", ", 32 + 16"), claim)
    for change in (
        {"terms": ((1, ((32, -1), (16, 16))),)},
        {"terms": ((1, ((512, -1), (16, -1))),)},
        {"terms": ((1, ((512, -1), (16, 32))),)},
        {"strides": ((1, (64,)),)},
    ):
        size = replace(FLAT_SIZE, **change)
        assert isinstance(longer(FLAT, size, IndexMap(pad=8, row=32)), Refusal), change
        assert not proved(FLAT, after, replace(claim, sizes=(size,))), change
    assert isinstance(longer(FLAT, FLAT_SIZE, IndexMap(pad=8, row=16)), Refusal)


def test_what_the_launch_sizes_is_told_with_its_strides() -> None:
    text = FLAT.replace("__shared__ half s[2048]", "extern __shared__ half s[]")
    map_ = IndexMap(pad=8, row=32)
    told = "s[i] -> s[i + i / 32 * 8], and as much longer, rows of matrices 32 + 8 apart"
    assert said(parse(text, "k.cu"), the_array(text), map_) == told
    rows = "s: rows of 32 become 32 + 8, as do strides of its matrices"
    assert said(parse(TILE, "k.cu"), the_array(TILE), IndexMap(pad=8)) == rows


@pytest.mark.parametrize(
    ("index", "terms"),
    [
        ("s + r * 32 + t", ["r * 32", "t"]),
        ("s + r * 32", ["r * 32"]),
        ("(s + r * 32) + (t + 4)", ["t", "4"]),
        ("s + (r * 32 + t)", ["r * 32", "t"]),
        ("s + r * 32 - t", []),
    ],
)
def test_the_terms_behind_a_pointer_are_those_of_its_index(index: str, terms: list[str]) -> None:
    text = FLAT.replace("s + w * 512 + 16", index)
    source = parse(text, "k.cu")
    use = next(one for one in the_array(text).uses if one.strides)
    found = terms_of(source, use.indices[0])
    assert [source.of(one.span) for one in found] == terms
