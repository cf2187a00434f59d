"""One access of a check as JSON: what it is, what it costs, and why."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from bankwise.counting.counted import AccessReport, Iteration, Lanes, Sureness
from bankwise.counting.kernel import InstructionSource
from bankwise.hardware.machine import AccessKind, Direction, Evidence
from bankwise.show.documents.parts import (
    BoundDocument,
    CostDocument,
    EndsDocument,
    Extra,
    Ideal,
    LocationDocument,
    Passes,
    Share,
    Whole,
    WitnessDocument,
    cost_document,
    ends,
    view,
    witness_document,
)
from bankwise.show.words import doubt

PartOf = Annotated[Share, Meta(description="of the kernel's LDS time")]
Executions = Annotated[int | None, Meta(description="per workgroup; null where that is no count")]
ExecutionsBound = Annotated[BoundDocument, Meta(description="where executions are not exact")]


class LanesDocument(Struct, frozen=True):
    """The costliest execution of an access, lane by lane, for whoever draws it."""

    instruction: str
    wave: Whole
    offsets_bytes: Annotated[tuple[int, ...], Meta(description="by lane")]
    inactive: Annotated[tuple[int, ...], Meta(description="lanes")]
    apart_bytes: Annotated[int | None, Meta(description="to the second address, if there is one")]


class IterationDocument(Struct, frozen=True, kw_only=True):
    """One distinct pattern of an access."""

    first: Annotated[tuple[int, ...], Meta(description="induction values of the loops around it")]
    allocation: str
    executions: Executions
    executions_bound: ExecutionsBound | UnsetType = UNSET
    passes: Passes
    ideal: Ideal
    extra: Extra
    bound: EndsDocument | UnsetType = UNSET


class AccessDocument(Struct, frozen=True, kw_only=True):
    """One access; its passes are those of one execution by all waves of a workgroup: the first of
    `iterations`, which may differ. `ways` are those of the costliest."""

    lanes: Annotated[LanesDocument, Meta(description="of pages only")] | UnsetType = UNSET
    location: LocationDocument
    kernel: str
    operation: str
    kind: AccessKind
    allocations: Annotated[tuple[str, ...], Meta(description="several for rotating buffers")]
    direction: Direction
    instruction: str
    instructions: Annotated[int, Meta(description="of one execution, per wave")]
    instruction_source: InstructionSource
    written: Annotated[str | None, Meta(description="mnemonic of machine code, as written")]
    address: Annotated[int | None, Meta(description="of machine code: bytes into the kernel")]
    apart_bytes: Annotated[int | None, Meta(description="to the second address, if there is one")]
    waves: Annotated[int, Meta(description="of a workgroup")]
    executions: Executions
    executions_bound: ExecutionsBound | UnsetType = UNSET
    passes: Passes
    ideal: Ideal
    extra: Extra
    bound: EndsDocument | UnsetType = UNSET
    ways: Annotated[int, Meta(description="passes of the worst phase; 1: no conflict")]
    run: Annotated[CostDocument, Meta(description="all executions of a workgroup")]
    share: PartOf
    witness: Annotated[WitnessDocument | None, Meta(description="null without conflict")]
    reason: Annotated[str | None, Meta(description="the arithmetic in words")]
    rule: Annotated[str | None, Meta(description="that it breaks, for `bankwise explain`")]
    evidence: Annotated[Evidence, Meta(description="of the machine file's row")]
    confidence: Share
    conflict: Annotated[Sureness, Meta(description="sure only if it runs, by a rule known")]
    doubt: Annotated[str | None, Meta(description="why a conflict is only possible")]
    note: str | None
    origin: Annotated[
        LocationDocument | None, Meta(description="the author's place that a compiler names for it")
    ]
    iterations: tuple[IterationDocument, ...]


def access_document(access: AccessReport, *, lanes: bool = False) -> AccessDocument:
    """One access. ``lanes``: with what every lane touches, which pages draw."""
    found, cost = access.lanes, access.cost
    source = f"source {access.origin}" if access.origin else ""
    return AccessDocument(
        lanes=_lanes(found) if lanes and found else UNSET,
        location=view(LocationDocument, access.location),
        kernel=access.kernel,
        operation=access.operation,
        kind=access.kind,
        allocations=access.allocations,
        direction=access.direction,
        instruction=access.instruction,
        instructions=access.instructions,
        instruction_source=access.instruction_source,
        written=access.written or None,
        address=access.address,
        apart_bytes=found.apart_bytes if found else None,
        waves=access.waves,
        executions=access.executions if access.counted else None,
        executions_bound=UNSET if access.counted else view(BoundDocument, access.times),
        passes=cost.passes,
        ideal=cost.ideal,
        extra=cost.extra,
        bound=ends(cost),
        ways=access.ways,
        run=cost_document(access.run),
        share=round(access.share, 6),
        witness=witness_document(access.witness),
        reason=None if access.reason is None else str(access.reason),
        rule=access.rule or None,
        evidence=access.evidence,
        confidence=access.confidence,
        conflict=access.conflict,
        doubt=doubt(access) or None,
        note="; ".join(filter(None, (access.note, source))) or None,
        origin=view(LocationDocument, access.origin) if access.origin else None,
        iterations=tuple(_iteration(one) for one in access.iterations),
    )


def _iteration(found: Iteration) -> IterationDocument:
    really, cost = found.really, found.cost
    exact = really is None or really.exact
    return IterationDocument(
        first=found.first,
        allocation=found.allocation,
        executions=found.executions if exact else None,
        executions_bound=UNSET if exact else view(BoundDocument, really),
        passes=cost.passes,
        ideal=cost.ideal,
        extra=cost.extra,
        bound=ends(cost),
    )


def _lanes(lanes: Lanes) -> LanesDocument:
    return LanesDocument(
        instruction=lanes.instruction,
        wave=lanes.wave,
        offsets_bytes=lanes.offsets_bytes,
        inactive=tuple(lane for lane, on in enumerate(lanes.active) if not on),
        apart_bytes=lanes.apart_bytes,
    )
