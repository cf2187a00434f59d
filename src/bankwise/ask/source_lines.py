"""Emitted accesses back at the lines of the source, by the bytes that their lanes touch.

IREE emits no line numbers, but bytes tell: the compiler may join accesses, copy loops and drop what
nobody reads, yet a lane that stores to a byte of an allocation still does. So an emitted access
belongs to the accesses of the source whose lanes touch, in some execution, bytes of it at one and
the same distance; where the compiler put each allocation is found first:

    emitted   ds_write2_b32  lanes at 1024 + 4 t, and 256 bytes on
    source    line 9   memref.store  lanes at 4 t of @tile      distance 1024
              line 10  memref.store  lanes at 4 t + 256 of it   distance 1024: both are its lines

The base of an allocation is the distance that most of its patterns agree on. What matches nothing
has no place, and its report says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from bankwise.counting.kernel import IssuedPattern, KernelAccess, WaveInstruction
from bankwise.errors import Location
from bankwise.hardware.machine import Direction, Machine
from bankwise.identity import ByIdentity

Shape = tuple[Direction, bytes, bytes]
"""Direction, active lanes, and each lane's distance from the first byte of all."""


class _SourceTouch(ByIdentity, frozen=True, eq=False):
    """One instruction of one pattern of the source: ``first`` byte of all lanes in it."""

    access: KernelAccess
    allocation: str
    first: int


def at_source_lines(
    emitted: Sequence[KernelAccess], source: Sequence[KernelAccess], gpu: Machine, file: str
) -> tuple[KernelAccess, ...]:
    """The emitted accesses, each at the first line that it stands for; ``file``: of the source."""
    touched: dict[Shape, list[_SourceTouch]] = defaultdict(list)
    for access in source:
        for pattern in access.patterns:
            for instruction in pattern.instructions:
                shape, first = _shape(access.direction, instruction)
                touched[shape].append(_SourceTouch(access, pattern.allocation, first))
    bases = _bases(emitted, touched)
    return tuple(_placed(one, _found(one, touched, bases, gpu), file) for one in emitted)


def _shape(direction: Direction, one: WaveInstruction) -> tuple[Shape, int]:
    first = int(one.offsets_bytes[one.active].min()) if one.active.any() else 0
    apart = np.where(one.active, one.offsets_bytes - first, 0)
    return (direction, one.active.tobytes(), apart.astype(np.int64).tobytes()), first


def _emitted(access: KernelAccess) -> Iterator[tuple[Shape, int, WaveInstruction]]:
    for pattern in access.patterns:
        for instruction in pattern.instructions:
            yield *_shape(access.direction, instruction), instruction


def _bases(
    emitted: Iterable[KernelAccess], touched: dict[Shape, list[_SourceTouch]]
) -> dict[str, int]:
    """Where each allocation begins in the shared memory of the emitted code."""
    votes: dict[str, Counter[int]] = defaultdict(Counter)
    for access in emitted:
        for shape, first, _ in _emitted(access):
            for touch in touched.get(shape, ()):
                if first >= touch.first:
                    votes[touch.allocation][first - touch.first] += 1
    return {name: max(some, key=lambda base: (some[base], -base)) for name, some in votes.items()}


def _found(
    access: KernelAccess,
    touched: dict[Shape, list[_SourceTouch]],
    bases: dict[str, int],
    gpu: Machine,
) -> list[_SourceTouch]:
    """What of the source the access touches."""
    found = []
    for shape, first, instruction in _emitted(access):
        width = gpu.instruction(instruction.name).width_bytes
        starts = (0,) if instruction.apart_bytes is None else (0, instruction.apart_bytes)
        for touch in touched.get(shape, ()):
            ahead = bases[touch.allocation] + touch.first - first
            if any(start <= ahead < start + width for start in starts):
                found.append(touch)
    return found


def _placed(access: KernelAccess, found: Sequence[_SourceTouch], file: str) -> KernelAccess:
    """The access at its line of the source, with the name of the allocation that lies there."""
    runs = _runs(access)
    likely = {t.access.location: abs(_runs(t.access) - runs) for t in found}
    places = sorted(likely, key=lambda place: (likely[place], place))
    here = f"{access.written or access.operation} at line {access.location.line} of the assembly"
    if not places:
        said = f"{here}; no line of the source touches these bytes with these lanes"
        return replace(access, location=Location(file), note=_joined(access.note, said))
    lines = dict.fromkeys(str(place.line) for place in sorted(places))
    more = f", for lines {', '.join(lines)}" if len(lines) > 1 else ""
    names = Counter(touch.allocation for touch in found)
    patterns = tuple(_named(p, names.most_common(1)[0][0]) for p in access.patterns)
    note = _joined(access.note, here + more)
    return replace(access, location=places[0], patterns=patterns, note=note)


def _runs(access: KernelAccess) -> int:
    """Executions as followed: of accesses that touch the same bytes, they tell loops apart."""
    return sum(pattern.executions for pattern in access.patterns)


def _named(pattern: IssuedPattern, allocation: str) -> IssuedPattern:
    return replace(pattern, allocation=allocation)


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))
