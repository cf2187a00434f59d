"""Operands of mma.sync and wgmma, ldmatrix and stmatrix: PTX's formulas, CuTe's atoms, counts."""

import json
from pathlib import Path

import numpy as np
import pytest

from bankwise.counting.conflict import count
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.notation.cute import memory, parse, thread_value
from bankwise.notation.nvidia_mma import (
    MMA_SYNC,
    fragment,
    ldmatrix_offsets,
    ldmatrix_result,
    ldmatrix_rows,
    wgmma_accumulator,
    wgmma_operand,
)
from bankwise.notation.triton import distribution
from bankwise.notation.triton import parse as triton
from bankwise.notation.values import same

GOLDEN = json.loads((Path(__file__).parent / "data" / "cute_golden.json").read_text())
ATOMS = [case[1:] for case in GOLDEN if case[0] == "mma"]
A_CORNERS = ((0, 0), (8, 0), (0, 8), (8, 8))

# PTX ISA: g = lane / 4, t = lane mod 4, i = register; (row, column) of A, B, C.
PTX = {
    "m16n8k16.f16": (
        lambda g, t, i: (g + 8 * (i // 2 % 2), 2 * t + i % 2 + 8 * (i // 4)),
        lambda g, t, i: (2 * t + i % 2 + 8 * (i // 2), g),
    ),
    "m16n8k8.f16": (
        lambda g, t, i: (g + 8 * (i // 2), 2 * t + i % 2),
        lambda g, t, i: (2 * t + i, g),
    ),
    "m16n8k8.tf32": (
        lambda g, t, i: (g + 8 * (i % 2), t + 4 * (i // 2)),
        lambda g, t, i: (t + 4 * i, g),
    ),
    "m16n8k32.s8": (
        lambda g, t, i: (g + 8 * (i // 4 % 2), 4 * t + i % 4 + 16 * (i // 8)),
        lambda g, t, i: (4 * t + i % 4 + 16 * (i // 4), g),
    ),
}


def held(distribution):
    """(row, column) of every lane and register of the first warp."""
    return distribution.coordinates()[0]


def test_every_instruction_has_ptx_formulas():
    assert set(PTX) == set(MMA_SYNC)


@pytest.mark.parametrize("name", MMA_SYNC)
def test_operands_are_the_fragments_of_the_ptx_isa(name):
    formulas = (*PTX[name], lambda g, t, i: (g + 8 * (i // 2), 2 * t + i % 2))
    for operand, formula in zip("ABC", formulas, strict=True):
        found = fragment(name, operand)
        for lane in range(32):
            for i in range(found.registers):
                assert tuple(held(found)[lane, i]) == formula(lane // 4, lane % 4, i)


@pytest.mark.parametrize(("name", "operand", "text"), ATOMS)
def test_operands_agree_with_the_atoms_of_tensor_layouts(name, operand, text):
    """An atom sends (lane, register) to the column-major element; B is stored N x K."""
    if name.startswith("wgmma"):
        found = wgmma_accumulator(int(name.split("x")[1]))
    else:
        found = fragment(name, operand)
    tile = found.shape[::-1] if operand == "B" else found.shape
    wanted = thread_value(parse(text), tile).coordinates()
    assert (found.coordinates() == (wanted[..., ::-1] if operand == "B" else wanted)).all()


def test_a_thread_value_layout_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match="no whole waves of 32"):
        thread_value(parse("(24,2):(1,24)"), (8, 6))
    with pytest.raises(InputError, match="names element 63"):
        thread_value(parse("(32,2):(1,32)"), (8, 4))


@pytest.mark.parametrize("columns", [8, 64, 256])
def test_wgmma_accumulator_is_tritons_version_3(columns):
    text = (
        "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], "
        f"instrShape = [16, {columns}, 16]}}>"
    )
    assert same(wgmma_accumulator(columns), distribution(triton(text), (64, columns)))


def test_wgmma_operand_is_tritons_version_3():
    text = (
        "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, "
        "warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>, kWidth = 2}>"
    )
    assert same(wgmma_operand("m16n8k16.f16"), distribution(triton(text), (64, 16)))


def test_a_of_m16n8k16_is_loaded_by_lanes_that_address_row_l_mod_16():
    rows, active = ldmatrix_rows(A_CORNERS)
    lane = np.arange(32)
    assert active.all()
    assert (rows == np.stack([lane % 16, 8 * (lane // 16)], axis=-1)).all()


def test_ldmatrix_x4_delivers_operand_a_and_trans_operand_b():
    assert same(ldmatrix_result(A_CORNERS, (16, 16)), fragment("m16n8k16.f16", "A"))
    corners = ((0, 0), (8, 0))
    assert same(ldmatrix_result(corners, (16, 8), transposed=True), fragment("m16n8k16.f16", "B"))


def test_ldmatrix_of_one_matrix_takes_8_addresses():
    _, active = ldmatrix_rows(((0, 0),))
    assert active.nonzero()[0].tolist() == list(range(8))
    with pytest.raises(InputError, match="1, 2 or 4"):
        ldmatrix_rows(((0, 0),) * 3)


@pytest.mark.parametrize(
    ("text", "extra"),
    [
        ("(16,64):(64,1)", 28),
        ("Sw<3,4,3> o smem_ptr[16b](unset) o (16,64):(64,1)", 0),
        ("Sw<2,4,3> o smem_ptr[16b](unset) o (16,64):(64,1)", 4),
        ("(16,64):(72,1)", 0),
    ],
)
def test_ldmatrix_x4_of_128_byte_rows(text, extra):
    """Rows of 128 bytes: eight rows of a matrix meet in four banks, unless swizzled or padded."""
    rows, active = ldmatrix_rows(A_CORNERS)
    offsets = ldmatrix_offsets(memory(parse(text)), rows, active)
    assert not isinstance(offsets, Refusal)
    instruction = machine("sm_90").instruction("ldmatrix.x4")
    assert int(count(instruction, offsets, active).extra) == extra


def test_a_swizzle_below_16_bytes_tears_the_rows_of_ldmatrix():
    rows, active = ldmatrix_rows(A_CORNERS)
    torn = ldmatrix_offsets(memory(parse("Sw<3,2,4> o 0 o (16,64):(64,1)")), rows, active)
    assert isinstance(torn, Refusal)
    assert "are torn" in torn.reason
    odd = ldmatrix_offsets(memory(parse("(16,64):(68,1)")), rows, active)
    assert isinstance(odd, Refusal)
    assert "lane 1 needs the 16 bytes from element (1, 0)" in odd.reason


def test_unknown_shapes_are_refused_with_the_known_ones():
    with pytest.raises(InputError, match="m16n8k4"):
        fragment("m16n8k4", "A")
    with pytest.raises(InputError, match="steps of 8"):
        wgmma_accumulator(20)
