"""Register contents: one integer for every thread, or an honest "unknown".

A known value is an unsigned integer array that broadcasts to [waves, lanes]: [1, 1] for a constant,
[waves, 1] for a scalar register, [waves, lanes] for a vector register. Predicates are boolean
arrays. Arithmetic with an unknown operand is unknown, and says why: the first cause is kept.

An unknown *mask* may still be bounded. ``within`` has all bits that may be set, so that restoring
a mask that was narrowed by an unknown condition gives a known one again:

    saved = exec                  exec = saved & unknown        (within: saved)
    exec = exec | saved           = saved, whatever the condition was
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from inspect import signature
from operator import is_
from typing import Any

import numpy as np
import numpy.typing as npt

from bankwise.read.follow.marks import swizzle

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """A value that the text alone does not give.

    ``reason`` and ``line`` name the first cause. ``uniform``: equal in all lanes of a wave.
    ``within``: bits that may be set, None if all may. ``subset_of``: tags of the conditions that
    hold in every lane of this mask. ``pointer``: what a pointer points to, and how far behind its
    start ("kernarg", 8).
    """

    reason: str
    line: int = 0
    uniform: bool = False
    within: Array | None = None
    subset_of: frozenset[int] = frozenset()
    pointer: tuple[str, int] | None = None

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


def mixed(values: tuple[Value, ...]) -> Unknown:
    """The result of arithmetic in which at least one operand is unknown."""
    first = next(v for v in values if isinstance(v, Unknown))
    return Unknown(first.reason, first.line, all(is_uniform(v) for v in values))


def apply(function: Callable[..., Array], *values: Value) -> Value:
    """``function`` of the arrays, or unknown if one of them is."""
    for value in values:
        if isinstance(value, Unknown):
            return mixed(values)
    return function(*values)


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
    return sum(name != "bits" for name in signature(function).parameters)


def conjunction(a: Value, b: Value) -> Value:
    """Bitwise and. A bounded unknown stays bounded."""
    if not isinstance(a, Unknown) and not isinstance(b, Unknown):
        return a & b
    bound = _meet(_bound(a), _bound(b))
    if bound is not None and not bound.any():
        return bound
    tags = _tags(a) | _tags(b)
    return replace(mixed((a, b)), within=bound, subset_of=tags)


def disjunction(a: Value, b: Value) -> Value:
    """Bitwise or. Known where the known operand has every bit that the other may have."""
    if not isinstance(a, Unknown) and not isinstance(b, Unknown):
        return a | b
    for known, other in ((a, b), (b, a)):
        bound = _bound(other)
        if not isinstance(known, Unknown) and bound is not None and not (bound & ~known).any():
            return known
    tags = _tags(a) & _tags(b)
    return replace(mixed((a, b)), within=_union(_bound(a), _bound(b)), subset_of=tags)


def difference(a: Value, b: Value) -> Value:
    """Bitwise exclusive or, which marks the bits that it swizzles."""
    if not isinstance(a, Unknown) and not isinstance(b, Unknown):
        return swizzle(a, b, a ^ b)
    return replace(mixed((a, b)), within=_union(_bound(a), _bound(b)))


def complement(a: Value) -> Value:
    """Bitwise not."""
    return apply(lambda x: ~x, a)


def without(a: Value, b: Value) -> Value:
    """``a & ~b``, which never has a bit that ``a`` has not."""
    if not isinstance(a, Unknown) and not isinstance(b, Unknown):
        return a & ~b
    return replace(mixed((a, b)), within=_bound(a), subset_of=_tags(a))


def key(value: Value | None) -> Hashable:
    """Equal for values that no later instruction can tell apart."""
    if value is None:
        return None
    if isinstance(value, Unknown):
        bound = value.within.tobytes() if value.within is not None else None
        return (value.uniform, bound, value.subset_of, value.pointer)
    return (value.shape, value.tobytes())


def _bound(value: Value) -> Array | None:
    return value.within if isinstance(value, Unknown) else value


def _tags(value: Value) -> frozenset[int]:
    return value.subset_of if isinstance(value, Unknown) else frozenset()


def _meet(a: Array | None, b: Array | None) -> Array | None:
    if a is None or b is None:
        return b if a is None else a
    return a & b


def _union(a: Array | None, b: Array | None) -> Array | None:
    return None if a is None or b is None else a | b
