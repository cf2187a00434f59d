"""A problem: one tile of shared memory and every access that will be made to it.

The elements of a tile have bit-vector coordinates (:mod:`bankwise.algebra.layout`); packed, the
last dimension is the lowest, so that the packed coordinate is the row-major offset in elements. A
:class:`Request` says in those coordinates what an access of a program does; :func:`problem` checks
it, chooses the instruction, and gives the :class:`TileAccess` that the machine will execute.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from msgspec import Struct

from bankwise.algebra import f2
from bankwise.algebra.layout import Dimensions, size, vector, vector_text
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Direction, Instruction, Machine
from bankwise.hardware.policies import select

MAX_VECTOR_BYTES = 16
"""The widest shared-memory instruction known here; a wider vector is issued in parts."""

Kind = Literal["plain", "dma"]
"""An ordinary load or store, or a direct-to-shared copy that fills memory in lane order."""


class BitTile(Struct, frozen=True):
    """2^bits elements. ``dims``: names with their bits, the contiguous dimension first."""

    dims: Dimensions
    element_bits: int

    @property
    def bits(self) -> int:
        """Coordinate bits: the tile has 2^bits elements."""
        return size(self.dims)

    @property
    def size_bytes(self) -> int:
        """Bytes of the tile without padding."""
        return (self.element_bits << self.bits) // 8

    def directions(self, text: str) -> tuple[f2.Vector, ...]:
        """Read directions such as ``"n0 n1 m0^n2"``."""
        return tuple(vector(word, self.dims) for word in text.split())

    def text(self, directions: Sequence[f2.Vector]) -> str:
        """Write directions, the inverse of :meth:`directions`."""
        return " ".join(vector_text(direction, self.dims) for direction in directions)


class Request(Struct, frozen=True):
    """What a program asks. Directions are packed coordinates.

    ``lanes``: the direction of every lane bit, lowest first; 0 or a repeated one is a broadcast.
    ``vector``: the directions inside one instruction, lowest offset bit first; None leaves the
    choice to :func:`problem`. ``registers``: what the executions of the access step through.
    ``weight``: how much its passes count. ``instruction``: a row of the machine; default by width.
    """

    name: str
    op: Direction
    lanes: tuple[f2.Vector, ...]
    vector: tuple[f2.Vector, ...] | None = None
    registers: tuple[f2.Vector, ...] = ()
    weight: int = 1
    instruction: str | None = None
    kind: Kind = "plain"


class TileAccess(Struct, frozen=True):
    """One access as it will be issued: ``instruction`` moves ``vector`` for every lane.

    ``registers`` is what distinguishes its executions, ``notes`` what was decided on the way. The
    lanes of one of the ``phases`` differ in the directions ``phase`` (a basis); phases that the
    machine merges, because a lane bit 0 or 1 moves nothing, are merged here.
    """

    name: str
    instruction: Instruction
    lanes: tuple[f2.Vector, ...]
    vector: tuple[f2.Vector, ...] = ()
    registers: tuple[f2.Vector, ...] = ()
    weight: int = 1
    kind: Kind = "plain"
    notes: tuple[str, ...] = ()
    phase: f2.Basis = ()
    phases: int = 1

    @property
    def executions(self) -> int:
        """Instructions executed for one access of the program."""
        return int(2 ** len(self.registers))


class Problem(Struct, frozen=True):
    """One tile on one machine, with everything that is done to it."""

    machine: Machine
    tile: BitTile
    accesses: tuple[TileAccess, ...]


def problem(
    machine: Machine,
    tile: BitTile,
    requests: Sequence[Request],
    *,
    widen: bool = True,
    masked: Collection[str] = (),
) -> Problem:
    """Check the requests and choose their instructions.

    ``widen``: requests without a vector may take shared registers into one (noted); ``masked``:
    names of accesses of which some lanes do not take part, so that others may repeat them. Raises
    :class:`InputError` for a tile or request that no machine could execute.
    """
    _check_tile(machine, tile)
    if not requests:
        raise InputError("a problem needs at least one access")
    names = [request.name for request in requests]
    for request in requests:
        if names.count(request.name) > 1:
            raise InputError(f"two accesses are called {request.name!r}")
        _check_request(machine, tile, request, request.name in masked)
    shared = _shared_registers(machine, tile, requests) if widen else ()
    return Problem(machine, tile, tuple(issued(machine, tile, r, shared) for r in requests))


def _check_tile(machine: Machine, tile: BitTile) -> None:
    if tile.element_bits not in (4, 8, 16, 32, 64):
        raise InputError(f"element_bits = {tile.element_bits}: bankwise knows 4, 8, 16, 32 and 64")
    if tile.size_bytes > machine.lds_bytes:
        raise InputError(
            f"the tile takes {tile.size_bytes} bytes, a workgroup of {machine.name} "
            f"has {machine.lds_bytes} bytes of shared memory"
        )


def _check_request(machine: Machine, tile: BitTile, request: Request, masked: bool) -> None:
    who = f"access {request.name!r}"
    lane_bits = machine.wave_size.bit_length() - 1
    if len(request.lanes) != lane_bits:
        raise InputError(
            f"{who} gives {len(request.lanes)} lane directions; "
            f"{machine.name} has {machine.wave_size} lanes in a wave, so {lane_bits} lane bits",
            hint='a lane bit that moves nothing is written "0"',
        )
    if request.weight < 1:
        raise InputError(f"{who} has the weight {request.weight}; weights are 1 or more")
    moved = (request.vector or ()) + request.registers
    for direction in (*request.lanes, *moved):
        if direction >> tile.bits or direction < 0:
            raise InputError(f"{who}: direction {direction} leaves the tile of {tile.bits} bits")
    _check_independent(tile, request, who, masked)


def _check_independent(tile: BitTile, request: Request, who: str, masked: bool) -> None:
    vector = request.vector or ()
    if f2.rank(vector) < len(vector) or f2.intersection(vector, request.lanes):
        raise InputError(
            f"{who}: the vector {tile.text(vector)!r} repeats itself or the lanes "
            f"{tile.text(request.lanes)!r}, so two of its elements are one"
        )
    repeated = f2.rank(request.lanes) < len(request.lanes)
    if request.op == "write" and repeated and not masked:
        raise InputError(
            f"{who}: the lanes {tile.text(request.lanes)!r} are not independent, "
            "so two lanes write the same element",
            hint="a broadcast is legal for reads only",
        )


def _shared_registers(
    machine: Machine, tile: BitTile, requests: Sequence[Request]
) -> tuple[f2.Vector, ...]:
    """The vector that requests without one may take a prefix of, lowest direction first."""
    given = [r.vector for r in requests if r.vector is not None]
    if given:
        return max(given, key=len)
    plain = [r for r in requests if r.kind == "plain"]
    if not plain:
        return ()
    limit = min(_vector_limit(machine, tile, r) for r in plain)
    common = [x for x in plain[0].registers if all(x in r.registers for r in plain[1:])]
    taken = f2.independent(common, modulo=[x for r in plain for x in r.lanes])
    return taken[:limit]


def _vector_limit(machine: Machine, tile: BitTile, request: Request) -> int:
    """The most vector bits that one instruction of this request can move."""
    width = MAX_VECTOR_BYTES
    if request.instruction:
        width = machine.instruction(request.instruction).width_bytes
    return max(0, (width * 8 // tile.element_bits).bit_length() - 1)


def issued(
    machine: Machine, tile: BitTile, request: Request, shared: tuple[f2.Vector, ...] = ()
) -> TileAccess:
    """The access that a request becomes. ``shared``: what may move into its vector."""
    notes: list[str] = []
    vector, registers = request.vector, request.registers
    if vector is None:
        vector = _prefix(shared, registers)[: _vector_limit(machine, tile, request)]
        registers = tuple(x for x in registers if x not in vector)
        if vector:
            notes.append(f"registers {tile.text(vector)} moved into the vector")
    limit = _vector_limit(machine, tile, request)
    if len(vector) > limit:
        parts = 2 ** (len(vector) - limit)
        width = tile.element_bits << len(vector)
        notes.append(f"{width} bits per lane are issued as {parts} instructions")
        vector, registers = vector[:limit], (*vector[limit:], *registers)
    row = _instruction(machine, tile, request, len(vector))
    access = TileAccess(
        request.name,
        row,
        request.lanes,
        vector,
        registers,
        request.weight,
        request.kind,
        tuple(notes),
        *_phase(row, request),
    )
    _check_width(tile, access)
    return access


def _phase(row: Instruction, request: Request) -> tuple[f2.Basis, int]:
    """The directions in which the lanes of one phase differ, and the number of phases."""
    lanes = [f2.apply(request.lanes, lane) for lane in row.span]
    if request.kind == "dma" or row.merge == "none" or all(request.lanes[:2]):
        return f2.basis(lanes), len(row.phases)
    step = row.phases[0][0] ^ row.phases[1][0]
    return f2.basis([*lanes, f2.apply(request.lanes, step)]), len(row.phases) // 2


def _prefix(shared: tuple[f2.Vector, ...], registers: tuple[f2.Vector, ...]) -> tuple[int, ...]:
    for length, direction in enumerate(shared):
        if direction not in registers:
            return shared[:length]
    return shared


_DEFAULT_STEMS = {
    ("amd", "read"): ("ds_read_b{}", "ds_load_b{}", "ds_read_u{}", "ds_load_u{}"),
    ("amd", "write"): ("ds_write_b{}", "ds_store_b{}"),
    ("nvidia", "read"): ("ld.shared.b{}",),
    ("nvidia", "write"): ("st.shared.b{}",),
}


def _instruction(
    machine: Machine, tile: BitTile, request: Request, vector_bits: int
) -> Instruction:
    """The named row, or the ordinary load, store (in both AMD spellings) or copy of this width."""
    if request.instruction:
        return machine.instruction(request.instruction)
    width = max(1, (tile.element_bits << vector_bits) // 8)
    if request.kind == "dma":
        return _copy(machine, request, width)
    key = (machine.vendor, request.op)
    names = [stem.format(8 * width) for stem in _DEFAULT_STEMS[key]]
    known = [name for name in names if name in machine.instructions]
    return machine.instruction(known[0] if known else names[0])


def usual_instruction(machine: Machine, tile: BitTile, access: TileAccess) -> str:
    """The ordinary load or store of an access's width; "" where there is none."""
    width = max(1, (tile.element_bits << len(access.vector)) // 8)
    stems = _DEFAULT_STEMS[machine.vendor, access.instruction.direction]
    names = (stem.format(8 * width) for stem in stems)
    return next((name for name in names if name in machine.instructions), "")


def _copy(machine: Machine, request: Request, width_bytes: int) -> Instruction:
    """The direct-to-shared copy of this width; only a write can be one, and only on AMD."""
    issues = select(machine, "write", width_bytes, 16, kind="dma")
    if request.op != "write" or isinstance(issues, Refusal):
        why = issues.reason if isinstance(issues, Refusal) else "a direct-to-shared copy writes"
        raise InputError(f"access {request.name!r}: {why}")
    return machine.instruction(issues[0].instruction)


def _check_width(tile: BitTile, access: TileAccess) -> None:
    row, width = access.instruction, tile.element_bits << len(access.vector)
    if row.addresses != 1:
        raise InputError(
            f"access {access.name!r}: {row.name} takes two addresses per lane",
            hint=f"describe it by its one-address form, {8 * row.width_bytes} bits wide",
        )
    partial_byte = width < 8 and row.width_bytes == 1 and row.direction == "read"
    if width != 8 * row.width_bytes and not partial_byte:
        raise InputError(
            f"access {access.name!r}: {row.name} moves {8 * row.width_bytes} bits per lane, "
            f"the vector and elements of {tile.element_bits} bits make {width}",
            hint="a store of less than a byte does not exist: give it a vector" * (width < 8),
        )
