"""``tt.reduce``: the changes of distribution through which Triton reduces over several waves.

Every lane reduces its registers, every wave its lanes. What is left along the axis in waves changes
places with lanes (those that hold copies, where there are enough) and is reduced there; at last the
result goes to its own distribution. Each change is a conversion like any other (:mod:`.scratch`):
most go through shared memory. Of several tensors each goes by itself.

The order along the axis plays no role: what is left is numbered anew, registers first.

Source: triton-lang/triton 3.9, lib/Conversion/TritonGPUToLLVM/ReduceOpToLLVM.cpp and ReduceOpHelper
in lib/Analysis/Utility.cpp; no line of it is used here. Held against what 3.9.0 emits
(tests/test_ttgir_kernels.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from bankwise.notation.linear import Bases, Basis, LinearDistribution

Change = tuple[LinearDistribution, LinearDistribution]
Part = Literal["register", "lane"]


def changes(
    held: LinearDistribution, axis: int, result: LinearDistribution | None
) -> Iterator[Change]:
    """From which distribution to which, in order; ``result``: None where one number is left."""
    now = reduced(reduced(held, axis, "register"), axis, "lane")
    while now.shape[axis] > 1:
        between = _waves_into_lanes(now, axis)
        yield now, between
        now = reduced(between, axis, "lane")
    if result is not None:
        last = _without(now, axis)
        if last != result:
            yield last, result


def reduced(held: LinearDistribution, axis: int, part: Part) -> LinearDistribution:
    """After the registers, or the lanes, of one axis were reduced to one."""
    register, lane = held.register_bases, held.lane_bases
    if part == "register":
        register = tuple(b for b in _still(register, axis) if any(b))
    else:
        lane = _still(lane, axis)
    return _numbered(held.shape, axis, (register, lane, held.wave_bases))


def _still(bases: Bases, axis: int) -> Bases:
    """Bases that do not move along the axis any more."""
    return tuple(_at(basis, axis, 0) for basis in bases)


def _numbered(
    shape: tuple[int, ...], axis: int, parts: tuple[Bases, Bases, Bases]
) -> LinearDistribution:
    """What still moves along the axis, numbered without holes."""
    size, found = 1, []
    for bases in parts:
        new = []
        for basis in bases:
            new.append(_at(basis, axis, size) if basis[axis] else basis)
            size *= 2 if basis[axis] else 1
        found.append(tuple(new))
    return LinearDistribution(_at(shape, axis, size), *found)


def _at(basis: Basis, axis: int, value: int) -> Basis:
    return (*basis[:axis], value, *basis[axis + 1 :])


def _waves_into_lanes(now: LinearDistribution, axis: int) -> LinearDistribution:
    """Wave bits along the axis change places with lane bits, if they can with those of copies."""
    lanes, waves = list(now.lane_bases), list(now.wave_bases)
    moving = [i for i, basis in enumerate(waves) if basis[axis]]
    free = [i for i, basis in enumerate(lanes) if not any(basis)]
    places = free if len(free) >= len(moving) else range(len(lanes))
    for wave, lane in zip(moving, places, strict=False):
        lanes[lane], waves[wave] = waves[wave], lanes[lane]
    return LinearDistribution(now.shape, now.register_bases, tuple(lanes), tuple(waves))


def _without(held: LinearDistribution, axis: int) -> LinearDistribution:
    """The same without an axis of one element."""
    shape = (*held.shape[:axis], *held.shape[axis + 1 :])
    parts = (held.register_bases, held.lane_bases, held.wave_bases)
    dropped = (tuple((*b[:axis], *b[axis + 1 :]) for b in bases) for bases in parts)
    return LinearDistribution(shape, *dropped)
