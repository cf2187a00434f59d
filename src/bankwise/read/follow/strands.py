"""The steps of a block in strands: parts that take nothing from each other.

    IADD3 R2, R2, 0x10, RZ            one strand, from R2: it counts
    ISETP.GE.AND P0, PT, R2, R9, PT
    LOP3.LUT R4, R3, 0x7, RZ, 0xc0    another, from R3: the same in every round
    LDS R5, [R4+0x40]

What a strand does is decided by what its registers hold at the block's start, and by the lanes that
run. A register that is written twice lies between strands only by its name.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from msgspec import Struct, field

from bankwise.read.follow.program import Program, Strand
from bankwise.read.follow.slicing import ProgramSlice
from bankwise.read.follow.state import Partly
from bankwise.read.follow.touched import Touched
from bankwise.read.follow.values import Value

_MOST_BYTES = 1 << 26
"""Of results that an attempt remembers, before it forgets them all."""

Given = tuple[Value | Partly | None, ...]
"""What registers hold, one after the other."""


class StrandOutcome(Struct, frozen=True, eq=False):
    """What a strand did: the registers that it left, and what it touched."""

    given: Given
    after: dict[str, Value | Partly]
    places: tuple[tuple[Touched, int], ...]


class StrandMemory(Struct, eq=False):
    """What is remembered of a strand: by what its registers held, and what it did ``last``."""

    strand: Strand
    known: dict[Hashable, StrandOutcome] = field(default_factory=dict)
    last: StrandOutcome | None = None


class BlockMemory(Struct):
    """What an attempt remembers: of a block, by the lanes that run (empty for all of them), its
    strands, None where it has to run each time. ``held_bytes``: of all results."""

    blocks: dict[tuple[int, bytes], Sequence[StrandMemory] | None] = field(default_factory=dict)
    held_bytes: int = 0

    def weigh(self, outcome: StrandOutcome) -> None:
        """Make room for one more result."""
        values = (*outcome.given, *outcome.after.values())
        self.held_bytes += sum(v.nbytes for v in values if isinstance(v, np.ndarray))
        if self.held_bytes <= _MOST_BYTES:
            return
        self.held_bytes = 0
        for one in (one for parts in self.blocks.values() for one in parts or ()):
            one.known.clear()
            one.last = None


def strands(
    program: Program, kept: ProgramSlice, block: int, *, whole: bool
) -> tuple[Strand, ...] | None:
    """The strands of the steps of a block that matter; None where one of them changes the lanes
    that run. ``whole``: all lanes run, so that a write leaves nothing of what was before."""
    numbers = kept.steps[block]
    if any(program.steps[number].masks for number in numbers):
        return None
    writer: dict[str, int] = {}
    reads: dict[int, set[str]] = {}
    first = {number: number for number in numbers}
    for number in numbers:
        step = program.steps[number]
        writes = written(program, kept, number)
        old = writes if step.partial or not whole else ()
        reads[number] = set()
        for name in (*step.reads, *old):
            if name in writer:
                _join(first, number, writer[name])
            else:
                reads[number].add(name)
        writer.update(dict.fromkeys(writes, number))
    groups: dict[int, list[int]] = {}
    for number in numbers:
        groups.setdefault(_first(first, number), []).append(number)
    same: dict[tuple[str, ...], list[int]] = {}
    for group in groups.values():
        key = tuple(sorted(set().union(*(reads[number] for number in group))))
        same.setdefault(key, []).extend(group)
    return tuple(_strand(key, group, writer) for key, group in same.items())


def written(program: Program, kept: ProgramSlice, number: int) -> tuple[str, ...]:
    """The registers that a step changes where only what matters is followed."""
    return () if number in kept.idle else program.steps[number].writes


def _strand(reads: tuple[str, ...], numbers: Sequence[int], writer: dict[str, int]) -> Strand:
    own = set(numbers)
    leaves = tuple(name for name, number in writer.items() if number in own)
    return Strand(tuple(sorted(numbers)), reads, leaves)


def _first(first: dict[int, int], number: int) -> int:
    """The step that stands for all that are joined with this one."""
    while first[number] != number:
        first[number] = first[first[number]]
        number = first[number]
    return number


def _join(first: dict[int, int], one: int, other: int) -> None:
    a, b = _first(first, one), _first(first, other)
    first[max(a, b)] = min(a, b)
