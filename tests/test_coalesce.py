"""Global memory: each claim of the sources about transactions and cache sets, counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.counting.coalesce import (
    LINE_BYTES,
    CacheSwizzle,
    cache_sets,
    cache_swizzle,
    coalesce,
    sets_of_stride,
    swizzle_unit,
)
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine

LANE = np.arange(64)


@pytest.mark.parametrize(
    ("scenario", "width", "start", "stride", "lines", "percent"),
    [
        (1, 4, 0, 4, 16 // 4, 100),
        (2, 4, 0, 256, 64, 6.25),
        (3, 16, 0, 16, 16, 100),
        (4, 16, 0, 1024, 64, 25),
        (5, 16, 4, 16, 17, 94.1),
        (6, 4, 0, 4096, 64, 6.25),
        (7, 16, 0, 16, 16, 100),
    ],
)
def test_source_002_the_seven_scenarios(scenario, width, start, stride, lines, percent):
    """Scenario 5 starts at byte 4: 17 lines, where a wave of 64 x 16 bytes is said to be 16."""
    found = coalesce(start + stride * LANE, width, line_bytes=LINE_BYTES["amd"])
    assert int(found.lines) == lines
    assert int(found.useful_bytes) == 64 * width
    assert round(100 * float(found.efficiency), 2 if percent < 50 else 1) == percent


def test_source_002_a_misaligned_wave_straddles_with_one_lane_in_four_not_with_all():
    assert int(coalesce(4 + 16 * LANE, 16, line_bytes=64).straddling) == 16


def test_nvidia_requests_are_counted_in_sectors_of_32_bytes():
    warp = np.arange(32)
    sector = LINE_BYTES["nvidia"]
    assert int(coalesce(4 * warp, 4, line_bytes=sector).lines) == 4
    assert int(coalesce(4 * warp + 4, 4, line_bytes=sector).lines) == 5
    assert int(coalesce(32 * warp, 4, line_bytes=sector).lines) == 32


def test_bytes_that_several_lanes_want_are_useful_once():
    found = coalesce(np.zeros(64, int), 4, line_bytes=64)
    assert (int(found.lines), int(found.useful_bytes)) == (1, 4)


@given(
    st.lists(st.integers(0, 4000), min_size=1, max_size=12),
    st.integers(1, 40),
    st.sampled_from([1, 32, 64, 128]),
    st.data(),
)
def test_lines_and_useful_bytes_are_sets_of_bytes(offsets, width, line, data):
    active = data.draw(st.lists(st.booleans(), min_size=len(offsets), max_size=len(offsets)))
    wanted = [o for o, a in zip(offsets, active, strict=True) if a]
    touched = {byte for o in wanted for byte in range(o, o + width)}
    over = sum(o // line != (o + width - 1) // line for o in wanted)
    found = coalesce(np.array(offsets), width, line_bytes=line, active=np.array(active))
    assert int(found.lines) == len({byte // line for byte in touched})
    assert int(found.useful_bytes) == len(touched)
    assert int(found.straddling) == over
    assert 0 <= float(found.efficiency) <= 1


def test_waves_are_counted_one_by_one():
    waves = np.stack([4 * LANE, 256 * LANE])
    assert coalesce(waves, 4, line_bytes=64).lines.tolist() == [4, 64]


@pytest.mark.parametrize(
    ("stride", "sets"), [(4, 4), (64, 4), (128, 4), (256, 2), (512, 1), (1024, 1), (640, 4)]
)
def test_source_004_one_set_begins_at_512_bytes_not_at_256(stride, sets):
    """The page says that strides from 2^8 on may all map to one set."""
    assert sets_of_stride(machine("gfx942"), stride) == sets


def test_a_set_is_chosen_by_address_bits_7_and_8():
    offsets = np.array([0, 127, 128, 256, 384, 511, 512])
    assert cache_sets(machine("gfx942"), offsets).tolist() == [3, 1, 1, 2]


def test_a_machine_without_known_sets_says_so():
    with pytest.raises(InputError, match="not documented"):
        cache_sets(machine("sm_90"), [0])


def test_source_001_passes_elements_where_bytes_are_meant():
    told = swizzle_unit(1024, row_elements=1024, element_bytes=2)
    assert isinstance(told, Refusal)
    assert "that is elements" in told.reason
    assert "2048 bytes" in told.reason
    assert swizzle_unit(2048, row_elements=1024, element_bytes=2) is None


def test_the_stride_operand_is_the_stride_with_bit_14_set():
    found = cache_swizzle(2048)
    assert isinstance(found, CacheSwizzle)
    assert found.operand == 2048 | 0x4000
    assert found.immediate == 2048


def test_a_stride_of_8192_is_the_last_one_and_prints_as_minus_8192_in_14_bits():
    found = cache_swizzle(8192)
    assert isinstance(found, CacheSwizzle)
    assert found.immediate == -8192
    assert found.operand & 0x3FFF == 8192


@pytest.mark.parametrize(
    ("stride", "words"),
    [(16384, "the 14-bit field keeps 0"), (8320, "above 8192"), (0, "positive")],
)
def test_a_stride_that_the_descriptor_cannot_hold_is_refused(stride, words):
    refused = cache_swizzle(stride)
    assert isinstance(refused, Refusal)
    assert words in refused.reason


@pytest.mark.parametrize(
    ("offsets", "width", "active", "words"),
    [
        ([-4, 0], 4, None, "offset -4"),
        ([0.5], 4, None, "whole bytes"),
        ([0], 0, None, "0 bytes"),
        ([0, 4], 4, [1, 0], "booleans"),
        ([0, 4], 4, [True, False, True], "does not fit"),
        (3, 4, None, "whole bytes"),
    ],
)
def test_bad_addresses_are_named(offsets, width, active, words):
    mask = None if active is None else np.array(active)
    with pytest.raises(InputError, match=words):
        coalesce(np.array(offsets), width, line_bytes=64, active=mask)
