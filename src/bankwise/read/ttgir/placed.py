"""A tile in registers laid over a tile in memory: the offset of every register of every lane.

Triton composes the two linear layouts and asks for the image of single bits. Here both are tables;
the images are read off at the single bits. Padding is left out of the images: it adds, and Triton,
too, decides on the layout without it.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import InputError, Refusal
from bankwise.identity import ByIdentity
from bankwise.notation.linear import LinearDistribution, LinearMemory, packed
from bankwise.notation.triton import Distributed, distribution
from bankwise.read.ttgir.values import BufferView

_Numbers = tuple[int, ...]
_Steps = tuple[_Numbers, _Numbers, _Numbers, int]
"""What every bit of the register, of the lane and of the wave changes, and where all are 0."""


class ViewedElements(ByIdentity, frozen=True, eq=False):
    """A distribution in a view of a buffer, whatever the encoding of that.

    ``coordinates``: int64 [waves, lanes, registers, rank], in the buffer. ``numbers``: what
    every index bit changes of the row-major number in the buffer; None where that is no XOR (a part
    of the buffer that starts anywhere). ``idle``: bool [waves, lanes], those that hold what others
    hold.
    """

    held: LinearDistribution
    coordinates: IntArray
    numbers: _Steps | None
    idle: BoolArray


class PlacedElements(ByIdentity, frozen=True, eq=False, dict=True):
    """Elements of a buffer that is laid out in one way; ``bits``: of an element. Registers that
    hold copies are left out. Most questions need no more than what every index bit does; the places
    of all elements are made where they are asked for."""

    elements: ViewedElements
    laid: LinearMemory
    bits: int

    @cached_property
    def _images(self) -> _Steps:
        numbers = self.elements.numbers
        if numbers is None:
            plain = replace(self.laid, paddings=()).offsets(self.elements.coordinates)
            return _steps(plain)
        registers, lanes, waves = (tuple(map(self.laid.plain_offset, some)) for some in numbers[:3])
        return registers, lanes, waves, self.laid.plain_offset(numbers[3])

    @property
    def registers(self) -> tuple[int, ...]:
        """The image of every register bit in elements, without padding, lowest bit first."""
        return self._images[0]

    @property
    def lanes(self) -> tuple[int, ...]:
        """That of every lane bit."""
        return self._images[1]

    @property
    def waves(self) -> tuple[int, ...]:
        """That of every wave bit."""
        return self._images[2]

    @property
    def first(self) -> int:
        """The offset of register 0 of lane 0, without padding."""
        return self._images[3]

    @property
    def interval(self) -> int | None:
        """Elements between two pads, None without them."""
        return min((interval for interval, _ in self.laid.paddings), default=None)

    @property
    def idle(self) -> BoolArray:
        """Those that hold what others hold, [waves, lanes]."""
        return self.elements.idle

    @cached_property
    def offsets(self) -> IntArray:
        """int64 [waves, lanes, registers], in elements, from the start of the buffer."""
        if self.elements.numbers is None:
            return self.laid.offsets(self.elements.coordinates)
        plain = _spanned(self._images)
        return self.laid.padded(plain) if self.laid.paddings else plain

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


def viewed(held: LinearDistribution, view: BufferView) -> ViewedElements | Refusal:
    """A distribution in a view. Raises :class:`InputError` if their shapes differ."""
    if held.shape != view.shape:
        raise InputError(f"the tensor is {list(held.shape)}, the memory {list(view.shape)}")
    if any(n is None for step in view.steps if step.kind == "slice" for n in step.numbers):
        return Refusal("the part of the buffer that it touches starts at an unknown place")
    coordinates = view.coordinates(held.coordinates())
    numbers = np.zeros(coordinates.shape[:-1], np.int64)
    for axis, length in enumerate(view.buffer.type.shape):
        numbers = numbers * length + coordinates[..., axis]
    steps = _steps(numbers)
    numbers_by_bit = steps if np.array_equal(_spanned(steps), numbers) else None
    return ViewedElements(held, coordinates, numbers_by_bit, idle_lanes(held))


def whole(held: LinearDistribution) -> ViewedElements:
    """A distribution in a buffer of its own shape."""
    registers, lanes, waves = (
        tuple(packed(basis, held.shape) for basis in bases)
        for bases in (held.register_bases, held.lane_bases, held.wave_bases)
    )
    steps = (registers, lanes, waves, 0)
    return ViewedElements(held, held.coordinates(), steps, idle_lanes(held))


def _steps(numbers: IntArray) -> _Steps:
    """What every bit of an index [waves, lanes, registers] changes, were it an XOR."""
    first = int(numbers[0, 0, 0])
    axes = numbers[0, 0, :], numbers[0, :, 0], numbers[:, 0, 0]
    registers, lanes, waves = (
        tuple(int(axis[n]) ^ first for n in _powers(len(axis))) for axis in axes
    )
    return registers, lanes, waves, first


def _spanned(steps: _Steps) -> IntArray:
    """The XORs of some steps with a first one, [waves, lanes, registers]."""
    registers, lanes, waves = (np.array(_sums(some), np.int64) for some in steps[:3])
    found: IntArray = (waves ^ steps[3])[:, None, None] ^ lanes[:, None] ^ registers
    return found


def _sums(steps: _Numbers) -> list[int]:
    found = [0]
    for step in steps:
        found += [each ^ step for each in found]
    return found


def idle_lanes(held: LinearDistribution) -> BoolArray:
    """Lanes with a bit set that moves nothing: they hold what others hold; [waves, lanes]."""
    waves, lanes = held.wave_bases, held.lane_bases
    still = [sum(1 << i for i, basis in enumerate(b) if not any(basis)) for b in (waves, lanes)]
    wave = np.arange(1 << len(waves))[:, None] & still[0]
    lane = np.arange(1 << len(lanes))[None, :] & still[1]
    return np.asarray((wave | lane) != 0)


def _powers(count: int) -> list[int]:
    return [1 << bit for bit in range(count.bit_length() - 1)]
