"""What an asynchronous unit touches under the layout of the file, which must be canonical."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bankwise.ask.listed_count import listed_moves
from bankwise.counting.access import IntArray
from bankwise.errors import Refusal
from bankwise.notation.accesses import TileInstruction
from bankwise.notation.cute.canonical import CanonicalLayout, canonical_layouts
from bankwise.notation.values import Memory
from bankwise.read.tile_file.question import TileQuestion
from bankwise.solver.general import Listed
from bankwise.solver.modes import linear_map
from bankwise.solver.units import UnitUse, odd_dimension, other_axis, unit_request


def unit_moves(
    question: TileQuestion, unit: UnitUse, memory: Memory
) -> tuple[TileInstruction, ...] | Refusal:
    """The instructions of one pass over the tile; a Refusal where the unit cannot address it."""
    shape = question.tile
    odd = odd_dimension(shape)
    if odd is not None:
        return odd
    held = _offsets(question, memory)
    places = np.arange(shape.elements)
    for inner, layout in _admissible(question, unit):
        address = linear_map(layout, shape, other_axis(unit, inner), inner)
        if np.array_equal(address(places), held):
            return listed_moves(question, Listed(unit_request(unit, layout, shape, inner)), memory)
    return Refusal(
        f"the layout is none of the canonical ones that {unit.instruction} addresses for "
        f"{unit.name!r}; without it, `bankwise solve` lists them"
    )


def _admissible(question: TileQuestion, unit: UnitUse) -> Iterator[tuple[str, CanonicalLayout]]:
    lengths = dict(question.tile.dims)
    for inner in filter(unit.allows, unit.axes):
        sizes = lengths[other_axis(unit, inner)], lengths[inner]
        for operand in (True,) if unit.kind == "operand" else (False, True):
            for found in canonical_layouts(*sizes, question.element_bits, operand=operand):
                if isinstance(found, CanonicalLayout) and not unit.refuses(found, inner):
                    yield inner, found


def _offsets(question: TileQuestion, memory: Memory) -> IntArray:
    """Of the first stage, in elements."""
    places = np.unravel_index(np.arange(question.tile.elements), question.shape)
    return memory.offsets(np.stack(places, axis=-1))
