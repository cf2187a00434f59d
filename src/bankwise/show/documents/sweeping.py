"""``bankwise sweep`` as JSON."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from bankwise.show.documents.parts import Number, Whole, views
from bankwise.show.sweeping import SweepReport
from bankwise.sweep.table import rows, summaries


class SummaryDocument(Struct, frozen=True):
    """All cases of one kernel, type, target and mitigation; null where no case was done."""

    kernel: str
    type: str
    target: str
    mitigation: str
    done: Whole
    failed: Whole
    conflict_free: Annotated[int, Meta(description="cases whose counter stays 0")]
    extra: Annotated[Number | None, Meta(description="median of the launches' extra passes")]
    lds_bytes: Annotated[Number | None, Meta(description="median")]
    waves: Annotated[Number | None, Meta(description="median of the resident waves")]
    instructions: Annotated[Number | None, Meta(description="median of the LDS instructions")]


class SweepDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.sweep/1"):
    """A sweep that has ended."""

    name: str
    cases: Annotated[tuple[dict[str, Any], ...], Meta(description="the columns of docs/sweep.md")]
    summaries: tuple[SummaryDocument, ...]


def sweep_document(report: SweepReport) -> SweepDocument:
    """``bankwise.sweep/1``."""
    return SweepDocument(
        name=report.name,
        cases=tuple(rows(report.outcomes)),
        summaries=views(SummaryDocument, summaries(report.outcomes)),
    )
