"""``bankwise opt`` as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from bankwise.change.passes.values import Outcome, Remark
from bankwise.show.documents.parts import RefusalDocument, Whole, views
from bankwise.show.opting import OptReport


class RemarkDocument(Struct, frozen=True):
    """What a pass decided about one thing of the text, where, and why."""

    subject: str
    file: str
    line: Whole
    column: Whole
    changed: bool
    reason: str
    assumed: Annotated[bool, Meta(description="the reason names what is not known to be true")]


class PassDocument(Struct, frozen=True):
    """What one pass did."""

    name: str = field(name="pass")
    looked_for: Annotated[str, Meta(description="what the pass works on")]
    remarks: tuple[RemarkDocument, ...]
    refusals: tuple[RefusalDocument, ...]


class OptDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.opt/1"):
    """The passes that ran, in order."""

    file: str
    passes: tuple[PassDocument, ...]
    text: Annotated[str, Meta(description="after the last pass")]


def opt_document(report: OptReport) -> OptDocument:
    """``bankwise.opt/1``."""
    passes = tuple(_pass(name, outcome) for name, outcome in report.passes)
    return OptDocument(report.file, passes, report.text)


def _pass(name: str, outcome: Outcome) -> PassDocument:
    remarks = tuple(_remark(remark) for remark in outcome.remarks)
    return PassDocument(name, outcome.looked_for, remarks, views(RefusalDocument, outcome.refusals))


def _remark(remark: Remark) -> RemarkDocument:
    place = remark.location
    return RemarkDocument(
        remark.subject,
        place.file,
        place.line,
        place.column,
        remark.changed,
        remark.reason,
        remark.assumed,
    )
