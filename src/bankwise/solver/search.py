"""The solver: the best layout of a tile for all of its accesses together, with its certificate.

The objective is lexicographic: the total of weight times passes, then the cheapest address. A
layout that permutes rows within themselves is taken whenever one is optimal; only if none is, any
other. Everything is deterministic.

If elements are smaller than a word and no vector fills it, which directions share the word is part
of the search: coordinate bits first, lowest first, then all other directions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import combinations, product

from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.algebra.layout import Layout
from bankwise.errors import Refusal
from bankwise.solver.address import ADDRESS_EFFORT, ADDRESS_NODES, bases, cheapest
from bankwise.solver.certificate import Certificate, How
from bankwise.solver.claims import certificate
from bankwise.solver.colouring import NODES, Colouring, Demand, demands, search
from bankwise.solver.problem import Problem
from bankwise.solver.theorem import Pins, floor, load, pins, share_word, word_shift

_FIRST_NODES = 2_000
_GROWTH = 4

WORD_CHOICES = 20_000
"""Ways to share a word that are looked at before the answer is called best found."""


class Solution(Struct, frozen=True):
    """``layout``: coordinates to the offset in elements. ``pins``: what the vectors fixed.

    ``cheapest``: whether no optimal layout of its form has an address with fewer operations.
    ``at_least``: passes below which no linear layout gets; where the search ended too early, this
    lies between the floor and what was found.
    """

    problem: Problem
    layout: Layout
    certificate: Certificate
    pins: Pins
    cheapest: bool
    at_least: int


class _Coloured(Struct, frozen=True):
    pins: Pins
    colouring: Colouring
    wanted: tuple[Demand, ...]
    bits: int
    natural: bool


def solve(
    problem: Problem, *, nodes: int = NODES, address_nodes: int = ADDRESS_NODES
) -> Solution | Refusal:
    """The optimum, or a Refusal naming two vectors that cannot both be low offset bits.

    ``nodes`` bounds the search, ``address_nodes`` the effort for a cheaper address (0: the first
    optimal layout found).
    """
    pinned = pins(problem)
    if isinstance(pinned, Refusal):
        return pinned
    lowest = sum(a.weight * floor(problem.tile, pinned, a) for a in problem.accesses)
    answer, complete, tried = _best(problem, pinned, lowest, nodes)
    colouring, proven = answer.colouring, False
    if answer.natural and address_nodes:
        colouring, proven = cheapest(answer.wanted, colouring, answer.bits, address_nodes)
    images = bases(answer.pins, colouring.colours, _blocks(answer))
    how: How = "search" if complete else "budget"
    stated = certificate(problem, pinned, images, how, tried)
    if stated.total_passes == lowest:
        stated = replace(stated, how="floor", nodes=0)
    least = stated.total_passes if stated.optimal else max(lowest, _least(problem, pinned, nodes))
    if stated.how == "budget" and least == stated.total_passes:
        stated = replace(stated, how="search")
    return Solution(problem, offsets(problem, images), stated, answer.pins, proven, least)


def solve_within(problem: Problem, seconds: float | None) -> Solution | Refusal:
    """Solve; with a budget in seconds the search is repeated with more nodes while time allows."""
    if seconds is None:
        return solve(problem, nodes=NODES, address_nodes=ADDRESS_NODES)
    nodes, start = _FIRST_NODES, time.monotonic()
    while True:
        began = time.monotonic()
        found = solve(problem, nodes=nodes, address_nodes=min(nodes, ADDRESS_EFFORT))
        if isinstance(found, Refusal) or found.certificate.how != "budget":
            return found
        now = time.monotonic()
        if now - start + _GROWTH * (now - began) > seconds:
            return found
        nodes *= _GROWTH


def _least(problem: Problem, pinned: Pins, nodes: int) -> int:
    """A bound for all accesses together: groups of them, each solved as if it were alone.

    Groups grow while each is solved within its share of the nodes; the best bound counts. Of ways
    to share a word there are too many, then 0.
    """
    in_word, in_element = word_shift(problem.tile)
    if len(pinned.vector) + in_element < in_word and pinned.free:
        return 0
    loads = [load(problem.tile, pinned, a) for a in problem.accesses]
    wanted = sorted(demands(loads, [a.weight for a in problem.accesses]), key=lambda d: d.space)
    best, size = 0, 4  # Two of them always reach their floor.
    while size < len(wanted):
        groups = [wanted[i : i + size] for i in range(0, len(wanted), size)]
        share = max(1, nodes // len(groups))
        best = max(best, sum(_alone(group, len(pinned.free), share) for group in groups))
        size *= 2
    return best


def _alone(wanted: Sequence[Demand], dimension: int, nodes: int) -> int:
    """The least cost of some accesses; their floor, if the search does not end."""
    least = sum(d.floor for d in wanted)
    bits = min(dimension, max(d.bits for d in wanted))
    found = search(wanted, dimension, bits, natural=False, nodes=nodes)
    return found.cost if found.complete and found.found else least


def offsets(problem: Problem, images: tuple[f2.Vector, ...]) -> Layout:
    """The layout that sends coordinate bit i to the element offset ``images[i]``."""
    return Layout(problem.tile.dims, (("offset", problem.tile.bits),), images)


def word_pins(problem: Problem, pinned: Pins) -> Iterator[Pins]:
    """Every way to fill the lowest word: the pins with the directions that share it.

    Just the pins if a vector fills it already.
    """
    in_word, in_element = word_shift(problem.tile)
    missing = min(in_word - len(pinned.vector) - in_element, len(pinned.free))
    if missing <= 0:
        yield pinned
        return
    for rows in _subspaces(len(pinned.free), missing):
        yield share_word(pinned, [f2.apply(pinned.free, row) for row in rows])


def _subspaces(dimension: int, rank: int) -> Iterator[tuple[f2.Vector, ...]]:
    """Every subspace of this rank once, as an echelon basis; those of unit vectors first."""
    for pivots in combinations(range(dimension), rank):
        yield tuple(1 << p for p in pivots)
    for pivots in combinations(range(dimension), rank):
        below = [[1 << i for i in range(p) if i not in pivots] for p in pivots]
        tails = product(*(f2.span(units) for units in below))
        for tail in tails:
            if any(tail):
                yield tuple(1 << p | t for p, t in zip(pivots, tail, strict=True))


def _best(problem: Problem, pinned: Pins, lowest: int, nodes: int) -> tuple[_Coloured, bool, int]:
    """The best answer over all ways to share a word; whether all were tried; nodes used."""
    best: _Coloured | None = None
    complete, tried = True, 0
    for number, shared in enumerate(word_pins(problem, pinned)):
        if best is not None and (tried >= nodes or number >= WORD_CHOICES):
            return best, False, tried
        answer = _colour(problem, shared, best, nodes - tried)
        if answer is None:
            continue
        tried += answer.colouring.nodes
        complete &= answer.colouring.complete
        if answer.colouring.found or best is None:
            best = answer
        if best.colouring.cost <= lowest:
            break
    assert best is not None, "there is a way to share a word"
    return best, complete, tried


def _colour(problem: Problem, pinned: Pins, best: _Coloured | None, nodes: int) -> _Coloured | None:
    """The best colouring with these pins; None if their floor already excludes a better one.

    First among the layouts that keep rows, then among all.
    """
    loads = [load(problem.tile, pinned, a) for a in problem.accesses]
    wanted = demands(loads, [a.weight for a in problem.accesses])
    least, below = sum(d.floor for d in wanted), best.colouring.cost if best else None
    if below is not None and least >= below:
        return None
    dimension = len(pinned.free)
    bits = min(dimension, max(d.bits for d in wanted))
    rows = search(wanted, dimension, bits, natural=True, below=below, nodes=nodes)
    if rows.found and rows.cost == least:
        return _Coloured(pinned, rows, wanted, bits, True)
    below, left = rows.cost if rows.found else below, max(1, nodes - rows.nodes)
    free = search(wanted, dimension, bits, natural=False, below=below, nodes=left)
    chosen = free if free.found else rows
    together = replace(chosen, nodes=rows.nodes + free.nodes, complete=free.complete)
    return _Coloured(pinned, together, wanted, bits, not free.found)


def _blocks(answer: _Coloured) -> list[int]:
    """The numbers of bank bits that some access sees, ascending."""
    return sorted({min(d.bits, answer.bits) for d in answer.wanted} | {answer.bits})
