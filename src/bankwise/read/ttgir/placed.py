"""A tile in registers laid over a tile in memory: the offset of every register of every lane.

Triton composes the two linear layouts and asks for the image of single bits. Here both are tables;
the images are read off at the single bits. Padding is left out of the images: it adds, and Triton,
too, decides on the layout without it.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import InputError, Refusal
from bankwise.identity import ByIdentity
from bankwise.notation.linear import LinearDistribution, LinearMemory
from bankwise.notation.triton import Distributed, distribution, memory
from bankwise.read.ttgir.values import BufferView, MemoryType


class PlacedElements(ByIdentity, frozen=True, eq=False):
    """``offsets``: int64 [waves, lanes, registers], in elements, from the start of the buffer.

    ``registers``, ``lanes``, ``waves``: the image of every bit without padding, lowest bit first;
    ``first``: the offset of register 0 of lane 0, without padding. Registers that hold copies are
    left out. ``bits``: of an element. ``interval``: elements between two pads, None without them.
    ``idle``: bool [waves, lanes], those that hold what others hold.
    """

    offsets: IntArray
    registers: tuple[int, ...]
    lanes: tuple[int, ...]
    waves: tuple[int, ...]
    first: int
    bits: int
    interval: int | None
    idle: BoolArray

    @property
    def element_bytes(self) -> int:
        """Bytes of one element."""
        return self.bits // 8

    def at(self, lanes: IntArray, registers: IntArray) -> IntArray:
        """Offsets in bytes [waves, lanes'] of these registers of these lanes, one for one."""
        found: IntArray = self.offsets[:, lanes, registers] * self.element_bytes
        return found


def held_by(
    encoding: Distributed, shape: tuple[int, ...], waves: int, lanes: int
) -> LinearDistribution:
    """Who holds which element, copies in registers left out.

    Raises :class:`InputError` if the encoding does not fit the shape or the workgroup.
    """
    found = distribution(encoding, shape)
    if found.lanes != lanes or found.waves != waves:
        raise InputError(
            f"{encoding} is of {found.waves} waves of {found.lanes} lanes, "
            f"the module of {waves} of {lanes}"
        )
    kept = tuple(basis for basis in found.register_bases if any(basis))
    return replace(found, register_bases=kept)


def place(
    held: LinearDistribution, view: BufferView, memory_type: MemoryType
) -> PlacedElements | Refusal:
    """The offsets of a distribution in a view of a buffer of this type.

    ``memory_type``: of the whole buffer; another encoding than the buffer's own asks what if.
    Raises :class:`InputError` if the shapes differ or the encoding does not fit.
    """
    if held.shape != view.shape:
        raise InputError(f"the tensor is {list(held.shape)}, the memory {list(view.shape)}")
    if any(n is None for step in view.steps if step.kind == "slice" for n in step.numbers):
        return Refusal("the part of the buffer that it touches starts at an unknown place")
    laid = memory(memory_type.encoding, memory_type.shape)
    coordinates = view.coordinates(held.coordinates())
    return placed(held, coordinates, laid, memory_type.bits)


def placed(
    held: LinearDistribution, coordinates: IntArray, laid: LinearMemory, bits: int
) -> PlacedElements:
    """The offsets of elements [waves, lanes, registers, rank] of a memory."""
    plain = replace(laid, paddings=()).offsets(coordinates)
    first = int(plain[0, 0, 0])
    return PlacedElements(
        laid.offsets(coordinates) if laid.paddings else plain,
        tuple(int(plain[0, 0, n]) ^ first for n in _powers(plain.shape[2])),
        tuple(int(plain[0, n, 0]) ^ first for n in _powers(plain.shape[1])),
        tuple(int(plain[n, 0, 0]) ^ first for n in _powers(plain.shape[0])),
        first,
        bits,
        min((interval for interval, _ in laid.paddings), default=None),
        idle_lanes(held),
    )


def idle_lanes(held: LinearDistribution) -> BoolArray:
    """Lanes with a bit set that moves nothing: they hold what others hold; [waves, lanes]."""
    waves, lanes = held.wave_bases, held.lane_bases
    still = [sum(1 << i for i, basis in enumerate(b) if not any(basis)) for b in (waves, lanes)]
    wave = np.arange(1 << len(waves))[:, None] & still[0]
    lane = np.arange(1 << len(lanes))[None, :] & still[1]
    return np.asarray((wave | lane) != 0)


def _powers(count: int) -> list[int]:
    return [1 << bit for bit in range(count.bit_length() - 1)]
