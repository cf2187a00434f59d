"""Corrupted fixes of whole kernels, of ``examples`` and of the tests, which no oracle executes.

A corruption inside of the rewrite is one if the SMT solver finds a counterexample: a thread, a
workgroup and a round that go elsewhere. Outside a barrier, store or copy is deleted or doubled.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from adversarial.claims import ProvedFix, accepted, listening
from adversarial.corruptions import EFFECTS, Corruption, candidates
from adversarial.kernel import AdversarialKernel
from bankwise.ask.fix import fix
from bankwise.change.prove.smt import decide
from bankwise.errors import InputError
from bankwise.read.mlir.module import open_text

ROOT = Path(__file__).parents[2]
SMT_STEPS = 500_000


def files() -> list[Path]:
    """The MLIR texts of the repository that may be kernels."""
    found = [*ROOT.glob("examples/**/*.mlir"), *ROOT.glob("tests/data/kernels/**/*.mlir")]
    return sorted(found)


def real_fix(path: Path) -> ProvedFix | None:
    """What ``fix`` writes for a file, with its claims; None if it writes nothing."""
    told: dict[str, Sequence[Any]] = {}
    try:
        with listening(told):
            report: Any = fix(path, execute=False, isa=False)
    except InputError:
        return None
    text = report.source_text
    if report.fixed_text == text or report.fixed_text not in told:
        return None
    kernel = AdversarialKernel("real", str(path.relative_to(ROOT)), text, True, ())
    return ProvedFix(kernel, report.fixed_text, tuple(told[report.fixed_text]))


def judged_by_solver(of: ProvedFix, inside: int, outside: int) -> Iterator[tuple[Corruption, bool]]:
    """So many corruptions of each sort, with whether the prover accepts them."""
    drawn = list(candidates(of.kernel, of.fixed))
    random.Random(of.kernel.name).shuffle(drawn)
    left = {True: inside, False: outside}
    seen = {of.fixed}
    for one in drawn:
        if left[one.inside] and one.text not in seen and _is_wrong(of, one):
            seen.add(one.text)
            left[one.inside] -= 1
            yield one, accepted(of, one.text)


def _is_wrong(of: ProvedFix, one: Corruption) -> bool:
    if not one.inside and one.how not in EFFECTS:
        return False
    try:
        before, after = (open_text(text, "k.mlir") for text in (of.kernel.text, one.text))
    except InputError:
        return False
    if not one.inside:
        return True
    answers = decide(before, after, of.claims, SMT_STEPS)
    return any(answer.status == "counterexample" for answer in answers)
