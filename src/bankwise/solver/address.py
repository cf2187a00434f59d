"""From a colouring to an address: which layout has these bank colours, and the cheapest of them.

A *natural* colouring leaves the low directions in their place, so the address is

    offset = x XOR (some bits of x, shifted down)

with x the row-major element offset: rows stay rows, each permuted within itself. Its price is the
number of shifts, since all bits that move by the same distance are one ``xor`` of a shift and a
mask (``n ^ 2 * m`` of the worked transpose moves four bits by one distance).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.solver.colouring import Colouring, Demand, Search, plain_bits, search_order
from bankwise.solver.theorem import Pins

ADDRESS_NODES = 60
"""Search nodes spent on a cheaper address before the one at hand is taken: a fraction of a
millisecond."""

ADDRESS_EFFORT = 20_000
"""The same where a person waits for the answer."""


def shifts(colours: Sequence[f2.Vector], bits: int) -> tuple[int, ...]:
    """The distances by which a natural colouring moves bits: the price of its address."""
    places = ((i, k) for i in range(len(colours)) for k in range(min(i, bits)))
    moves = {i - k for i, k in places if colours[i] >> k & 1}
    return tuple(sorted(moves))


def xor_terms(bases: Sequence[f2.Vector]) -> tuple[tuple[int, int], ...] | None:
    """The address as (shift, mask) terms: ``offset = x ^ (x >> shift & mask) ^ ...``.

    ``bases``: the offset of every coordinate bit. x is the row-major element offset. None if the
    layout moves a bit from its place, so that no such form exists.
    """
    masks: dict[int, int] = {}
    for i, base in enumerate(bases):
        if base >> i != 1:
            return None
        for k in range(i):
            if base >> k & 1:
                masks[i - k] = masks.get(i - k, 0) | 1 << k
    return tuple(sorted(masks.items()))


def cheapest(
    wanted: Sequence[Demand], found: Colouring, bits: int, nodes: int = ADDRESS_NODES
) -> tuple[Colouring, bool]:
    """A natural colouring of the same cost with the fewest shifts; whether that is proven.

    Sets of shifts are tried in order of size. ``nodes`` limits the whole effort.
    """
    dimension, plain = len(found.colours), plain_bits(wanted, bits)
    search = Search(wanted, search_order(wanted, dimension, plain), dimension, bits, nodes)
    start = search.fix(plain)
    spans, lost = search.spans, search.lost
    search.bound, search.enough = found.cost + 1, found.cost
    for used in _shift_sets(dimension, len(shifts(found.colours, bits))):
        if search.nodes >= nodes:
            return found, False
        search.nodes += 1
        search.spans, search.lost = spans[:], lost[:]
        search.choices = _allowed(dimension, bits, plain, used)
        search.visit(plain, 1, start)
        if search.best is not None:
            return replace(found, colours=search.answer()), True
    return found, search.nodes < nodes


def _shift_sets(dimension: int, below: int) -> Iterator[tuple[int, ...]]:
    distances = range(1, dimension)
    for size in range(below):
        yield from combinations(distances, size)


def _allowed(
    dimension: int, bits: int, plain: int, used: tuple[int, ...]
) -> list[tuple[f2.Vector, ...]]:
    """The natural colours that a direction can have with these shifts alone, fewest bits first."""
    reach = sum(1 << dimension - s for s in used)
    low, every = (1 << plain) - 1, (1 << bits) - 1
    out: list[tuple[f2.Vector, ...]] = [(1 << i,) for i in range(plain)]
    out += [_sums(1 << i, reach << i >> dimension & low) for i in range(plain, bits)]
    out += [_sums(0, reach << i >> dimension & every) for i in range(bits, dimension)]
    return out


@lru_cache(maxsize=1 << 12)
def _sums(own: int, free: int) -> tuple[f2.Vector, ...]:
    """``own`` with every subset of the bits ``free``, fewest bits first."""
    subsets, part = [0], free
    while part:
        subsets.append(part)
        part = (part - 1) & free
    return tuple(own | c for c in sorted(subsets, key=lambda c: (c.bit_count(), c)))


def bases(pins: Pins, colours: Sequence[f2.Vector], blocks: Sequence[int]) -> tuple[int, ...]:
    """The offset, in elements, of every coordinate bit under a colouring of the free directions.

    ``blocks``: ascending numbers of bank bits that some access sees; the colours' prefixes of
    these lengths keep their kernels, so no access's passes change.
    """
    low = len(pins.vector)
    images = [1 << i for i in range(low)] + [image << low for image in _images(colours, blocks)]
    return f2.compose(pins.frame, images)


def _images(colours: Sequence[f2.Vector], blocks: Sequence[int]) -> list[int]:
    """An invertible map of the free directions whose low bits have the kernels of the colours."""
    dimension, bits = len(colours), blocks[-1]
    rows = _independent_rows(f2.transpose(colours, bits), dimension)
    chosen: list[int] = []
    start = 0
    for end in blocks:
        chosen += _reduce_block(rows, chosen, start, end)
        start = end
    rest = [i for i in range(dimension) if i not in chosen]
    banks = f2.transpose(rows, dimension)
    segment = {direction: bits + place for place, direction in enumerate(rest)}
    return [banks[i] | (1 << segment[i] if i in segment else 0) for i in range(dimension)]


def _independent_rows(rows: Sequence[f2.Vector], dimension: int) -> list[f2.Vector]:
    """The rows, with every dependent one replaced by a unit: the span of a prefix only grows."""
    kept: list[f2.Vector] = []
    for row in rows:
        if not f2.independent([row], modulo=kept):
            row = next(iter(f2.complement((*kept, *rows), dimension)), 0)
            row = row or f2.complement(kept, dimension)[0]
        kept.append(row)
    return kept


def _reduce_block(rows: list[f2.Vector], chosen: list[int], start: int, end: int) -> list[int]:
    """Make bank bits start..end plain on the lowest directions that allow it; which they are."""
    for k, direction in enumerate(chosen):
        for j in range(start, end):
            if rows[j] >> direction & 1:
                rows[j] ^= rows[k]
    pivots: list[int] = []
    for place in range(start, end):
        pivot = min((row & -row).bit_length() - 1 for row in rows[place:end])
        source = next(j for j in range(place, end) if rows[j] >> pivot & 1)
        rows[place], rows[source] = rows[source], rows[place]
        for j in range(start, end):
            if j != place and rows[j] >> pivot & 1:
                rows[j] ^= rows[place]
        pivots.append(pivot)
    return pivots
