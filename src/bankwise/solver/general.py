"""Problems that need not be linear: masked lanes, index expressions, odd sizes, two addresses.

Layouts are tried and counted: every member of every family, and the exact optimum of what is linear
about the problem. The answer is proved where it reaches the floor (:mod:`bankwise.solver.floors`),
or where all of it is linear after all (:mod:`bankwise.solver.as_linear`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.algebra.expression import Expression
from bankwise.algebra.offset import Shape
from bankwise.counting.access import BoolArray, IntArray, distinct
from bankwise.errors import InputError
from bankwise.hardware.machine import Instruction, Machine
from bankwise.solver.linear_form import dimensions
from bankwise.solver.price import Workload, as_written, workload
from bankwise.solver.problem import BitTile, Problem, Request, problem
from bankwise.tile import Tile, Use, directions, spread

VARIABLES = ("lane", "reg")


class Listed(Struct, frozen=True):
    """One access as a person lists it.

    ``request``: its directions; with an ``offset`` its lanes and registers are empty. ``active``:
    an expression of lane and reg, non-zero for active lanes. ``offset``: the first element of
    every lane, row-major, an expression of lane and reg; ``span`` elements from there on are
    moved. ``executions``: how many values reg takes.
    """

    request: Request
    active: Expression | None = None
    offset: Expression | None = None
    span: int = 1
    executions: int = 1


def listed_workload(
    machine: Machine, shape: Shape, accesses: Sequence[Listed], policy: str = "iree"
) -> Workload:
    """The index arrays of a listed problem. Raises InputError for what no machine executes."""
    uses = tuple(_use(machine, shape, listed, policy) for listed in accesses)
    return Workload(machine, Tile(shape, uses), policy)


def linear_part(machine: Machine, shape: Shape, accesses: Sequence[Listed]) -> Problem | None:
    """The problem with all lanes active and one address per lane; None if nothing is linear."""
    dims = dimensions(shape)
    requests = [halved(machine, a.request) for a in accesses if a.offset is None]
    if dims is None or not requests:
        return None
    masked = [a.request.name for a in accesses if a.active is not None]
    tile = BitTile(dims, shape.element_bits)
    return problem(machine, tile, requests, widen=False, masked=masked)


def is_linear(machine: Machine, listed: Listed) -> bool:
    """Whether the theorem speaks about this access."""
    return listed.active is None and listed.offset is None and not _two(machine, listed.request)


def _two(machine: Machine, request: Request) -> bool:
    name = request.instruction
    return name is not None and machine.instruction(name).addresses == 2


def halved(machine: Machine, request: Request) -> Request:
    """A two-address access as two executions of half of it, which weigh as much together."""
    if not _two(machine, request):
        return request
    vector = request.vector or ()
    return replace(
        request,
        vector=vector[:-1],
        registers=(*vector[-1:], *request.registers),
        instruction=None,
        weight=2 * request.weight,
    )


def _use(machine: Machine, shape: Shape, listed: Listed, policy: str) -> Use:
    request = listed.request
    row = machine.instruction(request.instruction) if request.instruction else None
    if listed.offset is not None:
        elements = _elements(machine, shape, listed, listed.offset)
        active = active_lanes(machine, listed, len(elements))
        _check(shape, listed, elements, active)
    else:
        whole = _whole(machine, shape, listed, policy)
        elements = whole.elements
        steps = 2 ** len(f2.independent(request.registers))
        active = np.tile(active_lanes(machine, listed, steps), (len(elements) // steps, 1))
        if listed.active is not None:
            _check(shape, listed, elements, active)
        if listed.active is None and row is None:
            return whole
        row = row or machine.instruction(whole.issues[0].instruction)
    _check_width(shape, request, elements.shape[-1], row)
    written = as_written(row) if row else ()
    use = Use(request.name, request.op, elements, active, *written)
    return replace(use, weight=request.weight, kind=request.kind, named=bool(row))


def _whole(machine: Machine, shape: Shape, listed: Listed, policy: str) -> Use:
    """A linear access with all lanes active; a two-address one with its whole vector."""
    dims = dimensions(shape)
    assert dims is not None, "directions need powers of two"
    tile = BitTile(dims, shape.element_bits)
    request = listed.request
    if _two(machine, request):
        request = replace(request, instruction=None)
    masked = [] if listed.active is None else [request.name]
    stated = problem(machine, tile, [request], widen=False, masked=masked)
    return workload(stated, (), policy).uses[0]


def _elements(machine: Machine, shape: Shape, listed: Listed, offset: Expression) -> IntArray:
    lane, reg = np.arange(machine.wave_size), np.arange(listed.executions)[:, None]
    first = np.array(offset(lane=lane, reg=reg))
    first = np.broadcast_to(first, (listed.executions, machine.wave_size))
    return first[:, :, None] + np.arange(listed.span)


def active_lanes(machine: Machine, listed: Listed, executions: int) -> BoolArray:
    """Which lanes take part, [executions, lanes]."""
    lane, reg = np.arange(machine.wave_size), np.arange(executions)[:, None]
    mask = np.ones((executions, machine.wave_size), np.bool_)
    if listed.active is None:
        return mask
    active: BoolArray = mask & (listed.active(lane=lane, reg=reg) != 0)
    if not active.any():
        raise InputError(f"access {listed.request.name!r}: no lane is ever active")
    return active


def _check(shape: Shape, listed: Listed, elements: IntArray, active: BoolArray) -> None:
    who, touched = f"access {listed.request.name!r}", elements[active]
    wrong = touched[(touched < 0) | (touched >= shape.elements)]
    if wrong.size:
        raise InputError(
            f"{who}: a lane moves element {int(wrong[0])} of a tile of {shape.elements}",
            hint="offset is the row-major element; mask lanes with active = ...",
        )
    if listed.request.op == "read":
        return
    for number, (row, mask) in enumerate(zip(elements, active, strict=True)):
        values = row[mask].ravel()
        if len(distinct(values)) != len(values):
            raise InputError(
                f"{who}: two lanes write the same element (reg = {number})",
                hint="a broadcast is legal for reads only",
            )


def _check_width(shape: Shape, request: Request, span: int, row: Instruction | None) -> None:
    width = span * shape.element_bits
    if width < 8 and request.op == "write":
        raise InputError(
            f"access {request.name!r}: a store of less than a byte does not exist",
            hint="give it a vector",
        )
    if row is None or width == 8 * row.width_bytes * row.addresses:
        return
    if width >= 8 or row.width_bytes > 1:
        moved = 8 * row.width_bytes * row.addresses
        raise InputError(
            f"access {request.name!r}: {row.name} moves {moved} bits per lane, "
            f"the vector and elements of {shape.element_bits} bits make {width}"
        )


def linear_directions(machine: Machine, shape: Shape, listed: Listed) -> Request | None:
    """The directions of an offset expression that is linear after all; None if it is not."""
    if listed.offset is None or listed.active is not None or shape.bits is None:
        return None
    if listed.executions & (listed.executions - 1):
        return None
    elements = _elements(machine, shape, listed, listed.offset)
    whole = np.ones(elements.shape[:2], np.bool_)
    found = directions(Use(listed.request.name, listed.request.op, elements, whole))
    if found is None or any(start & (listed.span - 1) for start in (*found.starts, *found.lanes)):
        return None
    moved = tuple(start ^ found.starts[0] for start in found.starts)
    registers = tuple(moved[1 << i] for i in range(len(moved).bit_length() - 1))
    if found.starts[0] or moved != tuple(spread(registers).tolist()):
        return None
    return replace(listed.request, lanes=found.lanes, registers=registers, vector=found.vector)
