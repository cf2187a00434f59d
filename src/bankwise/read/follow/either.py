"""What a register holds whichever way lanes came: both sides of an open branch leave the same.

    @!%p1 bra L2;             nobody knows %p1
    shl.b32 %r5, %r3, 4;      known where %p1 holds
    bra L6;
    L2: shl.b32 %r5, %r3, 4;  known where it does not
    L6:                       the same number: known in every lane

A lane comes by one of the ways, so what all of them leave is there, though nobody knows by which it
came. That holds where all ways were followed to the join. A lane that does not come by a way, as it
ended there, came by another if it is there at all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bankwise.counting.access import BoolArray
from bankwise.read.follow.paths import Path
from bankwise.read.follow.state import write
from bankwise.read.follow.values import Array


def settle(arrivals: Sequence[Path], depth: int) -> None:
    """Let every register that all ways to a join leave alike be known there. ``depth``: how many
    frames there were at the branch."""
    if not arrivals or any(len(one.frames) != depth for one in arrivals):
        return
    if any(one.state.lanes is not None for one in arrivals):
        return
    lanes = arrivals[0].state.active
    for name in dict.fromkeys(name for one in arrivals for name in one.under):
        left = _left(arrivals, name, lanes)
        for one in arrivals if left is not None else ():
            assert left is not None
            write(one.state, name, left, one.state.active)


def _left(arrivals: Sequence[Path], name: str, lanes: BoolArray) -> Array | None:
    """What all ways leave in the ``lanes`` that came by them; None where that differs."""
    found: Array | None = None
    known = np.zeros_like(lanes)
    for one in arrivals:
        held, came = one.under.get(name), lanes if one.came is None else lanes & one.came
        array = held.array if held is not None else one.state.registers.get(name)
        if not isinstance(array, np.ndarray) or (held and _some(came & ~held.lanes)):
            return None
        if found is None:
            found = array
        elif array.dtype != found.dtype or _some(known & came & (array != found)):
            return None
        elif array is not found:
            found = np.where(came & ~known, array, found)
        known = known | came
    return found


def _some(lanes: BoolArray) -> bool:
    return bool(np.count_nonzero(lanes))
