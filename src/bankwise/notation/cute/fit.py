"""The CuTe layout of a memory, if there is one.

A swizzle is its own inverse: applied to the offsets of a memory it must leave strides behind. So
every ``Swizzle<B,M,S>`` that the tile has room for is tried, and what it leaves is split into
modes. What comes out is compared on every element.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bankwise.algebra.address import Linear
from bankwise.algebra.layout import Layout
from bankwise.counting.access import IntArray
from bankwise.errors import Refusal
from bankwise.notation.cute.strided import StridedLayout, join
from bankwise.notation.cute.swizzle import ComposedLayout, CuteLayout, Swizzle
from bankwise.notation.cute.tuples import Nested
from bankwise.notation.values import Memory, linear_memory, tabulate


def to_cute(memory: Memory) -> CuteLayout | Refusal:
    """The layout, in elements, that puts every element where the memory does; else a Refusal."""
    table = tabulate(memory).table
    plain = strided(table)
    if plain is not None and not table.flat[0]:
        return plain
    bases, lines = _bases(table), _lines(table)
    for swizzle in _swizzles(int(table.max()).bit_length()):
        if _meet(swizzle, bases) or any(_mode(swizzle(one)) is None for one in lines):
            continue
        unfolded = swizzle(table)
        found = strided(unfolded)
        if found is not None:
            return ComposedLayout(swizzle, int(unfolded.flat[0]), found)
    return Refusal(
        f"CuTe has no Swizzle<B,M,S> o offset o strides for it: {_no_swizzle_reason(memory)}"
    )


def _bases(table: IntArray) -> tuple[int, ...]:
    """What each bit of the row-major number moves; () if the sizes are no powers of two, or the
    offset is not the XOR of these."""
    bits = table.size.bit_length() - 1
    if table.size != 1 << bits:
        return ()
    flat = table.reshape(-1)
    bases = tuple(int(flat[1 << bit]) for bit in range(bits))
    return bases if np.array_equal(Linear(bases)(np.arange(table.size)), flat) else ()


def _meet(swizzle: Swizzle, bases: tuple[int, ...]) -> bool:
    """Whether what two bits move has a bit in common after the swizzle: strides would add it up,
    a XOR takes it away."""
    seen = 0
    for base in bases:
        moved = swizzle(base)
        if moved & seen:
            return True
        seen |= moved
    return False


def strided(table: IntArray) -> StridedLayout | None:
    """The strides of a table of offsets relative to its origin, one mode for every axis."""
    parts = []
    total = np.full(table.shape, table.flat[0])
    for axis, line in enumerate(_lines(table)):
        mode = _mode(line)
        if mode is None:
            return None
        parts.append(mode)
        along = line - line[0]
        total += along.reshape([-1 if a == axis else 1 for a in range(table.ndim)])
    if not np.array_equal(total, table):
        return None
    return join(parts)


def _lines(table: IntArray) -> list[IntArray]:
    """The offsets along every axis, from the origin."""
    axes = range(table.ndim)
    return [table[tuple(slice(None) if a == axis else 0 for a in axes)] for axis in axes]


def _mode(offsets: IntArray) -> StridedLayout | None:
    """The coalesced mode of these offsets beside the first; None if they have no strides."""
    leaves: list[tuple[int, int]] = []
    rest = offsets - offsets[0]
    while len(rest) > 1:
        stride = int(rest[1])
        if stride < 0:
            return None
        breaks = np.flatnonzero(rest != stride * np.arange(len(rest)))
        run = int(breaks[0]) if breaks.size else len(rest)
        if len(rest) % run:
            return None
        blocks = rest.reshape(-1, run)
        if not np.array_equal(blocks, blocks[:, :1] + blocks[:1]):
            return None
        leaves.append((run, stride))
        rest = rest[::run]
    if len(leaves) < 2:
        return StridedLayout(*leaves[0]) if leaves else StridedLayout(1, 0)
    shape: Nested = tuple(s for s, _ in leaves)
    return StridedLayout(shape, tuple(d for _, d in leaves))


def _swizzles(bits: int) -> Iterator[Swizzle]:
    """All swizzles that offsets of so many bits can feel: the usual ones, S > 0, first."""
    for sign in (1, -1):
        for count in range(1, bits // 2 + 1):
            for shift in range(count, bits - count + 1):
                for base in range(bits - shift - count + 1):
                    yield Swizzle(count, base, sign * shift)


def _no_swizzle_reason(memory: Memory) -> str:
    linear = linear_memory(memory)
    if isinstance(linear, Layout):
        return f"{linear} folds bits in a way that no single field of bits does"
    return f"{linear.reason}, and it is no padding"
