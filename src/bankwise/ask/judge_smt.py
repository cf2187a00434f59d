"""``fix --prove``: the verdict of an SMT solver on what was proved of a fix."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bankwise.errors import InputError
from bankwise.read.extra import install
from bankwise.show.fixing import Verdict
from bankwise.show.words import several

if TYPE_CHECKING:
    from bankwise.change.prove import MapClaim
    from bankwise.change.prove.smt import SmtAnswer
    from bankwise.read.mlir.module import Opened

_FOR_ALL = "for all threads, workgroups, rounds and sizes below 2^31, as 64-bit integers"


def need_solver() -> None:
    """Raise :class:`InputError` where the solver is not installed."""
    if find_spec("z3") is None:
        message = "--prove needs the solver z3, which is not installed"
        raise InputError(message, hint=install("prove"))


def judge_smt(before: Opened, after: Opened, claims: Sequence[MapClaim]) -> Verdict:
    """Ask the solver about every claim; the text needs one (:func:`need_solver`).

    A counterexample rejects the fix; what the solver cannot answer is "not available".
    """
    from bankwise.change.prove.smt import decide, solver_version

    answers = decide(before, after, claims)
    version = solver_version()
    wrong = next((a for a in answers if a.status == "counterexample"), None)
    if wrong is not None:
        return Verdict("smt", "failed", f"{_told(wrong)} ({version})")
    open_ = next((a for a in answers if a.status == "unknown"), None)
    if open_ is not None:
        return Verdict("smt", "not available", f"{_told(open_)} ({version})", complete=False)
    count = sum(answer.accesses for answer in answers)
    accesses = several(count, "access")
    return Verdict("smt", "passed", f"{accesses}, {_FOR_ALL}: no counterexample ({version})")


def _told(answer: SmtAnswer) -> str:
    where = f"{answer.location}: " if answer.location else ""
    return f"{where}{answer.claim.names}: {answer.detail}"
