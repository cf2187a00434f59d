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
from bankwise.solver.plan import Prefer, Rank, spent
from bankwise.solver.price import LayoutCost, UseCost, issued_cycles
from bankwise.solver.problem import Problem, TileAccess
from bankwise.solver.simplest import keeps_vectors
from bankwise.solver.theorem import word_shift
from bankwise.tile import spread


def padded_costs(
    problem: Problem,
    pads: Sequence[Padded],
    policy: str,
    named: Collection[str] = (),
    below: tuple[Prefer, Rank] | None = None,
) -> list[tuple[Padded, LayoutCost]]:
    """The pads that are legal for every access, with what they cost.

    ``named``: accesses whose instruction the user chose. ``below``: only the best, if it may rank
    before this. Rows are those of the tile.
    """
    columns = problem.tile.dims[0][1]
    plain = all(a.kind == "plain" and a.instruction.addresses == 1 for a in problem.accesses)
    in_rows = all(len(a.vector) <= columns for a in problem.accesses)
    if not plain or not in_rows or not keeps_vectors(problem) or columns == problem.tile.bits:
        return []
    found: list[tuple[Padded, LayoutCost]] = []
    for low in {pad.pad & -pad.pad for pad in pads}:
        issued = _issued(problem, low, policy, named)
        if issued is not None:
            alike = [pad for pad in pads if pad.pad & -pad.pad == low]
            found += _priced(problem, alike, issued, below)
    if below is not None and found:
        return [min(found, key=lambda pair: _rank(below[0], *pair))]
    return sorted(found, key=lambda pair: pair[0].pad)


def _rank(prefer: Prefer, pad: Padded, found: LayoutCost) -> Rank:
    """What a padding is ranked by; of equals the shortest is first."""
    return spent(prefer, found.passes, found.issue_cycles, found.instructions, pad.pad)


def _issued(
    problem: Problem, low: int, policy: str, named: Collection[str]
) -> list[tuple[Issue, ...]] | None:
    """What the accesses become under pads whose lowest bit is this; it decides how rows are
    aligned. None where one has no instructions."""
    row_bits, found = problem.tile.dims[0][1], []
    for access in problem.accesses:
        column = reduce(or_, (*_moved(problem, access), *access.lanes)) & (1 << row_bits) - 1
        starts = (column | 1 << row_bits | low) * problem.tile.element_bits
        issues = _issues(problem, access, starts & -starts, policy, access.name in named)
        if not issues:
            return None
        found.append(issues)
    return found


def _priced(
    problem: Problem,
    pads: Sequence[Padded],
    issued: Sequence[tuple[Issue, ...]],
    below: tuple[Prefer, Rank] | None,
) -> Iterator[tuple[Padded, LayoutCost]]:
    """Pads of one alignment, priced access by access; left as soon as they cannot rank before
    ``below``, were all other accesses free of conflicts."""
    pairs = list(zip(problem.accesses, issued, strict=True))
    ideal = [_least(problem, access, issues) for access, issues in pairs]
    cycles = [issued_cycles(problem.machine, issues) for issues in issued]
    instructions = sum(a.weight * len(issues) for a, issues in pairs)
    known = [
        a.weight * each for (a, _), each in zip(pairs, cycles, strict=True) if each is not None
    ]
    issue = sum(known) if len(known) == len(pairs) else None
    kept: list[tuple[Padded, tuple[UseCost, ...]]] = [(pad, ()) for pad in pads]
    for number, (access, issues) in enumerate(pairs):
        if below is not None:
            rest = sum(ideal[number:])
            kept = [
                (pad, uses)
                for pad, uses in kept
                if spent(below[0], LayoutCost(uses).passes + rest, issue, instructions) < below[1]
            ]
        if not kept:
            return
        counted = _counted(problem, access, issues, [pad for pad, _ in kept], cycles[number])
        kept = [(pad, (*uses, use)) for (pad, uses), use in zip(kept, counted, strict=True)]
    yield from ((pad, LayoutCost(uses)) for pad, uses in kept)


def _least(problem: Problem, access: TileAccess, issues: tuple[Issue, ...]) -> int:
    """Weighted passes of an access without conflicts; less where phases may be merged."""
    rows = [problem.machine.instruction(one.instruction) for one in issues]
    return access.weight * sum(len(row.phases) // (1 + (row.merge != "none")) for row in rows)


def _counted(
    problem: Problem,
    access: TileAccess,
    issues: tuple[Issue, ...],
    pads: Sequence[Padded],
    cycles: int | None,
) -> Iterator[UseCost]:
    """One access under every pad."""
    bits = problem.tile.element_bits
    starts = spread(_steps(problem, access))[:, None] ^ spread(access.lanes)
    rows = starts >> problem.tile.dims[0][1]
    places = starts + rows * np.array([pad.pad for pad in pads])[:, None, None]
    passes, ideal = np.zeros((2, len(pads)), np.int64)
    for one in issues:
        row = problem.machine.instruction(one.instruction)
        counted = count(row, places * bits // 8 + one.offset_bytes)
        passes += counted.passes.sum(axis=1)
        ideal += counted.ideal.sum(axis=1)
    for each, least in zip(passes.tolist(), ideal.tolist(), strict=True):
        means = Fraction(each, len(starts)), Fraction(least, len(starts))
        yield UseCost(access.name, issues, *means, access.weight, cycles)


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
) -> tuple[Issue, ...]:
    """The instructions of an access whose lanes start at multiples of ``low`` bits; () if none."""
    bits = problem.tile.element_bits << len(access.vector)
    if low % 8 and bits >= 8:
        return ()
    row, alignment = access.instruction, min(WIDEST_BYTES, low // 8 or WIDEST_BYTES)
    if alignment >= min(WIDEST_BYTES, row.width_bytes):
        return (Issue(row.name, 0),)
    issues = select(problem.machine, row.direction, max(1, bits // 8), alignment, policy)
    return () if named or isinstance(issues, Refusal) else issues
