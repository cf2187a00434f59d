"""Rewrites that a prover which looks less closely agrees with: undefined, or of another meaning."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.notation.padding import Unpadded
from prove_texts import (
    DRAIN,
    FILL,
    GLOBAL,
    HEAD,
    MADE,
    PLAIN,
    SIZE,
    TILE,
    TwoTexts,
    claim,
    refusal,
    two,
)
from test_prove_copies import COLUMN, READ, ROW, asynchronous, dma

NOT_PROVED = "that the new index is the old one under the map is not proved"
DIMENSION = "that a new index lies inside of its dimension is not proved"
NO_BARRIER = "no barrier stands"


def moved(line: str) -> TwoTexts:
    """The text whose loads take their column, after, from a line of their own."""
    body = DRAIN.replace("    %moved = arith.xori %i, %phase : index\n", line)
    return TwoTexts(PLAIN.before, two(FILL + body).after)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("    %moved = arith.xori %i, %phase : index\n", ""),
        ("    %z = arith.addi %i, %c0 overflow<nsw> : index\n"
         "    %moved = arith.xori %z, %phase : index\n", ""),
        ("    %z = arith.addi %i, %c0 overflow<nuw> : index\n"
         "    %moved = arith.xori %z, %phase : index\n", NOT_PROVED),
        ("    %a = arith.index_cast %i : index to i8\n    %one = arith.constant 1 : i8\n"
         "    %d = arith.muli %a, %one overflow<nsw> : i8\n"
         "    %z = arith.index_castui %d : i8 to index\n"
         "    %moved = arith.xori %z, %phase : index\n", NOT_PROVED),
        ("    %s = arith.divui %i, %c8 exact : index\n    %z = arith.muli %s, %c8 : index\n"
         "    %moved = arith.xori %z, %phase : index\n", NOT_PROVED),
        ("    %z = affine.linearize_index disjoint [%c0, %i] by (64) : index\n"
         "    %moved = arith.xori %z, %phase : index\n", NOT_PROVED),
    ],
    ids=["plain", "nsw", "nuw", "narrow nsw", "exact", "disjoint"],
)  # fmt: skip
def test_what_added_arithmetic_promises_is_not_believed(line: str, expected: str) -> None:
    """A promise that does not hold makes the result undefined, whatever the numbers are."""
    said = refusal(moved(line))
    assert expected in said
    assert bool(said) == bool(expected)


def test_what_the_text_before_promises_too_is_believed() -> None:
    line = "    %z = arith.addi %i, %c0 overflow<nuw> : index\n"
    body = FILL + DRAIN.replace("    %moved = arith.xori %i", line + "    %moved = arith.xori %z")
    assert refusal(two(body)) == ""


def test_a_thread_id_with_a_bound_of_its_own_is_not_believed() -> None:
    head = HEAD.replace(SIZE, "")
    own = "  %own = gpu.thread_id x upper_bound 8\n"
    other = two(FILL + DRAIN, head=head)
    after = other.after.replace("%t = gpu.thread_id x\n", "%t = gpu.thread_id x\n" + own)
    texts = TwoTexts(other.before, after.replace("(s0 mod 8) * 8)>()[%t]", "s0 * 8)>()[%own]"))
    assert refusal(other) == ""
    assert refusal(texts) != ""


@pytest.mark.parametrize(
    ("row", "by"), [("-1", 64), ("1", -64)], ids=["column too large", "column negative"]
)
def test_the_right_element_by_indices_outside_of_their_dimensions_is_refused(
    row: str, by: int
) -> None:
    """The flat offset is the right one; ``memref.load`` of such an index is not defined."""
    lines = f"    %x = arith.xori %i, %phase : index\n    %by = arith.constant {by} : index\n"
    lines += f"    %moved = arith.addi %x, %by : index\n    %d = arith.constant {row} : index\n"
    lines += "    %row = arith.addi %t, %d : index\n"
    texts = moved(lines).edited("%v = vector.load %lds[%t,", "%v = vector.load %lds[%row,")
    assert DIMENSION in refusal(texts)


GROUP = "  nvgpu.device_async_wait %group {numGroups = 0 : i32}\n"


def test_a_barrier_before_the_wait_does_not_let_other_lanes_see_a_copy() -> None:
    """What a lane has waited for, it may read; of the others it does not know."""
    texts = asynchronous("%other", "%column")
    late = texts.replace(GROUP + "\n  gpu.barrier\n", "\n  gpu.barrier\n" + GROUP)
    assert NO_BARRIER in refusal(late)
    assert (
        refusal(
            asynchronous("%column", "%other").replace(
                GROUP + "\n  gpu.barrier\n", "\n  gpu.barrier\n" + GROUP
            )
        )
        == ""
    )


@pytest.mark.parametrize(
    ("fence", "expected"),
    [
        (" memfence [#gpu.address_space<workgroup>]", ""),
        (" memfence [#gpu.address_space<global>, #gpu.address_space<workgroup>]", ""),
        (" memfence [#gpu.address_space<global>]", NO_BARRIER),
        (" memfence []", NO_BARRIER),
    ],
)
def test_a_barrier_that_orders_other_memory_is_none(fence: str, expected: str) -> None:
    read = READ.replace("  gpu.barrier\n", f"  gpu.barrier{fence}\n")
    said = refusal(asynchronous("%other", "%column", read))
    assert expected in said
    assert bool(said) == bool(expected)


def test_lanes_of_other_blocks_do_not_copy_for_each_other() -> None:
    """Half a wave branches away: what it was to fetch for the others nobody fetches."""
    name = "%lds : " + TILE
    texts = dma(ROW, COLUMN)
    texts = texts.replace("func.func @k", "gpu.module @m {\ngpu.func @k")
    texts = texts.replace(
        " attributes {gpu.known", f"\n  workgroup({name}) kernel attributes {{known"
    )
    texts = texts.replace(MADE, "").replace("  return\n}", "  gpu.return\n}\n}")
    assert refusal(texts) == ""
    jump = "  %h = arith.constant 32 : index\n  %low = arith.cmpi ult, %t, %h : index\n"
    jump += "  cf.cond_br %low, ^some, ^all\n^some:\n  amdgpu.gather_to_lds"
    texts = texts.replace("  amdgpu.gather_to_lds", jump)
    texts = texts.replace(
        f"{GLOBAL}, {TILE}\n", f"{GLOBAL}, {TILE}\n  cf.br ^all\n^all:\n", count=1
    )
    assert "lanes of a wave may differ in the blocks" in refusal(texts)


def test_a_wave_of_rdna_may_have_either_length() -> None:
    """What the lanes of 32 share, those of 64 need not."""
    lines = "  %wave = affine.apply affine_map<()[s0] -> (s0 floordiv 32)>()[%t]\n"
    lines += "  %u = gpu.subgroup_broadcast %wave, first_active_lane : index\n"
    lines += "  %p = affine.apply affine_map<()[s0] -> ((s0 mod 8) * 8)>()[%wave]\n"
    body = lines + DRAIN.replace("%lds[%t", "%lds[%u").replace("%phase", "%p")
    for chip, expected in (("gfx1100", NOT_PROVED), ("gfx1201", NOT_PROVED)):
        target = f'{SIZE}, targets = [#rocdl.target<chip = "{chip}">]'
        assert expected in refusal(two(FILL + body, head=HEAD.replace(SIZE, target)))


def test_where_a_part_begins_may_not_be_said_of_rows_that_lose_their_padding() -> None:
    """Row 1 begins at 144 bytes, a multiple of 16, and then at 136."""
    wide, row = TILE.replace("64x64", "64x72"), "memref<72xf16, strided<[1], offset: ?>, SPACE>"
    row = row.replace("SPACE", "#gpu.address_space<workgroup>")
    part = f"  %part = memref.subview %lds[%t, 0] [1, 64] [1, 1] : {wide} to PART\n"
    part += "  %sure = memref.assume_alignment %part, 16 : PART\n"
    row = row.replace("72x", "64x")
    body = (part + FILL + DRAIN).replace("COLUMN", "%i").replace("PART", row)
    before = two(body.replace(TILE, wide), made=MADE.replace(TILE, wide)).before
    after = before.replace(wide, TILE.replace("64x64", "64x68"))
    said = refusal(TwoTexts(before, after), claim(fold=None, unpadded=Unpadded(72, 68)))
    assert "says where a part of it begins" in said
    silent = [each.replace(body.splitlines()[1] + "\n", "") for each in (before, after)]
    assert refusal(TwoTexts(*silent), claim(fold=None, unpadded=Unpadded(72, 68))) == ""


def test_a_function_that_something_else_names_may_be_called_with_anything() -> None:
    """Arguments are the same in all lanes only if they are those of a launch."""
    both = dma("s0 floordiv 8 + s1", COLUMN)
    texts = TwoTexts(both.before.replace(", %b]", ", %n]"), both.after.replace(", %b]", ", %n]"))
    assert refusal(texts) == ""
    other = f"""
func.func @other() {{
  %f = func.constant @k : ({GLOBAL}, {GLOBAL}, index) -> ()
  return
}}
"""
    named = TwoTexts(texts.before + other, texts.after + other)
    assert "lanes of a wave may copy from different memrefs" in refusal(named)


def test_workgroup_memory_from_nowhere_may_be_any_buffer() -> None:
    made = "  %where = llvm.mlir.constant(0 : i32) : i32\n"
    made += "  %p = llvm.inttoptr %where : i32 to !llvm.ptr<3>\n"
    assert "in an unknown way" in refusal(PLAIN.replace(MADE, MADE + made))


def test_a_single_element_of_a_tile_is_looked_at_too() -> None:
    one = "memref<f16, strided<[], offset: ?>, #gpu.address_space<workgroup>>"
    body = f"""
  %one = memref.subview %lds[%t, 0] [1, 1] [1, 1] : {TILE} to {one}
  %x = memref.load %one[] : {one}
  memref.store %x, %out[%t, %c0] : {GLOBAL}
"""
    assert NOT_PROVED in refusal(two(FILL + body))
    assert refusal(two((FILL + body).replace("COLUMN", "%i")), claim(fold=None)) == ""


def test_what_lanes_do_not_share_in_the_next_round_grows_by_no_fixed_step() -> None:
    """The first lane's value is 0 in every round: the others add to 0, not to their own."""
    body = f"""
  %s = affine.apply affine_map<()[s0] -> (s0 mod 8)>()[%t]
  %e = scf.for %k = %c0 to %c8 step %c1 iter_args(%x = %c0) -> (index) {{
    %far = arith.muli %k, %s : index
    %v = memref.load %lds[%t, WHERE] : {TILE}
    memref.store %v, %out[%t, %k] : {GLOBAL}
    %of = gpu.subgroup_broadcast %x, first_active_lane : index
    %next = arith.addi %of, %s : index
    scf.yield %next : index
  }}
"""
    text = two((FILL + body).replace("COLUMN", "%i")).before
    texts = TwoTexts(text.replace("WHERE", "%x"), text.replace("WHERE", "%far"))
    assert NOT_PROVED in refusal(texts, claim(fold=None))
    own = texts.replace("%of, %s", "%x, %s")
    assert refusal(own, claim(fold=None)) == "", "without the exchange it is the round's multiple"
