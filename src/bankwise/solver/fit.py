"""The best member of a restricted family, and what it loses against the optimum.

Single folds, rotations and pads are tried one by one and judged by counting; the masks of the
family ``xor`` are searched exactly (:mod:`bankwise.solver.rows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from bankwise.errors import Refusal
from bankwise.notation.frameworks import members
from bankwise.solver.best import ranked
from bankwise.solver.plan import Plan, priced
from bankwise.solver.price import Workload, workload
from bankwise.solver.problem import Problem
from bankwise.solver.rows import best_masks
from bankwise.solver.spaces import Space
from bankwise.solver.theorem import Pins


class Fit(Struct, frozen=True):
    """The best member of a family; ``lost``: weighted passes above the optimum, None if unknown.

    ``members``: how many were tried; 0 for an exact search.
    """

    best: Plan
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
    return best_of(name, ranked(family(work, name), work, {}), tried, optimum)


def best_of(
    name: str, legal: Sequence[Plan], tried: int, optimum: int | Fraction | None
) -> Fit | Refusal:
    """The cheapest of the legal members of a family of ``tried``."""
    if not tried:
        return Refusal(f"{name} has no member on this tile")
    if not legal:
        return Refusal(f"no member of {name} keeps what every lane moves at once together")
    best = min(legal, key=lambda plan: plan.full_price)
    return Fit(best, None if optimum is None else best.passes - optimum, tried)


def masks(problem: Problem, pins: Pins, work: Workload) -> Plan | None:
    """The best masks of a linear problem, by exact search; None if vectors do not lie in rows."""
    found = best_masks(problem, pins)
    best = None if found is None else priced(work, "xor", found)
    return None if isinstance(best, Refusal) else best


def family(work: Workload, name: str) -> Space:
    """The members of a framework's family on a tile as a space."""
    listed = members(name, work.ground)
    labels = {member.address: member.label for member in listed}
    return Space(name, tuple(labels), together=False, labels=tuple(labels.values()))
