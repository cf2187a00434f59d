"""The answer of ``bankwise opt``: the text after the passes, and what each of them did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from bankwise.errors import exit_code
from bankwise.show.columns import Console
from bankwise.show.notebook import printed
from bankwise.show.plain import escape

if TYPE_CHECKING:
    from bankwise.change.passes.values import Outcome


@printed("bankwise.show.opting:print_opt")
class OptReport(Struct, frozen=True):
    """The passes that ran, in order, each with its outcome; ``text`` is that of the last."""

    file: str
    passes: tuple[tuple[str, Outcome], ...]
    text: str

    @property
    def exit_code(self) -> int:
        """1 if something was refused, 3 if something is assumed, 0 otherwise."""
        outcomes = [outcome for _, outcome in self.passes]
        return exit_code(
            findings=any(outcome.refusals for outcome in outcomes),
            incomplete=any(remark.assumed for each in outcomes for remark in each.remarks),
        )


def print_opt(report: OptReport, console: Console) -> None:
    """One line for each remark and refusal of each pass."""
    for name, outcome in report.passes:
        if not outcome.remarks and not outcome.refusals:
            console.print(
                f"[bold]{name}[/]: nothing to do; looked for {escape(outcome.looked_for)}"
            )
        for remark in outcome.remarks:
            colour = "default" if not remark.changed else "yellow" if remark.assumed else "green"
            console.print(f"[bold]{name}[/]: [{colour}]{escape(str(remark))}[/]")
        for refusal in outcome.refusals:
            console.print(f"[bold]{name}[/]: [yellow]refused:[/] {escape(str(refusal))}")
