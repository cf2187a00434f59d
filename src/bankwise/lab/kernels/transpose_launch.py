"""What a whole launch costs in shared memory: every tile counted, those at the edge as they are.

Tiles inside a matrix cost the same; of those that the matrix does not fill, and where output rows
start anywhere, some lanes read nothing or read elements one by one. Tiles that agree in what is
left of the matrix and in how their rows are aligned are counted once.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.lab.kernels.transpose_plan import (
    Counts,
    TileCost,
    Transpose,
    ahead,
    counts,
    elements_at,
    tiles,
    workload,
)
from bankwise.lab.kernels.transpose_tma import (
    AnyTranspose,
    TensorTranspose,
    engine_counts,
)
from bankwise.solver.price import cost
from bankwise.tile import Tile, Use


class EdgeTile(Struct, frozen=True):
    """What the lanes of one tile ask: ``rows``, ``columns`` of it lie in the matrix; ``whole``:
    the block compares nothing; ``start``: elements from an aligned place to the output matrix.
    """

    rows: int
    columns: int
    whole: bool
    start: int


def fitted(plan: AnyTranspose, size: tuple[int, int]) -> AnyTranspose:
    """The plan for matrices of ``size`` = (m, k): a ``grid`` one asks whether rows are aligned."""
    if isinstance(plan, TensorTranspose) or plan.schedule.kind != "grid":
        return plan
    aligned = size[1] % plan.write.block[1] == 0, size[0] % plan.read.block[0] == 0
    return replace(plan, aligned=aligned)


def launch_counts(
    plan: AnyTranspose, machine: Machine, size: tuple[int, int], batch: int = 1
) -> Counts:
    """All tiles of a launch on ``batch`` matrices of ``size`` = (m, k), one behind the other.

    The output starts at a multiple of 16 bytes. InputError as of :func:`counts` and :func:`tiles`.
    """
    if isinstance(plan, TensorTranspose):
        return _times(engine_counts(plan, machine), tiles(plan, size) * batch)
    if plan.schedule.kind != "grid":
        return _times(counts(plan, machine), tiles(plan, size) * batch)
    total = Counts(TileCost(0, 0, 0), TileCost(0, 0, 0))
    for one, number in _edges(plan, size, batch).items():
        found = _times(_count(plan, machine, one, size[0]), number)
        total = Counts(_sum(total.write, found.write), _sum(total.read, found.read))
    return total


def _times(one: Counts, number: int) -> Counts:
    write, read = (
        TileCost(half.instructions * number, half.passes * number, half.extra * number)
        for half in (one.write, one.read)
    )
    return Counts(write, read)


def _sum(one: TileCost, other: TileCost) -> TileCost:
    return TileCost(
        one.instructions + other.instructions,
        one.passes + other.passes,
        one.extra + other.extra,
    )


def _edges(plan: Transpose, size: tuple[int, int], batch: int) -> Counter[EdgeTile]:
    """Every tile of the launch, by what its lanes ask."""
    (m, k), (by_m, by_k) = size, plan.tile
    beyond = 0 if plan.aligned[0] else plan.write.block[1]
    along_m = Counter(min(by_m, m - first) for first in range(0, m, by_m))
    along_k = Counter(
        (min(by_k, k - first), first + by_k + beyond <= k) for first in range(0, k, by_k)
    )
    starts = Counter(i * m * k % plan.read.block[0] for i in range(batch))
    found: Counter[EdgeTile] = Counter()
    for rows, (columns, inside), start in product(along_m, along_k, starts):
        one = EdgeTile(rows, columns, rows == by_m and inside, start)
        found[one] += along_m[rows] * along_k[columns, inside] * starts[start]
    return found


def _count(plan: Transpose, machine: Machine, edge: EdgeTile, m: int) -> Counts:
    """One tile of matrices with ``m`` rows."""
    work = workload(plan, machine)
    write, read = work.uses
    if plan.aligned[1]:
        reads = [_masked(read, _there(plan, machine, edge), plan)]
    else:
        reads = _shifted_reads(plan, machine, read, edge, m)
    uses = (write, *(use for use in reads if len(use.elements)))
    found = cost(replace(work, tile=Tile(work.shape, uses)), plan.address)
    if isinstance(found, Refusal):
        raise InputError(f"{plan.name}: {found.reason}")
    halves = {"write": TileCost(0, 0, 0), "read": TileCost(0, 0, 0)}
    for use, listed in zip(found.uses, uses, strict=True):
        executions = len(listed.elements)
        extra = (use.passes - use.ideal) * executions
        one = TileCost(len(use.issues) * executions, int(use.passes * executions), int(extra))
        halves[listed.op] = _sum(halves[listed.op], one)
    return Counts(halves["write"], halves["read"])


def _there(plan: Transpose, machine: Machine, edge: EdgeTile) -> BoolArray:
    """Lanes whose block begins inside the matrix: [executions, waves, lanes]."""
    m, k = (x[..., 0] for x in plan.read.coordinates(machine.wave_size))
    if plan.read.vector == "k":
        m = m - m % plan.read.block[0]
    return np.asarray((m < edge.rows) & (k < edge.columns))


def _masked(use: Use, active: BoolArray, plan: Transpose) -> Use:
    """The use of the lanes that are active; executions without one do not happen."""
    lanes = active.reshape(-1, active.shape[-1])
    lanes = np.repeat(lanes, len(use.elements) // len(lanes), axis=0)
    some = lanes.any(axis=-1)
    return replace(use, elements=use.elements[some], active=lanes[some])


def _shifted_reads(
    plan: Transpose, machine: Machine, read: Use, edge: EdgeTile, m: int
) -> list[Use]:
    """The two vectors of every aligned one of an output row, and the elements left over."""
    number, height = plan.read.block[0], plan.tile[0]
    at_m, at_k = plan.read.coordinates(machine.wave_size)
    before = -(edge.start + at_k[..., 0] * m) % number
    active = before + at_m[..., 0] + number <= (height if edge.whole else edge.rows)
    active &= at_k[..., 0] < edge.columns
    moved = elements_at(plan, (at_m + number) % height, at_k)
    span = min(read.span, ahead(plan))
    split = moved.reshape(-1, moved.shape[2], number // read.span, read.span)[..., :span]
    split = np.moveaxis(split, 2, 1).reshape(-1, moved.shape[2], span)
    second = replace(read, name="ahead", elements=split)
    found = [_masked(use, active, plan) for use in (read, second)]
    return [*found, _left_over(plan, machine, edge, m)]


def _left_over(plan: Transpose, machine: Machine, edge: EdgeTile, m: int) -> Use:
    """Elements before the first and behind the last aligned vector of each output row."""
    number, (height, width) = plan.read.block[0], plan.tile
    slots = number if edge.whole else 2 * number
    i = np.arange(-(-width * slots // plan.threads) * plan.threads)
    e, k = i % slots, i // slots
    h: IntArray = -(edge.start + k * m) % number
    if edge.whole:
        at, active = np.where(e < h, e, height - number + e), h > 0
    else:
        tail = h + (edge.rows - h) // number * number + e - number
        at = np.where(e < number, e, tail)
        last = (edge.rows > h) & (at < edge.rows)
        active = np.where(e < number, (e < h) & (e < edge.rows), last)
    active = np.asarray(active & (k < edge.columns) & (i < width * slots))
    flat = np.where(active, elements_at(plan, at, k), 0)
    wave = min(machine.wave_size, plan.threads)
    elements, lanes = flat.reshape(-1, wave, 1), active.reshape(-1, wave)
    some = lanes.any(axis=-1)
    return Use("left over", "read", elements[some], lanes[some])
