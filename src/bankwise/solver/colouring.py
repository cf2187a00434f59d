"""The exact search: colour the directions of a tile with banks, for all accesses at once.

Let every direction of a tile have a *colour* in F2^b: the bank bits that it moves. The colour of
a sum is the sum of the colours, and an access whose lanes span a space U takes
2^(dim U - rank of its colours) passes (:mod:`bankwise.solver.theorem`). So the search for the best
swizzle is: colour q directions so that the weighted sum of passes is least.

The search assigns one direction after another, those that most accesses use first. An access meets
a direction when its space contains a vector that ends there, that is the direction plus some
coloured before. A colour that lies in what the access has already spanned costs it a factor of
two, any other costs nothing. Costs only grow, so a branch that costs as much as the best answer is
left: what is left at the end is a proof.

*Symmetry.* An invertible map of the bank bits changes no cost. So a colour that is new, outside the
span R of all colours so far, may be taken to be the next unit vector. If some accesses see fewer
banks than others (64 and 32 on gfx950), only maps that keep the high bits to themselves are
allowed, and R starts with these. A *natural* search makes the first b directions the plain bank
bits instead, the high ones perhaps folded into the low ones: its answers are the layouts that
permute a row within itself.

Sets of colours are ints: bit c is set when colour c belongs to the set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from bankwise.algebra import f2
from bankwise.solver.theorem import Load

NODES = 50_000
"""Search nodes until the answer is called best found: seconds at most for tens of accesses."""

MAX_BITS = 6
"""Bank bits of the machine with most banks."""


class Demand(Struct, frozen=True):
    """One access in the search. ``cost``: weight times phases, the price of one pass per phase."""

    space: f2.Basis
    bits: int
    cost: int

    @property
    def floor(self) -> int:
        """The least price of this access, whatever the colours."""
        return int(self.cost * 2 ** max(0, len(self.space) - self.bits))


class Colouring(Struct, frozen=True):
    """``colours[i]``: the bank bits that direction i moves; ``found``: whether there are any.

    ``complete``: the search was finished. ``nodes``: colours tried, the size of the proof.
    """

    found: bool
    colours: tuple[f2.Vector, ...]
    cost: int
    nodes: int
    complete: bool


class SearchOrder(Struct, frozen=True):
    """The order of assignment. ``directions[level]``: which; ``meets[level]``: (demand, prefix)
    for every demand whose space has a vector that ends at this level; ``prefix`` is the rest of
    that vector, as a set of earlier levels. ``used``: the levels that occur in some prefix.
    """

    directions: tuple[int, ...]
    meets: tuple[tuple[tuple[int, int], ...], ...]
    used: int

    def idle(self, level: int) -> bool:
        """Whether no demand ever sees the colour of this level."""
        return not self.meets[level] and not self.used >> level & 1


def demands(loads: Sequence[Load], weights: Sequence[int]) -> tuple[Demand, ...]:
    """What the search sees of some accesses; one cost is one pass, weighted."""
    pairs = zip(loads, weights, strict=True)
    return tuple(Demand(x.space, x.bits, x.phases * w) for x, w in pairs)


def search_order(wanted: Sequence[Demand], dimension: int, fixed: int) -> SearchOrder:
    """Order the directions: the first ``fixed`` as they are, the others by use."""
    uses = [sum(1 for d in wanted for x in d.space if x >> i & 1) for i in range(dimension)]
    rest = sorted(range(fixed, dimension), key=lambda i: -uses[i])
    order = (*range(fixed), *rest)
    level = [0] * dimension
    for position, direction in enumerate(order):
        level[direction] = 1 << position
    meets: list[list[tuple[int, int]]] = [[] for _ in order]
    used = 0
    for number, demand in enumerate(wanted):
        for ordered in f2.basis(f2.apply(level, x) for x in demand.space):
            last = ordered.bit_length() - 1
            meets[last].append((number, ordered ^ (1 << last)))
            used |= ordered ^ (1 << last)
    return SearchOrder(order, tuple(tuple(m) for m in meets), used)


def search(
    wanted: Sequence[Demand],
    dimension: int,
    bits: int,
    *,
    natural: bool,
    below: int | None = None,
    nodes: int = NODES,
) -> Colouring:
    """The cheapest colouring; none is found if all cost ``below`` or more, or the budget ends.

    ``natural``: direction i < ``bits`` moves bank bit i and, beyond the banks that all accesses
    see, perhaps lower ones. ``nodes``: the budget.
    """
    low = plain_bits(wanted, bits)
    fixed = low if natural else 0
    state = Search(wanted, search_order(wanted, dimension, fixed), dimension, bits, nodes)
    state.bound = state.bound if below is None else below
    seen = 1 if natural else _span([1 << i for i in range(low, bits)])
    state.choices = natural_choices(dimension, bits, low) if natural else None
    state.visit(fixed, seen, state.fix(fixed))
    found = state.best is not None
    return Colouring(found, state.answer(), state.bound, state.nodes, state.nodes < nodes)


def plain_bits(wanted: Sequence[Demand], bits: int) -> int:
    """The bank bits that every access sees: the first directions are plain in a natural search."""
    return min(bits, *(d.bits for d in wanted))


@lru_cache(maxsize=64)
def natural_choices(dimension: int, bits: int, plain: int) -> tuple[tuple[f2.Vector, ...], ...]:
    """The colours that each direction can have in a natural search, fewest bits first."""
    fixed = [(1 << i,) for i in range(plain)]
    high = [tuple(1 << i | c for c in _members(_all(plain))) for i in range(plain, bits)]
    return (*fixed, *high, *(_members(_all(bits)) for _ in range(bits, dimension)))


class Search:
    """The state of one depth-first search; a class because the recursion shares all of it."""

    def __init__(
        self,
        wanted: Sequence[Demand],
        order: SearchOrder,
        dimension: int,
        bits: int,
        limit: int,
    ) -> None:
        assert bits <= MAX_BITS, "a set of colours has a bit for each"
        self.order, self.dimension, self.bits = order, dimension, bits
        self.masks = [(1 << min(d.bits, bits)) - 1 for d in wanted]
        self.free = [max(0, len(d.space) - d.bits) for d in wanted]
        self.price = [d.cost for d in wanted]
        self.spans = [1] * len(wanted)
        self.lost = [0] * len(wanted)
        self.enough = sum(d.floor for d in wanted)
        self.bound = 1 << 62
        self.colours = [0] * dimension
        self.best: list[int] | None = None
        self.nodes, self.limit = 0, limit
        self.choices: Sequence[Sequence[f2.Vector]] | None = None

    def fix(self, fixed: int) -> int:
        """Give the first directions the unit colours; the cost so far."""
        cost = self.enough
        for level in range(fixed):
            cost += self.take(level, 1 << level)
        return cost

    def take(self, level: int, colour: int) -> int:
        """Assign a colour; the cost it adds. Nothing is remembered for going back."""
        added = 0
        self.colours[level] = colour
        for number, prefix in self.order.meets[level]:
            seen = (colour ^ self.sum(prefix)) & self.masks[number]
            span = self.spans[number]
            if span >> seen & 1:
                added += self.loss(number)
                self.lost[number] += 1
            else:
                self.spans[number] = span | _shifted(span, seen)
        return added

    def answer(self) -> tuple[f2.Vector, ...]:
        """The colours of all directions in the best answer; zeros if there is none."""
        colours = [0] * self.dimension
        for level, colour in enumerate(self.best or ()):
            colours[self.order.directions[level]] = colour
        return tuple(colours)

    def sum(self, prefix: int) -> int:
        """The sum of the colours of some earlier levels."""
        return f2.apply(self.colours, prefix)

    def loss(self, number: int) -> int:
        """What one more dependent colour costs this demand; nothing while below its floor."""
        lost = self.lost[number]
        return self.price[number] << lost if lost >= self.free[number] else 0

    def visit(self, level: int, r: int, cost: int) -> None:
        """Try the colours of one level, the free ones first. ``r``: the span of all colours."""
        if cost >= self.bound:
            return
        if level == self.dimension:
            self.best, self.bound = list(self.colours), cost
            return
        for added, colour in self.options(level, r, cost):
            if cost + added >= self.bound or self.nodes >= self.limit:
                return
            self.nodes += 1
            spans, lost = self.spans[:], self.lost[:]
            self.take(level, colour)
            wider = r if r >> colour & 1 else r | _shifted(r, colour)
            self.visit(level + 1, wider, cost + added)
            self.spans, self.lost = spans, lost
            if self.bound <= self.enough:
                return

    def options(self, level: int, r: int, cost: int) -> Iterator[tuple[int, int]]:
        """(added cost, colour) of every colour worth trying behind ``cost``, ascending in cost."""
        meets = self.order.meets[level]
        colours = self.candidates(level, r)
        if self.order.idle(level):
            yield 0, colours[0]
            return
        bad: list[tuple[int, int]] = []
        taken = 0
        for number, prefix in meets:
            loss = self.loss(number)
            if loss:
                taken_here = self.forbidden(number, prefix)
                bad.append((loss, taken_here))
                taken |= taken_here
        costly = []
        for colour in colours:
            if taken >> colour & 1:
                costly.append(colour)
            else:
                yield 0, colour
        room = self.bound - cost
        if costly and min(loss for loss, _ in bad) < room:
            prices = ((sum(p for p, where in bad if where >> c & 1), c) for c in costly)
            worth = (option for option in prices if option[0] < room)
            yield from sorted(worth, key=lambda option: option[0])

    def forbidden(self, number: int, prefix: int) -> int:
        """The colours that add nothing to what this demand has spanned."""
        mask = self.masks[number]
        offset = self.sum(prefix) & mask
        where = _shifted(self.spans[number], offset) if offset else self.spans[number]
        width = mask + 1
        while width < 1 << self.bits:
            where |= where << width
            width *= 2
        return where

    def candidates(self, level: int, r: int) -> Sequence[int]:
        """The colours to try at a level, in order of preference."""
        if self.choices is not None:
            return self.choices[self.order.directions[level]]
        known = _members(r)
        if len(known) == 1 << self.bits:
            return known
        fresh = next(1 << i for i in range(self.bits) if not r >> (1 << i) & 1)
        return (fresh, *known)


@lru_cache(maxsize=1 << 16)
def _shifted(colours: int, by: int) -> int:
    """The set {c XOR by}."""
    step = 1
    while by:
        if by & 1:
            mask = _low_half(step)
            colours = (colours & mask) << step | (colours >> step) & mask
        by >>= 1
        step *= 2
    return colours


@lru_cache(maxsize=64)
def _low_half(step: int) -> int:
    """All colours that do not have bit ``step``."""
    return sum(1 << c for c in range(1 << MAX_BITS) if not c & step)


@lru_cache(maxsize=1 << 12)
def _members(colours: int) -> tuple[int, ...]:
    """The colours of a set, fewest bits first."""
    found = (c for c in range(colours.bit_length()) if colours >> c & 1)
    return tuple(sorted(found, key=lambda c: (c.bit_count(), c)))


def _all(bits: int) -> int:
    """Every colour of so many bits, as a set."""
    return (1 << (1 << bits)) - 1


def _span(vectors: Sequence[f2.Vector]) -> int:
    """The span as a set of colours."""
    return sum(1 << c for c in f2.span(vectors))
