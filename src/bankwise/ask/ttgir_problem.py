"""The accesses of one buffer as a tile: what the exact solver is asked about.

What an instruction's lanes touch is sent back to elements through the present encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from bankwise.algebra.offset import Shape
from bankwise.counting.access import IntArray
from bankwise.errors import Refusal
from bankwise.hardware.policies import Issue
from bankwise.notation.triton import memory
from bankwise.notation.values import axis_names, points
from bankwise.read.ttgir.accesses import Moved
from bankwise.read.ttgir.lower import Issued
from bankwise.read.ttgir.values import Buffer
from bankwise.tile import Tile, Use, runs


def tile_of(buffer: Buffer, accesses: Sequence[Moved]) -> Tile | Refusal:
    """The tile of a buffer; a Refusal where a lane starts where no element lies."""
    back = _elements(buffer)
    uses: list[Use] = []
    for access in accesses:
        for number, issued in enumerate(access.issued):
            name = f"{access.location.line}.{access.direction}.{number}"
            found = _use(name, issued, back, buffer, access.touch.executions)
            if isinstance(found, Refusal):
                return found
            uses.append(found)
    return Tile(shape_of(buffer), tuple(uses))


def shape_of(buffer: Buffer) -> Shape:
    """One tile of the buffer, the contiguous dimension first."""
    names, sizes = axis_names(len(buffer.tile))[::-1], buffer.tile[::-1]
    return Shape(tuple(zip(names, sizes, strict=True)), buffer.type.bits)


def _elements(buffer: Buffer) -> IntArray:
    """The row-major number in its tile of the element at every offset; -1 between elements."""
    laid = memory(buffer.type.encoding, buffer.type.shape)
    every = points(buffer.type.shape)
    found = np.full(laid.size, -1, np.int64)
    found[laid.offsets(every)] = np.arange(len(every)) % prod(buffer.tile)
    return found


def _use(name: str, issued: Issued, back: IntArray, buffer: Buffer, often: int) -> Use | Refusal:
    step = buffer.type.bits // 8
    lanes = issued.offsets_bytes.shape[-1]
    starts = issued.offsets_bytes.reshape(-1, lanes) // step
    active = np.broadcast_to(issued.active, issued.offsets_bytes.shape).reshape(-1, lanes)
    places = np.minimum(runs(starts, issued.width_bytes // step), len(back) - 1)
    elements = back[places]
    if elements[active][:, 0].min(initial=0) < 0:
        return Refusal("a lane starts between elements")
    return Use(
        name,
        issued.direction,
        elements,
        active,
        (Issue(issued.instruction, 0),),
        weight=len(starts) * often,
        kind="dma" if issued.kind == "dma" else "plain",
        named=True,
    )
