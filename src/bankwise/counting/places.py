"""Accesses at a place that nobody knows: what they cost wherever they lie.

An address that is a number of the whole wave and a known part of each lane, ``row * pitch + lane``,
meets the banks as the known part does, all of them turned by the number. So it is counted at every
place within one period, in steps that the alignment leaves. Where all places cost the same, that is
what it costs; elsewhere the least and the most are known.

    32 lanes, 4 bytes each, 128 apart    32 passes at every place
    32 lanes, 1 byte each, side by side  one pass; at any byte, 8 words or 9, each on its own bank
    cp.async.cg of 8 pieces of 16 bytes  one line of 128 bytes, or two
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm

from msgspec import Struct

from bankwise.counting.kernel import WaveInstruction
from bankwise.counting.lines import LINE_BYTES
from bankwise.hardware.machine import BANK_BYTES, Instruction, Machine


class Somewhere(Struct, frozen=True):
    """``count`` waves that touch the same, each at one of ``places``."""

    places: Sequence[WaveInstruction]
    count: int = 1


def places(of: WaveInstruction, multiple: int, machine: Machine) -> list[Somewhere]:
    """The waves of an instruction, each at every place where it may lie: where its offsets say, if
    ``multiple`` is 0, else any multiple of so many bytes behind."""
    if not multiple:
        return [Somewhere((of,))]
    row = machine.instruction(of.name)
    waves: dict[tuple[bytes, bytes], list[int]] = {}
    for wave, lanes in enumerate(zip(of.offsets_bytes, of.active, strict=True)):
        waves.setdefault((lanes[0].tobytes(), lanes[1].tobytes()), []).append(wave)
    return [Somewhere(_at_all(of, alike[0], multiple, row), len(alike)) for alike in waves.values()]


def _at_all(
    of: WaveInstruction, wave: int, multiple: int, row: Instruction
) -> tuple[WaveInstruction, ...]:
    """One wave at every place within a period: a whole row of banks and a whole line."""
    around = lcm(LINE_BYTES, row.banks * BANK_BYTES)
    step = gcd(max(multiple, row.alignment_bytes), around)
    offsets, active = of.offsets_bytes[wave : wave + 1], of.active[wave : wave + 1]
    return tuple(
        WaveInstruction(of.name, offsets + at, active, of.apart_bytes)
        for at in range(0, around, step)
    )
