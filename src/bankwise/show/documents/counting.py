"""``bankwise count`` as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from bankwise.counting.reason import Reason
from bankwise.hardware.machine import Evidence
from bankwise.show.counting import CountReport
from bankwise.show.documents.parts import (
    Extra,
    Ideal,
    Passes,
    Share,
    Whole,
    WitnessDocument,
    view,
    witness_document,
)


class ArithmeticDocument(Struct, frozen=True):
    """Why the lanes collide: ``banks / gcd(residue, banks) = period`` places for so many rows."""

    advance_words: Annotated[int, Meta(description="from one row to the next")]
    banks: Whole
    residue: Annotated[int, Meta(description="advance_words modulo the banks")]
    divisor: Whole = field(name="gcd")
    period: Whole
    rows: Whole
    ways: Whole


class CountDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.count/1"):
    """One instruction of one wave on a machine."""

    target: str
    instruction: str
    active_lanes: Whole
    counter: Annotated[str, Meta(description="the vendor's name of the conflict counter")]
    passes: Passes
    ideal: Ideal
    extra: Extra
    ways: Annotated[int, Meta(description="passes of the worst phase; 1: no conflict")]
    witness: Annotated[WitnessDocument | None, Meta(description="null without conflict")]
    reason: Annotated[str | None, Meta(description="the arithmetic in words")]
    arithmetic: Annotated[
        ArithmeticDocument | None,
        Meta(description="the reason as numbers; null unless rows advance by one step"),
    ]
    phases: Annotated[
        tuple[tuple[int, ...], ...],
        Meta(description="lanes served together; two in one where lanes come in equal pairs"),
    ]
    evidence: Annotated[Evidence, Meta(description="of the machine file's row")]
    confidence: Share


def count_document(report: CountReport) -> CountDocument:
    """``bankwise.count/1``."""
    why = report.reason
    return CountDocument(
        target=report.target,
        instruction=report.instruction.name,
        active_lanes=report.active_lanes,
        counter=report.counter,
        passes=report.passes,
        ideal=report.ideal,
        extra=report.extra,
        ways=report.ways,
        witness=witness_document(report.witness),
        reason=None if why is None else str(why),
        arithmetic=view(ArithmeticDocument, why) if isinstance(why, Reason) else None,
        phases=report.phases,
        evidence=report.instruction.evidence,
        confidence=report.instruction.confidence,
    )
