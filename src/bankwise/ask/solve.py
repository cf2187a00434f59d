"""``bankwise solve``: read a question, find the best layout, say what is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec import structs
from msgspec.structs import replace

from bankwise.algebra.address import AddressMap, Identity, Linear, Padded
from bankwise.algebra.layout import Layout
from bankwise.ask.tile_problem import TileProblem, tile_problem
from bankwise.errors import InputError, Location, Refusal
from bankwise.notation.framework import Ground
from bankwise.notation.frameworks import framework
from bankwise.notation.padding import PADDING
from bankwise.notation.values import tabulate
from bankwise.read.recognise import asker
from bankwise.read.tile_file.question import SolveOptions, TileQuestion, chosen
from bankwise.read.tile_file.read import read_question
from bankwise.show.solving import SolveReport
from bankwise.solver.answer import Answer, Limits, exact
from bankwise.solver.general import linear_part, listed_workload
from bankwise.solver.plan import Prefer, preference
from bankwise.solver.problem import problem
from bankwise.solver.search import solve as solve_exactly
from bankwise.tile import spread

if TYPE_CHECKING:
    from bankwise.show.spec import SpecSolution
    from bankwise.solver.construct import Step


def solve(
    source: str | Path | Mapping[str, Any],
    *,
    family: str = "",
    budget_s: float | None = None,
    policy: str = "",
    steps: bool = False,
    target: str = "",
    prefer: Prefer | Literal[""] = "",
) -> SolveReport:
    """Find the best plan of a tile: of a file, or of what it parses to.

    ``family``, ``budget_s``, ``prefer`` and ``target`` take precedence over the file; ``policy``:
    which instructions accesses become, "" for the file's own; ``steps``: with the construction for
    two accesses. Of a file with a layout this is what the solver says;
    :func:`bankwise.ask.spec_solve.solve_question` has it in every notation too. Raises
    :class:`InputError` for a bad file.
    """
    if isinstance(source, Mapping):
        question = chosen(read_question(source, target), policy)
        return answered(question, SolveOptions(family, budget_s, prefer=prefer), steps)
    asked: dict[str, Any] = {"family": family, "budget_s": budget_s, "policy": policy}
    asked["prefer"] = prefer
    found = solve_file(source, target=target, steps=steps, **asked)
    return found if isinstance(found, SolveReport) else found.report


def solve_file(file: str | Path, **asked: Any) -> SolveReport | SpecSolution:
    """:func:`solve` with all that there is to say beside a layout of the file."""
    found: SolveReport | SpecSolution = asker(file, "solve")(file, **asked)
    return found


OWN = SolveOptions()
"""The options of the question itself."""


def answered(question: TileQuestion, asked: SolveOptions = OWN, steps: bool = False) -> SolveReport:
    """What the solver says about a question that is read already; ``asked``: over its own."""
    stated = tile_problem(question)
    if isinstance(stated, Refusal):
        return SolveReport(question.file, question.machine.name, refusal=stated)
    limits = _limits(stated, over(stated.options, asked))
    answer = _answer(stated, limits, question)
    if isinstance(answer, Refusal):
        return SolveReport(stated.file, stated.machine.name, refusal=answer)
    construction, notes = _steps(answer) if steps else ((), ())
    return SolveReport(stated.file, stated.machine.name, answer, construction, notes)


def over(options: SolveOptions, asked: SolveOptions) -> SolveOptions:
    """The options of a question with what a caller asks for instead."""
    given = structs.asdict(asked)
    found = replace(options, **{k: v for k, v in given.items() if v not in (None, "")})
    if asked.family:
        found = replace(found, family=framework(asked.family).name)
    if asked.budget_s is not None and asked.budget_s <= 0:
        raise InputError(f"a budget of {asked.budget_s} seconds is no positive number")
    preference(found.prefer)
    return found


def _limits(stated: TileProblem, options: SolveOptions) -> Limits:
    most = stated.machine.lds_bytes
    if options.max_lds_bytes is not None:
        most = min(most, options.max_lds_bytes)
    split = options.allow_narrowing is not False
    prefer = preference(options.prefer)
    return Limits(most // stated.batch, options.family, options.budget_s, split, prefer)


def answer_of(question: TileQuestion) -> Answer | Refusal:
    """The answer to a question that was read, with its own options."""
    stated = tile_problem(question)
    if isinstance(stated, Refusal):
        return stated
    return _answer(stated, _limits(stated, stated.options), question)


def _answer(stated: TileProblem, limits: Limits, question: TileQuestion) -> Answer | Refusal:
    answer = _chosen(stated, limits, question)
    if isinstance(answer, Refusal) or not stated.stages:
        return answer
    from bankwise.solver.stages import with_stages

    return with_stages(answer, stated.stages, limits.lds_bytes * stated.batch)


def _chosen(stated: TileProblem, limits: Limits, question: TileQuestion) -> Answer | Refusal:
    policy = question.policy or "iree"
    if not stated.units:
        way = _exact if stated.linear else _counted
        return way(stated, limits, policy, *_present(question))
    if limits.family:
        unit = stated.units[0]
        message = f"the family {limits.family} beside {unit.name}, a use by {unit.instruction}"
        hint = "a unit takes canonical layouts alone: leave the family out"
        raise InputError(message, location=Location(stated.file), hint=hint)
    from bankwise.solver.unit_answer import among_modes

    asked = stated.machine, stated.shape, stated.accesses, stated.units
    answer = among_modes(*asked, limits, policy)
    if isinstance(answer, Refusal) or not stated.options.allow_narrowing:
        return answer
    note = "narrowing is not tried: asynchronous units use the tile"
    return replace(answer, notes=(*answer.notes, note))


def _present(question: TileQuestion) -> tuple[AddressMap, str]:
    """The layout of the file where it is linear or a padding, else row-major."""
    layout = question.layout
    if layout is None or question.stages or isinstance(layout.memory, Refusal):
        return Identity(), "row-major"
    said = f"as it is: {layout.text.strip()}"
    images = tabulate(layout.memory).table.reshape(-1)
    bases = tuple(int(images[1 << bit]) for bit in range(len(images).bit_length() - 1))
    if len(images) == 1 << len(bases) and np.array_equal(images, spread(bases)):
        return Linear(bases), said
    padded = PADDING.write(layout.memory, Ground(question.whole))
    return (padded, said) if isinstance(padded, Padded) else (Identity(), "row-major")


def _exact(
    stated: TileProblem, limits: Limits, policy: str, present: AddressMap, shown: str
) -> Answer | Refusal:
    requests = [a.request for a in stated.accesses]
    named = tuple(r.name for r in requests if r.instruction is not None)
    linear = problem(stated.machine, stated.tile, requests)
    return exact(linear, limits, named, policy, present, shown)


def _counted(
    stated: TileProblem, limits: Limits, policy: str, present: AddressMap, shown: str
) -> Answer | Refusal:
    from bankwise.solver.as_linear import as_linear
    from bankwise.solver.counted import counted

    work = listed_workload(stated.machine, stated.shape, stated.accesses, policy)
    asked = stated.machine, stated.shape, stated.accesses
    whole, part = as_linear(*asked), linear_part(*asked)
    proof = whole if isinstance(whole, Refusal) else solve_exactly(whole)
    tried = proof
    if isinstance(proof, Refusal) and part is not None:
        tried = solve_exactly(part)
    return counted(work, limits, proof, tried, present, shown)


def _steps(answer: Answer) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    if answer.problem is None:
        return (), ("no steps: not all accesses are linear",)
    from bankwise.solver.construct import construct

    built = construct(answer.problem)
    if isinstance(built, Refusal):
        return (), (f"no steps: {built.reason}",)
    offset = [f"{name} -> {base}" for name, base in _named(built.layout).items()]
    return built.steps, ("the steps end in the offsets " + ", ".join(offset),)


def _named(layout: Layout) -> dict[str, int]:
    names = [f"{name}{i}" for name, bits in layout.inputs for i in range(bits)]
    return dict(zip(names, layout.columns, strict=True))
