"""What a check can carry on top in JSON: a profile beside it, and whether a fix is worth it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from bankwise.hardware.machine import Evidence
from bankwise.show.beside import Beside, InstructionRow, KernelBeside
from bankwise.show.documents.parts import (
    CostDocument,
    LocationDocument,
    Number,
    Share,
    Whole,
    cost_document,
    view,
    views,
)
from bankwise.show.worth import Share as UnitShare
from bankwise.show.worth import Worth


class UnitDocument(Struct, frozen=True):
    """The time of one unit: percent of peak (measured) or cycles; null is unknown."""

    unit: str
    amount: Number | None
    source: Annotated[str, Meta(description="the counter, or the rule and its rate")]
    evidence: Evidence
    lower_bound: Annotated[bool, Meta(description="an upper bound decides nothing")]


class WorthDocument(Struct, frozen=True):
    """Whether a kernel without conflicts would be faster: shared memory beside other units."""

    kernel: str
    scope: Annotated[str, Meta(description="what the amounts are of")]
    measured: bool
    extra_part: Annotated[Share, Meta(description="of the passes, by conflicts")]
    bottleneck: Annotated[bool | None, Meta(description="null: cannot be said")]
    at_most: Annotated[float | None, Meta(description="times as fast without conflicts")]
    verdict: str
    units: tuple[UnitDocument, ...]


class CounterRowDocument(Struct, frozen=True):
    """One counter of a kernel beside its prediction."""

    what: str
    counter: str
    exact: Annotated[bool, Meta(description="whether it counts shared memory alone")]
    per_workgroup: int
    assumed: Annotated[int, Meta(description="the part of that by rules that are unknown")]
    predicted: Annotated[int | None, Meta(description="null: the grid is unknown")]
    measured: Number
    difference: Annotated[Number | None, Meta(description="measured less predicted")]
    cause: str


class InstructionRowDocument(Struct, frozen=True):
    """One instruction in the checked text and in the profile; costs of all its executions."""

    location: LocationDocument
    instruction: str
    address: str
    text: str
    source: str | None
    predicted: CostDocument
    measured: CostDocument
    cause: str


class KernelBesideDocument(Struct, frozen=True):
    """One kernel of the check and its launches in the profile."""

    kernel: str
    measured_as: str
    launches: Whole
    workgroups: Annotated[int | None, Meta(description="of all these launches")]
    scale: Annotated[str, Meta(description="how that is known")]
    agrees: Annotated[bool | None, Meta(description="null: cannot be said")]
    rows: tuple[CounterRowDocument, ...]
    instructions: tuple[InstructionRowDocument, ...]
    worth: WorthDocument | None
    notes: tuple[str, ...]
    each: Annotated[str, Meta(description="what `per_workgroup` of the rows is of")]


class BesideDocument(Struct, frozen=True):
    """A profile beside the prediction."""

    file: str
    tool: str
    kernels: tuple[KernelBesideDocument, ...]
    notes: tuple[str, ...]


def beside_document(beside: Beside) -> BesideDocument:
    """``counters`` of ``bankwise.check/1``."""
    kernels = tuple(_kernel(kernel) for kernel in beside.kernels)
    return BesideDocument(beside.file, beside.tool, kernels, beside.notes)


def _kernel(kernel: KernelBeside) -> KernelBesideDocument:
    return KernelBesideDocument(
        kernel=kernel.kernel,
        measured_as=kernel.measured_as,
        launches=kernel.launches,
        workgroups=kernel.workgroups,
        scale=kernel.scale,
        agrees=kernel.agrees,
        rows=views(CounterRowDocument, kernel.rows),
        instructions=tuple(_instruction(row) for row in kernel.instructions),
        worth=None if kernel.worth is None else worth_document(kernel.worth),
        notes=kernel.notes,
        each=kernel.each,
    )


def _instruction(row: InstructionRow) -> InstructionRowDocument:
    return InstructionRowDocument(
        location=view(LocationDocument, row.location),
        instruction=row.instruction,
        address=f"{row.address:#x}",
        text=row.text,
        source=row.source or None,
        predicted=cost_document(row.predicted),
        measured=cost_document(row.measured),
        cause=row.cause,
    )


def worth_document(worth: Worth) -> WorthDocument:
    """``worth`` of a kernel."""
    shares = [s for s in (worth.lds, worth.stalled, *worth.others) if s is not None]
    return WorthDocument(
        kernel=worth.kernel,
        scope=worth.scope,
        measured=worth.measured,
        extra_part=round(worth.extra, 6),
        bottleneck=worth.bottleneck,
        at_most=None if worth.most is None else round(worth.most, 4),
        verdict=worth.verdict,
        units=tuple(_unit(share) for share in shares),
    )


def _unit(share: UnitShare) -> UnitDocument:
    return UnitDocument(share.unit, share.amount, share.source, share.evidence, share.least)
