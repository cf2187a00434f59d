"""The families of address maps that frameworks ship, as values: a name and its members.

Most of them fold ``count`` neighbouring bits of the row-major offset x into lower ones,

    x ^ (x >> source - target & (2^count - 1) << target)

and differ in which ``(source, target, count)`` they can say:

    CuTe     Swizzle<B,M,S>                source M+S, target M, count B (S < 0 folds upwards)
    IREE     xor_shuffle<w, a, s, p>       source log2(s * p), target log2(a), count log2(w / a)
    Wave     unit, max_phase               source of row bit 0, target log2(unit), count <= 3
    CK       XOR descriptor, pack P        L rows to a bank row: source log2(columns * L), target
                                           log2(P), count log2(columns * L / P)
    Triton   swizzled_shared               source of row bit log2(perPhase), target log2(vec),
                                           count log2(maxPhase), cut off at the row's end

Rotation and padding carry and are no such maps: :mod:`bankwise.algebra.address`. Sources: CUTLASS
``cute/swizzle.hpp``; IREE ``XORShuffleAttr``; Wave ``gather_to_shared_swizzling``; Composable
Kernel's tile tutorials; Triton ``SwizzledSharedEncoding``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from bankwise.algebra.address import AddressMap, Identity, Linear, Padded, Rotated, XorFold
from bankwise.algebra.offset import Shape
from bankwise.errors import InputError
from bankwise.hardware.machine import BANK_BYTES

WAVE_PHASES = 8
"""The largest max_phase that Wave uses."""

_MOST_PADS = 256
"""The most padded layouts of one tile; a whole bank row of bytes at most."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What the members of a family depend on: the tile's shape and two more numbers.

    ``banks``: the most that an instruction of the machine sees. ``span``: the most elements that
    a lane moves at once.
    """

    shape: Shape
    banks: int
    span: int = 1


@dataclass(frozen=True, slots=True)
class Member:
    """One map, in the notation of its family."""

    notation: str
    address: AddressMap

    def __str__(self) -> str:
        return self.notation


@dataclass(frozen=True, slots=True)
class Family:
    """``members(tile)``: every member on a tile, the simplest first."""

    name: str
    about: str
    members: Callable[[Ground], Iterator[Member]]

    def __str__(self) -> str:
        return self.name


def family(name: str) -> Family:
    """The family called ``name``; :class:`InputError` if there is none."""
    if name not in FAMILIES:
        raise InputError(f"unknown family {name!r}", hint="known: " + ", ".join(FAMILIES))
    return FAMILIES[name]


@lru_cache(maxsize=256)
def members(name: str, tile: Ground) -> tuple[Member, ...]:
    """All members of the family called ``name``, remembered."""
    return tuple(family(name).members(tile))


def folded(bits: int, source: int, target: int, count: int) -> Linear:
    """The map that folds ``count`` offset bits from ``source`` on into those from ``target`` on."""
    bases = [1 << i for i in range(bits)]
    for step in range(count):
        bases[source + step] ^= 1 << target + step
    return Linear(tuple(bases))


def _plain(tile: Ground) -> Iterator[Member]:
    bits = tile.shape.bits
    yield Member("row-major", Identity() if bits is None else folded(bits, 0, 0, 0))


def _masks(tile: Ground) -> Iterator[Member]:
    """Every single fold of row bits into column bits; the exact search covers all masks."""
    bits, row = tile.shape.bits, tile.shape.row_bits
    if bits is None:
        return
    for target in range(row):
        for source in range(row, bits):
            for count in range(1, min(row - target, bits - source) + 1):
                text = f"n ^ (x >> {source - target} & {((1 << count) - 1) << target})"
                yield Member(text, folded(bits, source, target, count))


def _cute(tile: Ground) -> Iterator[Member]:
    bits = tile.shape.bits
    if bits is None:
        return
    for count in range(1, bits // 2 + 1):
        for low in range(bits - 2 * count + 1):
            for shift in range(count, bits - count - low + 1):
                yield Member(
                    f"Swizzle<{count},{low},{shift}>", folded(bits, low + shift, low, count)
                )
                yield Member(
                    f"Swizzle<{count},{low},-{shift}>", folded(bits, low, low + shift, count)
                )


def _iree(tile: Ground) -> Iterator[Member]:
    """Strides are whole rows; chunks of the flat tile may be wider than a row."""
    shape, unit = tile.shape, 1
    while unit < shape.row:
        width = 2 * unit
        while shape.row % width == 0:
            yield from _iree_phases(shape, width, unit, shape.row)
            width *= 2
        while shape.bits is not None and 2 * width <= shape.elements:
            yield from _iree_phases(shape, width, unit, width)
            width *= 2
        unit *= 2


def _iree_phases(shape: Shape, width: int, unit: int, stride: int) -> Iterator[Member]:
    groups, per, bits = width // unit, 1, shape.bits
    while per <= groups and stride * per < shape.elements:
        text = f"xor_shuffle<{width}, {unit}, {stride}, {per}>"
        if bits is None:
            yield Member(text, XorFold(width, unit, stride, per, groups))
        else:
            source = (stride * per).bit_length() - 1
            count = min(groups.bit_length() - 1, bits - source)
            yield Member(text, folded(bits, source, unit.bit_length() - 1, count))
        per *= 2


def _wave(tile: Ground) -> Iterator[Member]:
    """The unit is the widest access, as Wave computes it."""
    shape, unit, phases = tile.shape, tile.span, 2
    if unit & (unit - 1) or shape.row == shape.elements:
        return
    while phases <= WAVE_PHASES and shape.row % (unit * phases) == 0:
        text, bits = f"unit={unit}, max_phase={phases}", shape.bits
        if bits is None:
            yield Member(text, XorFold(unit * phases, unit, shape.row, 1, phases))
        else:
            count = min(phases.bit_length() - 1, bits - shape.row_bits)
            yield Member(text, folded(bits, shape.row_bits, unit.bit_length() - 1, count))
        phases *= 2


def _ck(tile: Ground) -> Iterator[Member]:
    """The standard XOR descriptor: L = max(1, banks * 4 / row bytes) with 32 or 64 banks."""
    shape, bits = tile.shape, tile.shape.bits
    if bits is None:
        return
    row_bytes = shape.bytes_of(shape.row)
    for number in sorted({32, tile.banks}):
        joined = max(1, number * BANK_BYTES // row_bytes) * shape.row
        source = joined.bit_length() - 1
        for low in range(min(source, shape.row_bits + 1) if source < bits else 0):
            text = f"xor descriptor, pack={1 << low}, {number} banks"
            yield Member(text, folded(bits, source, low, min(source - low, bits - source)))


def _triton(tile: Ground) -> Iterator[Member]:
    bits, row = tile.shape.bits, tile.shape.row_bits
    if bits is None:
        return
    for low in range(row):
        for per in range(bits - row):
            for phases in range(1, bits - row - per + 1):
                text = f"vec={1 << low}, perPhase={1 << per}, maxPhase={1 << phases}"
                count = min(phases, row - low)
                yield Member(
                    f"swizzled_shared({text}, order=[1, 0])", folded(bits, row + per, low, count)
                )


def _rotation(tile: Ground) -> Iterator[Member]:
    shape, unit = tile.shape, 1
    while unit < shape.row:
        per = 1
        while per * shape.row < shape.elements:
            yield Member(
                f"rotate by {unit} every {per} rows" if per > 1 else f"rotate by {unit} every row",
                Rotated(shape.row, unit, per),
            )
            per *= 2
        unit *= 2


def _padding(tile: Ground) -> Iterator[Member]:
    """Every pad up to one row of the banks; whole bytes."""
    shape, banks = tile.shape, tile.banks
    step = max(1, 8 // shape.element_bits)
    most = min(_MOST_PADS * step, banks * BANK_BYTES * 8 // shape.element_bits)
    if shape.row < shape.elements:
        for pad in range(step, most, step):
            elements = "element" if pad == 1 else "elements"
            yield Member(f"rows padded by {pad} {elements}", Padded(shape.row, pad))


FAMILIES: Mapping[str, Family] = {
    f.name: f
    for f in (
        Family("row-major", "no swizzle", _plain),
        Family("xor", "rows permuted by XOR with a mask, linear in the row", _masks),
        Family("cute", "CuTe Swizzle<B,M,S>, on elements", _cute),
        Family("triton", "Triton swizzled_shared(vec, perPhase, maxPhase)", _triton),
        Family("iree", "IREE xor_shuffle<width, unit, stride, per_phase>", _iree),
        Family("wave", "Wave chunk XOR (row mod max_phase)", _wave),
        Family("ck", "Composable Kernel's XOR descriptor", _ck),
        Family("rotation", "rows rotated", _rotation),
        Family("padding", "rows padded, with the instructions that the alignment allows", _padding),
    )
}
"""By name. ``xor`` is searched exactly where all accesses are linear (:mod:`bankwise.solver.fit`);
its members listed here are the single folds."""

NOTATIONS = ("cute", "triton", "iree", "wave", "ck")
"""The families that are some framework's notation."""
