"""The price of padded rows for linear accesses, from the executions that differ under a pad.

A pad shifts every row, so executions that are translates of each other over F2 need not cost the
same. But where the bits that an access steps through are not those that its lanes move, a step only
adds a constant to all addresses: it rotates the banks. What has to be counted are steps in the bits
of lanes and vector, and in the lowest bits of row and column, which may shift by part of a word.

    64 x 128 f16, lanes n2 n3 m0 m1 m2 m3, vector n0 n1:  one of 32 steps, and one more for m0
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from operator import or_

import numpy as np

from bankwise.algebra import f2
from bankwise.algebra.address import Padded
from bankwise.counting.conflict import count
from bankwise.errors import Refusal
from bankwise.hardware.policies import WIDEST_BYTES, Issue, select
from bankwise.solver.price import LayoutCost, UseCost, issued_cycles
from bankwise.solver.problem import Problem, TileAccess
from bankwise.solver.theorem import word_shift
from bankwise.tile import spread


def padded_costs(
    problem: Problem, pads: Sequence[Padded], policy: str, named: Collection[str] = ()
) -> Iterator[tuple[Padded, LayoutCost]]:
    """The pads that are legal for every access, with what they cost.

    ``named``: accesses whose instruction the user chose. Rows are those of the tile.
    """
    units = tuple(1 << i for i in range(problem.tile.dims[0][1]))
    plain = all(
        a.vector == units[: len(a.vector)] and a.kind == "plain" and a.instruction.addresses == 1
        for a in problem.accesses
    )
    if not plain or len(units) == problem.tile.bits:
        return
    columns = [_of_access(problem, a, pads, policy, a.name in named) for a in problem.accesses]
    for pad, row in zip(pads, zip(*columns, strict=True), strict=True):
        uses = [use for use in row if use is not None]
        if len(uses) == len(row):
            yield pad, LayoutCost(tuple(uses))


def _of_access(
    problem: Problem, access: TileAccess, pads: Sequence[Padded], policy: str, named: bool
) -> list[UseCost | None]:
    """One access under every pad; None where it has no instructions."""
    bits, row_bits = problem.tile.element_bits, problem.tile.dims[0][1]
    starts = spread(_steps(problem, access))[:, None] ^ spread(access.lanes)
    offsets = starts + (starts >> row_bits) * np.array([p.pad for p in pads])[:, None, None]
    column = reduce(or_, (*_moved(problem, access), *access.lanes)) & (1 << row_bits) - 1
    issues = [_issues(problem, access, column | 1 << row_bits | p.pad, policy, named) for p in pads]
    passes, ideal = np.zeros((2, len(pads)), np.int64)
    for one in dict.fromkeys(i for each in issues if each for i in each):
        chosen = [n for n, each in enumerate(issues) if each and one in each]
        row = problem.machine.instruction(one.instruction)
        counted = count(row, offsets[chosen] * bits // 8 + one.offset_bytes)
        passes[chosen] += counted.passes.sum(axis=1)
        ideal[chosen] += counted.ideal.sum(axis=1)
    steps = len(starts)
    return [
        UseCost(
            access.name,
            each,
            Fraction(int(passes[n]), steps),
            Fraction(int(ideal[n]), steps),
            access.weight,
            issued_cycles(problem.machine, each),
        )
        if each
        else None
        for n, each in enumerate(issues)
    ]


def _steps(problem: Problem, access: TileAccess) -> f2.Basis:
    """The steps that may cost differently under a pad: a basis."""
    tile, row_bits = problem.tile, problem.tile.dims[0][1]
    fine = (1 << word_shift(tile)[0]) - 1
    meets = reduce(or_, (*access.lanes, *access.vector), fine | fine << row_bits)
    moved = (x & meets for x in _moved(problem, access))
    return f2.independent(moved, modulo=(*access.lanes, *access.vector))


def _moved(problem: Problem, access: TileAccess) -> tuple[f2.Vector, ...]:
    """What executions step through, taken to reach the whole tile."""
    known = (*access.registers, *access.lanes, *access.vector)
    return (*access.registers, *f2.complement(known, problem.tile.bits))


def _issues(
    problem: Problem, access: TileAccess, low: int, policy: str, named: bool
) -> tuple[Issue, ...] | None:
    """The instructions of an access whose lanes start at sums of the bits of ``low``, elements."""
    bits = problem.tile.element_bits
    start = low * bits
    if start % 8 and bits << len(access.vector) >= 8:
        return None
    alignment = min(WIDEST_BYTES, (start // 8 & -(start // 8)) or WIDEST_BYTES)
    row = access.instruction
    if alignment >= min(WIDEST_BYTES, row.width_bytes):
        return (Issue(row.name, 0),)
    width = max(1, (bits << len(access.vector)) // 8)
    issues = select(problem.machine, row.direction, width, alignment, policy)
    return None if named or isinstance(issues, Refusal) else issues
