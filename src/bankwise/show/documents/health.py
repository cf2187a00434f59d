"""``bankwise doctor`` as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from bankwise.show.documents.parts import views
from bankwise.show.health import Health, Sort


class PartDocument(Struct, frozen=True):
    """One tool, and what needs it."""

    sort: Sort
    name: str
    found: Annotated[str, Meta(description="where, or which version; empty: not there")]
    opens: str
    how: Annotated[str, Meta(description="how to get it")]


class HealthDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.doctor/1"):
    """What this computer has of compilers, GPUs, profilers and extras."""

    version: str
    parts: tuple[PartDocument, ...]


def health_document(health: Health) -> HealthDocument:
    """``bankwise.doctor/1``."""
    return HealthDocument(health.version, views(PartDocument, health.parts))
