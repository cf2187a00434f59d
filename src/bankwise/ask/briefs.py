"""What an agent is told first, and the whole answer beside it, to be asked for in pieces."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from rich.console import Console

from bankwise.ask.job import Tell, check_of, fix_of, solve_of
from bankwise.ask.jobs import Order
from bankwise.errors import CLEAN
from bankwise.files import read_text
from bankwise.read.recognise import text_of
from bankwise.show.answers import check_document, counted, fix_document
from bankwise.show.edits import changes
from bankwise.show.fixing import FixReport
from bankwise.show.schema import plain
from bankwise.show.solutions import solve_document, solved

if TYPE_CHECKING:
    from bankwise.show.documents.briefs import BriefDocument

_COLUMNS = 100
"""Of a drawing."""


def checked(order: Order, tell: Tell) -> dict[str, Any]:
    """The check of the order's file."""
    from bankwise.show.documents.briefs import check_brief

    answer = check_of(order, tell)
    whole = plain(check_document(answer))
    return _both(check_brief(counted(answer), text_of(order.file), whole), whole)


def fixed(order: Order, tell: Tell) -> dict[str, Any]:
    """The fix of the order's file: nothing is written."""
    from bankwise.show.documents.briefs import BriefDocument, fix_brief, lists

    answer = fix_of(order, tell)
    whole = plain(fix_document(answer))
    if isinstance(answer, FixReport):
        return _both(fix_brief(answer, changes(answer), whole), whole)
    said = (
        f"a model of {len(answer.reports)} dispatches: no patch, its kernels are fixed one by one"
    )
    about = {"of": whole["schema"], "exit_code": answer.exit_code, "verdict": said}
    nothing: dict[str, Any] = {"findings": (), "findings_in_all": 0, "write": ()}
    return _both(BriefDocument(**about, **nothing, left=lists(whole)), whole)


def solved_briefly(order: Order, tell: Tell) -> dict[str, Any]:
    """The best layout for the order's tile question."""
    from bankwise.show.documents.briefs import solve_brief

    answer = solve_of(order, tell)
    whole = plain(solve_document(answer))
    return _both(solve_brief(whole, solved(answer).exit_code), whole)


def drawn(order: Order, tell: Tell) -> dict[str, Any]:
    """A layout as a drawing; the order's file holds the question, in JSON."""
    from bankwise.ask.picture import picture
    from bankwise.show.documents.briefs import BriefDocument, BriefLayoutDocument, lists
    from bankwise.show.documents.picture import picture_document
    from bankwise.show.picture import print_picture, summary

    asked = json.loads(read_text(order.file))
    found = picture(
        *(asked["layout"], asked["target"], asked["tile"]), asked["bits"], asked["notation"]
    )
    whole, text = plain(picture_document(found)), io.StringIO()
    print_picture(found, Console(file=text, width=_COLUMNS, highlight=False))
    brief = BriefDocument(
        of=whole["schema"],
        exit_code=CLEAN,
        verdict=summary(found),
        findings=(),
        findings_in_all=0,
        write=(),
        layouts=(BriefLayoutDocument("drawing", text.getvalue()),),
        left=lists(whole),
    )
    return _both(brief, whole)


def _both(brief: BriefDocument, whole: dict[str, Any]) -> dict[str, Any]:
    return {"brief": plain(brief), "whole": whole}
