"""The one map that most frameworks' swizzles are: a field of the offset XORed into another.

On the row-major offset x of an element, cut into chunks of ``unit``,

    chunk(x)  becomes  chunk(x) XOR ((x / divisor) mod phases)

A framework has its own numbers for ``(divisor, unit, phases)``, and says only some of them:

    CuTe     Swizzle<B,M,S>               2^(M+S), 2^M, 2^B     (S < 0: the unit is above)
    IREE     xor_shuffle<w, a, s, p>      s * p, a, w / a
    Wave     unit, max_phase              one row, unit, max_phase
    Triton   vec, perPhase, maxPhase      perPhase rows, vec, maxPhase
    CK       make_xor_transform           any digit of the offset into any other

So every framework is a choice among the same folds: :func:`folds` lists those of a tile,
:func:`fold_of` finds the one that a memory is, whoever wrote it. Both give the same value for the
same map: ``phases`` that no element reaches are rounded up to a power of two.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from bankwise.algebra.address import AddressMap, Fold, Identity, folded
from bankwise.algebra.offset import Shape
from bankwise.errors import Refusal
from bankwise.notation.linear import is_power_of_two
from bankwise.notation.values import Memory, tabulate

MOST_ODD_PHASES = 8
"""Phases up to here are listed also where they are no power of two: Wave takes such."""


def unfolded(shape: Shape) -> AddressMap:
    """Row-major: linear where the tile has index bits."""
    return Identity() if shape.bits is None else folded(shape.bits, 0, 0, 0)


def fold_of(memory: Memory) -> Fold | Refusal | None:
    """The fold that a memory is, compared on every element; None for row-major.

    A Refusal for everything else: gaps, rotations, several fields.
    """
    table = tabulate(memory).table.reshape(-1)
    places = np.arange(table.size)
    if table.max(initial=0) >= table.size:
        return Refusal(
            f"the {table.size} elements reach offset {int(table.max())}: an XOR has no padding"
        )
    moved = np.flatnonzero(table != places)
    if not moved.size:
        return None
    divisor = int(moved[0])
    unit = int(table[divisor]) - divisor
    if unit <= 0 or divisor == 0:
        return Refusal("the elements are not XORed with a field of their own offset")
    starts = places[::divisor]
    phase = starts // unit ^ table[::divisor] // unit
    again = np.flatnonzero(phase[1:] == 0)
    phases = int(again[0]) + 1 if again.size else 1 << (len(phase) - 1).bit_length()
    found = Fold(divisor, unit, phases)
    if _is_map(found, table.size) and np.array_equal(found.address(table.size)(places), table):
        return found
    return Refusal("no single field of the offset, XORed into another one, gives it")


@lru_cache(maxsize=256)
def folds(shape: Shape) -> tuple[Fold, ...]:
    """All folds that permute a tile: bits where its sizes are powers of two.

    Else divisors that are powers of two, of elements or of rows, or whole rows that divide the
    tile; and chunks that are powers of two, or divide the row, or are half a divisor.
    """
    found = [fold for fold in _candidates(shape) if _permutes(fold, shape.elements)]
    return tuple(sorted(found, key=_simplicity))


@lru_cache(maxsize=256)
def folded_tile(shape: Shape) -> tuple[tuple[Fold, AddressMap], ...]:
    """The same with their maps on the tile, which all families of folds share."""
    elements = shape.elements
    return tuple((fold, fold.address(elements)) for fold in folds(shape))


def _simplicity(fold: Fold) -> tuple[float, ...]:
    """Few phases first, then low and near fields; downward before upward."""
    low, high = sorted((fold.unit, fold.divisor))
    return (fold.phases, low, high / low, fold.unit > fold.divisor)


def _candidates(shape: Shape) -> Iterator[Fold]:
    elements, row = shape.elements, shape.row
    powers = [1 << bit for bit in range((elements - 1).bit_length())]
    rows = [row * n for n in steps(elements // row)]
    units = {*powers, *divisors(row)}
    for divisor in sorted({*powers, *rows}):
        reached = -(-elements // divisor)
        for unit in sorted({*units, max(1, divisor // 2)}):
            for bits in range(1, (reached - 1).bit_length() + 1):
                yield Fold(divisor, unit, 1 << bits)
            if divisor == row:
                odd = (p for p in range(3, MOST_ODD_PHASES) if not is_power_of_two(p))
                yield from (Fold(divisor, unit, p) for p in odd if p < reached)


def _permutes(fold: Fold, elements: int) -> bool:
    """Whether the fold is a bijection of the tile; its last block may be cut off."""
    if not _is_map(fold, elements):
        return False
    left = elements % fold.block
    if not left:
        return True
    tail = np.arange(elements - left, elements)
    return bool((fold.address(elements)(tail) < elements).all())


def _is_map(fold: Fold, elements: int) -> bool:
    """Whether the field that is read lies apart from the one that is changed."""
    if fold.unit > fold.divisor:
        apart = fold.binary and fold.unit % (fold.divisor * fold.phases) == 0
        return apart and fold.block <= 1 << (elements - 1).bit_length()
    return fold.divisor % fold.block == 0


def steps(size: int) -> list[int]:
    """The powers of two and the divisors below a size, ascending."""
    powers = {1 << bit for bit in range((size - 1).bit_length())}
    return sorted(powers | {d for d in divisors(size) if d < size})


def divisors(number: int) -> list[int]:
    """All divisors, ascending."""
    small = [d for d in range(1, int(number**0.5) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)})


def sizes(shape: Shape) -> tuple[int, ...]:
    """The tile as notations write it: the fastest axis last."""
    return tuple(size for _, size in reversed(shape.dims))
