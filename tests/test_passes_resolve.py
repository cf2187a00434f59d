"""Hints become address arithmetic at every access, the same as IREE's own where that is right."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("iree.compiler")

from iree.compiler.passmanager import PassManager

from bankwise.change.passes.legality import period, unsound, why_not
from bankwise.change.passes.resolve import resolve
from bankwise.read.mlir.swizzle_hint import SwizzleHint
from passes_cases import GFX942, LDS, opened, places, roundtrip, same_results

XOR = "#iree_codegen.xor_shuffle<{}>"
RIGHT = [
    ("128, 4, 128, 1", 4, 4),
    ("128, 8, 128, 1", 8, 8),
    ("64, 8, 64, 1", 8, 8),
    ("64, 8, 64, 2", 8, 8),
    ("64, 8, 128, 4", 8, 8),
    ("32, 4, 256, 8", 4, 4),
    ("128, 4, 128, 1", 8, 4),
    ("64, 2, 64, 1", 8, 8),
    ("16, 8, 64, 2", 8, 8),
    ("512, 1, 512, 1", 2, 1),
]
"""Numbers of a shuffle, and the elements that the writer and the reader take at once."""


def resolved_by_iree(text: str) -> str:
    module = opened(text)
    with module.context:
        passes = "iree-codegen-resolve-swizzle-hints,canonicalize,cse"
        PassManager.parse(f"builtin.module(func.func({passes}))").run(module.module.operation)
    return str(module.module)


@pytest.mark.parametrize(("numbers", "write", "read"), RIGHT)
def test_addresses_are_those_of_irees_own_pass(numbers, write, read):
    text = roundtrip(XOR.format(numbers), width=write, read_width=read)
    ours, theirs = resolve(opened(text), GFX942).text, resolved_by_iree(text)
    assert "swizzle_hint" not in ours
    assert "swizzle_hint" not in theirs
    assert places(opened(ours)) == places(opened(theirs))


@pytest.mark.parametrize("numbers", ["64, 8", "128, 4"])
def test_rotated_rows_are_resolved_as_irees_own_pass_does(numbers):
    text = roundtrip(f"#iree_codegen.rotate_rows<{numbers}>")
    ours, theirs = resolve(opened(text), GFX942).text, resolved_by_iree(text)
    assert places(opened(ours)) == places(opened(theirs))


@pytest.mark.parametrize(("numbers", "write", "read"), RIGHT[::3])
def test_the_resolved_kernel_computes_what_the_hinted_one_does(numbers, write, read):
    text = roundtrip(XOR.format(numbers), width=write, read_width=read)
    assert same_results(text, resolve(opened(text), GFX942).text)


def test_row_3_column_8_of_the_talk_is_stored_at_388():
    text = roundtrip(XOR.format("128, 4, 128, 1"), width=4, read_width=4, size=2048)
    plain = places(opened(re.sub(r" +%h = .*\n", "", text).replace("%h[", "%lds[")))
    ours = places(opened(resolve(opened(text), GFX942).text))
    moves = {
        int(a): int(b)
        for before, after in zip(plain, ours, strict=True)
        for a, b in zip(np.ravel(before), np.ravel(after), strict=True)
    }
    assert moves[392 * 2] == 388 * 2


def test_only_lines_of_hints_and_accesses_change():
    text = roundtrip(XOR.format("64, 8"))
    before, after = text.splitlines(), resolve(opened(text), GFX942).text.splitlines()
    touched = [line for line in before if line not in after]
    assert [line.split()[0] for line in touched] == ["%h", "vector.store", "%v"]


def test_a_hint_through_a_view_in_its_old_shape_is_resolved():
    flat, shaped = f"memref<4096xf16, {LDS}>", f"memref<64x64xf16, {LDS}>"
    view = (
        f"  %v2 = memref.expand_shape %h [[0, 1]] output_shape [64, 64] : {flat} into {shaped}\n"
        "  %t = gpu.thread_id"
    )
    text = roundtrip(XOR.format("64, 8")).replace("  %t = gpu.thread_id", view)
    text = text.replace(
        f"vector.store %v, %h[%l] : {flat}", f"vector.store %v, %v2[%t, %i] : {shaped}"
    )
    after = resolve(opened(text), GFX942).text
    assert "memref.expand_shape %lds" in after
    assert same_results(text, after)


REFUSED = [
    (XOR.format("96, 4, 96, 1"), {"width": 4, "read_width": 4, "size": 6144}, "no power of two"),
    (XOR.format("48, 8"), {"size": 6144}, "no power of two"),
    (XOR.format("64, 8"), {"size": 4128}, "are not whole rows"),
    (XOR.format("64, 8"), {"start": 4, "size": 4160}, "do not begin and end at whole groups"),
]


@pytest.mark.parametrize(("hint", "kernel", "reason"), REFUSED)
def test_a_hint_that_would_be_wrong_stays_with_its_reason(hint, kernel, reason):
    text = roundtrip(hint, **kernel)
    done = resolve(opened(text), GFX942)
    assert done.text == text
    assert [reason in refusal.reason for refusal in done.refusals] == [True]
    assert done.refusals[0].location.line > 0


def test_irees_own_pass_accepts_the_hints_that_are_refused_here():
    for hint, kernel, _ in REFUSED:
        assert "swizzle_hint" not in resolved_by_iree(roundtrip(hint, **kernel))


def test_an_unsupported_user_keeps_all_hints_of_the_allocation():
    text = roundtrip(XOR.format("64, 8")).replace(
        "  gpu.barrier\n",
        f"  gpu.barrier\n  %e = memref.load %h[%t] : memref<4096xf16, {LDS}>\n"
        f"  gpu.barrier\n  memref.store %e, %h[%t] : memref<4096xf16, {LDS}>\n  gpu.barrier\n",
    )
    done = resolve(opened(text), GFX942)
    assert done.text == text
    assert "memref.load" in done.refusals[0].reason


def test_two_hints_that_count_from_different_places_are_refused():
    text = roundtrip(XOR.format("64, 8")).replace(
        "  gpu.barrier\n",
        f"  %s = memref.subview %lds[64] [4032] [1] : memref<4096xf16, {LDS}> to "
        f"memref<4032xf16, strided<[1], offset: 64>, {LDS}>\n"
        "  %h2 = iree_codegen.swizzle_hint %s[#iree_codegen.xor_shuffle<64, 8>] : "
        f"memref<4032xf16, strided<[1], offset: 64>, {LDS}>\n"
        f"  %v2 = vector.load %h2[%c0] : memref<4032xf16, strided<[1], offset: 64>, {LDS}>, "
        "vector<8xf16>\n  gpu.barrier\n",
    )
    done = resolve(opened(text), GFX942)
    assert done.text == text
    assert "not all accesses go through one map" in done.refusals[0].reason


@pytest.mark.parametrize(
    "numbers", [(64, 8, 64, 1), (128, 4, 128, 2), (96, 4, 96, 1), (40, 8, 80, 1)]
)
def test_sound_numbers_are_exactly_those_whose_map_is_a_bijection(numbers):
    hint = SwizzleHint(False, *numbers)
    elements = np.arange(period(hint))
    bijective = len(set(hint.place(elements).tolist())) == len(elements)
    assert bijective == (not unsound(hint))


def test_no_use_no_objection():
    assert why_not("a", 64, ()) is None


def test_kernels_whose_allocations_have_the_same_name_keep_their_own_hints():
    one = roundtrip(XOR.format("64, 8"))
    two = roundtrip(XOR.format("128, 8")).replace("@k(", "@l(")
    bad = roundtrip(XOR.format("48, 8"), size=6144).replace("@k(", "@m(")
    done = resolve(opened(one + two + bad), GFX942)
    alone = resolve(opened(one), GFX942).text + resolve(opened(two), GFX942).text + bad
    assert re.sub(r"%swz\d+", "%swz", done.text) == re.sub(r"%swz\d+", "%swz", alone)
    assert len(done.refusals) == 1


def test_the_attribute_of_an_allocation_is_resolved_as_its_hint():
    hint = XOR.format("64, 8")
    text = roundtrip(hint)
    attribute = text.replace("memref.alloc()", f"memref.alloc() {{iree_codegen.swizzle = {hint}}}")
    attribute = re.sub(r" +%h = .*\n", "", attribute).replace("%h[", "%lds[")
    assert resolve(opened(attribute), GFX942).text == resolve(opened(text), GFX942).text


BUFFERS = """\
func.func @k(%in: memref<4x64x8xf16>, %out: memref<4x64x8xf16>)
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<4096xf16, #gpu.address_space<workgroup>>
  %b = memref.alloc() : memref<4096xf16, #gpu.address_space<workgroup>>
  %ha = iree_codegen.swizzle_hint %a[#iree_codegen.xor_shuffle<64, 8>] : \
memref<4096xf16, #gpu.address_space<workgroup>>
  %hb = iree_codegen.swizzle_hint %b[SECOND] : \
memref<4096xf16, #gpu.address_space<workgroup>>
  %t = gpu.thread_id x upper_bound 64
  %l = affine.apply affine_map<()[s0] -> (s0 * 64)>()[%t]
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %ha, %y = %hb) \
-> (memref<4096xf16, #gpu.address_space<workgroup>>, \
memref<4096xf16, #gpu.address_space<workgroup>>) {
    %v = vector.load %in[%i, %t, %c0] : memref<4x64x8xf16>, vector<8xf16>
    vector.store %v, %x[%l] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    %w = vector.load %x[%l] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    vector.store %w, %out[%i, %t, %c0] : memref<4x64x8xf16>, vector<8xf16>
    scf.yield %y, %x : memref<4096xf16, #gpu.address_space<workgroup>>, \
memref<4096xf16, #gpu.address_space<workgroup>>
  }
  return
}
"""


def test_buffers_that_go_round_a_loop_are_resolved_together():
    text = BUFFERS.replace("SECOND", XOR.format("64, 8"))
    done = resolve(opened(text), GFX942)
    assert done.refusals == ()
    assert "iter_args(%x = %a, %y = %b)" in done.text
    assert same_results(text, done.text)


def test_buffers_that_go_round_a_loop_with_different_hints_are_refused():
    text = BUFFERS.replace("SECOND", XOR.format("64, 8, 64, 2"))
    done = resolve(opened(text), GFX942)
    assert done.text == text
    assert "not all accesses go through one map" in done.refusals[0].reason


def test_it_says_what_is_proved_for_all_launches():
    (proved,) = resolve(opened(roundtrip(XOR.format("128, 8"))), GFX942).remarks
    assert proved.reason.endswith("; proved for all launches")
    (cut,) = resolve(opened(roundtrip(XOR.format("128, 8"), width=16)), GFX942).remarks
    assert "; not proved: a hint is no fold of whole rows, or cuts vectors" in cut.reason


def test_a_hint_stays_where_another_workgroup_has_an_access_of_its_own():
    """It would not be rewritten with the others."""
    text = roundtrip(XOR.format("128, 8"))
    load = f"vector.load %h[%c0] : memref<4096xf16, {LDS}>, vector<8xf16>"
    guarded = f"  gpu.barrier\n  scf.if %is {{\n    %x = {load}\n  }}\n"
    is_it = "%b = gpu.block_id x\n  %is = arith.cmpi eq, %b, %n : index\n  %lds"
    text = text.replace("  gpu.barrier\n", guarded).replace("%lds", is_it, 1)
    done = resolve(opened(text), GFX942)
    assert done.text == text
    assert "one workgroup never executes this vector.load" in done.refusals[0].reason
