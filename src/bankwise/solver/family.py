"""The family of optimal layouts: how many there are, and each of them.

Counted is the family of layouts that permute every row within itself by XOR, whole words of it:

    offset = row * m + (n ^ f(m, bits of n above the banks))       f linear, into bank bits of n

In rows as long as the banks are wide these are 2^(bank bits x row bits); in shorter ones f has
the bits of n alone, although row bits are bank bits too. (Where some accesses see 64 banks and
others 32, bank bit 5 of n may fold into the lower five as well.) Where vectors do not lie in the
rows there is no such family.

The worked 16x32 transpose has 2^20 members, one for every setting of its 4 x 5 toggles. Reads take
1, 2, 4, 8 or 16 passes in 322,560, 604,800, 117,600, 3,600 and 16 of them. :func:`counted` finds
this by counting banks and :func:`predicted` by rank; they share no code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from bankwise.algebra import f2
from bankwise.algebra.layout import Layout
from bankwise.solver.colouring import (
    Demand,
    Search,
    demands,
    plain_bits,
    search_order,
)
from bankwise.solver.search import Solution, offsets
from bankwise.solver.theorem import load

Toggles = npt.NDArray[np.int64]
Passes = npt.NDArray[np.uint8]

FAMILY_NODES = 200_000
"""Search nodes until counting the family is given up."""


def family_size(solution: Solution, nodes: int = FAMILY_NODES) -> int | None:
    """How many row-preserving XOR layouts cost as little as the solution.

    Zero if no optimum preserves rows; None beyond the budget, or where there is no such family.
    Sub-word elements share the word as in the solution.
    """
    columns = _columns(solution)
    if columns is None:
        return None
    wanted, dimension, bits = demands_of(solution)
    cost = solution.certificate.total_passes
    return _Family(wanted, dimension, bits, columns, cost, nodes).count()


def family(solution: Solution) -> Iterator[Layout]:
    """Every member of the family that :func:`family_size` counts, coordinates to offset."""
    columns = _columns(solution)
    if columns is None:
        return
    wanted, dimension, bits = demands_of(solution)
    cost = solution.certificate.total_passes
    low = len(solution.pins.vector)
    for colours in _Family(wanted, dimension, bits, columns, cost, 1 << 62).members():
        moved = [c | (1 << i if i >= bits else 0) for i, c in enumerate(colours)]
        images = (*(1 << i for i in range(low)), *(x << low for x in moved))
        yield offsets(solution.problem, images)


def _columns(solution: Solution) -> int | None:
    """Free directions that lie in the rows; None unless directions are coordinate bits in order."""
    tile, pinned = solution.problem.tile, solution.pins
    units = tuple(1 << i for i in range(tile.bits))
    columns = tile.dims[0][1] - len(pinned.vector) if tile.dims else 0
    in_place = (*pinned.vector, *pinned.free) == units
    return columns if in_place and columns >= 0 else None


class _Family:
    """All natural colourings of exactly one cost, the least that there is."""

    def __init__(
        self,
        wanted: Sequence[Demand],
        dimension: int,
        bits: int,
        columns: int,
        cost: int,
        limit: int,
    ) -> None:
        plain = plain_bits(wanted, bits)
        self.fixed = min(plain, columns)
        self.choices = [_choices(i, bits, columns, plain) for i in range(dimension)]
        self.state = Search(
            wanted, search_order(wanted, dimension, self.fixed), dimension, bits, limit
        )
        self.cost, self.limit = cost, limit
        self.known: dict[tuple[int, ...], int] = {}
        meets = self.state.order.meets
        self.plain = not any(prefix for level in meets for _, prefix in level)

    def count(self) -> int | None:
        """How many there are; None if the budget of nodes ends first."""
        total = self._count(self.fixed, self.state.fix(self.fixed))
        return None if self.state.nodes >= self.limit else total

    def members(self) -> Iterator[tuple[f2.Vector, ...]]:
        """Each of them: the colour of every direction."""
        start = self.state.fix(self.fixed)
        if start <= self.cost:
            yield from self._members(self.fixed, start)

    def _count(self, level: int, cost: int) -> int:
        state = self.state
        if cost > self.cost:
            return 0
        if level == state.dimension:
            return 1
        if state.order.idle(level):
            return len(self._colours(level)) * self._count(level + 1, cost)
        key = (level, cost, *state.spans, *state.lost)
        if self.plain and key in self.known:
            return self.known[key]
        total = sum(self._count(level + 1, c) for c in self._steps(level, cost))
        self.known[key] = total
        return total

    def _members(self, level: int, cost: int) -> Iterator[tuple[f2.Vector, ...]]:
        if level == self.state.dimension:
            colours = [0] * self.state.dimension
            for place, colour in enumerate(self.state.colours):
                colours[self.state.order.directions[place]] = colour
            yield tuple(colours)
            return
        for after in self._steps(level, cost):
            yield from self._members(level + 1, after)

    def _colours(self, level: int) -> Sequence[f2.Vector]:
        return self.choices[self.state.order.directions[level]]

    def _steps(self, level: int, cost: int) -> Iterator[int]:
        """Take every affordable colour of a level in turn; the cost with it."""
        state = self.state
        for colour in self._colours(level):
            if state.nodes >= self.limit:
                return
            state.nodes += 1
            spans, lost = state.spans[:], state.lost[:]
            after = cost + state.take(level, colour)
            if after <= self.cost:
                yield after
            state.spans, state.lost = spans, lost


def _choices(direction: int, bits: int, columns: int, plain: int) -> tuple[f2.Vector, ...]:
    """The colours of a direction: its own bank bit, if it has one, and what it folds into.

    A bit of the row folds into bank bits of the column; one of the column into bits below it that
    every access sees.
    """
    own = 1 << direction if direction < bits else 0
    if direction < min(bits, columns):
        folds = 1 << plain if direction >= plain else 1
    else:
        folds = 1 << min(bits, columns)
    return tuple(own | mask for mask in range(folds))


def demands_of(solution: Solution) -> tuple[tuple[Demand, ...], int, int]:
    """What the search sees of the accesses, the free directions and the bank bits they move."""
    accesses = solution.problem.accesses
    loads = [load(solution.problem.tile, solution.pins, a) for a in accesses]
    wanted = demands(loads, [a.weight for a in accesses])
    dimension = len(solution.pins.free)
    return wanted, dimension, min(dimension, max(d.bits for d in wanted))


def counted(offsets_words: Sequence[int], bits: int, toggles: Toggles) -> Passes:
    """Passes of one phase under every toggle setting, by counting words per bank.

    ``offsets_words``: the row-major word offset of each lane, all different, rows of 2^``bits``
    words and as many banks. Toggle ``bits * j + k`` folds row bit j into column bit k.
    """
    banks = 1 << bits
    hits = np.zeros((len(toggles), banks), np.uint8)
    every = np.arange(len(toggles))
    for offset in offsets_words:
        bank = np.full(len(toggles), offset & banks - 1)
        row, place = offset >> bits, 0
        while row:
            if row & 1:
                bank ^= toggles >> place & banks - 1
            row, place = row >> 1, place + bits
        hits[every, bank] += 1
    worst: Passes = hits.max(axis=1)
    return worst


def predicted(directions: Sequence[f2.Vector], bits: int, toggles: Toggles) -> Passes:
    """The same by the theorem: 2^(directions - rank of their bank bits).

    ``directions``: a basis of the lane directions of the phase, as row-major word offsets.
    """
    echelon = np.zeros((bits, len(toggles)), np.uint8)
    rank = np.zeros(len(toggles), np.uint8)
    for direction in directions:
        colour = _colour(direction, bits, toggles)
        for bit in reversed(range(bits)):
            leads = (colour >> bit & 1).astype(bool)
            fresh = leads & (echelon[bit] == 0)
            echelon[bit][fresh] = colour[fresh]
            rank += fresh
            colour = np.where(leads, colour ^ echelon[bit], colour)
    passes: Passes = np.left_shift(np.uint8(1), np.uint8(len(directions)) - rank)
    return passes


def _colour(direction: f2.Vector, bits: int, toggles: Toggles) -> Passes:
    """The bank bits that a direction moves, for every toggle setting."""
    colour = np.full(len(toggles), direction & (1 << bits) - 1, np.uint8)
    for j in range((direction >> bits).bit_length()):
        if direction >> bits + j & 1:
            colour ^= (toggles >> bits * j & (1 << bits) - 1).astype(np.uint8)
    return colour
