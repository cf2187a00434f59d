"""What ``bankwise check`` says of a spec in JSON, beside its check."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from bankwise.show.documents.parts import Number, Whole, views
from bankwise.show.spec import SpecReport


class PublishedDocument(Struct, frozen=True):
    """A number that came with the file, beside the count."""

    name: str
    value: Number | str
    counted: Annotated[int | None, Meta(description="null where it is no count")]
    agrees: bool | None


class SpecDocument(Struct, frozen=True):
    """A tile, its layout, and what was published about it."""

    tile: Annotated[dict[str, int], Meta(description="sizes by dimension")]
    element_bits: Whole
    notation: str
    layout: str
    footprint_bytes: Whole
    passes_over_the_tile: Annotated[int | None, Meta(description="of the launch; null: unknown")]
    published: tuple[PublishedDocument, ...]
    offsets: (
        Annotated[tuple[int, ...], Meta(description="of each element, row-major; of pages only")]
        | UnsetType
    ) = UNSET


def spec_part(report: SpecReport, *, offsets: bool = False) -> SpecDocument:
    """``spec`` of ``bankwise.check/1``. ``offsets``: with those of every element."""
    return SpecDocument(
        tile=dict(zip(report.dims, report.tile, strict=True)),
        element_bits=report.element_bits,
        notation=report.notation,
        layout=report.layout,
        footprint_bytes=report.footprint_bytes,
        passes_over_the_tile=report.passes,
        published=views(PublishedDocument, report.published),
        offsets=report.offsets if offsets and report.offsets is not None else UNSET,
    )
