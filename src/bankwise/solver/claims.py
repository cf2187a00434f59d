"""What the theorem claims of a layout, as a certificate."""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.algebra import f2
from bankwise.solver.certificate import Certificate, Claim, How
from bankwise.solver.problem import Problem, TileAccess
from bankwise.solver.theorem import Pins, bank_bits, conflict_directions, floor, passes, word_shift


def certificate(
    problem: Problem, pinned: Pins, bases: Sequence[f2.Vector], how: How, nodes: int = 0
) -> Certificate:
    """State everything about one layout of a problem, by the theorem."""
    claims = tuple(_claim(problem, pinned, bases, access) for access in problem.accesses)
    return Certificate(
        problem.machine.name,
        problem.tile.dims,
        problem.tile.element_bits,
        claims,
        tuple(bases),
        bank_colours(problem, bases),
        sum(c.weight * c.passes for c in claims),
        sum(c.weight * c.floor for c in claims),
        how,
        nodes,
    )


def bank_colours(problem: Problem, bases: Sequence[f2.Vector]) -> tuple[int, ...]:
    """The bank bits that each coordinate bit moves, for the access that sees most banks."""
    in_word, in_element = word_shift(problem.tile)
    mask = (1 << max((bank_bits(a) for a in problem.accesses), default=0)) - 1
    return tuple((x << in_element >> in_word) & mask for x in bases)


def _claim(problem: Problem, pinned: Pins, bases: Sequence[f2.Vector], access: TileAccess) -> Claim:
    tile = problem.tile
    return Claim(
        access.name,
        access.kind,
        access.instruction.name,
        tile.text(access.lanes),
        tile.text(access.vector),
        tile.text(access.registers),
        access.weight,
        passes(tile, bases, access),
        access.phases,
        floor(tile, pinned, access),
        tile.text(conflict_directions(tile, bases, access)),
    )
