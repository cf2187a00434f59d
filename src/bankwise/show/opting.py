"""The answer of ``bankwise opt``: the text after the passes, and what each of them did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from bankwise.errors import exit_code

if TYPE_CHECKING:
    from bankwise.change.passes.values import Outcome


@dataclass(frozen=True, slots=True)
class OptReport:
    """The passes that ran, in order, each with its outcome; ``text`` is that of the last."""

    file: str
    passes: tuple[tuple[str, Outcome], ...]
    text: str

    @property
    def exit_code(self) -> int:
        """0 if nothing was refused, 1 otherwise."""
        return exit_code(findings=any(outcome.refusals for _, outcome in self.passes))


def print_opt(report: OptReport, console: Console) -> None:
    """One line for each remark and refusal of each pass."""
    for name, outcome in report.passes:
        if not outcome.remarks and not outcome.refusals:
            console.print(f"[bold]{name}[/]: nothing to do")
        for remark in outcome.remarks:
            colour = "green" if remark.changed else "default"
            console.print(f"[bold]{name}[/]: [{colour}]{escape(str(remark))}[/]")
        for refusal in outcome.refusals:
            console.print(f"[bold]{name}[/]: [yellow]refused:[/] {escape(str(refusal))}")
