"""What a register holds whichever way lanes came: both sides of an open branch leave the same.

    @!%p1 bra L2;             nobody knows %p1
    shl.b32 %r5, %r3, 4;      known where %p1 holds
    bra L6;
    L2: shl.b32 %r5, %r3, 4;  known where it does not
    L6:                       the same number: known in every lane

A lane comes by one of the ways, so what all of them leave is there, though nobody knows by which it
came. That holds where all ways were followed to the join, and the lanes there are those that came
to the branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bankwise.counting.access import BoolArray
from bankwise.read.follow.paths import Path
from bankwise.read.follow.state import Partly, write


def settle(arrivals: Sequence[Path], depth: int) -> None:
    """Let every register that all ways to a join leave alike be known there. ``depth``: how many
    frames there were at the branch."""
    if not arrivals or any(len(one.frames) != depth for one in arrivals):
        return
    if any(one.state.lanes is not None for one in arrivals):
        return
    every = [one.under for one in arrivals]
    for name, held in every[0].items():
        if all(_same(under, name, held, arrivals[0].state.active) for under in every):
            for one in arrivals:
                write(one.state, name, held.array, one.state.active)


def _same(under: Mapping[str, Partly], name: str, first: Partly, lanes: BoolArray) -> bool:
    """Whether a way leaves ``first`` in all ``lanes``."""
    held = under.get(name)
    if held is None or held.array.dtype != first.array.dtype or _some(lanes & ~held.lanes):
        return False
    return held is first or not _some(lanes & (held.array != first.array))


def _some(lanes: BoolArray) -> bool:
    return bool(np.count_nonzero(lanes))
