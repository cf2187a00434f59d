"""CuTe layouts: shapes and strides, nested, and their algebra.

A layout is a function from coordinates to integers: ``(8,(2,4)):(4,(1,32))`` sends row i and
column j = j0 + 2 j1 to ``4 i + j0 + 32 j1``. A coordinate may be given flat, by mode, or as one
integer; where a mode is nested, or the whole layout is meant, an integer counts the leftmost part
fastest. The algebra is about that integer function:

    coalesce(A)          the same function with as few modes as possible
    composition(A, B)    i -> A(B(i)), with B's modes
    complement(A, n)     what to add to A so that together they number 0 .. n-1
    logical_divide       A split into (tile, rest):       composition(A, (B, complement(B)))
    logical_product      A repeated as B says:            (A, composition(complement(A), B))

Source: NVIDIA CUTLASS, include/cute/layout.hpp and media/docs/cpp/cute/02_layout_algebra.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from bankwise.counting.access import IntArray
from bankwise.errors import InputError
from bankwise.notation.cute.tuples import Nested, congruent, flatten, modes, product, text


class StridedLayout(Struct, frozen=True):
    """``shape:stride``, nested alike. ``str(x)`` is the text that CUTLASS prints."""

    shape: Nested
    stride: Nested

    def __post_init__(self) -> None:
        assert congruent(self.shape, self.stride), "shape and stride are nested alike"

    @property
    def size(self) -> int:
        """Coordinates in the domain."""
        return product(self.shape)

    @property
    def cosize(self) -> int:
        """One more than the largest integer in the image (strides are not negative)."""
        return 1 + sum((s - 1) * d for s, d in self.leaves())

    @property
    def rank(self) -> int:
        """Modes of the top level."""
        return len(modes(self.shape))

    def leaves(self) -> tuple[tuple[int, int], ...]:
        """(shape, stride) of every innermost mode, from left to right."""
        return tuple(zip(flatten(self.shape), flatten(self.stride), strict=True))

    def mode(self, i: int) -> StridedLayout:
        """One mode of the top level."""
        return StridedLayout(modes(self.shape)[i], modes(self.stride)[i])

    def modes(self) -> tuple[StridedLayout, ...]:
        """All modes of the top level."""
        return tuple(self.mode(i) for i in range(self.rank))

    def at(self, index: IntArray) -> IntArray:
        """The integers at one-dimensional coordinates, the leftmost part fastest.

        A coordinate behind the end counts on in the last part.
        """
        total = np.zeros(index.shape, np.int64)
        rest = index
        leaves = self.leaves()
        for shape, stride in leaves[:-1]:
            total += rest % shape * stride
            rest = rest // shape
        return total + rest * leaves[-1][1]

    def __str__(self) -> str:
        return f"{text(self.shape)}:{text(self.stride)}"


def layout(shape: Nested, stride: Nested | None = None) -> StridedLayout:
    """A layout; without strides the compact one, the leftmost mode fastest."""
    if stride is not None:
        return StridedLayout(shape, stride)
    return StridedLayout(shape, _compact(shape, 1))


def join(parts: Sequence[StridedLayout]) -> StridedLayout:
    """A layout whose modes are these layouts."""
    return StridedLayout(tuple(p.shape for p in parts), tuple(p.stride for p in parts))


def crd2idx(coordinate: Nested, where: StridedLayout) -> int:
    """The integer at a coordinate: nested like the shape, or an integer anywhere in its place.

    Raises :class:`InputError` where the coordinate is nested deeper than the shape.
    """
    if isinstance(coordinate, int):
        return int(where.at(np.asarray(coordinate)))
    if len(coordinate) != where.rank or isinstance(where.shape, int):
        raise InputError(f"the coordinate {text(coordinate)} does not fit {text(where.shape)}")
    return sum(crd2idx(c, mode) for c, mode in zip(coordinate, where.modes(), strict=True))


def coalesce(a: StridedLayout) -> StridedLayout:
    """The same function of one integer, with as few modes as possible."""
    kept: list[tuple[int, int]] = []
    for shape, stride in a.leaves():
        if shape == 1:
            continue
        if kept and kept[-1][0] * kept[-1][1] == stride:
            kept[-1] = (kept[-1][0] * shape, kept[-1][1])
        else:
            kept.append((shape, stride))
    return _from_leaves(kept)


def coalesce_modes(a: StridedLayout) -> StridedLayout:
    """Every mode of the top level coalesced."""
    return join([coalesce(mode) for mode in a.modes()])


def composition(a: StridedLayout, b: StridedLayout) -> StridedLayout:
    """``i -> a(b(i))``, nested like ``b``.

    Raises :class:`InputError` where a mode of ``b`` cuts a mode of ``a`` into unequal pieces.
    """
    if isinstance(b.shape, tuple):
        return join([composition(a, mode) for mode in b.modes()])
    assert isinstance(b.stride, int)
    return _compose_mode(coalesce(a), b.shape, b.stride)


def complement(a: StridedLayout, size: int = 1) -> StridedLayout:
    """The layout that together with ``a`` numbers at least 0 .. size - 1, each integer once.

    Raises :class:`InputError` where the image of ``a`` has no such rest.
    """
    kept: list[tuple[int, int]] = []
    covered = 1
    for shape, stride in sorted(a.leaves(), key=lambda leaf: leaf[::-1]):
        if shape == 1 or stride == 0:
            continue
        if stride % covered:
            raise InputError(
                f"{a} has no complement: the stride {stride} does not step over whole {covered}s"
            )
        kept.append((stride // covered, covered))
        covered = shape * stride
    kept.append((-(-size // covered), covered))
    return coalesce(_from_leaves(kept))


def _compose_mode(a: StridedLayout, size: int, step: int) -> StridedLayout:
    """``a`` at 0, step, 2 step, ..: size of them. ``a`` is coalesced."""
    if size == 1 or step == 0:
        return StridedLayout(size, 0)
    leaves = a.leaves()
    kept: list[tuple[int, int]] = []
    rest = size
    for shape, stride in leaves[:-1]:
        if step % shape == 0:
            step //= shape
            continue
        if shape % step:
            raise _uneven(a, shape, step)
        available = shape // step
        if rest > available and rest % available:
            raise _uneven(a, rest, available)
        taken = min(available, rest)
        kept.append((taken, step * stride))
        rest, step = rest // taken, 1
    kept.append((rest, step * leaves[-1][1]))
    return coalesce(_from_leaves(kept))


def _uneven(a: StridedLayout, shape: int, step: int) -> InputError:
    return InputError(
        f"cannot compose with {a}: {shape} is not divided evenly by {step}",
        hint="tile sizes divide the sizes of the layout they tile",
    )


def _from_leaves(leaves: Sequence[tuple[int, int]]) -> StridedLayout:
    if not leaves:
        return StridedLayout(1, 0)
    if len(leaves) == 1:
        return StridedLayout(*leaves[0])
    return StridedLayout(tuple(s for s, _ in leaves), tuple(d for _, d in leaves))


def _compact(shape: Nested, first: int) -> Nested:
    if isinstance(shape, int):
        return first
    out: list[Nested] = []
    for part in shape:
        out.append(_compact(part, first))
        first *= product(part)
    return tuple(out)
