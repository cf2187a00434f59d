"""Buffer instructions of a simulated AMD workgroup: offsets into what a resource describes.

    buffer_load_dwordx4 v[2:5], v0, s[8:11], s7 offen offset:16     s[8:11] + s7 + v0 + 16
    buffer_store_dword v1, off, s[8:11], 0                          s[8:11]

The four words of a resource hold 48 bits of address, a stride of 14 bits, flags, and how many bytes
there are. What begins behind them is read as zero and not written; Triton masks lanes so. Whether
the scalar offset counts there is told differently: where it decides, and where a word straddles the
end, nothing is simulated. Source: AMD CDNA3 ISA, buffer resource descriptor, and range checking.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from bankwise.change.simulate.group import SimulatedGroup
from bankwise.change.simulate.memory import Unsupported, Words
from bankwise.change.simulate.terms import Values, masked
from bankwise.read.amd.literals import modifier
from bankwise.read.amd.operands import operand
from bankwise.read.amd.parse import AmdInstruction

_ADDRESS_BITS, _ENABLE_SWIZZLE, _ADD_LANE = 48, 1 << 31, 1 << 23
"""Of the first two words; of the second, and of the fourth."""


class BufferWindow(Struct, frozen=True):
    """Global memory as a resource shows it: ``first``, ``bytes`` of every lane that runs;
    ``scalar``: the scalar offset, which addresses hold."""

    memory: Words
    first: Values
    bytes: Values
    scalar: Values

    def load(self, at: Values, size: int) -> Values:
        """``size`` bytes from each address, zero behind the end."""
        inside = self._inside(at, size)
        found = np.zeros(len(at), np.uint64)
        if inside.any():
            found[inside] = self.memory.load(at[inside], size)
        return found

    def store(self, at: Values, words: Values, size: int) -> None:
        """``size`` bytes to each address, nothing behind the end."""
        inside = self._inside(at, size)
        if inside.any():
            self.memory.store(at[inside], words[inside], size)

    def _inside(self, at: Values, size: int) -> NDArray[np.bool_]:
        offset = at - self.first
        inside = offset < self.bytes
        decides = inside != (offset - self.scalar < self.bytes)
        if (decides | (inside & (offset + np.uint64(size) > self.bytes))).any():
            raise Unsupported("an access at the end of a buffer")
        return inside


def buffer_place(
    group: SimulatedGroup, op: AmdInstruction, first: int
) -> tuple[Values, BufferWindow]:
    """The address of each lane that runs, and memory as it is seen there; ``first``: the position
    of the vector offset among the operands (address, resource, scalar offset)."""
    offset = modifier(op.modifiers, "offset")
    usual = len(op.operands) == first + 3 and len(operand(op.operands[first + 1]).registers) == 4
    if offset is None or not usual or {"idxen", "addr64", "tfe"} & set(op.modifiers):
        raise Unsupported(f"{op.name}: the operands are not the usual ones")
    lanes = group.lanes()
    resource = operand(op.operands[first + 1])
    low, high, size, flags = (group.word(resource, part)[lanes] for part in range(4))
    if ((high & np.uint64(_ENABLE_SWIZZLE)) | (flags & np.uint64(_ADD_LANE))).any():
        raise Unsupported(f"{op.name}: a resource that swizzles or adds the lane")
    base = masked(low | high << np.uint64(32), _ADDRESS_BITS)
    scalar = group.word(operand(op.operands[first + 2]))[lanes]
    more = np.full(len(base), offset, np.uint64)
    if "offen" in op.modifiers:
        more += group.word(operand(op.operands[first]))[lanes]
    return base + scalar + more, BufferWindow(group.memory, base, size, scalar)
