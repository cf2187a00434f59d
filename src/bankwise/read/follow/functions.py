"""Functions of register contents: of known arrays, and of what is known of values that are not.

A function that is only called is unknown where one of its operands is. Some say more: a sum keeps
what is known of its lanes (:class:`LaneSum`), and a comparison, or what is made bit by bit, may be
the same in all blocks of a part of the grid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from inspect import signature
from operator import is_

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.identity import ByIdentity
from bankwise.read.follow.blocks import OverBlocks, bitwise, compared, summed, upper_word
from bankwise.read.follow.values import (
    ANY,
    Array,
    Unknown,
    Value,
    is_uniform,
    lane_part,
    low_word,
    mixed,
    multiple_of,
    power_of_two,
    set_bits,
)
from bankwise.read.launch.boxes import Residues


def apply(function: Callable[..., Array], *values: Value) -> Value:
    """``function`` of the arrays, or unknown if one of them is."""
    for value in values:
        if isinstance(value, Unknown):
            found = mixed(values)
            if isinstance(function, LaneSum | Ordering | Bitwise | UpperWord):
                return function.unknown(found, values)
            return found
    return function(*values)


class LaneSum(ByIdentity, frozen=True, eq=False):
    """A function whose low 32 bits are a sum of its operands' low 32 bits, but for ``factors``, of
    which something else is a term: a product, where it is linear in them once one of ``scales`` is
    known.

        add              LaneSum(add)                    x + y
        multiply-add     LaneSum(.., (0, 1), (0, 1))     x * y + z
        shift left       LaneSum(.., (0, 1), (1,))       x * 2 ** n

    Each operand may be u + l, u one number of the wave and l a part that is known in each lane. As
    u * c with c alike in all lanes is one number of the wave again, what remains is the function of
    all l.
    """

    function: Callable[..., Array]
    factors: tuple[int, ...] = ()
    scales: tuple[int, ...] = ()

    def __call__(self, *values: Array, **bits: int) -> Array:
        """The function of known values."""
        return self.function(*values, **bits)

    def unknown(self, found: Unknown, values: tuple[Value, ...]) -> Value:
        """``found``, the function of ``values``, with what is known of its lanes and blocks; the
        number where all blocks of a part of the grid have the same (``x - (x & ~127)``)."""
        found = self._in_lanes(found, values)
        linear = not any(isinstance(values[n], Unknown) for n in self.factors)
        linear |= sum(isinstance(values[n], Unknown) for n in self.factors) == 1 and any(
            not isinstance(values[n], Unknown) for n in self.scales
        )
        operands = over_blocks(values) if linear else None
        if operands is None:
            return found
        over = summed(self.function, operands)
        alike = not over.wide and not any(step.any() for step in over.steps)
        return over.first if alike else replace(found, over=over)

    def _in_lanes(self, found: Unknown, values: tuple[Value, ...]) -> Unknown:
        fixed = not any(isinstance(values[n], Unknown) for n in self.factors)
        fixed |= any(_is_fixed(values[n]) for n in self.scales)
        if not fixed and not all(is_uniform(values[n]) for n in self.factors):
            return found
        parts = [lane_part(value) for value in values]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return found
        lanes = low_word(self.function(*known))
        multiple = self._multiple(values, known, lanes) if fixed else 1
        if found.uniform:
            return replace(found, multiple_of=power_of_two(multiple | set_bits(lanes)))
        return replace(found, lanes=lanes, multiple_of=multiple)

    def _multiple(self, values: tuple[Value, ...], parts: list[Array], lanes: Array) -> int:
        """What divides the number of the wave in the result: what it grows by with each part."""
        found = 0
        for n, value in enumerate(values):
            if isinstance(value, Unknown):
                step = parts[n].astype(np.uint32) + np.uint32(multiple_of(value) % ANY)
                moved = [*parts[:n], step, *parts[n + 1 :]]
                found |= set_bits(low_word(self.function(*moved)) - lanes)
        return power_of_two(found)


class Ordering(ByIdentity, frozen=True, eq=False):
    """A comparison of two numbers of 32 bits, ``is_signed`` or not. ``halves``: each outcome is a
    half-space, as of ``<``; of ``==`` it is not."""

    test: Callable[[Array, Array], Array]
    is_signed: bool
    halves: bool

    def __call__(self, x: Array, y: Array) -> Array:
        """Of known values."""
        return self.test(x, y)

    def unknown(self, found: Unknown, values: tuple[Value, ...]) -> Value:
        """``found``, or what all blocks of a part of the grid decide alike."""
        pair = over_blocks(values)
        if pair is None or any(_width(one) != 4 for one in pair):
            return found
        told = compared(self.test, pair, self.is_signed, self.halves)
        return told if isinstance(told, np.ndarray) else replace(found, cut=told)


class Bitwise(ByIdentity, frozen=True, eq=False):
    """A function of words, each bit of whose result is one of their own bits' alone. ``of``: those
    whose bits these are, where others say which (a shift to the right, a field); all if none."""

    function: Callable[..., Array]
    of: tuple[int, ...] = ()

    def __call__(self, *values: Array, **bits: int) -> Array:
        """Of known values."""
        return self.function(*values, **bits)

    def unknown(self, found: Unknown, values: tuple[Value, ...]) -> Value:
        """``found``, or what it is in all blocks of a part of the grid."""
        operands = over_blocks(values)
        if operands is None:
            return found
        words = [n for n, one in enumerate(operands) if _width(one) == 4]
        moving = [n for n, one in enumerate(operands) if isinstance(one, OverBlocks)]
        of = self.of or range(len(operands))
        if not set(moving) <= set(of) <= set(words):
            return found
        told = bitwise(self.function, operands, in_place=not self.of)
        if isinstance(told, Residues):
            return replace(found, cut=told)
        return told if isinstance(told, np.ndarray) else replace(found, over=told)


class UpperWord(Struct, frozen=True):
    """The upper word of a product of two words, ``is_signed`` or not, and two words, low and high,
    that are added to it."""

    is_signed: bool

    def __call__(self, x: Array, y: Array, low: Array, high: Array) -> Array:
        """Of known values."""
        kind = np.int32 if self.is_signed else np.uint32
        first, second = (one.view(kind).astype(object) for one in (x, y))
        total = first * second + low.astype(object) + high.astype(object) * (1 << 32)
        return np.asarray((total // (1 << 32) % (1 << 32)).astype(np.uint32))

    def unknown(self, found: Unknown, values: tuple[Value, ...]) -> Value:
        """``found``, or what it is in all blocks of a part of the grid."""
        operands = over_blocks(values)
        if operands is None or any(_width(one) != 4 for one in operands):
            return found
        x, y, low, high = operands
        told = upper_word(x, y, low, high, self.is_signed)
        return found if told is None else told


def over_blocks(values: Iterable[Value]) -> list[Array | OverBlocks] | None:
    """What values are in each block of a part of the grid; None if that is not known of all."""
    found = [value.over if isinstance(value, Unknown) else value for value in values]
    known = [one for one in found if one is not None]
    return known if len(known) == len(found) else None


def _width(one: Array | OverBlocks) -> int:
    """Bytes of a number."""
    return (8 if one.wide else 4) if isinstance(one, OverBlocks) else one.dtype.itemsize


def _is_fixed(value: Value) -> bool:
    return not isinstance(value, Unknown) and is_uniform(value)


@cache
def operands_of(function: Callable[..., Array]) -> int:
    """How many arrays ``function`` takes; a parameter called ``bits`` is none."""
    if isinstance(function, np.ufunc):
        return function.nin
    if isinstance(function, LaneSum | Bitwise):
        return operands_of(function.function)
    return sum(name != "bits" for name in signature(function).parameters)


def remembering(function: Callable[..., Value]) -> Callable[..., Value]:
    """``function``, which remembers its last result: in a loop most operands stay what they were.

    Values are never changed in place, so the same arrays give the same result.
    """
    operands: tuple[Value, ...] | None = None
    result: Value = Unknown("")

    def call(*values: Value) -> Value:
        nonlocal operands, result
        if operands is None or not all(map(is_, values, operands)):
            operands, result = values, function(*values)
        return result

    return call


def choose(condition: Array, yes: Array, no: Array) -> Array:
    """``yes`` in the lanes where ``condition`` holds, else ``no``."""
    return np.asarray(np.where(condition, yes, no))
