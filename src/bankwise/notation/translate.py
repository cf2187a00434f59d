"""From one framework's language into another's: the same offsets, or a Refusal that says why not.

A memory is what all notations have in common. Every ``to_..`` function looks for the member of one
notation's family that puts *every* element of the tile where the memory does; it compares them all.
What a notation cannot say, it refuses: XOR folds know no padding, CuTe has one field of bits,
rotations are no XOR.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product as pairs
from math import prod
from typing import TypeVar

import numpy as np

from bankwise.algebra.address import Padded
from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.notation import ck, wave
from bankwise.notation.cute.fit import strided, to_cute
from bankwise.notation.iree import RotateRows, XorShuffle
from bankwise.notation.linear import is_power_of_two
from bankwise.notation.triton.fit import to_triton_shared
from bankwise.notation.values import Mapped, Memory, points, same_memory, tabulate

__all__ = [
    "fit_exact",
    "to_ck",
    "to_cute",
    "to_padded",
    "to_rotate_rows",
    "to_triton_shared",
    "to_wave",
    "to_xor_shuffle",
    "translations",
]

T = TypeVar("T")

CK_BANKS = (32, 64)
"""Bank counts that CK's XOR descriptor is made for."""


def translations(memory: Memory, element_bits: int) -> Mapping[str, object]:
    """The memory in every notation: a value whose ``str`` is the text, or a Refusal."""
    return {
        "cute": to_cute(memory),
        "triton": to_triton_shared(memory, element_bits),
        "iree xor_shuffle": to_xor_shuffle(memory),
        "iree rotate_rows": to_rotate_rows(memory),
        "padding": to_padded(memory),
        "wave": to_wave(memory),
        "ck": to_ck(memory, element_bits),
    }


def fit_exact(memory: Memory, family: Iterable[T], means: Callable[[T], Memory]) -> T | None:
    """The first member of a family that puts every element where the memory does.

    A few elements sort out most members; the rest are compared on all.
    """
    everything = points(memory.shape)
    some = everything[_telling(len(everything))]
    wanted = memory.offsets(some)
    for member in family:
        meant = means(member)
        if np.array_equal(meant.offsets(some), wanted) and same_memory(meant, memory):
            return member
    return None


def to_xor_shuffle(memory: Memory) -> XorShuffle | Refusal:
    """The ``xor_shuffle`` of IREE."""
    gaps = _gaps(memory, "xor_shuffle")
    if gaps is not None:
        return gaps
    family = _xor_shuffles(prod(memory.shape), memory.shape[-1])
    return fit_exact(memory, family, lambda m: Mapped(memory.shape, m)) or Refusal(
        "no xor_shuffle<W, a, S, p> agrees: it XORs a group number with (row / p) mod (W / a) only"
    )


def to_rotate_rows(memory: Memory) -> RotateRows | Refusal:
    """The ``rotate_rows`` of IREE."""
    gaps = _gaps(memory, "rotate_rows")
    if gaps is not None:
        return gaps
    widths = _divisors(prod(memory.shape))
    family = (RotateRows(width, group) for width in widths for group in _divisors(width))
    return fit_exact(memory, family, lambda m: Mapped(memory.shape, m)) or Refusal(
        "no rotate_rows<W, a> agrees: it adds the row number to a group number"
    )


def to_padded(memory: Memory) -> Padded | Refusal:
    """Longer rows: what CUDA's ``[64][65]`` and IREE's padding pass make."""
    table = tabulate(memory).table
    row = table.shape[-1]
    if row * (table.size // row) < 2 or table.size == row:
        return Refusal("padding lengthens rows: there is only one")
    pad = int(table.reshape(-1, row)[1, 0]) - row
    found = Padded(row, pad)
    if pad < 0 or not np.array_equal(found(np.arange(table.size)), table.reshape(-1)):
        return Refusal("no row length agrees: padding keeps every row in order")
    return found


def to_wave(memory: Memory) -> wave.Swizzle | Refusal:
    """The swizzle of Wave's gathers, with at most the 8 phases of its published versions."""
    if len(memory.shape) != 2:
        return Refusal(f"Wave swizzles tiles of rank 2, not {len(memory.shape)}")
    gaps = _gaps(memory, "Wave's swizzle")
    if gaps is not None:
        return gaps
    rows, columns = memory.shape
    family = (
        wave.Swizzle(rows, columns, unit, phases)
        for phases in range(1, wave.MAX_PHASE + 1)
        for unit in reversed(_divisors(columns))
    )
    return fit_exact(memory, family, lambda swizzle: swizzle) or Refusal(
        f"no Wave swizzle agrees: it XORs a chunk number with row mod 1 .. {wave.MAX_PHASE}"
    )


def to_ck(memory: Memory, element_bits: int) -> ck.Descriptor | Refusal:
    """A descriptor of CK: naive strides, or its XOR descriptor for 32 or 64 banks."""
    found = strided(tabulate(memory).table)
    shape = memory.shape
    if found is not None and all(isinstance(s, int) for s in _parts(found.shape)):
        naive = ck.naive(shape, tuple(stride for _, stride in found.leaves()))
        if same_memory(naive, memory):
            return naive
    if len(shape) == 2 and element_bits % 8 == 0:
        xor = fit_exact(memory, _ck_xors(shape[0], shape[1], element_bits // 8), lambda d: d)
        if xor is not None:
            return xor
    return Refusal(
        "neither strides nor CK's XOR descriptor agree: it XORs packs with the row of LDS"
    )


def _xor_shuffles(size: int, row: int) -> Iterator[XorShuffle]:
    """All shuffles of whole rows: a plain one first, then by row width, nearest ``row`` first."""
    yield XorShuffle(size, size)
    for width in sorted(_divisors(size), key=lambda w: (w != row, w)):
        strides = [width * times for times in _divisors(size // width)]
        for group, stride in pairs(reversed(_divisors(width)), strides):
            for phase in (p for p in _divisors(width // group) if is_power_of_two(p)):
                yield XorShuffle(
                    width, group, stride if stride != width else 0, phase if phase > 1 else 0
                )


def _ck_xors(m: int, k: int, element_bytes: int) -> Iterator[ck.Descriptor]:
    for banks, pack in pairs(CK_BANKS, reversed(_divisors(k))):
        try:
            yield ck.xor_descriptor(m, k, banks=banks, element_bytes=element_bytes, pack=pack)
        except InputError:
            # The rows of LDS do not divide the tile: no such descriptor exists.
            continue


def _gaps(memory: Memory, name: str) -> Refusal | None:
    """Why a permutation of the elements cannot say it: an offset behind the last element."""
    elements, last = prod(memory.shape), int(tabulate(memory).table.max())
    if last < elements:
        return None
    return Refusal(
        f"{name} permutes an allocation: it has no padding, and the {elements} elements reach "
        f"offset {last}"
    )


def _telling(size: int) -> IntArray:
    """Few elements that tell most layouts apart: the powers of two and their neighbours."""
    steps = 1 << np.arange(max(size - 1, 1).bit_length())
    wanted = np.concatenate([[0, size - 1], steps, steps - 1, steps + 1, size - steps])
    return np.unique(wanted[(wanted >= 0) & (wanted < size)])


def _divisors(number: int) -> list[int]:
    small = [d for d in range(1, int(number**0.5) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)})


def _parts(shape: object) -> tuple[object, ...]:
    return shape if isinstance(shape, tuple) else (shape,)
