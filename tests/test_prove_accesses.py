"""Rewritten loads and stores: the right ones are proved, and each condition is one that refuses."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.algebra.address import Fold, RowFolds
from bankwise.change.prove import MapClaim
from bankwise.notation.padding import PaddedFold, Unpadded
from prove_texts import (
    DRAIN,
    FILL,
    FOLD,
    GLOBAL,
    HEAD,
    MADE,
    PLAIN,
    TILE,
    claim,
    proofs,
    refusal,
    two,
)

NOT_PROVED = "that the new index is the old one under the map is not proved"


def test_a_fold_of_every_access_is_proved() -> None:
    (proof,) = proofs(PLAIN)
    assert proof.refusal is None
    assert proof.accesses == 2
    assert "workgroups of 64 x 1 x 1 threads: the text says so" in proof.facts


def test_nothing_changed_is_proved_for_the_map_that_changes_nothing() -> None:
    same = two((FILL + DRAIN).replace("COLUMN", "%i"))
    assert refusal(same, claim(fold=None)) == ""
    assert NOT_PROVED in refusal(same)
    assert NOT_PROVED in refusal(PLAIN, claim(fold=None))


@pytest.mark.parametrize(
    "wrong",
    [
        RowFolds(64, (Fold(64, 8, 4),)),
        RowFolds(64, (Fold(64, 4, 8),)),
        RowFolds(64, (Fold(128, 8, 8),)),
        RowFolds(64, (Fold(64, 8, 8), Fold(512, 16, 2))),
    ],
    ids=str,
)
def test_another_map_than_the_claimed_one_is_refused(wrong: RowFolds) -> None:
    assert NOT_PROVED in refusal(PLAIN, claim(fold=wrong))


def test_one_access_left_out_is_refused() -> None:
    for one, other in (
        (FILL, DRAIN.replace("COLUMN", "%i")),
        (FILL.replace("COLUMN", "%i"), DRAIN),
    ):
        assert NOT_PROVED in refusal(two(one + other))


def test_a_closed_form_that_agrees_on_some_threads_is_refused() -> None:
    """The row is read from memory order in 63 of 64 threads."""
    row = "%u = affine.apply affine_map<()[s0] -> ((s0 * 63) floordiv 62)>()[%t]"
    texts = two(FILL + f"  {row}\n" + DRAIN.replace("%lds[%t", "%lds[%u"))
    assert NOT_PROVED in refusal(texts)


def other_row(row: str, phase: str, body: str = DRAIN) -> str:
    """What reads at another row, and computes the phase of the row as ``phase`` says."""
    lines = f"  %u = affine.apply affine_map<()[s0, s1, s2] -> ({row})>()[%t, %b, %n]\n"
    lines += f"  %p = affine.apply affine_map<()[s0, s1, s2] -> ({phase})>()[%t, %b, %n]\n"
    return lines + body.replace("%lds[%t", "%lds[%u").replace("%phase", "%p")


@pytest.mark.parametrize(
    "row",
    [
        "(s0 + s1) mod 64",
        "(s0 * 3 + s1 floordiv 2) mod 64",
        "(s0 + (s1 floordiv 3) * 5) mod 64",
        "(s0 * 5 + s1 * 3 + s2) mod 64",
        "(s0 floordiv 4 + s2 * 8) mod 64",
    ],
)
def test_the_phase_of_its_own_row_is_proved_for_every_workgroup_and_size(row: str) -> None:
    assert refusal(two(FILL + other_row(row, f"(({row}) mod 8) * 8"))) == ""
    assert NOT_PROVED in refusal(two(FILL + other_row(row, "(s0 mod 8) * 8")))


@pytest.mark.parametrize(
    ("row", "phase"),
    [
        ("(s0 + (s1 floordiv 2) * 8) mod 64", "(s0 mod 8) * 8"),
        ("(s0 + s1 * 8) mod 64", "(s0 mod 8) * 8"),
        ("(s0 + s1) mod 64", "((s0 + s1) mod 8) * 8"),
    ],
)
def test_a_phase_of_the_thread_alone_is_proved_where_the_rest_is_whole_blocks(
    row: str, phase: str
) -> None:
    assert refusal(two(FILL + other_row(row, phase))) == ""


def test_a_row_overrun_names_a_cell_by_two_coordinates() -> None:
    """Row t, column 64 + i is row t + 1: its phase is that of the next row."""
    ahead = "    %j = arith.addi %i, %c64 : index\n    %moved = arith.xori %j, %phase"
    body = DRAIN.replace("    %moved = arith.xori %i, %phase", ahead).replace("COLUMN", "WHERE")
    texts = two(FILL + body)
    texts = type(texts)(texts.before.replace("WHERE", "%j"), texts.after.replace("WHERE", "%moved"))
    assert NOT_PROVED in refusal(texts)
    flat = "%next = affine.apply affine_map<()[s0] -> (((s0 + 1) mod 8) * 8)>()[%t]\n"
    right = texts.replace("%j, %phase", "%j, %next").replace(
        "  gpu.barrier\n", f"  gpu.barrier\n  {flat}"
    )
    assert refusal(right) == "", "the flat offset is what counts"


def test_a_column_that_only_an_argument_bounds_is_refused() -> None:
    """Past the row the phase would be another; nothing in the text keeps it inside."""
    body = DRAIN.replace("%c0 to %c64", "%c0 to %n")
    assert NOT_PROVED in refusal(two(FILL + body))


def test_a_vector_that_straddles_chunks_is_refused() -> None:
    """Four elements before the chunk's end, an access of eight: one index cannot say it."""
    four = "    %f = arith.addi %i, %four : index\n    %moved = arith.xori %f, %phase : index\n"
    made = MADE + "  %four = arith.constant 4 : index\n"
    body = DRAIN.replace("    %moved = arith.xori %i, %phase : index\n", four).replace(
        "COLUMN", "WHERE"
    )
    body = body.replace("%c0 to %c64", "%c0 to %c8")
    texts = two(FILL + body, made=made)
    texts = type(texts)(texts.before.replace("WHERE", "%f"), texts.after.replace("WHERE", "%moved"))
    assert NOT_PROVED in refusal(texts)


@pytest.mark.parametrize("guard", ["slt", "ult"])
def test_only_the_threads_that_execute_an_access_count(guard: str) -> None:
    """In the other half of the threads the row would not be theirs."""
    row = "  %u = affine.apply affine_map<()[s0] -> (s0 mod 32)>()[%t]\n"
    row += f"  %half = arith.constant 32 : index\n  %low = arith.cmpi {guard}, %t, %half : index\n"
    phase = "  %p = affine.apply affine_map<()[s0] -> ((s0 mod 16) * 8)>()[%t]\n"
    phase += "  %q = affine.apply affine_map<()[s0] -> (s0 mod 64)>()[%p]\n"
    body = row + phase + "  scf.if %low {" + DRAIN.replace("%phase", "%q") + "  }\n"
    assert refusal(two(FILL + body)) == ""
    rows = (
        "  %p = affine.apply affine_map<()[s0] -> ((s0 mod 8) * 8 + (s0 floordiv 32) * 8)>()[%t]\n"
    )
    body = row + rows + "  scf.if %low {" + DRAIN.replace("%phase", "%p") + "  }\n"
    assert refusal(two(FILL + body)) == ""
    otherwise = body.replace("scf.if %low {", "scf.if %low {\n  } else {")
    assert NOT_PROVED in refusal(two(FILL + otherwise))


def test_what_is_loaded_may_be_any_row() -> None:
    data = (
        "  %x = memref.load %rows[%t] : memref<64xi32>\n  %u = arith.index_cast %x : i32 to index\n"
    )
    head = HEAD.replace("%n: index", "%n: index, %rows: memref<64xi32>")
    phase = "  %p = affine.apply affine_map<()[s0] -> ((s0 mod 8) * 8)>()[%u]\n"
    body = data + phase + DRAIN.replace("%lds[%t", "%lds[%u").replace("%phase", "%p")
    assert refusal(two(FILL + body, head=head)) == ""
    wrong = data + DRAIN.replace("%lds[%t", "%lds[%u")
    assert NOT_PROVED in refusal(two(FILL + wrong, head=head))


def test_narrow_integers_wrap() -> None:
    """``t * 300`` in 8 bits is another row than in 64."""
    narrow = """
  %small = arith.index_cast %t : index to i8
  %k = arith.constant 37 : i8
  %wrapped = arith.muli %small, %k : i8
  %wide = arith.index_castui %wrapped : i8 to index
  %u = arith.remui %wide, %c64 : index
"""
    right = narrow + "  %p = affine.apply affine_map<()[s0] -> ((s0 mod 8) * 8)>()[%u]\n"
    body = DRAIN.replace("%lds[%t", "%lds[%u").replace("%phase", "%p")
    assert refusal(two(FILL + right + body)) == ""
    wrong = narrow + "  %p = affine.apply affine_map<()[s0] -> (((s0 * 36) mod 8) * 8)>()[%t]\n"
    assert NOT_PROVED in refusal(two(FILL + wrong + body))


def test_threads_that_the_text_does_not_count_are_all_that_there_can_be() -> None:
    """Without a size in the text the proof is for every size; a phase of 64 threads is none."""
    head = HEAD.replace("gpu.known_block_size = array<i32: 64, 1, 1>", "")
    (proof,) = proofs(two(FILL + DRAIN, head=head))
    assert proof.refusal is None
    assert any("1024" in fact for fact in proof.facts)
    row = "  %u = affine.apply affine_map<()[s0] -> (s0 mod 64)>()[%t]\n"
    wide = (
        row + "  %p = affine.apply affine_map<()[s0] -> ((s0 floordiv 64 + s0) mod 8 * 8)>()[%t]\n"
    )
    body = wide + DRAIN.replace("%lds[%t", "%lds[%u").replace("%phase", "%p")
    assert refusal(two(FILL + body)) == "", "64 threads: nothing is above 63"
    assert NOT_PROVED in refusal(two(FILL + body, head=head))


def test_bounds_of_one_axis_say_nothing_of_another() -> None:
    """No size in the text; x is bounded, y is asked for by another operation and is not."""
    head = HEAD.replace("gpu.known_block_size = array<i32: 64, 1, 1>", "")
    head = head.replace("gpu.thread_id x", "gpu.thread_id x upper_bound 64")
    row = "  %y = rocdl.workitem.id.y : i32\n  %w = arith.index_cast %y : i32 to index\n"
    row += "  %u = affine.apply affine_map<()[s0, s1] -> ((s0 + s1) mod 64)>()[%t, %w]\n"
    assert refusal(two(FILL + DRAIN, head=head)) == ""
    assert NOT_PROVED in refusal(two(FILL + row + DRAIN.replace("%lds[%t", "%lds[%u"), head=head))


MASKED = f"""
  scf.for %i = %c0 to %c64 step %c8 {{
    %moved = arith.xori %i, %phase : index
    %zero = arith.constant 0.0 : f16
    %v = vector.transfer_read %lds[%t, COLUMN], %zero {{in_bounds = [false]}}
        : {TILE}, vector<8xf16>
    vector.store %v, %out[%t, %i] : {GLOBAL}, vector<8xf16>
  }}
"""


def test_a_transfer_that_leaves_elements_out_must_leave_out_the_same() -> None:
    assert refusal(two(FILL + MASKED)) == "", "none is outside"
    short = MASKED.replace("%c0 to %c64", "%four to %c64")
    texts = two(FILL + short, made=MADE + "  %four = arith.constant 4 : index\n")
    assert "not proved" in refusal(texts)


def test_an_alignment_that_the_text_states_is_kept() -> None:
    """Rows of 68 elements begin at multiples of 8 bytes; the operation says 16."""
    wide = TILE.replace("64x64", "64x72")
    body = (
        (FILL + DRAIN)
        .replace("COLUMN", "%i")
        .replace("%lds[%t, %i]", "%lds[%t, %i] {alignment = 16}")
    )
    before = two(body.replace(TILE, wide), made=MADE.replace(TILE, wide)).before
    for row, expected in ((64, ""), (68, "multiple of 16 bytes")):
        shorter = TILE.replace("64x64", f"64x{row}")
        after = two(body.replace(TILE, shorter), made=MADE.replace(TILE, shorter)).after
        said = refusal(type(PLAIN)(before, after), claim(fold=None, unpadded=Unpadded(72, row)))
        assert expected in said
        assert bool(said) == bool(expected)


def test_padding_undone_is_proved_with_and_without_a_fold() -> None:
    wide = TILE.replace("64x64", "64x68")
    before = two((FILL + DRAIN).replace(TILE, wide), made=MADE.replace(TILE, wide)).before
    rows = Unpadded(68, 64)
    texts = type(PLAIN)(before, PLAIN.after)
    assert refusal(texts, claim(unpadded=rows)) == ""
    assert refusal(type(PLAIN)(before, PLAIN.before), claim(fold=None, unpadded=rows)) == ""
    assert NOT_PROVED in refusal(texts, claim(fold=None, unpadded=rows))
    assert "a type of memref.alloc changed" in refusal(texts)


def test_padding_that_is_used_stays() -> None:
    wide = TILE.replace("64x64", "64x72")
    more = (FILL + DRAIN).replace("%c0 to %c64", "%c0 to %more").replace("COLUMN", "%i")
    made = "  %more = arith.constant 72 : index\n" + MADE
    before = two(more.replace(TILE, wide), made=made.replace(TILE, wide)).before
    after = two(more, made=made).after
    said = refusal(type(PLAIN)(before, after), claim(fold=None, unpadded=Unpadded(72, 64)))
    assert "padding" in said


def test_a_fold_inside_padded_rows_is_proved_and_may_not_touch_the_padding() -> None:
    wide = TILE.replace("64x64", "64x72")
    texts = two((FILL + DRAIN).replace(TILE, wide), made=MADE.replace(TILE, wide))
    inside = MapClaim("k", ("lds",), PaddedFold(FOLD, 8))
    assert refusal(texts, inside) == ""
    far = texts.replace("%c0 to %c64", "%c0 to %more").replace(
        "%c8 =", "%more = arith.constant 72 : index\n  %c8 ="
    )
    assert "padding" in refusal(far, inside)


def test_what_rotates_through_a_loop_keeps_its_range_and_its_multiple() -> None:
    """``q`` is a multiple of 8 below 64 in every round, whatever the argument is."""
    body = f"""
  %e = scf.for %k = %c0 to %n step %c1 iter_args(%i = %c0) -> (index) {{
    %moved = arith.xori %i, %phase : index
    %v = vector.load %lds[%t, COLUMN] : {TILE}, vector<8xf16>
    vector.store %v, %out[%t, %i] : {GLOBAL}, vector<8xf16>
    %next = affine.apply affine_map<()[s0, s1] -> ((s0 + s1 * 8 + 8) mod 64)>()[%i, %n]
    scf.yield %next : index
  }}
"""
    assert refusal(two(FILL + body)) == ""
    assert NOT_PROVED in refusal(two(FILL + body.replace("s1 * 8", "s1 * 4")))
    assert NOT_PROVED in refusal(two(FILL + body.replace("mod 64", "mod 128")))


def test_a_view_that_cuts_chunks_leaves_out_other_elements() -> None:
    """Of 60 columns the last chunk is cut; under the fold another chunk would be."""
    cut = "memref<64x60xf16, strided<[64, 1]>, #gpu.address_space<workgroup>>"
    view = f"  %view = memref.subview %lds[0, 0] [64, 60] [1, 1] : {TILE} to {cut}\n"
    body = MASKED.replace("%lds", "%view").replace(TILE, cut)
    assert "leaves out what lies outside" in refusal(two(FILL + view + body))


def test_what_a_wave_broadcasts_is_the_same_only_where_all_lanes_agree() -> None:
    for of, expected in (("%t", NOT_PROVED), ("%wave", "")):
        lines = "  %wave = affine.apply affine_map<()[s0] -> (s0 floordiv 64)>()[%t]\n"
        lines += f"  %u = gpu.subgroup_broadcast {of}, first_active_lane : index\n"
        lines += "  %p = affine.apply affine_map<()[s0] -> ((s0 mod 8) * 8)>()[WHERE]\n"
        lines = lines.replace("WHERE", of)
        body = lines + DRAIN.replace("%lds[%t", "%lds[%u").replace("%phase", "%p")
        assert expected in refusal(two(FILL + body))
        assert bool(refusal(two(FILL + body))) == bool(expected)


def test_an_argument_may_be_negative() -> None:
    """``min(n, 0) * (n mod 2)`` is 0 only where n is no odd number below 0."""
    lines = "  %d = affine.min affine_map<()[s0] -> (s0, 0)>()[%n]\n"
    lines += "  %odd = affine.apply affine_map<()[s0] -> (s0 mod 2)>()[%n]\n"
    lines += "  %e = arith.muli %d, %odd : index\n"
    body = lines + DRAIN.replace("%moved = arith.xori %i", "%z = arith.addi %i, %e : index\n"
                                 "    %moved = arith.xori %z")  # fmt: skip
    texts = two(FILL + body)
    assert NOT_PROVED in refusal(texts)
    known = texts.replace(
        "affine_map<()[s0] -> (s0, 0)>()[%n]", "affine_map<()[s0] -> (s0, 0)>()[%b]"
    )
    assert refusal(known.replace("(s0 mod 2)>()[%n]", "(s0 mod 2)>()[%b]")) == "", "no block is"
