"""CuTe layouts: agreement with pycute and tensor-layouts, laws, TMA and wgmma, bad input."""

import json
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.counting.conflict import count
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.notation.cute import (
    ComposedLayout,
    StridedLayout,
    Swizzle,
    coalesce,
    complement,
    composition,
    crd2idx,
    layout,
    memory,
    parse,
    parse_swizzle,
    recast,
)
from bankwise.notation.cute.code import cpp, python
from bankwise.notation.cute.hopper import (
    MODES,
    MatrixDescriptor,
    atom,
    canonical,
    describe,
    read_descriptor,
    tma,
)
from bankwise.notation.cute.tiling import (
    blocked_product,
    logical_divide,
    logical_product,
    raked_product,
    tile_to_shape,
    tiled_divide,
    zipped_divide,
    zipped_product,
)
from bankwise.notation.values import points

GOLDEN = json.loads((Path(__file__).parent / "data" / "cute_golden.json").read_text())
TWO_LAYOUTS = {
    "composition": composition,
    "logical_divide": logical_divide,
    "zipped_divide": zipped_divide,
    "logical_product": logical_product,
    "blocked_product": blocked_product,
    "raked_product": raked_product,
}
TEXTS = sorted({case[1] for case in GOLDEN if isinstance(case[1], str) and ":" in case[1]})


def cases(kind):
    return [case[1:] for case in GOLDEN if case[0] == kind]


def values(a, size=None):
    return a.at(np.arange(a.size if size is None else size)).tolist()


def same_modes(a, b):
    """The same function of one integer, and of one integer for every mode."""
    modes = [mode.size for mode in a.modes()] == [mode.size for mode in b.modes()]
    return modes and values(a) == values(b)


def test_every_layout_has_pycutes_values():
    assert len(cases("index")) == 60
    for text, wanted in cases("index"):
        assert values(parse(text), len(wanted)) == wanted


def test_coalesce_is_pycutes_to_the_letter():
    assert [str(coalesce(parse(text))) for text, _ in cases("coalesce")] == [
        wanted.replace(" ", "") for _, wanted in cases("coalesce")
    ]


@pytest.mark.parametrize("name", TWO_LAYOUTS)
def test_algebra_agrees_with_pycute_and_tensor_layouts(name):
    assert len(cases(name)) == 60
    for a, b, wanted in cases(name):
        assert same_modes(TWO_LAYOUTS[name](parse(a), parse(b)), parse(wanted)), (a, b)


def test_complement_agrees_with_pycute():
    for text, size, wanted in cases("complement"):
        assert values(complement(parse(text), size)) == values(parse(wanted)), text


def test_swizzles_agree_with_pycute():
    for numbers, step, wanted in cases("swizzle"):
        assert Swizzle(*numbers)(step * np.arange(len(wanted))).tolist() == wanted


def test_composed_layouts_as_pycute_prints_them_agree():
    for text, wanted in cases("composed"):
        found = parse(text)
        assert isinstance(found, ComposedLayout)
        at = found.layout.at(np.arange(len(wanted))) + found.offset
        assert found.swizzle(at).tolist() == wanted


def test_texts_parse_back():
    for text in TEXTS:
        assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "Sw<3,4,3> o 0 o (8,64):(64,1)",
        "S<3,4,3> o 0 o (8,64):(64,1)",
        "SW_3_4_3 o 0 o (8, 64):(64, 1)",
        "Sw<3,4,3> o _0 o (_8,_64):(_64,_1)",
        "(Swizzle(3, 4, 3)) o {0} o ((8, 64) : (64, 1))",
        "(Swizzle(3, 4, 3)) o ((8, 64) : (64, 1))",
    ],
)
def test_all_print_styles_say_the_same(text):
    assert parse(text) == ComposedLayout(Swizzle(3, 4, 3), 0, layout((8, 64), (64, 1)))


def test_composition_is_a_of_b():
    a, b = parse("(6,2):(8,2)"), parse("(4,3):(3,1)")
    assert values(composition(a, b)) == [values(a)[i] for i in values(b)]


def test_uneven_composition_is_refused_with_the_mode():
    with pytest.raises(InputError, match="6 is not divided evenly by 4"):
        composition(parse("(6,2):(1,10)"), parse("3:4"))


def test_tiled_and_zipped_forms_hold_the_same_elements():
    a = parse("(16,32):(32,1)")
    tile = (layout(4, 1), layout(8, 1))
    zipped = zipped_divide(a, tile)
    assert [mode.size for mode in zipped.modes()] == [32, 16]
    assert [mode.size for mode in tiled_divide(a, tile).modes()] == [32, 4, 4]
    assert crd2idx(((1, 2), (3, 1)), zipped) == (3 * 4 + 1) * 32 + 8 + 2
    product = zipped_product(parse("(2,2):(2,1)"), (layout(4, 1), layout(2, 1)))
    assert [mode.size for mode in product.modes()] == [4, 8]


def test_tile_to_shape_puts_whole_atoms_side_by_side():
    """The 128x64 f16 tile of CUTLASS's K-major examples: 16 atoms of 8x64, one below another."""
    tiled = tile_to_shape(parse("(8,64):(64,1)"), (128, 128), order=(0, 1))
    assert [mode.size for mode in tiled.modes()] == [128, 128]
    assert crd2idx((9, 3), tiled) == 8 * 64 + 64 + 3
    assert crd2idx((0, 64), tiled) == 128 * 64
    with pytest.raises(InputError, match="no whole number"):
        tile_to_shape(parse("(8,64):(64,1)"), (100, 64))


def test_swizzle_outside_the_domain_is_refused():
    for numbers in ((2, 0, 1), (2, 1, 0), (3, 0, -2)):
        with pytest.raises(InputError, match=r"\|S\| >= B"):
            Swizzle(*numbers)


@given(st.integers(0, 4), st.integers(0, 5), st.integers(0, 3), st.booleans())
def test_swizzle_is_a_bijection_its_own_inverse_and_periodic(bits, base, more, negative):
    shift = (bits + more) * (-1 if negative else 1)
    swizzle = Swizzle(bits, base, shift)
    at = np.arange(swizzle.period)
    assert (np.sort(swizzle(at)) == at).all()
    assert (swizzle(swizzle(at)) == at).all()
    assert (swizzle(at + swizzle.period) == swizzle(at) + swizzle.period).all()


def test_3_4_3_on_bytes_is_3_3_3_on_f16_and_tears_no_element():
    swizzle = Swizzle(3, 4, 3)
    halves = recast(swizzle, 8, 16)
    assert halves == Swizzle(3, 3, 3)
    at = np.arange(2048)
    assert (halves(at) * 2 == swizzle(at * 2)).all()
    assert recast(halves, 16, 8) == swizzle
    torn = recast(Swizzle(2, 0, 3), 8, 16)
    assert isinstance(torn, Refusal)
    assert "tears" in str(torn)


def test_pointer_swizzle_is_in_bytes_and_plain_swizzle_in_elements():
    by_bytes = memory(parse("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"))
    by_elements = memory(parse("Sw<3,3,3> o 0 o (8,64):(64,1)"))
    everything = points((8, 64))
    assert (by_bytes.offsets(everything) == by_elements.offsets(everything)).all()
    assert by_bytes.size == 512


@pytest.mark.parametrize(
    ("swizzle", "passes"),
    [("", 16), ("Sw<4,0,5> o 0 o ", 2), ("Sw<4,1,4> o 0 o ", 1)],
)
def test_worked_case_of_003_column_pair_read(swizzle, passes):
    """16x32 f32: row-major 16 passes, n XOR m 2, n XOR 2m 1; the row store always 1."""
    tile = memory(parse(swizzle + "(16,32):(32,1)"))
    lane = np.arange(32)
    read = tile.offsets(np.stack([lane % 16, lane // 16], axis=-1)) * 4
    write = tile.offsets(np.stack([0 * lane + 5, lane], axis=-1)) * 4
    assert int(count(machine("sm_90").instruction("ld.shared.b32"), read).passes) == passes
    assert int(count(machine("sm_90").instruction("st.shared.b32"), write).passes) == 1


def test_003_swizzles_on_bytes_are_those_on_elements():
    assert recast(Swizzle(4, 2, 5), 8, 32) == Swizzle(4, 0, 5)
    assert recast(Swizzle(4, 3, 4), 8, 32) == Swizzle(4, 1, 4)


def test_32x32_f32_transpose_is_free_with_5_2_5_on_bytes():
    tile = memory(parse("Sw<5,2,5> o smem_ptr[32b](unset) o (32,32):(32,1)"))
    lane, zero = np.arange(32), np.zeros(32, int)
    for index in ((lane, zero), (zero, lane)):
        at = tile.offsets(np.stack(index, axis=-1)) * 4
        assert int(count(machine("sm_90").instruction("ld.shared.b32"), at).extra) == 0


@pytest.mark.parametrize(("mode", "bits"), [("32B", (4, 7)), ("64B", (5, 8)), ("128B", (6, 9))])
def test_tma_mode_xors_bits_from_7_into_bits_from_4(mode, bits):
    """The formulas of the CUDA driver API: 32B bit 4 ^= bit 7, 64B bits 5:4, 128B bits 6:4."""
    at = np.arange(2048)
    to, source = bits
    wanted = at ^ (at >> 7 & (1 << source - 6) - 1) << 4
    assert (MODES[mode].swizzle(at) == wanted).all()
    assert MODES[mode].swizzle.period == MODES[mode].alignment_bytes == 128 << to - 3


def test_tma_box_wider_than_the_span_or_at_a_wrong_base_is_refused():
    assert isinstance(tma("128B", 64, 64, 16), ComposedLayout)
    assert "128" in str(tma("128B", 64, 128, 16))
    shifted = tma("128B", 64, 64, 16, base_bytes=512)
    assert isinstance(shifted, Refusal)
    assert "multiple of 1024" in shifted.reason


def test_a_reader_that_computes_from_a_misaligned_start_is_wrong():
    """TMA swizzles the absolute address: 512 bytes in, the pattern has another phase."""
    everything = points((8, 64))
    relative = memory(parse("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"))
    absolute = memory(parse("Sw<3,4,3> o smem_ptr[16b](512) o (8,64):(64,1)"))
    assert (absolute.offsets(everything) - 256 != relative.offsets(everything)).any()
    aligned = memory(parse("Sw<3,4,3> o smem_ptr[16b](1024) o (8,64):(64,1)"))
    assert (aligned.offsets(everything) - 512 == relative.offsets(everything)).all()


@pytest.mark.parametrize(
    ("mode", "major", "text"),
    [
        ("none", "K", "Sw<0,4,3> o smem_ptr[16b](unset) o (8,8):(8,1)"),
        ("32B", "K", "Sw<1,4,3> o smem_ptr[16b](unset) o (8,16):(16,1)"),
        ("64B", "K", "Sw<2,4,3> o smem_ptr[16b](unset) o (8,32):(32,1)"),
        ("128B", "K", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"),
        ("128B", "MN", "Sw<3,4,3> o smem_ptr[16b](unset) o (64,8):(1,64)"),
    ],
)
def test_wgmma_atoms_have_the_rows_of_mma_traits_sm90_gmma(mode, major, text):
    assert str(atom(mode, major, 16)) == text


def test_descriptor_of_a_k_major_128b_tile():
    """64 x 16 f16 out of an atom column: LBO 16 bytes, SBO 8 rows of 128 bytes, layout field 1."""
    tile = parse("Sw<3,4,3> o smem_ptr[16b](unset) o ((8,8),16):((64,512),1)")
    found = describe(tile, "K", 16, start_bytes=2048)
    assert found == MatrixDescriptor(2048, 16, 1024, 1)
    assert found.bits == 128 | 1 << 16 | 64 << 32 | 1 << 62
    assert read_descriptor(found.bits) == found
    assert found.mode == MODES["128B"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("major", ["K", "MN"])
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_canonical_layouts_and_descriptors_are_inverse(mode, major, bits):
    group = 128 // bits
    rows = max(64, 2 * MODES[mode].span_bytes * 8 // bits)
    leading = 4096 if (major, mode) != ("K", mode) or mode == "none" else 16
    depth = 2 * group
    descriptor = MatrixDescriptor(0, leading, 2048, MODES[mode].field)
    if major == "MN" and depth % 8:
        depth = 8
    strided = canonical(mode, major, (rows, depth), descriptor, bits)
    found = describe(ComposedLayout(MODES[mode].swizzle, 0, strided, bits), major, bits)
    if major == "MN" and depth == 8:
        assert isinstance(found, MatrixDescriptor)
        descriptor = MatrixDescriptor(0, found.leading_bytes, found.stride_bytes, MODES[mode].field)
        again = canonical(mode, major, (rows, depth), descriptor, bits)
        assert values(again) == values(strided)
    else:
        assert found == descriptor


def test_a_row_major_tile_that_no_descriptor_says_is_refused():
    found = describe(parse("(64,16):(20,1)"), "K", 16)
    assert isinstance(found, Refusal)
    assert "no canonical K-major layout" in found.reason
    found = describe(parse("Sw<2,4,2> o smem_ptr[16b](unset) o (64,16):(64,1)"), "K", 16)
    assert isinstance(found, Refusal)
    assert "no swizzle mode of wgmma" in found.reason


def test_descriptor_refuses_what_does_not_fit_14_bits():
    with pytest.raises(InputError, match="stride_bytes = 24"):
        _ = MatrixDescriptor(0, 16, 24, 1).bits


def test_code_of_both_languages():
    tile = parse("Sw<3,4,3> o smem_ptr[16b](unset) o (8,(2,32)):(64,(1,2))")
    assert cpp(tile) == (
        "make_composed_layout(Swizzle<3,4,3>{}, smem_ptr_flag_bits<16>{}, "
        "Layout<Shape<Int<8>, Shape<Int<2>, Int<32>>>, "
        "Stride<Int<64>, Stride<Int<1>, Int<2>>>>{})"
    )
    assert python(tile) == (
        "cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, "
        "cute.make_layout((8, (2, 32)), stride=(64, (1, 2))))"
    )


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("(8,64)", 7, "':' expected, not the end"),
        ("(8,64):(64)", 8, "not nested like the shape"),
        ("(8,0):(1,8)", 1, "mode of size 0"),
        ("(8,64):(1@0,1@1)", 10, "scaled basis"),
        ("Sw<2,0,1> o 0 o 8:1", 1, "|S| >= B"),
        ("Sz<2,0,2> o 0 o 8:1", 1, "unknown map 'Sz'"),
        ("Sw<3,4,3> o smem_ptr[12b](unset) o 8:1", 22, "elements of 12 bits"),
        ("(8,64):(64,1) x", 15, "'x' is left over"),
        ("():()", 3, "empty tuple"),
        ("(8,-1):(1,1)", 4, "whole number expected"),
    ],
)
def test_bad_text_names_place_rule_and_value(text, column, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        parse(text)
    assert (caught.value.location.line, caught.value.location.column) == (1, column)


def test_swizzles_alone_are_read():
    assert parse_swizzle("Swizzle<2,4,-3>") == Swizzle(2, 4, -3)


@given(st.text(alphabet="Sw<3,4>o 0(8):12_smem_ptr[]b{}unset-@", max_size=50))
def test_any_text_is_read_or_refused(text):
    with suppress(InputError):
        assert parse(str(parse(text))) == parse(text)


@given(
    st.sampled_from([*TEXTS, "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"]),
    st.integers(0, 60),
    st.integers(0, 4),
    st.sampled_from(["", "0", "(", ")", ":", ",", "_", "9" * 19, "-", " o ", "\n", "²"]),
)
def test_real_texts_with_a_hole_or_a_patch_are_read_or_refused(text, at, cut, patch):
    with suppress(InputError):
        found = parse(text[:at] + patch + text[at + cut :])
        assert parse(str(found)) == found
        tile = memory(found)
        assert isinstance(tile, Refusal) or tile.offsets(np.zeros((1, len(tile.shape)), int)).size


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 40)), min_size=1, max_size=4))
def test_coalesce_keeps_the_function(leaves):
    a = StridedLayout(tuple(s for s, _ in leaves), tuple(d for _, d in leaves))
    assert values(coalesce(a)) == values(a)
