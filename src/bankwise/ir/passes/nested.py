"""``#iree_vector_ext.nested_layout``: which element of a tile each thread holds.

Per dimension a tile is subgroup x batch x outer x thread x element, slowest first:

    coordinate = (((subgroup * batch + i) * outer + j) * thread + lane) * element + e

where subgroup = (wave div its stride) mod its tile, lane = (lane div its stride) mod its tile, and
a stride of 0 gives 0. A thread's vector runs through all i, then all j, then all e, row-major.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

import numpy as np

from bankwise.access import IntArray

_PREFIX = "#iree_vector_ext.nested_layout<"
_FIELD = re.compile(r"(\w+)\s*=\s*\[([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class NestedLayout:
    """One layout; every tuple has one entry for each dimension, strides in waves and lanes."""

    subgroup_tile: tuple[int, ...]
    batch_tile: tuple[int, ...]
    outer_tile: tuple[int, ...]
    thread_tile: tuple[int, ...]
    element_tile: tuple[int, ...]
    subgroup_strides: tuple[int, ...]
    thread_strides: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The tile, in elements."""
        tiles = (self.subgroup_tile, self.batch_tile, self.outer_tile, self.thread_tile)
        return tuple(prod(sizes) for sizes in zip(*tiles, self.element_tile, strict=True))

    @property
    def waves(self) -> int:
        """Waves that hold different parts of the tile."""
        return prod(self.subgroup_tile)

    def first_elements(self, wave_size: int) -> IntArray:
        """Where each run of ``element_tile[-1]`` elements begins: int64 [runs, waves, lanes].

        Row-major offsets in the tile. A run is what one access of a thread can take.
        """
        wave, lane = np.indices((self.waves, wave_size), np.int64)
        batch, outer = self.batch_tile, self.outer_tile
        element = (*self.element_tile[:-1], 1)
        runs = np.indices((*batch, *outer, *element), np.int64).reshape(3 * len(batch), -1)
        total = np.zeros((runs.shape[1], self.waves, wave_size), np.int64)
        for d, size in enumerate(self.shape):
            i, j, e = (runs[d + k * len(batch)][:, None, None] for k in range(3))
            subgroup = _part(wave, self.subgroup_strides[d], self.subgroup_tile[d])
            thread = _part(lane, self.thread_strides[d], self.thread_tile[d])
            place = ((subgroup * batch[d] + i) * outer[d] + j) * self.thread_tile[d] + thread
            total = total * size + place * self.element_tile[d] + e
        return total


def _part(number: IntArray, stride: int, tile: int) -> IntArray:
    return number // stride % tile if stride else np.zeros_like(number)


def nested_layout(text: str) -> NestedLayout | None:
    """Read the attribute as MLIR prints it; None for any other layout, or an unsound one."""
    if not text.startswith(_PREFIX):
        return None
    found = {
        name: tuple(map(int, sizes.split(","))) if sizes.strip() else ()
        for name, sizes in _FIELD.findall(text)
    }
    try:
        return NestedLayout(**found)
    except TypeError:
        return None
