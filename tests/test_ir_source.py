"""The user's text and its edits: every place of the parsed text is a place of the user's file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.read.mlir.sections import candidates
from bankwise.read.mlir.source import Edit, apply_edits, source_of


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text("ab\né\U0001f600\r ", max_size=40))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return text, [Edit(start, end, draw(st.text("xy\n", max_size=3))) for start, end in pairs]


@given(edited())
def test_every_kept_character_of_the_parsed_text_maps_to_itself(
    case: tuple[str, list[Edit]],
) -> None:
    text, edits = case
    source = source_of("f", text, edits)
    assert source.parsed == apply_edits(text, edits)
    replaced = [offset for edit in edits for offset in range(edit.start, edit.end)]
    kept = [offset for offset in range(len(text)) if offset not in replaced]
    images = [source.text_offset(offset) for offset in range(len(source.parsed))]
    back = {
        image: i for i, image in enumerate(images) if text[image : image + 1] == source.parsed[i]
    }
    assert images == sorted(images)
    assert set(kept) <= set(back)


@given(edited())
def test_a_line_and_a_byte_column_as_mlir_counts_them_find_their_character(
    case: tuple[str, list[Edit]],
) -> None:
    source = source_of("f", *case)
    for number, row in enumerate(source.parsed.split("\n"), 1):
        start = sum(len(line) + 1 for line in source.parsed.split("\n")[: number - 1])
        for i in range(len(row)):
            column = len(row[:i].encode()) + 1
            assert source.offset_at(number, column) == source.text_offset(start + i)


def test_columns_for_people_count_characters() -> None:
    source = source_of("f", "// \n/*é😀*/ x\n")
    place = source.location_at(2, len("/*é😀*/ ".encode()) + 1)
    assert (place.line, place.column) == (2, 8)


def test_overlapping_edits_are_a_programmers_error() -> None:
    with pytest.raises(AssertionError, match="overlap at offset 1"):
        apply_edits("abc", [Edit(0, 2, ""), Edit(1, 3, "")])


def test_insertions_at_one_place_keep_their_order_and_precede_a_replacement() -> None:
    edits = [Edit(1, 2, "B"), Edit(1, 1, "1"), Edit(1, 1, "2")]
    assert apply_edits("abc", edits) == "a12Bc"


STAGES = """\
// -----// IR Dump After CSEPass: cse //----- //
func.func @one() {{
  %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  return
}}
// -----// IR Dump After ResolveSwizzleHintsPass: iree-codegen-resolve-swizzle-hints //----- //
func.func @one() {{
  %stage = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  return
}}
// -----// IR Dump After CSEPass: cse //----- //
func.func @one() {{
  %late = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  return
}}
// -----// IR Dump After CSEPass: cse //----- //
func.func @two() {{
  %last = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  return
}}
// -----// IR Dump After SCFToControlFlowPass: convert-scf-to-cf //----- //
func.func @two() {{
  %lowered = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  cf.br ^bb1
^bb1:
  return
}}
// -----// IR Dump After ConvertToROCDLPass: iree-convert-to-rocdl //----- //
module {{
  llvm.func @one() {{ llvm.return }}
}}
{more}"""


def test_of_a_dump_after_all_passes_each_kernel_is_read_at_the_stage_that_can_be_read() -> None:
    reading = next(candidates("k.mlir", STAGES.format(more="")))
    kept = reading.source.parsed
    assert [word for word in ("%stage", "%last") if word in kept] == ["%stage", "%last"]
    assert not any(word in kept for word in ("%a ", "%late", "%lowered", "llvm."))
    assert reading.notes == ("of 6 dumps the ones at lines 6, 16 used, 4 left out",)


def test_what_is_in_other_dumps_alone_is_named() -> None:
    module = """\
// -----// IR Dump After CSEPass: cse //----- //
module {
  func.func @one() {
    %0 = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
    return
  }
  llvm.func @two() { llvm.return }
}
"""
    other = module.replace("@one", "@it").replace("@two", "@one").replace("@it", "@two")
    reading = next(candidates("k.mlir", other + module))
    assert reading.notes == ("of 2 dumps the one at line 9 used, 1 left out",)
    (refusal,) = reading.unread
    assert refusal.reason.startswith("not read: two: print it without")
