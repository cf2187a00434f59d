"""The two texts are one program, and the buffers are in sight: or nothing is proved."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.algebra.address import Fold, RowFolds
from prove_texts import DRAIN, END, FILL, GLOBAL, HEAD, MADE, PLAIN, TILE, claim, refusal, two

DIFFER = "the two texts differ where they may not"
DATA = f"""
  %zero = arith.constant 0.0 : f16
  %is = arith.cmpi slt, %t, %n : index
  scf.if %is {{
    %x = memref.load %in[%t, %c1] : {GLOBAL}
    %y = arith.addf %x, %x : f16
    memref.store %y, %out[%t, %c2] : {GLOBAL}
  }}
"""
WHOLE = two(FILL + DRAIN + DATA)


def test_the_whole_text_is_proved_as_it_is() -> None:
    assert refusal(WHOLE) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cmpi slt", "cmpi sle"),
        ("%in[%t, %c1]", "%in[%t, %c2]"),
        ("%out[%t, %c2]", "%out[%t, %c1]"),
        ("arith.addf %x, %x", "arith.mulf %x, %x"),
        ("arith.addf %x, %x", "arith.addf %x, %zero"),
        ("arith.addf %x, %x", "arith.addf %x, %x fastmath<fast>"),
        ("  gpu.barrier\n", ""),
        ("  gpu.barrier\n", "  gpu.barrier\n  gpu.barrier\n"),
        ("scf.if %is", "scf.if %true"),
        ("%c8 = arith.constant 8", "%c8 = arith.constant 16"),
        ("known_block_size = array<i32: 64", "known_block_size = array<i32: 128"),
        ("%lds = memref.alloc()", "%lds = memref.alloc() {alignment = 4}"),
        ("%c0 to %c64 step", "%c8 to %c64 step"),
        ("%in: memref<64x64xf16>", "%in: memref<64x64xf16, strided<[64, 1]>>"),
        (
            "%x = memref.load %in",
            "%w = memref.load %in[%t, %c1] : GLOBAL\n    %x = memref.load %in",
        ),
    ],
    ids=lambda text: text[:40],
)
def test_what_else_changed_is_found(old: str, new: str) -> None:
    texts = WHOLE.replace("%is = ", "%true = arith.constant true\n  %is = ")
    texts = texts.edited(old, new.replace("GLOBAL", GLOBAL))
    if "strided" in new:
        parts = texts.after.split("%in[")
        texts = type(texts)(
            texts.before,
            parts[0]
            + "".join("%in[" + p.replace(GLOBAL, new.partition(": ")[2], 1) for p in parts[1:]),
        )
    assert DIFFER in refusal(texts)


def test_the_value_that_is_stored_may_not_change() -> None:
    other = WHOLE.edited("vector.store %v, %lds", "vector.store %o, %lds")
    other = other.edited(
        "%moved = arith",
        f"%o = vector.load %in[%t, %moved] : {GLOBAL}, vector<8xf16>\n    %moved = arith",
    )
    assert DIFFER in refusal(
        type(other)(other.before, other.after.replace("%in[%t, %moved]", "%in[%t, %i]", 1))
    )


def test_the_buffer_may_not_change() -> None:
    """The same index of another buffer is another place."""
    texts = two(FILL + DRAIN, made=MADE + MADE.replace("%lds", "%other"))
    assert refusal(texts) == ""
    assert DIFFER in refusal(texts.edited("%v, %lds[%t, %moved]", "%v, %other[%t, %moved]"))


def test_arithmetic_may_stand_anywhere_as_often_as_one_likes() -> None:
    again = "  %c1 = arith.constant 1 : index\n"
    texts = WHOLE.edited(again, again + "  %one = arith.constant 1 : index\n")
    texts = texts.edited("%in[%t, %c1]", "%in[%t, %one]")
    assert refusal(texts) == ""


def test_a_division_that_may_be_by_zero_is_not_harmless() -> None:
    line = "  %is = arith.cmpi"
    assert refusal(WHOLE.edited(line, "  %q = arith.divui %t, %c8 : index\n" + line)) == ""
    assert DIFFER in refusal(WHOLE.edited(line, "  %q = arith.divui %t, %n : index\n" + line))
    division = "affine.apply affine_map<()[s0, s1] -> (s0 floordiv s1)>()[%t, %n]"
    assert DIFFER in refusal(WHOLE.edited(line, f"  %q = {division}\n{line}"))


def test_blocks_are_compared_with_where_they_go() -> None:
    other = """
func.func @f(%is: i1) {
  cf.cond_br %is, ^a, ^b
^a:
  cf.br ^c
^b:
  gpu.barrier
  cf.br ^c
^c:
  return
}
"""
    texts = two(FILL + DRAIN, end=END + other)
    assert refusal(texts) == ""
    assert DIFFER in refusal(texts.edited("%is, ^a, ^b", "%is, ^b, ^a"))
    assert DIFFER in refusal(texts.edited("cf.br ^c", "cf.br ^b"))


def test_an_index_of_a_buffer_that_is_not_claimed_may_not_change() -> None:
    texts = two(FILL + DRAIN, made=MADE + MADE.replace("%lds", "%other"))
    assert DIFFER in refusal(texts, claim("other"))


ESCAPES = {
    "memref.copy": f"  %o = memref.alloc() : {TILE}\n  memref.copy %lds, %o : {TILE} to {TILE}\n",
    "memref.extract_aligned_pointer_as_index": (
        f"  %p = memref.extract_aligned_pointer_as_index %lds : {TILE} -> index\n"
    ),
    "gpu.subgroup_mma_load_matrix": (
        "  %m = gpu.subgroup_mma_load_matrix %lds[%c0, %c0] {leadDimension = 64 : index}"
        f' : {TILE} -> !gpu.mma_matrix<16x16xf16, "AOp">\n'
    ),
    "memref.memory_space_cast": (
        f"  %m = memref.memory_space_cast %lds : {TILE} to memref<64x64xf16>\n"
    ),
    "unrealized_conversion_cast": (
        f"  %m = builtin.unrealized_conversion_cast %lds : {TILE} to !llvm.ptr<3>\n"
    ),
    "func.call": f"  func.call @f(%lds) : ({TILE}) -> ()\n",
    "vector.gather": (
        "  %ix = arith.constant dense<0> : vector<8xindex>\n"
        "  %ms = arith.constant dense<true> : vector<8xi1>\n"
        "  %ps = arith.constant dense<0.0> : vector<8xf16>\n"
        f"  %ga = vector.gather %lds[%t, %c0] [%ix], %ms, %ps : {TILE}, vector<8xindex>, "
        "vector<8xi1>, vector<8xf16> into vector<8xf16>\n"
    ),
    "llvm.inline_asm": '  llvm.inline_asm has_side_effects "ds_write_b32 v0, v1", "" : () -> ()\n',
}


@pytest.mark.parametrize("name", ESCAPES)
def test_a_buffer_out_of_sight_is_refused_by_name(name: str) -> None:
    texts = two(FILL + DRAIN + ESCAPES[name])
    if name == "func.call":
        texts = texts.replace(HEAD, f"\nfunc.func private @f({TILE})\n{HEAD}")
    assert name in refusal(texts)


def test_an_atomic_is_an_access_like_any_other() -> None:
    wide = TILE.replace("f16", "i32")
    line = f"  %x = memref.atomic_rmw addi %one, %lds[%t, COLUMN] : (i32, {wide}) -> i32\n"
    head = "  %one = arith.constant 1 : i32\n  %i = arith.constant 5 : index\n"
    line = head + "  %moved = arith.xori %i, %phase : index\n" + line
    fold = RowFolds(64, (Fold(64, 8, 8),))
    texts = two(line, made=MADE.replace(TILE, wide))
    assert refusal(texts, claim(fold=fold)) == ""
    assert refusal(texts.edited("%lds[%t, %moved]", "%lds[%t, %i]"), claim(fold=fold)) != ""


def test_views_are_followed_and_a_start_inside_a_chunk_is_seen() -> None:
    strided = "memref<32x64xf16, strided<[64, 1], offset: OFFSET>, #gpu.address_space<workgroup>>"
    for row, phase, expected in (("32", "%phase", ""), ("31", "%phase", "not proved")):
        of = strided.replace("OFFSET", str(int(row) * 64))
        line = f"  %view = memref.subview %lds[{row}, 0] [32, 64] [1, 1] : {TILE} to {of}\n"
        row_line = "  %u = affine.apply affine_map<()[s0] -> (s0 mod 32)>()[%t]\n"
        body = DRAIN.replace("%lds[%t", "%view[%u").replace(TILE, of).replace("%phase", phase)
        assert expected in refusal(two(FILL + line + row_line + body))
        assert bool(refusal(two(FILL + line + row_line + body))) == bool(expected)


ROTATING = f"""
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %lds, %q = %other) -> ({TILE}, {TILE}) {{
    scf.for %i = %c0 to %c64 step %c8 {{
      %moved = arith.xori %i, %phase : index
      %v = vector.load %in[%t, %i] : {GLOBAL}, vector<8xf16>
      vector.store %v, %q[%t, COLUMN] : {TILE}, vector<8xf16>
      %w = vector.load %p[%t, COLUMN] : {TILE}, vector<8xf16>
      vector.store %w, %out[%t, %i] : {GLOBAL}, vector<8xf16>
    }}
    scf.yield %q, %p : {TILE}, {TILE}
  }}
"""


def test_what_rotates_is_one_class() -> None:
    texts = two(FILL + ROTATING, made=MADE + MADE.replace("%lds", "%other"))
    assert refusal(texts, claim("lds", "other")) == ""
    assert "no claim covers the same buffer" in refusal(texts, claim("lds"))
    two_maps = (claim("lds"), claim("other", fold=RowFolds(64, (Fold(64, 8, 4),))))
    assert "two maps are claimed for one buffer" in refusal(texts, *two_maps)
    selected = (
        f"  %c = arith.cmpi slt, %b, %n : index\n  %s = arith.select %c, %lds, %other : {TILE}\n"
    )
    texts = two(
        FILL + selected + DRAIN.replace("%lds", "%s"), made=MADE + MADE.replace("%lds", "%other")
    )
    assert refusal(texts, claim("lds", "other")) == ""
    assert "no claim covers the same buffer" in refusal(texts, claim("lds"))


GLOBAL_MADE = f"  %lds = memref.get_global @g : {TILE}\n"
SECOND = HEAD.replace("@k(", "@other(") + GLOBAL_MADE


def of_global(first: str, second: str, *, kind: str = f'"private" @g : {TILE}') -> object:
    """A global that two functions fill and read."""
    texts = two(first + END + SECOND + second, made=GLOBAL_MADE)
    return texts.replace(HEAD, f"\nmemref.global {kind}\n{HEAD}")


def test_a_global_is_one_buffer_in_every_function() -> None:
    both = (claim("g"), claim("g", kernel="other"))
    texts = of_global(FILL + DRAIN, FILL + DRAIN)
    assert refusal(texts, *both) == ""
    assert "no claim covers" in refusal(texts, claim("g"))
    one = of_global(FILL + DRAIN, (FILL + DRAIN).replace("COLUMN", "%i"))
    assert "no claim covers" in refusal(one, claim("g"))
    assert "not proved" in refusal(one, *both)
    other = claim("g", kernel="other", fold=None)
    assert "two maps" in refusal(one, claim("g"), other)
    begun = of_global(FILL + DRAIN, FILL + DRAIN, kind=f'"private" @g : {TILE} = dense<1.0>')
    assert "begins with values of its own" in refusal(begun, *both)


def test_an_argument_may_be_any_buffer() -> None:
    head = HEAD.replace("%n: index", f"%n: index, %lds: {TILE}")
    assert "an argument" in refusal(two(FILL + DRAIN, head=head, made=""))


def test_the_buffers_of_a_gpu_func_are_its_own() -> None:
    head = HEAD.replace("func.func", "gpu.module @m {\ngpu.func").replace(
        "attributes {gpu.known", f"workgroup(%lds : {TILE}) kernel attributes {{known"
    )
    texts = two(FILL + DRAIN, head=head, made="", end="  gpu.return\n}\n}\n")
    assert refusal(texts) == ""


def test_a_name_that_is_not_there_is_refused() -> None:
    assert "has no allocation tile" in refusal(PLAIN, claim("tile"))
    assert "0 kernels are called j" in refusal(PLAIN, claim(kernel="j"))


def test_a_size_that_the_map_does_not_permute_is_refused() -> None:
    short = TILE.replace("64x64", "63x60")
    body = (FILL + DRAIN).replace(TILE, short)
    said = refusal(
        two(body, made=MADE.replace(TILE, short)), claim(fold=RowFolds(60, (Fold(60, 8, 8),)))
    )
    assert "no bijection" in said
