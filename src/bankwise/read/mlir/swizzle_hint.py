"""What ``iree_codegen.swizzle_hint`` promises about the place of an element.

Offsets are element numbers, counted from the base of the memref that carries the hint. A row of
``row`` elements is cut into groups of ``access`` elements, and

    group' = group XOR (((offset / stride) / per_phase) mod groups)      xor_shuffle
    group' = (group + offset / row) mod groups                           rotate_rows

with all divisions integer. Read from iree-base-compiler 3.13.0 by running its resolve pass.
"""

from __future__ import annotations

from iree.compiler import ir
from msgspec import Struct

from bankwise.counting.access import IntArray

_XOR = "#iree_codegen.xor_shuffle<"
_ROTATE = "#iree_codegen.rotate_rows<"


class SwizzleHint(Struct, frozen=True):
    """The permutation of one hint; sizes in elements."""

    rotates: bool
    row: int
    access: int
    stride: int
    per_phase: int

    def __str__(self) -> str:
        if self.rotates:
            return f"rotate_rows<{self.row}, {self.access}>"
        return f"xor_shuffle<{self.row}, {self.access}, {self.stride}, {self.per_phase}>"

    def place(self, offsets: IntArray) -> IntArray:
        """Where the elements at these offsets really lie."""
        groups = self.row // self.access
        inside = offsets % self.access
        group = offsets % self.row // self.access
        if self.rotates:
            moved = (group + offsets // self.row) % groups
        else:
            aligned = offsets - inside
            moved = group ^ (aligned // self.stride // self.per_phase % groups)
        return offsets - offsets % self.row + moved * self.access + inside


def swizzle_hint(attribute: ir.Attribute) -> SwizzleHint | None:
    """Read the attribute of a hint; None if it is of another kind than those described here."""
    text = str(attribute)
    prefix = next((p for p in (_XOR, _ROTATE) if text.startswith(p)), None)
    if prefix is None:
        return None
    numbers = [int(part) for part in text[len(prefix) : -1].split(",")]
    row, access, stride, per_phase = [*numbers, 0, 0][:4]
    return SwizzleHint(prefix == _ROTATE, row, access, stride or row, per_phase or 1)
