"""``bankwise show`` as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from bankwise.show.documents.parts import Whole, view
from bankwise.show.picture import Picture


class ColumnReadDocument(Struct, frozen=True):
    """One instruction that reads down a column, a row for each lane."""

    instruction: str
    width_bytes: Annotated[int, Meta(description="that a lane takes at once")]
    banks: Annotated[int, Meta(description="that it sees")]
    passes: Annotated[int | None, Meta(description="of the worst column; null: torn")]
    ideal: Annotated[int | None, Meta(description="of that column; null: torn")]
    lanes: Annotated[int | None, Meta(description="that read it; null: torn")]
    row_major: Annotated[int | None, Meta(description="passes, row-major; null: torn there")]
    torn: Annotated[int | None, Meta(description="byte of a row that is no multiple of the width")]


class PictureDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.picture/1"):
    """Where the elements of a tile lie under a layout."""

    text: str
    notation: str
    target: str
    banks: Annotated[int, Meta(description="as the widest of reads sees them")]
    tile: Annotated[tuple[int, int], Meta(description="rows, columns")]
    element_bits: Whole
    piece: Annotated[int, Meta(description="elements that stay together")]
    offsets: Annotated[tuple[tuple[int, ...], ...], Meta(description="in elements, row by row")]
    most: Annotated[int, Meta(description="words in which rows begin, in one bank at most")]
    plain: Annotated[int, Meta(description="the same, row-major")]
    reads: Annotated[tuple[ColumnReadDocument, ...], Meta(description="what a column takes")]
    assumed: Annotated[tuple[str, ...], Meta(description="what neither text nor option says")]


def picture_document(picture: Picture) -> PictureDocument:
    """``bankwise.picture/1``."""
    return view(PictureDocument, picture)
