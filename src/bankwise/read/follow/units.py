"""Asynchronous units: the bytes that matrix instructions and bulk copies touch, from the numbers
that an instruction gives them.

    wgmma.mma_async ..m64n64k16.. {..}, %rd1, %rd2    two descriptors: 64 rows of 32 bytes each
    cp.async.bulk .. [%r1], [%rd1], 4096, [%r2]       4,096 bytes from %r1 on

A matrix instruction reads its operand in core matrices of 8 rows of 16 bytes. A descriptor says
where they lie: start, a leading and a stride byte offset, a swizzle mode, which is a map of
addresses. With R the 16-byte groups of a swizzled row (1, 2, 4, 8), chunk j along K, group i of
rows, row r of it, the first bytes before the swizzle:

    K-major     start + i SBO + 16 R r + 16 j;  R = 1:  start + i SBO + 16 r + j LBO
    MN-major    start + i LBO + 16 R r + 16 q + j SBO, chunk i R + q along M or N, group j of 8 of K
                R = 1:  start + i SBO + 16 r + j LBO

Source: as for :mod:`bankwise.notation.cute.hopper`; PTX ISA, tcgen05 shared memory descriptor and
instruction descriptor; CUTLASS, include/cute/arch/mma_sm100_desc.hpp.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import Refusal
from bankwise.read.assembly import UnitAccess
from bankwise.read.follow.functions import apply
from bankwise.read.follow.spaces import OTHER_BLOCK
from bankwise.read.follow.state import State, read, running
from bankwise.read.follow.touched import Touched

if TYPE_CHECKING:
    from bankwise.notation.cute.hopper import MatrixDescriptor
from bankwise.read.follow.values import Array, Unknown, Value, constant, lane_part, multiple_of

ROWS = 8
"""Of a core matrix."""

_LANES = 32
_MOST_BYTES = 1 << 18
"""More shared memory than any GPU has."""
_NONE = -1
"""Behind the last piece of a copy: the next one begins a pass of its own."""
_BOX = "how many bytes it moves is the box of a tensor map, which the host makes"
_BASE_32B = 1 << 61
"""In a descriptor of sm_100: the swizzle of 32-byte atoms, which is another map."""


class MatrixOperand(Struct, frozen=True):
    """A matrix operand. ``side``: "A" or "B". ``at``: which number is its descriptor. ``rows``:
    along M or N; ``chunks``: 16-byte pieces along K; ``transposed``: M or N is contiguous. Where
    ``rows`` is 0, the last number is an instruction descriptor (tcgen05), which says rows and
    ``transposed`` for that side. ``blocks``: workgroups that share the product."""

    side: str
    at: int
    rows: int = 0
    chunks: int = 2
    transposed: bool = False
    element_bytes: int = 2
    blocks: int = 1


class AsyncUnit(Struct, frozen=True):
    """What a unit makes of the numbers of one instruction.

    ``operands``: of a matrix instruction. Otherwise a copy from or to the first number on, of as
    many bytes as the second says; of one number alone nobody knows how many. ``waves``: that issue
    the instruction together, once; 0: every lane issues it. ``base_bytes``: where the shared memory
    begins whose bytes a descriptor names; ``size_bytes``: in which a copy's size is counted.
    """

    operands: tuple[MatrixOperand, ...] = ()
    waves: int = 0
    base_bytes: int = 0
    size_bytes: int = 1


class UnitPart(Struct, frozen=True):
    """What one operand, or the copy, touched. ``touched``: patterns of 16-byte pieces, in the order
    of core matrices, [instructions, lanes]; of an access of lanes as they are. ``note``: what is
    not known of it."""

    access: UnitAccess | None
    touched: Touched
    note: str = ""


def stacked(unit: AsyncUnit, numbers: Sequence[Value], state: State) -> Value:
    """The numbers of an instruction, int64 [numbers, waves, lanes]; unknown if one of them is.

    Where an operand or a copy begins does not change what it costs: 8 rows of 16 bytes of each mode
    and 128 contiguous bytes are all banks once, from every start.
    """
    lanes = state.active.shape

    def stack(*found: Array) -> Array:
        return np.stack([np.broadcast_to(one.astype(np.int64), lanes) for one in found])

    found = apply(stack, *numbers)
    places = {operand.at for operand in unit.operands} or {0}
    known = [_known(one) if n in places else one for n, one in enumerate(numbers)]
    instead = apply(stack, *known)
    if not isinstance(found, Unknown) or isinstance(instead, Unknown):
        return found
    return replace(found, instead=instead)


def _known(number: Value) -> Value:
    if not isinstance(number, Unknown) or number.instead is None:
        return number
    return number.instead


def begins(state: State, register: str, number: Value, at: Value | None = None) -> Value:
    """A number that says where something begins: if it is not known, it may begin ``at``. No text
    wrote a ``register`` that the state has not."""
    known = constant(0) if at is None else at
    if not isinstance(number, Unknown) or isinstance(known, Unknown):
        return number
    return replace(number, instead=known) if register in state.registers else number


def anywhere(
    state: State, registers: Sequence[str], offset: int, found: Value, of_wave: bool = False
) -> Value:
    """The address of a barrier, ``registers`` and an ``offset``: where it is not known, one place
    of every wave, if a wave has one number (``of_wave``), or one lane runs. A barrier of another
    block has the place of one's own.
    """
    held = [read(state, name) for name in registers]
    places = [one.instead for one in held if isinstance(one, Unknown) and one.instead is not None]
    if places:
        known = np.broadcast_to(places[0].astype(np.int64) + offset, state.active.shape)
    elif of_wave or _alone(state) or (isinstance(found, Unknown) and found.uniform):
        known = np.zeros(state.active.shape, np.int64)
    else:
        return found
    return begins(state, next(iter(registers), ""), found, known)


def from_somewhere(found: Value, state: State) -> Value:
    """An address of shared memory: of one that is known but for one number of each wave, how far
    the lanes lie behind the first of them."""
    part = lane_part(found)
    if not isinstance(found, Unknown) or part is None:
        return found
    lanes = running(state)
    places = np.broadcast_to(part.view(np.ndarray).astype(np.uint32), lanes.shape)
    first = np.take_along_axis(places, lanes.argmax(axis=1)[:, None], axis=1)
    apart = (places - first).view(np.int32).astype(np.int64)
    lowest = np.where(lanes, apart, _MOST_BYTES).min(axis=1, keepdims=True)
    begins_at = np.where(lanes.any(axis=1, keepdims=True), first + lowest, 0)
    bits = multiple_of(found) | int(np.bitwise_or.reduce(begins_at, axis=None))
    instead = np.where(lanes, apart - lowest, 0)
    return replace(found, instead=instead, multiple_of=bits & -bits)


def other_block(of: Value) -> Unknown:
    """What mapa makes of an address."""
    return Unknown(OTHER_BLOCK, instead=of.instead if isinstance(of, Unknown) else of)


def _alone(state: State) -> bool:
    return bool((state.active.sum(axis=1) <= 1).all())


def unit_parts(unit: AsyncUnit, touched: Touched) -> Iterator[UnitPart | Refusal]:
    """The pieces of shared memory that each operand of an instruction reads, or the copy moves.
    A refusal for what no layout says."""
    if not unit.operands:
        yield _copied(unit, touched)
        return
    for operand in unit.operands:
        yield _operand(unit, operand, touched)


def _issues(unit: AsyncUnit, numbers: IntArray, active: BoolArray) -> list[tuple[int, ...]]:
    """The numbers of every time that the instruction is issued."""
    if not unit.waves:
        places = np.argwhere(active)
    else:
        waves = np.flatnonzero(active.any(axis=1))
        first = {wave // unit.waves: wave for wave in reversed(waves.tolist())}
        places = np.array([(w, active[w].argmax()) for w in sorted(first.values())])
    return [tuple(int(n) for n in numbers[:, wave, lane]) for wave, lane in places]


def _operand(unit: AsyncUnit, operand: MatrixOperand, touched: Touched) -> UnitPart | Refusal:
    from bankwise.notation.cute.hopper import read_descriptor

    pieces: list[IntArray] = []
    descriptors: list[MatrixDescriptor] = []
    shape = operand
    for numbers, active in touched.patterns:
        issues = _issues(unit, numbers, active)
        if any(issue[operand.at] & _BASE_32B for issue in issues):
            return Refusal("a swizzle of 32-byte atoms, whose map is not modelled")
        shapes = [_shaped(operand, issue) for issue in issues]
        found = [read_descriptor(issue[operand.at] % (1 << 64)) for issue in issues]
        shape = shapes[0]
        descriptors += found[:1] if touched.unknown is None else ()
        pairs = zip(found, shapes, strict=True)
        pieces.append(unit.base_bytes + np.concatenate([operand_pieces(*one) for one in pairs]))
    seen = replace(touched, patterns=_in_lanes(pieces), index={})
    return UnitPart(UnitAccess(operand.side, tuple(descriptors), shape.transposed), seen)


def _shaped(operand: MatrixOperand, issue: Sequence[int]) -> MatrixOperand:
    """The operand with what the instruction descriptor says of it.

    Source: CUTLASS, include/cute/arch/mma_sm100_desc.hpp: bits 15 and 16 transpose A and B, 17 to
    22 are N / 8, 24 to 28 are M / 16; each block of a pair has half of both.
    """
    if operand.rows:
        return operand
    bits = issue[-1]
    first = operand.side == "A"
    rows = (bits >> 24 & 31) * 16 if first else (bits >> 17 & 63) * 8
    transposed = bool(bits >> (15 if first else 16) & 1)
    return replace(operand, rows=rows // operand.blocks, transposed=transposed)


def operand_pieces(descriptor: MatrixDescriptor, operand: MatrixOperand) -> IntArray:
    """The first bytes of all 16-byte pieces of an operand, core matrix by core matrix."""
    from bankwise.notation.cute.hopper import GROUP_BYTES

    mode = descriptor.mode
    groups = mode.span_bytes // GROUP_BYTES
    leading, stride = descriptor.leading_bytes, descriptor.stride_bytes
    row = np.arange(ROWS) * mode.span_bytes
    if not operand.transposed:
        i, j = np.arange(max(1, operand.rows // ROWS)), np.arange(operand.chunks)
        along = j * (leading if groups == 1 else GROUP_BYTES)
        first = i[:, None] * stride + along[None, :]
        row = row[: operand.rows]
    else:
        width = operand.element_bytes
        chunk = np.arange(operand.rows * width // GROUP_BYTES)
        j = np.arange(operand.chunks * GROUP_BYTES // width // ROWS)
        outer, inner = (stride, leading) if groups == 1 else (leading, stride)
        across = chunk // groups * outer + chunk % groups * GROUP_BYTES
        first = across[:, None] + j[None, :] * inner
    places = descriptor.start_bytes + (first.reshape(-1, 1) + row[None, :])
    return np.asarray(mode.swizzle(places.reshape(-1)), np.int64)


def _copied(unit: AsyncUnit, touched: Touched) -> UnitPart:
    """A copy of so many bytes, as if its pieces were contiguous; of an unknown size its first."""
    from bankwise.notation.cute.hopper import GROUP_BYTES

    pieces: list[IntArray] = []
    sized = all(len(numbers) > 1 for numbers, _ in touched.patterns)
    for numbers, active in touched.patterns:
        every = []
        for issue in _issues(unit, numbers, active):
            size = issue[1] * unit.size_bytes if sized else GROUP_BYTES
            copied = issue[0] + np.arange(0, min(size, _MOST_BYTES), GROUP_BYTES)
            every.append(np.pad(copied, (0, -len(copied) % ROWS), constant_values=_NONE))
        pieces.append(np.concatenate(every))
    seen = replace(touched, patterns=_in_lanes(pieces), index={})
    if sized:
        return UnitPart(UnitAccess(""), seen)
    return UnitPart(UnitAccess(""), replace(seen, counted=False), _BOX)


def _in_lanes(pieces: Sequence[IntArray]) -> list[tuple[IntArray, BoolArray]]:
    """The pieces of every pattern as lanes of equally many instructions, [instructions, lanes]."""
    shape = -(-max(len(one) for one in pieces) // _LANES), _LANES
    patterns = []
    for one in pieces:
        offsets = np.zeros(shape[0] * _LANES, np.int64)
        offsets[: len(one)] = one
        active = (np.arange(len(offsets)) < len(one)) & (offsets != _NONE)
        patterns.append((np.where(active, offsets, 0).reshape(shape), active.reshape(shape)))
    return patterns
