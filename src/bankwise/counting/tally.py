"""The count of :mod:`bankwise.counting.conflict` as loops that numba compiles.

numpy sorts the lanes of a phase. Here ``BLOCK`` phases stand side by side, and each step does the
same few operations on integers to a whole row of them: no branch, no table of what was seen. A
compiler makes vector instructions of that, and it takes as long whatever offsets and masks are.

    starts [place, column]  the first byte of the lane at a place of the phase, or NOBODY
    firsts [place, column]  its word
    fresh  [place, column]  a bit for each word from there on that no lane before it wants
    digits [digit, column]  how many fresh words each bank has, in binary: a bit for each bank

Imported late, by :mod:`bankwise.counting.bulk` alone: it needs the extra ``fast``. Nothing checks
an index here: :func:`bankwise.counting.bulk.takes` says which instructions fit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
from numba import boolean, int64, njit, types, uint32, uint64

from bankwise.counting.access import BoolArray, IntArray
from bankwise.hardware.machine import Instruction

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Words = npt.NDArray[np.uint32]
_Digits = npt.NDArray[np.uint64]

REACH_BYTES = 1 << 31
"""Offsets below it are counted: far more than any GPU has of shared memory."""
NOBODY = np.uint32(0xFFFFFFFF)
BLOCK = 128
"""Phases side by side: so many that a step is long, and few enough to stay in the first caches."""
HALF = np.uint32(16)
"""The bits of ``fresh`` are those of the upper half, so that they can be shifted either way."""
AWAY = np.uint32(31)
"""A shift that leaves none of them: there are fewer than 16."""
TOGETHER = 4
"""Lanes before one that are compared with it at a time."""
DIGITS = 7
"""So many binary digits count to 127."""

_INTEGERS = types.Array(int64, 2, "C", readonly=True)
_BOOLEANS = types.Array(boolean, 2, "C", readonly=True)
_ORDERS = (boolean[::1], int64[::1])
_NUMBERS = (*[int64] * 4, boolean, boolean)
_RESULTS = (int64[::1], int64[::1])
_SPACE = (uint32[::1], *[uint32[:, ::1]] * 3, uint32[::1], uint64[:, ::1])
_TALLY = boolean(_INTEGERS, _BOOLEANS, *_ORDERS, *_NUMBERS, *_RESULTS, *_SPACE)


def _part(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A piece of :func:`_tally`; a call would count references of its arrays."""
    found: Callable[_P, _R] = njit(inline="always")(function)
    return found


def _whole(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compiled for one type, kept on disk for the next process."""
    found: Callable[_P, _R] = njit(_TALLY, cache=True, nogil=True)(function)
    return found


def tally(row: Instruction, offsets: IntArray, mask: BoolArray) -> tuple[IntArray, IntArray] | None:
    """Passes per phase [accesses, phases] and ideal [accesses] of offsets [accesses, lanes].

    ``mask``: the same shape, or one row for all. None at an offset that the machine refuses or
    that is beyond ``REACH_BYTES``.
    """
    count, lanes = offsets.shape
    phases, places = len(row.phases), len(row.phases[0])
    padded = -(-places // TOGETHER) * TOGETHER
    order = np.array(row.phases, np.int64).ravel()
    passes = np.zeros(-(-count * phases // BLOCK) * BLOCK, np.int64)
    ideal = np.zeros(count, np.int64)
    known = _tally(
        offsets,
        mask,
        np.isin(np.arange(lanes), order),
        # What joined phases leave over has no lane: the places behind the last are nobody's.
        np.concatenate([order, np.full(len(order), lanes)]),
        row.width_bytes,
        row.banks,
        max(row.alignment_bytes, 1),
        phases,
        row.merge == "neighbours",
        row.serial,
        passes,
        ideal,
        np.full(lanes + 4, NOBODY),
        np.full((places, BLOCK), NOBODY),
        np.zeros((padded, BLOCK), np.uint32),
        np.zeros((padded, BLOCK), np.uint32),
        np.zeros(BLOCK, np.uint32),
        np.zeros((DIGITS, BLOCK), np.uint64),
    )
    return (passes[: count * phases].reshape(count, phases), ideal) if known else None


@_part
def _standing(offsets: IntArray, active: BoolArray, served: BoolArray, here: _Words) -> int:
    """Fill in where each lane is, NOBODY for those that take no part; all bits of the others'
    offsets: their sign, size and alignment.

    A mask is used as a number: half of the branches on it would be guessed wrong.
    """
    bits = 0
    for lane in range(len(offsets)):
        absent = np.int64(active[lane] & served[lane]) - 1
        bits |= offsets[lane] & ~absent
        here[lane] = offsets[lane] | absent
    return bits


@_part
def _pair(here: _Words) -> int:
    """1 or 2: lanes T and T ^ 1, or T and T ^ 2, are at one place wherever both take part; or 0."""
    for step in (1, 2):
        same = True
        for lane in range(len(here)):
            mine, other = here[lane], here[lane ^ step]
            if mine != other and max(mine, other) != NOBODY:
                same = False
                break
        if same:
            return step
    return 0


@_part
def _gather(
    here: _Words, order: IntArray, begin: int, pair: int, starts: _Words, column: np.uint64
) -> None:
    """Put the lanes of a phase, or of joined ones, into a column.

    Of each equal pair of joined phases one lane stands for both, so that they fit: every second
    one from ``begin`` on is left out, or every second two.
    """
    for place in range(len(starts)):
        lane = np.uint64(order[np.uint64(begin + place + (place & -pair))])
        starts[place, column] = min(here[lane], here[lane ^ np.uint64(pair)])


@_part
def _clear(fresh: _Words, digits: _Digits) -> None:
    for place in range(len(fresh)):
        for column in range(BLOCK):
            fresh[place, column] = np.uint32(0)
    for power in range(DIGITS):
        for column in range(BLOCK):
            digits[power, column] = np.uint64(0)


@_part
def _begin(place: int, starts: _Words, firsts: _Words, taken: _Words) -> None:
    for column in range(BLOCK):
        firsts[place, column] = starts[place, column] >> np.uint32(2)
        taken[column] = np.uint32(0)


@_part
def _taken(place: int, firsts: _Words, fresh: _Words, taken: _Words) -> None:
    """The words of a lane that lanes before it want: a bit for each from its first one on.

    Places from this one on are still empty, so that whole steps may reach beyond it.
    """
    for before in range(0, place, TOGETHER):
        for column in range(BLOCK):
            same = np.uint32(0)
            for other in range(before, before + TOGETHER):
                apart = np.uint32(firsts[place, column] + HALF - firsts[other, column])
                same |= np.uint32(fresh[other, column] >> min(apart, AWAY))
            taken[column] |= same


@_part
def _want(
    place: int, starts: _Words, span: np.uint32, firsts: _Words, taken: _Words, fresh: _Words
) -> None:
    """The words of a lane but for those that are taken; its last byte is ``span`` behind the
    first."""
    for column in range(BLOCK):
        start = starts[place, column]
        more = np.uint32((start + span) >> np.uint32(2)) - firsts[place, column]
        words = np.uint32(np.uint32(2) << np.uint32(more % HALF)) - np.uint32(1)
        words = words & ~taken[column] if start != NOBODY else np.uint32(0)
        fresh[place, column] = words << HALF


@_part
def _banks(first: np.uint32, fresh: np.uint32, last: np.uint64) -> np.uint64:
    """The banks of words, a bit each; ``last`` is the number of the last bank."""
    turn, wide = np.uint64(first) & last, np.uint64(fresh >> HALF)
    every = ~np.uint64(0) >> (np.uint64(63) - last)
    return (wide << turn | wide >> np.uint64(1) >> (last - turn)) & every


@_part
def _add(place: int, firsts: _Words, fresh: _Words, last: np.uint64, digits: _Digits) -> None:
    """Add the words of two lanes to what every bank has: a full adder, then carries."""
    for column in range(BLOCK):
        one = _banks(firsts[place, column], fresh[place, column], last)
        two = _banks(firsts[place + 1, column], fresh[place + 1, column], last)
        digit = digits[0, column]
        digits[0, column] = digit ^ one ^ two
        carry = one & two | (one ^ two) & digit
        for power in range(1, DIGITS):
            digit = digits[power, column]
            digits[power, column] = digit ^ carry
            carry &= digit


@_part
def _count(
    starts: _Words,
    width: int,
    banks: int,
    serial: bool,
    firsts: _Words,
    fresh: _Words,
    taken: _Words,
    digits: _Digits,
) -> None:
    """What every bank has, of a block; lanes one after the other, then two by two."""
    span, last = np.uint32(width - 1), np.uint64(banks - 1)
    _clear(fresh, digits)
    for place in range(len(starts)):
        _begin(place, starts, firsts, taken)
        if not serial:
            _taken(place, firsts, fresh, taken)
        _want(place, starts, span, firsts, taken, fresh)
    for place in range(0, len(starts), 2):
        _add(place, firsts, fresh, last, digits)


@_part
def _most(digits: _Digits, passes: IntArray) -> None:
    """The most that a bank has: of the banks that are left, those with the next digit set stay."""
    for column in range(BLOCK):
        left = ~np.uint64(0)
        most = 0
        for power in range(DIGITS - 1, -1, -1):
            some = left & digits[power, column]
            most = most + most + (some != np.uint64(0))
            left = some if some != np.uint64(0) else left
        passes[column] = most


@_whole
def _tally(
    offsets: IntArray,
    mask: BoolArray,
    served: BoolArray,
    order: IntArray,
    width: int,
    banks: int,
    step: int,
    phases: int,
    joins: bool,
    serial: bool,
    passes: IntArray,
    ideal: IntArray,
    here: _Words,
    starts: _Words,
    firsts: _Words,
    fresh: _Words,
    taken: _Words,
    digits: _Digits,
) -> bool:
    """Fill in the passes of all phases and the ideal of accesses.

    ``served``: the lanes that are in a phase; ``order``: the lanes of each phase; ``width`` in
    bytes; ``step``: of what offsets have to be a multiple; ``joins``: two phases are one where
    lanes come in equal pairs; from ``here`` on space to work in. False, with the rest left out, at
    an offset that is refused.
    """
    done = 0
    for row in range(len(offsets)):
        bits = _standing(offsets[row], mask[row if len(mask) > 1 else 0], served, here)
        if bits < 0 or bits >= REACH_BYTES or bits & (step - 1):
            return False
        pair = _pair(here) if joins else 0
        for phase in range(phases):
            begin = (phase + phase if pair else phase) * len(starts)
            _gather(here, order, begin, pair, starts, np.uint64(done % BLOCK))
            done += 1
            if done % BLOCK == 0 or done == len(offsets) * phases:
                _count(starts, width, banks, serial, firsts, fresh, taken, digits)
                _most(digits, passes[(done - 1) // BLOCK * BLOCK :])
    for row in range(len(offsets)):
        for phase in range(phases):
            ideal[row] += passes[row * phases + phase] > 0
    return True
