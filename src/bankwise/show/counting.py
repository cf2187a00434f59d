"""The answer of ``bankwise count``."""

from __future__ import annotations

from msgspec import Struct

from bankwise.counting.conflict import Witness
from bankwise.counting.reason import Meeting, Reason
from bankwise.errors import exit_code
from bankwise.hardware.lanes import phases_text
from bankwise.hardware.machine import Instruction
from bankwise.show.columns import Console, say
from bankwise.show.notebook import printed


@printed("bankwise.show.counting:print_count")
class CountReport(Struct, frozen=True):
    """The passes of one instruction of one wave. ``phases``: lanes served together for these
    addresses, which on NVIDIA may be two phases of the instruction in one."""

    target: str
    counter: str
    instruction: Instruction
    active_lanes: int
    phases: tuple[tuple[int, ...], ...]
    passes: int
    ideal: int
    ways: int
    witness: Witness | None
    reason: Reason | Meeting | None

    @property
    def extra(self) -> int:
        """What the conflict counter adds."""
        return self.passes - self.ideal

    @property
    def exit_code(self) -> int:
        """3 by a rule that is unknown or assumed, else 0: a count is an answer, no finding."""
        return exit_code(incomplete=self.instruction.evidence in ("assumed", "unknown"))


def print_count(report: CountReport, console: Console) -> None:
    """Print the answer of ``bankwise count``."""
    row = report.instruction
    known = report.exit_code == 0
    colour = "red" if report.extra else "green" if known else "yellow"
    open_ = "" if known else f" ({row.evidence}: the rule of {row.name})"
    passes = f"{report.passes} pass{'' if report.passes == 1 else 'es'}"
    said = f"{row.name} on {report.target}: {passes}, ideal {report.ideal}"
    say(console, said, rest="  ", style=colour)
    say(console, f"{report.counter} += {report.extra}{open_}", "  ", "    ", style=colour)
    if not report.active_lanes:
        nobody = "no lane is active: the condition is 0 for each of them"
        say(console, f"{nobody}; between conditions write `and`, or brackets", "  ", "    ")
    if report.witness is not None:
        say(console, f"{report.ways}-way: {report.witness}", "  ", "    ")
    if report.reason is not None:
        say(console, str(report.reason), "  ", "    ")
    text = f"{row.banks} banks; phases {phases_text(row.phases)}"
    say(console, text, "  ", "    ", style="dim")
    if report.phases != row.phases:
        merged = f"merged into {phases_text(report.phases)}: lanes come in equal pairs"
        say(console, f"{merged}, `bankwise explain merge`", "  ", "    ", style="dim")
    say(console, f"evidence: {row.evidence}, confidence {row.confidence:g}", "  ", style="dim")
