"""CK tile's tensor descriptor: a strided box seen through steps of coordinate transforms.

Each step is one ``transform_tensor_descriptor``; the last lower index is one offset in elements.
Semantics: include/ck_tile/core/tensor at ROCm/composable_kernel@8e22e1ae.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import InputError, Refusal
from bankwise.notation.ck.transforms import (
    MAX_INDEX,
    NO_GUARANTEE,
    Guarantee,
    Transform,
    descend,
    dot,
    lower,
    make_tuple,
    number,
    promise,
    row_major,
    span,
    upper,
    valid,
)
from bankwise.notation.values import MAX_POINTS, collision, points

Indices = tuple[tuple[int, ...], ...]


class TransformStep(Struct, frozen=True):
    """One ``transform_tensor_descriptor``: transform i takes the visible dimensions ``low[i]``,
    in that order, and exposes the new visible dimensions ``up[i]``.
    """

    transforms: tuple[Transform, ...]
    low: Indices
    up: Indices


class TensorDescriptor(Struct, frozen=True):
    """A tensor descriptor: element (i, j, ...) to an offset in elements.

    ``lengths`` and ``strides``: the naive box below; ``vector``: what its last dimension
    guarantees, (length, stride). ``str`` is CK's C++ spelling. Raises :class:`InputError` where a
    step does not fit the dimensions it is put on.
    """

    lengths: tuple[int, ...]
    strides: tuple[int, ...]
    vector: Guarantee = NO_GUARANTEE
    steps: tuple[TransformStep, ...] = ()

    def __post_init__(self) -> None:
        Transform("embed", self.lengths, self.strides)
        if self.size > MAX_INDEX:
            raise InputError(f"a descriptor that spans {self.size} elements")
        visible = len(self.lengths)
        for step in self.steps:
            visible = _check_step(step, visible)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the visible dimensions."""
        visible = self.lengths
        for step in self.steps:
            visible = _arrange(step.up, [upper(t) for t in step.transforms])
        return visible

    @property
    def size(self) -> int:
        """CK's element space size: transforms do not change it."""
        return span(self.lengths, self.strides)

    def offsets(self, coordinates: IntArray) -> IntArray:
        """Offsets in elements of visible coordinates [..., rank]."""
        found: IntArray = np.asarray(self.offset(tuple(np.moveaxis(coordinates, -1, 0))))
        return found

    def offset(self, index: Sequence[Any]) -> Any:
        """The offset of one visible index: numbers, arrays or symbols."""
        for step in reversed(self.steps):
            index = _below(step, index)
        return dot(index, self.strides)

    def valid(self, coordinates: IntArray) -> BoolArray:
        """Which visible coordinates mean an element; those in a padding do not."""
        index: Sequence[Any] = tuple(np.moveaxis(coordinates, -1, 0))
        good = np.ones(coordinates.shape[:-1], np.bool_)
        for step in reversed(self.steps):
            for transform, up in zip(step.transforms, step.up, strict=True):
                good &= valid(transform, [index[i] for i in up])
            index = _below(step, index)
        return good

    def guarantees(self) -> tuple[Guarantee, ...]:
        """What CK knows about vectors along each visible dimension."""
        known = (*(NO_GUARANTEE,) * (len(self.lengths) - 1), self.vector)
        for step in self.steps:
            pairs = zip(step.transforms, step.low, strict=True)
            promised = [promise(t, [known[i] for i in low]) for t, low in pairs]
            known = _arrange(step.up, promised)
        return known

    def __str__(self) -> str:
        if self.steps:
            below = replace(self, steps=self.steps[:-1])
            step = self.steps[-1]
            transforms = ", ".join(map(str, step.transforms))
            return (
                f"transform_tensor_descriptor({below}, make_tuple({transforms}), "
                f"{sequences('make_tuple(', step.low, '{}', ')')}, "
                f"{sequences('make_tuple(', step.up, '{}', ')')})"
            )
        vector = ", ".join(map(number, self.vector)) if self.vector != NO_GUARANTEE else ""
        parts = (make_tuple(self.lengths), make_tuple(self.strides), *([vector] if vector else []))
        return f"make_naive_tensor_descriptor({', '.join(parts)})"


def naive(lengths: tuple[int, ...], strides: tuple[int, ...], vector: int = -1) -> TensorDescriptor:
    """A strided box; ``vector`` elements of the last dimension are promised to lie in a row."""
    return TensorDescriptor(lengths, strides, (vector, 1) if vector > 0 else NO_GUARANTEE)


def packed(lengths: tuple[int, ...], vector: int = -1) -> TensorDescriptor:
    """A row-major box without gaps."""
    return naive(lengths, row_major(lengths), vector)


def aligned(lengths: tuple[int, ...], alignment: int) -> TensorDescriptor:
    """Rows rounded up to a multiple of ``alignment`` elements, everything above packed."""
    if alignment < 1 or not lengths:
        raise InputError(f"rows of {lengths} aligned to {alignment}", hint="1 and more")
    row = -(-lengths[-1] // alignment) * alignment
    above = row_major((*lengths[:-1], 1))[:-1]
    return naive(lengths, (*(stride * row for stride in above), 1))


def transform(
    below: TensorDescriptor,
    transforms: tuple[Transform, ...],
    low: tuple[tuple[int, ...], ...],
    up: tuple[tuple[int, ...], ...],
) -> TensorDescriptor:
    """``transform_tensor_descriptor``: one more step on a descriptor."""
    step = TransformStep(transforms, low, up)
    return TensorDescriptor(below.lengths, below.strides, below.vector, (*below.steps, step))


def xor_descriptor(
    m: int, k: int, *, banks: int, element_bytes: int, pack: int, pad: int = 0
) -> TensorDescriptor:
    """The XOR descriptor of an [m, k] tile that CK's pipelines use, on ``banks`` banks.

    ``layers = max(1, banks * 4 / k / element_bytes)`` rows share one row of LDS; its chunks of
    ``pack`` elements are exchanged by ``chunk XOR (row of LDS mod chunks)``. ``pad``: extra
    elements per k. Raises :class:`InputError` if the numbers do not divide.
    """
    layers = max(1, banks * 4 // k // element_bytes)
    if k % pack or m % layers:
        raise InputError(
            f"an XOR descriptor of {m} x {k}: packs of {pack} and {layers} rows per row of LDS",
            hint="the pack divides k, the rows per row of LDS divide m",
        )
    rows, chunks = m // layers, k // pack * layers
    box = naive((rows, chunks, pack), ((k + pad) * layers, pack, 1), pack)
    same = Transform("pass_through", (pack,))
    folded = transform(
        box, (Transform("xor", (rows, chunks)), same), ((0, 1), (2,)), ((0, 1), (2,))
    )
    split = transform(
        folded,
        (
            Transform("pass_through", (rows,)),
            Transform("unmerge", (layers, k // pack)),
            same,
        ),
        ((0,), (1,), (2,)),
        ((0,), (1, 2), (3,)),
    )
    joined = (Transform("merge", (rows, layers)), Transform("merge", (k // pack, pack)))
    return transform(split, joined, ((0, 1), (2, 3)), ((0,), (1,)))


def legality(descriptor: TensorDescriptor) -> tuple[Refusal, ...]:
    """Why the descriptor is no memory layout: elements that collide, or lie outside its space."""
    found = []
    if prod(descriptor.shape) > MAX_POINTS:
        return (Refusal(f"{descriptor.shape} is too large to be checked element by element"),)
    odd = [t for s in descriptor.steps for t in s.transforms if t.kind == "xor" and _odd(t)]
    clash = collision(descriptor)
    if clash is not None:
        reason = f"{odd[0]}: {odd[0].lengths[1]} is no power of two; " if odd else ""
        found.append(Refusal(f"{reason}{clash}"))
    last = _furthest(descriptor)
    if last >= descriptor.size:
        found.append(
            Refusal(f"an element at offset {last}: the space is of {descriptor.size} elements")
        )
    return tuple(found)


def _odd(transform: Transform) -> bool:
    length = transform.lengths[1]
    return bool(length & (length - 1))


def _furthest(descriptor: TensorDescriptor) -> int:
    return int(descriptor.offsets(points(descriptor.shape)).max())


def _below(step: TransformStep, index: Sequence[Any]) -> tuple[Any, ...]:
    pairs = zip(step.transforms, step.up, strict=True)
    lowered = [descend(t, [index[i] for i in up]) for t, up in pairs]
    return _arrange(step.low, lowered)


def _arrange(places: Indices, groups: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """The values of all groups, each put where ``places`` says."""
    at = {
        i: v for where, g in zip(places, groups, strict=True) for i, v in zip(where, g, strict=True)
    }
    return tuple(at[i] for i in range(len(at)))


def _check_step(step: TransformStep, visible: int) -> int:
    """The number of visible dimensions after the step."""
    counts = {len(step.transforms), len(step.low), len(step.up)}
    if len(counts) != 1:
        raise InputError(
            f"{len(step.transforms)} transforms, {len(step.low)} groups of lower and "
            f"{len(step.up)} of upper dimensions",
            hint="transform i takes the dimensions of group i",
        )
    for transform, low, up in zip(step.transforms, step.low, step.up, strict=True):
        wanted = len(lower(transform)), len(upper(transform))
        if (len(low), len(up)) != wanted:
            raise InputError(
                f"{transform} has {wanted[0]} lower and {wanted[1]} upper dimensions, "
                f"not {low} and {up}"
            )
    _check_cover("lower", step.low, visible)
    new = sum(map(len, step.up))
    _check_cover("upper", step.up, new)
    return new


def _check_cover(which: str, groups: Indices, count: int) -> None:
    named = sorted(i for group in groups for i in group)
    if named != list(range(count)):
        raise InputError(
            f"{which} dimensions {groups} of a tensor with {count}",
            hint=f"name each of 0 to {count - 1} once",
        )


def sequence(values: tuple[int, ...]) -> str:
    """``sequence<1, 4, 16>``."""
    return f"sequence<{', '.join(map(str, values))}>"


def sequences(opening: str, groups: Indices, braces: str, closing: str) -> str:
    """Sequences in a row: ``make_tuple(sequence<0>{}, ...)`` or ``tuple<sequence<0>, ...>``."""
    return f"{opening}{', '.join(sequence(g) + braces for g in groups)}{closing}"
