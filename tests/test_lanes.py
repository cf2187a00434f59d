"""Which lane fetches for which: a permutation of every wave, or a refusal."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.algebra.address import Fold, RowFolds
from bankwise.change.rewrite.lanes import other_lanes
from bankwise.change.rewrite.scope import CannotRewriteError
from bankwise.counting.access import Access, Pattern
from bankwise.errors import Location
from bankwise.read.mlir.extract import SharedAccess

CHUNKS = RowFolds(64, (Fold(64, 8, 8),))
"""Rows of eight chunks of eight elements: chunk XOR (row mod 8)."""


def copy(*starts: int, lanes: int = 64, off: int = 0) -> SharedAccess:
    """A wave that fills 8 elements a lane from each of these on; the last ``off`` do not."""
    lane = np.arange(lanes)
    active = (lane < lanes - off)[None, :]
    patterns = tuple(Pattern(2 * (s + 8 * lane)[None, :], active, "lds") for s in starts)
    access = Access("copy", "write", "dma", 16, 2, 16, Location("k"), "k", patterns)
    return SharedAccess(access, None, None, (), 8, None)


def test_a_lane_fetches_what_the_lane_at_its_new_slot_did() -> None:
    """Lane t fills chunk t mod 8 of row t div 8."""
    lane = np.arange(64)
    assert (other_lanes(copy(0), CHUNKS) == (lane ^ (lane // 8))).all()
    assert (other_lanes(copy(0, 512, 1024), CHUNKS) == (lane ^ (lane // 8))).all()


def test_rounds_that_differ_have_no_one_permutation() -> None:
    """The second round begins at row 4: its phases are others."""
    with pytest.raises(CannotRewriteError, match="not the same in all rounds"):
        other_lanes(copy(0, 256), CHUNKS)


def test_half_a_row_would_need_another_waves_fetch() -> None:
    """Row 4 exchanges its halves, and the wave fills the first one."""
    with pytest.raises(CannotRewriteError, match="another one fetches"):
        other_lanes(copy(256, lanes=4), CHUNKS)


def test_lanes_that_are_off_stay_themselves() -> None:
    found = other_lanes(copy(0, off=8), CHUNKS)
    assert (found[56:] == np.arange(56, 64)).all()
    assert sorted(found) == list(range(64))
