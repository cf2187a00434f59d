"""The answer of ``bankwise count``, for a terminal and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import Console

from bankwise.counting.conflict import Witness
from bankwise.counting.reason import Reason
from bankwise.hardware.machine import Instruction, phases_text
from bankwise.show.as_json import witness_document


@dataclass(frozen=True, slots=True)
class CountReport:
    """The passes of one instruction of one wave."""

    target: str
    counter: str
    instruction: Instruction
    passes: int
    ideal: int
    ways: int
    witness: Witness | None
    reason: Reason | None

    @property
    def extra(self) -> int:
        """What the conflict counter adds."""
        return self.passes - self.ideal


def count_document(report: CountReport) -> dict[str, Any]:
    """``bankwise.count/1``."""
    why = report.reason
    terms = None
    if why is not None:
        terms = {
            "advance_words": why.advance_words,
            "banks": why.banks,
            "residue": why.residue,
            "gcd": why.divisor,
            "period": why.period,
            "rows": why.rows,
            "ways": why.ways,
        }
    return {
        "schema": "bankwise.count/1",
        "target": report.target,
        "instruction": report.instruction.name,
        "counter": report.counter,
        "passes": report.passes,
        "ideal": report.ideal,
        "extra": report.extra,
        "ways": report.ways,
        "witness": witness_document(report.witness),
        "reason": None if why is None else str(why),
        "arithmetic": terms,
        "evidence": report.instruction.evidence,
        "confidence": report.instruction.confidence,
    }


def print_count(report: CountReport, console: Console) -> None:
    """Print the answer of ``bankwise count``."""
    row = report.instruction
    colour = "red" if report.extra else "green"
    console.print(
        f"[bold]{row.name}[/] on {report.target}: [{colour}]{report.passes} passes[/], ideal "
        f"{report.ideal}, {report.counter} += {report.extra}"
    )
    if report.witness is not None:
        console.print(f"  {report.ways}-way: {report.witness}")
    if report.reason is not None:
        console.print(f"  {report.reason}")
    console.print(f"  [dim]{row.banks} banks; phases {phases_text(row.phases)}[/]")
    console.print(f"  [dim]evidence: {row.evidence}, confidence {row.confidence}[/]")
