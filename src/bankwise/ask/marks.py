"""What an editor shows of a file: every place of it with accesses, and what is wrong elsewhere."""

from __future__ import annotations

from typing import Any

from bankwise.ask.job import Tell, check_of
from bankwise.ask.jobs import Order
from bankwise.read.recognise import text_of
from bankwise.show.answers import counted
from bankwise.show.marks import marks
from bankwise.show.schema import plain
from bankwise.show.words import verdict


def marked(order: Order, tell: Tell) -> dict[str, Any]:
    """The verdict on the order's file, and its marks."""
    from bankwise.show.documents.marks import mark_document

    report, text = counted(check_of(order, tell)), text_of(order.file)
    found = [plain(mark_document(mark)) for mark in marks(report, text)]
    return {"verdict": verdict(report), "exit_code": report.exit_code, "marks": found}
