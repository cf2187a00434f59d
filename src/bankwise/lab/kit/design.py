"""Which accesses a kit asks about, and the rules that they tell apart.

Three questions, each with every lane taking part (:mod:`bankwise.lab.gpu.directed`), in one go:
which lanes supply an address, after how many bytes the banks repeat, and which *pairs* of lanes
meet. The pairs are the phase table: nothing of it is assumed. Random accesses, which ask nothing,
judge what was read off.

A *rival* is a rule that the counters might follow instead: 32 and 64 banks with every grouping of
lanes that a machine file of this vendor has, and, of a two-address form, one wide access instead of
two. For each pair of rivals some access of the kit has another counter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.access import IntArray
from bankwise.counting.conflict import count
from bankwise.hardware.lanes import phases_text
from bankwise.hardware.machine import Instruction, Machine, machine, names
from bankwise.lab.gpu import source
from bankwise.lab.gpu.cases import WaveAccess, cases
from bankwise.lab.gpu.directed import all_pairs, first_questions

COPY_BYTES = (0, 64, 4_096)
"""Where a direct-to-LDS copy is made to begin: its lanes cannot be moved."""

_BANKS = (32, 64)


class Rival(Struct, frozen=True):
    """A rule that an instruction might follow. ``stated``: the machine file's own."""

    row: Instruction
    stated: bool

    def __str__(self) -> str:
        row = self.row
        served = "address by address" if row.addresses == 2 else f"{row.width_bytes} bytes a lane"
        return f"{row.banks} banks, phases {phases_text(row.phases)}, {served}"


def instructions(gpu: Machine) -> tuple[str, ...]:
    """The instructions of a machine that a kit asks about."""
    return tuple(name for name in source.instructions(gpu.vendor) if name in gpu.instructions)


def copies(gpu: Machine) -> tuple[str, ...]:
    """The direct-to-LDS copies of a machine for which there is a kernel."""
    return tuple(name for name in source.COPIES if name in gpu.instructions)


def design(gpu: Machine, *, each: int, seed: int = 0) -> tuple[WaveAccess, ...]:
    """All accesses of a kit, in the order in which they run; ``each`` at random an instruction."""
    wave = gpu.wave_size
    found: list[WaveAccess] = []
    for name in instructions(gpu):
        found += first_questions(gpu.instruction(name))
        found += all_pairs(name, wave)
        found += cases(gpu, (name,), each, seed)
    every = np.ones(wave, np.bool_)
    for name in copies(gpu):
        found += [WaveAccess(name, np.full(wave, at, np.int64), every) for at in COPY_BYTES]
    return tuple(found)


def rivals(gpu: Machine, name: str) -> tuple[Rival, ...]:
    """The rules that the counters of an instruction decide between, the machine file's first."""
    row = gpu.instruction(name)
    wide = replace(row, addresses=1, width_bytes=2 * row.width_bytes)
    shapes = (row, wide) if row.addresses == 2 else (row,)
    found = {_rule(row): Rival(row, True)}
    for shape in shapes:
        for banks in _BANKS:
            for phases in _groupings(gpu):
                other = replace(shape, banks=banks, phases=phases, merge="none")
                if _fits(other):
                    found.setdefault(_rule(other), Rival(other, False))
    return tuple(found.values())


def predicted(row: Instruction, asked: Sequence[WaveAccess]) -> IntArray:
    """The extra passes of accesses of one instruction by the rule of a row, [accesses]."""
    offsets = np.stack([case.offsets_bytes for case in asked])
    active = np.stack([case.active for case in asked])
    second = offsets + row.width_bytes if row.addresses == 2 else None
    return np.asarray(count(row, offsets, active, second_offsets_bytes=second).extra)


def _groupings(gpu: Machine) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All lanes together, and every grouping of them in the machine files of a vendor."""
    whole = (tuple(range(gpu.wave_size)),)
    seen = {frozenset(map(frozenset, whole))}
    yield whole
    for name in names():
        other = machine(name)
        if other.vendor != gpu.vendor or other.wave_size != gpu.wave_size:
            continue
        for row in other.instructions.values():
            key = frozenset(map(frozenset, row.phases))
            if key not in seen and sum(map(len, row.phases)) == gpu.wave_size:
                seen.add(key)
                yield row.phases


def _fits(row: Instruction) -> bool:
    """Whether a phase of consecutive lanes could be served in one pass: no rule wastes banks."""
    most = max(map(len, row.phases))
    return most * max(1, row.width_bytes // 4) <= row.banks


def _rule(row: Instruction) -> object:
    phases = frozenset(map(frozenset, row.phases))
    return row.banks, phases, row.addresses, row.width_bytes
