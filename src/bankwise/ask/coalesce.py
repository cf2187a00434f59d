"""``bankwise coalesce``: the global side of a tile: transactions, sets and buffer descriptor."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bankwise.counting.access import IntArray, distinct
from bankwise.counting.coalesce import (
    LINE_BYTES,
    CacheSwizzle,
    cache_sets,
    cache_swizzle,
    coalesce,
    sets_of_stride,
    swizzle_unit,
)
from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import Machine
from bankwise.notation.accesses import Vectors, cut_vectors
from bankwise.notation.values import Distribution, Memory
from bankwise.read.recognise import require
from bankwise.read.tile_file.question import GlobalAccess, TileQuestion
from bankwise.read.tile_file.read import read_question
from bankwise.read.tile_file.views import pieces
from bankwise.show.coalescing import CoalesceReport, CoalesceRow, Sets
from bankwise.show.values import Finding


def coalesce_spec(file: str | Path, *, target: str = "") -> CoalesceReport:
    """Count the transactions of every ``[[global]]`` access. ``target`` replaces the machine.

    Raises :class:`InputError` for a bad file, and for one without such an access.
    """
    require(file, "coalesce")
    return coalesced(read_question(file, target))


def coalesced(spec: TileQuestion) -> CoalesceReport:
    """The same for a question that is read already."""
    if not spec.globals:
        raise InputError(
            "no [[global]] access",
            location=Location(spec.file),
            hint="[[global]] name, op, distribution, layout: like [[access]], in global memory",
        )
    rows: list[CoalesceRow] = []
    refusals: list[Refusal] = []
    for access in spec.globals:
        found = row(spec, access)
        if isinstance(found, Refusal):
            refusals.append(found)
        else:
            rows.append(found)
    findings = [f for access in spec.globals for f in _findings(spec, access)]
    return CoalesceReport(
        spec.file, spec.title, spec.machine.name, tuple(rows), tuple(findings), tuple(refusals)
    )


def row(spec: TileQuestion, access: GlobalAccess) -> CoalesceRow | Refusal:
    """Count one access: one pass over the tile by all waves."""
    memory, whole = access.layout.memory, access.held.distribution
    for part in (memory, whole):
        if isinstance(part, Refusal):
            return Refusal(part.reason, access.location)
    assert not isinstance(memory, Refusal)
    assert not isinstance(whole, Refusal)
    cuts = [_cut(spec, access, memory, piece) for piece in pieces(whole, memory.shape)]
    offsets = np.concatenate([np.moveaxis(c.offsets_bytes, -1, 0) for c in cuts])
    offsets = offsets + access.base_bytes
    width = cuts[0].width_bytes
    line = LINE_BYTES[spec.machine.vendor]
    found = coalesce(offsets, width, line_bytes=line)
    return CoalesceRow(
        location=access.location,
        name=access.name,
        op=access.op,
        waves=whole.waves,
        instructions=len(offsets),
        width_bytes=width,
        line_bytes=line,
        lines=_range(found.lines),
        least=_least(found.useful_bytes, line),
        useful_bytes=int(found.useful_bytes.sum()),
        fetched_bytes=int(found.fetched_bytes.sum()),
        straddling=_range(found.straddling),
        lanes=spec.machine.wave_size,
        pitch_bytes=(pitch := _pitch(memory) * spec.element_bytes),
        sets=_sets(spec.machine, offsets, pitch) if access.op == "read" else None,
        descriptor=_descriptor(spec.machine, pitch) if access.op == "read" else None,
    )


def _cut(spec: TileQuestion, access: GlobalAccess, memory: Memory, piece: Distribution) -> Vectors:
    try:
        return cut_vectors(piece, memory, element_bytes=spec.element_bytes, vector=access.vector)
    except InputError as error:
        raise InputError(error.message, location=access.location, hint=error.hint) from error


def _range(counts: IntArray) -> tuple[int, int]:
    """Least and most over the instructions of all waves."""
    return int(counts.min()), int(counts.max())


def _least(useful: IntArray, line: int) -> int:
    """The fewest lines that the worst instruction's bytes fit into."""
    return int((-(-useful // line)).max())


def _pitch(memory: Memory) -> int:
    """Elements from one row of the tile in memory to the next: its largest step along an axis."""
    steps = np.eye(len(memory.shape), dtype=np.int64)
    long = [i for i, size in enumerate(memory.shape) if size > 1]
    origin = int(memory.offsets(np.zeros(len(memory.shape), np.int64)))
    found = [abs(int(memory.offsets(steps[i])) - origin) for i in long]
    return max(found, default=0)


def _sets(machine: Machine, offsets: IntArray, pitch_bytes: int) -> Sets | None:
    """How the lines of one tile spread over the L1 sets; None where the machine's are unknown."""
    if "l1_sets" not in machine.facts:
        return None
    line = int(machine.fact("l1_line_bytes"))
    lines = distinct(offsets // line) * line
    hit = tuple(int(n) for n in cache_sets(machine, lines))
    return Sets(hit, sets_of_stride(machine, pitch_bytes) if pitch_bytes else len(hit))


def _descriptor(machine: Machine, pitch_bytes: int) -> CacheSwizzle | Refusal | None:
    """The cache swizzle of a buffer descriptor for these rows; AMD alone has one."""
    if machine.vendor != "amd" or not pitch_bytes:
        return None
    return cache_swizzle(pitch_bytes)


def _findings(spec: TileQuestion, access: GlobalAccess) -> list[Finding]:
    """A cacheSwizzleStride that is not that of the rows, in bytes."""
    memory = access.layout.memory
    if access.swizzle_stride is None or isinstance(memory, Refusal):
        return []
    wrong = swizzle_unit(access.swizzle_stride, _pitch(memory), spec.element_bytes)
    if wrong is None:
        return []
    return [Finding("elements-against-bytes", access.location, wrong.reason)]
