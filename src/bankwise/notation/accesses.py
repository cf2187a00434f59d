"""From a distribution and a memory layout to the instructions of one pass over the tile.

All waves move the tile once: every lane its registers. Registers that lie side by side in memory,
in every lane of every wave, move in one instruction of up to 16 bytes. Which instruction it is,
and whether misalignment cuts it up, is the width policy's decision
(:mod:`bankwise.hardware.policies`).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from bankwise.counting.access import BoolArray, IntArray
from bankwise.counting.conflict import Witness, count
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Direction, Instruction, Machine
from bankwise.hardware.policies import WIDEST_BYTES, select
from bankwise.identity import ByIdentity
from bankwise.notation.values import Distribution, Memory

_WIDTHS_BYTES = (16, 12, 8, 4, 2, 1)


class TileInstruction(ByIdentity, frozen=True, eq=False):
    """One instruction, executed once by each wave in a pass over the tile.

    ``offsets_bytes``: int64 [waves, lanes], the first byte of every lane. ``registers``: the
    registers it moves, lowest offset first; several instructions share them where one access of
    the text is cut into pieces. ``active``: bool [waves, lanes], None for all.
    """

    instruction: Instruction
    offsets_bytes: IntArray
    registers: tuple[int, ...]
    active: BoolArray | None = None


class Vectors(ByIdentity, frozen=True, eq=False):
    """The registers of a lane, cut into vectors.

    ``offsets_bytes``: int64 [waves, lanes, vectors], the first byte of every vector;
    ``registers``: what each vector holds, lowest offset first.
    """

    width_bytes: int
    offsets_bytes: IntArray
    registers: tuple[tuple[int, ...], ...]


class TileCount(Struct, frozen=True):
    """One pass over the tile, all waves together.

    ``instructions``: executed instructions; ``passes`` and ``ideal`` as in
    :mod:`bankwise.counting.conflict`; ``witness`` shows the first conflict, None if there is none.
    """

    instructions: int
    passes: int
    ideal: int
    witness: Witness | None = None

    @property
    def extra(self) -> int:
        """``passes - ideal``: what the vendor's conflict counter adds per pass over the tile."""
        return self.passes - self.ideal


def accesses(
    distribution: Distribution,
    memory: Memory,
    *,
    element_bytes: int,
    machine: Machine,
    direction: Direction,
    policy: str,
    vector: int | None = None,
) -> tuple[TileInstruction, ...] | Refusal:
    """The instructions that move the tile once, in the order of lane 0's offsets.

    ``vector``: elements per access; by default the most that fit 16 bytes and lie side by side
    in all lanes. The alignment is the largest power of two that divides all of their offsets.
    A register that holds in every lane what another holds is moved once. Raises
    :class:`InputError` if distribution, memory and machine do not fit together; a
    :class:`Refusal` where the machine has no such instruction.
    """
    _check(distribution, machine)
    cut = cut_vectors(distribution, memory, element_bytes=element_bytes, vector=vector)
    first, groups = cut.offsets_bytes, cut.registers
    issues = select(machine, direction, cut.width_bytes, _alignment(first), policy)
    if isinstance(issues, Refusal):
        return issues
    return tuple(
        TileInstruction(
            machine.instruction(issue.instruction), first[..., i] + issue.offset_bytes, group
        )
        for i, group in enumerate(groups)
        for issue in issues
    )


def count_accesses(
    distribution: Distribution,
    memory: Memory,
    *,
    element_bytes: int,
    machine: Machine,
    direction: Direction,
    policy: str,
    vector: int | None = None,
) -> TileCount | Refusal:
    """Count one pass over the tile; the arguments are those of :func:`accesses`."""
    moved = accesses(
        distribution,
        memory,
        element_bytes=element_bytes,
        machine=machine,
        direction=direction,
        policy=policy,
        vector=vector,
    )
    if isinstance(moved, Refusal):
        return moved
    counts = [count(m.instruction, m.offsets_bytes) for m in moved]
    return TileCount(
        len(moved) * distribution.waves,
        sum(int(c.passes.sum()) for c in counts),
        sum(int(c.ideal.sum()) for c in counts),
        next((c.witness for c in counts if c.witness is not None), None),
    )


def cut_vectors(
    distribution: Distribution, memory: Memory, *, element_bytes: int, vector: int | None = None
) -> Vectors:
    """Cut the registers of a lane into vectors of ``vector`` elements.

    By default the most elements within 16 bytes that lie side by side in every lane of every
    wave. Raises :class:`InputError` if the registers do not lie in runs of the vector asked for,
    or if distribution and memory are not of one tile.
    """
    if distribution.shape != memory.shape:
        raise InputError(
            f"the distribution is of a tile {distribution.shape}, the memory of {memory.shape}"
        )
    if element_bytes < 1:
        raise InputError(f"elements of {element_bytes} bytes", hint="1 and more")
    offsets = memory.offsets(distribution.coordinates())
    order = _distinct(offsets)
    if vector is None:
        vector = next(v for v in _vectors(element_bytes) if _fits(offsets, order, v))
    elif vector < 1 or not _fits(offsets, order, vector):
        raise InputError(
            f"a vector of {vector}: the {len(order)} registers of a lane do not lie in runs of it",
            hint="leave the vector out to get the longest one that all lanes allow",
        )
    groups = tuple(order[i : i + vector] for i in range(0, len(order), vector))
    first = offsets[..., [group[0] for group in groups]] * element_bytes
    return Vectors(vector * element_bytes, first, groups)


def in_runs(distribution: Distribution, memory: Memory, vector: int) -> bool:
    """Whether the registers of every lane lie in runs of ``vector`` elements."""
    offsets = memory.offsets(distribution.coordinates())
    return _fits(offsets, _distinct(offsets), vector)


def _check(distribution: Distribution, machine: Machine) -> None:
    if distribution.lanes != machine.wave_size:
        raise InputError(
            f"the distribution has {distribution.lanes} lanes in a wave, "
            f"{machine.name} has {machine.wave_size}"
        )


def _distinct(offsets: IntArray) -> tuple[int, ...]:
    """One register of each set of replicas, by ascending offset in the first lane."""
    rows = offsets.reshape(-1, offsets.shape[-1])
    kept: Iterable[int] = range(rows.shape[1])
    if len(np.unique(rows[0])) < rows.shape[1]:  # to compare whole columns takes much longer
        kept = np.unique(rows, axis=1, return_index=True)[1]
    return tuple(sorted(map(int, kept), key=lambda r: (int(rows[0, r]), r)))


def _vectors(element_bytes: int) -> list[int]:
    """Vector lengths to try, longest first; the last is one element."""
    fitting = [w // element_bytes for w in _WIDTHS_BYTES if w % element_bytes == 0]
    return [v for v in fitting if v > 1] + [1]


def _fits(offsets: IntArray, order: tuple[int, ...], vector: int) -> bool:
    """Whether every run of ``vector`` registers is contiguous in every lane of every wave."""
    if len(order) % vector:
        return False
    steps = np.diff(offsets[..., list(order)].reshape(*offsets.shape[:-1], -1, vector), axis=-1)
    return bool((steps == 1).all())


def _alignment(offsets_bytes: IntArray) -> int:
    """The largest power of two, at most 16, that divides all offsets."""
    together = int(np.bitwise_or.reduce(offsets_bytes, axis=None)) | WIDEST_BYTES
    return together & -together
