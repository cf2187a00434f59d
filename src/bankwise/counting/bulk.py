"""Counting in bulk: the same numbers from compiled code, where numba is there and it pays.

Compiling takes a second, once for each installation, and loading what was compiled a third of one,
once for each process. So a process counts by numpy until it has spent about as much on that:
whatever comes after, it takes little more than twice the least.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from bankwise.counting.access import BoolArray, IntArray
from bankwise.hardware.machine import BANK_BYTES, Instruction

Counts = tuple[IntArray, IntArray]
"""Passes per phase [accesses, phases] and ideal [accesses]."""
Tally = Callable[[Instruction, IntArray, BoolArray], Counts | None]

WORTH_LANES = 1 << 24
"""Lanes that numpy counts in 0.2 to 1.2 seconds; loading takes 0.3 and compiling 1.4."""

_BANKS = 64
"""Banks that have a bit each in one integer."""
_LANES = 127
"""What seven binary digits count to: lanes of a phase that want different words of a bank."""
_WORDS = 15
"""Words of one lane that have a bit each in half an integer."""

_seen_lanes = 0


def counted_in_bulk(row: Instruction, offsets: IntArray, mask: BoolArray) -> Counts | None:
    """What offsets and mask [accesses, lanes] take.

    None where numpy counts: too few so far, no numba, an instruction that the compiled loop does
    not take, or an offset that the machine refuses or that lies beyond all shared memory.
    """
    global _seen_lanes
    _seen_lanes += offsets.size
    if _seen_lanes < WORTH_LANES or not takes(row):
        return None
    tally = compiled()
    if tally is None:
        return None
    same = len(mask) > 0 and mask.strides[0] == 0
    return tally(
        row, np.ascontiguousarray(offsets), np.ascontiguousarray(mask[:1] if same else mask)
    )


def takes(row: Instruction) -> bool:
    """Whether the compiled loop counts an instruction: its phases hold lanes, not lines, and its
    banks (a power of two), lanes and words have a place in the loop's integers."""
    most_words = (row.width_bytes + BANK_BYTES - 2) // BANK_BYTES + 1
    return (
        (row.merge == "none" or (row.merge == "neighbours" and _in_order(row)))
        and row.banks & (row.banks - 1) == 0
        and most_words <= min(_WORDS, row.banks)
        and row.banks <= _BANKS
        and len(row.phases[0]) <= _LANES
    )


def _in_order(row: Instruction) -> bool:
    """Whether lanes that are neighbours stand next to each other in phases that merge."""
    lanes = [lane for phase in row.phases for lane in phase]
    even = len(row.phases) % 2 == 0 and len(row.phases[0]) % 2 == 0
    return even and lanes == list(range(row.wave_size))


@lru_cache(maxsize=1)
def compiled() -> Tally | None:
    """The compiled loop, loaded or compiled now; None without a numba that works here."""
    try:
        from bankwise.counting.tally import tally
    except (ImportError, RuntimeError):
        return None
    return tally
