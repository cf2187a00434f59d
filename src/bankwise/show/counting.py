"""The answer of ``bankwise count``."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console

from bankwise.counting.conflict import Witness
from bankwise.counting.reason import Reason
from bankwise.hardware.machine import Instruction, phases_text


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
