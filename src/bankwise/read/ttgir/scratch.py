"""``ttg.convert_layout``: the scratch layout that Triton chooses, or that it needs none.

A conversion inside a lane moves registers; inside a wave it exchanges lanes, unless two or more
register bits change places with lane bits; everything else goes through shared memory. Triton then
lays out the scratch for the two accesses at hand (:mod:`.swizzle`) and writes with the first, reads
with the second distribution.

Source: triton-lang/triton 3.9, lib/Analysis/Utility.cpp (cvtNeedsSharedMemory) and
lib/Tools/GenericSwizzling.cpp; held against what 3.9.0 emits (tests/test_ttgir_kernels.py).
"""

from __future__ import annotations

from bankwise.algebra import f2
from bankwise.errors import Refusal
from bankwise.hardware.machine import Direction, Machine
from bankwise.identity import ByIdentity
from bankwise.notation.linear import LinearDistribution, LinearMemory, packed
from bankwise.read.ttgir.lower import Issued, lower_plain, matrix, matrix_transposed
from bankwise.read.ttgir.placed import PlacedElements, whole
from bankwise.read.ttgir.swizzle import Side, Way, scratch_bases

_MOST_EXCHANGED = 1
"""Register bits that change places with lane bits before shared memory is taken."""


class Scratch(ByIdentity, frozen=True, eq=False):
    """The scratch of one conversion: its memory, and the ways to write and to read it."""

    memory: LinearMemory
    written: tuple[Issued, ...]
    read: tuple[Issued, ...]


def needs_shared(source: LinearDistribution, target: LinearDistribution) -> bool:
    """Whether a change of distribution goes through shared memory."""
    if source.wave_bases != target.wave_bases:
        return True
    a, b = side(source), side(target)
    if f2.basis((*a.registers, *a.lanes)) != f2.basis((*b.registers, *b.lanes)):
        return True
    lanes = f2.independent(b.lanes, modulo=a.lanes)
    registers = f2.independent(b.registers, modulo=a.registers)
    return max(len(lanes), len(registers)) > _MOST_EXCHANGED


def side(held: LinearDistribution) -> Side:
    """The bases of a distribution as numbers, the first dimension lowest, as Triton has them."""
    parts = [
        tuple(packed(basis[::-1], held.shape[::-1]) for basis in bases)
        for bases in (held.register_bases, held.lane_bases, held.wave_bases)
    ]
    return Side(*parts)


def scratch(
    source: LinearDistribution, target: LinearDistribution, bits: int, machine: Machine
) -> Scratch | Refusal:
    """The scratch of a conversion that needs shared memory; ``bits``: of one element."""
    tile_bits = sum(size.bit_length() - 1 for size in source.shape)
    bases, repeated, ways = scratch_bases(side(source), side(target), tile_bits, bits, machine)
    apart = 1 << tile_bits - repeated
    memory = LinearMemory(source.shape, tuple(_unpacked(b, source.shape) for b in bases))
    written = _lower_side(source, memory, bits, machine, "write", ways[0], apart)
    if isinstance(written, Refusal):
        return written
    read = _lower_side(target, memory, bits, machine, "read", ways[1], apart)
    if isinstance(read, Refusal):
        return read
    return Scratch(memory, written, read)


def _lower_side(
    held: LinearDistribution,
    memory: LinearMemory,
    bits: int,
    machine: Machine,
    direction: Direction,
    way: Way,
    apart: int,
) -> tuple[Issued, ...] | Refusal:
    laid = PlacedElements(whole(held), memory, bits)
    if way == "plain":
        return lower_plain(machine, laid, direction)
    form = matrix if way == "matrix" else matrix_transposed
    found = form(machine, laid, direction, apart)
    return (
        Refusal(f"the scratch does not fit the {way} form")
        if found is None
        else (found.issued(laid, direction),)
    )


def _unpacked(number: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Coordinates of a number."""
    out = []
    for size in shape:
        out.append(number % size)
        number //= size
    return tuple(out)
