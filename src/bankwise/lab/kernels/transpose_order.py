"""Which block moves which tiles, as text: the :class:`Schedule` of a transpose, in CUDA and HIP.

``b`` numbers the tiles: ``across`` of them along k, then ``group`` along m, then on along k. With
across = 2, group = 2 and a matrix of 4 x 4 tiles (rows m, columns k)

     0  1  4  5
     2  3  6  7
     8  9 12 13
    10 11 14 15
"""

from __future__ import annotations

from collections.abc import Iterator

from bankwise.errors import InputError
from bankwise.lab.kernels.transpose_plan import Tiled, tiles

Lines = Iterator[str]
_MOST_ROWS = 65535
"""Of a grid in its second and third dimension (CUDA C++ Programming Guide)."""


def first(plan: Tiled) -> Lines:
    """The place (m0, k0) of a block's first tile."""
    m, k = plan.tile
    if plan.schedule.kind == "row":
        yield f"const int m0 = blockIdx.x * {m};"
        yield "int k0 = 0;"
        return
    if plan.schedule.group or plan.schedule.skew or plan.schedule.kind == "persistent":
        yield f"const int columns = K / {k};"
    if plan.schedule.kind == "persistent":
        yield f"const int tiles = M / {m} * columns;"
    yield "int b = blockIdx.x, m0, k0;"
    yield from _locate(plan)


def _locate(plan: Tiled) -> Lines:
    """Tile number ``b`` in the order of the schedule."""
    (m, k), order = plan.tile, plan.schedule
    group, across = order.group, order.across
    if not group:
        yield from _sweep(plan)
        return
    lower = f"b % {across} + " if across > 1 else ""
    within = f"b / {across} % {group}" if across > 1 else f"b % {group}"
    rest = f"b / {group * across}" if group * across > 1 else "b"
    columns = f"(columns / {across})" if across > 1 else "columns"
    row = f"{rest} / {columns}" if group == 1 else f"{rest} / {columns} * {group} + {within}"
    column = f"{lower}{rest} % {columns}{f' * {across}' if across > 1 else ''}"
    yield f"m0 = ({row}) * {m};"
    yield f"k0 = ({_turned_by(order.skew, column, m)}) * {k};"


def _sweep(plan: Tiled) -> Lines:
    """Every tile along m, ``across`` of them along k, before the next ones along k."""
    (m, k), across = plan.tile, plan.schedule.across
    by = f" * {across}" if across > 1 else ""
    yield f"m0 = (b{f' / {across}' if across > 1 else ''} % (M / {m})) * {m};"
    column = f"b / (M / {m}{by}){by}{f' + b % {across}' if across > 1 else ''}"
    yield f"k0 = ({_turned_by(plan.schedule.skew, column, m)}) * {k};"


def _turned_by(skew: int, column: str, m: int) -> str:
    return f"({column} + m0 / {m * skew}) % columns" if skew else column


def more(plan: Tiled) -> str:
    """Whether there is a tile at (m0, k0)."""
    return "k0 < K" if plan.schedule.kind == "row" else "b < tiles"


def advance(plan: Tiled) -> Lines:
    """(m0, k0) of a block's next tile."""
    if plan.schedule.kind == "row":
        yield f"k0 += {plan.tile[1]};"
        return
    yield "b += gridDim.x;"
    yield from _locate(plan)


def grid(
    plan: Tiled, size: tuple[int, int], multiprocessors: int, batch: int = 1
) -> tuple[int, int, int]:
    """Blocks of a launch for ``batch`` matrices of ``size`` = (m, k).

    InputError where the grid of the GPU has no place for them, or the plan takes one matrix alone.
    """
    every = tiles(plan, size)
    if plan.schedule.kind == "grid":
        places = [-(-n // by) for n, by in zip(size, plan.tile, strict=True)]
        first, second = reversed(places) if plan.schedule.group == 1 else places
        blocks = (first, second, batch)
        if max(blocks[1:]) > _MOST_ROWS:
            raise InputError(f"{plan.name}: a grid of {' x '.join(map(str, blocks))} blocks")
        return blocks
    if batch != 1:
        raise InputError(f"{plan.name} transposes one matrix", hint="a grid schedule takes more")
    if plan.schedule.kind == "row":
        return size[0] // plan.tile[0], 1, 1
    if plan.schedule.kind == "tile":
        return every, 1, 1
    return min(every, max(1, plan.schedule.blocks) * multiprocessors), 1, 1
