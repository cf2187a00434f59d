"""Counting the accesses of a question: which instructions they become, and what those cost."""

from __future__ import annotations

import numpy as np

from bankwise.ask.listed_count import listed_moves
from bankwise.ask.unit_count import unit_moves
from bankwise.counting.access import BoolArray
from bankwise.counting.count_kernel import count_accesses
from bankwise.counting.counted import AccessReport
from bankwise.counting.kernel import IssuedPattern, KernelAccess, WaveInstruction
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import AccessKind
from bankwise.notation import ck
from bankwise.notation.accesses import TileInstruction, accesses
from bankwise.notation.frameworks import languages
from bankwise.notation.values import Distribution, Memory
from bankwise.read.tile_file.question import Held, TileQuestion, WrittenAccess, WrittenLayout
from bankwise.read.tile_file.views import pieces, seen
from bankwise.solver.general import Listed
from bankwise.solver.units import UnitUse


def moves(
    spec: TileQuestion, access: WrittenAccess, layout: WrittenLayout
) -> tuple[TileInstruction, ...] | Refusal:
    """The instructions of one pass over the tile, piece by piece.

    A Refusal where a text is in dispute or the machine has no such instruction. Raises
    :class:`InputError` at the access where distribution and memory do not fit together.
    """
    memory = seen(access, layout)
    if isinstance(memory, Refusal):
        return Refusal(memory.reason, (access.layout or layout).location)
    if isinstance(access.held, Listed):
        found = listed_moves(spec, access.held, memory)
        return Refusal(found.reason, access.location) if isinstance(found, Refusal) else found
    if isinstance(access.held, UnitUse):
        used = unit_moves(spec, access.held, memory)
        return Refusal(used.reason, access.location) if isinstance(used, Refusal) else used
    return _by_distribution(spec, access, access.held, memory)


def _by_distribution(
    spec: TileQuestion, access: WrittenAccess, held: Held, memory: Memory
) -> tuple[TileInstruction, ...] | Refusal:
    whole = held.distribution
    if isinstance(whole, Refusal):
        return Refusal(whole.reason, access.location)
    vector, policy = _emission(spec, access, held, memory)
    found: list[TileInstruction] = []
    for piece in pieces(whole, memory.shape):
        moved = _accesses(spec, access, piece, memory, vector, policy)
        if isinstance(moved, Refusal):
            return Refusal(moved.reason, access.location)
        found += moved
    return tuple(found)


def _accesses(
    spec: TileQuestion,
    access: WrittenAccess,
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
    spec: TileQuestion, access: WrittenAccess, held: Held, memory: Memory
) -> tuple[int | None, str]:
    """(vector, policy): what the user says, else what the framework of the texts does."""
    made: tuple[int | None, str] = (None, languages()[held.notation].policy)
    whole = held.distribution
    if isinstance(whole, ck.Encoding) and isinstance(memory, ck.TensorDescriptor):
        made = ck.emitted(whole, memory)
    return access.vector or made[0], spec.policy or made[1]


def access_report(
    spec: TileQuestion, access: WrittenAccess, moved: tuple[TileInstruction, ...]
) -> AccessReport:
    """Count one pass over the tile by all waves."""
    (found,) = count_accesses([access_of(spec, access, moved)], spec.machine, spec.title)
    if isinstance(found, Refusal):
        raise InputError(found.reason, location=found.location)
    return found


def lanes_of(moved: TileInstruction) -> BoolArray:
    """Which lanes take part: bool [waves, lanes]."""
    return np.ones(moved.offsets_bytes.shape, np.bool_) if moved.active is None else moved.active


def access_of(
    spec: TileQuestion, access: WrittenAccess, moved: tuple[TileInstruction, ...]
) -> KernelAccess:
    """One pass over the tile, as every reader's access."""
    instructions = tuple(
        WaveInstruction(m.instruction.name, m.offsets_bytes, lanes_of(m)) for m in moved
    )
    executions = access.weight * (spec.launch.iterations if spec.launch else 1)
    least_certain = min((m.instruction for m in moved), key=lambda row: row.confidence)
    return KernelAccess(
        access.location,
        access.words,
        _kind(access),
        access.op,
        (IssuedPattern(instructions, access.name, executions),),
        note=least_certain.note,
    )


def _kind(access: WrittenAccess) -> AccessKind:
    """What moves the data."""
    if isinstance(access.held, UnitUse):
        return access.held.kind
    return access.held.request.kind if isinstance(access.held, Listed) else "plain"
