"""Diagnostics of a check as JSON: the conflicts of one expression of the source, once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct

from bankwise.show.diagnostics import diagnostics
from bankwise.show.documents.parts import LocationDocument, view
from bankwise.show.values import CheckReport


class DiagnosticDocument(Struct, frozen=True):
    """The conflicts of one expression of source that was compiled: of all instructions that are
    made of it, in all kernels and instantiations."""

    location: Annotated[LocationDocument, Meta(description="column null: the line is known")]
    expression: Annotated[str, Meta(description="its text, or that of the line")]
    message: Annotated[str, Meta(description="what is wrong, in one line")]
    reasons: Annotated[tuple[str, ...], Meta(description="lanes that collide, and why")]
    kernels: Annotated[tuple[str, ...], Meta(description="as in `kernels`, `name`")]
    accesses: Annotated[tuple[int, ...], Meta(description="places in `accesses`, from 0")]


def diagnostic_documents(report: CheckReport) -> Iterator[DiagnosticDocument]:
    """One for each diagnostic, the costliest first."""
    places = {id(access): number for number, access in enumerate(report.accesses)}
    for one in diagnostics(report):
        yield DiagnosticDocument(
            location=view(LocationDocument, one.location),
            expression=one.expression,
            message=one.message,
            reasons=one.reasons,
            kernels=tuple(one.by_kernel),
            accesses=tuple(places[id(access)] for access in one.accesses),
        )
