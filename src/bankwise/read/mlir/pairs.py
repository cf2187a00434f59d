"""Reads that the compiler may join in pairs: one two-address instruction of two accesses.

    vector.load %view[%row, %k]          ds_read2_b64 v[0:3], v9 offset1:4
    vector.load %view[%row, %k + 16]

LLVM for AMD does that in one block between barriers, where the second address lies a constant
further that its instruction can say: up to 255 accesses, or as many times 64 of them. Whether it
sees the constant the source does not tell; rows of another pitch decide, too. So a read with such a
neighbour *may* be joined, one without is not. The neighbour may be the read itself in another round
of a loop, which is unrolled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from iree.compiler import ir

from bankwise.counting.access import BoolArray, IntArray, Pattern
from bankwise.read.mlir.extract import SharedAccess

_MOST = 255
_STRIDE = 64
"""The second address is said in accesses, or in times so many."""


class _Beginning(NamedTuple):
    number: int
    allocation: str
    bytes: int


class _Stretch(NamedTuple):
    """Part of a block without anything that keeps accesses apart; ``whole``: it is all of it, so
    one round of a loop goes on where the last one ends."""

    block: int
    part: int
    whole: bool


def pairable(accesses: Sequence[SharedAccess]) -> Mapping[int, int]:
    """Reads that may be joined, by their number among ``accesses``: with which other one, or with
    themselves."""
    places = _stretches(accesses)
    alike: dict[tuple[_Stretch, int, object], list[_Beginning]] = defaultdict(list)
    for number, site in enumerate(accesses):
        if number in places and (site.access.direction, site.access.kind) == ("read", "plain"):
            for pattern in site.access.patterns:
                lanes, start = _lanes(pattern)
                key = places[number], site.access.width_bytes, lanes
                alike[key].append(_Beginning(number, pattern.allocation, start))
    found: dict[int, int] = {}
    for ((_, _, again), width, _), starts in alike.items():
        numbers = np.array([each.number for each in starts])
        first, names = np.array([each.bytes for each in starts]), [e.allocation for e in starts]
        elsewhere = {name: np.array([other != name for other in names]) for name in {*names}}
        for one in (each for each in starts if each.number not in found):
            reached = elsewhere[one.allocation] | _reach(np.abs(first - one.bytes), width)
            mates = set(numbers[reached].tolist()) - (set() if again else {one.number})
            if mates:
                found[one.number] = min(mates, key=lambda n: abs(n - one.number))
    return found


def _lanes(pattern: Pattern) -> tuple[tuple[bytes, bytes], int]:
    """Which lanes take part and how far apart, and where the first one is."""
    touched = pattern.offsets_bytes[pattern.active]
    start = int(touched[0]) if len(touched) else 0
    return ((touched - start).tobytes(), np.packbits(pattern.active).tobytes()), start


def _reach(bytes_: IntArray, width: int) -> BoolArray:
    """Whether a second address so many bytes away from the first can be said."""
    steps, rest = np.divmod(bytes_, width)
    said = (steps <= _MOST) | ((steps % _STRIDE == 0) & (steps <= _MOST * _STRIDE))
    return np.asarray((rest == 0) & (steps > 0) & said)


def _stretches(accesses: Sequence[SharedAccess]) -> Mapping[int, _Stretch]:
    """Where nothing stands between two accesses that keeps them apart, by their numbers."""
    numbers: dict[ir.Operation, list[int]] = defaultdict(list)
    for number, site in enumerate(accesses):
        numbers[site.op.operation].append(number)
    blocks: list[ir.Block] = []
    for site in accesses:
        if site.op.block not in blocks:
            blocks.append(site.op.block)
    found: dict[int, _Stretch] = {}
    for place, block in enumerate(blocks):
        walls = np.cumsum([_parts(op.operation) for op in block.operations]).tolist()
        for wall, op in zip(walls, block.operations, strict=True):
            stretch = _Stretch(place, wall, not walls[-1])
            found |= dict.fromkeys(numbers.get(op.operation, ()), stretch)
    return found


def _parts(op: ir.Operation) -> bool:
    """Whether no access moves over an operation: a barrier, or one with blocks of its own."""
    waits = "barrier" in op.name and "sched" not in op.name
    return waits or any(len(region.blocks) for region in op.regions)
