"""What the memory of the memory calls a fault: order within a wave, barriers between waves."""

from __future__ import annotations

import numpy as np
import pytest

from bankwise.change.execute.shadow import GranuleAccess, new_shadow, write

FIRST, SECOND = 0, 1


def touched(wave: int, passed: tuple[int, int] = (0, 0)) -> GranuleAccess:
    """One granule, touched by a wave; ``passed``: the barriers that each of two has passed."""
    now = np.array([passed[wave]], np.int32)
    return GranuleAccess(np.array([0]), np.array([wave]), now, min(passed), max(passed))


def faults(*writes: tuple[int, tuple[int, int], int]) -> list[bool]:
    """Of each (wave, barriers passed, copy or 0) in turn: is it a fault? Every value is new."""
    shadow = new_shadow(1, 2)
    found = []
    for wave, passed, copy in writes:
        dma = np.array([copy], np.int32) if copy else None
        told = write(shadow, touched(wave, passed), np.array([False]), dma)
        found.append(bool(told.race.any() or told.dma.any()))
    return found


@pytest.mark.parametrize(
    ("second", "fault"),
    [
        ((FIRST, (0, 0), 0), False),
        ((FIRST, (0, 0), 7), False),
        ((SECOND, (0, 0), 0), True),
        ((SECOND, (0, 0), 7), True),
        ((SECOND, (1, 1), 0), False),
    ],
    ids=["own store", "own copy", "another's store", "another's copy", "behind a barrier"],
)
def test_a_store_is_overwritten_in_order(
    second: tuple[int, tuple[int, int], int], fault: bool
) -> None:
    assert faults((FIRST, (0, 0), 0), second) == [False, fault]


@pytest.mark.parametrize(
    ("second", "fault"),
    [((FIRST, (0, 0), 0), True), ((FIRST, (0, 0), 8), False), ((SECOND, (1, 1), 0), True)],
    ids=["own store", "own next copy", "another's store behind a barrier"],
)
def test_a_copy_under_way_is_overwritten_by_the_next_copy_of_its_wave_alone(
    second: tuple[int, tuple[int, int], int], fault: bool
) -> None:
    assert faults((FIRST, (0, 0), 7), second) == [False, fault]
