"""Values of a simulated kernel: integers are computed, everything else is a term.

A register holds 64 bits of every thread. What integer instructions make is their result. What any
other instruction makes (``fma.rn.f32``, ``ex2.approx``, a byte of global memory that nobody wrote)
is a term: a hash of the instruction's name and of its operands, cut to the width of its type. Two
runs that apply the same operations to the same values have equal terms; two that do not have equal
ones by a chance of 2^-32 for each word.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.uint64]
"""One number for each thread."""

_STEP, _FIRST, _SECOND = (
    np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
_SHIFTS = tuple(np.uint64(n) for n in (30, 27, 31))


def mixed(values: Values) -> Values:
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014): a permutation of 64-bit numbers."""
    return _mix(np.atleast_1d(values) + _STEP)


def _mix(found: Values) -> Values:
    """What :func:`mixed` does behind its first step, in place."""
    found ^= found >> _SHIFTS[0]
    found *= _FIRST
    found ^= found >> _SHIFTS[1]
    found *= _SECOND
    found ^= found >> _SHIFTS[2]
    return found


@cache
def number_of(name: str) -> np.uint64:
    """A number for a word, the same in every process."""
    data = name.encode()
    return np.uint64(zlib.crc32(data) | zlib.crc32(data[::-1]) << 32)


@cache
def _weights(count: int, together: int) -> Values:
    """Odd factors of operands, [count, 1]: one for all that may change places."""
    numbers = [0 if n < together else n + 1 for n in range(count)]
    return mixed(np.array(numbers, np.uint64))[:, None] | np.uint64(1)


def term(name: str, operands: Sequence[Values], *, together: int = 0, bits: int = 64) -> Values:
    """The term of an operation on the lowest ``bits`` of its operands; of the first ``together`` of
    them the order does not matter."""
    if not operands:
        return mixed(np.array([number_of(name)]))
    given = mixed(masked(np.array(operands), bits))
    given *= _weights(len(operands), together)
    return mixed(np.add.reduce(given, axis=0) ^ number_of(name))


def terms(
    numbers: Values, count: int, *, together: int, bits: int, wide: int
) -> Callable[[Values], Values]:
    """The terms of several operations of ``count`` operands, cut to ``wide`` bits, as a function of
    what these are, [operations, operands, threads], which it uses up. ``numbers``: of the
    operations' names (:func:`number_of`), [operations, 1]."""
    weights = _weights(count, together)
    low, kept = (np.uint64((1 << n) - 1) for n in (bits, wide))

    def make(given: Values) -> Values:
        if bits < 64:
            given &= low
        given += _STEP
        _mix(given)
        given *= weights
        found: Values = np.add.reduce(given, axis=1)
        found ^= numbers
        found += _STEP
        _mix(found)
        if wide < 64:
            found &= kept
        return found

    return make


def masked(values: Values, bits: int) -> Values:
    """The lowest bits."""
    return values if bits >= 64 else values & np.uint64((1 << bits) - 1)


def signed(values: Values, bits: int) -> NDArray[np.int64]:
    """The lowest bits as a signed number."""
    up = np.uint64(64 - bits)
    return np.asarray((values << up).view(np.int64) >> np.int64(64 - bits))
