"""The compiled loop of counting gives the numbers of numpy, and those of an H200's counters."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from bankwise.counting import bulk
from bankwise.counting.conflict import Count, count
from bankwise.errors import InputError
from bankwise.hardware.machine import Instruction, machine, names
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
