"""Register contents: one integer for every thread, or an honest "unknown".

A known value is an unsigned integer array that broadcasts to [waves, lanes]: [1, 1] for a constant,
[waves, 1] for a scalar register, [waves, lanes] for a vector register. Predicates are boolean
arrays. Arithmetic with an unknown operand is unknown, and says why: the first cause is kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache, reduce
from operator import or_
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from bankwise.identity import ByIdentity
from bankwise.read.follow.blocks import OverBlocks
from bankwise.read.launch.boxes import Cut, Residues

Array = npt.NDArray[Any]

Tags = tuple[Hashable, ...]
"""Conditions, each within the one before: what the lanes of a mask have in common."""

ANY = 1 << 32
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
    cut: Cut | Residues | None = None

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
    return value.shape[-1] == 1 or not np.count_nonzero(value != value[:, :1])


def alike(condition: Value, lanes: npt.NDArray[np.bool_]) -> bool:
    """Whether ``lanes`` of each wave decide a condition alike."""
    if isinstance(condition, Unknown):
        return condition.uniform
    return not ((lanes & condition).any(axis=1) & (lanes & ~condition).any(axis=1)).any()


def single(lanes: npt.NDArray[np.bool_]) -> bool:
    """Whether no wave has two of ``lanes``, so that whatever these decide they decide alike."""
    return int(np.count_nonzero(lanes, axis=1).max(initial=0)) <= 1


def mixed(values: tuple[Value, ...]) -> Unknown:
    """The result of arithmetic in which at least one operand is unknown; what no block knows is its
    cause, before what each block knows of itself."""
    first: Unknown | None = None
    uniform = True
    for value in values:
        uniform = uniform and is_uniform(value)
        if isinstance(value, Unknown) and (
            first is None or (first.over is not None and value.over is None)
        ):
            first = value
    assert first is not None
    return because(first, uniform, space_of(values))


def because(why: Unknown, uniform: bool = False, space: Space = "") -> Unknown:
    """A value of which nothing is known, for the cause of another."""
    return Unknown(why.reason, why.line, uniform, space=space, fact=why.fact, cut=why.cut)


def space_of(values: Iterable[Value]) -> Space:
    """The space of what is made of ``values`` alone."""
    every, found = tuple(values), set[Space]()
    for one in every:  # known ones are looked at if they decide
        if isinstance(one, Unknown):
            if not one.space:
                return ""
            found.add(one.space)
    for one in every:
        if not isinstance(one, Unknown):
            if not _plain(one):
                return ""
            found.add("launch")
    return "global" if found == {"global"} else "launch"


def _plain(value: Array) -> Space:
    """Of a known value: "launch" if none of its numbers begins with an aperture."""
    if value.dtype == np.bool_:
        return "launch"
    if value.size == 1:
        return "" if value.item() >> 8 * value.dtype.itemsize - 16 in APERTURES else "launch"
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


def power_of_two(bits: int) -> int:
    """The largest power of two that divides all numbers of these bits."""
    return bits & -bits or ANY


def low_word(value: Array) -> Array:
    """The lower 32 bits of a number."""
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
    bits = set_bits(*value.choices.words)
    return max(value.multiple_of, bits & -bits)


def in_step(found: Unknown, values: tuple[Value, ...]) -> Unknown:
    """``found``, in each wave one of ``values``: its lanes are known where all have the same part,
    up to a number of each wave."""
    parts = [lane_part(value) for value in values]
    known = [low_word(part) for part in parts if part is not None and part.dtype != np.bool_]
    if len(known) < len(parts):
        return found
    lanes = constant(0) if found.uniform else known[0]
    apart = [part - lanes for part in known]
    if not all(map(is_uniform, apart)):
        return found
    bits = reduce(or_, (multiple_of(v) for v in values if isinstance(v, Unknown)), set_bits(*apart))
    return replace(found, lanes=None if found.uniform else lanes, multiple_of=power_of_two(bits))


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
        bits = multiple_of(why) | set_bits(np.where(waves, low_word(first), np.uint32(0)))
        return replace(found, multiple_of=power_of_two(bits))
    lanes = np.where(waves, low_word(full), np.asarray(low_word(part)))
    return replace(found, lanes=lanes, multiple_of=multiple_of(why))


def of_one_lane(value: Unknown) -> Unknown:
    """One lane's number for the whole wave."""
    multiple, over = (value.multiple_of, value.over) if value.uniform else (1, None)
    return replace(value, uniform=True, lanes=None, multiple_of=multiple, over=over)


def set_bits(*words: Array) -> int:
    """The bits that are set in some of them."""
    return reduce(or_, (int(np.bitwise_or.reduce(word, axis=None)) for word in words), 0)
