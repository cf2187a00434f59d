"""The fix of a file as an editor applies it. Nothing is offered that was not proved."""

from __future__ import annotations

from typing import Any

from bankwise.ask.job import Tell, fix_of
from bankwise.ask.jobs import Order
from bankwise.show.edits import changes, digest, helped, line_edits, proved, title
from bankwise.show.fixing import FixReport
from bankwise.show.schema import plain


def edited(order: Order, tell: Tell) -> dict[str, Any]:
    """The edits of the order's file, none where nothing was proved, with what the judges say."""
    report = fix_of(order, tell)
    if not isinstance(report, FixReport) or not proved(report):
        return {"edits": []}
    return {
        "edits": [plain(one) for one in line_edits(report.source_text, report.fixed_text)],
        "title": title(report),
        "changes": list(changes(report)),
        "verdicts": [plain(one) for one in report.verdicts],
        "settings": list(report.settings),
        "helps": [list(line) for line in helped(report)],
        "of": digest(report.source_text),
    }
