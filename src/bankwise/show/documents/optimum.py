"""The best layout of some allocations as JSON, and longer rows beside it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from bankwise.show.advised import Optimum, RowPitch
from bankwise.show.documents.parts import CostDocument, cost_document, maybe
from bankwise.solver.certificate_json import CertificateDocument


class PitchDocument(Struct, frozen=True):
    """Longer rows of a buffer."""

    row_bytes: Annotated[int, Meta(description="from row to row as it is")]
    pitch_bytes: Annotated[int, Meta(description="from row to row instead")]
    more_bytes: Annotated[int, Meta(description="of shared memory, all copies together")]
    run: Annotated[CostDocument, Meta(description="all accesses of the buffer, counted")]
    free: Annotated[bool, Meta(description="whether no conflict is left")]
    address: Annotated[str, Meta(description="on byte offsets a")]


class OptimumDocument(Struct, frozen=True):
    """One layout for all accesses of some allocations; costs are per workgroup."""

    allocations: tuple[str, ...]
    present: CostDocument
    best: CostDocument
    optimal: Annotated[bool, Meta(description="whether the space holds nothing better")]
    space: Annotated[str, Meta(description="of which that is said")]
    conditions: Annotated[tuple[str, ...], Meta(description="under which that is said")]
    how: Annotated[str, Meta(description="how that is known, or why it is not")]
    address: Annotated[str | None, Meta(description="the layout in words")]
    notation: Annotated[str | None, Meta(description="in that of the kernel's framework")]
    notes: tuple[str, ...]
    certificate: Annotated[CertificateDocument | None, Meta(description="null: counted alone")]
    pitch: Annotated[PitchDocument | None, Meta(description="longer rows that are as good")]


def optimum_document(optimum: Optimum) -> OptimumDocument:
    """What is known of the best layout of some allocations."""
    return OptimumDocument(
        allocations=optimum.allocations,
        present=cost_document(optimum.present),
        best=cost_document(optimum.best),
        optimal=optimum.known.optimal,
        space=optimum.known.space,
        conditions=optimum.known.conditions,
        how=optimum.known.how,
        address=optimum.address or None,
        notation=optimum.notation or None,
        notes=optimum.notes,
        certificate=maybe(CertificateDocument, optimum.certificate),
        pitch=_pitch(optimum.pitch),
    )


def _pitch(found: RowPitch | None) -> PitchDocument | None:
    if found is None:
        return None
    return PitchDocument(
        row_bytes=found.row_bytes,
        pitch_bytes=found.pitch_bytes,
        more_bytes=found.more_bytes,
        run=cost_document(found.run),
        free=found.free,
        address=found.address,
    )
