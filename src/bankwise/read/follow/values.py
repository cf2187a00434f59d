"""Register contents: one integer for every thread, or an honest "unknown".

A known value is an unsigned integer array that broadcasts to [waves, lanes]: [1, 1] for a constant,
[waves, 1] for a scalar register, [waves, lanes] for a vector register. Predicates are boolean
arrays. Arithmetic with an unknown operand is unknown, and says why: the first cause is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cache, lru_cache, reduce
from inspect import signature
from operator import is_, or_
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from bankwise.identity import ByIdentity
from bankwise.read.follow.blocks import OverBlocks, bitwise, compared, summed, upper_word
from bankwise.read.launch.boxes import Cut

Array = npt.NDArray[Any]

Tags = tuple[Hashable, ...]
"""Conditions, each within the one before: what the lanes of a mask have in common."""

_ANY = 1 << 32
"""What divides 0."""

Space = Literal["", "launch", "global"]
"""Which generic address an unknown value may be. "global": one in a buffer of the launch, or a part
of it; "launch": made of what the launch passes and of plain numbers, so none of shared or private
memory, whose addresses begin with the machine's apertures; "": any."""

LOADED, READ = "a value loaded from memory", "a value read from shared memory"
"""Reasons of what memory gives: data, which no fact of a launch decides."""

APERTURES = frozenset((0x5A3C, 0x9D17, 0xA5C3, 0x62E8))
"""Numbers that stand for the upper 16 bits of generic addresses of shared and private memory."""


class Choices(ByIdentity, frozen=True, eq=False):
    """What a word is for every outcome of some unknown words.

    ``unknown``: their numbers, ascending. Each bit of ``words[n]`` is what the word has where the
    unknown word number i of the list has there bit i of n.
    """

    unknown: tuple[int, ...]
    words: tuple[Array, ...]


class Unknown(ByIdentity, frozen=True, eq=False):
    """A value that the text alone does not give.

    ``reason`` and ``line`` name the first cause. ``uniform``: equal in all lanes of a wave.
    ``choices``: what is known of its bits, None if nothing is. ``subset_of``: tags of the
    conditions that hold in every lane of this mask. ``pointer``: what a pointer points to, and how
    far behind its start ("kernarg", 8). ``space``: which generic address it may be, see
    :data:`Space`. ``fact``: the fact of the launch that the first cause is, as ``--arg`` names it;
    empty if it is none. ``lanes``: of one that is not uniform, uint32: its low 32 bits are these
    and a number of the whole wave, which nobody knows. ``multiple_of``: a power of two that divides
    that number, or a uniform value. ``instead``: of an address, known ones that differ from it by
    one number of each wave alone, or that cost the same whatever it is. ``over``: what it is in
    each block of the part of the grid that is followed; ``cut``: where that part is to be cut,
    since the blocks behind it differ from those before.
    """

    reason: str
    line: int = 0
    uniform: bool = False
    choices: Choices | None = None
    subset_of: Tags = ()
    pointer: tuple[str, int] | None = None
    space: Space = ""
    fact: str = ""
    lanes: Array | None = None
    multiple_of: int = 1
    instead: Array | None = None
    over: OverBlocks | None = None
    cut: Cut | None = None

    def __str__(self) -> str:
        return f"{self.reason} (line {self.line})" if self.line else self.reason


Value = Array | Unknown


@lru_cache(maxsize=4096)
def constant(number: int, dtype: npt.DTypeLike = np.uint32) -> Array:
    """``number`` modulo the size of ``dtype``, as an array [1, 1]."""
    kind = np.dtype(dtype)
    return np.full((1, 1), number % (1 << (8 * kind.itemsize)), kind)


def is_uniform(value: Value) -> bool:
    """Whether all lanes of each wave hold the same."""
    if isinstance(value, Unknown):
        return value.uniform
    return value.shape[-1] == 1 or bool((value == value[:, :1]).all())


def alike(condition: Value, lanes: npt.NDArray[np.bool_]) -> bool:
    """Whether ``lanes`` of each wave decide a condition alike."""
    if isinstance(condition, Unknown):
        return condition.uniform
    return not ((lanes & condition).any(axis=1) & (lanes & ~condition).any(axis=1)).any()


def mixed(values: tuple[Value, ...]) -> Unknown:
    """The result of arithmetic in which at least one operand is unknown; what no block knows is its
    cause, before what each block knows of itself."""
    unknown = (v for v in values if isinstance(v, Unknown))
    first = min(unknown, key=lambda v: v.over is not None)
    uniform = all(is_uniform(v) for v in values)
    return because(first, uniform, space_of(values))


def because(why: Unknown, uniform: bool = False, space: Space = "") -> Unknown:
    """A value of which nothing is known, for the cause of another."""
    return Unknown(why.reason, why.line, uniform, space=space, fact=why.fact, cut=why.cut)


def space_of(values: Iterable[Value]) -> Space:
    """The space of what is made of ``values`` alone."""
    spaces = {v.space if isinstance(v, Unknown) else _plain(v) for v in values}
    return "" if "" in spaces else "global" if spaces == {"global"} else "launch"


def _plain(value: Array) -> Space:
    """Of a known value: "launch" if none of its numbers begins with an aperture."""
    if value.dtype == np.bool_:
        return "launch"
    upper = np.asarray(value) >> value.dtype.type(8 * value.dtype.itemsize - 16)
    return "" if APERTURES & set(upper.ravel().tolist()) else "launch"


def either(condition: Unknown, yes: Value, no: Value) -> Value:
    """One of two values, nobody knows which."""
    if not isinstance(yes, Unknown) and not isinstance(no, Unknown) and np.array_equal(yes, no):
        return yes
    found = replace(mixed((condition, yes, no)), space=space_of((yes, no)))
    return in_step(found, (yes, no)) if condition.uniform else found


def displaced(total: Value, *parts: Value) -> Value:
    """``total``, a sum of ``parts``: what is added to a pointer leads to no other memory."""
    if not isinstance(total, Unknown):
        return total
    unknown = {part.space for part in parts if isinstance(part, Unknown)}
    plain = all(isinstance(part, Unknown) or _plain(part) for part in parts)
    return replace(total, space="global") if "global" in unknown and plain else total


def apply(function: Callable[..., Array], *values: Value) -> Value:
    """``function`` of the arrays, or unknown if one of them is."""
    for value in values:
        if isinstance(value, Unknown):
            found = mixed(values)
            if isinstance(function, LaneSum | Ordering | Bitwise | UpperWord):
                return function.unknown(found, values)
            return found
    return function(*values)


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
    """A function of words, each bit of whose result is one of their own bits' alone."""

    function: Callable[..., Array]

    def __call__(self, *values: Array, **bits: int) -> Array:
        """Of known values."""
        return self.function(*values, **bits)

    def unknown(self, found: Unknown, values: tuple[Value, ...]) -> Value:
        """``found``, or what it is in all blocks of a part of the grid."""
        operands = over_blocks(values)
        if operands is None or any(_width(one) != 4 for one in operands):
            return found
        told = bitwise(self.function, operands)
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

    def unknown(self, found: Unknown, values: tuple[Value, ...]) -> Unknown:
        """``found``, the function of ``values``, with what is known of its lanes and blocks."""
        found = self._in_lanes(found, values)
        linear = not any(isinstance(values[n], Unknown) for n in self.factors)
        linear |= sum(isinstance(values[n], Unknown) for n in self.factors) == 1 and any(
            not isinstance(values[n], Unknown) for n in self.scales
        )
        operands = over_blocks(values) if linear else None
        return found if operands is None else replace(found, over=summed(self.function, operands))

    def _in_lanes(self, found: Unknown, values: tuple[Value, ...]) -> Unknown:
        fixed = not any(isinstance(values[n], Unknown) for n in self.factors)
        fixed |= any(_is_fixed(values[n]) for n in self.scales)
        if not fixed and not all(is_uniform(values[n]) for n in self.factors):
            return found
        parts = [lane_part(value) for value in values]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return found
        lanes = _low(self.function(*known))
        multiple = self._multiple(values, known, lanes) if fixed else 1
        if found.uniform:
            return replace(found, multiple_of=_divisor(multiple | _bits(lanes)))
        return replace(found, lanes=lanes, multiple_of=multiple)

    def _multiple(self, values: tuple[Value, ...], parts: list[Array], lanes: Array) -> int:
        """What divides the number of the wave in the result: what it grows by with each part."""
        found = 0
        for n, value in enumerate(values):
            if isinstance(value, Unknown):
                step = parts[n].astype(np.uint32) + np.uint32(multiple_of(value) % _ANY)
                moved = [*parts[:n], step, *parts[n + 1 :]]
                found |= _bits(_low(self.function(*moved)) - lanes)
        return _divisor(found)


def _divisor(bits: int) -> int:
    """The largest power of two that divides all numbers of these bits."""
    return bits & -bits or _ANY


def _is_fixed(value: Value) -> bool:
    return not isinstance(value, Unknown) and is_uniform(value)


def _low(value: Array) -> Array:
    return value.view(np.ndarray).astype(np.uint32)


def lane_part(value: Value) -> Array | None:
    """What is known of a value beside one number of each wave, a multiple of :func:`multiple_of`;
    None if nothing is."""
    if not isinstance(value, Unknown):
        return value
    return constant(0) if value.uniform else value.lanes


def multiple_of(value: Unknown) -> int:
    """A power of two that divides the number of the wave that nobody knows."""
    if not value.uniform or value.choices is None:
        return value.multiple_of
    bits = _bits(*value.choices.words)
    return max(value.multiple_of, bits & -bits)


def in_step(found: Unknown, values: tuple[Value, ...]) -> Unknown:
    """``found``, in each wave one of ``values``: its lanes are known where all have the same part,
    up to a number of each wave."""
    parts = [lane_part(value) for value in values]
    known = [_low(part) for part in parts if part is not None and part.dtype != np.bool_]
    if len(known) < len(parts):
        return found
    lanes = constant(0) if found.uniform else known[0]
    apart = [part - lanes for part in known]
    if not all(map(is_uniform, apart)):
        return found
    bits = reduce(or_, (multiple_of(v) for v in values if isinstance(v, Unknown)), _bits(*apart))
    return replace(found, lanes=None if found.uniform else lanes, multiple_of=_divisor(bits))


def beside(why: Unknown, array: Array, known: npt.NDArray[np.bool_]) -> Unknown:
    """Unknown in some waves; in others, whose lanes ``known`` has, the numbers of ``array``."""
    if not known.any():
        return why
    waves, part = known.any(axis=1, keepdims=True), lane_part(why)
    full = np.broadcast_to(array.view(np.ndarray), known.shape)
    first = np.take_along_axis(full, known.argmax(axis=1)[:, None], axis=1)
    uniform = why.uniform and bool((full == first)[known].all())
    found = because(why, uniform, space_of((why, array)))
    if why.instead is not None:
        found = replace(found, instead=np.where(waves, full, why.instead))
    if array.dtype == np.bool_ or part is None:
        return found
    if uniform:
        bits = multiple_of(why) | _bits(np.where(waves, _low(first), np.uint32(0)))
        return replace(found, multiple_of=_divisor(bits))
    lanes = np.where(waves, _low(full), np.asarray(_low(part)))
    return replace(found, lanes=lanes, multiple_of=multiple_of(why))


def of_one_lane(value: Unknown) -> Unknown:
    """One lane's number for the whole wave."""
    multiple, over = (value.multiple_of, value.over) if value.uniform else (1, None)
    return replace(value, uniform=True, lanes=None, multiple_of=multiple, over=over)


def _bits(*words: Array) -> int:
    """The bits that are set in some of them."""
    return reduce(or_, (int(np.bitwise_or.reduce(word, axis=None)) for word in words), 0)


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


@cache
def operands_of(function: Callable[..., Array]) -> int:
    """How many arrays ``function`` takes; a parameter called ``bits`` is none."""
    if isinstance(function, np.ufunc):
        return function.nin
    if isinstance(function, LaneSum | Bitwise):
        return operands_of(function.function)
    return sum(name != "bits" for name in signature(function).parameters)


def key(value: Value | None, names: dict[Hashable, int]) -> Hashable:
    """Equal for values that no later instruction can tell apart; ``names``: of unknown words, in
    the order in which they came."""
    if value is None:
        return None
    if isinstance(value, Unknown):
        lanes = None if value.lanes is None else content(value.lanes)
        over = value.over and (value.over.wide, *map(content, value.over.arrays))
        part = (value.uniform, value.pointer, value.space, lanes, value.multiple_of, over)
        if value.choices is None and not value.subset_of:
            return part
        bits = _key(value.choices, names)
        tags = tuple(names.setdefault(("condition", tag), len(names)) for tag in value.subset_of)
        return (*part, bits, tags)
    return content(value)


def content(of: Array | Choices) -> Hashable:
    """Shape and bytes of an array, of all words of choices. Neither is ever changed in place, so
    they are remembered."""
    found = _CONTENTS.get(id(of))
    if found is not None and found[0] is of:
        return found[1]
    if len(_CONTENTS) >= _MOST_CONTENTS:
        _CONTENTS.clear()
    new: Hashable = (
        tuple(map(content, of.words)) if isinstance(of, Choices) else (of.shape, of.tobytes())
    )
    _CONTENTS[id(of)] = (of, new)
    return new


_CONTENTS: dict[int, tuple[Array | Choices, Hashable]] = {}
_MOST_CONTENTS = 8_192


def _key(choices: Choices | None, names: dict[Hashable, int]) -> Hashable:
    if choices is None:
        return None
    unknown = tuple(names.setdefault(one, len(names)) for one in choices.unknown)
    return unknown, content(choices)
