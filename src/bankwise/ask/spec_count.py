"""Counting the accesses of a question: what the instructions that they become cost."""

from __future__ import annotations

import numpy as np

from bankwise.counting.access import BoolArray
from bankwise.counting.count_kernel import count_accesses
from bankwise.counting.counted import AccessReport
from bankwise.counting.kernel import IssuedPattern, KernelAccess, WaveInstruction
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import AccessKind
from bankwise.notation.accesses import TileInstruction
from bankwise.read.tile_file.question import TileQuestion, WrittenAccess
from bankwise.solver.general import Listed
from bankwise.solver.units import UnitUse


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
