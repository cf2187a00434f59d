"""The answer where asynchronous units use the tile: the best canonical layout that all take.

There are a dozen at most, and each is counted on every access: that is the proof. The exact solver
says besides what layouts would take that no descriptor can name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf

from bankwise.algebra.address import Linear
from bankwise.algebra.offset import Shape
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.solver.answer import Answer, Limits
from bankwise.solver.cheapest import Solved
from bankwise.solver.general import Listed, is_linear, listed_workload
from bankwise.solver.known import ALL, THIS_LDS, Known, Standing, known_of
from bankwise.solver.linear_form import dimensions
from bankwise.solver.modes import ModePlan, mode_plans
from bankwise.solver.plan import Plan, number, priced
from bankwise.solver.price import Workload, workload
from bankwise.solver.problem import BitTile, Problem, problem
from bankwise.solver.search import Solution, solve_within
from bankwise.solver.simplest import SOLVER
from bankwise.solver.units import UnitUse, odd_dimension, operand_note, operand_request
from bankwise.solver.variants import Way


def among_modes(
    machine: Machine,
    shape: Shape,
    accesses: Sequence[Listed],
    units: Sequence[UnitUse],
    limits: Limits,
    policy: str = "iree",
) -> Answer | Refusal:
    """The canonical layout with the fewest passes, then the fewest cycles and rows of bulk copies.

    A Refusal where the units exclude each other, or no layout keeps what a lane moves together.
    """
    inners = _inners(shape, units)
    if isinstance(inners, Refusal):
        return inners
    stated = {n: _stated(machine, shape, accesses, units, n, policy) for n in inners}
    modes = tuple(one for n, (work, _) in stated.items() for one in mode_plans(work, units, n))
    taken = [one for one in modes if one.plan is not None]
    if not taken:
        why = "; ".join(dict.fromkeys(f"{one.label}: {one.reason}" for one in modes))
        return Refusal(f"no canonical layout is left: {why}")
    best = min(taken, key=_price)
    assert best.plan is not None, "it was taken"
    work, linear = stated[best.inner]
    proof = _proof(linear, limits)
    known = _known(work, best.plan, proof, len(taken))
    return Answer(
        best.plan,
        known,
        Standing(limits.prefer, known.space, known.optimal),
        limits,
        solved=_solved(linear, proof),
        whole=best.plan,
        rivals=tuple(_unnamed(work, best.plan, proof)),
        notes=tuple(_notes(best, proof, units, machine)),
        counted=work,
        present=(),
        tables=({},),
        modes=modes,
    )


def _proof(linear: Problem | None, limits: Limits) -> Solution | Refusal:
    if linear is None:
        return Refusal("not all accesses are linear")
    return solve_within(linear, limits.budget_s)


def _solved(linear: Problem | None, proof: Solution | Refusal) -> Solved | None:
    if linear is None or isinstance(proof, Refusal):
        return None
    return Solved(tuple(Way(1, access) for access in linear.accesses), proof, ())


def _inners(shape: Shape, units: Sequence[UnitUse]) -> tuple[str, ...] | Refusal:
    """The dimensions that may be contiguous."""
    odd = odd_dimension(shape)
    if odd is not None:
        return odd
    first = units[0]
    for unit in units:
        if set(unit.axes) != set(first.axes):
            return Refusal(f"{first.name} and {unit.name} use different dimensions of the tile")
    found = [n for n in reversed(first.axes) if first.allows(n)]
    for unit in units[1:]:
        left = [n for n in found if unit.allows(n)]
        if not left:
            have, want = ", ".join(found), ", ".join(n for n in unit.axes if unit.allows(n))
            return Refusal(f"{unit.name} needs {want} contiguous, the units before it {have}")
        found = left
    return tuple(found) or Refusal(f"{first.name}: no dimension may be contiguous")


def _stated(
    machine: Machine,
    shape: Shape,
    accesses: Sequence[Listed],
    units: Sequence[UnitUse],
    inner: str,
    policy: str,
) -> tuple[Workload, Problem | None]:
    """All accesses with this dimension contiguous; the linear problem, if it is one."""
    operands = [Listed(operand_request(u, shape, inner)) for u in units if u.kind == "operand"]
    every = [*accesses, *operands]
    dims = dimensions(shape)
    if dims is None or not every or not all(is_linear(machine, one) for one in every):
        return listed_workload(machine, shape, every, policy), None
    requests = [one.request for one in every]
    named = tuple(r.name for r in requests if r.instruction is not None)
    stated = problem(machine, BitTile(dims, shape.element_bits), requests)
    return workload(stated, named, policy), stated


def _price(one: ModePlan) -> tuple[Fraction, float, int, int]:
    assert one.plan is not None, "it was taken"
    cycles = inf if one.cycles is None else one.cycles
    return one.plan.passes, cycles, one.rows, one.plan.operations


def _known(work: Workload, plan: Plan, proof: Solution | Refusal, tried: int) -> Known:
    """By the floor of all layouts where it is reached; else every one of the family was counted."""
    known = known_of(work, plan, proof)
    if known.optimal and known.space == ALL:
        return known
    space = f"the {tried} canonical layouts that every access takes"
    conditions = (known.conditions[0], THIS_LDS)
    return Known("optimal", space, conditions, "each was counted", plan.passes)


def _unnamed(work: Workload, plan: Plan, proof: Solution | Refusal) -> Iterator[Plan]:
    """What would take fewer passes if units could address it."""
    if isinstance(proof, Solution) and proof.certificate.total_passes < plan.passes:
        label = "the best linear layout, which no descriptor names"
        other = priced(work, SOLVER, Linear(proof.layout.columns), label)
        yield from () if isinstance(other, Refusal) else (other,)


def _notes(
    best: ModePlan, proof: Solution | Refusal, units: Sequence[UnitUse], machine: Machine
) -> Iterator[str]:
    plan = best.plan
    assert plan is not None, "it was taken"
    yield f"{best.label}: the tile starts at a multiple of {best.mode.alignment_bytes} bytes"
    if plan.passes > plan.ideal:
        rest = ""
        if isinstance(proof, Solution):
            rest = f"; the best of all linear layouts takes {proof.certificate.total_passes}"
        yield (
            f"no mode is free of conflicts: {number(plan.passes)} passes, "
            f"{number(plan.ideal)} without{rest}"
        )
    yield from (operand_note(unit, machine) for unit in units if unit.kind == "operand")
    for name in dict.fromkeys(u.element.name for u in units if u.element.packed):
        yield f"{name}: 16 numbers lie packed in 16 bytes, the rest of which is a gap"
