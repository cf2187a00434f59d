"""Counting the accesses of a spec file: which instructions they become, and what those cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bankwise.ask.counting import lanes_of
from bankwise.counting.conflict import Witness, count
from bankwise.counting.reason import Reason, reason
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Instruction
from bankwise.notation import ck
from bankwise.notation.accesses import TileInstruction, accesses
from bankwise.notation.values import Distribution, Memory
from bankwise.read.spec.values import Layout, Spec, TileAccess
from bankwise.read.spec.views import pieces, seen
from bankwise.show.values import AccessReport, Cost, Iteration, Lanes


@dataclass(frozen=True, slots=True)
class Worst:
    """The worst phase of an access; the row of its instruction is the least certain one."""

    ways: int = 1
    witness: Witness | None = None
    reason: Reason | None = None
    lanes: Lanes | None = None


def moves(spec: Spec, access: TileAccess, layout: Layout) -> tuple[TileInstruction, ...] | Refusal:
    """The instructions of one pass over the tile, piece by piece.

    A Refusal where a text is in dispute or the machine has no such instruction. Raises
    :class:`InputError` at the access where distribution and memory do not fit together.
    """
    memory, whole = seen(access, layout), access.held.distribution
    if isinstance(memory, Refusal):
        return Refusal(memory.reason, (access.layout or layout).location)
    if isinstance(whole, Refusal):
        return Refusal(whole.reason, access.location)
    vector, policy = _emission(spec, access, whole, memory)
    found: list[TileInstruction] = []
    for piece in pieces(whole, memory.shape):
        moved = _accesses(spec, access, piece, memory, vector, policy)
        if isinstance(moved, Refusal):
            return Refusal(moved.reason, access.location)
        found += moved
    return tuple(found)


def _accesses(
    spec: Spec,
    access: TileAccess,
    piece: Distribution,
    memory: Memory,
    vector: int | None,
    policy: str,
) -> tuple[TileInstruction, ...] | Refusal:
    try:
        return accesses(
            piece,
            memory,
            element_bytes=spec.element_bytes,
            machine=spec.machine,
            direction=access.op,
            policy=policy,
            vector=vector,
        )
    except InputError as error:
        raise InputError(error.message, location=access.location, hint=error.hint) from error


def _emission(
    spec: Spec, access: TileAccess, whole: Distribution, memory: Memory
) -> tuple[int | None, str]:
    """(vector, policy): what the user says, else what the framework of the texts does."""
    made: tuple[int | None, str] = (None, "triton" if access.held.notation == "triton" else "iree")
    if isinstance(whole, ck.Encoding) and isinstance(memory, ck.Descriptor):
        made = ck.emitted(whole, memory)
    return access.vector or made[0], spec.policy or made[1]


def access_report(
    spec: Spec, access: TileAccess, moved: tuple[TileInstruction, ...]
) -> AccessReport:
    """Count one pass over the tile by all waves."""
    counts = [count(m.instruction, m.offsets_bytes) for m in moved]
    cost = Cost(sum(int(c.passes.sum()) for c in counts), sum(int(c.ideal.sum()) for c in counts))
    row = min((m.instruction for m in moved), key=lambda r: r.confidence)
    executions = access.weight * (spec.launch.iterations if spec.launch else 1)
    worst = _worst(moved)
    return AccessReport(
        location=access.location,
        kernel=spec.title,
        operation=f"{access.held.notation} distribution",
        kind="plain",
        allocations=(access.name,),
        direction=access.op,
        instruction=" + ".join(_names(moved)),
        instructions=len(moved),
        instruction_source="predicted",
        waves=len(moved[0].offsets_bytes),
        executions=executions,
        cost=cost,
        run=cost * executions,
        ways=worst.ways,
        witness=worst.witness,
        reason=worst.reason,
        evidence=row.evidence,
        confidence=row.confidence,
        note=row.note,
        iterations=(Iteration((), access.name, executions, cost),),
        lanes=worst.lanes,
    )


def _names(moved: tuple[TileInstruction, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(m.instruction.name for m in moved))


def _worst(moved: tuple[TileInstruction, ...]) -> Worst:
    best = Worst(lanes=_lanes(moved[0], 0))
    for m in moved:
        found = count(m.instruction, m.offsets_bytes)
        ways = int(found.ways.max(initial=0))
        if found.witness is None or (best.witness is not None and ways <= best.ways):
            continue
        wave = int(np.argmax(found.extra))
        why = _reason(m.instruction, m, wave, found.witness)
        best = Worst(ways, found.witness, why, _lanes(m, wave))
    return best


def _lanes(m: TileInstruction, wave: int) -> Lanes:
    offsets, row = m.offsets_bytes[wave], m.instruction
    apart = row.width_bytes if row.addresses == 2 else None
    return lanes_of(row.name, wave, offsets, np.ones(offsets.shape, np.bool_), apart)


def _reason(row: Instruction, m: TileInstruction, wave: int, witness: Witness) -> Reason | None:
    offsets = m.offsets_bytes[wave]
    return reason(row, offsets, np.ones(offsets.shape, np.bool_), witness)
