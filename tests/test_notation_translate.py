"""One tile, all notations: the same offsets on every element, or a reason."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.algebra.address import Identity, Padded, Rotated
from bankwise.algebra.layout import Layout
from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.notation import cute, triton, wave
from bankwise.notation.cute import ComposedLayout, StridedLayout
from bankwise.notation.cute.fit import to_cute
from bankwise.notation.framework import Ground
from bankwise.notation.frameworks import framework, translations
from bankwise.notation.iree import RotateRows, XorShuffle
from bankwise.notation.linear import LinearMemory
from bankwise.notation.triton.encodings import SharedLinear, SwizzledShared
from bankwise.notation.triton.fit import to_triton_shared
from bankwise.notation.values import Mapped, MemoryTable, memory_from_linear, points, tabulate

SWIZZLE = "#ttg.swizzled_shared<{vec = %d, perPhase = %d, maxPhase = %d, order = [1, 0]}>"


def ground(memory, bits=16):
    return Ground(Shape(tuple(zip("nm", reversed(memory.shape), strict=True)), bits))


def said(name, memory):
    return framework(name).write(memory, ground(memory))


def offsets(value, shape):
    """The offsets that a translation's own text means, on every element, by parsing it again."""
    everything = points(shape)
    match value:
        case StridedLayout() | ComposedLayout():
            return cute.memory(cute.parse(str(value))).offsets(everything)
        case Layout():
            return memory_from_linear(value).offsets(everything)
        case XorShuffle() | RotateRows() | Padded() | Rotated() | Identity():
            return Mapped(shape, value).offsets(everything)
        case wave.SwizzledTile():
            return wave.parse_swizzle(str(value)).offsets(everything)
        case _ if str(value).startswith("#ttg"):
            return triton.memory(triton.parse_shared(str(value)), shape).offsets(everything)
    return value.offsets(everything)


def check(memory):
    """Every translation that is none of the refusals says the same; the others give a reason."""
    wanted = memory.offsets(points(memory.shape))
    found = translations(memory, ground(memory))
    for name, value in found.items():
        if isinstance(value, Refusal):
            assert len(value.reason) > 20, name
        else:
            assert (offsets(value, memory.shape) == wanted).all(), name
    return {name for name, value in found.items() if not isinstance(value, Refusal)}


def test_one_16_byte_xor_tile_in_every_notation_that_has_xor():
    tile = triton.memory(triton.parse_shared(SWIZZLE % (8, 1, 8)), (64, 64))
    assert check(tile) == {"xor", "cute", "triton", "iree", "wave", "ck"}
    assert str(to_cute(tile)) == "Sw<3,3,3> o 0 o (64,64):(64,1)"
    assert str(to_triton_shared(tile)) == SWIZZLE % (8, 1, 8)
    assert said("iree", tile) == XorShuffle(64, 8)
    assert said("wave", tile) == wave.SwizzledTile(64, 64, 8, 8)


def test_a_row_major_tile_in_every_notation():
    tile = cute.memory(cute.parse("(32,64):(64,1)"))
    assert check(tile) == set(translations(tile, ground(tile))) - {"padding", "rotation"}


def test_padding_is_said_by_strides_and_refused_by_permutations():
    tile = Mapped((64, 64), Padded(64, 4))
    assert check(tile) == {"cute", "triton", "padding", "ck"}
    assert str(to_cute(tile)) == "(64,64):(68,1)"
    assert str(to_triton_shared(tile)) == (
        "#ttg.padded_shared<[64:+4] {order = [1, 0], shape = [64, 64]}>"
    )
    assert said("padding", tile) == Padded(64, 4)
    assert "has no padding" in str(said("iree", tile))


def test_padding_by_3_is_no_power_of_two_for_triton():
    found = to_triton_shared(Mapped((64, 64), Padded(64, 3)))
    assert isinstance(found, Refusal)
    assert "a gap of 3 elements" in found.reason


def test_rotation_is_iree_only():
    tile = Mapped((64, 64), RotateRows(64, 8))
    assert check(tile) == {"iree rotate_rows", "rotation"}
    assert said("iree rotate_rows", tile) == RotateRows(64, 8)
    assert "not linear over F2" in str(to_cute(tile))
    assert "not linear over F2" in str(to_triton_shared(tile))


def test_rotating_shared_is_more_than_one_field_of_bits():
    text = "#ttg.amd_rotating_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
    tile = triton.memory(triton.parse_shared(text), (128, 64))
    assert check(tile) == {"triton", "xor"}
    assert str(to_triton_shared(tile)) == text
    assert "no single field of bits" in str(to_cute(tile))


@pytest.mark.parametrize("width", [32, 64, 128])
def test_nvmma_shared_is_a_tma_box_and_a_cute_swizzle(width):
    text = (
        f"#ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = false, "
        "elementBitWidth = 16}>"
    )
    tile = triton.memory(triton.parse_shared(text), (64, 64))
    found = to_cute(tile)
    assert isinstance(found, ComposedLayout)
    bits = width.bit_length() - 5
    assert found.swizzle == cute.Swizzle(bits, 3, 3)
    check(tile)


def test_a_general_xor_is_shared_linear_only():
    """Column bit 0 gets the sum of all row bits: no framework but the bases themselves."""
    bases = ((0, 1), (0, 2), (0, 4), (1, 1), (2, 1), (4, 1))
    tile = LinearMemory((8, 8), bases)
    assert check(tile) == {"triton", "xor"}
    assert to_triton_shared(tile) == SharedLinear(bases)


def test_sizes_that_are_no_powers_of_two_are_no_shared_encoding():
    tile = cute.memory(cute.parse("(24,40):(40,1)"))
    found = to_triton_shared(tile)
    assert isinstance(found, Refusal)
    assert "powers of two" in found.reason
    assert str(to_cute(tile)) == "(24,40):(40,1)"


def test_a_memory_without_strides_is_refused_everywhere():
    table = np.arange(64).reshape(8, 8)
    table[0, 1], table[3, 5] = table[3, 5], table[0, 1]
    assert check(MemoryTable(table, 64)) == set()


def test_ck_has_the_xor_descriptor_of_its_pipelines():
    tile = triton.memory(triton.parse_shared(SWIZZLE % (8, 1, 8)), (64, 64))
    found = said("ck", tile)
    assert not isinstance(found, Refusal)
    assert (found.offsets(points((64, 64))) == tile.offsets(points((64, 64)))).all()


@given(
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([1, 2, 4, 8]),
    st.permutations([0, 1]),
    st.sampled_from([(16, 32), (32, 16), (64, 8), (8, 64)]),
)
def test_every_swizzled_shared_is_found_again(vec, per_phase, max_phase, order, shape):
    tile = triton.memory(SwizzledShared(vec, per_phase, max_phase, tuple(order)), shape)
    found = to_triton_shared(tile)
    assert not isinstance(found, Refusal)
    assert (offsets(found, shape) == tile.offsets(points(shape))).all()


@given(st.integers(1, 3), st.integers(0, 3), st.integers(0, 2), st.booleans(), st.booleans())
def test_every_composed_layout_is_found_again(bits, base, more, negative, column_major):
    shift = (bits + more) * (-1 if negative else 1)
    strided = "(32,64):(1,32)" if column_major else "(32,64):(64,1)"
    tile = cute.memory(cute.parse(f"Sw<{bits},{base},{shift}> o 0 o {strided}"))
    found = to_cute(tile)
    assert not isinstance(found, Refusal)
    assert (tabulate(cute.memory(found)).table == tabulate(tile).table).all()


@given(st.sampled_from([16, 32, 64]), st.sampled_from([1, 2, 4, 8]), st.sampled_from([0, 1, 2]))
def test_every_xor_shuffle_is_found_again(width, group, per_phase):
    try:
        shuffle = XorShuffle(width, group, 64, per_phase)
    except InputError:
        return
    tile = Mapped((32, 64), shuffle)
    found = said("iree", tile)
    assert isinstance(found, XorShuffle)
    assert (found(np.arange(2048)) == shuffle(np.arange(2048))).all()
