"""Answers to problems that are not linear: masked lanes, index expressions, odd sizes.

Every member of every family is tried and counted, and the exact optimum of what is linear about the
problem, with accesses whole and in parts: choices are tried in the order of their floors
(:mod:`bankwise.solver.floors`), as long as one may rank better.

The worked case is 48 x 80 f16 on gfx942, stored by 16 bytes and read by 8. Whole, no layout takes
less than 15.5 passes, and ``Swizzle<1,3,3>`` of the flat offset takes them; with the stores in two
parts ``Swizzle<2,2,4>`` takes 11.5, every access ideal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bankwise.algebra.address import AddressMap, Linear
from bankwise.errors import Refusal
from bankwise.notation.frameworks import frameworks, members
from bankwise.solver.answer import ROW_MAJOR, Answer, Limits, notes_of
from bankwise.solver.choices import Rank, issue_choices, standing_of
from bankwise.solver.known import known_of, no_worse
from bankwise.solver.plan import Plan, priced, rank_of
from bankwise.solver.price import Workload
from bankwise.solver.search import Solution
from bankwise.solver.simplest import SOLVER
from bankwise.solver.table import Table, baselines, family_table

MOST_TRIED = 4
"""Choices whose families are counted: each takes tens of milliseconds."""


@dataclass(frozen=True, slots=True, eq=False)
class _TriedParts:
    """One choice of parts, its table, and the best plan of it."""

    work: Workload
    table: Table
    plans: tuple[Plan, ...]


def counted(
    work: Workload,
    limits: Limits,
    proof: Solution | Refusal,
    tried: Solution | Refusal | None = None,
    present: AddressMap = ROW_MAJOR,
    shown: str = "row-major",
) -> Answer | Refusal:
    """Answer a problem by trying and counting.

    ``proof``: what the solver says of all of it, or why it has no say; ``tried``: of what is linear
    about it. ``present``: the layout as it is, ``shown`` in words.
    """
    there = baselines(work, present, shown, limits.lds_bytes)
    choices = issue_choices(work, limits.prefer, split=limits.split)
    found: list[_TriedParts] = []
    best: Rank | None = None
    for choice in choices:
        if (best is not None and choice.bound >= best) or len(found) == MOST_TRIED:
            break
        found.append(_try(choice.work, limits, tried))
        plans = _fitting(found, there, limits)
        best = min((rank_of(plan, limits.prefer)[:-2] for plan in plans), default=None)
    plans = _fitting(found, there, limits)
    if not plans:
        which = limits.family or "any family"
        return Refusal(f"no member of {which} keeps what every lane moves at once together")
    layout = min(plans, key=lambda plan: rank_of(plan, limits.prefer))
    at = next((t for t in found if layout in t.plans), found[0])
    if not limits.family:
        layout = replace(layout, tried=sum(map(len, map(_listed, found))))
    known = known_of(at.work, layout, proof if at is found[0] else _SPLIT, layout.splits)
    looked_at = f"{layout.tried} members of the families"
    standing = standing_of(layout, known, limits.prefer, choices, looked_at)
    if not limits.family and _first(found, limits) < rank_of(layout, limits.prefer):
        standing = no_worse(standing)
    whole = min(found[0].plans, key=lambda plan: rank_of(plan, limits.prefer), default=None)
    return Answer(
        layout,
        known,
        standing,
        limits,
        whole=whole,
        rivals=tuple(plan for t in found for plan in t.plans if plan.space == SOLVER),
        notes=notes_of(layout),
        counted=at.work,
        present=there,
        tables=(at.table, *(t.table for t in found if t is not at)),
    )


def _first(found: Sequence[_TriedParts], limits: Limits) -> Rank:
    """The best rank of all plans, also of those that take more passes than what is there."""
    return min(rank_of(p, limits.prefer) for p in _fitting(found, (), limits))


_SPLIT = Refusal("only the layouts of the families were tried")


def _listed(tried: _TriedParts) -> list[object]:
    return [member for name in frameworks() for member in members(name, tried.work.ground)]


def _try(work: Workload, limits: Limits, tried: Solution | Refusal | None) -> _TriedParts:
    """All families, and the optimum of what is linear, for one way to issue the accesses."""
    table = family_table(work, limits.lds_bytes)
    plans = [plan for plans in table.values() for plan in plans]
    if isinstance(tried, Solution):
        more = priced(work, SOLVER, Linear(tried.layout.columns))
        plans += [] if isinstance(more, Refusal) else [more]
    return _TriedParts(work, table, tuple(plans))


def _fitting(found: Sequence[_TriedParts], there: Sequence[Plan], limits: Limits) -> list[Plan]:
    """The plans that may be the answer: none that takes more passes than what is there already."""
    every = [plan for tried in found for plan in tried.plans]
    if limits.family:
        return [plan for plan in every if plan.space == limits.family]
    most = min((plan.passes for plan in there), default=None)
    size = min((plan.lds_bytes for plan in every), default=0)
    kept = [plan for plan in every if limits.pad or plan.lds_bytes == size]
    return [plan for plan in kept if most is None or plan.passes <= most] or kept
