"""What becomes of the indices of an array: a map as a value, and the C++ text of new indices.

    folds, in a row        [r][c]  ->  [r][c ^ ((r & 7) << 2)]
    folds of places        [r][c]  ->  [r ^ (r >> 4 & 1)][c ^ ((r >> 2 & 3) << 2)]

The second is one fold of the number of the element, ``e = r * 16 + c``, as ``e ^ (e >> 4 & 0x1c)``:
its bits are bits of the row and bits of the column, so it is a fold of each, and no index leaves
its extent. What a fold inside rows cannot do, for want of columns, one across them can.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import lcm

from msgspec import Struct

from bankwise.algebra.address import Fold

_Term = tuple[str, Fold]
"""What is read, as text, and the fold of it."""


class IndexMap(Struct, frozen=True):
    """What becomes of the last indices of an array, whatever its extents: ``folds``, or a ``pad``
    of so many elements behind every row; of an array of one dimension, behind every ``row``
    elements.

    The divisors of the folds count rows, and elements stay in theirs. They count elements where the
    array has one dimension, or ``columns`` to a row, a power of two: then they may cross rows.
    """

    folds: tuple[Fold, ...] = ()
    pad: int = 0
    columns: int = 0
    row: int = 0

    @property
    def unit(self) -> int:
        """Elements that stay together."""
        return min((fold.unit for fold in self.folds), default=1)

    @property
    def block(self) -> int:
        """Elements inside which they are exchanged."""
        return max((fold.block for fold in self.folds), default=1)

    @property
    def period(self) -> int:
        """Rows, or elements, after which the map is the same again."""
        return lcm(*(fold.divisor * fold.phases for fold in self.folds))


def new_indices(map_: IndexMap, how: str, old: Sequence[str]) -> tuple[str, ...]:
    """The last indices under a map, from the ``old`` ones as operands: the last; of a map across
    rows both, where both are given. ``how``: one XOR, a sum of chunk and place, or the step from
    the old index, "shifted" where that may be below zero."""
    row, column = old[-2:] if len(old) > 1 else (old[-1], old[-1])
    if not map_.columns or len(old) == 1:
        return (_new(column, [(row, fold) for fold in map_.folds], how),)
    terms: tuple[list[_Term], list[_Term]] = ([], [])
    for read, changed, fold in (one for f in map_.folds for one in _halves(f, map_.columns)):
        terms[changed].append(((row, column)[read], fold))
    return _new(row, terms[0], "xor"), _new(column, terms[1], how)


def _halves(fold: Fold, columns: int) -> Iterator[tuple[int, int, Fold]]:
    """A fold of places as folds of rows (0) and columns (1): which it reads, which it changes."""

    def sides(bit: int) -> tuple[int, int]:
        return int(fold.divisor << bit < columns), int(fold.unit << bit < columns)

    for (read, changed), run in groupby(range(fold.phases.bit_length() - 1), sides):
        first, *more = run
        divisor, unit = fold.divisor << first, fold.unit << first
        own = Fold(divisor // (1 if read else columns), unit // (1 if changed else columns), 2)
        yield read, changed, Fold(own.divisor, own.unit, 2 << len(more))


def _new(old: str, terms: Sequence[_Term], how: str) -> str:
    """An index with terms XORed into it."""
    if old.isdecimal() and all(read.isdecimal() for read, _ in terms):
        number = int(old)
        for read, fold in terms:
            number ^= int(read) // fold.divisor % fold.phases * fold.unit
        return str(number)
    if not terms:
        return old
    least = min(fold.unit for _, fold in terms)
    unit = 1 if how == "xor" else least
    said = [_shifted(_phase(fold, read), fold.unit // unit) for read, fold in terms]
    if how == "xor":
        return " ^ ".join((old, *said))
    shift, mask = unit.bit_length() - 1, unit - 1
    if how in ("step", "shifted step"):
        own = f"{old} / {unit}" if how == "step" else f"({old} >> {shift})"
        step = f"(({' ^ '.join((own, *said))}) - {own}) * {unit}"
        # a tree reads (COL) + (..) as a cast
        return f"{step} + {old}" if old[0] == "(" else f"{old} + {step}"
    chunk = " ^ ".join((f"({old} >> {shift})", *said))
    return f"(({chunk}) << {shift}) + ({old} & {mask})"


def _phase(fold: Fold, read: str) -> str:
    """The number that chunks are XORed with."""
    shift, mask = fold.divisor.bit_length() - 1, fold.phases - 1
    return f"({read} >> {shift} & {mask})" if shift else f"({read} & {mask})"


def _shifted(phase: str, unit: int) -> str:
    return phase if unit == 1 else f"({phase} << {unit.bit_length() - 1})"
