"""The judges of ``bankwise fix`` beside the proof: what they say of a text that is rewritten.

Texts are rewritten (and proved) in more ways than are executed and compiled: of a model the kernel
that IREE makes unasked and the one without its mitigation. The cheaper of them is judged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bankwise.ask.analysis import Analysis
from bankwise.read.options import Options, Progress, dims_of
from bankwise.show.fixing import FixReport, Verdict

if TYPE_CHECKING:
    from bankwise.change.prove import MapClaim
    from bankwise.read.mlir.module import Opened


@dataclass(frozen=True, slots=True, eq=False)
class RewrittenFile:
    """What ``fix`` makes of a file, proved. ``report``: the answer without other verdicts.

    ``opened``, ``analyses``: the user's text and its kernels; ``after``, ``again``: those that are
    written; ``start``: the text that the claims are about.
    """

    options: Options
    report: FixReport
    opened: Opened
    analyses: tuple[Analysis, ...]
    after: Opened
    again: tuple[Analysis, ...]
    start: Opened
    claims: tuple[MapClaim, ...]


def judged(
    found: RewrittenFile,
    *,
    execute: bool = True,
    isa: bool = True,
    reference: str = "",
    accept_sampled: bool = False,
    prove: bool = False,
    progress: Progress | None = None,
) -> FixReport:
    """The answer with the verdicts of the judges that are asked, as :func:`bankwise.ask.fix.fix`
    names them."""
    verdicts: list[Verdict] = [*found.report.verdicts]
    texts = found.opened, found.after
    if found.report.changes and prove:
        from bankwise.ask.judge_smt import judge_smt

        verdicts.append(judge_smt(found.start, found.after, found.claims))
    if found.report.changes and execute:
        from bankwise.ask.judge_execution import judge_execution

        kernels, dims = (found.analyses, found.again), dims_of(found.options)
        verdicts.append(judge_execution(*texts, *kernels, reference, progress, dims))
    if found.report.changes and isa:
        from bankwise.ask.judge_isa import judge_isa

        verdicts.append(judge_isa(*texts, found.analyses))
    return replace(found.report, verdicts=tuple(verdicts), accept_sampled=accept_sampled)
