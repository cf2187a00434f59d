"""What several documents share: places, costs, refusals, findings, witnesses, claims."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import force_setattr

from bankwise.hardware.machine import Evidence

if TYPE_CHECKING:
    from bankwise.counting.conflict import Witness
    from bankwise.counting.cost import Cost

T = TypeVar("T")

Whole = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
Number = int | float
"""JSON has one kind of number; a whole one is printed without a point."""
Passes = Annotated[int, Meta(ge=0, description="how often the banks are accessed, in turn")]
Ideal = Annotated[int, Meta(ge=0, description="passes without any conflict")]
Extra = Annotated[int, Meta(description="passes - ideal: what the conflict counter adds")]


def view(kind: type[T], value: object) -> T:
    """The document of a value: every field is the attribute of the same name, nested alike.

    A document that lacks an attribute, or whose attribute has another type, is a programmer's
    mistake: msgspec.ValidationError.
    """
    return msgspec.convert(value, kind, from_attributes=True)


def maybe(kind: type[T], value: object) -> T | None:
    """The document of a value, or null."""
    return None if value is None else view(kind, value)


def views(kind: type[T], values: Iterable[object]) -> tuple[T, ...]:
    """The documents of several values."""
    return tuple(view(kind, value) for value in values)


def empty_is_null(document: Struct, *names: str) -> None:
    """Of ``__post_init__``: an empty text or a line 0 says nothing, and that is null in JSON."""
    for name in names:
        if not getattr(document, name):
            force_setattr(document, name, None)


class LocationDocument(Struct, frozen=True):
    """A place in the user's own file. Lines and columns count from 1; null is unknown. ``inside``:
    of a binary file, the member, the kernel and the address in it. ``end_column``: behind the last
    character, where an expression of one line is meant."""

    file: str
    line: Whole | None
    column: Whole | None
    inside: str | UnsetType = UNSET
    end_column: Whole | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Unknown is null; a file with lines has nothing inside."""
        empty_is_null(self, "line", "column")
        for name in ("inside", "end_column"):
            if not getattr(self, name):
                force_setattr(self, name, UNSET)


class BoundDocument(Struct, frozen=True):
    """A number between two ends; ``high`` is null without an upper end."""

    low: int
    high: int | None


class EndsDocument(Struct, frozen=True):
    """Between which ends the numbers of a cost lie, where they are not exact."""

    passes: BoundDocument
    ideal: BoundDocument
    extra: BoundDocument


class CostDocument(Struct, frozen=True):
    """Passes of something, beside the passes it would take without any conflict."""

    passes: Passes
    ideal: Ideal
    extra: Extra
    bound: EndsDocument | UnsetType = UNSET


class RefusalDocument(Struct, frozen=True, omit_defaults=True):
    """What could not be done, where, and why. ``fault``: the machine would not do it."""

    location: LocationDocument | None
    reason: str
    fault: bool = False


class FindingDocument(Struct, frozen=True):
    """A rule that is broken, at a place; ``bankwise explain RULE`` explains it."""

    rule: str
    location: LocationDocument | None
    message: str


class ClaimDocument(Struct, frozen=True):
    """A statement about hardware, who makes it, and how sure it is."""

    statement: str
    source: tuple[str, ...]
    evidence: Evidence
    confidence: Share


class WitnessDocument(Struct, frozen=True):
    """Lanes that want different words of one bank in the same phase."""

    phase: Whole
    bank: Whole
    banks: Annotated[tuple[int, ...], Meta(description="all on which exactly these lanes collide")]
    lanes: tuple[int, ...]
    words: Annotated[tuple[int, ...], Meta(description="what each of the lanes wants in `bank`")]
    text: str


def cost_document(cost: Cost) -> CostDocument:
    """A cost; where it is not exact, with the ends of each number."""
    return CostDocument(cost.passes, cost.ideal, cost.extra, ends(cost))


def ends(cost: Cost) -> EndsDocument | UnsetType:
    """The ends of a cost that is not exact."""
    return UNSET if cost.exact else view(EndsDocument, cost.ends)


def witness_document(witness: Witness | None) -> WitnessDocument | None:
    """The lanes that collide, or null."""
    if witness is None:
        return None
    return WitnessDocument(
        witness.phase, witness.bank, witness.banks, witness.lanes, witness.words, str(witness)
    )
