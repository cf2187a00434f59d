"""Answers to problems that are not linear: masked lanes, index expressions, odd sizes.

Every member of every family is tried and counted, and the exact optimum of what is linear about the
problem, with accesses whole and in parts: choices are tried in the order of their floors
(:mod:`bankwise.solver.floors`), as long as one may rank better.

The worked case is 48 x 80 f16 on gfx942, stored by 16 bytes and read by 8. Whole, no layout takes
less than 15.5 passes, and ``Swizzle<1,3,3>`` of the flat offset takes them; with the stores in two
parts ``Swizzle<2,2,4>`` takes 11.5, every access ideal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import get_args

from msgspec.structs import replace

from bankwise.algebra.address import AddressMap, Linear
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.notation.frameworks import frameworks, members
from bankwise.solver.answer import ROW_MAJOR, Answer, Limits, notes_of
from bankwise.solver.choices import issue_choices, most_promising, standing_of
from bankwise.solver.known import Standing, known_of, no_worse
from bankwise.solver.plan import Plan, Prefer, Rank, priced, rank_of
from bankwise.solver.price import Workload
from bankwise.solver.search import Solution
from bankwise.solver.simplest import SOLVER
from bankwise.solver.table import Table, baselines, family_table


class _TriedParts(ByIdentity, frozen=True, eq=False):
    """One choice of parts, its table, and the best plans of it."""

    work: Workload
    table: Table
    plans: tuple[Plan, ...]


class _CountedProblem(ByIdentity, frozen=True, eq=False):
    """A problem as it is asked. ``linear``: what the solver says of what is linear about it;
    ``there``: what is there already."""

    work: Workload
    limits: Limits
    linear: Solution | Refusal | None
    there: tuple[Plan, ...]


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
    asked = _CountedProblem(work, limits, tried, there)
    choices = issue_choices(work, limits.prefer, split=limits.split)
    found = most_promising(choices, partial(_try, asked), partial(_least, asked, limits.prefer))
    plans = _fitting(asked, found)
    if not plans:
        return _none(limits.family or "any family")
    layout = _first(plans, limits.prefer)
    at = next((t for t in found if layout in t.plans), found[0])
    if not limits.family:
        layout = replace(layout, tried=sum(map(len, map(_listed, found))))
    known = known_of(at.work, layout, proof if at is found[0] else _SPLIT, layout.splits)
    looked_at = f"{layout.tried:,} members of the families"
    standing = standing_of(layout, known, limits.prefer, choices, looked_at)
    return Answer(
        layout,
        known,
        _held(standing, layout, asked, found),
        limits,
        whole=_first(found[0].plans, limits.prefer) if found[0].plans else None,
        rivals=tuple(plan for t in found for plan in t.plans if plan.space == SOLVER),
        notes=notes_of(layout),
        counted=at.work,
        present=there,
        tables=(at.table, *(t.table for t in found if t is not at)),
        others=partial(_others, asked, found),
    )


def _held(
    standing: Standing, layout: Plan, asked: _CountedProblem, found: Sequence[_TriedParts]
) -> Standing:
    """What is said where a plan of a better rank takes more passes than what is there."""
    prefer, alone = asked.limits.prefer, replace(asked, there=())
    if asked.limits.family or rank_of(layout, prefer) <= min(
        rank_of(plan, prefer) for plan in _fitting(alone, found)
    ):
        return standing
    return no_worse(standing)


def _none(which: str) -> Refusal:
    return Refusal(f"no member of {which} keeps what every lane moves at once together")


def _first(plans: Sequence[Plan], prefer: Prefer) -> Plan:
    return min(plans, key=lambda plan: rank_of(plan, prefer))


_SPLIT = Refusal("only the layouts of the families were tried")


def _listed(tried: _TriedParts) -> list[object]:
    return [member for name in frameworks() for member in members(name, tried.work.ground)]


def _try(asked: _CountedProblem, work: Workload) -> _TriedParts:
    """All families, and the optimum of what is linear, for one way to issue the accesses."""
    table = family_table(work, asked.limits.lds_bytes)
    plans = [plan for plans in table.values() for plan in plans]
    if isinstance(asked.linear, Solution):
        more = priced(work, SOLVER, Linear(asked.linear.layout.columns))
        plans += [] if isinstance(more, Refusal) else [more]
    return _TriedParts(work, table, tuple(plans))


def _least(asked: _CountedProblem, prefer: Prefer, found: Sequence[_TriedParts]) -> Rank | None:
    """The best rank of what was tried, but for the address."""
    return min((rank_of(plan, prefer)[:-2] for plan in _fitting(asked, found)), default=None)


def _others(asked: _CountedProblem, found: Sequence[_TriedParts]) -> Iterator[Table]:
    """What the other preferences try besides."""
    known = {_parts(tried.work): tried for tried in found}

    def attempt(work: Workload) -> _TriedParts:
        return known.get(_parts(work)) or known.setdefault(_parts(work), _try(asked, work))

    for prefer in get_args(Prefer):
        choices = issue_choices(asked.work, prefer, split=asked.limits.split)
        most_promising(choices, attempt, partial(_least, asked, prefer))
    for tried in [each for each in known.values() if each not in found]:
        yield tried.table
        yield {SOLVER: tuple(plan for plan in tried.plans if plan.space == SOLVER)}


def _parts(work: Workload) -> tuple[int, ...]:
    """What tells one choice from another."""
    return tuple(use.parts for use in work.uses)


def _fitting(asked: _CountedProblem, found: Sequence[_TriedParts]) -> list[Plan]:
    """The plans that may be the answer: none that takes more passes than what is there already."""
    limits, every = asked.limits, [plan for tried in found for plan in tried.plans]
    if limits.family:
        return [plan for plan in every if plan.space == limits.family]
    most = min((plan.passes for plan in asked.there), default=None)
    size = min((plan.lds_bytes for plan in every), default=0)
    kept = [plan for plan in every if limits.pad or plan.lds_bytes == size]
    return [plan for plan in kept if most is None or plan.passes <= most] or kept
