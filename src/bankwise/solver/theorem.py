"""The theorem: how many passes a linear access takes is the size of a subspace intersection.

Take a linear memory layout L (coordinate bits to offset bits) and the directions T in which the
lanes of one phase differ. Split the offset bits, low to high, into *inside* bits (inside one word,
or inside one lane's vector if that is wider), *bank* bits and *segment* bits. Lanes in one phase
that differ in segment bits only want different words of one bank; lanes that differ in inside bits
only want the same. So every phase takes

    passes = |T ∩ span(inside, segment)| / |T ∩ span(inside)|
           = 2^(rank of L(T) above the inside bits - rank of its bank bits)

*Pins.* A vector must be contiguous, aligned and in order: the directions inside the widest vector
are the low offset bits, and no other direction of the tile may reach into them. An access whose
lanes do not move a pinned bank bit cannot use it, so with V the directions inside its own vector
and v pinned word bits outside T and V, modulo the word, its phases take at least
2^max(0, dim T + dim V - (bank bits - v)), whatever the swizzle. That is its *floor*.

Counting (:mod:`bankwise.counting.conflict`) is the definition; nothing here is used by it, or uses
it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bankwise.algebra import f2
from bankwise.errors import Refusal
from bankwise.hardware.machine import BANK_BYTES
from bankwise.solver.problem import BitTile, Problem, TileAccess

WORD_BITS = 8 * BANK_BYTES


class Pins(Struct, frozen=True):
    """Which coordinates the vectors fix, and a frame of the tile in which that is simple.

    ``vector``: the directions of the widest vector; they are the low offset bits. ``frame``: the
    columns of an invertible map of coordinates: the low ``len(vector)`` bits of the image say
    where in the widest vector an element lies, the others which vector it is in. ``free[i]`` is
    the direction that moves frame bit ``len(vector) + i`` only; a coordinate bit where possible.
    """

    vector: tuple[f2.Vector, ...]
    free: tuple[f2.Vector, ...]
    frame: tuple[f2.Vector, ...]


class Load(Struct, frozen=True):
    """What one access demands of the bank colouring, in the free part of the frame.

    ``space``: basis of the lane directions of one phase on which the pinned bank bits are
    constant. ``bits``: the bank bits that are left to colour with. Each of the ``phases`` takes
    2^(dim space - rank of its colours) passes.
    """

    space: f2.Basis
    bits: int
    phases: int

    @property
    def floor(self) -> int:
        """The fewest passes of one execution under any layout with these pins."""
        return int(self.phases * 2 ** max(0, len(self.space) - self.bits))


def word_shift(tile: BitTile) -> tuple[int, int]:
    """(bits of an element offset inside one word, word bits inside one element)."""
    ratio = WORD_BITS.bit_length() - tile.element_bits.bit_length()
    return max(0, ratio), max(0, -ratio)


def bank_bits(access: TileAccess) -> int:
    """log2 of the banks that the access sees."""
    return access.instruction.banks.bit_length() - 1


def inside_bits(tile: BitTile, access: TileAccess) -> int:
    """Offset bits (of an element's first word part) inside one word or one lane's vector."""
    in_word, in_element = word_shift(tile)
    return max(in_word, len(access.vector) + in_element)


def passes(tile: BitTile, bases: Sequence[f2.Vector], access: TileAccess) -> int:
    """Passes of one execution under the layout whose coordinate bit i moves ``bases[i]`` elements.

    A direct-to-shared copy fills consecutive bytes in lane order whatever the layout: it is ideal.
    """
    if access.kind == "dma":
        return access.phases
    moved, banks = _moved(tile, bases, access)
    return int(access.phases * 2 ** (f2.rank(moved) - f2.rank(banks)))


def conflict_directions(tile: BitTile, bases: Sequence[f2.Vector], access: TileAccess) -> f2.Basis:
    """A basis of what collides: directions of one phase that move the segment but not the bank.

    Modulo directions that stay inside a word; empty when the access is free.
    """
    if access.kind == "dma":
        return ()
    moved, banks = _moved(tile, bases, access)
    null = [f2.apply(access.phase, combination) for combination in f2.kernel(banks)]
    same = [f2.apply(access.phase, combination) for combination in f2.kernel(moved)]
    return f2.independent(null, modulo=same)


def _moved(
    tile: BitTile, bases: Sequence[f2.Vector], access: TileAccess
) -> tuple[list[f2.Vector], list[f2.Vector]]:
    """Offsets of the phase above the inside bits: all of their bits, and the bank bits."""
    in_word, in_element = word_shift(tile)
    inside = inside_bits(tile, access)
    moved = [(f2.apply(bases, x) << in_element) >> inside for x in access.phase]
    mask = (1 << (in_word + bank_bits(access) - inside)) - 1
    return moved, [x & mask for x in moved]


def pins(problem: Problem) -> Pins | Refusal:
    """The pinned directions of a problem; a Refusal naming two vectors that exclude each other."""
    widest: TileAccess | None = None
    for access in problem.accesses:
        if widest is None or len(access.vector) > len(widest.vector):
            widest = access
    if widest is None or not widest.vector:
        identity = tuple(1 << i for i in range(problem.tile.bits))
        return Pins((), identity, identity)
    for access in problem.accesses:
        if access.vector != widest.vector[: len(access.vector)]:
            return _exclude(problem.tile, widest, access)
    return _frame(problem, widest)


def _frame(problem: Problem, widest: TileAccess) -> Pins | Refusal:
    """Find for every vector direction the functional that is 1 on it and 0 on what surrounds it.

    That is the lanes and registers of every access with the whole vector, then coordinate bits.
    """
    bits, vector = problem.tile.bits, widest.vector
    full = [a for a in problem.accesses if len(a.vector) == len(vector)]
    around = f2.basis(x for access in full for x in (*access.lanes, *access.registers))
    if f2.intersection(around, vector):
        return _exclude(problem.tile, widest, full[-1])
    split = f2.inverse((*vector, *around, *f2.complement((*vector, *around), bits)))
    assert split is not None, "vector, surroundings and complement are a basis"
    low = (1 << len(vector)) - 1
    free = [x ^ f2.apply(vector, f2.apply(split, x) & low) for x in f2.complement(vector, bits)]
    frame = f2.inverse((*vector, *free))
    assert frame is not None, "vector and free directions are a basis"
    for access in problem.accesses:
        inside = (1 << len(access.vector)) - 1
        if any(f2.apply(frame, x) & inside for x in (*access.lanes, *access.registers)):
            return _exclude(problem.tile, widest, access)
    return Pins(vector, tuple(free), frame)


def _exclude(tile: BitTile, one: TileAccess, other: TileAccess) -> Refusal:
    if one is other:
        return Refusal(
            f"the vector {tile.text(one.vector)!r} of {one.name!r} also lies in its lanes and "
            "registers: it cannot be the low offset bits"
        )
    return Refusal(
        f"the vectors {tile.text(one.vector)!r} of {one.name!r} and "
        f"{tile.text(other.vector)!r} of {other.name!r} cannot both be the low offset bits: each "
        "must be contiguous, aligned and in order",
    )


def load(tile: BitTile, pinned: Pins, access: TileAccess) -> Load:
    """What the access demands of the colouring of the free directions.

    ``pinned`` must fill a word (see :func:`share_word`), or the tile is smaller than one.
    """
    in_word, in_element = word_shift(tile)
    inside = inside_bits(tile, access)
    low = max(inside, len(pinned.vector) + in_element)
    bits = in_word + bank_bits(access) - low
    if access.kind == "dma":
        return Load((), bits, access.phases)
    seen = f2.basis((f2.apply(pinned.frame, x) << in_element) >> inside for x in access.phase)
    if low == inside:
        return Load(seen, bits, access.phases)
    pinned_bank = (1 << (low - inside)) - 1
    null = f2.kernel([x & pinned_bank for x in seen])
    constant = f2.basis(f2.apply(seen, combination) >> (low - inside) for combination in null)
    return Load(constant, bits, access.phases)


def share_word(pinned: Pins, directions: Sequence[f2.Vector]) -> Pins:
    """The pins when ``directions`` fill the rest of the word above the pinned vector."""
    vector = (*pinned.vector, *directions)
    free = f2.independent(pinned.free, modulo=vector)
    frame = f2.inverse((*vector, *free))
    assert frame is not None, "word directions are independent of the pins"
    return Pins(vector, free, frame)


def floor(tile: BitTile, pinned: Pins, access: TileAccess) -> int:
    """The fewest passes of one execution under any layout that respects the pins.

    While the pins do not fill a word, any directions may still share it.
    """
    in_word, in_element = word_shift(tile)
    missing = max(0, in_word - len(pinned.vector) - in_element)
    if access.kind == "dma":
        return access.phases
    if not missing:
        return load(tile, pinned, access).floor
    outside = f2.independent(access.phase, modulo=pinned.vector)
    return int(access.phases * 2 ** max(0, len(outside) - missing - bank_bits(access)))
