"""Accesses to measure: what one warp or wave touches in one instruction.

Patterns are drawn to tell rules apart, not to be pretty: strides (powers of two and odd), maps
that are linear over F2, rows and columns with a pitch and an XOR, lanes that share addresses,
random offsets, and masks.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bankwise.counting.access import BoolArray, IntArray
from bankwise.counting.conflict import Count, count
from bankwise.hardware.machine import Instruction, Machine
from bankwise.identity import ByIdentity

WINDOW_BYTES = 16 * 1024
"""Offsets that are drawn lie below this: every machine has so much shared memory without asking."""

MAX_WIDTH_BYTES = 16
"""Bytes that one lane moves at most."""


class WaveAccess(ByIdentity, frozen=True, eq=False):
    """One access of one wave: ``offsets_bytes`` and ``active`` are [wave_size].

    Of a two-address form the second address follows the first.
    """

    instruction: str
    offsets_bytes: IntArray
    active: BoolArray

    def counted(self, row: Instruction) -> Count:
        """What it takes by the rule of a row."""
        second = self.offsets_bytes + row.width_bytes if row.addresses == 2 else None
        return count(row, self.offsets_bytes, self.active, second_offsets_bytes=second)


def unit_bytes(width_bytes: int) -> int:
    """What an access of so many bytes is aligned to here: the next power of two."""
    return 1 << (width_bytes - 1).bit_length()


def cases(
    machine: Machine, instructions: tuple[str, ...], each: int, seed: int
) -> tuple[WaveAccess, ...]:
    """``each`` cases per instruction, the same for the same ``seed``."""
    random = np.random.default_rng(seed)
    return tuple(
        case
        for name in instructions
        for case in _cases_of_row(machine.instruction(name), machine.wave_size, each, random)
    )


def _cases_of_row(
    row: Instruction, wave: int, each: int, random: np.random.Generator
) -> Iterator[WaveAccess]:
    patterns = (_strided, _linear, _pitched, _shared, _scattered)
    whole = row.name.startswith(("ldmatrix", "stmatrix")) or "_tr_" in row.name
    step = unit_bytes(row.width_bytes)
    for number in range(each):
        units = patterns[number % len(patterns)](wave, random)
        offsets = units % (WINDOW_BYTES // step) * step
        active = np.ones(wave, np.bool_)
        if not whole and random.random() < 0.3:
            active = random.random(wave) < random.choice([0.25, 0.5, 0.9])
            active[random.integers(wave)] = True
        yield WaveAccess(row.name, offsets.astype(np.int64), active)


def _strided(wave: int, random: np.random.Generator) -> IntArray:
    stride = int(random.choice([1, 2, 3, 4, 5, 8, 12, 16, 17, 32, 33, 40, 64, 96, 128, 129]))
    return np.arange(wave) * stride + int(random.integers(64))


def _linear(wave: int, random: np.random.Generator) -> IntArray:
    lane = np.arange(wave)
    result = np.zeros(wave, np.int64)
    for bit in range(wave.bit_length() - 1):
        result ^= (lane >> bit & 1) * int(random.integers(1 << int(random.integers(1, 12))))
    return result


def _pitched(wave: int, random: np.random.Generator) -> IntArray:
    lane = np.arange(wave)
    rows = int(random.choice([4, 8, 16, wave]))
    pitch = int(random.choice([8, 9, 16, 17, 32, 33, 64]))
    row, column = lane % rows, lane // rows
    mask = int(random.choice([0, 1, 3, 7, 15]))
    shift = int(random.integers(0, 2))
    return row * pitch + (column ^ ((row << shift) & mask))


def _shared(wave: int, random: np.random.Generator) -> IntArray:
    """Lanes in groups that share an address: what broadcast and merging rules turn on."""
    lane = np.arange(wave)
    group = int(random.choice([1, 2, 4, 8, 16]))
    chosen = random.integers(0, 2048, wave)
    return chosen[lane & ~group] if random.random() < 0.5 else chosen[lane // (2 * group)]


def _scattered(wave: int, random: np.random.Generator) -> IntArray:
    return random.integers(0, int(random.choice([16, 64, 256, 4096])), wave)
