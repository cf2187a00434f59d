"""The judge's own search: is there a linear layout with fewer passes than a certificate says?

It shares no code with the solver and knows no ranks. A layout gives every bit of an offset a bank,
and the bank of a sum (XOR) of bits is the sum of their banks; so of the words that a phase wants,
as many meet in one bank as there are sums that are 0. It tries every bank for one bit after
another, counts the sums that are complete, and turns back where these alone take as many passes as
was said.

Only one thing is used to try less: which bank is called which changes nothing. So a bank that is no
sum of earlier ones may be called the next power of two. Where some accesses see fewer banks than
others, names are exchanged in what all of them see.

The work is counted in steps: one for each bank tried and, where the words are tried as well, one
for each of their lanes. :data:`STEPS` of them take some seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from bankwise.errors import Refusal

STEPS = 100_000
"""Banks tried until the judge gives up."""


class Wants(Struct, frozen=True):
    """What a phase of one access wants: ``words`` with word 0, as sums of offset bits above the
    pinned ones; those that the pins keep out of the bank of word 0 are left out.

    ``banks``: how many are left to tell words apart, a power of two; ``price``: weighted passes for
    each of the words that meet in one bank.
    """

    words: frozenset[int]
    banks: int
    price: int

    @property
    def least(self) -> int:
        """What it costs at least: so many words do not fit into so many banks."""
        return self.price * -(-len(self.words) // self.banks)


def better(
    wanted: Sequence[Wants], bits: int, shared: int, said: int, steps: int = STEPS
) -> int | Refusal | None:
    """Passes of a linear layout that takes fewer than ``said``; None if there is none.

    ``bits``: of the tile above the pinned ones; ``shared``: how many of them lie inside one word:
    which sums of them do is part of the search. A Refusal where the steps end.
    """
    left = [steps]
    asked = sum(len(w.words) for w in wanted)
    for word in _words(bits, min(shared, bits)):
        left[0] -= asked if shared else 1
        found = _Trial([_outside(w, word) for w in wanted], word, left).run(said)
        if left[0] <= 0:
            return Refusal(f"the judge's own search ended after {steps:,} steps")
        if found is not None:
            return found
    return None


def _words(bits: int, shared: int) -> Iterator[tuple[int, ...]]:
    """What may lie in word 0: every set of sums of ``shared`` directions, each set once."""
    seen: set[tuple[int, ...]] = set()
    for directions in combinations(range(1, 1 << bits), shared):
        word = {0}
        for direction in directions:
            word |= {x ^ direction for x in word}
        one = tuple(sorted(word))
        if len(one) == 1 << shared and one not in seen:
            seen.add(one)
            yield one


def _outside(wants: Wants, word: tuple[int, ...]) -> Wants:
    """With one name for all that lies in the same word."""
    return Wants(frozenset(_named(x, word) for x in wants.words), wants.banks, wants.price)


def _named(place: int, word: tuple[int, ...]) -> int:
    return min(place ^ x for x in word)


class _Trial:
    """Banks for one direction after another; a class because the recursion shares all of it."""

    def __init__(self, wanted: Sequence[Wants], word: tuple[int, ...], left: list[int]) -> None:
        self.wanted, self.left = wanted, left
        self.seen_by_all = min(w.banks for w in wanted)
        self.banks = max(w.banks for w in wanted)
        sums = _sums(wanted, word)
        self.depth = len(sums).bit_length() - 1
        self.last: list[list[list[int]]] = [[[] for _ in wanted] for _ in range(self.depth)]
        for number, wants in enumerate(wanted):
            for place in wants.words - {0}:
                used = sums[place]
                level = used.bit_length() - 1
                self.last[level][number].append(used ^ 1 << level)

    def run(self, said: int) -> int | None:
        """The first total below ``said``."""
        if sum(w.least for w in self.wanted) >= said:
            return None
        return self._try(0, 1, [0], [1] * len(self.wanted), said)

    def _try(
        self, level: int, named: int, banks: list[int], meet: list[int], said: int
    ) -> int | None:
        """``banks[s]``: of the sum ``s`` of the directions so far; ``named``: banks with a name."""
        if level == self.depth:
            return self._total(meet)
        ends = [
            [banks[s] % w.banks for s in sums]
            for sums, w in zip(self.last[level], self.wanted, strict=True)
        ]
        for bank in self._names(named):
            self.left[0] -= 1
            if self.left[0] <= 0:
                return None
            more = [
                m + end.count(bank % w.banks)
                for m, end, w in zip(meet, ends, self.wanted, strict=True)
            ]
            if self._total(more) >= said:
                continue
            wider = 2 * named if bank == named < self.seen_by_all else named
            below = banks + [b ^ bank for b in banks] if level + 1 < self.depth else []
            found = self._try(level + 1, wider, below, more, said)
            if found is not None:
                return found
        return None

    def _names(self, named: int) -> Iterator[int]:
        """The banks worth trying: the next one without a name, then every one that has one."""
        if named < self.seen_by_all:
            yield named
        for high in range(0, self.banks, self.seen_by_all):
            yield from range(high, high + min(named, self.seen_by_all))

    def _total(self, meet: Sequence[int]) -> int:
        """What it takes already, or at least."""
        return sum(max(w.least, w.price * m) for w, m in zip(self.wanted, meet, strict=True))


def _sums(wanted: Sequence[Wants], word: tuple[int, ...]) -> dict[int, int]:
    """Every sum of some directions, by name, and of which directions (a set, as bits).

    Directions are words that many accesses want, so that sums are complete early.
    """
    often: dict[int, int] = {}
    for wants in wanted:
        for place in wants.words:
            often[place] = often.get(place, 0) + 1
    sums = {0: 0}
    for place in sorted(often, key=lambda x: (-often[x], x)):
        if place not in sums:
            bit = len(sums)
            new = {_named(x ^ place, word): s | bit for x, s in sums.items()}
            sums.update(new)
    return sums
