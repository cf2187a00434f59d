"""The answer of ``bankwise fix`` on a model: one report per dispatch, and what was linked."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from bankwise.errors import INCOMPLETE, Refusal, exit_code, worst
from bankwise.show.columns import Console, say
from bankwise.show.fix_story import print_exit, print_story
from bankwise.show.fixing import FixReport
from bankwise.show.plain import escape


class FrameworkDefault(Struct, frozen=True):
    """A dispatch as the framework lowers it unasked, beside the answer. ``default``, ``answer``:
    passes and, with their issue, cycles of the launch; None where they are not known.
    ``lowering``: that of the kernel which the answer is made from; ``code``: what is emitted for
    both, in words; ``assumed``: both if no conflict by a rule that nobody knows is real;
    ``copies``: what is in neither number, in words; ``before``: which kernel a report's places and
    its numbers before are of, in words."""

    dispatch: str
    default: tuple[int, int] | None
    answer: tuple[int, int] | None
    lowering: str
    code: str = ""
    assumed: str = ""
    copies: str = ""
    before: str = ""

    def __str__(self) -> str:
        return (
            f"{self.dispatch}: IREE's default {_taken(self.default)} of the launch, "
            f"the answer {_taken(self.answer)}, from {self.lowering}"
            + "".join(f"; {said}" for said in (self.copies, self.assumed, self.code) if said)
        )


def uncounted(default: int, answer: int) -> str:
    """What is not in the numbers of a default and of an answer that copy straight to LDS by so many
    accesses each; empty where neither does."""
    if not default and not answer:
        return ""
    said = "what copies straight to LDS write is in neither number"
    if default and not answer:
        return f"{said}, what the answer stores there instead is in its own"
    return said


def _taken(found: tuple[int, int] | None) -> str:
    if found is None:
        return "takes what is not known"
    return f"{found[0]:,} passes, {found[1]:,} cycles with their issue"


class ModelFix(Struct, frozen=True):
    """``reports``: one per dispatch with workgroup memory.

    ``vmfb``: the whole model with the accepted kernels in it, None if no kernel was changed.
    ``files``: what was written to the folder that was asked for. ``refusals``: dispatches that
    IREE could not translate. ``defaults``: one per report, what IREE does unasked.
    ``settings``: how the kept kernels get into the model, in lines.
    """

    reports: tuple[FixReport, ...]
    vmfb: bytes | None
    files: tuple[Path, ...]
    refusals: tuple[Refusal, ...]
    notes: tuple[str, ...]
    defaults: tuple[FrameworkDefault, ...] = ()
    settings: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """The worst of the dispatches: 2 over 1 over 3 over 0; 3 if one could not be lowered."""
        lowered = exit_code(incomplete=bool(self.refusals))
        return worst([lowered, *(report.exit_code for report in self.reports)])


def print_model_fix(found: ModelFix, console: Console, *, everything: bool = False) -> None:
    """Tell the story of every dispatch, then what was written."""
    for note in found.notes:
        console.print(f"[dim]note: {escape(note)}[/]")
    for number, report in enumerate(found.reports):
        beside = found.defaults[number] if found.defaults else None
        if beside and beside.before and (report.changes or report.refusals):
            say(console, beside.before, "note: ", style="dim")
        name = f"{beside.dispatch}: " if beside else ""
        print_story(report, console, everything=everything, name=name)
    for each in found.defaults:
        console.print(escape(str(each)))
    for refusal in found.refusals:
        console.print(f"[yellow]not analysed:[/] {escape(str(refusal))}")
    for path in found.files:
        console.print(f"[dim]written: {escape(str(path))}[/]")
    for line in found.settings:
        console.print(line, markup=False, soft_wrap=True)  # escape() doubles a backslash at the end
    if found.vmfb is not None and not found.files:
        console.print(
            "nothing was written: a model has no patch; --keep DIR writes its kernels, fixed, "
            "-o FILE.vmfb the model with them in it"
        )
    code = found.exit_code
    reasons = [reason for report in found.reports for reason in report.reasons(code)]
    unread = ["not every dispatch could be lowered"] * (bool(found.refusals) and code == INCOMPLETE)
    print_exit(code, (*unread, *reasons), console)
