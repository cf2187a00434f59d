"""The values of TTGIR: operations with their places, types, buffers and views of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, field

from bankwise.counting.access import IntArray
from bankwise.counting.bound import Bound, exactly
from bankwise.errors import Location
from bankwise.identity import ByIdentity

if TYPE_CHECKING:
    from bankwise.notation.triton import Distributed, Encoding, Shared

Shape = tuple[int, ...]


class Op(Struct, eq=False):
    """One operation. ``body``: what stands between its name and its types; ``types``: behind " : ".

    ``results`` and ``operands`` are names with their ``%``; of several results ``%x#0``, ``%x#1``.
    ``loc``: the text inside ``loc(..)``. ``regions``: of an ``scf.if``, then and else.
    """

    name: str
    line: int
    results: tuple[str, ...]
    body: str
    types: str = ""
    loc: str = ""
    operands: tuple[str, ...] = ()
    regions: list[list[Op]] = field(default_factory=list)


class TensorType(Struct, frozen=True):
    """``tensor<64x32xf16, #blocked>``; ``bits``: of one element in memory."""

    shape: Shape
    bits: int
    encoding: Distributed


class MemoryType(Struct, frozen=True):
    """``!ttg.memdesc<2x64x32xf16, #shared, #smem>``: a buffer, or several, or a view of one."""

    shape: Shape
    bits: int
    encoding: Shared


class TritonFunction(Struct, frozen=True):
    """One ``tt.func public``. ``arguments``: names with their ``%``; ``sizes``: bytes of each;
    ``integers``: those that are whole numbers."""

    name: str
    line: int
    arguments: tuple[str, ...]
    sizes: tuple[int, ...]
    body: tuple[Op, ...]
    integers: frozenset[str] = frozenset()


class Module(ByIdentity, frozen=True, eq=False):
    """One TTGIR module. ``target``: as bankwise names machines; ``aliases``: encodings by name.

    ``strange``: aliases that are not read here, with the reason. ``locations``: ``#loc7`` to the
    text inside its ``loc(..)``. ``functions``: all, also those that a kernel calls.
    """

    file: str
    target: str
    warps: int
    lanes: int
    kernels: tuple[TritonFunction, ...]
    aliases: Mapping[str, Encoding]
    strange: Mapping[str, str]
    locations: Mapping[str, str]
    functions: Mapping[str, TritonFunction]
    notes: tuple[str, ...] = ()

    def place(self, op: Op) -> Location:
        """Where an operation stands."""
        return Location(self.file, op.line)


class Buffer(Struct, frozen=True):
    """One ``ttg.local_alloc``: as many elements as its shape says, laid out by its encoding."""

    name: str
    line: int
    type: MemoryType

    @property
    def tile(self) -> Shape:
        """The shape without the dimension that numbers equal buffers."""
        return self.type.shape[len(self.type.shape) - self.type.encoding.rank :]


class ViewStep(Struct, frozen=True):
    """One view of a view: from coordinates of ``shape`` back to those of what it is a view of.

    ``kind``: "index" (``numbers``: the buffer, None if unknown), "slice" (where it starts),
    "trans" (dimension d is dimension ``numbers[d]`` of what it views) or "reshape" (``numbers``:
    the shape of what it views).
    """

    kind: str
    shape: Shape
    numbers: tuple[int | None, ...]

    def back(self, coordinates: IntArray) -> IntArray:
        """Coordinates [..., rank] of the element in what this is a view of."""
        if self.kind == "index":
            first = np.full((*coordinates.shape[:-1], 1), self.numbers[0] or 0, np.int64)
            return np.concatenate([first, coordinates], axis=-1)
        if self.kind == "slice":
            return coordinates + np.array([n or 0 for n in self.numbers], np.int64)
        if self.kind == "trans":
            order = [n or 0 for n in self.numbers]
            return coordinates[..., np.argsort(order)]
        return _reshaped(coordinates, self.shape, tuple(n or 0 for n in self.numbers))


def _reshaped(coordinates: IntArray, shape: Shape, into: Shape) -> IntArray:
    """Row-major: the same element of another shape."""
    flat = np.zeros(coordinates.shape[:-1], np.int64)
    for axis, length in enumerate(shape):
        flat = flat * length + coordinates[..., axis]
    parts = []
    for length in reversed(into):
        parts.append(flat % length)
        flat = flat // length
    return np.stack(parts[::-1], axis=-1)


class Open(Struct, frozen=True):
    """A number that nobody said. ``facts``: what it depends on: names that ``--arg`` takes, and
    phrases for what no argument says."""

    facts: frozenset[str] = frozenset()


class BufferView(Struct, frozen=True):
    """A part of a buffer as an operation sees it; ``steps`` from the buffer to the view."""

    buffer: Buffer
    steps: tuple[ViewStep, ...] = ()

    @property
    def shape(self) -> Shape:
        """The shape that the operation sees."""
        return self.steps[-1].shape if self.steps else self.buffer.type.shape

    def through(self, kind: str, shape: Shape, numbers: tuple[int | None, ...]) -> BufferView:
        """A view of this view."""
        return BufferView(self.buffer, (*self.steps, ViewStep(kind, shape, numbers)))

    def coordinates(self, coordinates: IntArray) -> IntArray:
        """Coordinates in the buffer of coordinates in the view, both [..., rank]."""
        for step in reversed(self.steps):
            coordinates = step.back(coordinates)
        return coordinates


class SharedOperation(Struct, frozen=True):
    """One operation on shared memory, on one view, so many times per workgroup.

    ``view`` is None where the memory is scratch. ``executions``: as followed; ``times``: between
    which ends the truth lies. ``maybe``: whether it may not run. ``waves``: that run it, where they
    are not all of the module (a partition of specialised warps). ``operand``: which one a matrix or
    copy unit reaches by a descriptor; None for what threads do. ``open``: what decides how often it
    runs, where that is not known.
    """

    op: Op
    view: BufferView | None
    executions: int
    times: Bound
    maybe: bool = False
    waves: int | None = None
    operand: int | None = None
    open: frozenset[str] = frozenset()

    @property
    def counted(self) -> bool:
        """Whether ``executions`` is exact."""
        return self.times == exactly(self.executions)
