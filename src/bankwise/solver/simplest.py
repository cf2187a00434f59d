"""The plan of a linear layout, priced by rank; and of equal layouts the one with a simple address.

Where rows may be permuted within themselves, most optima are one fold: a field of the offset XORed
into another, ``x ^ (x >> shift & mask)``, which most frameworks have a name for. There are about a
hundred folds; their colours are known without a search, so each costs a rank for every access.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.algebra.address import Linear, folded
from bankwise.algebra.offset import Shape, operations
from bankwise.hardware.policies import Issue
from bankwise.solver.cheapest import Solved
from bankwise.solver.family import demands_of
from bankwise.solver.plan import Plan, plan_of
from bankwise.solver.price import LayoutCost, UseCost, issued_cycles
from bankwise.solver.problem import Problem
from bankwise.solver.search import Solution
from bankwise.solver.theorem import passes
from bankwise.solver.variants import Way, joinable

SOLVER = "solver"
"""The space of the solver's own layouts: every linear one."""


def linear_plan(
    problem: Problem, ways: Sequence[Way], shape: Shape, bases: Sequence[f2.Vector]
) -> Plan:
    """A linear layout that keeps vectors together, as a plan; ``problem``: as it is issued."""
    uses = []
    for way in ways:
        access = way.access
        issues = (Issue(access.instruction.name, 0),)
        cycles = 0 if access.kind == "dma" else issued_cycles(problem.machine, issues)
        found = Fraction(passes(problem.tile, bases, access)), Fraction(access.phases)
        uses.append(UseCost(access.name, issues, *found, access.weight, cycles, way.parts))
    plan = plan_of(problem.machine, shape, SOLVER, Linear(tuple(bases)), LayoutCost(tuple(uses)))
    joined = (joinable(problem, way, bases) for way in ways)
    return replace(plan, assumed=tuple(dict.fromkeys(name for name in joined if name)))


def simplest(solved: Solved, shape: Shape) -> Plan:
    """The optimum of one choice: a single fold where one is optimal and no other address is cheaper
    to compute, else what the search found."""
    problem, best = solved.solution.problem, solved.solution.layout.columns
    if not is_identity(best):
        fold = min(_folds(solved.solution), key=lambda f: _operators(shape, *f), default=None)
        named = None if fold is None else folded(problem.tile.bits, *fold)
        if named and operations(shape, named) <= operations(shape, Linear(best)):
            best = named.bases
    return linear_plan(problem, solved.ways, shape, best)


def is_identity(bases: Sequence[f2.Vector]) -> bool:
    """Whether every bit stays in its place."""
    return all(base == 1 << i for i, base in enumerate(bases))


def _folds(solution: Solution) -> Iterator[tuple[int, int, int]]:
    """The optimal folds of offset bits into bank bits: from, to, how many; the fewest first."""
    tile, pinned = solution.problem.tile, solution.pins
    if (*pinned.vector, *pinned.free) != tuple(1 << i for i in range(tile.bits)):
        return
    wanted, dimension, bits = demands_of(solution)
    low, total = len(pinned.vector), solution.certificate.total_passes
    spaces = [(d.space, (1 << min(bits, d.bits)) - 1, d.cost) for d in wanted]
    for count in range(1, bits + 1):
        field = (1 << count) - 1
        for to in range(bits - count + 1):
            for source in range(to + count, dimension - count + 1):
                cost = 0
                for space, mask, price in spaces:
                    seen = f2.rank((x ^ (x >> source & field) << to) & mask for x in space)
                    cost += price << len(space) - seen
                    if cost > total:
                        break
                else:
                    yield low + source, low + to, count


def _operators(shape: Shape, source: int, target: int, count: int) -> int:
    """Integer operations of a fold's text (:func:`bankwise.algebra.offset.offset_text`)."""
    total, first = 0, 0
    for _, size in shape.dims:
        every, bits = size - 1, size.bit_length() - 1
        moved = ((1 << count) - 1 << source >> first) & every
        if moved:
            down = source - target - first
            kept = moved if down <= 0 else moved >> down
            total += 1 + (down != 0) + (kept != (every if down <= 0 else every >> down))
        first += bits
    return total


def keeps_vectors(problem: Problem) -> bool:
    """Whether row-major itself keeps the elements of each lane together, aligned and in order."""
    for access in problem.accesses:
        inside = (1 << len(access.vector)) - 1
        moved = (*access.lanes, *access.registers)
        in_order = access.vector == tuple(1 << i for i in range(len(access.vector)))
        if not in_order or any(x & inside for x in moved):
            return False
    return True
