"""The count of :mod:`bankwise.counting.conflict` as one loop that numba compiles.

numpy sorts the lanes of a phase; here every bank has a counter, and every unit a stamp: the number
of the last phase that wanted it. A lane that finds a unit without the stamp of its own phase is
the first to want it, and adds one to the bank's counter. A unit is the longest piece that all
accesses of a wave are made of: a word, or 8 or 16 bytes where they are aligned to it.

Imported late, by :mod:`bankwise.counting.bulk` alone: it needs the extra ``fast``. Nothing checks
an index here: :func:`bankwise.counting.bulk.takes` says which instructions fit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
from numba import boolean, int64, njit, types

from bankwise.counting.access import BoolArray, IntArray

_P = ParamSpec("_P")
_R = TypeVar("_R")

REACH_BYTES = 1 << 18
"""Offsets below it have a stamp: more than any GPU has of shared memory."""

_INTEGERS = types.Array(int64, 2, "C", readonly=True)
_BOOLEANS = types.Array(boolean, 2, "C", readonly=True)
_TALLY = boolean(_INTEGERS, _BOOLEANS, _INTEGERS, *[int64] * 4, boolean, int64[:, ::1], int64[::1])


def _part(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A piece of :func:`tally`; a call would count references of its arrays, for every lane."""
    found: Callable[_P, _R] = njit(inline="always")(function)
    return found


def _whole(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compiled for one type, kept on disk for the next process."""
    found: Callable[_P, _R] = njit(_TALLY, cache=True, nogil=True)(function)
    return found


@_part
def _bits(offsets: IntArray, active: BoolArray, served: BoolArray) -> int:
    """All bits of the offsets of lanes that take part: their sign, size and alignment."""
    bits = 0
    for lane in range(len(offsets)):
        bits |= offsets[lane] if active[lane] & served[lane] else 0
    return bits


@_part
def _units(bits: int, width: int) -> tuple[int, int]:
    """(Binary logarithm of a unit's bytes, the most units of a lane): each has that or one less."""
    even = (bits | 16) & -(bits | 16)
    if even < 4:
        return 2, (4 - even + width - 1) // 4 + 1
    shift = 2
    while shift < 4 and (2 << shift) <= min(even, width & -width):
        shift += 1
    return shift, max(width >> shift, 1)


@_part
def _served(groups: IntArray, lanes: int) -> BoolArray:
    """The lanes that are in a phase."""
    found = np.zeros(lanes, np.bool_)
    for group in groups:
        for lane in group:
            found[lane] = True
    return found


@_part
def _paired(offsets: IntArray, active: BoolArray) -> bool:
    """Whether lanes T and T^1, or T and T^2, are at the same place wherever both take part."""
    for step in (1, 2):
        same = True
        for lane in range(len(offsets)):
            other = lane ^ step
            if active[lane] and active[other] and offsets[lane] != offsets[other]:
                same = False
                break
        if same:
            return True
    return False


@_part
def _touch(
    first: np.uint32,
    last: np.uint32,
    before: np.uint32,
    turn: np.uint32,
    serial: bool,
    stamp: np.uint8,
    stamps: npt.NDArray[np.uint8],
    fill: npt.NDArray[np.uint8],
) -> None:
    """Count the units of one lane: ``before`` from the first on, and the last, which may be one
    of them."""
    if serial:
        for unit in range(first, last + np.uint32(1)):
            fill[unit & turn] += np.uint8(1)
        return
    for unit in range(first, first + before):
        fill[unit & turn] += np.uint8(stamps[unit] != stamp)
        stamps[unit] = stamp
    fill[last & turn] += np.uint8(stamps[last] != stamp)
    stamps[last] = stamp


@_part
def _most(fill: npt.NDArray[np.uint8], units: int) -> np.uint8:
    worst = np.uint8(0)
    for bank in range(units):
        worst = max(worst, fill[bank])
    return worst


@_whole
def tally(
    offsets: IntArray,
    mask: BoolArray,
    groups: IntArray,
    width: int,
    banks: int,
    step: int,
    joins: int,
    serial: bool,
    passes: IntArray,
    ideal: IntArray,
) -> bool:
    """Fill in the passes per phase and the ideal of accesses; both arrays come as zeros.

    ``offsets``: [accesses, lanes]; ``mask``: the same, or one row for all; ``groups``: the lanes of
    each phase; ``width`` in bytes; ``step``: of what offsets have to be a multiple; ``joins``: how
    many phases are one where lanes come in equal pairs. False, with the rest left out, at an
    offset that is refused or has no stamp.
    """
    stamps = np.zeros((REACH_BYTES + width) // 4 + 1, np.uint8)
    fill = np.zeros(banks, np.uint8)
    stamp = np.uint8(0)
    span = np.uint32(width - 1)
    served = _served(groups, offsets.shape[1])
    for row in range(len(offsets)):
        own = offsets[row]
        active = mask[row if len(mask) > 1 else 0]
        bits = _bits(own, active, served)
        if bits < 0 or bits >= REACH_BYTES or bits & (step - 1):
            return False
        log, most = _units(bits, width)
        shift, before = np.uint32(log), np.uint32(most - 1)
        units = banks * 4 >> log
        turn = np.uint32(units - 1)
        joined = joins if joins > 1 and _paired(own, active) else 1
        for phase in range(0, len(groups), joined):
            stamp = np.uint8(stamp + np.uint8(1))
            if stamp == 0:
                stamps[:] = 0
                stamp = np.uint8(1)
            for bank in range(units):
                fill[bank] = 0
            for part in range(phase, phase + joined):
                for slot in range(groups.shape[1]):
                    lane = np.uint64(groups[part, slot])
                    if active[lane]:
                        byte = np.uint32(own[lane])
                        first, last = byte >> shift, (byte + span) >> shift
                        _touch(first, last, before, turn, serial, stamp, stamps, fill)
            worst = _most(fill, units)
            passes[row, phase // joined] = worst
            ideal[row] += worst > 0
    return True
