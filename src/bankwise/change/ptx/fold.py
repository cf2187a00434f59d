"""What becomes of the addresses of a shared variable: an XOR of their own bits, in bytes.

    a  ->  a ^ (a >> shift & mask) ^ ..

The map is of addresses, not of offsets from the variable: if the variable begins and ends at
multiples of :attr:`VariableFold.block`, bits below that are exchanged inside blocks that are its
own, wherever it lies. Where it begins at a multiple of :attr:`VariableFold.reach` as well, the
address and the offset have the same bits, and the map of both is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from bankwise.algebra.address import Fold
from bankwise.errors import Refusal
from bankwise.read.ptx.parse import Variable

Addresses = NDArray[np.uint32]
"""Bytes in the window of shared memory."""


@dataclass(frozen=True, slots=True)
class VariableFold:
    """The map of one shared variable: the XOR of several ``folds`` of bytes, each of the address
    as it was. ``alignment_bytes``: at which multiple the variable is made to begin."""

    variable: str
    folds: tuple[Fold, ...]
    alignment_bytes: int

    @property
    def terms(self) -> tuple[tuple[int, int], ...]:
        """Shifts and masks."""
        return tuple(self._terms())

    def _terms(self) -> Iterator[tuple[int, int]]:
        for fold in self.folds:
            shift = fold.divisor.bit_length() - fold.unit.bit_length()
            yield shift, (fold.phases - 1) * fold.unit

    @property
    def changed(self) -> int:
        """The bits of an address that may change."""
        return reduce(or_, (mask for _, mask in self.terms), 0)

    @property
    def read(self) -> int:
        """The bits that decide it."""
        return reduce(or_, (mask << shift for shift, mask in self.terms), 0)

    @property
    def unit(self) -> int:
        """Bytes that stay together."""
        return self.changed & -self.changed

    @property
    def block(self) -> int:
        """Bytes inside which units are exchanged."""
        return 1 << self.changed.bit_length()

    @property
    def reach(self) -> int:
        """A multiple of this, added to an address, is added to what it becomes."""
        return 1 << (self.read | self.changed).bit_length()

    def __call__(self, at: Addresses) -> Addresses:
        """Where the bytes at these addresses lie."""
        new = at
        for shift, mask in self.terms:
            new = new ^ (at >> np.uint32(shift) & np.uint32(mask))
        return new

    def of(self, at: int) -> int:
        """The same of one number, whose bits above the reach stay."""
        return at ^ reduce(lambda new, one: new ^ (at >> one[0] & one[1]), self.terms, 0)

    def __str__(self) -> str:
        said = (f"((a >> {shift}) & {mask:#x})" for shift, mask in self.terms)
        return " ^ ".join(("a", *said))


def permutes(fold: VariableFold, declared: Variable) -> Refusal | None:
    """Why a map is no permutation of the bytes of a variable; None if it is one."""
    binary = all(one.binary and one.divisor > one.unit for one in fold.folds)
    if not binary or not fold.changed or fold.read & fold.changed:
        return Refusal("its fold is not its own inverse")
    if declared.alignment_bytes % fold.block:
        return Refusal(
            f"{declared.name} begins at a multiple of {declared.alignment_bytes} bytes; the fold "
            f"exchanges blocks of {fold.block}"
        )
    if declared.size_bytes is not None and declared.size_bytes % fold.block:
        return Refusal(
            f"{declared.name} has {declared.size_bytes:,} bytes, which are no whole blocks of "
            f"{fold.block}"
        )
    return None
