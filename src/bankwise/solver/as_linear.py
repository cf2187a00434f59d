"""Accesses that the theorem takes although lanes are masked or an instruction has two addresses.

What the theorem needs of an access is one phase: the directions in which its active lanes differ.
So an access with masked lanes is linear where the active lanes of every phase are a translate of
one subspace (``lane < 32``, ``lane % 2 == 0``), and the others are empty. An instruction with two
addresses a constant apart (over F2) is two executions of half of it.

Such a problem is for the solver alone: a certificate has no words for a mask.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.algebra.offset import Shape
from bankwise.counting.access import distinct
from bankwise.counting.conflict import phases
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.solver.general import Listed, active_lanes, halved, linear_part
from bankwise.solver.problem import Problem, TileAccess
from bankwise.tile import spread


def as_linear(machine: Machine, shape: Shape, accesses: Sequence[Listed]) -> Problem | Refusal:
    """The whole question as a linear problem, with the phases that active lanes make of it.

    A Refusal where some access is not linear.
    """
    stated = linear_part(machine, shape, accesses)
    if stated is None or any(a.offset is not None for a in accesses):
        return Refusal("not all accesses are linear")
    found = []
    for listed, access in zip(accesses, stated.accesses, strict=True):
        phased = _phased(machine, listed, access)
        if isinstance(phased, Refusal):
            return phased
        found.append(phased)
    return replace(stated, accesses=tuple(found))


def _phased(machine: Machine, listed: Listed, access: TileAccess) -> TileAccess | Refusal:
    """An access with its own instruction and the phases of its active lanes."""
    request, row = listed.request, access.instruction
    if halved(machine, request) is not request and request.instruction is not None:
        row = replace(machine.instruction(request.instruction), addresses=1)
    elif listed.active is None:
        return access
    every = active_lanes(machine, listed, 2 ** len(f2.independent(request.registers)))
    active, starts = every[0], spread(access.lanes)
    if (every != active).any():
        return Refusal(f"{access.name!r} masks other lanes in other executions")
    found: dict[f2.Basis, int] = {}
    for lanes in phases(row, starts, active):
        moved = starts[[lane for lane in lanes if active[lane]]]
        if len(moved):
            basis = f2.basis((moved ^ moved[0]).tolist())
            if len(distinct(moved)) != 1 << len(basis):
                return Refusal(f"the active lanes of {access.name!r} are no subspace")
            found[basis] = found.get(basis, 0) + 1
    if len(found) != 1:
        return Refusal(f"the phases of {access.name!r} differ in their active lanes")
    ((basis, number),) = found.items()
    first = int(starts[active][0])
    return replace(
        access,
        instruction=row,
        lanes=f2.basis((starts[active] ^ first).tolist()),
        registers=(*access.registers, *([first] if first else [])),
        phase=basis,
        phases=number,
    )
