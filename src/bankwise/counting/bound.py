"""A count that need not be known exactly: at least so many, at most so many.

How often an access runs may depend on what no text says: the trip count of a loop, a branch that
both ways are followed of. Then the number is a pair of ends, and every sum of such numbers is one:

    16 executions, exactly                   Bound(16, 16)      "16"
    a branch of 16 rounds, not decided       Bound(0, 16)       "at most 16"
    a loop of unknown length behind 21       Bound(21, None)    "at least 21"
    all that between two ends                Bound(21, 832)     "between 21 and 832"
    a loop of unknown length                 Bound(0, None)     "unknown"

Worked sum: an access of 4 extra passes runs 5 times, one of 7 in an undecided branch of 3 rounds,
a conflict-free one in a loop of unknown length:

    5 * 4  +  [0, 3] * 7  +  [0, ...) * 0  =  20 + [0, 21] + 0  =  between 20 and 41

What is free of conflicts stays free however often it runs: 0 times an unknown number is 0.

Counts are never negative. ``whole - part`` is what is left of a count when a part of it is taken
away, so it is never negative either: [20, 41] - [0, 30] = [0, 41]. Ends say nothing about *how* a
number is known: that is the evidence of the machine's row, which stands beside it. A count under a
rule whose evidence is "unknown" is no bound at all; it is summed apart, as *assumed*.

Law, for all numbers x in a and y in b: x + y is in a + b, x * y in a * b, and x - y in a - b where
y <= x (interval arithmetic: R. E. Moore, Interval Analysis, 1966).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

BoundKind = Literal["exact", "at most", "at least", "between", "unknown"]


class Bound(Struct, frozen=True):
    """All whole numbers from ``low`` to ``high``; without an upper end where that is None."""

    low: int
    high: int | None

    def __post_init__(self) -> None:
        assert self.low >= 0, self.low
        assert self.high is None or self.low <= self.high, (self.low, self.high)

    @property
    def exact(self) -> bool:
        """Whether it is one number."""
        return self.low == self.high

    @property
    def kind(self) -> BoundKind:
        """What the two ends say together, in a word: the only place that derives it."""
        if self.exact:
            return "exact"
        if self.high is None:
            return "at least" if self.low else "unknown"
        return "between" if self.low else "at most"

    def __contains__(self, number: int) -> bool:
        return self.low <= number and (self.high is None or number <= self.high)

    def __add__(self, other: Bound) -> Bound:
        return Bound(self.low + other.low, _sum(self.high, other.high))

    def __sub__(self, part: Bound) -> Bound:
        """What is left without ``part``, which is a part of this."""
        low = 0 if part.high is None else max(0, self.low - part.high)
        return Bound(low, None if self.high is None else max(low, self.high - part.low))

    def __mul__(self, other: Bound | int) -> Bound:
        by = exactly(other) if isinstance(other, int) else other
        if 0 in (self.high, by.high):
            return NOTHING
        high = None if self.high is None or by.high is None else self.high * by.high
        return Bound(self.low * by.low, high)

    def below(self, other: Bound) -> bool | None:
        """Whether this is less than ``other``; None where that is not decided."""
        if self.high is not None and self.high < other.low:
            return True
        return False if other.high is not None and other.high <= self.low else None

    def __str__(self) -> str:
        match self.kind:
            case "exact":
                return f"{self.low:,}"
            case "at least":
                return f"at least {self.low:,}"
            case "at most":
                return f"at most {self.high:,}"
            case "between":
                return f"between {self.low:,} and {self.high:,}"
            case "unknown":
                return "unknown"


def exactly(number: int) -> Bound:
    """The bound that holds ``number`` alone."""
    return Bound(number, number)


def total(bounds: Iterable[Bound]) -> Bound:
    """The sum of some; exactly 0 of none."""
    return sum(bounds, NOTHING)


def around(bounds: Iterable[Bound]) -> Bound:
    """The narrowest bound that holds all of some, of which there is one at least."""
    some = list(bounds)
    highs = [one.high for one in some if one.high is not None]
    return Bound(min(one.low for one in some), max(highs) if len(highs) == len(some) else None)


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


NOTHING = Bound(0, 0)
ANY = Bound(0, None)
"""Nobody knows how many."""
