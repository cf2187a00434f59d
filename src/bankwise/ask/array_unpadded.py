"""Rows that their author made longer by hand, as they would be without: a fold may do better.

    float s[16][17]; s[y][x], s[x][y]        32 passes; rows of 17 + 1 take 24
    float s[16][16]; s[y][x ^ (y & 15)]      16 passes, and 64 bytes less

No index is proved to stay inside a shorter row: that is the author's to know, so it is only said.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from msgspec.structs import replace

from bankwise.algebra.offset import Shape
from bankwise.ask.array_better import better
from bankwise.ask.array_posed import PosedArray, spaces_of
from bankwise.ask.every_launch import over, shown
from bankwise.change.cxx.spelling import said
from bankwise.errors import MisalignedError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.policies import one_by_one
from bankwise.read.cxx.tree import CxxSource
from bankwise.solver.best import best
from bankwise.tile import Use


def unpadded(source: CxxSource, posed: Sequence[PosedArray], least: int, gpu: Machine) -> str:
    """What an array takes without the elements of each row that nobody touches, where a fold does
    better then than ``least`` passes; empty else. Of one array that has one size."""
    if len(posed) > 1 or any(use.strides for use in posed[0].array.uses):
        return ""
    shorter = _shorter(posed[0], gpu)
    found = () if shorter is None else better(shorter, gpu)
    plan, map_ = next(((plan, map_) for plan, map_ in found if map_.folds), (None, None))
    if shorter is None or plan is None or map_ is None or plan.passes >= least:
        return ""
    old, new, name = posed[0].size.extents, shorter.size.extents, posed[0].array.name
    text = said(source, posed[0].array, map_)
    rows = f"{name}{''.join(f'[{n}]' for n in new)}"
    taken = over(shorter.passes(plan), shown(shorter.kernels))
    fewer = posed[0].size.bytes_ - shorter.size.bytes_
    return (
        f"{name}: {new[-1]} of the {old[-1]} elements of each row are touched: as {rows}, with "
        f"{text}, it takes {taken:,} passes and {fewer:,} bytes less: remove the padding "
        "if nothing else needs it, then `bankwise fix` looks for this"
    )


def _shorter(posed: PosedArray, gpu: Machine) -> PosedArray | None:
    """The array with rows as long as they are touched; None where that is all of them, or where a
    lane goes on from one row into the next, or vectors would not be aligned in shorter rows."""
    size, row, scale = posed.size, posed.tile.row, posed.scale
    touched = [_touched(use, row) for use in posed.tile.uses]
    columns = -(-max(0, *(0 if one is None else one for one in touched)) // scale)
    if size.flat or None in touched or not 0 < columns < size.extents[-1]:
        return None
    rows, long = prod(size.extents[:-1]), columns * scale
    dims = (("n", long), ("m", rows))
    uses = tuple(
        replace(use, elements=use.elements // row * long + use.elements % row % long)
        for use in posed.tile.uses
    )
    tile = replace(posed.tile, shape=Shape(dims, posed.tile.shape.element_bits), uses=uses)
    bytes_ = rows * columns * size.element_bytes
    short = replace(size, extents=(*size.extents[:-1], columns), bytes_=bytes_)
    single = one_by_one(gpu)
    try:
        told = best(tile, single, spaces_of(tile, short, single), certify=False)
    except MisalignedError:  # the vectors of the source do not begin at multiples of theirs
        return None
    if isinstance(told, Refusal):
        return None
    return replace(posed, size=short, tile=tile, best=told)


def _touched(use: Use, row: int) -> int | None:
    """How far into a row the lanes of an access reach; None where one reaches into the next."""
    places = use.elements[use.active]
    same = places // row == places[:, :1] // row
    return int((places % row).max(initial=-1)) + 1 if np.all(same) else None
