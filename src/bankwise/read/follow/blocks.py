"""Numbers over a part of a launch's grid: they grow with a block's index by fixed steps.

    x = blockIdx.x * 32 + threadIdx.x          in blocks 0 to 30 of a row: threadIdx.x + 32 * i
    x < 1000                                   holds in all of them; in block 31 for lanes 0 to 7

What is made of such numbers by sums, and by products with what is known, is one again. How two of
them compare is decided for all blocks at once where it is so at the corners of the part: their
difference is affine, and neither side of a half-space has a dent. Where it is not, the first index
is named at which some lane decides otherwise than before; there the part is to be cut. Where low
bits of an index decide (``blockIdx.x & 1``), it is to be cut by what the indices leave modulo a
power of two: then these bits are alike in each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from bankwise.identity import ByIdentity
from bankwise.read.launch.boxes import Box, Cut, Residues

Array = npt.NDArray[Any]

_MOST_RESIDUES = 64
_SIGNED, _UNSIGNED = (-(1 << 31), (1 << 31) - 1), (0, (1 << 32) - 1)


class OverBlocks(ByIdentity, frozen=True, eq=False):
    """A number of every thread in each block of a part of the grid, modulo 2**32.

    ``first``: in the first block, uint32; ``steps``: what it grows by with the index along x, y, z,
    uint32; ``counts``: blocks along each. ``wide``: of a number of 64 bits, whose upper half is not
    known. ``lanes``: of a register, where that is so; None in all.
    """

    first: Array
    steps: tuple[Array, Array, Array]
    counts: tuple[int, int, int]
    wide: bool = False
    lanes: npt.NDArray[np.bool_] | None = None

    @property
    def arrays(self) -> tuple[Array, ...]:
        """All that it consists of."""
        return self.first, *self.steps, *(() if self.lanes is None else (self.lanes,))


Operand = Array | OverBlocks


def block_index(axis: int, box: Box) -> OverBlocks:
    """The index of the block itself along an axis."""
    zero, one = (np.full((1, 1), n, np.uint32) for n in (0, box[axis].step))
    steps = tuple(one if axis == n else zero for n in range(3))
    first = np.full((1, 1), box[axis].start, np.uint32)
    x, y, z = map(len, box)
    return OverBlocks(first, (steps[0], steps[1], steps[2]), (x, y, z))


def summed(function: Callable[..., Array], operands: Sequence[Operand]) -> OverBlocks:
    """``function`` of the operands, whose low 32 bits it is linear in where they are no arrays."""
    given = next(one for one in operands if isinstance(one, OverBlocks))
    first = np.asarray(function(*(_at(one, None) for one in operands)))
    low = _low(first)
    x, y, z = (_step(function, operands, low, axis) for axis in range(3))
    return OverBlocks(low, (x, y, z), given.counts, first.dtype.itemsize > 4)


def _step(
    function: Callable[..., Array], operands: Sequence[Operand], first: Array, axis: int
) -> Array:
    moves = any(isinstance(one, OverBlocks) and one.steps[axis].any() for one in operands)
    if not moves:
        return np.zeros((1, 1), np.uint32)
    return np.asarray(_low(function(*(_at(one, axis) for one in operands))) - first)


def _at(one: Operand, axis: int | None) -> Array:
    """In the first block, or in the next one along an axis; in the operand's own width."""
    if not isinstance(one, OverBlocks):
        return one
    found = one.first if axis is None else one.first + one.steps[axis]
    return found.astype(np.uint64) if one.wide else found


def _low(value: Array) -> Array:
    return np.asarray(value).view(np.ndarray).astype(np.uint32)


def compared(
    test: Callable[..., Array], pair: Sequence[Operand], is_signed: bool, halves: bool
) -> Array | Cut | None:
    """A comparison of two numbers of 32 bits in all blocks, if each lane decides it alike there;
    else where to cut, None if no place is known. ``halves``: each outcome is a half-space, as of
    ``<``; of ``==`` it is not."""
    given = next(one for one in pair if isinstance(one, OverBlocks))
    corners = list(product(*(_ends(pair, axis, n) for axis, n in enumerate(given.counts))))
    exact = [tuple(_exact(one, corner, is_signed) for one in pair) for corner in corners]
    low, high = _SIGNED if is_signed else _UNSIGNED
    if any((value < low).any() or (value > high).any() for both in exact for value in both):
        return None

    def at(corner: tuple[int, ...]) -> Array:
        return np.asarray(test(*(_modulo(one, corner) for one in pair)))

    found = [at(corner) for corner in corners]
    alike = all(np.array_equal(one, found[0]) for one in found)
    if not halves:
        signs = [np.sign(a - b) for a, b in exact]
        alike = alike and all(np.array_equal(one, signs[0]) for one in signs)
    return found[0] if alike else next(_cuts(pair, given.counts, at), None) if halves else None


def bitwise(
    function: Callable[..., Array], operands: Sequence[Operand], in_place: bool = True
) -> Array | OverBlocks | Residues | None:
    """``function`` of the operands, each bit of whose result is one of their own bits' alone, where
    one of them differs between blocks: known where it asks no bit that does, and a number over
    blocks where it hands on all of these (``blockIdx.x * 32 | lane``). Else how to cut, so that it
    is; None if that would be too often. ``in_place``: each bit is one of those where it stands."""
    moving = [n for n, one in enumerate(operands) if isinstance(one, OverBlocks)]
    of = operands[moving[0]]
    assert isinstance(of, OverBlocks)
    if len(moving) > 1 or of.wide:
        return None
    bits = [int(np.bitwise_or.reduce(step, axis=None)) for step in of.steps]
    least = min(low for n in bits if (low := n & -n)) if any(bits) else 1 << 32

    def at(number: Array) -> Array:
        return _low(
            function(*(number if n == moving[0] else one for n, one in enumerate(operands)))
        )

    most = _most_bits(of)
    for modulus in (1 << n for n in range(_MOST_RESIDUES.bit_length())):
        upper = np.uint32(-(least * modulus) & most)
        zeros, ones = at(of.first & ~upper), at(of.first | upper)
        known = np.array_equal(zeros, ones)
        if not known and not (in_place and _handed_on(zeros, ones, upper)):
            continue
        if modulus > 1:
            return _residues(bits, least * modulus, of.counts)
        return zeros if known else OverBlocks(at(of.first), of.steps, of.counts)
    return None


def _most_bits(of: OverBlocks) -> int:
    """A mask of all bits that a number may have in some block: those that it never reaches are 0 in
    all. Between its corners it lies between their numbers, unless it wraps around."""
    corners = product(*(_ends((of,), axis, n) for axis, n in enumerate(of.counts)))
    found = [_exact(of, corner, is_signed=False) for corner in corners]
    low, high = min(int(one.min()) for one in found), max(int(one.max()) for one in found)
    return (1 << high.bit_length()) - 1 if low >= 0 and high < 1 << 32 else 0xFFFFFFFF


def _handed_on(zeros: Array, ones: Array, bits: np.uint32) -> bool:
    """Whether a result has some ``bits`` as its operand has them: it is given without and with."""
    return bool(((zeros ^ ones) == bits).all() and not (zeros & bits).any())


def _residues(steps: Sequence[int], multiple: int, counts: Sequence[int]) -> Residues | None:
    """How to cut, so that the ``steps`` along an axis are of a ``multiple``: the first axis of
    which they are not."""
    for axis, (step, count) in enumerate(zip(steps, counts, strict=True)):
        if step % multiple and count > 1:
            return Residues(axis, multiple // (step & -step))
    return None


def upper_word(
    x: Operand, y: Operand, low: Operand, high: Operand, is_signed: bool
) -> Array | None:
    """The upper 32 bits of ``x * y + high:low`` in all blocks, if they are the same there; ``high``
    and one factor are alike in all. The sum is affine, so that it lies between its corners."""
    both = isinstance(x, OverBlocks) and isinstance(y, OverBlocks)
    if both or isinstance(high, OverBlocks):
        return None
    parts = (x, y, low)
    given = next((one for one in parts if isinstance(one, OverBlocks)), None)
    if given is None:
        return None
    found: Array | None = None
    for corner in product(*(_ends(parts, axis, n) for axis, n in enumerate(given.counts))):
        numbers = [_exact(one, corner, is_signed and one is not low) for one in parts]
        ranges = [_SIGNED if is_signed and one is not low else _UNSIGNED for one in parts]
        if any((n < a).any() or (n > b).any() for n, (a, b) in zip(numbers, ranges, strict=True)):
            return None
        first, second, last = (one.astype(object) for one in numbers)
        total = (first * second + last) // (1 << 32) + high.astype(object)
        if found is not None and not np.array_equal(total, found):
            return None
        found = total
    return None if found is None else (found % (1 << 32)).astype(np.uint32)


def _ends(pair: Sequence[Operand], axis: int, count: int) -> tuple[int, ...]:
    moves = any(isinstance(one, OverBlocks) and one.steps[axis].any() for one in pair)
    return (0, count - 1) if moves and count > 1 else (0,)


def _exact(one: Operand, index: tuple[int, ...], is_signed: bool) -> Array:
    """The integer that is the number in a block, without wrapping around; int64."""
    first, steps = (one.first, one.steps) if isinstance(one, OverBlocks) else (one, ())
    found = first.view(np.int32).astype(np.int64) if is_signed else first.astype(np.int64)
    for n, step in zip(index, steps, strict=False):
        found = found + n * step.view(np.int32).astype(np.int64)
    return found


def _modulo(one: Operand, index: tuple[int, ...]) -> Array:
    """The number in a block, as its register holds it."""
    if not isinstance(one, OverBlocks):
        return one
    found = one.first
    for n, step in zip(index, one.steps, strict=True):
        found = found + np.uint32(n) * step
    return found


def _cuts(
    pair: Sequence[Operand], counts: Sequence[int], at: Callable[[tuple[int, ...]], Array]
) -> Iterator[Cut]:
    """Where along an axis the first lane decides otherwise than in the block before."""
    for axis, count in enumerate(counts):
        others = [_ends(pair, n, c) if n != axis else (0,) for n, c in enumerate(counts)]
        for corner in product(*others):
            found = _first_change(axis, count, corner, at)
            if found is not None:
                yield axis, found


def _first_change(
    axis: int, count: int, corner: tuple[int, ...], at: Callable[[tuple[int, ...]], Array]
) -> int | None:
    def changed(index: int) -> bool:
        place = (*corner[:axis], index, *corner[axis + 1 :])
        return not np.array_equal(at(place), first)

    first = at(corner)
    if not changed(count - 1):
        return None
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if changed(middle) else (middle, high)
    return high
