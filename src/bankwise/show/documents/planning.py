"""``bankwise triton-plan`` as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from bankwise.hardware.machine import Evidence
from bankwise.show.documents.parts import (
    CostDocument,
    EndsDocument,
    Extra,
    Ideal,
    LocationDocument,
    Passes,
    RefusalDocument,
    Whole,
    cost_document,
    ends,
    maybe,
    views,
)
from bankwise.show.planning import Emission, PlanReport, PlanRow


class EmissionDocument(Struct, frozen=True):
    """One instruction, and what all waves of a workgroup pay for it."""

    instruction: str
    executed_per_wave: Whole
    bytes_per_lane: Whole
    lines: Annotated[tuple[int, ...], Meta(description="where it stands")]
    passes: Passes
    ideal: Ideal
    extra: Extra
    evidence: Annotated[Evidence, Meta(description="of the rule that it is counted by")]
    bound: EndsDocument | UnsetType = UNSET


class PlanRowDocument(Struct, frozen=True):
    """The accesses of one direction that come of one place in the source."""

    source: Annotated[LocationDocument | None, Meta(description="null: not told apart")]
    direction: str
    buffers: tuple[str, ...]
    change: Annotated[str, Meta(description="what the compiler made of it")]
    agrees: Annotated[bool, Meta(description="whether both cost the same")]
    alike: Annotated[
        bool | None, Meta(description="whether one execution costs the same; null: not compared")
    ]
    planned: tuple[EmissionDocument, ...]
    emitted: tuple[EmissionDocument, ...]


class NotComparedDocument(Struct, frozen=True):
    """Accesses without a partner, or refused, and why."""

    reason: str
    accesses: Whole


class PlanDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.triton-plan/1"):
    """One kernel: what TTGIR announces beside what was compiled."""

    kernel: str
    target: str
    ttgir: str
    assembly: str
    counted: Annotated[bool, Meta(description="whether executions are counted on both levels")]
    agrees: Annotated[
        bool | None,
        Meta(
            description="whether one execution of each access compared costs the same; null: none"
        ),
    ]
    totals_agree: Annotated[
        bool | None, Meta(description="whether all costs the same; null: not all is counted")
    ]
    not_compared: tuple[NotComparedDocument, ...]
    planned: CostDocument
    emitted: CostDocument
    rows: tuple[PlanRowDocument, ...]
    refusals: tuple[RefusalDocument, ...]


class PlansDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.triton-plans/1"):
    """Several kernels."""

    plans: tuple[PlanDocument, ...]


def plans_document(reports: Sequence[PlanReport]) -> PlanDocument | PlansDocument:
    """``bankwise.triton-plan/1`` of one kernel, ``bankwise.triton-plans/1`` of several."""
    plans = tuple(plan_document(report) for report in reports)
    return plans[0] if len(plans) == 1 else PlansDocument(plans)


def plan_document(report: PlanReport) -> PlanDocument:
    """``bankwise.triton-plan/1``."""
    return PlanDocument(
        kernel=report.kernel,
        target=report.target,
        ttgir=report.ttgir,
        assembly=report.assembly,
        counted=report.counted,
        agrees=report.agrees,
        totals_agree=report.totals_agree,
        not_compared=tuple(NotComparedDocument(*one) for one in report.not_compared),
        planned=cost_document(report.planned),
        emitted=cost_document(report.emitted),
        rows=tuple(_row(row) for row in report.rows),
        refusals=views(RefusalDocument, report.refusals),
    )


def _row(row: PlanRow) -> PlanRowDocument:
    return PlanRowDocument(
        source=maybe(LocationDocument, row.source),
        direction=row.direction,
        buffers=row.buffers,
        change=row.change,
        agrees=row.agrees,
        alike=row.alike,
        planned=tuple(_emission(one) for one in row.planned),
        emitted=tuple(_emission(one) for one in row.emitted),
    )


def _emission(one: Emission) -> EmissionDocument:
    return EmissionDocument(
        instruction=one.instruction,
        executed_per_wave=one.executed,
        bytes_per_lane=one.bytes_per_lane,
        lines=one.lines,
        passes=one.cost.passes,
        ideal=one.cost.ideal,
        extra=one.cost.extra,
        evidence=one.evidence,
        bound=ends(one.cost),
    )
