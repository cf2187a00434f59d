"""Marks in JSON, for an editor."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from bankwise.show.documents.parts import LocationDocument, view
from bankwise.show.marks import Level, Mark


class MarkDocument(Struct, frozen=True):
    """What there is to say of one place of a text."""

    location: LocationDocument
    level: Annotated[Level, Meta(description="none: nothing is wrong there")]
    rule: Annotated[str | None, Meta(description="for `bankwise explain`")]
    message: Annotated[str, Meta(description="in one line")]
    reasons: Annotated[tuple[str, ...], Meta(description="which lanes collide, and why")]
    picture: Annotated[tuple[str, ...], Meta(description="what each bank has to serve, in lines")]
    counts: Annotated[tuple[str, ...], Meta(description="by kernel, and by what rule")]
    also: Annotated[tuple[LocationDocument, ...], Meta(description="places of the same cause")]


def mark_document(mark: Mark) -> MarkDocument:
    """One mark."""
    return MarkDocument(
        location=view(LocationDocument, mark.location),
        level=mark.level,
        rule=mark.rule or None,
        message=mark.message,
        reasons=mark.reasons,
        picture=mark.picture,
        counts=mark.counts,
        also=tuple(view(LocationDocument, at) for at in mark.also),
    )
