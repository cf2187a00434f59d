"""Bitwise operations on words of which nobody knows some: masks of lanes under unknown conditions.

An unknown word that is only moved and combined bit by bit keeps what is known of it: for every
outcome of the words that it was made of (:class:`Choices`), what it would be. So code that parts
lanes and brings them together again ends with the mask that it began with:

    then = exec & cond         cond 0: nothing     cond 1: exec
    else = exec ^ then         cond 0: exec        cond 1: nothing
    exec = then | else         exec in both: known, whatever the condition was
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import reduce
from itertools import count
from typing import Any

import numpy as np
from msgspec.structs import replace

from bankwise.read.follow.functions import Bitwise
from bankwise.read.follow.marks import swizzle
from bankwise.read.follow.values import Array, Choices, Tags, Unknown, Value, constant, mixed

_MOST_WORDS = 5
"""Unknown words that one word is followed through; of what is made of more, only the bits that may
be set and those that are for sure are kept."""

_number = count(1)


def conjunction(a: Value, b: Value) -> Value:
    """Bitwise and."""
    return _bitwise(np.bitwise_and, a, b, tuple(dict.fromkeys(_tags(a) + _tags(b))))


def disjunction(a: Value, b: Value) -> Value:
    """Bitwise or."""
    return _bitwise(np.bitwise_or, a, b, common_tags(a, b))


def difference(a: Value, b: Value) -> Value:
    """Bitwise exclusive or, which marks the bits that it swizzles."""
    if not isinstance(a, Unknown) and not isinstance(b, Unknown):
        return swizzle(a, b, a ^ b)
    return _bitwise(np.bitwise_xor, a, b, common_tags(a, b))


def without(a: Value, b: Value) -> Value:
    """``a & ~b``, which never has a bit that ``a`` has not."""
    return _bitwise(lambda x, y: x & ~y, a, b, _tags(a))


def complement(a: Value) -> Value:
    """Bitwise not."""
    if not isinstance(a, Unknown):
        return np.asarray(~a)
    why, held = mixed((a,)), a.choices
    if held is None:
        return why
    return replace(why, choices=Choices(held.unknown, tuple(~word for word in held.words)))


def bound(value: Value) -> Array:
    """The bits that may be set."""
    return reduce(np.bitwise_or, _choices(value, np.dtype(np.uint32)).words)


def _bitwise(function: Callable[[Array, Array], Array], a: Value, b: Value, tags: Tags) -> Value:
    if not isinstance(a, Unknown) and not isinstance(b, Unknown):
        return function(a, b)
    why = Bitwise(function).unknown(mixed((a, b)), (a, b))
    if not isinstance(why, Unknown) or why.over is not None:
        return why
    kind = next((kind for kind in map(_kind, (a, b)) if kind is not None), None)
    if kind is None:
        return why
    first, second = (_choices(v, kind) for v in (a, b))
    while len({*first.unknown, *second.unknown}) > _MOST_WORDS:
        if len(first.unknown) >= len(second.unknown):
            first = _bounds(first)
        else:
            second = _bounds(second)
    unknown = tuple(sorted({*first.unknown, *second.unknown}))
    pairs = zip(_spread(first, unknown), _spread(second, unknown), strict=True)
    found = _reduced(Choices(unknown, tuple(function(x, y) for x, y in pairs)))
    if not found.unknown:
        return found.words[0]
    return replace(why, choices=found, subset_of=tags)


def _kind(value: Value) -> np.dtype[Any] | None:
    """The type of a value, if anything is known of it."""
    if not isinstance(value, Unknown):
        return value.dtype
    return None if value.choices is None else value.choices.words[0].dtype


def _choices(value: Value, kind: np.dtype[Any]) -> Choices:
    """What is known of a value, bit by bit; one of which nothing is known stands for itself."""
    if not isinstance(value, Unknown):
        return Choices((), (np.asarray(value),))
    if value.choices is not None and _kind(value) == kind:
        return value.choices
    zero = constant(0, kind)
    return Choices((next(_number),), (zero, ~zero))


def _spread(of: Choices, unknown: tuple[int, ...]) -> list[Array]:
    """Its words, one for every outcome of ``unknown``."""
    places = [unknown.index(one) for one in of.unknown]
    return [
        of.words[sum((n >> place & 1) << at for at, place in enumerate(places))]
        for n in range(1 << len(unknown))
    ]


def _reduced(of: Choices) -> Choices:
    """Without the unknown words that make no difference."""
    unknown, words = of.unknown, of.words
    for one in of.unknown:
        bit = 1 << unknown.index(one)
        off = [word for n, word in enumerate(words) if not n & bit]
        on = [word for n, word in enumerate(words) if n & bit]
        if all((x == y).all() for x, y in zip(off, on, strict=True)):
            unknown, words = tuple(u for u in unknown if u != one), tuple(off)
    return Choices(unknown, words)


def _bounds(of: Choices) -> Choices:
    """The bits that are set for sure, and those that may be, as if of one unknown word."""
    surely, within = (reduce(f, of.words) for f in (np.bitwise_and, np.bitwise_or))
    return Choices((next(_number),), (surely, within))


def common_tags(a: Value, b: Value) -> Tags:
    """The conditions that hold in every lane of both masks."""
    others = _tags(b)
    return tuple(tag for tag in _tags(a) if tag in others)


def tag_of(low: Value, high: Value) -> Hashable:
    """The condition that a mask of two words is: equal for equal masks."""
    parts = [_kept(half) for half in (low, high)]
    return next(_number) if None in parts else tuple(parts)


def _kept(half: Value) -> Hashable:
    if not isinstance(half, Unknown):
        return (), half.tobytes()
    of = half.choices
    return None if of is None else (of.unknown, tuple(word.tobytes() for word in of.words))


def _tags(value: Value) -> Tags:
    return value.subset_of if isinstance(value, Unknown) else ()
