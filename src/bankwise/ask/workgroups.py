"""Which workgroups the judge of execution runs, in which order, and the words for what ran.

All of them where the work allows it. Otherwise the corners of the grid first, then both sides of
every edge of a guard (:mod:`bankwise.change.execute.guards`), then others in a fixed random order.
A grid that is not in the text is tried: small numbers and edges stand for it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from bankwise.ask.analysis import Analysis
    from bankwise.change.execute import Known

Grid = tuple[int, int, int]

_SEED = 20_26
_SMALL = (1, 2, 3, 4, 5, 7, 8)
_SUPPOSED = 64
"""How far along an axis the edges of guards are looked for where the grid is not in the text."""


class WorkgroupOrder(Struct, frozen=True):
    """The workgroups to run, in this order, without repetition.

    ``grid``: None if it is not in the text. ``alike``: no workgroup asks which one it is.
    ``corners`` and ``edges``: the first so many of the order are that; ``guards`` and
    ``unsearched`` as in :class:`bankwise.change.execute.guards.GuardEdges`.
    """

    workgroups: tuple[Grid, ...]
    grid: Grid | None
    alike: bool
    corners: int
    edges: int
    guards: int
    unsearched: int

    @property
    def total(self) -> int:
        """Workgroups of the launch; 0 if that is not known."""
        x, y, z = self.grid or (0, 0, 0)
        return x * y * z

    def complete(self, ran: Sequence[Grid]) -> bool:
        """Whether the workgroups that ran are all, or do what all do."""
        return len(ran) == self.total or (self.grid is None and self.alike)

    def words(self, ran: Sequence[Grid]) -> str:
        """What ran, exactly, behind "bit-identical"; ``ran`` is a beginning of the order."""
        if self.grid is None:
            return _stand_in(ran, self.alike)
        if len(ran) == self.total:
            return (
                " over the only workgroup"
                if len(ran) == 1
                else f" over all {len(ran):,} workgroups"
            )
        told = f"sampled {len(ran):,} of {self.total:,} workgroups: {self._kinds(len(ran))}"
        if self.unsearched:
            told += (
                f" ({_count(self.unsearched, 'guard')} by unknown values not searched for edges)"
            )
        return f"; {told}"

    def _kinds(self, ran: int) -> str:
        corners = min(ran, self.corners)
        edges = min(ran - corners, self.edges)
        parts = [_count(corners, "corner")] if corners else []
        if edges:
            parts.append(f"{edges:,} at the edges of {_count(self.guards, 'guard')}")
        if ran > corners + edges:
            parts.append(f"{ran - corners - edges:,} random")
        return ", ".join(parts)


def workgroup_order(a: Analysis, most: int, known: Known) -> WorkgroupOrder:
    """At most ``most`` workgroups of a kernel's launch, the most telling ones first."""
    from bankwise.change.execute.guards import GuardEdges, asked_axes, guard_edges
    from bankwise.read.mlir.indexing import ThreadIds

    asked = asked_axes(a.kernel.op)
    grid = a.kernel.grid
    supposed = grid or _supposed(asked)
    corners = list(dict.fromkeys(_corners(supposed) if grid else _small(asked)))
    found = GuardEdges((), 0, 0)
    if asked and (grid is None or _count_of(grid) > len(corners)):
        ids = ThreadIds(a.workgroup_size, a.machine.wave_size, grid=grid)
        found = guard_edges(a.kernel.op, ids, supposed, known)
    edges = [block for block in found.workgroups if block not in set(corners)]
    drawn = dict.fromkeys([*corners, *edges])
    if grid is not None:
        drawn |= dict.fromkeys(_drawn(grid, most))
    order = tuple(drawn)[:most]
    return WorkgroupOrder(
        order, grid, not asked, len(corners), len(edges), found.guards, found.unsearched
    )


def _corners(grid: Grid) -> list[Grid]:
    x, y, z = grid
    return [(i, j, k) for k, j, i in product((0, z - 1), (0, y - 1), (0, x - 1))]


def _drawn(grid: Grid, most: int) -> list[Grid]:
    x, y, _ = grid
    total = _count_of(grid)
    draws = random.Random(_SEED).sample(range(total), min(total, most))
    return [(n % x, n // x % y, n // (x * y)) for n in draws]


def _supposed(asked: Sequence[int]) -> Grid:
    x, y, z = (_SUPPOSED if axis in asked else 1 for axis in range(3))
    return (x, y, z) if len(asked) < 3 else (_SUPPOSED // 4,) * 3


def _small(asked: Sequence[int]) -> list[Grid]:
    """The first workgroup, and small numbers along the axes that the kernel asks for."""
    along = [tuple(n * (axis == a) for a in range(3)) for n in _SMALL for axis in asked]
    both = [tuple(n * (a in asked) for a in range(3)) for n in (1, 2, 5)]
    return [(0, 0, 0), *((x, y, z) for x, y, z in (*along, *both))]


def _count_of(grid: Grid) -> int:
    return grid[0] * grid[1] * grid[2]


def _stand_in(ran: Sequence[Grid], alike: bool) -> str:
    if alike:
        return "; the grid is not in the text; no workgroup asks which one it is, all are alike"
    shown = ", ".join(str(workgroup) for workgroup in ran[:4])
    rest = f" and {len(ran) - 4:,} others" if len(ran) > 4 else ""
    stand = "workgroup {} stands" if len(ran) == 1 else "workgroups {} stand"
    return f"; the grid is not in the text, {stand.format(shown + rest)} for it"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
