"""Wave's swizzle of gather-to-LDS tiles (pass ``gather_to_shared_swizzling``), both versions.

With chunks of ``unit`` elements in a row,

    chunk' = chunk XOR (row mod max_phase)

The wheel 3.9.1 has max_phase 8 and the unit of a 16-byte access on both sides; iree-org/wave at
ceaa2b57 takes the wider of both sides and ``max_phase = min(8, chunks)``. Neither checks that the
result stays inside the row: it does only if the smallest power of two that holds all phases
divides the number of chunks.
"""

from __future__ import annotations

from msgspec import Struct

from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.notation.reader import Cursor, placed
from bankwise.notation.values import collision

MAX_PHASE = 8
"""Largest number of phases that either version uses."""

_SWIZZLE = "swizzle<[32, 64], unit = 8, max_phase = 8>"


class SwizzledTile(Struct, frozen=True):
    """A swizzled tile of ``rows`` x ``columns`` elements; a memory layout.

    ``unit``: elements that stay together, ``max_phase``: rows until the pattern repeats.
    """

    rows: int
    columns: int
    unit: int
    max_phase: int

    def __post_init__(self) -> None:
        sizes = (self.rows, self.columns, self.unit, self.max_phase)
        if not all(0 < size <= 1 << 20 for size in sizes) or self.columns % self.unit:
            raise InputError(
                f"a swizzle of {self.rows} x {self.columns} in units of {self.unit}",
                hint="all at least 1, and the unit divides the row",
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """The tile, in elements."""
        return (self.rows, self.columns)

    @property
    def size(self) -> int:
        """Elements of the tile; a swizzle outside its domain writes behind them."""
        return self.rows * self.columns

    def offsets(self, coordinates: IntArray) -> IntArray:
        """Offsets in elements of (row, column) coordinates."""
        found: IntArray = self.offset((coordinates[..., 0], coordinates[..., 1]))
        return found

    def offset(self, index: tuple[IntArray, IntArray]) -> IntArray:
        """The offset of one (row, column)."""
        row, column = index
        return row * self.columns + self.column(row, column)

    def column(self, row: IntArray, column: IntArray) -> IntArray:
        """The column where an element lies in shared memory."""
        chunk = (column // self.unit) ^ (row % self.max_phase)
        return chunk * self.unit + column % self.unit

    def gathered(self, slots: IntArray) -> tuple[IntArray, IntArray]:
        """(row, column) that a lane must load from global memory for its slot in shared memory.

        A gather fills shared memory in lane order, so the swizzle goes to its source. ``slots``:
        first element of every lane; its run must divide the unit.
        """
        row = slots // self.columns
        return row, self.column(row, slots % self.columns)

    def __str__(self) -> str:
        shape = [self.rows, self.columns]
        return f"swizzle<{shape}, unit = {self.unit}, max_phase = {self.max_phase}>"


def wheel(
    rows: int, columns: int, *, gather: int, read: int, element_bits: int
) -> SwizzledTile | Refusal:
    """The swizzle of the wheel 3.9.1; ``gather`` and ``read``: elements per thread."""
    if gather != read:
        return Refusal(f"Wave 3.9.1 declines: the gather moves {gather}, the read {read} elements")
    if gather * element_bits != 128:
        return Refusal(f"Wave 3.9.1 declines: {gather * element_bits} bits per thread, not 128")
    return SwizzledTile(rows, columns, gather, MAX_PHASE)


def head(rows: int, columns: int, *, gather: int, read: int) -> SwizzledTile | Refusal:
    """The swizzle of iree-org/wave at ceaa2b57; ``gather`` and ``read``: elements per thread."""
    unit = max(gather, read)
    chunks = columns // unit
    if chunks < 2:
        return Refusal(f"Wave declines: a row of {columns} holds {chunks} chunks of {unit}")
    return SwizzledTile(rows, columns, unit, min(MAX_PHASE, chunks))


def legality(swizzle: SwizzledTile) -> Refusal | None:
    """Why the swizzle is no permutation of its tile; None if it is one.

    Right exactly if the smallest power of two >= the number of distinct phases divides the number
    of chunks.
    """
    chunks = swizzle.columns // swizzle.unit
    phases = min(swizzle.max_phase, swizzle.rows)
    if chunks % (1 << (phases - 1).bit_length()) == 0:
        return None
    clash = collision(swizzle)
    shown = f": {clash}" if clash else ""
    return Refusal(f"{swizzle}: XOR with 0 to {phases - 1} leaves {chunks} chunks{shown}")


def parse_swizzle(text: str, file: str = "wave") -> SwizzledTile:
    """Read ``swizzle<[32, 64], unit = 8, max_phase = 8>``."""
    cursor = Cursor(text, file)
    start = cursor.expect("swizzle", _SWIZZLE)
    cursor.expect("<", _SWIZZLE)
    numbers = list(cursor.numbers("[", "]", _SWIZZLE))
    if len(numbers) != 2:
        raise cursor.error(f"a tile of rank {len(numbers)}: rows and columns expected", _SWIZZLE)
    for name in ("unit", "max_phase"):
        for word in (",", name, "="):
            cursor.expect(word, _SWIZZLE)
        numbers.append(cursor.number(_SWIZZLE))
    cursor.expect(">", _SWIZZLE)
    cursor.finish(_SWIZZLE)
    return placed(cursor, start, lambda: SwizzledTile(*numbers))
