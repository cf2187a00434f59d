"""A transpose whose tiles the tensor copy engine brings and takes away (TMA, sm_90), as a value.

    matrix --engine--> shared --> registers, transposed in blocks --> shared --engine--> matrix

Both tiles lie in one buffer, one after the other in time, in rows of 128 bytes: that of [m, k]
elements in slabs of so many columns, one below the other, that of [k, m] likewise. The elements of
16 bytes along both axes are a block; 8 x 8 blocks are a square, and 64 threads take one each.

Thread 8 a + x takes block (x, x XOR a): 8 threads that are served at once neither read nor write
one column of blocks twice. Of the layouts that the engine can fill the solver counts every one
(:func:`layouts`); nothing here says which is best.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.algebra.address import AddressMap, Fold, Identity
from bankwise.algebra.offset import Shape
from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Direction, Machine
from bankwise.hardware.machine import machine as machine_named
from bankwise.lab.kernels.transpose_hints import POLICIES
from bankwise.lab.kernels.transpose_plan import Counts, Schedule, Transpose, counted
from bankwise.notation.cute.hopper import MODES
from bankwise.notation.cute.swizzle import recast
from bankwise.notation.values import Mapped
from bankwise.solver.answer import Answer, Limits
from bankwise.solver.general import Listed
from bankwise.solver.price import Workload
from bankwise.solver.problem import Request
from bankwise.solver.unit_answer import among_modes
from bankwise.solver.units import MOST_BOX, UNIT_TYPES, UnitUse
from bankwise.tile import Tile, Use

TARGET = "sm_90"
ROW_BYTES = 128
"""Of the buffer: the widest row that a swizzle of the engine takes."""
BLOCK_BYTES = 16
SQUARE = 8
"""Blocks along a row, and rows of blocks that 64 threads take."""
_MULTIPROCESSOR_BYTES = 227 * 1024
_BESIDE_BYTES = 2048
"""Of a block beside its tile: what the driver keeps, the barrier, and what aligns the tile
(CUDA C++ Programming Guide, compute capability 9.0: 228 KiB, 227 for one block, 1 KiB is kept)."""
_HELD_WORDS = 128
"""Of a thread, between its two accesses to shared memory."""


class TensorTranspose(Struct, frozen=True):
    """One kernel. ``mode``: the engine's swizzle, by its name in
    :data:`bankwise.notation.cute.hopper.MODES`. The ``schedule`` is of kind ``tile``; so many
    ``blocks`` of it fit a multiprocessor, by the shared memory that each is given.
    """

    name: str
    title: str
    element_bytes: int
    tile: tuple[int, int]
    threads: int
    mode: str = "none"
    schedule: Schedule = field(default_factory=lambda: Schedule("tile", 0))

    @property
    def each(self) -> int:
        """Elements of a block along either axis."""
        return BLOCK_BYTES // self.element_bytes

    @property
    def wide(self) -> int:
        """Elements of a row of the buffer."""
        return ROW_BYTES // self.element_bytes

    @property
    def tile_bytes(self) -> int:
        """Bytes of the buffer."""
        return self.tile[0] * self.tile[1] * self.element_bytes

    @property
    def steps(self) -> int:
        """Blocks of elements of one thread."""
        return self.tile[0] * self.tile[1] // self.each**2 // self.threads

    @property
    def dynamic_bytes(self) -> int:
        """Shared memory of a launch: with more than the tile, fewer blocks fit."""
        if not self.schedule.blocks:
            return self.tile_bytes
        share = _MULTIPROCESSOR_BYTES // self.schedule.blocks - _BESIDE_BYTES
        return max(self.tile_bytes, share // ROW_BYTES * ROW_BYTES)

    @property
    def address(self) -> AddressMap:
        """Where the elements of the buffer lie, by their row-major numbers."""
        return address(self.mode, self.element_bytes)

    @property
    def memory(self) -> Mapped:
        """The buffer: rows of 128 bytes."""
        return Mapped((self.tile[0] * self.tile[1] // self.wide, self.wide), self.address)


AnyTranspose = Transpose | TensorTranspose


def address(mode: str, element_bytes: int) -> AddressMap:
    """What a swizzle mode of the engine does to rows of 128 bytes, in elements."""
    swizzle = recast(MODES[mode].swizzle, 8, element_bytes * 8)
    assert not isinstance(swizzle, Refusal), "16 bytes stay together in every mode"
    if not swizzle.bits:
        return Identity()
    unit = 1 << swizzle.base
    return Fold(unit << swizzle.shift, unit, 1 << swizzle.bits)


def engine_plan(
    name: str, element_bytes: int, tile: tuple[int, int], threads: int, schedule: Schedule
) -> TensorTranspose:
    """The kernel without a swizzle. InputError where tile, threads and blocks do not fit."""
    each = BLOCK_BYTES // element_bytes
    title = f"copy engine (TMA) in and out, registers transpose {each} x {each}"
    return _checked(TensorTranspose(name, title, element_bytes, tile, threads, schedule=schedule))


def _checked(plan: TensorTranspose) -> TensorTranspose:
    tile, threads, schedule = plan.tile, plan.threads, plan.schedule
    if any(side % plan.wide or side > MOST_BOX for side in tile):
        raise InputError(
            f"{plan.name}: the copy engine moves boxes of {ROW_BYTES} bytes by {MOST_BOX} rows at "
            f"most, and a tile of {tile[0]} x {tile[1]} is not made of them"
        )
    if threads % SQUARE**2 or plan.steps * threads * plan.each**2 != tile[0] * tile[1]:
        raise InputError(f"{plan.name}: {threads} threads do not share {tile[0]} x {tile[1]}")
    held = plan.steps * plan.each * BLOCK_BYTES // 4
    if held > _HELD_WORDS:
        raise InputError(f"{plan.name}: {held} words a thread, more than {_HELD_WORDS}")
    blocks = max(1, schedule.blocks)
    if (plan.tile_bytes + _BESIDE_BYTES) * blocks > _MULTIPROCESSOR_BYTES:
        raise InputError(f"{plan.name}: {blocks} blocks of {plan.tile_bytes} bytes do not fit")
    if schedule.load not in POLICIES or schedule.store not in POLICIES:
        raise InputError(
            f"{plan.name}: unknown policy {schedule.load!r} or {schedule.store!r}",
            hint=f"of the copy engine: {' '.join(POLICIES)}; empty for none",
        )
    return plan


def engine_solved(plan: TensorTranspose, machine: Machine) -> TensorTranspose:
    """The plan with a mode that no layout undercuts. InputError for a GPU without the engine."""
    if machine.name != TARGET:
        raise InputError(
            f"{plan.name}: kernels with the tensor copy engine are written for {TARGET} alone"
        )
    return replace(plan, mode=best_mode(plan.element_bytes))


def engine_relaid(plan: TensorTranspose) -> tuple[TensorTranspose, ...]:
    """The same code without a swizzle: the engine has no padding inside a box."""
    name = f"{plan.name}_row_major"
    return (replace(plan, name=name, title="tuned, row-major", mode="none"),)


@lru_cache(maxsize=8)
def layouts(element_bytes: int) -> Answer:
    """The solver's answer for one square: what lanes and engine do to it, both ways.

    InputError if there is none.
    """
    gpu = machine_named(TARGET)
    wide, each = ROW_BYTES // element_bytes, BLOCK_BYTES // element_bytes
    along, down = each, each * wide
    vector = tuple(1 << bit for bit in range(each.bit_length() - 1))
    accesses = [
        Listed(Request("read", "read", _lanes(down, along), vector)),
        Listed(Request("write", "write", _lanes(along, down), vector)),
    ]
    kind, axes = UNIT_TYPES[f"f{8 * element_bytes}"], ("row", "column")
    units = (
        UnitUse("load", "write", "tma.load", axes, kind),
        UnitUse("store", "read", "tma.store", axes, kind),
    )
    shape = Shape((("column", wide), ("row", wide)), 8 * element_bytes)
    answer = among_modes(gpu, shape, accesses, units, Limits(gpu.lds_bytes))
    if isinstance(answer, Refusal):
        raise InputError(f"no layout for this transpose: {answer.reason}")
    return answer


def _lanes(x: int, y: int) -> tuple[int, ...]:
    """What the five bits of a lane move: block x of one axis, x XOR a of the other."""
    return (*((x | y) << bit for bit in range(3)), *(y << bit for bit in range(2)))


def best_mode(element_bytes: int) -> str:
    """Of the modes that fill rows of 128 bytes and take the fewest passes the widest swizzle.

    InputError where the fewest are those of a mode with shorter rows.
    """
    # Row-major is as free for these lanes; what was fast on an H200 is the swizzle.
    answer = layouts(element_bytes)
    least = [
        one.mode
        for one in answer.modes
        if one.plan is not None
        and one.plan.passes == answer.layout.passes
        and one.layout is not None
        and one.layout.row_bytes == ROW_BYTES
    ]
    if not least:
        raise InputError("no mode with rows of 128 bytes takes as few passes as others")
    return max(least, key=lambda mode: mode.span_bytes).name


def blocks_of(plan: TensorTranspose) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """(row of the [m, k] slab, column; row of the [k, m] slab, column) of every block's first
    element in the buffer: int64 [steps, threads] each.
    """
    u = np.arange(plan.steps * plan.threads).reshape(plan.steps, plan.threads)
    (m, k), (wide, each) = plan.tile, (plan.wide, plan.each)
    x = u % SQUARE
    y = x ^ u // SQUARE % SQUARE
    square = u // SQUARE**2
    at_m, at_k = square % (m // wide), square // (m // wide)
    first = at_k * m + at_m * wide + each * x
    second = at_m * k + at_k * wide + each * y
    return first, each * y, second, each * x


def engine_workload(plan: TensorTranspose, machine: Machine) -> Workload:
    """The buffer with all that lanes write and read; what the engine does is not in it."""
    first, right, second, left = blocks_of(plan)
    uses = (_use(plan, machine, "write", second, left), _use(plan, machine, "read", first, right))
    rows, wide = plan.memory.shape
    shape = Shape((("column", wide), ("row", rows)), plan.element_bytes * 8)
    return Workload(machine, Tile(shape, uses))


def _use(
    plan: TensorTranspose, machine: Machine, op: Direction, rows: IntArray, columns: IntArray
) -> Use:
    """One vector of 16 bytes for every row of a block, in program order."""
    along = np.arange(plan.each)
    start = (rows[:, None] + along[:, None]) * plan.wide + columns[:, None]
    elements = start.reshape(-1, machine.wave_size, 1) + along
    return Use(op, op, elements, np.ones(elements.shape[:2], np.bool_))


def engine_counts(plan: TensorTranspose, machine: Machine) -> Counts:
    """Count one tile. InputError where the machine has no instruction for it."""
    return counted(plan.name, engine_workload(plan, machine), plan.address)
