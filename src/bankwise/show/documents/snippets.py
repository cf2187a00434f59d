"""What to write against conflicts, in JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from bankwise.show.advised import Snippet
from bankwise.show.documents.parts import LocationDocument, Passes, view
from bankwise.show.snippets import effect


class SnippetDocument(Struct, frozen=True):
    """What to write against avoidable conflicts, in the language of the kernel."""

    language: str
    what: Annotated[str, Meta(description="it is, or stands in for")]
    snippet: Annotated[str | None, Meta(description="to paste; null: `command` writes it")]
    location: Annotated[LocationDocument, Meta(description="where it goes")]
    each: Annotated[str, Meta(description="of what the passes are")]
    before: Passes
    after: Passes
    counted: Annotated[bool, Meta(description="with this text; else `after` is the plan's")]
    effect: Annotated[str, Meta(description="the same in words")]
    command: Annotated[str | None, Meta(description="that writes and proves it")]
    patch: Annotated[str | None, Meta(description="the same as a unified diff")]
    notes: Annotated[tuple[str, ...], Meta(description="what has to be true beside it")]


def snippet_document(found: Snippet) -> SnippetDocument:
    """One text to paste."""
    return SnippetDocument(
        language=found.language,
        what=found.what,
        snippet=found.text or None,
        location=view(LocationDocument, found.location),
        each=found.each,
        before=found.before,
        after=found.after,
        counted=found.counted,
        effect=effect(found),
        command=found.command or None,
        patch=found.patch or None,
        notes=found.notes,
    )
