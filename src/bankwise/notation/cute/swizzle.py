"""CuTe's ``Swizzle<B,M,S>`` and layouts composed with one.

    Y = ((1 << B) - 1) << (M + max(0, S))        bits that are read
    Z = ((1 << B) - 1) << (M - min(0, S))        bits that they are XORed into
    f(x) = x ^ (S >= 0 ? (x & Y) >> S : (x & Y) << -S)

Only where |S| >= B do Y and Z lie apart: then f is linear, a bijection and its own inverse, and
repeats after 2^(M + |S| + B). CUTLASS demands it, and implementations disagree elsewhere; nothing
else is read here.

**Units.** In ``Sw<..> o offset o layout`` the swizzle sees what the layout counts: elements. Under
a pointer, ``Sw<..> o smem_ptr[16b](unset) o layout``, it sees byte addresses while the layout
still counts elements of 16 bits: <3,4,3> on bytes is <3,3,3> on elements of 2 bytes.

Source: NVIDIA CUTLASS, include/cute/swizzle.hpp and swizzle_layout.hpp.
"""

from __future__ import annotations

from typing import overload

from msgspec import Struct

from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.notation.cute.strided import StridedLayout, layout
from bankwise.notation.linear import is_power_of_two

_MAX_BIT = 40


class Swizzle(Struct, frozen=True):
    """``Swizzle<bits, base, shift>``; raises :class:`InputError` outside CuTe's domain."""

    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        if self.bits < 0 or self.base < 0 or abs(self.shift) < self.bits:
            raise InputError(
                f"{self} is outside CuTe's domain: B >= 0, M >= 0 and |S| >= B",
                hint="where |S| < B the bits read and the bits changed overlap",
            )
        if self.base + abs(self.shift) + self.bits > _MAX_BIT:
            raise InputError(f"{self} reads bits far above any shared memory")

    @property
    def period(self) -> int:
        """The pattern repeats after this many units."""
        return 1 << (self.base + abs(self.shift) + self.bits if self.bits else 0)

    @overload
    def __call__(self, x: int) -> int: ...

    @overload
    def __call__(self, x: IntArray) -> IntArray: ...

    def __call__(self, x: int | IntArray) -> int | IntArray:
        """The swizzled offsets, of one or of many."""
        mask = (1 << self.bits) - 1
        read = x >> self.base + max(0, self.shift) & mask
        return x ^ read << self.base - min(0, self.shift)

    def __str__(self) -> str:
        return f"Sw<{self.bits},{self.base},{self.shift}>"


IDENTITY = Swizzle(0, 4, 3)
"""The swizzle that CUTLASS writes where there is none."""


class ComposedLayout(Struct, frozen=True):
    """``swizzle o offset o layout``: first the layout, then the offset added, then the swizzle.

    ``pointer_bits``: 0 if the swizzle sees what the layout counts; else the size of the elements
    that the layout counts, while the swizzle and the offset are in bytes.
    """

    swizzle: Swizzle
    offset: int
    layout: StridedLayout
    pointer_bits: int = 0

    def __str__(self) -> str:
        if not self.pointer_bits:
            return f"{self.swizzle} o {self.offset} o {self.layout}"
        base = f"({self.offset})" if self.offset else "(unset)"
        return f"{self.swizzle} o smem_ptr[{self.pointer_bits}b]{base} o {self.layout}"


CuteLayout = StridedLayout | ComposedLayout


def recast(swizzle: Swizzle, old_bits: int, new_bits: int) -> Swizzle | Refusal:
    """The same swizzle, counting units of ``new_bits`` instead of ``old_bits``.

    A :class:`Refusal` where it would move parts of the new unit.
    """
    assert is_power_of_two(old_bits), old_bits
    assert is_power_of_two(new_bits), new_bits
    base = swizzle.base + old_bits.bit_length() - new_bits.bit_length()
    if not swizzle.bits:
        return swizzle
    if base < 0:
        return Refusal(f"{swizzle} on {old_bits} bits tears elements of {new_bits} bits apart")
    return Swizzle(swizzle.bits, base, swizzle.shift)


def in_elements(composed: ComposedLayout) -> ComposedLayout | Refusal:
    """The same map with swizzle and offset in the elements that the layout counts."""
    if not composed.pointer_bits:
        return composed
    swizzle = recast(composed.swizzle, 8, composed.pointer_bits)
    if isinstance(swizzle, Refusal):
        return swizzle
    offset_bits = composed.offset * 8
    if offset_bits % composed.pointer_bits:
        return Refusal(
            f"the base {composed.offset} is no multiple of {composed.pointer_bits}-bit elements"
        )
    return ComposedLayout(swizzle, offset_bits // composed.pointer_bits, composed.layout)


class CuteMemory(Struct, frozen=True):
    """A CuTe layout as a memory: one tile dimension for every mode of the top level.

    Offsets count elements from the offset of the layout's own base (``Sw o 512 o ..`` starts at
    512, not at 0).
    """

    layout: CuteLayout

    @property
    def _strided(self) -> StridedLayout:
        return self.layout if isinstance(self.layout, StridedLayout) else self.layout.layout

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the modes."""
        return tuple(mode.size for mode in self._strided.modes())

    @property
    def size(self) -> int:
        """Elements spanned; a swizzle may need its whole last period."""
        if isinstance(self.layout, StridedLayout):
            return self.layout.cosize
        last = self.layout.offset + self.layout.layout.cosize
        unit = 1 << self.layout.swizzle.base + self.layout.swizzle.bits
        low = unit if self.layout.swizzle.shift > 0 else self.layout.swizzle.period
        return -(-last // low) * low if self.layout.swizzle.bits else last

    def offsets(self, coordinates: IntArray) -> IntArray:
        """Offsets in elements of coordinates [..., rank]."""
        parts = [mode.at(coordinates[..., i]) for i, mode in enumerate(self._strided.modes())]
        total: IntArray = sum(parts[1:], parts[0])
        if isinstance(self.layout, StridedLayout):
            return total
        return self.layout.swizzle(total + self.layout.offset)


def memory(where: CuteLayout) -> CuteMemory | Refusal:
    """The layout as a memory, offsets in elements; a :class:`Refusal` as from :func:`recast`."""
    if isinstance(where, StridedLayout):
        return CuteMemory(where)
    plain = in_elements(where)
    return plain if isinstance(plain, Refusal) else CuteMemory(plain)


def row_major(shape: tuple[int, ...]) -> StridedLayout:
    """The layout with the last mode contiguous."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return layout(shape, tuple(reversed(strides)))
