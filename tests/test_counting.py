"""Counting against hardware, against a second writing of the rule, and against bad input."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bankwise.counting.access import distinct
from bankwise.counting.conflict import Count, count, words_touched
from bankwise.errors import InputError
from bankwise.hardware.machine import Instruction, machine, names
from brute import brute_count

CALIBRATION = Path(__file__).parent / "data" / "h200_calibration.csv"
"""1,600 single-warp accesses and what the counters of an H200 said about each."""

ROWS = [row for name in names() for row in machine(name).instructions.values()]


def calibration() -> dict[str, list[dict[str, str]]]:
    """The rows of the calibration file by the name of the instruction."""
    groups: dict[str, list[dict[str, str]]] = defaultdict(list)
    with CALIBRATION.open() as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            shared = "shared" in row["op"]
            bits = f".b{8 * int(row['width_bytes'])}" if shared else ""
            groups[row["op"] + bits].append(row)
    return groups


def test_the_calibration_file_is_whole() -> None:
    groups = calibration()
    assert sum(map(len, groups.values())) == 1600
    assert len(groups) == 2 * 5 + 5


@pytest.mark.parametrize("name", sorted(calibration()))
def test_the_counters_of_an_h200_are_reproduced_exactly(name: str) -> None:
    rows = calibration()[name]
    offsets = np.array([[int(x) for x in row["offsets_bytes"].split()] for row in rows])
    masks = np.array([int(row["active_mask"], 16) for row in rows])
    result = count(
        machine("sm_90").instruction(name), offsets, masks[:, None] >> np.arange(32) & 1 > 0
    )
    assert result.passes.tolist() == [int(row["passes"]) for row in rows]
    assert result.extra.tolist() == [int(row["conflicts"]) for row in rows]


@st.composite
def accesses(draw: st.DrawFn) -> tuple[Instruction, list[int], list[int], list[bool]]:
    """Any instruction of any machine, with offsets that it accepts: many of them shared."""
    row = draw(st.sampled_from(ROWS))
    step = row.alignment_bytes if row.alignment_bytes > 1 else draw(st.sampled_from([1, 2, 4, 16]))
    lanes = row.wave_size
    pitch, spread = draw(st.integers(0, 80)), draw(st.sampled_from([1, 4, 64, 1024]))
    jitter = st.lists(st.integers(0, spread), min_size=lanes, max_size=lanes)
    every = draw(st.sampled_from([1, 2, 4]))

    def offsets() -> list[int]:
        return [step * (lane // every * pitch + j) for lane, j in enumerate(draw(jitter))]

    first = offsets()
    second = offsets() if row.addresses == 2 else first
    pair = draw(st.sampled_from([0, 1, 2]))
    first = [first[lane & ~pair] for lane in range(lanes)]
    active = draw(st.lists(st.booleans(), min_size=lanes, max_size=lanes) | st.just([True] * lanes))
    return row, first, second, active


@settings(max_examples=300)
@given(accesses())
def test_counting_agrees_with_a_second_writing_of_the_rule(
    access: tuple[Instruction, list[int], list[int], list[bool]],
) -> None:
    row, first, second, active = access
    two = row.addresses == 2
    rounds = [first, second] if two else [first]
    result = count(row, first, active, second_offsets_bytes=second if two else None)
    expected = brute_count(row, rounds, active)
    assert (int(result.passes), int(result.ideal), int(result.ways)) == expected
    assert (result.witness is None) == (expected[0] == expected[1])


@given(accesses())
def test_the_witness_collides_as_it_says(
    access: tuple[Instruction, list[int], list[int], list[bool]],
) -> None:
    row, first, _, active = access
    result = count(row, first, active)
    if result.witness is None or row.addresses == 2:
        return
    seen = result.witness
    assert len(set(seen.lanes)) == int(result.ways)
    assert row.serial or len(set(seen.words)) == int(result.ways)
    for lane, word in zip(seen.lanes, seen.words, strict=True):
        assert active[lane]
        assert word in words_touched(row, first[lane])
        assert word % row.banks == seen.bank
    assert seen.bank in seen.banks


def test_a_witness_is_of_what_was_counted_whatever_becomes_of_the_arrays() -> None:
    offsets, active = 128 * np.arange(32), np.arange(32) < 2
    found = count(machine("sm_90").instruction("ld.shared.b32"), offsets, active)
    offsets[:], active[:] = 0, False
    assert found.witness is not None
    assert (found.witness.bank, found.witness.lanes, found.witness.words) == (0, (0, 1), (0, 32))


def test_many_waves_are_counted_like_one_after_the_other() -> None:
    row = machine("gfx950").instruction("ds_read_b128")
    offsets = np.random.default_rng(7).integers(0, 4096, (3, 5, 64)) * 16
    together = count(row, offsets)
    assert together.passes.shape == (3, 5)
    for wave in np.ndindex(3, 5):
        assert int(together.passes[wave]) == int(count(row, offsets[wave]).passes)


def test_the_second_address_follows_the_first_by_default() -> None:
    row = machine("gfx942").instruction("ds_read2_b64")
    offsets = np.arange(64) * 272
    behind = count(row, offsets, second_offsets_bytes=offsets + 8)
    assert int(count(row, offsets).passes) == int(behind.passes)


def test_an_access_without_active_lanes_costs_nothing() -> None:
    result = count(machine("gfx942").instruction("ds_read_b32"), np.arange(64) * 128, False)
    assert (int(result.passes), int(result.ideal), int(result.extra)) == (0, 0, 0)


def test_no_accesses_give_no_counts() -> None:
    empty = np.zeros((0, 64), np.int64)
    result = count(machine("gfx942").instruction("ds_read_b32"), empty)
    assert result.passes.shape == (0,)
    assert result.witness is None


@pytest.mark.parametrize(
    ("name", "bytes_apart"), [("ds_read_u16", 2), ("ds_write_b16", 2), ("ds_read_u8", 1)]
)
def test_lanes_in_the_same_word_never_conflict(name: str, bytes_apart: int) -> None:
    result = count(machine("gfx942").instruction(name), np.arange(64) * bytes_apart)
    assert int(result.extra) == 0


def test_misaligned_wide_accesses_are_counted_on_amd() -> None:
    """16 bytes from byte 2 on touch five words; eight such lanes want 33 words of 32 banks."""
    row = machine("gfx942").instruction("ds_write_b128")
    assert list(words_touched(row, 2)) == [0, 1, 2, 3, 4]
    result = count(row, np.arange(64) * 16 + 2)
    assert (int(result.passes), int(result.ideal)) == (16, 8)


def counted(target: str, name: str, *args: object) -> Count:
    return count(machine(target).instruction(name), *args)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "offset", "step"),
    [
        ("ld.shared.b16", 1, 2),
        ("ld.shared.b64", 4, 8),
        ("st.shared.b128", 8, 16),
        ("ldmatrix.x4", 8, 16),
    ],
)
def test_misaligned_offsets_are_refused_on_nvidia(name: str, offset: int, step: int) -> None:
    offsets = np.full(32, offset)
    with pytest.raises(InputError, match=f"offset {offset} is not a multiple of {step}: {name}"):
        counted("sm_90", name, offsets)


def test_lanes_that_take_no_part_may_hold_anything() -> None:
    offsets = np.arange(32) * 16
    active = np.arange(32) != 5
    wild = np.where(active, offsets, -3)
    free = counted("sm_90", "ld.shared.b128", wild, active)
    assert int(free.extra) == 0
    ignored = np.where(np.arange(32) < 8, offsets, -3)
    assert int(counted("sm_90", "ldmatrix.x1", ignored).passes) == 1


@pytest.mark.parametrize(
    ("offsets", "active", "says"),
    [
        (np.zeros(32, np.int64), None, r"64, and the shape \(32,\) does not give them"),
        (np.zeros((64, 2), np.int64), None, r"the shape \(64, 2\)"),
        (np.zeros((), np.int64), None, r"the shape \(\)"),
        (np.zeros(64), None, "offsets are whole bytes, not float64"),
        (np.zeros(64, bool), None, "offsets are whole bytes, not bool"),
        (np.arange(64) - 4, None, "offset -4 lies before the allocation"),
        (np.zeros(64, np.int64), np.ones(64, np.int64), "active lanes are booleans, not int64"),
        (np.zeros(64, np.int64), np.ones(32, bool), r"active \(32,\) does not fit"),
    ],
)
def test_bad_offsets_are_refused_with_the_value(offsets: object, active: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        counted("gfx942", "ds_read_b32", offsets, active)


def test_a_wave_of_the_other_vendor_is_refused() -> None:
    with pytest.raises(InputError, match=r"32, and the shape \(64,\)"):
        counted("sm_90", "ld.shared.b32", np.zeros(64, np.int64))


def test_a_second_address_needs_a_two_address_form() -> None:
    row = machine("gfx942").instruction("ds_read_b64")
    with pytest.raises(InputError, match="ds_read_b64 takes one address per lane"):
        count(row, np.zeros(64, np.int64), second_offsets_bytes=np.zeros(64, np.int64))


def test_distinct_numbers_are_sorted_and_once() -> None:
    random = np.random.default_rng(11)
    for shape in ((0,), (1,), (7,), (3, 5), (2, 3, 4)):
        for kind in (np.int64, np.uint32, np.uint8):
            values = random.integers(0, 6, shape).astype(kind)
            found = distinct(values)
            assert found.tolist() == sorted(set(values.ravel().tolist()))
            assert found.dtype == kind
