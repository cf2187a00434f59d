"""``bankwise check --baseline`` as JSON, and what a save with ``--accept`` does not accept."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from bankwise.show.accepted import saved_anew
from bankwise.show.baseline import held_against
from bankwise.show.documents.parts import Whole
from bankwise.show.gate import Gate
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


class NotAcceptedEndDocument(Struct, frozen=True):
    """Something that is not analysed, or assumed."""

    file: str
    text: Annotated[str, Meta(description="what is open, as the check says it")]


class GrownDocument(Struct, frozen=True):
    """A conflict that the older baselines have with fewer extra passes; so it stays known."""

    access: Annotated[Whole, Meta(description="its place in `accesses`, from 0")]
    extra: Annotated[Whole, Meta(description="its extra passes in the older baselines")]


class NotAcceptedDocument(Struct, frozen=True):
    """What is new and stays new when this check is given as a baseline."""

    accesses: Annotated[tuple[int, ...], Meta(description="places in `accesses`, from 0")]
    grown: Annotated[tuple[GrownDocument, ...], Meta(description="those of them that are larger")]
    open: tuple[NotAcceptedEndDocument, ...]


def not_accepted(report: CheckReport, gate: Gate) -> NotAcceptedDocument | UnsetType:
    """What a check does not accept; UNSET where it accepts all that it has. InputError for a place
    of ``gate.accept`` at which nothing is new."""
    if not gate.accept:
        return UNSET
    anew = saved_anew(report, gate.baseline, gate.accept)
    left = set(map(id, anew.other_conflicts))
    places = {id(access): n for n, access in enumerate(report.accesses)}
    return NotAcceptedDocument(
        tuple(n for n, a in enumerate(report.accesses) if id(a) in left),
        tuple(GrownDocument(places[id(access)], extra) for access, extra in anew.smaller),
        tuple(NotAcceptedEndDocument(end.file, end.text) for end in anew.other_ends),
    )
