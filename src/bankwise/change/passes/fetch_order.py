"""In which order copies fetch what they put in lane order into a tile: as it lies, or folded.

A hint does not move what a copy writes. Its lanes either fetch in order (then nothing of the tile
is swizzled yet, *dma-swizzle* does it), or under the swizzle already, as IREE lowers coalesced
copies (then the readers alone are left to *resolve*).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from iree.compiler import ir

from bankwise.algebra.address import RowFolds
from bankwise.change.passes.lowered import Lowered
from bankwise.change.rewrite.exchange import Numbers
from bankwise.change.rewrite.group import elements
from bankwise.counting.access import IntArray, distinct
from bankwise.read.mlir.extract import SharedAccess
from bankwise.read.mlir.indexing import ThreadIds

FetchOrder = Literal["in order", "folded", "unknown"]


def fetch_order(lowered: Lowered, site: SharedAccess, fold: RowFolds) -> FetchOrder:
    """Whether the column a copy fetches goes with the slot that a lane fills, or with the slot
    under ``fold``; or neither, as far as is seen.

    What only a run knows (rounds, workgroups) is taken as 0: it moves all lanes alike.
    """
    ids = ThreadIds(lowered.workgroup_size, lowered.machine.wave_size, grid=lowered.kernel.grid)
    columns = _AtZero(ids).of(site.source_indices[-1])
    assert columns is not None, "nothing is unknown here"
    pattern = site.access.patterns[0]
    slots = elements(pattern, site.access.element_bytes).ravel()
    active = pattern.active.ravel()

    def even(places: IntArray) -> bool:
        rows, steps = slots[active] // fold.row, (columns.ravel() - places % fold.row)[active]
        return all(distinct(steps[rows == row]).size == 1 for row in distinct(rows))

    if even(slots):
        return "in order"
    return "folded" if even(fold(slots)) else "unknown"


class _AtZero(Numbers):
    """Integer values of a kernel on all threads, with 0 for what only a run can tell."""

    def _compute(self, value: ir.Value) -> IntArray | None:
        found = super()._compute(value)
        return np.zeros(self._shape, np.int64) if found is None else found
