"""Thread-value layouts: how CuTe says who holds which element of a tile.

A layout of two modes, (thread, value), gives the column-major number of the element of the tile:
``((4,8),(2,2)):((32,1),(16,8))`` is the 16x8 accumulator of mma.sync, 32 threads of four values.
"""

from __future__ import annotations

import numpy as np

from bankwise.errors import InputError
from bankwise.notation.cute.strided import StridedLayout
from bankwise.notation.values import MAX_POINTS, DistributionTable


def thread_value(
    where: StridedLayout, shape: tuple[int, ...], *, lanes: int = 32
) -> DistributionTable:
    """The distribution over a tile of this shape; thread t is lane t mod ``lanes`` of its wave.

    Raises :class:`InputError` where the layout has not two modes, its threads are no whole waves,
    or an element lies outside the tile.
    """
    if where.rank != 2:
        raise InputError(f"{where} has {where.rank} modes: (thread, value) has two")
    threads, values = where.modes()
    if threads.size % lanes or where.size > MAX_POINTS:
        raise InputError(f"{threads.size} threads are no whole waves of {lanes} lanes")
    number = threads.at(np.arange(threads.size))[:, None] + values.at(np.arange(values.size))
    if int(number.max()) >= np.prod(shape):
        raise InputError(
            f"{where} names element {int(number.max())}: the tile {list(shape)} has fewer",
            hint="the numbers are column-major over the tile",
        )
    held = np.stack(np.unravel_index(number, shape, order="F"), axis=-1).astype(np.int64)
    return DistributionTable(shape, held.reshape(-1, lanes, values.size, len(shape)))
