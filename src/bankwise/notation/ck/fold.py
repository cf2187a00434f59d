"""A fold as a tensor descriptor of CK: its ``xor`` transform between two digits of the offset.

``make_xor_transform`` XORs one dimension with another, modulo its length. So the offset is cut
into digits, the field that is read and the one that is changed among them; the naive box below
has one dimension for each digit, and the steps above join them to the tile again. Where the
digits of every axis can be kept apart, as CK's own descriptors do, they are:

    n ^ (m & 56) of a 64 x 64 tile: M = (M0, M1) of (8, 8), N = (N0, N1) of (8, 8), N0 ^= M0
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import prod
from operator import mul

from bankwise.algebra.address import Fold
from bankwise.notation.ck.descriptor import TensorDescriptor, packed, transform
from bankwise.notation.ck.transforms import Transform
from bankwise.notation.linear import is_power_of_two

Digits = tuple[tuple[int, ...], ...]


def fold_descriptor(fold: Fold, shape: tuple[int, ...]) -> TensorDescriptor | None:
    """The descriptor of a fold on a tile; None where its digits do not divide the tile.

    Nor is there one for phases that are no power of two: CK takes them modulo the length of the
    dimension that changes, which has to be one.
    """
    if not divides(fold, shape):
        return None
    apart = _apart(fold, shape)
    if apart is not None:
        return _joined(fold, apart)
    flat = _joined(fold, (_digits(_cuts(fold), prod(shape)),))
    whole = (Transform("unmerge", shape),)
    return transform(flat, whole, ((0,),), (tuple(range(len(shape))),))


def within_axes(fold: Fold, shape: tuple[int, ...]) -> Fold | None:
    """For a fold whose digits reach over two axes: the one of the most phases below it that
    changes the same place and keeps them apart. None for a fold that does so itself."""
    if not divides(fold, shape) or _apart(fold, shape) is not None:
        return None
    fewer = (fold.phases >> n for n in range(1, fold.phases.bit_length() - 1))
    found = (Fold(fold.divisor, fold.unit, phases) for phases in fewer)
    return next((one for one in found if divides(one, shape) and _apart(one, shape)), None)


def divides(fold: Fold, shape: tuple[int, ...]) -> bool:
    """Whether the digits of a fold divide the tile, and there is a descriptor of it."""
    return is_power_of_two(fold.phases) and prod(shape) % max(_cuts(fold)) == 0


def _cuts(fold: Fold) -> list[int]:
    """Where digits of the offset begin, ascending: 1, then the ends of both fields.

    The field that is read is taken modulo the length of the other one: above it nothing is cut
    if it is the higher one.
    """
    changed = (fold.unit, fold.unit * fold.phases)
    read = (fold.divisor,) if fold.divisor > fold.unit else (fold.divisor, changed[0])
    return sorted({1, *changed, *read})


def _digits(places: list[int], elements: int) -> tuple[int, ...]:
    """The lengths of the digits of 0 .. elements - 1, slowest first."""
    ends = [*places[1:], elements]
    lengths = [end // place for place, end in zip(places, ends, strict=True)]
    return tuple(reversed(lengths))


def _per_axis(places: list[int], shape: tuple[int, ...]) -> Digits | None:
    """The digits of every axis, slowest first; None if one would reach over two axes."""
    found, below = [], 1
    for size in reversed(shape):
        inside = [p // below for p in places if below < p < below * size]
        if any(p % below for p in places if below < p < below * size):
            return None
        cuts = [1, *inside]
        if any(b % a for a, b in zip(cuts, [*cuts[1:], size], strict=True)):
            return None
        found.append(_digits(cuts, size))
        below *= size
    return tuple(reversed(found))


def _apart(fold: Fold, shape: tuple[int, ...]) -> Digits | None:
    """The digits of every axis, where both fields are whole ones."""
    found = _per_axis(_cuts(fold), shape)
    return found if found is not None and _whole(fold, found) else None


def _whole(fold: Fold, axes: Digits) -> bool:
    """Whether no axis cuts a field off: the one that is read may end where the tile does."""
    lengths = tuple(n for axis in axes for n in axis)
    read, changed = _dimension(lengths, fold.divisor), _dimension(lengths, fold.unit)
    outermost = all(n == 1 for n in lengths[:read])
    return lengths[changed] == fold.phases and (outermost or lengths[read] % fold.phases == 0)


def _joined(fold: Fold, axes: Digits) -> TensorDescriptor:
    """A packed box of all digits, the XOR between two of them, and every axis merged."""
    lengths = tuple(n for axis in axes for n in axis)
    read, changed = _dimension(lengths, fold.divisor), _dimension(lengths, fold.unit)
    others = [i for i in range(len(lengths)) if i not in (read, changed)]
    kept = tuple(Transform("pass_through", (lengths[i],)) for i in others)
    places = ((read, changed), *((i,) for i in others))
    xor = Transform("xor", (lengths[read], lengths[changed]))
    folded = transform(packed(lengths, lengths[-1]), (xor, *kept), places, places)
    return transform(folded, *_merges(axes))


def _merges(axes: Digits) -> tuple[tuple[Transform, ...], Digits, Digits]:
    """The step that joins the digits of every axis."""
    ends = list(accumulate(map(len, axes), initial=0))
    low = tuple(tuple(range(a, b)) for a, b in pairwise(ends))
    made = tuple(Transform("merge" if len(a) > 1 else "pass_through", a) for a in axes)
    return made, low, tuple((i,) for i in range(len(axes)))


def _dimension(lengths: tuple[int, ...], place: int) -> int:
    """The digit that begins at a place of the offset; one of length 1 begins nowhere."""
    strides = [1, *accumulate(reversed(lengths[1:]), mul)][::-1]
    return next(i for i, s in enumerate(strides) if s == place and lengths[i] > 1)
