"""A tile as an access sees it: turned, and piece by piece."""

from __future__ import annotations

from math import prod

import numpy as np
from msgspec import Struct

from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.notation import ck
from bankwise.notation.ck.transforms import Transform
from bankwise.notation.values import Distribution, DistributionTable, Memory, limit, points
from bankwise.read.tile_file.question import Held, WrittenAccess, WrittenLayout


class Turned(Struct, frozen=True):
    """A memory over other axes: its axis i is axis ``axes[i]`` of ``memory``."""

    memory: Memory
    axes: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The turned tile, in elements."""
        return tuple(self.memory.shape[a] for a in self.axes)

    @property
    def size(self) -> int:
        """That of the memory."""
        return self.memory.size

    def offsets(self, coordinates: IntArray) -> IntArray:
        """Offsets in elements of turned coordinates [..., rank]."""
        return self.memory.offsets(coordinates[..., list(np.argsort(self.axes))])


def turned(memory: Memory, axes: tuple[int, ...]) -> Memory:
    """The memory over other axes. A CK descriptor stays one, so that its guarantees are kept."""
    if axes == tuple(range(len(axes))):
        return memory
    if not isinstance(memory, ck.TensorDescriptor):
        return Turned(memory, axes)
    same = tuple(Transform("pass_through", (length,)) for length in memory.shape)
    places = tuple((axes.index(i),) for i in range(len(axes)))
    return ck.transform(memory, same, tuple((i,) for i in range(len(axes))), places)


def axes_of(access: WrittenAccess, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Which axis of the tile each axis of an access is."""
    return access.held.axes if isinstance(access.held, Held) else tuple(range(len(shape)))


def seen(access: WrittenAccess, layout: WrittenLayout) -> Memory | Refusal:
    """The memory as an access sees it, over the access's own axes."""
    if access.layout is not None:
        return access.layout.memory
    memory = layout.memory
    return memory if isinstance(memory, Refusal) else turned(memory, axes_of(access, memory.shape))


def disagreement(access: WrittenAccess, layout: WrittenLayout) -> str:
    """Where the access's own words for the memory and those of the file differ; empty if nowhere.

    Every reader and writer has to find an element at the same place.
    """
    if access.layout is None or isinstance(layout.memory, Refusal):
        return ""
    mine = access.layout.memory
    if isinstance(mine, Refusal):
        return ""
    axes = axes_of(access, layout.memory.shape)
    if mine is layout.memory and axes == tuple(range(len(axes))):
        return ""
    everything = points(mine.shape)
    theirs = turned(layout.memory, axes).offsets(everything)
    wrong = np.flatnonzero(mine.offsets(everything) != theirs)
    if not wrong.size:
        return ""
    first = int(wrong[0])
    element = tuple(int(c) for c in everything[first, np.argsort(axes)])
    here = int(mine.offsets(everything[first]))
    return (
        f"access {access.name!r} finds element {element} at offset {here}, "
        f"the memory layout has it at {int(theirs[first])}"
    )


def fits(distribution: Distribution, shape: tuple[int, ...], machine: Machine) -> None:
    """Raise :class:`InputError` unless the tile is made of whole tiles of the distribution."""
    if distribution.lanes != machine.wave_size:
        raise InputError(
            f"the distribution has {distribution.lanes} lanes in a wave, "
            f"{machine.name} has {machine.wave_size}"
        )
    limit("a distribution", distribution.waves * distribution.lanes * distribution.registers)
    mine = distribution.shape
    if len(mine) == len(shape) and all(n % m == 0 for n, m in zip(shape, mine, strict=True)):
        return
    turns = sorted(mine) == sorted(shape)
    raise InputError(
        f"the distribution is of a tile {list(mine)}, the tile here is {list(shape)}",
        hint="turn it: axes = [..]" if turns else "the tile must hold it a whole number of times",
    )


def pieces(distribution: Distribution, shape: tuple[int, ...]) -> tuple[Distribution, ...]:
    """The distribution moved over the tile, the last axis fastest; itself if it is of all of it."""
    if distribution.shape == shape:
        return (distribution,)
    steps = tuple(n // m for n, m in zip(shape, distribution.shape, strict=True))
    limit(f"{prod(steps)} pieces of a tile", prod(steps) * distribution.registers)
    held = distribution.coordinates()
    return tuple(
        DistributionTable(shape, held + step * np.asarray(distribution.shape))
        for step in points(steps)
    )
