"""The whole answer to a problem: the layout, what each family would give, what competes with it.

The exact solver finds the least weighted passes; among layouts of that price the cheaper address
wins, and among equal addresses one that is some framework's notation. A family that the user asks
for restricts the answer to its best member. What is not linear is tried and counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from bankwise.algebra.address import Linear
from bankwise.errors import Refusal
from bankwise.notation.frameworks import frameworks, members
from bankwise.solver.address import ADDRESS_EFFORT
from bankwise.solver.best import Prices, claimed, ranked
from bankwise.solver.certificate import Certificate
from bankwise.solver.colouring import NODES
from bankwise.solver.fit import SOLVER, Fit, best_of, family, masks
from bankwise.solver.known import Known, known_of
from bankwise.solver.modes import ModePlan
from bankwise.solver.narrow import ANY_WIDTHS, WIDTHS, narrowed
from bankwise.solver.plan import Plan, front, priced
from bankwise.solver.price import Workload, workload
from bankwise.solver.problem import Problem
from bankwise.solver.search import Solution, solve

_FIRST_NODES = 2_000
_GROWTH = 4
_SEARCHED = "xor"


@dataclass(frozen=True, slots=True)
class Limits:
    """``lds_bytes``: of every layout that is offered; ``family``: restricts the answer.

    ``budget_s``: seconds for the search; None for the default number of nodes.
    """

    lds_bytes: int
    family: str = ""
    budget_s: float | None = None
    allow_narrowing: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """``layout`` answers ``problem`` (None where counted), after narrowing if that was allowed.

    ``known``: how good it is, among what and under which conditions. ``fits``: by family;
    ``front``: the Pareto table. ``solution``: of the exact solver. ``modes``: the canonical layouts
    that were compared, where asynchronous units use the tile.
    """

    work: Workload
    layout: Plan
    known: Known
    fits: Mapping[str, Fit | Refusal]
    front: tuple[Plan, ...]
    notes: tuple[str, ...] = ()
    problem: Problem | None = None
    solution: Solution | None = None
    certificate: Certificate | None = None
    modes: tuple[ModePlan, ...] = ()

    @property
    def optimal(self) -> bool:
        """Whether that is proved."""
        return self.known.optimal


def exact(
    problem: Problem, limits: Limits, named: tuple[str, ...] = (), policy: str = "iree"
) -> Answer | Refusal:
    """Answer a linear problem. ``named``: accesses whose instruction the user chose."""
    solution = solve_within(problem, limits.budget_s)
    if isinstance(solution, Refusal) and not limits.allow_narrowing:
        return solution
    notes: tuple[str, ...] = ()
    others: list[Plan] = []
    widths = ANY_WIDTHS if isinstance(solution, Refusal) else WIDTHS
    variants = list(narrowed(problem, named, widths)) if limits.allow_narrowing else []
    stated = []
    if isinstance(solution, Solution):
        whole = workload(problem, named, policy)
        stated.append(_solver(whole, solution, "the optimum as stated"))
    for variant in variants:
        found = solve_within(variant.problem, limits.budget_s)
        if isinstance(found, Refusal):
            continue
        label = "the optimum with " + ", ".join(variant.notes)
        others.append(_solver(workload(variant.problem, named, policy), found, label))
        if isinstance(solution, Refusal) or _fewer(found, solution):
            solution, notes = found, variant.notes
    if isinstance(solution, Refusal):
        return solution
    if notes:
        table = family_table(workload(problem, named, policy), limits.lds_bytes)
        others += [*stated, *(c for cs in table.values() for c in cs)]
    return _exact(solution, limits, named, policy, notes, others)


def _fewer(found: Solution, known: Solution) -> bool:
    return found.certificate.total_passes < known.certificate.total_passes


def _exact(
    solution: Solution,
    limits: Limits,
    named: tuple[str, ...],
    policy: str,
    notes: tuple[str, ...],
    others: list[Plan],
) -> Answer | Refusal:
    work = workload(solution.problem, named, policy)
    optimum = solution.certificate.total_passes
    label = "the optimum with " + ", ".join(notes) if notes else "the optimum"
    best = _solver(work, solution, label)
    table = family_table(work, limits.lds_bytes)
    found = masks(solution.problem, solution.pins, work)
    if found is not None:
        table[_SEARCHED] = (found,)
    fits = _fits(work, table, optimum)
    layout = _notated(best, fits, optimum)
    if limits.family:
        fitted = fits[limits.family]
        if isinstance(fitted, Refusal):
            return fitted
        layout = fitted.best
    known = known_of(work, layout, solution, notes)
    rows = [c for cs in table.values() for c in cs]
    return Answer(
        work,
        layout,
        known,
        fits,
        _front([layout, best, *rows, *others]),
        notes,
        solution.problem,
        solution,
        _certificate(solution, layout),
    )


def counted(
    work: Workload, limits: Limits, extra: Plan | None, proof: Solution | Refusal
) -> Answer | Refusal:
    """Answer a problem by trying and counting.

    ``extra`` is one more layout to try; ``proof``: what the solver says, or why it has no say.
    """
    table = family_table(work, limits.lds_bytes)
    rows = [c for cs in table.values() for c in cs] + ([extra] if extra else [])
    size = work.shape.bytes_of(work.shape.elements)
    chosen = [c for c in rows if c.space == limits.family or not limits.family]
    chosen = [c for c in chosen if limits.family or c.lds_bytes == size]
    if not chosen:
        which = limits.family or "any family"
        return Refusal(f"no member of {which} keeps what every lane moves at once together")
    layout = min(chosen, key=lambda c: c.full_price)
    tried = sum(len(members(name, work.ground)) for name in frameworks())
    if not limits.family:
        layout = replace(layout, tried=tried)
    known = known_of(work, layout, proof)
    fits = _fits(work, table, layout.passes if known.optimal else None)
    return Answer(work, layout, known, fits, _front([layout, *rows]))


def solve_within(problem: Problem, seconds: float | None) -> Solution | Refusal:
    """Solve; with a budget in seconds the search is repeated with more nodes while time allows."""
    if seconds is None:
        return solve(problem, nodes=NODES, address_nodes=ADDRESS_EFFORT)
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


def family_table(work: Workload, lds_bytes: int) -> dict[str, tuple[Plan, ...]]:
    """The plans of every family that fit into so many bytes."""
    known: Prices = {}
    found = {name: ranked(family(work, name), work, known) for name in frameworks()}
    return {
        name: tuple(p for p in plans if p.lds_bytes <= lds_bytes) for name, plans in found.items()
    }


def _front(found: Iterable[Plan]) -> tuple[Plan, ...]:
    """The Pareto table."""
    return front(found, lambda plan: plan.full_price)


def _fits(
    work: Workload, table: Mapping[str, tuple[Plan, ...]], optimum: int | Fraction | None
) -> dict[str, Fit | Refusal]:
    return {
        name: best_of(name, legal, len(members(name, work.ground)), optimum)
        for name, legal in table.items()
    }


def _solver(work: Workload, solution: Solution, label: str) -> Plan:
    found = priced(work, SOLVER, Linear(solution.layout.columns), label)
    assert isinstance(found, Plan), f"the solver keeps vectors together: {found}"
    assert found.passes == solution.certificate.total_passes, "theorem and count agree"
    return found


def _notated(best: Plan, fits: Mapping[str, Fit | Refusal], optimum: int) -> Plan:
    """The cheapest address of these passes; among equals one with a name."""
    rivals, known = [best], frameworks()
    notations = [name for name, f in known.items() if f.notation]
    for name in (*notations, _SEARCHED):
        found = fits[name]
        linear = isinstance(found, Fit) and isinstance(found.best.layout, Linear)
        if linear and isinstance(found, Fit) and found.best.passes == optimum:
            rivals.append(found.best)
    cheap = min(c.operations for c in rivals)
    equal = [c for c in rivals if c.operations == cheap]
    return next((c for c in equal if c.space in notations and c.operations), equal[0])


def _certificate(solution: Solution, layout: Plan) -> Certificate | None:
    """The solver's claims about the layout that was taken; None for one that is not linear."""
    if not isinstance(layout.layout, Linear):
        return None
    return claimed(solution, layout.layout.bases)
