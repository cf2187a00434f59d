"""The cheapest plan of a linear problem: which way to issue every access, under which layout.

For chosen ways (:mod:`bankwise.solver.variants`) the layout is the exact solver's. What is searched
here are the ways, best first, with a bound: the widest vector P of a choice is pinned, and each
access takes at least its floor under these pins. Accesses of one instruction whose lanes move alike
share their way, so there are few choices.

The worked case is the K tile of an attention on gfx942: 64 x 128 f16, stored by 16 bytes and read
four times by 8. Whole, P has three elements: 8 + 4 * 8 = 40 passes, 36 cycles to issue them. With
the store in two parts P has two: 8 + 4 * 4 = 24 passes, 40 cycles. That is 64 for 76, and what is
split further issues more and gains nothing: 24 is the floor of all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product
from math import prod

from bankwise.algebra import f2
from bankwise.errors import Refusal
from bankwise.hardware.issue_cycles import issue_cycles
from bankwise.identity import ByIdentity
from bankwise.solver.plan import Prefer, Rank, spent
from bankwise.solver.problem import Problem
from bankwise.solver.search import Solution
from bankwise.solver.theorem import floor, pins
from bankwise.solver.variants import NARROWEST_BYTES, Way, ways, with_ways

Chosen = tuple[int, ...]
"""The number of a way for each access; 0 leaves it whole."""

Solve = Callable[[Problem], Solution | Refusal]

MOST_CHOICES = 256
"""Ways to issue all accesses that are ranked one by one; of more, only the best for each P."""

MOST_SOLVED = 12
"""Choices whose layout is searched."""

FEWEST_BYTES = 1
"""The narrowest part where accesses exclude each other as they are."""


class Solved(ByIdentity, frozen=True, eq=False):
    """One choice of ways with its best linear layout."""

    ways: tuple[Way, ...]
    solution: Solution
    rank: Rank

    @property
    def whole(self) -> bool:
        """Whether every access is issued as it is stated."""
        return all(way.parts == 1 for way in self.ways)


class Cheapest(ByIdentity, frozen=True, eq=False):
    """``best`` of the choices that were ``solved``; ``whole``: with all accesses as stated.

    ``proved``: no choice with any linear layout ranks better. ``least``: no choice with a layout of
    any kind ranks better than this while each part is issued by itself; ``joined``: nor if a
    compiler joins parts into instructions of two addresses. ``choices``: how many there are.
    """

    prefer: Prefer
    best: Solved
    whole: Solved | Refusal
    solved: tuple[Solved, ...]
    proved: bool
    least: Rank
    joined: Rank
    choices: int

    @property
    def any_layout(self) -> bool:
        """Whether no layout of any kind, in any memory, is cheaper."""
        return self.best.rank <= self.least

    @property
    def anything(self) -> bool:
        """Whether that is so, too, where parts may be joined: no padding is cheaper."""
        return self.best.rank <= self.joined


class _WaysToIssue(ByIdentity, frozen=True, eq=False):
    """The ways of every access; ``alike``: accesses that share theirs."""

    problem: Problem
    prefer: Prefer
    ways: tuple[tuple[Way, ...], ...]
    issue: tuple[tuple[int | None, ...], ...]
    alike: tuple[tuple[int, ...], ...]

    @property
    def number(self) -> int:
        """How many there are."""
        return prod(len(self.ways[group[0]]) for group in self.alike)

    def picked(self, chosen: Chosen) -> tuple[Way, ...]:
        """The ways of one choice."""
        return tuple(each[n] for each, n in zip(self.ways, chosen, strict=True))

    def rank(self, passes: int, chosen: Chosen) -> Rank:
        """Of a choice that takes so many passes."""
        return self.spent(range(len(chosen)), passes, chosen)

    def spent(self, accesses: Sequence[int], passes: int, chosen: Chosen) -> Rank:
        """The same of some of the accesses."""
        issue = [self.issue[a][chosen[a]] for a in accesses]
        known = [cycles for cycles in issue if cycles is not None]
        total = sum(known) if len(known) == len(issue) else None
        weight = sum(self.ways[a][chosen[a]].access.weight for a in accesses)
        return spent(self.prefer, passes, total, weight)


def issued(problem: Problem, way: Way) -> int | None:
    """Weighted issue cycles of an access; a copy keeps no port of LDS busy."""
    access = way.access
    each = 0 if access.kind == "dma" else issue_cycles(problem.machine, access.instruction)
    return None if each is None else each * access.weight


def cheapest(
    problem: Problem,
    prefer: Prefer,
    solve: Solve,
    *,
    named: Collection[str] = (),
    split: bool = True,
) -> Cheapest | Refusal:
    """Search the ways to issue the accesses of a problem.

    ``named``: accesses whose instruction the user chose; ``split``: whether others may be issued in
    parts. A Refusal where no choice has a layout.
    """
    whole = solve(problem)
    narrowest = NARROWEST_BYTES if isinstance(whole, Solution) else FEWEST_BYTES
    every = tuple(a.name for a in problem.accesses)
    known = ways(problem, named if split else every, narrowest)
    issue = tuple(tuple(issued(problem, way) for way in each) for each in known)
    choices = _WaysToIssue(problem, prefer, known, issue, _alike(known))
    first = (0,) * len(known)
    if isinstance(whole, Refusal):
        found = _searched(choices, solve, whole, [])
        return found or whole
    start = Solved(choices.picked(first), whole, choices.rank(_passes(whole), first))
    ideal = choices.rank(sum(min(map(_ideal, each)) for each in known), first)
    if start.rank <= ideal:
        return Cheapest(prefer, start, start, (start,), True, ideal, ideal, choices.number)
    found = _searched(choices, solve, start, [start])
    assert found is not None, "the first choice is solved"
    return found


def _searched(
    choices: _WaysToIssue, solve: Solve, whole: Solved | Refusal, found: list[Solved]
) -> Cheapest | None:
    """Solve choices, those of the least bound first, as long as one may rank better."""
    first = (0,) * len(choices.ways)
    tables = dict(_tables(choices))
    few = choices.number <= MOST_CHOICES
    listed = sorted(_every(choices, tables) if few else _best(choices, tables))
    ended = few
    for bound, chosen in listed:
        if found and bound >= min(each.rank for each in found):
            break
        if len(found) >= MOST_SOLVED:
            ended = False
            break
        picked = with_ways(choices.problem, choices.picked(chosen))
        solution = solve(picked) if any(chosen) else None
        if isinstance(solution, Solution):
            rank = choices.rank(_passes(solution), chosen)
            found.append(Solved(choices.picked(chosen), solution, rank))
    if not found:
        return None
    best = min(found, key=lambda each: each.rank)
    least = listed[0][0]
    joined = min(choices.rank(sum(map(min, table)), first) for table in tables.values())
    ended = ended and all(each.solution.certificate.optimal for each in found)
    proved = ended or best.rank <= least
    return Cheapest(
        choices.prefer, best, whole, tuple(found), proved, least, joined, choices.number
    )


def _passes(solution: Solution) -> int:
    return solution.certificate.total_passes


def _ideal(way: Way) -> int:
    return way.access.weight * way.access.phases


def _alike(known: Sequence[tuple[Way, ...]]) -> tuple[tuple[int, ...], ...]:
    """Accesses of one instruction whose lanes move alike."""
    found: dict[object, list[int]] = {}
    for number, (way, *_) in enumerate(known):
        access = way.access
        key = access.instruction.name, access.vector, access.phase, len(known[number])
        found.setdefault(key, []).append(number)
    return tuple(map(tuple, found.values()))


Table = tuple[tuple[int, ...], ...]
"""Of each access, by way, weighted passes that it takes at least; :data:`NEVER` if it cannot be."""

NEVER = 1 << 60


def _tables(choices: _WaysToIssue) -> Iterator[tuple[f2.Basis, Table]]:
    """One for every vector that may be the widest of a choice: it is pinned."""
    every = {way.access.vector for each in choices.ways for way in each}
    for pinned in sorted(every, key=lambda v: (-len(v), v)):
        legal = [
            [way.access.vector == pinned[: len(way.access.vector)] for way in each]
            for each in choices.ways
        ]
        if all(map(any, legal)):
            yield pinned, _table(choices, legal)


def _table(choices: _WaysToIssue, legal: list[list[bool]]) -> Table:
    """Floors under the pins of the widest ways that are legal."""
    first = (each.index(True) for each in legal)
    widest = [each[n] for each, n in zip(choices.ways, first, strict=True)]
    pinned, tile = pins(with_ways(choices.problem, widest)), choices.problem.tile
    return tuple(
        tuple(
            NEVER
            if not may
            else _ideal(way)
            if isinstance(pinned, Refusal)
            else way.access.weight * floor(tile, pinned, way.access)
            for way, may in zip(each, may_be, strict=True)
        )
        for each, may_be in zip(choices.ways, legal, strict=True)
    )


def _every(
    choices: _WaysToIssue, tables: Mapping[f2.Basis, Table]
) -> Iterator[tuple[Rank, Chosen]]:
    """All choices with their bounds."""
    sizes = [range(len(choices.ways[group[0]])) for group in choices.alike]
    for numbers in product(*sizes):
        chosen = _spread(choices, numbers)
        widest = max((way.access.vector for way in choices.picked(chosen)), key=len)
        table = tables.get(widest)
        least = sum(each[n] for each, n in zip(table, chosen, strict=True)) if table else NEVER
        if least < NEVER:
            yield choices.rank(least, chosen), chosen


def _best(choices: _WaysToIssue, tables: Mapping[f2.Basis, Table]) -> Iterator[tuple[Rank, Chosen]]:
    """For each pinned vector the choice of the least bound."""
    for table in tables.values():
        numbers = []
        for group in choices.alike:
            prices = {
                n: choices.spent(group, sum(table[a][n] for a in group), (n,) * len(choices.ways))
                for n, price in enumerate(table[group[0]])
                if price < NEVER
            }
            numbers.append(min(prices, key=lambda n: prices[n]))
        chosen = _spread(choices, numbers)
        yield choices.rank(sum(t[n] for t, n in zip(table, chosen, strict=True)), chosen), chosen


def _spread(choices: _WaysToIssue, numbers: Sequence[int]) -> Chosen:
    """The choice of each group as that of its accesses."""
    chosen = [0] * len(choices.ways)
    for group, number in zip(choices.alike, numbers, strict=True):
        for access in group:
            chosen[access] = number
    return tuple(chosen)
