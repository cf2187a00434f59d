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

WORTH_LANES = 1 << 24
"""Lanes that numpy counts in 0.2 to 1.2 seconds; loading takes 0.3 and compiling 1.4."""

_COUNTED = 255
"""What one byte counts to: lanes that want different words of a bank."""

_seen_lanes = 0


def counted_in_bulk(
    row: Instruction, offsets: IntArray, mask: BoolArray
) -> tuple[IntArray, IntArray] | None:
    """Passes per phase [accesses, phases] and ideal [accesses] of [accesses, lanes].

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
    passes = np.zeros((len(offsets), len(row.phases)), np.int64)
    ideal = np.zeros(len(offsets), np.int64)
    same = len(mask) > 0 and mask.strides[0] == 0
    known = tally(
        np.ascontiguousarray(offsets),
        np.ascontiguousarray(mask[:1] if same else mask),
        np.array(row.phases, np.int64),
        row.width_bytes,
        row.banks,
        max(row.alignment_bytes, 1),
        2 if row.merge == "neighbours" else 1,
        row.serial,
        passes,
        ideal,
    )
    return (passes, ideal) if known else None


def takes(row: Instruction) -> bool:
    """Whether the compiled loop counts an instruction: its banks are a power of two, its
    counters large enough, and its phases hold lanes, not lines."""
    return (
        row.merge != "lines"
        and row.banks & (row.banks - 1) == 0
        and row.width_bytes <= row.banks * BANK_BYTES
        and row.wave_size <= _COUNTED
        and (row.merge != "neighbours" or len(row.phases) % 2 == 0)
    )


@lru_cache(maxsize=1)
def compiled() -> Callable[..., bool] | None:
    """The compiled loop, loaded or compiled now; None without a numba that works here."""
    try:
        from bankwise.counting.tally import tally
    except (ImportError, RuntimeError):
        return None
    return tally
