"""Nested integer tuples: the shapes, strides and coordinates of CuTe."""

from __future__ import annotations

from math import prod

Nested = int | tuple["Nested", ...]


def flatten(value: Nested) -> tuple[int, ...]:
    """The integers from left to right."""
    if isinstance(value, int):
        return (value,)
    return tuple(leaf for part in value for leaf in flatten(part))


def product(value: Nested) -> int:
    """The product of all integers: the size of a shape."""
    return prod(flatten(value))


def modes(value: Nested) -> tuple[Nested, ...]:
    """The parts of the top level; an integer is its own only part."""
    return (value,) if isinstance(value, int) else value


def congruent(a: Nested, b: Nested) -> bool:
    """Whether both are nested alike."""
    if isinstance(a, int) or isinstance(b, int):
        return isinstance(a, int) and isinstance(b, int)
    return len(a) == len(b) and all(map(congruent, a, b))


def text(value: Nested) -> str:
    """As CUTLASS prints it: ``(8,(2,4))``."""
    if isinstance(value, int):
        return str(value)
    return f"({','.join(map(text, value))})"
