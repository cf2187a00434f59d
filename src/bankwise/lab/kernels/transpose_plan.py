"""A transpose through shared memory, as a value: who moves what, and where it lies.

A block of threads moves a tile of [m, k] elements: global -> registers -> shared -> registers ->
global, each half by a :class:`Walk`. Thread t is written in mixed radix, the fastest digit first,
and every digit belongs to an axis; a thread owns ``block`` = (rows, columns) of elements per step,
and steps go on until the tile is covered. With rows = 2, columns = 4 and lanes k:2, m:2

    thread 0 | thread 1        a row of 8 columns is two threads wide;
    thread 2 | thread 3        the tile below it is the next step.

The elements of a block that lie along ``vector`` are moved at once as far as the layout allows:
:func:`workload` asks it, so that the count and the text of the kernel say the same.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, Protocol

import numpy as np
from msgspec import Struct, field

from bankwise.algebra.address import AddressMap
from bankwise.algebra.offset import Shape
from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.lab.kernels.transpose_hints import LOADS, STORES
from bankwise.notation.values import Mapped
from bankwise.solver.price import Placed, Workload, cost, place
from bankwise.tile import Tile, Use

Axis = Literal["m", "k"]
Lanes = tuple[tuple[Axis, int], ...]
Pieces = tuple[tuple[int, int], ...]


class Walk(Struct, frozen=True):
    """How the threads of a block move a tile of ``tile`` = (m, k) elements."""

    tile: tuple[int, int]
    block: tuple[int, int]
    vector: Axis
    lanes: Lanes

    @property
    def threads(self) -> int:
        """Threads of the block."""
        return int(np.prod([size for _, size in self.lanes], dtype=np.int64))

    @property
    def covered(self) -> tuple[int, int]:
        """(m, k) elements of one step."""
        m, k = (int(np.prod([s for a, s in self.lanes if a == axis])) for axis in "mk")
        return m * self.block[0], k * self.block[1]

    @property
    def steps(self) -> tuple[int, int]:
        """Steps along (m, k). InputError where they do not cover the tile exactly."""
        (m, k), (by_m, by_k) = self.tile, self.covered
        if m % by_m or k % by_k:
            raise InputError(f"steps of {by_m} x {by_k} do not cover a tile of {m} x {k}")
        return m // by_m, k // by_k

    @property
    def span(self) -> int:
        """Elements of a block along ``vector``."""
        return self.block["mk".index(self.vector)]

    @property
    def others(self) -> int:
        """Vectors of a block."""
        return self.block[1 - "mk".index(self.vector)]

    def digits(self) -> tuple[tuple[Axis, int, int, int], ...]:
        """(axis, divisor, size, factor): the axis gains ``t / divisor % size * factor``."""
        factor: dict[Axis, int] = {"m": self.block[0], "k": self.block[1]}
        found, divisor = [], 1
        for axis, size in self.lanes:
            found.append((axis, divisor, size, factor[axis]))
            factor[axis] *= size
            divisor *= size
        return tuple(found)

    def coordinates(self, wave: int) -> tuple[IntArray, IntArray]:
        """(m, k) of all elements: int64 [executions, waves, lanes, span], in program order."""
        at: dict[str, IntArray] = {"m": np.zeros(self.threads, np.int64)}
        at["k"] = at["m"].copy()
        for axis, divisor, size, factor in self.digits():
            at[axis] += np.arange(self.threads) // divisor % size * factor
        step_k, step_m, other = np.indices((self.steps[1], self.steps[0], self.others))
        moved = {
            "m": step_m.ravel() * self.covered[0],
            "k": step_k.ravel() * self.covered[1],
        }
        moved["k" if self.vector == "m" else "m"] += other.ravel()
        along = {axis: np.arange(self.span if axis == self.vector else 1) for axis in "mk"}
        waves = (-1, max(1, self.threads // wave), min(wave, self.threads), self.span)
        m, k = (
            np.broadcast_to(
                moved[a][:, None, None] + at[a][None, :, None] + along[a],
                (len(other.ravel()), self.threads, self.span),
            ).reshape(waves)
            for a in "mk"
        )
        return m, k


class Schedule(Struct, frozen=True):
    """Which block does which tiles, and how it touches global memory.

    ``kind``: ``row`` (a block walks along k, as source 002 does), ``tile`` (one tile per block),
    ``persistent`` (a block takes every n-th tile) or ``grid`` (one tile per block, which reads its
    place off the three-dimensional grid: tile along m, along k, matrix of a batch, or with a
    ``group`` of 1 along k first; the one kind for sizes that the tiles do not divide).
    The order of the tiles: ``across`` along k, then ``group`` along m (0: all of them), then on
    along k, then the next group. ``skew``: turn the order along k by one tile for every so many
    tiles along m (0: never). ``cluster``: so many blocks start together (CUDA's thread block
    clusters; HIP has none). ``prefetch``: load the next tile before the present one is stored.
    ``load``, ``store``: cache hints (:mod:`bankwise.lab.kernels.transpose_hints`).
    ``blocks``: per multiprocessor, for ``persistent`` and as the bound for registers; 0: none.
    """

    kind: Literal["row", "tile", "persistent", "grid"] = "row"
    group: int = 1
    across: int = 1
    skew: int = 0
    prefetch: bool = False
    load: str = ""
    store: str = ""
    blocks: int = 0
    cluster: int = 1


class Transpose(Struct, frozen=True):
    """One kernel. ``order``: the axes of the shared tile, contiguous last; ``address`` maps its
    row-major offsets. ``store``: elements of one global store, 1 or the rows of a read block.
    ``aligned``: whether every row of (in, out) starts at a multiple of the vectors that are moved;
    where not, a thread shifts two aligned vectors into one (a ``grid`` schedule).
    """

    name: str
    title: str
    element_bytes: int
    order: tuple[Axis, Axis]
    address: AddressMap
    write: Walk
    read: Walk
    store: int
    schedule: Schedule = field(default_factory=Schedule)
    aligned: tuple[bool, bool] = (True, True)

    @property
    def tile(self) -> tuple[int, int]:
        """(m, k), elements."""
        return self.write.tile

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.write.threads

    @property
    def memory(self) -> Mapped:
        """The shared tile."""
        sizes = dict(zip("mk", self.tile, strict=True))
        return Mapped((sizes[self.order[0]], sizes[self.order[1]]), self.address)

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block, a multiple of 16."""
        return -(-self.memory.size * self.element_bytes // 16) * 16


class Tiled(Protocol):
    """A kernel that moves tiles of (m, k) elements, of any kind: what its launch depends on."""

    @property
    def name(self) -> str:
        """Of the function."""
        ...

    @property
    def tile(self) -> tuple[int, int]:
        """(m, k), elements."""
        ...

    @property
    def schedule(self) -> Schedule:
        """Which block does which tiles."""
        ...


class TileCost(Struct, frozen=True):
    """Shared-memory cost of one tile: warp instructions, passes and extra passes, exact."""

    instructions: int
    passes: int
    extra: int


class Counts(Struct, frozen=True):
    """One tile: the write and the read of shared memory."""

    write: TileCost
    read: TileCost

    @property
    def extra(self) -> int:
        """What the vendor's conflict counter adds per tile."""
        return self.write.extra + self.read.extra


def checked(plan: Transpose) -> Transpose:
    """The plan, if it is one a kernel can be written for. InputError says what is wrong."""
    if plan.write.threads != plan.read.threads or plan.write.tile != plan.read.tile:
        raise InputError(f"{plan.name}: the two halves differ in threads or tile")
    for walk in (plan.write, plan.read):
        assert walk.steps, "steps raise if they do not cover the tile"
    for walk, axis in ((plan.write, 1), (plan.read, 1 if plan.read.vector == "k" else 0)):
        size = walk.block[axis] * plan.element_bytes
        if size not in (4, 8, 16) and (walk is plan.write or walk.block != (1, 1)):
            raise InputError(f"{plan.name}: a vector of {size} bytes; 4, 8 and 16 can be moved")
    if plan.schedule.load not in LOADS or plan.schedule.store not in STORES:
        raise InputError(
            f"{plan.name}: unknown cache hint {plan.schedule.load!r} or {plan.schedule.store!r}",
            hint=f"loads: {' '.join(LOADS)}; stores: {' '.join(STORES)}; empty for none",
        )
    if plan.store not in (1, plan.read.block[0]):
        raise InputError(f"{plan.name}: a store of {plan.store} elements of a column")
    if plan.schedule.kind == "grid" and plan.store != plan.read.block[0]:
        raise InputError(f"{plan.name}: blocks of a grid store what they read")
    if not all(plan.aligned) and plan.schedule.kind != "grid":
        raise InputError(f"{plan.name}: only blocks of a grid take rows that start anywhere")
    if not plan.aligned[1] and (plan.read.vector, plan.read.others) != ("m", 1):
        raise InputError(f"{plan.name}: rows that start anywhere leave vector by vector")
    return plan


def workload(plan: Transpose, machine: Machine, policy: str = "iree") -> Workload:
    """The tile with its write and its read, each as wide as the layout lets it be."""
    sizes = zip(reversed(plan.order), reversed(plan.memory.shape), strict=True)
    shape = Shape(tuple(sizes), plan.element_bytes * 8)
    uses = tuple(_use(plan, machine, shape, policy, name) for name in ("write", "read"))
    return Workload(machine, Tile(shape, uses), policy)


def _use(plan: Transpose, machine: Machine, shape: Shape, policy: str, name: str) -> Use:
    walk = plan.write if name == "write" else plan.read
    m, k = walk.coordinates(machine.wave_size)
    flat = elements_at(plan, m, k).reshape(-1, *m.shape[2:])
    bare = Workload(machine, Tile(shape, ()), policy)
    span = walk.span
    while True:
        parts = flat.reshape(*flat.shape[:2], -1, span)
        elements = np.moveaxis(parts, 2, 1).reshape(-1, flat.shape[1], span)
        active = np.ones(elements.shape[:2], np.bool_)
        use = Use(name, "write" if name == "write" else "read", elements, active)
        if span == 1 or isinstance(place(bare, use, plan.address), Placed):
            return use
        span //= 2


def elements_at(plan: Transpose, m: IntArray, k: IntArray) -> IntArray:
    """The row-major numbers of elements of the shared tile."""
    first, last = (m, k) if plan.order == ("m", "k") else (k, m)
    return first * plan.memory.shape[1] + last


def ahead(plan: Transpose) -> int:
    """Elements that are read of the second of two vectors which are shifted into one.

    At most one less than a vector is of use; what is read is a power of two, a word at least.
    """
    number = plan.read.block[0]
    return max(4 // plan.element_bytes, 1 << (number - 2).bit_length() if number > 2 else 1)


def pieces(plan: Transpose, half: str, machine: Machine) -> Pieces:
    """(first element, bytes) of the instructions that move one vector of shared memory.

    Every piece is naturally aligned, which NVIDIA demands; AMD's compiler may join pieces.
    """
    work = workload(plan, machine)
    use = next(u for u in work.uses if u.name == half)
    placed = place(work, use, plan.address)
    if not isinstance(placed, Placed):
        raise InputError(f"{plan.name}: {placed.reason}")
    walk = plan.write if half == "write" else plan.read
    return tuple(
        (
            first + issue.offset_bytes // plan.element_bytes,
            machine.instruction(issue.instruction).width_bytes,
        )
        for first in range(0, walk.span, use.span)
        for issue in placed.issues
    )


def counts(plan: Transpose, machine: Machine, policy: str = "iree") -> Counts:
    """Count one tile. InputError where the machine has no instruction for it."""
    return counted(plan.name, workload(plan, machine, policy), plan.address)


def counted(name: str, work: Workload, address: AddressMap) -> Counts:
    """The writes and the reads of a tile under a layout. InputError, with the ``name`` of the
    kernel, where they cannot be priced."""
    found = cost(work, address)
    if isinstance(found, Refusal):
        raise InputError(f"{name}: {found.reason}")
    write, read = (
        tile_cost(use.passes, use.ideal, len(use.issues), len(listed.elements))
        for use, listed in zip(found.uses, work.uses, strict=True)
    )
    return Counts(write, read)


def tile_cost(passes: Fraction, ideal: Fraction, issues: int, executions: int) -> TileCost:
    """Of so many executions, each of ``issues`` instructions with these passes on the average."""
    return TileCost(
        issues * executions, int(passes * executions), int((passes - ideal) * executions)
    )


def tiles(plan: Tiled, size: tuple[int, int]) -> int:
    """Tiles of a matrix of ``size`` = (m, k). InputError unless they cover it."""
    (m, k), (by_m, by_k) = size, plan.tile
    if plan.schedule.kind == "grid":
        return -(-m // by_m) * -(-k // by_k)
    if m % by_m or k % by_k or m < by_m or k < by_k:
        raise InputError(f"{plan.name} moves tiles of {by_m} x {by_k}: {m} x {k} is no multiple")
    order = plan.schedule
    rows, columns = m // by_m, k // by_k
    if order.kind != "row" and (rows % (order.group or rows) or columns % order.across):
        raise InputError(
            f"{plan.name}: {rows} x {columns} tiles are no multiple of "
            f"{order.group or rows} x {order.across}"
        )
    if rows * columns % order.cluster:
        raise InputError(f"{plan.name}: {rows * columns} blocks, no multiple of {order.cluster}")
    return rows * columns
