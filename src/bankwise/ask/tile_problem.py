"""What a question asks the solver: its accesses as they are listed one by one.

A distribution that is linear over F2 is directions: lanes, what a lane moves at once, and what its
executions step through. Under a layout what it moves at once there stays together; without one the
solver may choose.
"""

from __future__ import annotations

import numpy as np

from bankwise.algebra import f2
from bankwise.algebra.address import Identity
from bankwise.algebra.layout import Layout as LinearLayout
from bankwise.algebra.offset import Dims, Shape
from bankwise.ask.spec_moves import moves
from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import Machine
from bankwise.identity import ByIdentity
from bankwise.notation import row_major
from bankwise.notation.values import DistributionTable, Mapped, linear
from bankwise.read.tile_file.question import (
    Held,
    SolveOptions,
    TileQuestion,
    WrittenAccess,
    WrittenLayout,
)
from bankwise.read.tile_file.tables import fits_machine
from bankwise.solver.general import Listed, is_linear, listed_workload
from bankwise.solver.linear_form import dimensions
from bankwise.solver.problem import BitTile, Request
from bankwise.solver.units import UnitUse


class TileProblem(ByIdentity, frozen=True, eq=False):
    """A tile and its accesses, as the solver takes them; all of it has been checked.

    ``stages``: leading dimensions that no access moves, the outermost last; ``shape`` is without.
    ``units``: what asynchronous units do to the tile beside the accesses.
    """

    file: str
    machine: Machine
    shape: Shape
    accesses: tuple[Listed, ...]
    options: SolveOptions
    stages: Dims = ()
    batch: int = 1
    units: tuple[UnitUse, ...] = ()

    @property
    def linear(self) -> bool:
        """Whether the exact solver can take it."""
        return all(is_linear(self.machine, a) for a in self.accesses)

    @property
    def tile(self) -> BitTile:
        """The tile in bits; only where all dimensions are powers of two."""
        dims = dimensions(self.shape)
        assert dims is not None, "the accesses are linear"
        return BitTile(dims, self.shape.element_bits)


def tile_problem(question: TileQuestion) -> TileProblem | Refusal:
    """The problem that the accesses pose.

    A Refusal that names the access whose distribution is not linear over F2.
    :class:`InputError` for what no machine executes.
    """
    if not question.accesses:
        raise InputError(
            "this question has no [[access]] to solve for",
            location=Location(question.file),
            hint="`bankwise coalesce` reads its [[global]] accesses",
        )
    try:
        fits_machine(question.whole, question.machine)
    except InputError as error:
        raise InputError(error.message, location=Location(question.file)) from error
    found = []
    units = tuple(a.held for a in question.accesses if isinstance(a.held, UnitUse))
    for access in question.accesses:
        if isinstance(access.held, UnitUse):
            continue
        listed = access.held if isinstance(access.held, Listed) else _listed(question, access)
        if isinstance(listed, Refusal):
            where = listed.location or access.location
            return Refusal(f"access {access.name!r}: {listed.reason}", where)
        found.append(listed)
    return TileProblem(
        question.file,
        question.machine,
        question.tile,
        tuple(found),
        question.options,
        question.stages,
        question.batch,
        units,
    )


def _listed(question: TileQuestion, access: WrittenAccess) -> Listed | Refusal:
    """A distribution as directions."""
    held = access.held
    assert isinstance(held, Held), "asked before"
    whole, together = held.distribution, _together(question, access)
    if isinstance(whole, Refusal):
        return whole
    if isinstance(together, Refusal):
        return together
    back = np.argsort(held.axes)
    coordinates = whole.coordinates()[..., back]
    shape = tuple(whole.shape[a] for a in back)
    found = linear(DistributionTable(shape, coordinates), question.dims)
    if isinstance(found, Refusal):
        return found
    odd = next(((n, s) for n, s in question.tile.dims if s & (s - 1)), None)
    if odd:
        return Refusal(f"dimension {odd[0]} has {odd[1]} elements: no power of two")
    request = _request(question, access, found, coordinates, together)
    if isinstance(request, Refusal):
        return request
    listed = Listed(request)
    try:
        listed_workload(question.machine, question.tile, [listed])
    except InputError as error:
        raise InputError(error.message, location=access.location, hint=error.hint) from error
    return listed


def _together(question: TileQuestion, access: WrittenAccess) -> tuple[int, ...] | Refusal | None:
    """The registers that the first instruction moves; None if the solver may choose.

    A vector of the file's own, without a layout, is what lies side by side row-major.
    """
    layout = question.layout
    if layout is None and access.layout is None and access.vector is None:
        return None
    moved = moves(question, access, layout or _row_major(question, access))
    return moved if isinstance(moved, Refusal) else moved[0].registers


def _row_major(question: TileQuestion, access: WrittenAccess) -> WrittenLayout:
    memory = Mapped(question.shape, Identity())
    return WrittenLayout(row_major.NAME, row_major.NAME, memory, access.location)


def _request(
    question: TileQuestion,
    access: WrittenAccess,
    found: LinearLayout,
    held: IntArray,
    together: tuple[int, ...] | None,
) -> Request | Refusal:
    """Lanes, vector and registers as sums of coordinate bits; steps over the tile are registers."""
    packed = _packed(held, question)
    moved_at_once = together or (0,)
    count = len(moved_at_once)
    if count & (count - 1):
        return Refusal(f"{count} elements are moved at once: no power of two")
    first = packed[0, 0, moved_at_once[0]]
    bits = range(count.bit_length() - 1)
    vector = [int(packed[0, 0, moved_at_once[1 << i]] ^ first) for i in bits]
    lanes = [int(packed[0, 1 << i, 0] ^ packed[0, 0, 0]) for i in range(_bits(found, "lane"))]
    moved = [int(packed[0, 0, 1 << i] ^ packed[0, 0, 0]) for i in range(_bits(found, "reg"))]
    moved += [int(packed[1 << i, 0, 0] ^ packed[0, 0, 0]) for i in range(_bits(found, "wave"))]
    steps = f2.independent([d for d in moved if d], modulo=[*vector, *lanes])
    return Request(
        access.name,
        access.op,
        tuple(lanes),
        tuple(vector) if together else None,
        tuple(steps),
        access.weight,
    )


def _packed(held: IntArray, question: TileQuestion) -> IntArray:
    """Coordinates as row-major numbers of the tile; every size is a power of two here."""
    number = np.zeros(held.shape[:-1], np.int64)
    for axis, size in enumerate(question.shape):
        number = number * size + held[..., axis]
    return number


def _bits(found: LinearLayout, name: str) -> int:
    return dict(found.inputs).get(name, 0)
