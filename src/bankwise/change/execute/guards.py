"""At which workgroups a kernel begins to do something else: the edges of its guards.

A *guard* is an operation that decides by a workgroup's number: a comparison, a minimum or maximum,
a condition, a mask, a transfer that may leave its memref. Its integer operands are evaluated for
many workgroups at once; neighbours for which it decides differently lie at an edge. Such are the
workgroups that a sample must not miss: a clamp that holds for the last row of 16,384 only.

This chooses what to run and proves nothing: a guard whose operands are not known numbers (loaded
values) is counted and not searched; loops are looked at in their first and last round.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from iree.compiler import ir
from msgspec import Struct

from bankwise.change.execute.answers import Decisions, decisions
from bankwise.change.execute.program import Known, nothing_known
from bankwise.counting.access import IntArray, distinct
from bankwise.identity import ByIdentity
from bankwise.read.mlir.indexing import ThreadIds, quantity
from bankwise.read.mlir.kernels import operations

Ids = tuple[int, int, int]

_WHOLE = 1 << 16
"""Grids of so many workgroups are looked at as a whole, larger ones along lines."""
_ON_A_LINE = 1 << 12
_AT_ONCE = 1 << 17
"""Workgroups times threads of one evaluation: what fits a cache."""
_IN_ALL = 1 << 22
_OF_ONE_GUARD = 16
"""Changes of one guard that are kept; each is two workgroups."""


class GuardEdges(Struct, frozen=True):
    """``workgroups``: on both sides of the edges, the first edge of each guard first.

    ``guards``: how many guards have an edge in the grid. ``unsearched``: how many depend on the
    workgroup and on values that are not known.
    """

    workgroups: tuple[Ids, ...]
    guards: int
    unsearched: int


def asked_axes(func: ir.Operation) -> tuple[int, ...]:
    """The axes along which a kernel, or what it may call, asks which workgroup it is."""
    inside = operations(func)
    if any(op.name == "func.call" for op in inside) and func.parent is not None:
        inside = operations(func.parent.operation)
    asked = (quantity(op) for op in inside)
    return tuple(sorted({a[1] for a in asked if a and a[0] in ("workgroup", "global")}))


def guard_edges(
    func: ir.Operation, ids: ThreadIds, grid: Ids, known: Known = nothing_known
) -> GuardEdges:
    """The edges of all guards of a kernel in a grid; ``ids``: its threads, ``known`` as in run."""
    looking = _GuardSearch(func, ids, grid, known)
    blocks, left, right = _neighbours(grid)
    found = looking.decide(blocks)
    edges = [
        _refined(looking, number, blocks[left], blocks[right], answer[left], answer[right])
        for number, answer in sorted(found.answers.items())
    ]
    some = [pairs for pairs in edges if pairs]
    return GuardEdges(tuple(dict.fromkeys(_in_turns(some))), len(some), len(found.unsearched))


class _GuardSearch(ByIdentity, frozen=True, eq=False):
    func: ir.Operation
    ids: ThreadIds
    grid: Ids
    known: Known

    def decide(self, blocks: IntArray) -> Decisions:
        """What every guard decides in the workgroups ``blocks`` [n, 3]."""
        threads = _threads(self.ids, len(blocks))
        step = max(1, _AT_ONCE // len(threads))
        pieces = [
            decisions(self.func, self.ids, threads, blocks[i : i + step], self.grid, self.known)
            for i in range(0, len(blocks), step)
        ]
        numbers = set.intersection(*(set(piece.answers) for piece in pieces))
        answers = {n: np.concatenate([piece.answers[n] for piece in pieces]) for n in numbers}
        return Decisions(answers, frozenset().union(*(piece.unsearched for piece in pieces)))


def _threads(ids: ThreadIds, blocks: int) -> IntArray:
    """The threads to look at: all, or the first, the last and some between."""
    most = max(4, _IN_ALL // max(1, blocks))
    return distinct(np.linspace(0, ids.count - 1, min(ids.count, most)).astype(np.int64))


def _neighbours(grid: Ids) -> tuple[IntArray, IntArray, IntArray]:
    """Workgroups [n, 3], and the numbers of pairs of them that follow each other on an axis."""
    if grid[0] * grid[1] * grid[2] <= _WHOLE:
        return _whole(grid)
    lines = [_line(grid, axis, where) for axis in range(3) if grid[axis] > 1 for where in (0, 1)]
    ends = np.cumsum([len(line) for line in lines])
    inner = np.setdiff1d(np.arange(ends[-1]), ends - 1)
    return np.concatenate(lines), inner, inner + 1


def _whole(grid: Ids) -> tuple[IntArray, IntArray, IntArray]:
    """All workgroups of a grid, x fastest."""
    x, y, z = grid
    number = np.arange(x * y * z).reshape(z, y, x)
    left = [number[:, :, :-1], number[:, :-1], number[:-1]]
    right = [number[:, :, 1:], number[:, 1:], number[1:]]
    flat = number.ravel()
    blocks = np.stack([flat % x, flat // x % y, flat // (x * y)], axis=1)
    a, b = (np.concatenate([part.ravel() for part in side]) for side in (left, right))
    return blocks, a, b


def _line(grid: Ids, axis: int, where: int) -> IntArray:
    """Workgroups along one axis, at the first or the last of the others."""
    along = np.linspace(0, grid[axis] - 1, min(grid[axis], _ON_A_LINE)).astype(np.int64)
    line = np.tile([where * (n - 1) for n in grid], (len(along), 1))
    line[:, axis] = along
    return line


def _refined(
    looking: _GuardSearch,
    number: int,
    left: IntArray,
    right: IntArray,
    before: IntArray,
    after: IntArray,
) -> list[tuple[Ids, Ids]]:
    """The pairs where a guard changes its answer, each halved until they are neighbours."""
    chosen = _changes(before, after)
    a, b, first = left[chosen].copy(), right[chosen].copy(), before[chosen]
    while len(a) and (np.abs(b - a).sum(axis=1) > 1).any():
        middle = (a + b) // 2
        found = looking.decide(middle).answers.get(number)
        if found is None:
            break
        apart = (np.abs(b - a).sum(axis=1) > 1)[:, None]
        same = (found == first)[:, None]
        a, b = np.where(apart & same, middle, a), np.where(apart & ~same, middle, b)
    return [(_ids(x), _ids(y)) for x, y in zip(a, b, strict=True)]


def _changes(before: IntArray, after: IntArray) -> list[int]:
    """Where the answer changes: of every two answers the first change and the last."""
    where = np.flatnonzero(before != after)
    key = before[where] * np.int64(6364136223846793005) + after[where]
    first = where[np.unique(key, return_index=True)[1]]
    last = where[len(where) - 1 - np.unique(key[::-1], return_index=True)[1]]
    found = distinct(np.concatenate([first, last])).tolist()
    if len(found) <= _OF_ONE_GUARD:
        return list(found)
    return [*found[: _OF_ONE_GUARD // 2], *found[-_OF_ONE_GUARD // 2 :]]


def _in_turns(edges: Iterable[list[tuple[Ids, Ids]]]) -> list[Ids]:
    """The first edge of each guard, then the second of each, and so on."""
    rest = [list(pairs) for pairs in edges]
    order: list[Ids] = []
    while any(rest):
        for pairs in rest:
            order += pairs.pop(0) if pairs else ()
    return order


def _ids(block: IntArray) -> Ids:
    x, y, z = (int(n) for n in block)
    return x, y, z
