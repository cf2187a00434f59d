"""The documents and the printing of ``solve``, whatever kind of question was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bankwise.show import solving
from bankwise.show.columns import Console
from bankwise.show.solving import SolveReport

if TYPE_CHECKING:
    from bankwise.show.documents.solving import SolveDocument
    from bankwise.show.spec import SpecSolution


def solved(answer: SolveReport | SpecSolution) -> SolveReport:
    """What the solver says in an answer of ``solve``."""
    return answer if isinstance(answer, SolveReport) else answer.report


def solve_document(answer: SolveReport | SpecSolution) -> SolveDocument:
    """An answer of ``solve``."""
    from bankwise.show.documents import solving as solutions

    if isinstance(answer, SolveReport):
        return solutions.solve_document(answer)
    return solutions.solution_document(answer)


def print_solve(answer: SolveReport | SpecSolution, console: Console) -> None:
    """An answer of ``solve``."""
    if isinstance(answer, SolveReport):
        solving.print_solve(answer, console)
    else:
        from bankwise.show import spec

        spec.print_solution(answer, console)
