"""What is to be proved of an edit, and what was."""

from __future__ import annotations

from msgspec import Struct

from bankwise.algebra.address import RowFolds
from bankwise.errors import Refusal
from bankwise.notation.padding import PaddedFold, Unpadded


class MapClaim(Struct, frozen=True):
    """The map that an edit says it applies to a group of allocations.

    ``allocations``: their names in kernel ``kernel``, as :mod:`bankwise.read.mlir` calls them. The
    map takes the element offset in the rows of the text before, first out of its padding
    (``unpadded``), then through ``fold``; None leaves the offset as it is.
    """

    kernel: str
    allocations: tuple[str, ...]
    fold: RowFolds | PaddedFold | None
    unpadded: Unpadded | None = None

    @property
    def names(self) -> str:
        """The allocations' names, for messages."""
        return ", ".join(self.allocations)


class Proof(Struct, frozen=True):
    """What was proved of one claim: all of it where ``refusal`` is None.

    ``accesses``: operations on its allocations that were proved. ``facts``: what the proof rests
    on beside the text's own arithmetic, in words.
    """

    claim: MapClaim
    accesses: int
    facts: tuple[str, ...]
    refusal: Refusal | None
