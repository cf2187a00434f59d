"""The compiled loop of counting gives the numbers of numpy, and those of an H200's counters."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.counting import bulk
from bankwise.counting.conflict import Count, count
from bankwise.errors import InputError
from bankwise.hardware.machine import Instruction, machine, names
from brute import brute_count
from test_counting import calibration

pytest.importorskip("numba", reason="the extra [fast] is not installed")

ROWS = {
    (r.phases, r.banks, r.width_bytes, r.alignment_bytes, r.addresses, r.merge, r.serial): r
    for name in names()
    for r in machine(name).instructions.values()
}
"""Every kind of row, once."""


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "WORTH_LANES", 0)


def by_numpy(monkeypatch: pytest.MonkeyPatch, *asked: object, **more: object) -> Count:
    with monkeypatch.context() as here:
        here.setattr(bulk, "WORTH_LANES", sys.maxsize)
        return count(*asked, **more)  # type: ignore[arg-type]


def offsets_of(row: Instruction, step: int, rng: np.random.Generator) -> np.ndarray:
    """Anywhere, in rows of any pitch, in equal pairs, and in few places."""
    lane = np.arange(row.wave_size)
    anywhere = rng.integers(0, 65536 // step, (6, row.wave_size))
    rows = lane * rng.integers(0, 40, (6, 1)) + rng.integers(0, 3, (6, row.wave_size))
    few = rng.integers(0, 9, (6, row.wave_size))
    pairs = [found[:, lane & ~bit] for found in (anywhere, few) for bit in (1, 2)]
    return np.concatenate([anywhere, rows, few, *pairs]) * step


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("row", ROWS.values(), ids=lambda r: f"{r.machine}-{r.name}")
def test_the_compiled_loop_gives_the_numbers_of_numpy(
    row: Instruction, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(7)
    for step in (1, 2, 4, 8, 16):
        if step < row.alignment_bytes:
            continue
        first, second = offsets_of(row, step, rng), offsets_of(row, step, rng)
        other = {"second_offsets_bytes": second} if row.addresses == 2 else {}
        some = rng.random(first.shape) < 0.6
        for active in (None, some, some[0], False):
            fast, slow = (
                count(row, first, active, **other),
                by_numpy(monkeypatch, row, first, active, **other),
            )
            for key in ("passes", "ideal", "ways"):
                np.testing.assert_array_equal(getattr(fast, key), getattr(slow, key))
            assert fast.witness == slow.witness
        taken = bulk.counted_in_bulk(row, first, np.ones(first.shape, np.bool_))
        assert (taken is not None) == (row.merge != "lines")


def assert_the_numbers_of_sets(row: Instruction, offsets: np.ndarray, active: np.ndarray) -> None:
    """``row`` with one address a lane, counted once more by dicts and sets."""
    assert bulk.counted_in_bulk(row, offsets, active) is not None
    found = count(row, offsets, active)
    for at in range(len(offsets)):
        expected = brute_count(row, [offsets[at].tolist()], active[at].tolist())
        assert (found.passes[at], found.ideal[at], found.ways[at]) == expected


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("step", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("row", ROWS.values(), ids=lambda r: f"{r.machine}-{r.name}")
def test_the_compiled_loop_gives_the_numbers_of_sets(row: Instruction, step: int) -> None:
    if step < row.alignment_bytes or row.merge == "lines":
        return
    one = replace(row, addresses=1)
    rng = np.random.default_rng(step)
    offsets = offsets_of(one, step, rng)[::2]
    assert_the_numbers_of_sets(one, offsets, rng.random(offsets.shape) < 0.8)


def of_lanes(lanes: int, phases: int, **more: object) -> Instruction:
    """An instruction that no GPU has: so many phases of so many lanes, one behind the other."""
    every = tuple(range(lanes * phases))
    groups = tuple(every[n * lanes : (n + 1) * lanes] for n in range(phases))
    row = machine("gfx942").instruction("ds_read_b32")
    return replace(row, wave_size=len(every), phases=groups, **more)  # type: ignore[arg-type]


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("lanes", [1, 2, 3, 5, 6, 13, 64, 127])
@pytest.mark.parametrize(("width", "banks"), [(1, 1), (3, 2), (4, 8), (12, 64), (24, 16), (57, 32)])
def test_rows_of_other_shapes_are_counted_or_left_to_numpy(
    lanes: int, width: int, banks: int
) -> None:
    rng = np.random.default_rng(lanes)
    for phases, more in (
        (1, {}),
        (3, {"serial": True}),
        (4, {"merge": "neighbours"}),
    ):
        row = of_lanes(lanes, phases, width_bytes=width, banks=banks, **more)
        if row.merge == "neighbours" and lanes % 2:
            assert not bulk.takes(row)
            continue
        offsets = offsets_of(row, 1, rng)
        assert_the_numbers_of_sets(row, offsets, rng.random(offsets.shape) < 0.8)


@pytest.mark.usefixtures("compiled")
def test_the_most_that_a_bank_can_have_is_counted() -> None:
    for lanes in (64, 127):
        row = of_lanes(lanes, 2, banks=64)
        offsets = np.arange(2 * lanes)[None] * 256
        assert bulk.counted_in_bulk(row, offsets, offsets >= 0) is not None
        assert count(row, offsets).passes == 2 * lanes


@pytest.mark.parametrize(
    "row",
    [
        of_lanes(128, 1),
        of_lanes(32, 2, banks=128),
        of_lanes(32, 2, banks=48),
        of_lanes(32, 2, width_bytes=58),
        of_lanes(32, 2, width_bytes=16, banks=4),
        of_lanes(32, 3, merge="neighbours"),
        replace(of_lanes(2, 2, merge="neighbours"), phases=((0, 2), (1, 3))),
    ],
    ids=["lanes", "banks", "no power of two", "width", "width of banks", "odd", "order"],
)
def test_what_has_no_place_in_the_loops_integers_is_left_to_numpy(row: Instruction) -> None:
    assert not bulk.takes(row)


@pytest.mark.usefixtures("compiled")
def test_accesses_are_counted_alike_alone_and_among_others() -> None:
    """Eight phases each: blocks of the loop end before, at and behind the end of an access."""
    row = machine("gfx942").instruction("ds_read_b128")
    offsets = np.random.default_rng(7).integers(0, 400, (50, 64))
    alone = [int(count(row, one).passes) for one in offsets]
    for number in (1, 2, 15, 16, 17, 31, 32, 33, 50):
        assert count(row, offsets[:number]).passes.tolist() == alone[:number]


@pytest.mark.usefixtures("compiled")
def test_offsets_are_counted_as_far_as_an_int_reaches() -> None:
    row = machine("gfx942").instruction("ds_read_b128")
    offsets = (1 << 31) - 1 - np.arange(64)[None] * 128
    assert_the_numbers_of_sets(row, offsets, offsets >= 0)
    assert bulk.counted_in_bulk(row, offsets + 1, offsets >= 0) is None


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", sorted(calibration()))
def test_the_compiled_loop_reproduces_the_counters_of_an_h200(name: str) -> None:
    rows = calibration()[name]
    offsets = np.array([[int(x) for x in row["offsets_bytes"].split()] for row in rows])
    masks = np.array([int(row["active_mask"], 16) for row in rows])
    active = masks[:, None] >> np.arange(32) & 1 > 0
    found = count(machine("sm_90").instruction(name), offsets, active)
    assert found.passes.tolist() == [int(row["passes"]) for row in rows]


@pytest.mark.usefixtures("compiled")
def test_what_is_refused_is_refused_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    row = machine("sm_90").instruction("ld.shared.b64")
    with pytest.raises(InputError, match="offset 4 is not a multiple of 8"):
        count(row, np.full(32, 4))
    with pytest.raises(InputError, match="offset -8 lies before"):
        count(row, np.arange(32) * 8 - 8)
    far = np.arange(32) * 256 + (1 << 40)
    assert count(row, far).passes == by_numpy(monkeypatch, row, far).passes == 32
    wild = np.where(np.arange(32) < 5, -3, np.arange(32) * 8)
    assert count(row, wild, np.arange(32) >= 5).extra == 0
    eight = machine("sm_90").instruction("ldmatrix.x1")
    wild = np.where(np.arange(32) < 8, np.arange(32) * 16, -3)[None]
    assert bulk.counted_in_bulk(eight, wild, wild > -4) is not None
    assert count(eight, wild).passes == 1


def test_numpy_counts_until_it_has_taken_as_long_as_compiling(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = machine("sm_90").instruction("ld.shared.b32")
    offsets, mask = np.zeros((2, 32), np.int64), np.ones((2, 32), np.bool_)
    monkeypatch.setattr(bulk, "WORTH_LANES", 100)
    monkeypatch.setattr(bulk, "_seen_lanes", 0)
    assert bulk.counted_in_bulk(row, offsets, mask) is None
    assert bulk.counted_in_bulk(row, offsets, mask) is not None
    monkeypatch.setattr(bulk, "compiled", lambda: None)
    assert count(row, offsets).passes.tolist() == [1, 1]
