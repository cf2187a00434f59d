"""An address as its author wrote it: terms in the lane's number, ``81 * (lane % 16) + lane / 16``.

Where every bit of the lane adds a fixed number to an address, neighbouring bits that double it are
one factor, as in ``threadIdx.x * 81 + threadIdx.y``. An address with an XOR has no such terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from msgspec import Struct

from bankwise.counting.access import BoolArray, IntArray


class LaneTerm(Struct, frozen=True):
    """``factor`` times a field of the lane's number: ``bits`` of it from bit ``shift`` on.

    ``last``: the field reaches the highest bit of the lanes.
    """

    factor: int
    shift: int
    bits: int
    last: bool

    def of(self, lane: int) -> int:
        """The field of one lane."""
        return (lane >> self.shift) & ((1 << self.bits) - 1)

    def __str__(self) -> str:
        low = f"lane / {1 << self.shift}" if self.shift else "lane"
        field = low if self.last else f"{low} % {1 << self.bits}"
        if self.factor == 1:
            return field
        return f"{self.factor} * {field if field == 'lane' else f'({field})'}"


def lane_steps(values: IntArray, active: BoolArray) -> tuple[int, ...] | None:
    """What each bit of the lane's number adds to a value, [lanes]; None if it adds no fixed number.

    A bit in which no two active lanes differ adds 0.
    """
    lanes = np.flatnonzero(active)
    if not len(lanes):
        return None
    bits = _bits(len(values))
    if len(lanes) == 1 << bits.shape[1]:
        steps = (values[1 << np.arange(bits.shape[1])] - values[0]).tolist()
    else:
        steps = [_step(values, active, lanes, 1 << bit) for bit in range(bits.shape[1])]
    rest = (values - bits @ np.array(steps, np.int64))[lanes]
    return tuple(steps) if (rest == rest[0]).all() else None


def _step(values: IntArray, active: BoolArray, lanes: IntArray, bit: int) -> int:
    """What one bit adds between the first two active lanes that differ in it alone; 0 if none."""
    low = lanes[lanes & bit == 0]
    pairs = low[active[np.minimum(low | bit, len(values) - 1)]]
    return int(values[pairs[0] | bit] - values[pairs[0]]) if len(pairs) else 0


@lru_cache(maxsize=16)
def _bits(lanes: int) -> IntArray:
    """The bits of the numbers of so many lanes, [lanes, bits]."""
    return (np.arange(lanes)[:, None] >> np.arange((lanes - 1).bit_length())) & 1


def lane_terms(steps: tuple[int, ...]) -> tuple[LaneTerm, ...]:
    """The steps of the bits as terms, the largest factor first; bits that add nothing are none."""
    return tuple(sorted(_fields(steps), key=lambda term: -abs(term.factor)))


def _fields(steps: tuple[int, ...]) -> Iterator[LaneTerm]:
    bit = 0
    while bit < len(steps):
        first, factor = bit, steps[bit]
        bit += 1
        while factor and bit < len(steps) and steps[bit] == factor << (bit - first):
            bit += 1
        if factor:
            yield LaneTerm(factor, first, bit - first, bit == len(steps))
