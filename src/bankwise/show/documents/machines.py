"""``bankwise machines`` as JSON. Needs no numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from bankwise.hardware.machine import Direction, Evidence, Machine, Merge, Vendor
from bankwise.show.documents.parts import ClaimDocument, Number, Share, Whole, view, views


class InstructionDocument(Struct, frozen=True):
    """How the machine serves one shared-memory instruction of one wave."""

    name: str
    direction: Direction
    width_bytes: Annotated[int, Meta(description="of one lane, for each address")]
    addresses: Annotated[int, Meta(description="2 for the two-address forms")]
    banks: Whole
    phases: Annotated[tuple[tuple[int, ...], ...], Meta(description="lanes served together")]
    span: Annotated[tuple[int, ...], Meta(description="what generates the phase of lane 0, by XOR")]
    merge: Annotated[Merge, Meta(description="whether neighbouring phases of loads can merge")]
    alignment_bytes: Whole
    evidence: Evidence
    confidence: Share
    source: tuple[str, ...]
    note: str
    alternatives: Annotated[tuple[ClaimDocument, ...], Meta(description="what others claim")]


class FactDocument(Struct, frozen=True):
    """A number of the machine beside the place it comes from."""

    value: Number
    source: str
    evidence: Evidence


class MachineDocument(Struct, frozen=True):
    """One GPU: its instructions by row, its facts and sources by name."""

    name: str
    product: str
    vendor: Vendor
    wave_size: Whole
    counter: Annotated[str, Meta(description="the vendor's name of the conflict counter")]
    note: str
    instructions: tuple[InstructionDocument, ...]
    facts: dict[str, FactDocument]
    sources: dict[str, str]


class MachinesDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.machines/1"):
    """The machines that were asked for."""

    machines: tuple[MachineDocument, ...]


def machines_document(machines: Sequence[Machine]) -> MachinesDocument:
    """``bankwise.machines/1``."""
    return MachinesDocument(tuple(_machine(m) for m in machines))


def _machine(machine: Machine) -> MachineDocument:
    return MachineDocument(
        name=machine.name,
        product=machine.product,
        vendor=machine.vendor,
        wave_size=machine.wave_size,
        counter=machine.counter,
        note=machine.note,
        instructions=views(InstructionDocument, machine.instructions.values()),
        facts={key: view(FactDocument, fact) for key, fact in machine.facts.items()},
        sources=dict(machine.sources),
    )
