"""The judges of ``bankwise fix`` beside the proof: what they say of a text that is rewritten.

Texts are rewritten (and proved) in more ways than are executed and compiled: of a model the kernel
that IREE makes unasked and the one without its mitigation. The cheaper of them is judged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from bankwise.ask.text_price import ReportedText
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.options import ALL_JUDGES, Judges, Options, Progress, dims_of
from bankwise.show.fixing import FixReport, Verdict

if TYPE_CHECKING:
    from bankwise.change.prove import MapClaim
    from bankwise.read.mlir.module import Opened


class RewrittenFile(ByIdentity, frozen=True, eq=False):
    """What ``fix`` makes of a file, proved. ``report``: the answer without other verdicts.

    ``before``: the user's text; ``after``: what is written; ``start``: the text that the claims are
    about. ``instead``: what to judge where the emitted code is worse: with accesses in ``parts``
    the best with all of them whole, else what is best if the compiler joins reads.
    """

    options: Options
    report: FixReport
    before: ReportedText
    after: ReportedText
    start: Opened
    claims: tuple[MapClaim, ...]
    instead: Callable[[], RewrittenFile] | None = None
    parts: bool = False


def as_it_was(found: RewrittenFile) -> RewrittenFile:
    """The user's text, left alone."""
    report, text = found.report, found.report.source_text
    report = replace(
        report,
        after=report.before,
        changes=(),
        verdicts=(),
        fixed_text=text,
        patch="",
        modules=(),
        parts={},
        assumed="",
        emitted=(),
        gamble="",
        hinge="",
    )
    return RewrittenFile(found.options, report, found.before, found.before, found.before.opened, ())


def judged(
    found: RewrittenFile, judges: Judges = ALL_JUDGES, progress: Progress | None = None
) -> FixReport:
    """The answer with the verdicts of the judges that are asked."""
    code: tuple[Verdict, ...] = ()
    if found.report.changes and judges.isa:
        found, code = _compiled(found)
    elif found.report.gamble and found.parts and found.instead is not None:
        other = found.instead()
        found = other if other.report.changes and not other.report.gamble else found
    verdicts, before, after = [*found.report.verdicts], found.before, found.after
    if found.report.changes and judges.prove:
        from bankwise.ask.judge_smt import judge_smt

        verdicts.append(judge_smt(found.start, after.opened, found.claims))
    if found.report.changes and judges.execute:
        from bankwise.ask.judge_execution import judge_execution

        texts = (before.opened, after.opened, before.analyses, after.analyses)
        verdicts.append(judge_execution(*texts, judges.reference, progress, dims_of(found.options)))
    verdicts += code
    report = replace(found.report, verdicts=tuple(verdicts))
    known = [verdict.gamble for verdict in code if verdict.gamble is not None]
    gamble = "; ".join(filter(None, known)) if known else report.gamble
    hinge = "; ".join(v.hinge for v in code if v.hinge) if known else report.hinge
    report = replace(report, accept_sampled=judges.accept_sampled, gamble=gamble, hinge=hinge)
    return with_code(report, found, asked=judges.isa)


def with_code(report: FixReport, found: RewrittenFile, *, asked: bool) -> FixReport:
    """The answer with the kernels that it leaves as they are emitted, as far as that is known.

    ``asked``: whether the compiler may be asked.
    """
    from bankwise.ask.judge_isa import as_it_runs

    text = found.after if report.accepted else found.before
    return replace(report, emitted=as_it_runs(text, asked=asked))


def _compiled(found: RewrittenFile) -> tuple[RewrittenFile, tuple[Verdict, ...]]:
    """What the emitted code says; where it rejects accesses in parts, of those left whole."""
    from bankwise.ask.judge_isa import judge_isa
    from bankwise.solver.plan import preference

    verdict = judge_isa(found.before, found.after, preference(found.options.prefer))
    if found.instead is None or (verdict.status != "failed" and not verdict.gamble):
        return found, (verdict,)
    other = found.instead()
    if verdict.status != "failed":
        return _surer(found, verdict, other)
    if found.parts:
        told = Refusal(f"accesses stay whole: in parts {verdict.detail}")
        report = replace(other.report, refusals=(*other.report.refusals, told))
        whole = replace(other, report=report)
        return _compiled(whole) if report.changes else (whole, ())
    if not other.report.changes:
        return found, (verdict,)
    last = judge_isa(other.before, other.after, preference(found.options.prefer))
    if last.status == "failed":
        return found, (verdict,)
    why = f"another layout was planned first, but {verdict.detail.partition(';')[0]}"
    report = replace(other.report, notes=(*other.report.notes, why))
    return replace(other, report=report), (last,)


def _surer(
    found: RewrittenFile, verdict: Verdict, other: RewrittenFile
) -> tuple[RewrittenFile, tuple[Verdict, ...]]:
    """Another plan, whose code gains whatever rules that nobody knows are like, if it is one; else
    the one that gains as counted."""
    from bankwise.ask.judge_isa import gains

    last, verdicts = _compiled(other) if other.report.changes else (other, ())
    if not any(v.status == "passed" and v.gamble == "" and gains(v) for v in verdicts):
        return found, (verdict,)
    why = f"another layout was planned first, but its gain is not sure: {verdict.gamble}"
    report = replace(last.report, notes=(*last.report.notes, why))
    return replace(last, report=report), verdicts
