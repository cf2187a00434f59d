"""What is wrong with a memory layout before anything is counted."""

from __future__ import annotations

from bankwise.notation import ck, iree, wave
from bankwise.notation.values import Mapped, Memory, collision


def fault(memory: Memory) -> str:
    """Why the layout does not hold every element of the tile; empty if it does."""
    if isinstance(memory, ck.Descriptor):
        return "; ".join(map(str, ck.legality(memory)))
    if isinstance(memory, wave.Swizzle):
        found = wave.legality(memory)
    elif isinstance(memory, Mapped) and isinstance(
        memory.address, iree.XorShuffle | iree.RotateRows
    ):
        elements = 1
        for size in memory.shape:
            elements *= size
        found = iree.legality(memory.address, elements)
    else:
        clash = collision(memory)
        return str(clash) if clash else ""
    return str(found) if found else ""
