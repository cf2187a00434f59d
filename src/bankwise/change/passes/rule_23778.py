"""The rule of iree-org/iree#23778: an xor_shuffle from the layouts of a tile's writer and reader.

It looks at two numbers only, the elements that a thread writes and reads at once, and at the
length of a row; its steps are followed in its order. What it declines is left to padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from msgspec import Struct

from bankwise.read.mlir.swizzle_hint import SwizzleHint

DEFAULT_BANKS = 32
"""Banks where the target does not say ``workgroup_memory_bank_count``."""


class Choice(Struct, frozen=True):
    """A hint and why, or no hint and why not."""

    hint: SwizzleHint | None
    reason: str


def choose(
    shape: Sequence[int],
    element_bits: int,
    writer: Sequence[int] | None,
    reader: Sequence[int] | None,
    banks: int = DEFAULT_BANKS,
) -> Choice:
    """The rule for a tile of ``shape``; ``writer`` and ``reader`` are the element tiles.

    None for a layout that is missing or no nested_layout. A writer without one takes the reader's.
    """
    if not shape:
        return _none("a vector of rank 0 has no rows")
    if reader is None:
        return _none("the reader has no nested_layout")
    writer = reader if writer is None else writer
    if not writer or not reader:
        return _none("an element tile is empty")
    inner, element_bytes = shape[-1], -(-element_bits // 8)
    access = max(writer[-1], reader[-1])
    if access == 0 or inner % access:
        return _none(f"accesses of {access} elements do not divide rows of {inner}")
    if element_bytes < 4 and writer[-1] != reader[-1] and access > 1:
        return _none(
            f"the writer takes {writer[-1]} elements of {element_bits} bits at once, the reader "
            f"{reader[-1]}: the narrow side would need an address for each element"
        )
    capped = element_bytes >= 4 and reader[-1] < writer[-1] and access > 2 and inner % 2 == 0
    access = 2 if capped else access
    if inner // access <= 1:
        return _none(f"a row of {inner} elements is one group of {access}: nothing to exchange")
    return _spread(inner, access, element_bytes, banks, capped)


def _spread(inner: int, access: int, element_bytes: int, banks: int, capped: bool) -> Choice:
    step = inner * element_bytes // 4 % banks
    if step and gcd(step, banks) == 1:
        return _none(f"rows begin {step} of {banks} banks apart: they are already spread")
    why = f"rows of {inner} elements begin {step} banks of {banks} apart, groups of {access}"
    if capped:
        why += " (capped at 2: 4-byte elements, a reader narrower than the writer)"
    return Choice(SwizzleHint(False, inner, access, inner, 1), why)


def _none(reason: str) -> Choice:
    return Choice(None, f"{reason}; left to padding")
