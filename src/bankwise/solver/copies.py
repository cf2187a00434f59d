"""Direct-to-shared copies: what a swizzled tile costs them in global memory.

Such a copy fills consecutive bytes in lane order whatever the layout, so it never conflicts. The
swizzle moves to its source: the lane that fills offset o must fetch the element that lives there.
"""

from __future__ import annotations

from bankwise.algebra.layout import Layout, invert, table
from bankwise.counting.access import distinct
from bankwise.errors import Refusal
from bankwise.solver.problem import BitTile, TileAccess

LINE_BYTES = 128
"""Bytes of one line of the level-2 cache, on every machine known here."""


def source_lines(
    tile: BitTile, layout: Layout, access: TileAccess, line_bytes: int = LINE_BYTES
) -> tuple[int, ...]:
    """Lines of a row-major global tile that each wave-wide copy fetches, in order of filling.

    ``layout``: coordinates to the offset in elements. Rows are the first of ``tile.dims``; each
    starts on a line.
    """
    source = invert(layout)
    assert not isinstance(source, Refusal), "a memory layout is a bijection"
    row_bits = tile.dims[0][1]
    elements = table(source)
    columns = (elements & (1 << row_bits) - 1) * tile.element_bits // 8 // line_bytes
    lines = (elements >> row_bits << row_bits) + columns
    wave = 1 << len(access.lanes) + len(access.vector)
    return tuple(len(distinct(part)) for part in lines.reshape(-1, min(wave, lines.size)))
