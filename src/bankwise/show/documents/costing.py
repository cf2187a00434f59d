"""``bankwise cost`` as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct, field

from bankwise.cost.issue import CLAIM
from bankwise.errors import Refusal
from bankwise.hardware.occupancy import Occupancy
from bankwise.show.costing import KernelCost
from bankwise.show.documents.parts import ClaimDocument, Number, Whole, maybe, view


class FillDocument(Struct, frozen=True):
    """How full a unit gets, registers included."""

    workgroups: Annotated[int, Meta(description="resident on a unit")]
    waves: Annotated[int, Meta(description="resident on a unit")]
    wave_slots: Annotated[int, Meta(description="of the unit")]
    limited_by: tuple[str, ...]
    not_considered: Annotated[tuple[str, ...], Meta(description="resources nobody stated")]


class UseDocument(Struct, frozen=True):
    """How many of one LDS instruction stand outside and inside of loops."""

    outside: Whole
    inside: Whole


class WaitsDocument(Struct, frozen=True):
    """Matrix instructions behind a full drain, a partial wait or none."""

    matrix_instructions: Whole
    full: Whole
    partial: Whole
    none: Whole


class BusyDocument(Struct, frozen=True):
    """Cycles that each unit needs for one workgroup; null where no rate is known."""

    lds: Whole
    lds_ideal: Whole
    matrix: Number | None
    memory: Number | None = field(name="memory_at_most")
    bottleneck: str


class KernelCostDocument(Struct, frozen=True):
    """One compiled kernel; null is unknown."""

    kernel: str
    target: str
    occupancy: FillDocument
    lds_bytes: Whole
    vgprs: Annotated[int | None, Meta(description="vector registers of a lane")]
    sgprs: Annotated[int | None, Meta(description="scalar registers of a wave")]
    mix: Annotated[dict[str, UseDocument], Meta(description="of each LDS instruction")]
    trips: Annotated[int | None, Meta(description="how often its loops run")]
    executed: Annotated[int | None, Meta(description="LDS instructions of a workgroup")]
    extra_per_instruction: float | None
    waits: WaitsDocument
    busy: BusyDocument | None
    issue_cycles: Annotated[int | None, Meta(description="of its LDS instructions")]
    issue_rule: ClaimDocument


class KernelCostsDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.cost/1"):
    """The kernels of a file, compiled, and what was not compiled."""

    kernels: tuple[KernelCostDocument, ...]
    refusals: tuple[str, ...]


def cost_document(costs: Sequence[KernelCost], refusals: Sequence[Refusal]) -> KernelCostsDocument:
    """``bankwise.cost/1``."""
    return KernelCostsDocument(
        tuple(_kernel(cost) for cost in costs), tuple(str(one) for one in refusals)
    )


def _kernel(cost: KernelCost) -> KernelCostDocument:
    waits = cost.waits
    return KernelCostDocument(
        kernel=cost.kernel,
        target=cost.target,
        occupancy=_fill(cost.occupancy),
        lds_bytes=cost.usage.lds_bytes,
        vgprs=cost.usage.vgprs,
        sgprs=cost.usage.sgprs,
        mix={use.name: view(UseDocument, use) for use in cost.mix},
        trips=cost.trips,
        executed=cost.executed,
        extra_per_instruction=cost.extra_per_instruction,
        waits=WaitsDocument(len(waits.matrix), waits.full, waits.partial, waits.none),
        busy=maybe(BusyDocument, cost.busy),
        issue_cycles=cost.issue_cycles,
        issue_rule=view(ClaimDocument, CLAIM),
    )


def _fill(found: Occupancy) -> FillDocument:
    return FillDocument(
        found.workgroups, found.resident_waves, found.wave_slots, found.limited_by, found.unknown
    )
