"""The documents and the printing of ``check`` and ``fix``, whatever kind of file was asked about.

What prints one kind of answer alone is imported for such an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from bankwise.show import as_text
from bankwise.show.columns import Console
from bankwise.show.gate import Gate, print_gate
from bankwise.show.more import More, print_more
from bankwise.show.values import CheckReport

if TYPE_CHECKING:
    from bankwise.show.documents.checking import CheckDocument
    from bankwise.show.documents.fixing import FixDocument, FixModelDocument
    from bankwise.show.fixing import FixReport
    from bankwise.show.model import ModelFix
    from bankwise.show.spec import SpecReport


def counted(answer: CheckReport | SpecReport) -> CheckReport:
    """The count in an answer of ``check``."""
    return answer if isinstance(answer, CheckReport) else answer.check


def check_document(
    answer: CheckReport | SpecReport,
    more: More | None = None,
    gate: Gate | None = None,
    *,
    lanes: bool = False,
) -> CheckDocument:
    """An answer of ``check``, with what the ``gate`` left out. ``lanes``: with what every lane
    touches, which pages draw."""
    from bankwise.show.documents import checking

    if isinstance(answer, CheckReport):
        return checking.check_document(answer, more, gate, lanes=lanes)
    return checking.spec_document(answer, gate, lanes=lanes, more=more)


def print_check(
    answer: CheckReport | SpecReport, console: Console, *, everything: bool = False
) -> None:
    """An answer of ``check``; ``everything``: every access of a kernel."""
    if isinstance(answer, CheckReport):
        as_text.print_check(answer, console, everything=everything)
    else:
        from bankwise.show import spec

        spec.print_spec(answer, console, everything=everything)


def print_answer(
    answer: CheckReport | SpecReport,
    console: Console,
    gate: Gate,
    more: More,
    *,
    form: Literal["", "concise", "statistics"] = "",
    everything: bool = False,
) -> None:
    """An answer of ``check`` in one of its forms, what the ``gate`` knows and what was asked for
    on top; the verdict last."""
    report = counted(answer)
    aside = gate.set_aside(report)
    if form:
        _print_short(report, console, aside, form, everything)
    elif isinstance(answer, CheckReport):
        as_text.print_body(answer, console, aside, everything=everything)
    else:
        from bankwise.show import spec

        spec.print_body(answer, console, aside, everything=everything)
    print_gate(report, gate, console)
    print_more(more, console)
    if isinstance(answer, CheckReport) or form:
        as_text.print_last(report, console)
    else:
        spec.print_last(answer, console)


def _print_short(
    report: CheckReport, console: Console, aside: Mapping[int, str], form: str, everything: bool
) -> None:
    from bankwise.show import concise

    if form == "concise":
        concise.print_concise(report, console, aside)
    else:
        concise.print_statistics(report, console, everything=everything)


def fix_document(
    answer: FixReport | ModelFix, *, lanes: bool = False
) -> FixDocument | FixModelDocument:
    """An answer of ``fix``. ``lanes``: with what every lane touches, which pages draw."""
    from bankwise.show.documents import fixing
    from bankwise.show.fixing import FixReport

    if isinstance(answer, FixReport):
        return fixing.fix_document(answer, lanes=lanes)
    return fixing.model_fix_document(answer, lanes=lanes)
