"""A tile in the form that the theorem takes: accesses as directions, or why they are not linear.

A kernel's accesses come as elements of lanes. Where all lanes are active, every wave's elements
are a translate (over F2) of one linear map of the lane, and the sizes are powers of two, they are
directions too; waves with the same directions are one access of more weight.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from bankwise.algebra.layout import Dimensions
from bankwise.algebra.offset import Shape
from bankwise.counting.access import IntArray, row_bytes
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.solver.problem import BitTile, Kind, Problem, Request, problem
from bankwise.tile import Tile, Use, runs, spread

MAX_ACCESSES = 64
"""Different linear accesses that the exact solver is given; kernels have a handful."""


def linear_form(tile: Tile, machine: Machine, *, names: bool = False) -> Problem | Refusal:
    """The accesses as directions; a Refusal that says what is not linear about them.

    ``names``: accesses are called as their uses; else equal ones are one, by number. Rows have to
    be a power of two. If their number is none, the problem is that of the next power of two: what
    is best there is a bound here.
    """
    row = tile.row
    if row & (row - 1):
        return Refusal(f"rows of {row} in {tile.shape.elements} elements are no powers of two")
    requests: dict[Request, int] = {}
    for use in (u for u in tile.uses if u.counted):
        found = _requests(use, tile.shape, machine, use.name if names else "")
        if isinstance(found, Refusal):
            return found
        weights, unit = use.weights
        assert unit == 1, "a kernel's accesses weigh what they are executed"
        for request, weight in zip(found, weights.tolist(), strict=True):
            requests[request] = requests.get(request, 0) + weight
    refusal = _copies(tile)
    if refusal:
        return refusal
    if not requests or len(requests) > MAX_ACCESSES:
        return Refusal(f"{len(requests)} different accesses")
    weighted = [replace(r, weight=weight) for r, weight in requests.items()]
    dims = dimensions(tile.shape)
    bits = with_rows(tile.shape, row) if dims is None else BitTile(dims, tile.shape.element_bits)
    try:
        return problem(machine, bits, _called(weighted), widen=False)
    except InputError as error:
        return Refusal(error.message)


def _called(requests: Sequence[Request]) -> list[Request]:
    """Each with a name of its own."""
    found, seen = [], [r.name for r in requests]
    for number, request in enumerate(requests):
        name = request.name or f"access {number}"
        again = seen[:number].count(request.name) if request.name else 0
        found.append(replace(request, name=f"{name}.{again}" if again else name))
    return found


def dimensions(shape: Shape) -> Dimensions | None:
    """The bits of every dimension; None unless all are powers of two."""
    if shape.bits is None:
        return None
    return tuple((name, size.bit_length() - 1) for name, size in shape.dims)


def with_rows(shape: Shape, row: int) -> BitTile:
    """The elements of a tile as rows of ``row``, a power of two; the next power of two of them."""
    bits, low = (shape.elements - 1).bit_length(), row.bit_length() - 1
    return BitTile((("n", low), ("m", bits - low)), shape.element_bits)


def _copies(tile: Tile) -> Refusal | None:
    widest = max((u.span for u in tile.uses if u.counted), default=1)
    for use in tile.uses:
        starts = use.elements[use.active][:, 0]
        if not use.counted and (use.span > widest or (starts % use.span).any()):
            reason = "copies fill units that are wider than every other access, or not aligned"
            return Refusal(reason)
    return None


def _requests(use: Use, shape: Shape, machine: Machine, name: str) -> list[Request] | Refusal:
    """One request for every execution."""
    span = use.span
    for issue in use.issues:
        row = machine.instruction(issue.instruction)
        whole = span * shape.element_bits == 8 * row.width_bytes
        if row.addresses != 1 or issue.offset_bytes or not whole:
            return Refusal(f"{row.name} is one of several addresses of its access")
    if not use.active.all():
        return Refusal("some lanes are masked")
    starts = use.elements[..., 0]
    contiguous = (use.elements == runs(starts, span)).all()
    if span & (span - 1) or (contiguous and (starts % span).any()):
        return Refusal(f"{span} elements are no aligned power of two")
    found = []
    kind: Kind = "dma" if use.kind == "dma" else "plain"
    row_name = use.issues[0].instruction
    known: dict[bytes, Request] = {}
    waves = use.elements ^ use.elements[:, :1, :1]
    for wave, key in zip(waves, row_bytes(waves), strict=True):
        if key not in known:
            moved = _directions(wave)
            if moved is None:
                return Refusal("an index is not linear over F2")
            known[key] = Request(name, use.op, moved[0], moved[1], (), 1, row_name, kind)
        found.append(known[key])
    return found


def _directions(moved: IntArray) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """What each lane bit moves, and each bit inside a lane's elements [lanes, elements].

    None unless the elements, the first of which is 0, are those of a linear map.
    """
    lanes = tuple(int(moved[1 << i, 0]) for i in range(len(moved).bit_length() - 1))
    inside = tuple(int(moved[0, 1 << i]) for i in range(moved.shape[1].bit_length() - 1))
    linear = (moved == spread(lanes)[:, None] ^ spread(inside)).all()
    return (lanes, inside) if linear else None
