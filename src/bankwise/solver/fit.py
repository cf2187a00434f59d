"""The best member of a restricted family, and what it loses against the optimum.

Single folds, rotations and pads are tried one by one and judged by counting; the masks of the
family ``xor`` are searched exactly (:mod:`bankwise.solver.rows`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bankwise.algebra.address import AddressMap, Linear
from bankwise.algebra.offset import footprint, offset_text, operations
from bankwise.errors import Refusal
from bankwise.notation.framework import Member
from bankwise.notation.frameworks import members
from bankwise.solver.price import Cost, Workload, cost, costs, linear_totals, workload
from bankwise.solver.problem import Problem
from bankwise.solver.rows import best_masks
from bankwise.solver.theorem import Pins

SOLVER = "solver"
"""The family of the solver's own layouts: every linear one."""

Price = tuple[Fraction, int, int, int]
"""What the Pareto table compares: passes, instructions, bytes, operations."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One layout with its price. ``label``: what it is, in words or a notation.

    ``lds_bytes``: its footprint; ``operations``: of the address, beyond row-major.
    """

    family: str
    label: str
    address: AddressMap
    cost: Cost
    lds_bytes: int
    operations: int
    offset: str

    @property
    def passes(self) -> Fraction:
        """Weight times passes."""
        return self.cost.passes

    @property
    def instructions(self) -> int:
        """Weight times executed instructions."""
        return self.cost.instructions

    @property
    def price(self) -> Price:
        """What the Pareto table compares: passes, instructions, bytes, operations."""
        return (self.passes, self.instructions, self.lds_bytes, self.operations)


@dataclass(frozen=True, slots=True)
class Fit:
    """The best member of a family; ``lost``: weighted passes above the optimum, None if unknown.

    ``members``: how many were tried; 0 for an exact search.
    """

    best: Candidate
    lost: Fraction | None
    members: int


def fit(
    problem: Problem | Workload, name: str, optimum: int | Fraction | None = None
) -> Fit | Refusal:
    """The member of the family called ``name`` with the fewest passes, then operations.

    A Refusal if no member is legal. ``optimum``: total passes to compare with.
    """
    work = workload(problem) if isinstance(problem, Problem) else problem
    tried = len(members(name, work.ground))
    return best_of(name, list(candidates(work, name)), tried, optimum)


def best_of(
    name: str, legal: Sequence[Candidate], tried: int, optimum: int | Fraction | None
) -> Fit | Refusal:
    """The cheapest of the legal members of a family of ``tried``."""
    if not tried:
        return Refusal(f"{name} has no member on this tile")
    if not legal:
        return Refusal(f"no member of {name} keeps what every lane moves at once together")
    best = min(legal, key=lambda c: c.price)
    return Fit(best, None if optimum is None else best.passes - optimum, tried)


def masks(problem: Problem, pins: Pins, work: Workload) -> Candidate | None:
    """The best masks of a linear problem, by exact search; None if vectors do not lie in rows."""
    found = best_masks(problem, pins)
    best = None if found is None else candidate(work, "xor", "", found)
    return None if isinstance(best, Refusal) else best


def candidates(work: Workload, name: str) -> Iterator[Candidate]:
    """Members of a family worth keeping: the best linear ones, and every other legal one."""
    every = members(name, work.ground)
    quick = [m for m in every if work.linear and isinstance(m.address, Linear)]
    slow = [m for m in every if not (work.linear and isinstance(m.address, Linear))]
    tried = slow + _least(work, quick)
    found = costs(work, [m.address for m in tried])
    for member, price in zip(tried, found, strict=True):
        if not isinstance(price, Refusal):
            yield _candidate(work, name, member.label, member.address, price)


def candidate(work: Workload, family: str, label: str, address: AddressMap) -> Candidate | Refusal:
    """Count one layout and price it; ``label`` defaults to its text."""
    found = cost(work, address)
    if isinstance(found, Refusal):
        return found
    return _candidate(work, family, label, address, found)


def _candidate(
    work: Workload, family: str, label: str, address: AddressMap, found: Cost
) -> Candidate:
    shape, text = work.shape, offset_text(work.shape, address)
    size = shape.bytes_of(footprint(shape, address))
    return Candidate(family, label or text, address, found, size, operations(shape, address), text)


def _least(work: Workload, quick: Sequence[Member]) -> list[Member]:
    """Of linear members those with the fewest passes; of these, the one with the cheapest text."""
    if not quick:
        return []
    totals = linear_totals(work, [m.address for m in quick if isinstance(m.address, Linear)])
    legal = [int(t) for t in totals if t >= 0]
    if not legal:
        return []
    best = [m for m, t in zip(quick, totals, strict=True) if t == min(legal)]
    return [min(best, key=lambda m: operations(work.shape, m.address))]


def pareto(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Those that no other beats or equals in everything, the fewest passes first."""
    front: list[Candidate] = []
    for one in sorted(candidates, key=lambda c: c.price):
        if not any(_covers(kept.price, one.price) for kept in front):
            front.append(one)
    return tuple(front)


def _covers(a: Price, b: Price) -> bool:
    return a[0] <= b[0] and a[1] <= b[1] and a[2] <= b[2] and a[3] <= b[3]
