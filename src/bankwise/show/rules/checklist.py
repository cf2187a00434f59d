"""The checklist of "LDS Bank Conflicts on CDNA", as it is written: to be held beside the count.

    (Q1) slots per lane = W / 4            (Q2) bank(lane) of every sub-step of 4 bytes
    (Q3) in each half-wave of 32 lanes: all banks distinct, or one word per bank: else N-way
    R2   two halves of one word: the word broadcasts only if every lane wants the same half

Nothing here is used to count: the machine's phases are (:mod:`bankwise.counting.conflict`). It
shows where the checklist and the counters part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bankwise.counting.access import IntArray
from bankwise.hardware.machine import BANK_BYTES, Machine
from bankwise.notation.accesses import TileInstruction

_HALF_WAVE = 32


def banks_of(machine: Machine) -> int:
    """The bank count that the checklist means: the most that an instruction sees."""
    return max(row.banks for row in machine.instructions.values())


def sub_steps(width_bytes: int) -> int:
    """Q1: how many slots of 4 bytes a lane takes, one after the other."""
    return max(1, width_bytes // BANK_BYTES)


def extra_by_checklist(moved: Sequence[TileInstruction], banks: int) -> int:
    """Q2 and Q3: conflicts of one pass over the tile, by half-waves and sub-steps."""
    return sum(_by_sub_steps(m, banks) for m in moved)


def extra_by_halves(moved: Sequence[TileInstruction], banks: int) -> int:
    """The same with R2: where a bank's lanes want different halves, all its lanes are in line."""
    return sum(_by_sub_steps(m, banks, halves=True) for m in moved)


def _by_sub_steps(moved: TileInstruction, banks: int, *, halves: bool = False) -> int:
    row, total = moved.instruction, 0
    for start in moved.offsets_bytes.reshape(-1, _HALF_WAVE):
        for address in range(row.addresses):
            first = start + address * row.width_bytes
            for step in range(sub_steps(row.width_bytes)):
                narrow = halves and row.width_bytes < BANK_BYTES
                total += _ways(first + step * BANK_BYTES, banks, narrow) - 1
    return total


def _ways(bytes_at: IntArray, banks: int, halves: bool) -> int:
    """The longest queue at a bank: distinct words, or all its lanes where halves differ."""
    words = bytes_at // BANK_BYTES
    worst = 1
    for bank in np.unique(words % banks):
        here = words % banks == bank
        ways = len(np.unique(words[here]))
        if halves and len(np.unique(bytes_at[here] % BANK_BYTES)) > 1:
            ways = int(here.sum())
        worst = max(worst, ways)
    return worst
