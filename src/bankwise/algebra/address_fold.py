"""What becomes of byte addresses: an XOR of their own bits, as (shift, mask) terms.

    a  ->  a ^ (a >> shift & mask) ^ ..

A map of addresses, not of offsets: what begins and ends at multiples of :attr:`AddressFold.block`
is permuted in itself, wherever it lies. What begins at a multiple of :attr:`AddressFold.reach` as
well has offsets of the same bits as its addresses, and the map of both is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from bankwise.algebra.address import Fold

Addresses = NDArray[np.uint32]
"""Bytes in the window of shared memory."""


class AddressFold(Struct, frozen=True):
    """The XOR of several ``folds`` of bytes, each of the address as it was."""

    folds: tuple[Fold, ...]

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
