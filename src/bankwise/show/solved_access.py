"""The accesses of an answer of ``solve``, a row each."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from msgspec import Struct

from bankwise.algebra.address import Linear
from bankwise.algebra.layout import Layout, identity
from bankwise.solver.answer import Answer
from bankwise.solver.copies import source_lines
from bankwise.solver.floors import Floors, floors
from bankwise.solver.problem import TileAccess
from bankwise.solver.search import offsets


class AccessRow(Struct, frozen=True):
    """One access under the layout; passes, ideal and floor are of one executed instruction.

    ``parts``: instructions that an access of the text is issued in. ``lines``: of a copy straight
    into shared memory, the cache lines that one copy fetches, on average, and how many it would
    fetch for a row-major tile.
    """

    name: str
    op: str
    instruction: str
    weight: int
    passes: Fraction
    ideal: Fraction
    floor: Fraction
    conflicts: str = ""
    lines: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    parts: int = 1


def access_rows(answer: Answer) -> tuple[AccessRow, ...]:
    """Every access as the plan issues it."""
    claims = {c.name: c for c in answer.certificate.accesses} if answer.certificate else {}
    least = _floors(answer)
    known = {} if answer.problem is None else {a.name: a for a in answer.problem.accesses}
    rows = []
    for found in answer.layout.cost.uses:
        access, claim = known.get(found.name), claims.get(found.name)
        names = list(dict.fromkeys(i.instruction for i in found.issues))
        copies = len(found.issues)
        rows.append(
            AccessRow(
                found.name,
                _operation(answer, found.name),
                names[0] if copies == 1 else " + ".join(names) + f" ({copies})",
                found.weight,
                found.passes,
                found.ideal,
                min(least[found.name], found.passes),
                claim.conflicts if claim else "",
                _lines(answer, access) if access else None,
                access.notes if access else (),
                found.parts,
            )
        )
    return tuple(rows)


def _operation(answer: Answer, name: str) -> str:
    if answer.problem is not None:
        return next(a.instruction.direction for a in answer.problem.accesses if a.name == name)
    return next(use.op for use in answer.work.uses if use.name == name)


def _floors(answer: Answer) -> dict[str, Fraction]:
    """Of each access: by the theorem where that speaks about it, else by counting."""
    if answer.solution is not None:
        return {c.name: Fraction(c.floor) for c in answer.solution.certificate.accesses}
    found = floors(answer.work)
    assert isinstance(found, Floors), "every access has an instruction"
    pairs = zip(answer.work.uses, found.uses, strict=True)
    return {use.name: floor.passes for use, floor in pairs}


def _lines(answer: Answer, access: TileAccess) -> tuple[float, float] | None:
    """Mean global cache lines per copy, under the layout and under row-major."""
    if access.kind != "dma" or answer.problem is None:
        return None
    layouts = (_as_layout(answer), identity(answer.problem.tile.dims, None))
    found = [
        float(np.mean(source_lines(answer.problem.tile, layout, access))) for layout in layouts
    ]
    return found[0], found[1]


def _as_layout(answer: Answer) -> Layout:
    assert answer.problem is not None, "directions are known"
    address = answer.layout.layout
    if isinstance(address, Linear):
        return offsets(answer.problem, address.bases)
    return identity(answer.problem.tile.dims)
