"""Longer rows for a buffer of emitted code: ``[16][81]`` is free at a pitch of 82.

The rows are read off the accesses (:func:`bankwise.solver.spaces.pitches`); which pitch is best is
counted on all accesses of the buffer together, never taken from a formula.
"""

from __future__ import annotations

from itertools import islice

from bankwise.algebra.address import Padded
from bankwise.algebra.offset import footprint
from bankwise.counting.cost import Cost
from bankwise.hardware.machine import Machine
from bankwise.read.buffers import EmittedBuffer
from bankwise.show.advised import RowPitch
from bankwise.solver.best import best, legal
from bankwise.solver.flat_text import formula
from bankwise.solver.plan import Plan
from bankwise.solver.spaces import PITCHES, Space, pitches
from bankwise.tile import Tile

MOST_ROWS = 4
"""Lengths of rows that are tried; a buffer has one or two."""


def row_pitch(buffer: EmittedBuffer, tile: Tile, gpu: Machine, room: int) -> RowPitch | None:
    """The best pitch, of equals the smallest; None where no longer rows take fewer passes.

    ``tile``: the buffer's; ``room``: bytes that each of its copies may take.
    """
    found: list[tuple[Plan, Padded, Cost]] = []
    for maps in islice(pitches(tile, gpu), MOST_ROWS):
        fitting = tuple(m for m in maps if tile.shape.bytes_of(footprint(tile.shape, m)) <= room)
        told = legal(best(tile, gpu, [Space(PITCHES, fitting)], certify=False))
        plan = told.plans[0]
        if plan.passes < told.present.passes and isinstance(plan.layout, Padded):
            cost = Cost(plan.run.passes, told.present.run.ideal)
            found.append((plan, plan.layout, cost))
    if not found:
        return None
    plan, rows, cost = min(found, key=lambda one: one[0].price)
    size = tile.shape.element_bits // 8
    many = -(-buffer.size_bytes // (rows.row * size)) * len(buffer.parts)
    bytes_ = (rows.row * size, (rows.row + rows.pad) * size, rows.pad * many * size)
    return RowPitch(*bytes_, cost, formula(tile, rows))
