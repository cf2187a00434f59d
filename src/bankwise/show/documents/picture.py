"""``bankwise show`` as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from bankwise.show.documents.parts import Whole, view
from bankwise.show.picture import Picture


class PictureDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.picture/1"):
    """Where the elements of a tile lie under a layout."""

    text: str
    notation: str
    target: str
    banks: Annotated[int, Meta(description="as most instructions of the target see them")]
    tile: Annotated[tuple[int, int], Meta(description="rows, columns")]
    element_bits: Whole
    piece: Annotated[int, Meta(description="elements that stay together")]
    offsets: Annotated[tuple[tuple[int, ...], ...], Meta(description="in elements, row by row")]
    most: Annotated[int, Meta(description="words in which rows begin, in one bank at most")]
    plain: Annotated[int, Meta(description="the same, row-major")]


def picture_document(picture: Picture) -> PictureDocument:
    """``bankwise.picture/1``."""
    return view(PictureDocument, picture)
