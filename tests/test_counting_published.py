"""Counts that others published: six kernels with their counters, three documents with arithmetic.

Expectations are the published numbers; offsets are built here from the published layouts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from bankwise.counting.access import Allocation
from bankwise.counting.conflict import Count, count, words_touched
from bankwise.errors import Location
from bankwise.hardware.machine import machine

Array = npt.NDArray[np.int64]
Layout = Callable[[Array, Array], Array]
LANES = np.arange(64)


# LDS Bank Conflicts on CDNA (A. H. Ghamarian): an fp16 tile of 64 x 32 through LDS, transposed.

M_ROWS, K_COLUMNS, PACK, F16 = 64, 32, 8, 2
WAVES = 4
RUNS_PER_WAVE = 1024 * 8
"""1,024 workgroups times 8 blocks of k: M = 65,536, K = 256."""


@dataclass(frozen=True)
class Encoding:
    """A ck_tile distribution: ``hs`` lengths of the two dimensions, ``warp`` and ``lane`` the
    (dimension, minor) pairs that each splits into, ``element`` the one of the vector."""

    hs: tuple[tuple[int, ...], tuple[int, ...]]
    warp: tuple[tuple[int, int], ...]
    lane: tuple[tuple[int, int], ...]
    element: tuple[int, int]

    def coordinates(self, warp: Array, lane: Array, element: Array) -> tuple[Array, Array]:
        """(m, k) of one element; last listed digit fastest, missing digits 0."""
        digits = dict(self._split(self.warp, warp)) | dict(self._split(self.lane, lane))
        digits[self.element] = element
        m, k = (
            sum(
                digits.get((axis, minor), np.int64(0)) * prod(lengths[minor + 1 :])
                for minor in range(len(lengths))
            )
            for axis, lengths in enumerate(self.hs)
        )
        return np.asarray(m), np.asarray(k)

    def _split(
        self, places: tuple[tuple[int, int], ...], index: Array
    ) -> list[tuple[tuple[int, int], Array]]:
        out = []
        for axis, minor in reversed(places):
            out.append(((axis, minor), index % self.hs[axis][minor]))
            index = index // self.hs[axis][minor]
        return out


DIST_MK = Encoding(((1, 4, 16), (4, 8)), ((0, 1),), ((0, 2), (1, 0)), (1, 1))
DIST_KM = Encoding(((8, 8), (1, 4, 8)), ((1, 1),), ((1, 2), (0, 0)), (0, 1))
READ_08 = Encoding(((1, 8, 8), (4, 8)), ((1, 0),), ((0, 1), (0, 2)), (1, 1))
READ_10 = Encoding(((8, 8), (4, 8, 1)), ((1, 0),), ((0, 0), (1, 1)), (0, 1))


def xor_layout(banks: int, pad: int = 0) -> Layout:
    """CK's XOR descriptor: rows of several m, chunks of PACK elements permuted by the row."""
    joined = max(1, banks * 4 // K_COLUMNS // F16)

    def offset(m: Array, k: Array) -> Array:
        row, part = m // joined, m % joined
        chunk = part * (K_COLUMNS // PACK) + k // PACK
        chunk = chunk ^ (row % (K_COLUMNS // PACK * joined))
        return row * (K_COLUMNS + pad) * joined + chunk * PACK + k % PACK

    return offset


def extra(target: str, name: str, encoding: Encoding, layout: Layout, vector: int) -> int:
    """Extra of all waves of a workgroup for one tile moved in pieces of ``vector`` elements."""
    warp, lane, first = np.meshgrid(
        np.arange(WAVES), LANES, np.arange(0, PACK, vector), indexing="ij"
    )
    m, k = encoding.coordinates(warp, lane, first)
    offsets = (layout(m, k) * F16).swapaxes(1, 2)
    return int(count(machine(target).instruction(name), offsets).extra.sum())


def kernel(target: str, number: str, banks: int) -> int:
    """Extra of kernel ``number`` in a workgroup, write and read of one tile."""
    b128, u16, b16, two = "ds_write_b128", "ds_read_u16", "ds_write_b16", "ds_write2_b32"
    plans: dict[str, tuple[Layout, str, int, Encoding, str, int]] = {
        "01": (lambda m, k: 32 * m + k, b128, 8, DIST_KM, u16, 1),
        "02": (lambda m, k: m + 64 * k, b16, 1, DIST_KM, "ds_read_b128", 8),
        "03": (lambda m, k: 34 * m + k, two, 4, DIST_KM, u16, 1),
        "04": (xor_layout(32), b128, 8, DIST_KM, u16, 1),
        "05": (xor_layout(32, pad=1), b128, 8, DIST_KM, u16, 1),
        "07": (xor_layout(32), b128, 8, READ_08, "ds_read_b128", 8),
        "08": (xor_layout(banks), b128, 8, READ_08, "ds_read_b128", 8),
        "10": (xor_layout(banks), b128, 8, READ_10, u16, 1),
    }
    layout, write, elements, reader, read, read_elements = plans[number]
    written = extra(target, write, DIST_MK, layout, elements)
    return written + extra(target, read, reader, layout, read_elements)


def test_the_encodings_give_every_lane_what_the_tutorial_says() -> None:
    warp, lane, j = np.meshgrid(np.arange(WAVES), LANES, np.arange(8), indexing="ij")
    said = {
        DIST_MK: (16 * warp + lane // 4, 8 * (lane % 4) + j),
        DIST_KM: (8 * (lane % 8) + j, 8 * warp + lane // 8),
        READ_08: (lane, 8 * warp + j),
        READ_10: (8 * (lane // 8) + j, 8 * warp + lane % 8),
    }
    for encoding, (m, k) in said.items():
        ours = encoding.coordinates(warp, lane, j)
        np.testing.assert_array_equal(ours[0], m)
        np.testing.assert_array_equal(ours[1], k)
        assert len(set(zip(m.flat, k.flat, strict=True))) == M_ROWS * K_COLUMNS


PUBLISHED = {"01": 3_670_016, "02": 1_572_864, "03": 786_432, "05": 0, "08": 0, "10": 0}


@pytest.mark.parametrize(("number", "counter"), PUBLISHED.items())
def test_the_published_counters_follow_from_gfx950_and_64_banks(number: str, counter: int) -> None:
    assert kernel("gfx950", number, banks=64) * RUNS_PER_WAVE == counter


@pytest.mark.parametrize(("number", "counter"), (PUBLISHED | {"10": 524_288}).items())
def test_gfx942_contradicts_the_published_counter_of_kernel_10(number: str, counter: int) -> None:
    assert kernel("gfx942", number, banks=32) * RUNS_PER_WAVE == counter


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_kernel_04_has_the_3072_residual_conflicts_of_the_small_run(target: str) -> None:
    """M = 256, K = 128: 4 workgroups of 4 k-blocks, 64 wave-iterations of 48."""
    assert kernel(target, "04", banks=32) * (4 * 4) == 3072


def test_kernel_03_cannot_tell_two_readings_of_write2_apart() -> None:
    """Its write row fits both, so it is no evidence for either."""
    chosen = machine("gfx950").instruction("ds_write2_b32")
    other = machine("gfx950").instruction("ds_write_b64")
    m, k = DIST_MK.coordinates(np.int64(0), LANES, np.int64(0))
    first = (34 * m + k) * F16
    for row in (chosen, replace(other, name="ds_write2_b32")):
        assert sum(int(count(row, first + 8 * half).extra) for half in (0, 1)) == 8


def test_a_32_bank_descriptor_leaves_4_extra_per_wave_on_gfx950() -> None:
    assert kernel("gfx950", "07", banks=32) == 4 * WAVES


# IREE swizzling talk (AMD): banks of padded and swizzled rows.


@pytest.mark.parametrize(
    ("element_bytes", "pitches"), [(4, (32, 128)), (2, (64, 128))], ids=["f32", "f16"]
)
def test_rows_of_a_power_of_two_pitch_start_on_one_bank(
    element_bytes: int, pitches: tuple[int, int]
) -> None:
    row = machine("gfx942").instruction("ds_read_b32")
    for pitch in pitches:
        assert pitch * element_bytes // 4 % row.banks == 0
        column = count(row, LANES * pitch * element_bytes)
        assert int(column.ways) == 32


def test_a_pitch_of_132_puts_row_r_on_banks_2r_and_2r_plus_1() -> None:
    row = machine("gfx942").instruction("ds_read_b64")
    for r in range(16):
        words = words_touched(row, r * 132 * F16)
        assert [word % row.banks for word in words] == [2 * r, 2 * r + 1]


@pytest.mark.parametrize(("pitch", "padded", "percent"), [(128, 132, 3.125), (64, 68, 6.25)])
def test_padding_costs_lds(pitch: int, padded: int, percent: float) -> None:
    def size(columns: int) -> int:
        where = Location("talk.mlir")
        return Allocation("tile", "k", where, (64, columns), (columns, 1), 2, "f16").size_bytes

    assert (size(padded) / size(pitch) - 1) * 100 == percent


def xor_shuffle(width: int, unit: int, stride: int, per_phase: int, offset: Array) -> Array:
    """#iree_codegen.xor_shuffle<width, unit, stride, per_phase> of an element offset."""
    start = offset - offset % unit
    column, row = start % width // unit, start // stride // per_phase % (width // unit)
    return start - start % width + (column ^ row) * unit + offset % unit


def test_tile_3_8_moves_from_element_392_to_388_on_bank_2() -> None:
    moved = int(xor_shuffle(128, 4, 128, 1, np.int64(3 * 128 + 8)))
    assert (moved, moved * F16) == (388, 776)
    row = machine("gfx942").instruction("ds_read_b64")
    assert words_touched(row, moved * F16)[0] % row.banks == 2


def readback(offset: Callable[[Array], Array] | None = None, pitch: int = 128) -> Count:
    """The 16 x 16 MFMA operand in f16: lane l reads 4 elements of row l % 16."""
    elements = LANES % 16 * pitch + LANES // 16 * 4
    moved = offset(elements) if offset else elements
    return count(machine("gfx942").instruction("ds_read_b64"), moved * F16)


def test_the_mfma_readback_is_16_way_in_each_of_4_phases() -> None:
    naive = readback()
    assert (int(naive.ways), int(naive.passes), int(naive.ideal)) == (16, 64, 4)


def test_padding_and_xor_shuffle_free_the_mfma_readback() -> None:
    assert int(readback(pitch=132).extra) == 0
    assert int(readback(lambda o: xor_shuffle(128, 4, 128, 1, o)).extra) == 0


# Wave MI350 LDS swizzling: a 32 x 64 tile of f16 read 8 elements a lane, row l % 16, chunk l // 16.


def wave_tile(swizzled: bool) -> Array:
    row, chunk = LANES % 16, LANES // 16
    return row * 128 + (chunk ^ (row % 8) if swizzled else chunk) * 16


def test_the_wave_tile_is_4_way_with_lanes_0_2_12_14_on_banks_0_to_3() -> None:
    naive = count(machine("gfx950").instruction("ds_read_b128"), wave_tile(swizzled=False))
    assert (int(naive.passes), int(naive.ideal), int(naive.ways)) == (16, 4, 4)
    assert naive.witness is not None
    assert (naive.witness.phase, naive.witness.lanes) == (0, (0, 2, 12, 14))
    assert naive.witness.banks == (0, 1, 2, 3)
    assert str(naive.witness) == ("lanes 0, 2, 12, 14 of phase 0 want different words of banks 0-3")


def test_the_wave_swizzle_moves_thread_1_to_banks_36_to_39_and_frees_the_tile() -> None:
    row = machine("gfx950").instruction("ds_read_b128")
    offsets = wave_tile(swizzled=True)
    assert [word % 64 for word in words_touched(row, int(offsets[1]))] == [36, 37, 38, 39]
    result = count(row, offsets)
    assert (int(result.passes), int(result.extra)) == (4, 0)
    assert result.witness is None


# Swizzle by Hand, Swizzle by Algebra: a 16 x 32 tile of f32, written by rows, read in column pairs.


@pytest.mark.parametrize(("shift", "passes"), [(None, 16), (0, 2), (1, 1)])
def test_the_transposed_read_takes_16_then_2_then_1_passes(shift: int | None, passes: int) -> None:
    lane = np.arange(32)

    def offset(m: Array, n: Array) -> Array:
        return (32 * m + (n if shift is None else n ^ m << shift)) * 4

    for step in range(16):
        read = offset(lane % 16, 2 * step + lane // 16)
        written = offset(np.full(32, step), lane)
        assert int(count(machine("sm_90").instruction("ld.shared.b32"), read).passes) == passes
        assert int(count(machine("sm_90").instruction("st.shared.b32"), written).passes) == 1
