"""The answer of ``bankwise evidence``: how rival rules fare with hand-tuned kernels."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from bankwise.errors import Refusal, exit_code
from bankwise.hardware.machine import Evidence
from bankwise.show.columns import Console, table
from bankwise.show.notebook import printed
from bankwise.show.plain import escape

DECIDES = 2.0
"""log10 of the likelihood ratio from which on a rule is inferred: 100 to 1."""
_SHOWN = 5


class Votes(Struct, frozen=True):
    """How many layouts, kernels and accesses."""

    layouts: int
    kernels: int
    accesses: int


class RivalScore(Struct, frozen=True):
    """A rule, and what of the telling material is free of conflicts under it.

    ``own``: of the machine's file. ``by_layouts``, ``by_kernels``: log10 of the likelihood ratio of
    the best rule against this one.
    """

    name: str
    own: bool
    banks: int
    phases: str
    free: Votes
    by_layouts: float
    by_kernels: float

    @property
    def against(self) -> float:
        """The smaller of the two, which is judged by."""
        return min(self.by_layouts, self.by_kernels)


class RowEvidence(Struct, frozen=True):
    """What kernels say about the rule of one instruction.

    ``evidence``: of the machine's row. ``layouts``, ``accesses``: that were met; ``free``: accesses
    free under the machine's rule. ``telling``: those that the rivals judge differently.
    """

    instruction: str
    evidence: Evidence
    layouts: int
    accesses: int
    free: int
    telling: Votes
    scores: tuple[RivalScore, ...]

    @property
    def own(self) -> RivalScore:
        """The machine's rule."""
        return next(score for score in self.scores if score.own)

    @property
    def best(self) -> tuple[RivalScore, ...]:
        """The rules that nothing speaks against: one, or several that are not told apart."""
        return tuple(score for score in self.scores if score.against < DECIDES)

    @property
    def verdict(self) -> str:
        """In one word and its reason."""
        if not self.telling.layouts:
            return "silent: no layout tells the rules apart"
        if self.best == (self.own,):
            return "supports the machine's rule against every rival"
        names = ", ".join(score.name for score in self.best)
        if self.own in self.best:
            refuted = len(self.scores) - len(self.best)
            if not refuted:
                return "decides nothing: too few, or of both kinds"
            return f"supports the machine's rule against {refuted}; left are {names}"
        if self.evidence == "measured":
            return f"laid out for {names}: the machine's rule is measured, these kernels conflict"
        return f"speaks against the machine's rule; left are {names}"

    @property
    def line(self) -> str:
        """What a machine file may say of it; "" where the machine's rule is not the only one left.

        Tuned code shares its author's belief: it is never more than *inferred*.
        """
        if not self.telling.layouts or self.best != (self.own,):
            return ""
        rival = min((s for s in self.scores if not s.own), key=lambda score: score.against)
        return (
            f'evidence = "inferred"  # hand-tuned kernels: {self.own.free.layouts} of '
            f"{self.telling.layouts} telling layouts ({self.own.free.kernels} of "
            f"{self.telling.kernels} kernels) are free; {rival.free.layouts} under {rival.name}; "
            f"likelihood ratio 10^{rival.against:.0f}"
        )


@printed("bankwise.show.evidence:print_evidence")
class EvidenceReport(Struct, frozen=True):
    """The answer. ``kernels``: of the target, each once. ``broken``: what was not read or followed;
    ``unfinished``: why it was ended early, "" if it was not."""

    paths: tuple[str, ...]
    target: str
    kernels: int
    rows: tuple[RowEvidence, ...]
    broken: tuple[Refusal, ...]
    unfinished: str = ""

    @property
    def exit_code(self) -> int:
        """1 the material speaks against a rule of the machine, or conflicts under a measured one;
        3 it is not complete; 2 there is none."""
        return exit_code(
            failed=not self.kernels,
            findings=any(row.telling.layouts and row.own not in row.best for row in self.rows),
            incomplete=bool(self.broken or self.unfinished),
        )


def print_evidence(report: EvidenceReport, console: Console) -> None:
    """Each instruction with its rules, the best first."""
    for row in report.rows:
        console.print(f"[bold]{row.instruction}[/] on {report.target}: {_material(row)}")
        if row.telling.layouts:
            _print_table(row, console)
        console.print(f"  {escape(row.verdict)}")
        if row.line:
            console.print(f"  [dim]{escape(row.line)}[/]")
    for refusal in report.broken[:_SHOWN]:
        console.print(f"[yellow]not read:[/] {escape(str(refusal))}")
    if len(report.broken) > _SHOWN:
        console.print(f"[yellow]and {len(report.broken) - _SHOWN} more[/]")
    for line in _last(report):
        console.print(line)


def _material(row: RowEvidence) -> str:
    return (
        f"{row.accesses:,} accesses, {row.layouts:,} layouts, evidence {row.evidence}; "
        f"{row.free:,} accesses free under the machine's rule"
    )


def _print_table(row: RowEvidence, console: Console) -> None:
    most, rows = row.telling, []
    for score in sorted(row.scores, key=lambda one: (one.against, not one.own)):
        free = (score.free.layouts, score.free.kernels, score.free.accesses)
        likelier = f"10^{score.by_layouts:.1f}, 10^{score.by_kernels:.1f}"
        name = score.name + (" (the machine's)" if score.own else "")
        rows.append([f"{score.banks}", *(f"{n:,}" for n in free), likelier, name])
    told = (("layouts", most.layouts), ("kernels", most.kernels), ("accesses", most.accesses))
    free_of = (f"free of {many:,} telling {title}" for title, many in told)
    table(console, ("banks", *free_of, "best is likelier by", "rule"), rows, whole=True)


def _last(report: EvidenceReport) -> Iterator[str]:
    yield (
        f"{report.kernels:,} kernels. Tuned code shares its author's belief: it may raise "
        "unknown to inferred, never to measured"
    )
    if report.unfinished:
        yield f"[yellow]unfinished ({escape(report.unfinished)})[/]"
