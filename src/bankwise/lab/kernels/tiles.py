"""Tiles that a kernel keeps in shared memory: what touches them, how they may lie, what it costs.

    Touch (rows, columns of every lane) --solver--> layout --offset_text--> address text
                                        `--conflict--> passes of a workgroup

A kernel text here asks a function ``q_address(tile, m, n)`` for every address in shared memory. The
three :data:`VARIANTS` of a kernel differ in these functions and in the bytes they need only:

* ``none``: row-major;
* ``padding``: rows padded by the number of elements that counting finds best (none where no pad
  helps), the accesses left as wide as they are;
* ``swizzle``: what the solver finds for all accesses of the tile together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra.address import AddressMap, Identity, Padded
from bankwise.algebra.offset import Shape, offset_text
from bankwise.counting.access import Access, IntArray, Pattern
from bankwise.counting.conflict import count
from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import Machine, machine
from bankwise.identity import ByIdentity
from bankwise.solver.answer import Answer, Limits, exact
from bankwise.solver.fit import Fit
from bankwise.solver.linear_form import linear_form
from bankwise.solver.price import as_written
from bankwise.tile import Tile, Use, runs

Variant = Literal["none", "padding", "swizzle"]
VARIANTS: tuple[Variant, ...] = ("none", "padding", "swizzle")

_USUAL_TRIPS = 16
"""What one trip of the kernel's loop weighs against what is done once, for the solver."""


class Touch(ByIdentity, frozen=True, eq=False):
    """One access of a kernel's text to a tile.

    ``rows``, ``columns``: int64 [executions, waves, lanes], the first of the elements that every
    lane touches; ``instruction``: a row of the machine file, which says how wide it is.
    ``per_trip``: whether these executions happen in every trip of the loop, or once.
    """

    name: str
    instruction: str
    rows: IntArray
    columns: IntArray
    per_trip: bool = True


class KernelTile(ByIdentity, frozen=True, eq=False):
    """``rows`` x ``columns`` elements in shared memory and everything that touches them."""

    name: str
    rows: int
    columns: int
    element_bytes: int
    touches: tuple[Touch, ...]


class Placement(Struct, frozen=True):
    """How one tile lies. ``how``: in what way it is known that nothing is better, or what it is.

    ``size_bytes``: what the kernel sets aside; a padded tile keeps the pad of its last row.
    """

    tile: str
    address: AddressMap
    label: str
    size_bytes: int
    how: str
    optimal: bool = False


class Passes(Struct, frozen=True):
    """Passes of reads and writes, and the least that the same instructions could take."""

    read_passes: int = 0
    read_ideal: int = 0
    write_passes: int = 0
    write_ideal: int = 0

    @property
    def read_extra(self) -> int:
        """What the counter of reading conflicts shows."""
        return self.read_passes - self.read_ideal

    @property
    def write_extra(self) -> int:
        """What the counter of writing conflicts shows."""
        return self.write_passes - self.write_ideal

    @property
    def passes(self) -> int:
        """Reads and writes."""
        return self.read_passes + self.write_passes

    @property
    def ideal(self) -> int:
        """Reads and writes."""
        return self.read_ideal + self.write_ideal

    @property
    def extra(self) -> int:
        """Reads and writes."""
        return self.read_extra + self.write_extra

    def times(self, factor: int) -> Passes:
        """Of so many workgroups."""
        return Passes(
            self.read_passes * factor,
            self.read_ideal * factor,
            self.write_passes * factor,
            self.write_ideal * factor,
        )


def placements(tiles: Sequence[KernelTile], variant: Variant, target: str) -> tuple[Placement, ...]:
    """How every tile lies in one variant of a kernel."""
    gpu = machine(target)
    return tuple(_place(tile, variant, gpu) for tile in tiles)


def _place(tile: KernelTile, variant: Variant, gpu: Machine) -> Placement:
    size = tile.rows * tile.columns * tile.element_bytes
    plain = Placement(tile.name, Identity(), "row-major", size, "as written")
    if variant == "none":
        return plain
    answer = solved(tile, gpu)
    if variant == "padding":
        return _padded(tile, answer, plain)
    layout = answer.layout
    label = layout.name if layout.space != "solver" else layout.offset
    return Placement(tile.name, layout.layout, label, size, str(answer.known), answer.optimal)


def _padded(tile: KernelTile, answer: Answer, plain: Placement) -> Placement:
    """The best pad; none where it takes as many passes as no pad."""
    found, before = answer.fits["padding"], answer.fits["row-major"]
    assert isinstance(found, Fit), "a pad of 16 bytes keeps every access"
    assert isinstance(before, Fit), "row-major is always legal"
    if found.best.passes >= before.best.passes or not isinstance(found.best.layout, Padded):
        return plain
    size = tile.rows * (tile.columns + found.best.layout.pad) * tile.element_bytes
    how = f"best of {found.members} pads"
    return Placement(tile.name, found.best.layout, found.best.name, size, how)


class _Asked(Struct, frozen=True):
    """A tile as something that can be remembered: sizes, and the elements of every touch."""

    shape: Shape
    target: str
    touches: tuple[tuple[str, int, bytes], ...]


def solved(tile: KernelTile, gpu: Machine) -> Answer:
    """The solver's answer for all accesses of a tile together, its families tried as well."""
    shape = Shape((("n", tile.columns), ("m", tile.rows)), 8 * tile.element_bytes)
    touches = tuple(
        (t.instruction, _USUAL_TRIPS if t.per_trip else 1, _elements(tile, t).tobytes())
        for t in tile.touches
    )
    answer = _solved(_Asked(shape, gpu.name, touches))
    if isinstance(answer, Refusal):
        raise InputError(f"the tile {tile.name} has no layout: {answer.reason}")
    return answer


def _elements(tile: KernelTile, touch: Touch) -> IntArray:
    return np.asarray(touch.rows * tile.columns + touch.columns, np.int64)


@lru_cache(maxsize=64)
def _solved(asked: _Asked) -> Answer | Refusal:
    gpu = machine(asked.target)
    uses = tuple(_use(asked.shape, *touch, gpu) for touch in asked.touches)
    stated = linear_form(Tile(asked.shape, uses), gpu)
    if isinstance(stated, Refusal):
        return stated
    limits = Limits(gpu.lds_bytes, split=False, pad=False)
    return exact(stated, limits, tuple(a.name for a in stated.accesses))


def _use(shape: Shape, name: str, weight: int, elements: bytes, gpu: Machine) -> Use:
    row = gpu.instruction(name)
    starts = np.frombuffer(elements, np.int64).reshape(-1, gpu.wave_size)
    active = np.ones(starts.shape, np.bool_)
    span = 8 * row.width_bytes // shape.element_bits
    use = Use(name, row.direction, runs(starts, span), active, *as_written(row))
    return replace(use, weight=weight * len(starts))


def address_text(tile: KernelTile, placement: Placement) -> str:
    """The CUDA functions ``<tile>_address(tile, m, n)`` and ``<tile>_step(at, m, n)``.

    The first is the byte address of row m, column n of the tile that starts at the shared address
    ``tile``, a multiple of the bytes of a row. The offset is written with the row's part apart
    (``64 * m + (n ^ 8 * (m & 7))``): a compiler then moves rows that a loop knows into the
    constant part of an address, for a swizzle as for a pad.

    The second goes m rows and n columns on from an address ``at``: one addition, or one XOR of a
    constant, where the first computes all anew. Of a swizzle it is right where n has no bit of the
    column that ``at`` was made from, and m none of the row's bits that are folded.
    """
    shape = Shape((("n", tile.columns), ("m", tile.rows)), 8 * tile.element_bytes)
    offset, name, size = offset_text(shape, placement.address), tile.name, tile.element_bytes
    pitch = placement.size_bytes // tile.rows
    sign = "+" if isinstance(placement.address, Padded) else "^"
    return (
        f"__device__ __forceinline__ unsigned {name}_address(unsigned tile, int m, int n) {{\n"
        f"    return tile + {size} * ({offset});\n}}\n"
        f"__device__ __forceinline__ unsigned {name}_step(unsigned at, int m, int n) {{\n"
        f"    return (at {sign} {size} * n) + {pitch} * m;\n}}\n"
    )


def accesses(
    tiles: Sequence[KernelTile], placed: Sequence[Placement], trips: int, target: str
) -> tuple[Access, ...]:
    """Every access of one workgroup whose loop makes ``trips`` trips.

    The operation is the instruction's name in the machine file; offsets count from the start of
    the tile.
    """
    gpu = machine(target)
    out = []
    for tile, placement in zip(tiles, placed, strict=True):
        for touch in tile.touches:
            out.append(_access(tile, touch, placement, trips if touch.per_trip else 1, gpu))
    return tuple(out)


def _access(tile: KernelTile, touch: Touch, placed: Placement, trips: int, gpu: Machine) -> Access:
    row = gpu.instruction(touch.instruction)
    offsets = placed.address(_elements(tile, touch)) * tile.element_bytes
    active = np.ones(offsets.shape[1:], np.bool_)
    patterns = tuple(Pattern(each, active, tile.name, trips) for each in offsets)
    matrix = row.name.startswith(("ldmatrix", "stmatrix"))
    return Access(
        operation=row.name,
        direction=row.direction,
        kind="matrix" if matrix else "plain",
        width_bytes=row.width_bytes,
        element_bytes=tile.element_bytes,
        alignment_bytes=row.alignment_bytes,
        location=Location(touch.name),
        kernel="",
        patterns=patterns,
    )


def passes(found: Sequence[Access], target: str) -> Passes:
    """What one workgroup costs, by counting every execution of every access."""
    gpu, sums = machine(target), {"read": [0, 0], "write": [0, 0]}
    for access in found:
        row = gpu.instruction(access.operation)
        offsets = np.stack([p.offsets_bytes for p in access.patterns])
        times = np.array([p.executions for p in access.patterns])
        counted = count(row, offsets)
        sums[access.direction][0] += int((counted.passes.sum(axis=-1) * times).sum())
        sums[access.direction][1] += int((counted.ideal.sum(axis=-1) * times).sum())
    return Passes(*sums["read"], *sums["write"])


def shared_bytes(placed: Sequence[Placement]) -> int:
    """What a workgroup asks for: the tiles one behind the other."""
    return sum(p.size_bytes for p in placed)


def dealt_out(rows: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
    """Coordinates that broadcast against each other, both as [executions, waves, lanes]."""
    both = [np.ascontiguousarray(b) for b in np.broadcast_arrays(rows, columns)]
    return both[0].reshape(-1, *both[0].shape[-2:]), both[1].reshape(-1, *both[1].shape[-2:])
