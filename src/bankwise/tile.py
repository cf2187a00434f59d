"""The vocabulary of a question: a tile of shared memory and everything that is done to it.

Whoever states a problem (a TOML file, a kernel in MLIR, emitted code) says it in these words,
and whoever answers one takes them. A :class:`Tile` has a shape; its elements are numbered row-major
from 0, the contiguous dimension first. A :class:`Use` is one access to it, and an access is an
array: which elements every lane moves, in every execution.

The worked example is the transpose of 16 x 32 floats by one warp of 32 lanes. It writes row by
row and reads columns, a lane an element of 4 bytes:

    store   16 executions     elements[e, lane, 0] = 32 * e + lane           a row each
    read    16 executions     elements[e, lane, 0] = 32 * (lane % 16) + 2 * e + lane // 16

    Use("store", "write", store, active)
    Use("read", "read", read, active, weight=4)
    Tile(Shape((("n", 32), ("m", 16)), 32), (store, read))

Nothing says that an access is linear, and many are not (masked lanes, odd sizes). Where it is,
that is a property of its array: :func:`directions` reads it off,

    store   lanes 1 2 4 8 16             n0 n1 n2 n3 n4      moves 32 64 128 256     m0 m1 m2 m3
    read    lanes 32 64 128 256 1        m0 m1 m2 m3 n0      moves 2 4 8 16          n1 n2 n3 n4

and finds each execution a translate of the first (over F2, so by XOR). The theorem speaks about
such accesses (:mod:`bankwise.solver.theorem`), counting about all.

A dimension that no access moves (the stages of a pipeline) is not part of the question: a kernel
visits each stage in the same way. It is a ``batch`` of any size: :func:`stages` takes it off, and
the answer is put behind each other as often.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import gcd

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.algebra.offset import Shape
from bankwise.counting.access import BoolArray, IntArray
from bankwise.hardware.machine import AccessKind, Direction
from bankwise.hardware.policies import Issue
from bankwise.identity import ByIdentity

COPIES: frozenset[AccessKind] = frozenset({"dma", "async"})
"""Copies into shared memory that bypass registers."""


class Use(ByIdentity, frozen=True, eq=False):
    """One access. ``elements``: int64 [executions, lanes, elements of a lane], row-major.

    ``active``: bool [executions, lanes]. ``weight``: how much its passes count, the mean over its
    executions; ``times``: how often each execution happens, [executions], default once each.
    ``issues``: the instructions of one execution while every lane is aligned to
    ``alignment_bytes``; at less, or without them, the width policy is asked, with ``operation`` to
    complete the name; ``named``: only these will do. A copy without issues is not counted, but its
    elements have to stay together. ``parts``: accesses of this kind that one of the text is split
    into.
    """

    name: str
    op: Direction
    elements: IntArray
    active: BoolArray
    issues: tuple[Issue, ...] = ()
    alignment_bytes: int = 0
    weight: int = 1
    kind: AccessKind = "plain"
    named: bool = False
    operation: str = ""
    times: IntArray | None = None
    parts: int = 1

    @property
    def span(self) -> int:
        """Elements of one lane."""
        return int(self.elements.shape[-1])

    @property
    def linear(self) -> bool:
        """Whether the theorem speaks about it."""
        return directions(self) is not None

    @property
    def counted(self) -> bool:
        """Whether its passes are part of the price."""
        return self.kind not in COPIES or bool(self.issues)

    @property
    def weights(self) -> tuple[IntArray, int]:
        """How much the passes of each execution count: numerators and a common denominator."""
        times = times_of(self)
        every = int(times.sum())
        common = gcd(self.weight, every)
        return times * (self.weight // common), every // common


class Tile(ByIdentity, frozen=True, eq=False):
    """A tile and its accesses. ``batch``: how many such tiles lie behind each other."""

    shape: Shape
    uses: tuple[Use, ...]
    batch: int = 1

    @property
    def span(self) -> int:
        """The most elements that a lane moves at once."""
        return max((use.span for use in self.uses), default=1)

    @property
    def row(self) -> int:
        """Elements of a row."""
        return self.shape.row

    @property
    def linear(self) -> bool:
        """Whether the theorem speaks about all of it."""
        return self.shape.bits is not None and all(use.linear for use in self.uses)


class Directions(Struct, frozen=True):
    """A linear access: what each lane bit moves, and each bit of a lane's elements.

    ``starts``: the first element of lane 0 in each execution; the others are translates of it.
    """

    lanes: tuple[f2.Vector, ...]
    vector: tuple[f2.Vector, ...]
    starts: tuple[int, ...]


@lru_cache(maxsize=128)
def directions(use: Use) -> Directions | None:
    """The directions of an access; None if it is not linear, or its executions are no translates.

    Linear: all lanes active, and the element that lane l moves at place s is the XOR of what the
    bits of l and of s move.
    """
    lanes, span = use.elements.shape[1:]
    if not use.active.all() or lanes & (lanes - 1) or span & (span - 1):
        return None
    starts = use.elements[:, 0, 0]
    moved = use.elements ^ starts[:, None, None]
    along = tuple(int(moved[0, 1 << i, 0]) for i in range(lanes.bit_length() - 1))
    inside = tuple(int(moved[0, 0, 1 << i]) for i in range(span.bit_length() - 1))
    if not (moved == spread(along)[:, None] ^ spread(inside)).all():
        return None
    return Directions(along, inside, tuple(starts.tolist()))


def spread(directions: Sequence[int]) -> IntArray:
    """The sums of the directions at the set bits of 0, 1, 2, ..."""
    sums = np.zeros(1, np.int64)
    for direction in directions:
        sums = np.concatenate([sums, sums ^ direction])
    return sums


def runs(starts: IntArray, span: int) -> IntArray:
    """``span`` elements from each of ``starts`` on: [executions, lanes] to what a Use holds."""
    return starts[..., None] + np.arange(span)


@lru_cache(maxsize=128)
def in_runs(use: Use) -> bool:
    """Whether every active lane moves elements in a row, from a multiple of their number on."""
    return moves_in_runs(use.elements, use.active)


def moves_in_runs(elements: IntArray, active: BoolArray) -> bool:
    """The same of arrays [.., lanes, elements of a lane] and [.., lanes]."""
    moved, span = elements[active], elements.shape[-1]
    first = moved[:, :1]
    return not (first % span).any() and bool((moved == first + np.arange(span)).all())


def times_of(use: Use) -> IntArray:
    """How often each execution of an access happens."""
    return np.ones(len(use.elements), np.int64) if use.times is None else use.times


def stages(tile: Tile) -> Tile:
    """The tile without its outermost dimensions as far as no access moves in them.

    An access that stays inside one stage in every execution does not move; it may visit several
    stages, each in its own execution.
    """
    while len(tile.shape.dims) > 1 and not _moves(tile):
        below = tile.shape.elements // tile.shape.dims[-1][1]
        uses = tuple(replace(use, elements=use.elements % below) for use in tile.uses)
        shape = Shape(tile.shape.dims[:-1], tile.shape.element_bits)
        tile = Tile(shape, uses, tile.batch * tile.shape.dims[-1][1])
    return tile


def _moves(tile: Tile) -> bool:
    """Whether some execution of an access lies in more than one index of the last dimension."""
    below = tile.shape.elements // tile.shape.dims[-1][1]
    return any(_apart(use, below) for use in tile.uses)


def _apart(use: Use, below: int) -> bool:
    stage = use.elements // below
    first = np.take_along_axis(stage[:, :, 0], use.active.argmax(axis=1)[:, None], axis=1)
    return bool((stage != first[..., None])[use.active].any())
