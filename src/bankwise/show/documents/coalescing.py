"""``bankwise coalesce`` as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from bankwise.counting.coalesce import CacheSwizzle
from bankwise.errors import Refusal
from bankwise.show.coalescing import CoalesceReport, CoalesceRow
from bankwise.show.documents.parts import (
    FindingDocument,
    LocationDocument,
    RefusalDocument,
    Share,
    Whole,
    maybe,
    view,
    views,
)


class LinesDocument(Struct, frozen=True):
    """Cache lines that one instruction touches."""

    least: Whole
    most: Whole
    needed: Annotated[int, Meta(description="the fewest that hold what one instruction wants")]


class StraddlingDocument(Struct, frozen=True):
    """Lanes of one instruction whose bytes lie on two cache lines."""

    least: Whole
    most: Whole


class SetsDocument(Struct, frozen=True):
    """Sets of the L1 cache that the tile's lines fall into."""

    hit: Annotated[tuple[int, ...], Meta(description="lines of the tile, by set")]
    of_rows: Annotated[int, Meta(description="sets that a walk over the rows reaches")]


class DescriptorDocument(Struct, frozen=True):
    """The cache swizzle of a buffer descriptor, or a ``refusal`` alone: why there is none."""

    refusal: str | UnsetType = UNSET
    cache_swizzle_stride_bytes: int | UnsetType = UNSET
    immediate_i14: int | UnsetType = UNSET
    stride_operand: int | UnsetType = UNSET
    notes: tuple[str, ...] | UnsetType = UNSET


class CoalesceRowDocument(Struct, frozen=True):
    """One global access of a spec."""

    location: LocationDocument
    name: str
    op: str
    waves: Whole
    instructions: Annotated[int, Meta(description="per wave")]
    width_bytes: Annotated[int, Meta(description="per lane")]
    line_bytes: Whole
    lines: LinesDocument
    useful_bytes: Annotated[int, Meta(description="wanted by all waves")]
    fetched_bytes: Annotated[int, Meta(description="of the lines touched by all waves")]
    efficiency: Annotated[Share, Meta(description="useful over fetched bytes")]
    straddling_lanes: StraddlingDocument
    pitch_bytes: Annotated[int, Meta(description="from one row of the tile to the next")]
    l1_sets: SetsDocument | None
    buffer_descriptor: DescriptorDocument | None
    rule: Annotated[str | None, Meta(description="what is wrong with it, for `bankwise explain`")]


class CoalesceDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.coalesce/1"):
    """The global-memory transactions of a spec."""

    file: str
    target: str
    accesses: tuple[CoalesceRowDocument, ...]
    findings: tuple[FindingDocument, ...]
    refusals: tuple[RefusalDocument, ...]


def coalesce_document(report: CoalesceReport) -> CoalesceDocument:
    """``bankwise.coalesce/1``."""
    return CoalesceDocument(
        file=report.file,
        target=report.machine,
        accesses=tuple(_row(row) for row in report.rows),
        findings=views(FindingDocument, report.findings),
        refusals=views(RefusalDocument, report.refusals),
    )


def _row(row: CoalesceRow) -> CoalesceRowDocument:
    return CoalesceRowDocument(
        location=view(LocationDocument, row.location),
        name=row.name,
        op=row.op,
        waves=row.waves,
        instructions=row.instructions,
        width_bytes=row.width_bytes,
        line_bytes=row.line_bytes,
        lines=LinesDocument(*row.lines, row.least),
        useful_bytes=row.useful_bytes,
        fetched_bytes=row.fetched_bytes,
        efficiency=round(row.efficiency, 6),
        straddling_lanes=StraddlingDocument(*row.straddling),
        pitch_bytes=row.pitch_bytes,
        l1_sets=maybe(SetsDocument, row.sets),
        buffer_descriptor=_descriptor(row.descriptor),
        rule=row.rule or None,
    )


def _descriptor(found: CacheSwizzle | Refusal | None) -> DescriptorDocument | None:
    if found is None:
        return None
    if isinstance(found, Refusal):
        return DescriptorDocument(refusal=found.reason)
    return DescriptorDocument(
        cache_swizzle_stride_bytes=found.stride_bytes,
        immediate_i14=found.immediate,
        stride_operand=found.operand,
        notes=found.notes,
    )
