"""``bankwise check --baseline`` as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from bankwise.show.baseline import held_against
from bankwise.show.documents.parts import Whole
from bankwise.show.saved_check import KnownConflicts
from bankwise.show.values import CheckReport


class BaselineDocument(Struct, frozen=True):
    """A check held against a saved one."""

    saved: Annotated[str, Meta(description="its file")]
    asked: Annotated[str, Meta(description="what it is a check of")]
    known: Annotated[tuple[int, ...], Meta(description="places in `accesses`, from 0")]
    stale: Annotated[Whole, Meta(description="its conflicts that its files have no more")]


def baseline_document(report: CheckReport, saved: KnownConflicts) -> BaselineDocument | UnsetType:
    """What a saved check knows of this one; UNSET where none was named."""
    if not saved.saved:
        return UNSET
    held = held_against(report, saved)
    known = set(map(id, held.known))
    return BaselineDocument(
        saved=", ".join(saved.saved),
        asked=", ".join(saved.asked),
        known=tuple(n for n, a in enumerate(report.accesses) if id(a) in known),
        stale=sum(number for _, _, number in held.stale),
    )
