"""Triton's scratch layout for two accesses: which element lies at which offset.

A tile of n bits is written by one distribution and read by another. The offset bits are, from the
lowest: *vector* (registers on both sides, up to 16 bytes), *bank*, *segment* (one bank row and up)
and *repetition* (registers on both sides that need not be kept apart). A conflict is a direction
in which the lanes of a phase move and that lies in the segment; so the segment is chosen outside
both spans: first what neither side's phase moves, then sums a ^ b of a step of each.

Two forms compete on NVIDIA: ordinary loads and stores, and the matrix forms, whose rows of 16 bytes
lie across registers and lanes; the pair with the fewest conflicts is taken. The phases are Triton's
own (all of 64 banks on gfx950), which is why counting may find conflicts in what it chose.

The order of the bank bits is Triton's on 64 banks and on NVIDIA; on AMD's 32 it moves some of them,
which changes the banks of elements and no count.

Source: triton-lang/triton 3.9, lib/Tools/GenericSwizzling.cpp and the phases of its targets; no
line of it is used here.
"""

from __future__ import annotations

from itertools import product, zip_longest
from typing import Literal

from msgspec import Struct

from bankwise.algebra import f2
from bankwise.hardware.machine import Direction, Machine
from bankwise.hardware.toolchain import triton

Way = Literal["plain", "matrix", "transposed"]
Vectors = tuple[f2.Vector, ...]

_ROW_BITS = 128
_WORD_BITS = 32


class Side(Struct, frozen=True):
    """The bases of one distribution as numbers, the first dimension lowest; zeros included."""

    registers: Vectors
    lanes: Vectors
    waves: Vectors


class _MoveForm(Struct, frozen=True):
    """A way to move 16 bytes a row: lane bits inside a row, and those that number rows."""

    way: Way
    inside: tuple[int, ...]
    rows: tuple[int, ...]


class _VectorChoice(Struct, frozen=True):
    """A vector, and the steps of one phase of each side beside it."""

    ways: tuple[Way, Way]
    vector: Vectors
    written: Vectors
    read: Vectors
    kept: int = 0


_PLAIN = _MoveForm("plain", (), (0, 1, 2))
_MATRIX = _MoveForm("matrix", (0, 1), (2, 3, 4))
_TRANSPOSED = _MoveForm("transposed", (2, 3, 4), (0, 1))


def scratch_bases(
    source: Side, target: Side, tile_bits: int, bits: int, machine: Machine
) -> tuple[Vectors, int, tuple[Way, Way]]:
    """The number that every offset bit steps by, how many of them are repetitions, and the ways.

    The ways are how the scratch is written and how it is read.
    """
    banks = triton(machine.tools).banks
    wide = list(_wide(source, target, bits, machine))
    if not wide:
        choice = _narrow(source, target, bits, machine, banks)
        bases, _, repeated = _bases(source, target, tile_bits, bits, banks, choice)
        return bases, repeated, choice.ways
    made = [(*_bases(source, target, tile_bits, bits, banks, c), c) for c in wide]
    best = min(made, key=lambda m: (_conflicts(m[1], m[3]), -m[2]))
    return best[0], best[2], best[3].ways


def _forms(machine: Machine, direction: Direction, bits: int) -> list[_MoveForm]:
    """The forms that a machine has."""
    name = "ldmatrix.x4" if direction == "read" else "stmatrix.x4"
    found = [_PLAIN]
    if name in machine.instructions and bits <= _WORD_BITS:
        found.append(_MATRIX)
        found += [_TRANSPOSED] if bits == 16 else []
    return found


def _wide(source: Side, target: Side, bits: int, machine: Machine) -> list[_VectorChoice]:
    """The pairs of forms that both move whole rows of 16 bytes."""
    total = (_ROW_BITS // bits).bit_length() - 1
    found = []
    for a, b in product(_forms(machine, "write", bits), _forms(machine, "read", bits)):
        vector = _row(source, target, a, b, total)
        if vector is None:
            continue
        written = _phase(source, a, vector, machine, "write")
        read = _phase(target, b, vector, machine, "read")
        if written is not None and read is not None:
            spare = min(len(f.inside) + len(f.rows) - 3 for f in (a, b))
            found.append(_VectorChoice((a.way, b.way), vector, written, read, spare))
    return found


def _row(source: Side, target: Side, a: _MoveForm, b: _MoveForm, total: int) -> Vectors | None:
    """The steps inside a row that both forms can move; None if there are none."""
    own, other = (source, target), (target, source)
    many, few = (a, b), (b, a)
    first, second = own if len(a.inside) <= len(b.inside) else other
    x, y = many if len(a.inside) <= len(b.inside) else few
    registers = total - len(y.inside)
    common = _common(first.registers, second.registers)[:registers]
    lanes_x = [first.lanes[i] for i in x.inside]
    lanes_y = [second.lanes[i] for i in y.inside]
    if len(common) < registers or not all((*lanes_x, *lanes_y)):
        return None
    in_registers = len(y.inside) - len(x.inside)
    if any(step not in first.registers for step in lanes_y[:in_registers]):
        return None
    return (*common, *lanes_y) if lanes_y[in_registers:] == lanes_x else None


def _phase(
    side: Side, form: _MoveForm, vector: Vectors, machine: Machine, direction: Direction
) -> Vectors | None:
    """The steps that tell the rows of one phase apart."""
    if form is _PLAIN:
        return _lanes(side, _ROW_BITS, machine, direction)
    free = [r for r in side.registers if r not in vector][: 3 - len(form.rows)]
    if len(free) < 3 - len(form.rows):
        return None
    return (*free, *(side.lanes[i] for i in form.rows))


def _lanes(side: Side, vector_bits: int, machine: Machine, direction: Direction) -> Vectors:
    """The steps of the lanes that Triton takes to be served together."""
    choices = triton(machine.tools)
    if vector_bits == _ROW_BITS:
        masks = choices.read_b128 if direction == "read" else choices.write_b128
    else:
        lane_bits, bank_bits = len(side.lanes), choices.banks.bit_length() - 1
        words = max(vector_bits, _WORD_BITS) // _WORD_BITS
        count = lane_bits - max(0, words.bit_length() - 1 + lane_bits - bank_bits)
        masks = tuple(1 << i for i in range(count))
    return tuple(f2.apply(side.lanes, mask) for mask in masks)


def _narrow(source: Side, target: Side, bits: int, machine: Machine, banks: int) -> _VectorChoice:
    """Ordinary loads and stores of less than 16 bytes."""
    most = (_ROW_BITS // bits).bit_length() - 1
    vector = list(_common(source.registers, target.registers)[:most])
    word = max(0, (_WORD_BITS // bits).bit_length() - 1)
    if len(vector) < word:
        vector = _filled(source, target, vector)[:word]
    written = _lanes(source, _wide_bits(source, vector, bits), machine, "write")
    read = _lanes(target, _wide_bits(target, vector, bits), machine, "read")
    inside = tuple(vector)
    kept = [tuple(s for s in steps if s not in inside) for steps in (written, read)]
    return _VectorChoice(("plain", "plain"), inside, kept[0], kept[1])


def _filled(source: Side, target: Side, vector: list[f2.Vector]) -> list[f2.Vector]:
    """More steps until a word is full: registers of one side that are waves of the other, waves."""
    a = [r for r in source.registers if r not in vector and r in target.waves]
    b = [r for r in target.registers if r not in vector and r in source.waves]
    smallest = min([*a, *b], default=0)
    longer = a if len(a) > len(b) or (len(a) == len(b) and smallest in a) else b
    both = [w for w in source.waves if w in target.waves]
    mixed = [w for pair in zip_longest(source.waves, target.waves, fillvalue=0) for w in pair]
    rest = (*source.registers, *target.registers, *source.lanes, *target.lanes)
    return list(f2.independent([*vector, *longer, *both, *mixed, *rest]))


def _wide_bits(side: Side, vector: list[f2.Vector], bits: int) -> int:
    """Bits that one access of this side moves: the steps in front that are its registers."""
    count = next((i for i, step in enumerate(vector) if step not in side.registers), len(vector))
    return bits << count


def _bases(
    source: Side, target: Side, tile_bits: int, bits: int, banks: int, choice: _VectorChoice
) -> tuple[Vectors, Vectors, int]:
    """All offset bits; the segment with its repetitions; how many repetitions there are."""
    vector = choice.vector
    row = banks * _WORD_BITS // (bits << len(vector))
    in_banks = min(max(row, 1).bit_length() - 1, tile_bits - len(vector))
    wanted = tile_bits - in_banks - len(vector)
    written = [s for s in (*vector, *choice.written) if s]
    read = [s for s in (*vector, *choice.read) if s]
    segment = _segment(written, read, tile_bits, wanted)
    bank = _complement((*vector, *segment), tile_bits)
    both = [s for s in segment if s in source.registers and s in target.registers]
    repeated = both[choice.kept :]
    ordered = (*(s for s in segment if s not in repeated), *repeated)
    return (*vector, *bank, *ordered), tuple(segment), len(repeated)


def _segment(
    written: list[f2.Vector], read: list[f2.Vector], tile_bits: int, wanted: int
) -> list[f2.Vector]:
    """Steps outside both spans as far as there are any, then those that cost the least."""
    free = list(_complement((*written, *read), tile_bits))
    if len(free) >= wanted:
        return free[:wanted]
    common = f2.intersection(written, read)
    a = list(f2.independent(f2.basis(written), modulo=common))
    b = list(f2.independent(f2.basis(read), modulo=common))
    if len(a) > len(b):
        a, b = b, a
    conflicts = min(max(0, wanted - len(a) - len(free)), len(a))
    pairs = [x ^ y for x, y in zip(a[conflicts:], b[conflicts:], strict=False)]
    return [*free, *pairs, *a[:conflicts], *b[:conflicts]][:wanted]


def _conflicts(segment: Vectors, choice: _VectorChoice) -> int:
    """Extra passes of a phase, writing and reading, as Triton counts them."""
    sides = (choice.written, choice.read)
    return sum((1 << len(f2.intersection(segment, [s for s in x if s]))) - 1 for x in sides)


def _common(a: Vectors, b: Vectors) -> Vectors:
    """The steps of both, in the order of the first."""
    return tuple(s for s in a if s and s in b)


def _complement(vectors: Vectors, tile_bits: int) -> Vectors:
    """Unit vectors that complete the span, the highest that can be; ascending."""
    down = (1 << i for i in reversed(range(tile_bits)))
    return tuple(reversed(f2.independent(down, modulo=vectors)))
