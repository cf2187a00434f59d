"""Ways to issue an access: whole, or in more, narrower instructions.

A 16-byte store pins three directions of f16 and takes bank bits away from every other access of the
tile; two 8-byte stores pin two. The price is issued instructions (:mod:`bankwise.solver.price`), so
which way is best is a question of the whole plan (:mod:`bankwise.solver.cheapest`). An access that
is split is no new kind of access: it is the same one with fewer elements in more executions, and
each of its instructions counts.

    store  8 elements x 32 executions, weight 1    ds_write_b128
    store  4 elements x 64 executions, weight 2    ds_write_b64

A compiler may join what was split: two parts a constant distance apart are one ``ds_write2_b64``,
whose counter nobody has published. That is said beside the plan (:func:`joinable`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.algebra.address import AddressMap
from bankwise.counting.access import distinct
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Instruction, Machine
from bankwise.hardware.policies import WIDEST_BYTES, select
from bankwise.solver.problem import Problem, Request, TileAccess, issued, usual_instruction
from bankwise.tile import Tile, Use

NARROWEST_BYTES = 4
"""Of an instruction that an access is split into for a better layout: a word. Less only where the
accesses exclude each other as they are."""

_PAIRS = {8: "ds_{}2_b64", 4: "ds_{}2_b32"}
_REACH = 256
"""Steps between the two addresses of a pair: an immediate of 8 bits."""


class Way(Struct, frozen=True):
    """One way to issue an access: ``parts`` instructions, each of them ``access``."""

    parts: int
    access: TileAccess

    def __str__(self) -> str:
        many = f"{self.parts} x " if self.parts > 1 else ""
        return f"{self.access.name} as {many}{self.access.instruction.name}"


def ways(
    problem: Problem, named: Collection[str] = (), narrowest_bytes: int = NARROWEST_BYTES
) -> tuple[tuple[Way, ...], ...]:
    """The ways of every access, whole first. ``named``: whose instruction the user chose."""
    return tuple(tuple(_ways(problem, a, named, narrowest_bytes)) for a in problem.accesses)


def _ways(
    problem: Problem, access: TileAccess, named: Collection[str], narrowest_bytes: int
) -> Iterator[Way]:
    yield Way(1, access)
    if access.name in named or access.kind != "plain" or not access.vector:
        return
    if usual_instruction(problem.machine, problem.tile, access) != access.instruction.name:
        return
    for keep in reversed(range(len(access.vector))):
        if problem.tile.element_bits << keep < 8 * narrowest_bytes:
            return
        part = _narrower(problem, access, keep)
        if part is None:
            return
        yield Way(1 << len(access.vector) - keep, part)


def _narrower(problem: Problem, access: TileAccess, keep: int) -> TileAccess | None:
    """One of the instructions that move the first 2^keep elements of every vector."""
    dropped = access.vector[keep:]
    request = Request(
        access.name,
        access.instruction.direction,
        access.lanes,
        access.vector[:keep],
        (*dropped, *access.registers),
        access.weight << len(dropped),
    )
    try:
        return issued(problem.machine, problem.tile, request)
    except InputError:
        return None  # The machine has no instruction of this width.


def with_ways(problem: Problem, chosen: Sequence[Way]) -> Problem:
    """The problem with every access issued in one of its ways."""
    return replace(problem, accesses=tuple(way.access for way in chosen))


def joinable(problem: Problem, way: Way, bases: Sequence[f2.Vector]) -> str:
    """The two-address instruction that a compiler may join parts into under a layout, or "".

    Parts that differ in one direction lie a constant distance apart where nothing else that the
    access steps through moves a bit of it.
    """
    access = way.access
    if way.parts < 2:
        return ""
    apart, *others = (f2.apply(bases, d) for d in access.registers)
    moved = [*others, *(f2.apply(bases, d) for d in access.lanes)]
    if any(apart & x for x in moved):
        return ""
    return _pair(problem.machine, access.instruction, apart * problem.tile.element_bits)


def joinable_parts(machine: Machine, tile: Tile, use: Use, layout: AddressMap) -> str:
    """The same of an access of any kind: two of its parts lie a constant distance apart."""
    if use.parts < 2 or len(use.issues) != 1:
        return ""
    row, lanes = machine.instruction(use.issues[0].instruction), use.elements.shape[1]
    places = layout(use.elements[..., 0]).reshape(-1, use.parts, lanes).swapaxes(1, 2)
    working = places[use.active.reshape(-1, use.parts, lanes)[:, 0]]
    for one, other in combinations(range(use.parts), 2):
        apart = distinct(working[:, other] - working[:, one])
        name = _pair(machine, row, abs(int(apart[0])) * tile.shape.element_bits)
        if len(apart) == 1 and name:
            return name
    return ""


def _pair(machine: Machine, row: Instruction, bits: int) -> str:
    """The instruction with two addresses so many bits apart, each moving what a row moves."""
    name = _PAIRS.get(row.width_bytes, "").format(row.direction)
    steps, rest = divmod(bits, 8 * row.width_bytes)
    single = row.addresses == 1 and name in machine.instructions
    return name if single and not rest and steps < _REACH else ""


def splits(
    tile: Tile, machine: Machine, policy: str, narrowest_bytes: int = NARROWEST_BYTES
) -> tuple[tuple[int, ...], ...]:
    """Of every access of any kind, the numbers of parts that it may be issued in, 1 first."""
    bits = tile.shape.element_bits
    return tuple(tuple(_parts(u, bits, machine, policy, narrowest_bytes)) for u in tile.uses)


def _parts(
    use: Use, element_bits: int, machine: Machine, policy: str, narrowest_bytes: int
) -> Iterator[int]:
    yield 1
    parts = 2
    while use.kind == "plain" and not use.named and use.span % parts == 0:
        width = use.span // parts * element_bits
        if width < 8 * narrowest_bytes or width % 8:
            return
        issues = select(machine, use.op, width // 8, WIDEST_BYTES, policy)
        if isinstance(issues, Refusal):
            return
        yield parts
        parts *= 2


def split(tile: Tile, parts: Sequence[int], machine: Machine, policy: str) -> Tile:
    """The tile with every access issued in so many parts."""
    uses = (_split(use, n, tile, machine, policy) for use, n in zip(tile.uses, parts, strict=True))
    return replace(tile, uses=tuple(uses))


def _split(use: Use, parts: int, tile: Tile, machine: Machine, policy: str) -> Use:
    if parts == 1:
        return use
    executions, lanes, span = use.elements.shape
    cut = use.elements.reshape(executions, lanes, parts, span // parts).swapaxes(1, 2)
    width = span // parts * tile.shape.element_bits // 8
    issues = select(machine, use.op, width, WIDEST_BYTES, policy)
    assert not isinstance(issues, Refusal), "asked before"
    return replace(
        use,
        elements=cut.reshape(executions * parts, lanes, span // parts),
        active=np.repeat(use.active, parts, axis=0),
        issues=issues,
        alignment_bytes=min(WIDEST_BYTES, width & -width),
        weight=use.weight * parts,
        times=None if use.times is None else np.repeat(use.times, parts),
        parts=use.parts * parts,
    )
