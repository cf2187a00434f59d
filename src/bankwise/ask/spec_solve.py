"""``solve`` on a spec file: the best layout for its accesses, in every notation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from bankwise.algebra import f2
from bankwise.algebra.layout import Layout as LinearLayout
from bankwise.algebra.layout import vector_text
from bankwise.algebra.offset import Shape
from bankwise.ask.solve import solve_problem
from bankwise.ask.spec import chosen, counted, needs_layout
from bankwise.ask.spec_count import moves
from bankwise.errors import InputError, Location, Refusal
from bankwise.notation import row_major
from bankwise.notation.fold import sizes
from bankwise.notation.framework import Framework, Ground
from bankwise.notation.frameworks import frameworks
from bankwise.notation.values import DistributionTable, Mapped, linear, same_memory
from bankwise.read.spec.read import read_spec
from bankwise.read.spec.values import Spec, SpecAccess, SpecLayout
from bankwise.show.solving import SolveReport
from bankwise.show.spec import Said, SpecSolution
from bankwise.solver.fit import Fit


def solve_spec(
    file: str | Path,
    *,
    target: str = "",
    family: str = "",
    budget_s: float | None = None,
    policy: str = "",
    steps: bool = False,
) -> SpecSolution:
    """The best layout for the accesses of a spec file; what they move at once stays together.

    Parameters as of :func:`bankwise.ask.solve.solve`. Raises :class:`InputError` for a bad file.
    """
    return solved(chosen(read_spec(file, target), policy), family, budget_s, steps)


def solved(
    spec: Spec, family: str = "", budget_s: float | None = None, steps: bool = False
) -> SpecSolution:
    """The same for a spec that is read already."""
    layout, before = needs_layout(spec), counted(spec)
    stated = problem_of(spec, layout)
    if isinstance(stated, Refusal):
        report = SolveReport(spec.file, spec.machine.name, refusal=stated)
        return SpecSolution(report, layout.what, (), before)
    try:
        found = solve_problem(
            stated, family=family, budget_s=budget_s, policy=spec.policy or "iree", steps=steps
        )
    except InputError as error:
        where = Location(spec.file)
        raise InputError(error.message, location=where, hint=error.hint) from error
    report = replace(found, file=spec.file)
    if report.layout is None:
        return SpecSolution(report, layout.what, (), before)
    ground = _ground(spec, layout)
    said = tuple(_said(f, report, ground, layout) for f in _named())
    return SpecSolution(report, layout.what, said, before)


def problem_of(spec: Spec, layout: SpecLayout) -> Mapping[str, Any] | Refusal:
    """The problem that the accesses pose, as :mod:`bankwise.read.problem` reads it.

    A Refusal that names the access whose distribution is not linear over F2.
    """
    accesses = []
    for access in spec.accesses:
        found = _access(spec, access, layout)
        if isinstance(found, Refusal):
            where = found.location or access.location
            return Refusal(f"access {access.name!r}: {found.reason}", where)
        accesses.append(found)
    tile = {
        "shape": list(spec.shape),
        "element_bits": spec.element_bits,
        "dims": list(spec.dims),
    }
    return {"machine": spec.machine.name, "tile": tile, "access": accesses}


def _access(spec: Spec, access: SpecAccess, layout: SpecLayout) -> dict[str, Any] | Refusal:
    whole, moved = access.held.distribution, moves(spec, access, layout)
    if isinstance(whole, Refusal):
        return whole
    if isinstance(moved, Refusal):
        return moved
    back = np.argsort(access.held.axes)
    held = whole.coordinates()[..., back]
    shape = tuple(whole.shape[a] for a in back)
    found = linear(DistributionTable(shape, held), spec.dims)
    if isinstance(found, Refusal):
        return found
    return _directions(spec, access, found, held, moved[0].registers)


def _directions(
    spec: Spec,
    access: SpecAccess,
    found: LinearLayout,
    held: np.typing.NDArray[np.int64],
    together: tuple[int, ...],
) -> dict[str, Any] | Refusal:
    """Lanes, vector and registers as sums of coordinate bits; steps over the tile are registers."""
    dims = tuple((n, s.bit_length() - 1) for n, s in zip(spec.dims, spec.shape, strict=True))[::-1]
    packed = _packed(held, spec)
    count = len(together)
    if count & (count - 1):
        return Refusal(f"{count} elements are moved at once: no power of two")
    first = packed[0, 0, together[0]]
    vector = [int(packed[0, 0, together[1 << i]] ^ first) for i in range(count.bit_length() - 1)]
    lanes = [int(packed[0, 1 << i, 0] ^ packed[0, 0, 0]) for i in range(_bits(found, "lane"))]
    moved = [int(packed[0, 0, 1 << i] ^ packed[0, 0, 0]) for i in range(_bits(found, "reg"))]
    moved += [int(packed[1 << i, 0, 0] ^ packed[0, 0, 0]) for i in range(_bits(found, "wave"))]
    steps = f2.independent([d for d in moved if d], modulo=[*vector, *lanes])
    words = {
        key: " ".join(vector_text(d, dims) for d in values)
        for key, values in (("lanes", lanes), ("vector", vector), ("registers", steps))
    }
    return {"name": access.name, "op": access.op, "weight": access.weight, **words}


def _packed(held: np.typing.NDArray[np.int64], spec: Spec) -> np.typing.NDArray[np.int64]:
    """Coordinates as row-major numbers of the tile; every size is a power of two here."""
    number = np.zeros(held.shape[:-1], np.int64)
    for axis, size in enumerate(spec.shape):
        number = number * size + held[..., axis]
    return number


def _bits(found: LinearLayout, name: str) -> int:
    return dict(found.inputs).get(name, 0)


def _named() -> list[Framework]:
    """All but row-major, which is in nobody's words."""
    return [f for f in frameworks().values() if f is not row_major.ROW_MAJOR]


def _said(known: Framework, report: SolveReport, ground: Ground, layout: SpecLayout) -> Said:
    """The optimum in one notation, or the best member of its family.

    What the file itself says of the optimum is said again, whatever ``write`` looks at.
    """
    assert report.layout is not None, "there is an answer"
    name, tile = known.said_as, sizes(ground.shape)
    memory = Mapped(tile, report.layout.layout)
    text = known.write(memory, ground)
    if not isinstance(text, Refusal):
        return Said(name, str(text))
    if layout.what == known.language.name and _is(layout, memory):
        return Said(name, layout.text)
    fitted = (report.fits or {}).get(known.name)
    if not isinstance(fitted, Fit):
        reason = fitted.reason if isinstance(fitted, Refusal) else text.reason
        return Said(name, refusal=reason)
    best = known.write(Mapped(tile, fitted.best.layout), ground)
    return Said(
        name,
        refusal=text.reason,
        best="" if isinstance(best, Refusal) else str(best),
        label=fitted.best.name,
        passes=_plain(fitted.best.passes),
        lost=_plain(fitted.best.passes - report.layout.passes),
        tried=0 if known.complete else fitted.members,
    )


def _is(layout: SpecLayout, memory: Mapped) -> bool:
    return not isinstance(layout.memory, Refusal) and same_memory(layout.memory, memory)


def _ground(spec: Spec, layout: SpecLayout) -> Ground:
    """The tile, and how many elements the widest access moves at once."""
    dims = tuple(zip(reversed(spec.dims), reversed(spec.shape), strict=True))
    moved = [moves(spec, access, layout) for access in spec.accesses]
    spans = [len(runs[0].registers) for runs in moved if not isinstance(runs, Refusal)]
    return Ground(Shape(dims, spec.element_bits), span=max(spans, default=0))


def _plain(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)
