"""The whole answer to a problem: the cheapest plan, what is known of it, and what competes.

A plan is a way to issue every access (:mod:`bankwise.solver.variants`), a layout and a pitch. For
linear accesses :mod:`bankwise.solver.cheapest` has the ways and the exact solver the layouts;
paddings, rotations and whatever else is not linear are priced where its bounds leave them a chance.
What is not linear itself is counted (:mod:`bankwise.solver.counted`). An answer is never worse in
passes than the layout as it is or than what the framework does unasked; a family that the user asks
for restricts it. Tables, front and certificate are computed when somebody looks at them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from math import prod
from typing import TYPE_CHECKING, get_args

from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra.address import AddressMap, Identity, Linear, Padded
from bankwise.algebra.offset import Dims, Shape
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.notation.framework import Ground
from bankwise.notation.frameworks import languages, members
from bankwise.solver.best import claimed, ranked
from bankwise.solver.certificate import Certificate
from bankwise.solver.cheapest import Cheapest, Solved, cheapest
from bankwise.solver.fit import Fit, best_of, family, masks
from bankwise.solver.known import (
    ALL,
    IN_PARTS,
    LINEAR_MAPS,
    Known,
    Standing,
    known_of,
    known_solved,
    no_worse,
)
from bankwise.solver.pads import padded_costs
from bankwise.solver.plan import AS_IT_IS, Plan, Prefer, Rank, plan_of, priced, rank_of, staged
from bankwise.solver.price import Workload, workload
from bankwise.solver.problem import Problem
from bankwise.solver.search import Solution, solve_within
from bankwise.solver.simplest import SOLVER, keeps_vectors, linear_plan, simplest
from bankwise.solver.table import Table, bent, family_table, front_of
from bankwise.solver.variants import Way

if TYPE_CHECKING:
    from bankwise.solver.modes import ModePlan

ROW_MAJOR = Identity()
SEARCHED = "xor"
"""The family whose members are searched, not listed."""


class Limits(Struct, frozen=True):
    """``lds_bytes``: of every layout that is offered; ``family``: restricts the answer.

    ``budget_s``: seconds for the search; None for the default number of nodes. ``split``: whether
    accesses may be issued in parts; ``pad``: whether the answer may be longer than the tile.
    """

    lds_bytes: int
    family: str = ""
    budget_s: float | None = None
    split: bool = True
    prefer: Prefer = "cheapest"
    pad: bool = True


class AskedProblem(ByIdentity, frozen=True, eq=False):
    """A linear problem as it is asked. ``named``: accesses whose instruction the user chose;
    ``present``: the layout as it is, ``shown`` in words."""

    problem: Problem
    limits: Limits
    named: tuple[str, ...] = ()
    policy: str = "iree"
    present: AddressMap = ROW_MAJOR
    shown: str = "row-major"

    def work(self, solved: Solved | None = None) -> Workload:
        """The index arrays: of the accesses as stated, or as one choice issues them."""
        if solved is None:
            return workload(self.problem, self.named, self.policy)
        parts = {way.access.name: way.parts for way in solved.ways}
        return workload(solved.solution.problem, self.named, self.policy, parts)


class Answer(ByIdentity, frozen=True, eq=False, dict=True):
    """``layout``: the plan; ``known``: how good its layout is, ``standing``: how good the plan.

    ``whole``: the best plan with accesses as stated, ``rivals``: others that were priced;
    ``others``: what other preferences try besides.
    ``problem``, ``solution``: of the exact solver, as the plan issues the accesses; None where they
    were counted. ``modes``: the canonical layouts that were compared, where asynchronous units use
    the tile. Without slots: what is computed on demand is remembered.
    """

    layout: Plan
    known: Known
    standing: Standing
    limits: Limits
    asked: AskedProblem | None = None
    solved: Solved | None = None
    whole: Plan | None = None
    rivals: tuple[Plan, ...] = ()
    notes: tuple[str, ...] = ()
    counted: Workload | None = None
    present: tuple[Plan, ...] | None = None
    tables: tuple[Table, ...] | None = None
    stages: Dims = ()
    modes: tuple[ModePlan, ...] = ()
    others: Callable[[], Iterable[Table]] = tuple

    @property
    def optimal(self) -> bool:
        """Whether that is proved of the layout."""
        return self.known.optimal

    @property
    def problem(self) -> Problem | None:
        """The linear problem, with accesses issued as the plan does."""
        return None if self.solved is None else self.solved.solution.problem

    @property
    def solution(self) -> Solution | None:
        """Of the exact solver."""
        return None if self.solved is None else self.solved.solution

    @cached_property
    def work(self) -> Workload:
        """The index arrays of the accesses, issued as the plan does."""
        if self.counted is not None:
            return self.counted
        assert self.asked is not None, "a problem is linear or counted"
        return self.asked.work(self.solved)

    @cached_property
    def baselines(self) -> tuple[Plan, ...]:
        """The layout as it is, and what the framework does unasked."""
        if self.present is not None:
            return self.present
        assert self.asked is not None, "a problem is linear or counted"
        return _baselines(self.asked)

    @cached_property
    def table(self) -> Table:
        """The plans of every family, with accesses issued as the plan does."""
        if self.tables is not None:
            return self.tables[0]
        found = family_table(self.work, self.limits.lds_bytes)
        if self.solution is not None:
            exact = masks(self.solution.problem, self.solution.pins, self.work)
            found[SEARCHED] = (exact,) if exact is not None else found[SEARCHED]
        return found

    @cached_property
    def fits(self) -> Mapping[str, Fit | Refusal]:
        """The best member of every family."""
        optimum = self.layout.passes if self.counted is not None and self.optimal else None
        if self.solution is not None:
            optimum = Fraction(self.solution.certificate.total_passes)
        found: dict[str, Fit | Refusal] = {}
        for name, legal in self.table.items():
            best = best_of(name, legal, len(members(name, self.work.ground)), optimum)
            if isinstance(best, Fit) and self.stages:
                best = replace(best, best=staged(best.best, self.stages))
            found[name] = best
        return found

    @cached_property
    def front(self) -> tuple[Plan, ...]:
        """The plans that no other beats or equals in everything, and the best whole one."""
        tables = [*(self.tables or (self.table,))]
        plans = [self.layout, *self.rivals, *self.baselines]
        tables = [*self.others(), *tables]
        if self.asked is not None and self.layout.splits:
            tables.append(family_table(self.asked.work(), self.limits.lds_bytes))
        found = front_of(plans, tables, self.whole)
        if not self.stages:
            return found
        every = prod(size for _, size in self.stages)
        known = (staged(plan, self.stages) for plan in found)
        return tuple(plan for plan in known if plan.lds_bytes <= self.limits.lds_bytes * every)

    @cached_property
    def certificate(self) -> Certificate | None:
        """The solver's claims about the layout; None for one that is not linear."""
        if self.solution is None or not isinstance(self.layout.layout, Linear):
            return None
        return claimed(self.solution, self.layout.layout.bases)


def exact(
    problem: Problem,
    limits: Limits,
    named: tuple[str, ...] = (),
    policy: str = "iree",
    present: AddressMap = ROW_MAJOR,
    shown: str = "row-major",
) -> Answer | Refusal:
    """Answer a linear problem. ``named``: accesses whose instruction the user chose.

    ``present``: the layout as it is, ``shown`` in words; row-major where there is none.
    """
    asked = AskedProblem(problem, limits, named, policy, present, shown)
    found = _cheapest(asked)
    if isinstance(found, Refusal):
        return found
    if limits.family:
        return _in_family(asked, found)
    linear = _linear_plans(problem, found)
    others, told = ([], "") if found.anything else _others(asked, found)
    layout = min((*linear, *others), key=lambda plan: rank_of(plan, limits.prefer))
    most = _most_passes(asked, layout)
    worse = layout.passes > most
    if worse:
        linear |= _linear_plans(problem, _cheapest(asked, "fewest-passes"))
        layout = _within(asked, [*linear, *others], most)
    solved = linear.get(layout)
    known, standing = _words(asked, found, layout, solved, told)
    if worse:
        standing = no_worse(standing)
    whole = next((plan for plan, solved in linear.items() if solved.whole), None)
    rivals, at = (*linear, *others), solved or _unsplit(found)
    stated = (layout, known, standing, limits, asked, at, whole, rivals, notes_of(layout))
    return Answer(*stated, others=partial(_preferred, asked))


def _unsplit(found: Cheapest) -> Solved:
    return found.whole if isinstance(found.whole, Solved) else found.best


def notes_of(layout: Plan) -> tuple[str, ...]:
    """What was decided, and what is assumed of it."""
    assumed = (
        f"{name}: how it is served is not known; its passes are assumed" for name in layout.assumed
    )
    return (*layout.splits, *assumed)


def _words(
    asked: AskedProblem, found: Cheapest, layout: Plan, solved: Solved | None, others: str
) -> tuple[Known, Standing]:
    """How good the layout is, and how good the plan."""
    if solved is not None:
        known = known_solved(layout, solved.solution)
    else:
        at = _unsplit(found)
        known = known_of(asked.work(at), layout, at.solution)
    ways = f"{found.choices} ways to issue the accesses" if found.choices > 1 else "accesses whole"
    if found.anything:
        space = f"{ALL} and pitches, {ways}"
        return known, Standing(found.prefer, space, proved=True)
    space = IN_PARTS if found.any_layout else LINEAR_MAPS
    space = ", ".join(part for part in (space, others, ways) if part)
    return known, Standing(found.prefer, space, found.proved, found.least[0])


def shape_of(problem: Problem) -> Shape:
    """The tile as sizes."""
    dims = tuple((name, 1 << bits) for name, bits in problem.tile.dims)
    return Shape(dims, problem.tile.element_bits)


def _cheapest(asked: AskedProblem, prefer: Prefer | None = None) -> Cheapest | Refusal:
    limits = asked.limits
    run = partial(solve_within, seconds=limits.budget_s)
    rank = prefer or limits.prefer
    return cheapest(asked.problem, rank, run, named=asked.named, split=limits.split)


def _others(asked: AskedProblem, found: Cheapest) -> tuple[list[Plan], str]:
    """What is not linear, where the bounds leave it a chance: paddings, rotations, odd periods; how
    many were looked at, in words."""
    pads = _pads(asked) if asked.limits.pad else []
    plans = padded_plans(asked, pads, (asked.limits.prefer, found.best.rank))
    told = [f"{len(pads)} paddings"] * bool(pads)
    if not found.any_layout:
        works = {s.ways: asked.work(s) for s in (found.whole, found.best) if isinstance(s, Solved)}
        rotated = [plan for work in works.values() for plan in bent(work)]
        told += [f"{len(rotated)} rotations and odd periods"] * bool(rotated)
        plans += rotated
    return plans, ", ".join(told)


def _pads(asked: AskedProblem) -> list[Padded]:
    """The pads of the family that fit; what they cost depends on the pitch modulo a bank row."""
    shape = shape_of(asked.problem)
    banks = max(access.instruction.banks for access in asked.problem.accesses)
    room = asked.limits.lds_bytes * 8 // shape.element_bits - shape.elements
    found = (m.address for m in members("padding", Ground(shape, banks)))
    rows = shape.elements // shape.row - 1
    return [p for p in found if isinstance(p, Padded) and rows * p.pad <= room]


def padded_plans(
    asked: AskedProblem, pads: Sequence[Padded], below: tuple[Prefer, Rank] | None = None
) -> list[Plan]:
    """Rows padded, accesses issued as the alignment allows; those pads that are legal. ``below``:
    only the best, if it may rank before this."""
    shape, gpu = shape_of(asked.problem), asked.problem.machine
    found = padded_costs(asked.problem, pads, asked.policy, asked.named, below)
    return [
        plan_of(gpu, shape, "padding", pad, price, f"rows padded by {pad.pad} elements")
        for pad, price in found
    ]


def _linear_plans(problem: Problem, found: Cheapest | Refusal) -> dict[Plan, Solved]:
    """The best linear plan of every choice that was solved."""
    if isinstance(found, Refusal):
        return {}
    return {simplest(solved, shape_of(problem)): solved for solved in found.solved}


def _most_passes(asked: AskedProblem, plan: Plan) -> Fraction:
    """What the baselines take at most; looked at only where a plan has conflicts."""
    if plan.passes == plan.ideal:
        return plan.passes
    return min((there.passes for there in _baselines(asked)), default=plan.passes)


def _within(asked: AskedProblem, rivals: Sequence[Plan], most: Fraction) -> Plan:
    """The plan that ranks first of those that take no more passes than what is there already."""
    fitting = [plan for plan in (*rivals, *_baselines(asked)) if plan.passes <= most]
    return min(fitting, key=lambda plan: rank_of(plan, asked.limits.prefer))


def _baselines(asked: AskedProblem) -> tuple[Plan, ...]:
    """The layout as it is and what the framework does unasked."""
    shape, first = shape_of(asked.problem), tuple(Way(1, a) for a in asked.problem.accesses)
    if asked.present != ROW_MAJOR or not keeps_vectors(asked.problem):
        found = priced(asked.work(), AS_IT_IS, asked.present, asked.shown)
    else:
        units = tuple(1 << i for i in range(asked.problem.tile.bits))
        plain = linear_plan(asked.problem, first, shape, units)
        found = replace(plain, space=AS_IT_IS, label=asked.shown)
    unasked = languages()[asked.policy].unasked(shape)
    pads = [unasked.address] if unasked and isinstance(unasked.address, Padded) else []
    label = unasked.label if unasked else ""
    padded = [replace(plan, label=label) for plan in padded_plans(asked, pads)]
    plans = (*([] if isinstance(found, Refusal) else [found]), *padded)
    return tuple(plan for plan in plans if plan.lds_bytes <= asked.limits.lds_bytes)


def _in_family(asked: AskedProblem, found: Cheapest) -> Answer | Refusal:
    """The best member of the family that is asked for, over the choices that were solved."""
    name, best = asked.limits.family, dict[Plan, Solved]()
    refused: Refusal | None = None
    for solved in found.solved:
        fitted = _fitted(asked, solved, name)
        if isinstance(fitted, Refusal):
            refused = refused or fitted
        else:
            best[fitted] = solved
    if not best:
        return refused or Refusal(f"{name} has no member on this tile")
    layout = min(best, key=lambda plan: rank_of(plan, asked.limits.prefer))
    solved = best[layout]
    known = known_of(asked.work(solved), layout, solved.solution, layout.splits)
    standing = Standing(
        asked.limits.prefer, f"the family {name}", proved=len(found.solved) == found.choices
    )
    rivals, notes = tuple(best), notes_of(layout)
    stated = (layout, known, standing, asked.limits, asked, solved, None, rivals, notes)
    return Answer(*stated, others=partial(_preferred, asked))


def _fitted(asked: AskedProblem, solved: Solved, name: str) -> Plan | Refusal:
    """The best member of a family with accesses issued in one way."""
    work = asked.work(solved)
    legal = [
        p for p in ranked(family(work, name), work, {}) if p.lds_bytes <= asked.limits.lds_bytes
    ]
    if name == SEARCHED:
        exact = masks(solved.solution.problem, solved.solution.pins, work)
        legal = [exact] if exact is not None else legal
    found = best_of(name, legal, len(members(name, work.ground)), None)
    return found if isinstance(found, Refusal) else found.best


def _preferred(asked: AskedProblem) -> Iterator[Table]:
    """The best linear plans by every preference."""
    for prefer in get_args(Prefer):
        yield {SOLVER: tuple(_linear_plans(asked.problem, _cheapest(asked, prefer)))}
