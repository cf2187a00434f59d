"""Passes of many linear maps of a linear workload at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bankwise.algebra.address import Linear
from bankwise.counting.access import IntArray
from bankwise.counting.conflict import count
from bankwise.solver.price import Workload
from bankwise.tile import Use


def linear_totals(work: Workload, maps: Sequence[Linear]) -> IntArray:
    """Weighted passes of many linear maps of a linear workload at once; -1 where not legal.

    One execution of each access stands for all: the others are translates of it.
    """
    assert work.linear, "other executions would differ"
    bases = np.array([m.bases for m in maps], np.int64).reshape(len(maps), -1)
    legal = np.ones(len(maps), np.bool_)
    totals = np.zeros(len(maps), np.int64)
    for use in work.uses:
        legal &= _keeps_vectors(bases, use)
    chosen = np.flatnonzero(legal)
    if not len(chosen):
        return np.full(len(maps), -1, np.int64)
    for use in work.uses:
        (issue,) = use.issues
        row = work.machine.instruction(issue.instruction)
        if use.kind == "dma":
            totals += use.weight * len(row.phases)
            continue
        offsets = _images(bases[chosen], use.elements[0, :, 0])
        counted = count(row, offsets * work.shape.element_bits // 8)
        totals[chosen] += use.weight * counted.passes
    return np.where(legal, totals, -1)


def _keeps_vectors(bases: IntArray, use: Use) -> npt.NDArray[np.bool_]:
    """Whether the elements of a lane stay together, aligned and in order, for each map."""
    if use.span == 1:
        return np.ones(len(bases), np.bool_)
    units = 1 << np.arange((use.span - 1).bit_length())
    kept = (_images(bases, use.elements[0, 0, units]) == units).all(axis=1)
    moves = np.array([*{*use.elements[0, :, 0].tolist(), *use.elements[:, 0, 0].tolist()}])
    aligned = (_images(bases, moves) & (use.span - 1) == 0).all(axis=1)
    return np.asarray(kept & aligned)


def _images(bases: IntArray, elements: IntArray) -> IntArray:
    """[maps, elements]: where each map of [maps, bits] sends each element."""
    images = np.zeros((len(bases), len(elements)), np.int64)
    for bit in range(bases.shape[1]):
        moved = np.flatnonzero(elements >> bit & 1)
        if len(moved):
            images[:, moved] ^= bases[:, bit, None]
    return images
