"""``solve`` on a file: the best layout for its accesses; beside its own, in every notation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bankwise.ask.solve import answered
from bankwise.read.tile_file.question import SolveOptions, chosen
from bankwise.read.tile_file.read import read_question
from bankwise.show.solving import SolveReport
from bankwise.solver.plan import Prefer

if TYPE_CHECKING:
    from bankwise.show.spec import SpecSolution


def solve_question(
    file: str | Path,
    *,
    target: str = "",
    family: str = "",
    budget_s: float | None = None,
    policy: str = "",
    steps: bool = False,
    prefer: Prefer | Literal[""] = "",
) -> SolveReport | SpecSolution:
    """The best layout for the accesses of a file.

    Under a layout of the file it is compared with that one, in every notation, and what accesses
    move at once there stays together. Parameters as of :func:`bankwise.ask.solve.solve`. Raises
    :class:`InputError` for a bad file.
    """
    question = chosen(read_question(file, target), policy)
    asked = SolveOptions(family, budget_s, prefer=prefer)
    if question.layout is None:
        return answered(question, asked, steps)
    from bankwise.ask.spec_solution import solved

    return solved(question, asked, steps)
