"""``bankwise solve``: read a question, find the best layout, say what is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bankwise.algebra.address import Linear
from bankwise.algebra.layout import Layout, identity
from bankwise.ask.spec import chosen
from bankwise.ask.tile_problem import TileProblem, tile_problem
from bankwise.errors import InputError, Location, Refusal
from bankwise.notation.frameworks import framework
from bankwise.read.recognise import asker
from bankwise.read.tile_file.question import SolveOptions, TileQuestion
from bankwise.read.tile_file.read import read_question
from bankwise.show.solving import AccessRow, SolveReport
from bankwise.solver.answer import Answer, Limits, counted, exact
from bankwise.solver.as_linear import as_linear
from bankwise.solver.construct import Step, construct
from bankwise.solver.copies import source_lines
from bankwise.solver.emit import emit
from bankwise.solver.family import family_size
from bankwise.solver.floors import Floors, floors
from bankwise.solver.general import linear_part, linear_plan, listed_workload
from bankwise.solver.problem import TileAccess, problem
from bankwise.solver.search import offsets
from bankwise.solver.search import solve as solve_exactly
from bankwise.solver.stages import with_stages
from bankwise.solver.unit_answer import among_modes

if TYPE_CHECKING:
    from bankwise.show.spec import SpecSolution

_FAMILY_NODES = 20_000
"""Search nodes spent on counting the optimal layouts."""


def solve(
    source: str | Path | Mapping[str, Any],
    *,
    family: str = "",
    budget_s: float | None = None,
    policy: str = "",
    steps: bool = False,
    target: str = "",
) -> SolveReport:
    """Find the best layout of a tile: of a file, or of what it parses to.

    ``family``, ``budget_s`` and ``target`` take precedence over the file; ``policy``: which
    instructions accesses become, "" for the file's own; ``steps``: with the construction for two
    accesses. Of a file with a layout this is what the solver says;
    :func:`bankwise.ask.spec_solve.solve_question` has it in every notation too. Raises
    :class:`InputError` for a bad file.
    """
    if isinstance(source, Mapping):
        question = chosen(read_question(source, target), policy)
        return answered(question, family, budget_s, steps)
    asked: dict[str, Any] = {"family": family, "budget_s": budget_s, "policy": policy}
    found = solve_file(source, target=target, steps=steps, **asked)
    return found if isinstance(found, SolveReport) else found.report


def solve_file(file: str | Path, **asked: Any) -> SolveReport | SpecSolution:
    """:func:`solve` with all that there is to say beside a layout of the file."""
    found: SolveReport | SpecSolution = asker(file, "solve")(file, **asked)
    return found


def answered(
    question: TileQuestion, family: str = "", budget_s: float | None = None, steps: bool = False
) -> SolveReport:
    """What the solver says about a question that is read already."""
    stated = tile_problem(question)
    if isinstance(stated, Refusal):
        return SolveReport(question.file, question.machine.name, refusal=stated)
    limits = _limits(stated, _options(stated.options, family, budget_s))
    answer = _answer(stated, limits, question.policy or "iree")
    if isinstance(answer, Refusal):
        return SolveReport(stated.file, stated.machine.name, refusal=answer)
    construction, notes = _steps(answer) if steps else ((), ())
    return SolveReport(
        stated.file,
        stated.machine.name,
        _rows(answer),
        answer.known,
        limits.family,
        _family_size(answer),
        answer.certificate,
        answer.layout,
        _bases(answer),
        emit(answer.work, answer.layout, answer.fits),
        answer.front,
        answer.fits,
        construction,
        (*answer.notes, *notes),
        modes=answer.modes,
    )


def _options(options: SolveOptions, family: str, budget_s: float | None) -> SolveOptions:
    if family:
        options = replace(options, family=framework(family).name)
    if budget_s is not None and budget_s <= 0:
        raise InputError(f"a budget of {budget_s} seconds is no positive number")
    return options if budget_s is None else replace(options, budget_s=budget_s)


def _limits(stated: TileProblem, options: SolveOptions) -> Limits:
    most = stated.machine.lds_bytes
    if options.max_lds_bytes is not None:
        most = min(most, options.max_lds_bytes)
    return Limits(most // stated.batch, options.family, options.budget_s, options.allow_narrowing)


def answer_of(question: TileQuestion) -> Answer | Refusal:
    """The answer to a question that was read, with its own options."""
    stated = tile_problem(question)
    if isinstance(stated, Refusal):
        return stated
    return _answer(stated, _limits(stated, stated.options), question.policy or "iree")


def _answer(stated: TileProblem, limits: Limits, policy: str) -> Answer | Refusal:
    answer = _chosen(stated, limits, policy)
    if isinstance(answer, Refusal) or not stated.stages:
        return answer
    return with_stages(answer, stated.stages, limits.lds_bytes * stated.batch)


def _chosen(stated: TileProblem, limits: Limits, policy: str) -> Answer | Refusal:
    if not stated.units:
        linear = stated.linear
        return _exact(stated, limits, policy) if linear else _counted(stated, limits, policy)
    if limits.family:
        unit = stated.units[0]
        message = f"the family {limits.family} beside {unit.name}, a use by {unit.instruction}"
        hint = "a unit takes canonical layouts alone: leave the family out"
        raise InputError(message, location=Location(stated.file), hint=hint)
    asked = stated.machine, stated.shape, stated.accesses, stated.units
    answer = among_modes(*asked, limits, policy)
    return _unnarrowed(answer, limits, "asynchronous units use the tile")


def _exact(stated: TileProblem, limits: Limits, policy: str) -> Answer | Refusal:
    requests = [a.request for a in stated.accesses]
    named = tuple(r.name for r in requests if r.instruction is not None)
    return exact(problem(stated.machine, stated.tile, requests), limits, named, policy)


def _counted(stated: TileProblem, limits: Limits, policy: str) -> Answer | Refusal:
    work = listed_workload(stated.machine, stated.shape, stated.accesses, policy)
    asked = stated.machine, stated.shape, stated.accesses
    whole, part = as_linear(*asked), linear_part(*asked)
    proof = whole if isinstance(whole, Refusal) else solve_exactly(whole)
    tried = proof
    if isinstance(proof, Refusal) and part is not None:
        tried = solve_exactly(part)
    answer = counted(work, limits, linear_plan(work, tried), proof)
    return _unnarrowed(answer, limits, "not all accesses are linear")


def _unnarrowed(answer: Answer | Refusal, limits: Limits, why: str) -> Answer | Refusal:
    if isinstance(answer, Refusal) or not limits.allow_narrowing:
        return answer
    return replace(answer, notes=(*answer.notes, f"narrowing is not tried: {why}"))


def _rows(answer: Answer) -> tuple[AccessRow, ...]:
    claims = {c.name: c for c in answer.certificate.accesses} if answer.certificate else {}
    least = _floors(answer)
    known = {} if answer.problem is None else {a.name: a for a in answer.problem.accesses}
    rows = []
    for use, found in zip(answer.work.uses, answer.layout.cost.uses, strict=True):
        access, claim = known.get(use.name), claims.get(use.name)
        names = list(dict.fromkeys(i.instruction for i in found.issues))
        copies = len(found.issues)
        rows.append(
            AccessRow(
                use.name,
                use.op,
                names[0] if copies == 1 else " + ".join(names) + f" ({copies})",
                use.weight,
                found.passes,
                found.ideal,
                min(least[use.name], found.passes),
                claim.conflicts if claim else "",
                _lines(answer, access) if access else None,
                access.notes if access else (),
            )
        )
    return tuple(rows)


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


def _family_size(answer: Answer) -> int | None:
    if answer.solution is None or not answer.optimal or answer.modes:
        return None
    return family_size(answer.solution, _FAMILY_NODES)


def _bases(answer: Answer) -> dict[str, int] | None:
    """The offset of every coordinate bit, by the name of the bit."""
    address = answer.layout.layout
    if not isinstance(address, Linear) or answer.work.shape.bits is None:
        return None
    names = [
        f"{name}{i}" for name, size in answer.work.shape.dims for i in range(size.bit_length() - 1)
    ]
    return dict(zip(names, address.bases, strict=True))


def _steps(answer: Answer) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    if answer.problem is None:
        return (), ("no steps: not all accesses are linear",)
    built = construct(answer.problem)
    if isinstance(built, Refusal):
        return (), (f"no steps: {built.reason}",)
    offset = [f"{name} -> {base}" for name, base in _named(built.layout).items()]
    return built.steps, ("the steps end in the offsets " + ", ".join(offset),)


def _named(layout: Layout) -> dict[str, int]:
    names = [f"{name}{i}" for name, bits in layout.inputs for i in range(bits)]
    return dict(zip(names, layout.columns, strict=True))
