"""Which instructions Triton emits for an access: the rules of its conversion to LLVM.

Source: triton-lang/triton, conversion of ``ttg.local_load``, ``local_store`` and ``local_alloc``
(lib/Conversion/TritonGPUToLLVM, third_party/{amd,nvidia}), as of 3.9; every rule is held against
what 3.9.0 emits for the kernels in tests/data/isa. In this order:

1. NVIDIA, no padding: ``ldmatrix`` (from sm_75) and ``stmatrix`` (from sm_90), up to x4. Plain: one
   word of registers, then lane bits 0 and 1 are the low offset bits. Transposed (16-bit elements):
   lane bits 2, 3, 4 are; of the registers, the one with the fewest conflicts numbers rows. No other
   bit reaches into the 16 bytes of a row.
2. gfx950, 8- and 16-bit elements: ``ds_read_b64_tr``: the low lane bits are the low offset bits of
   64 bits. Lanes read 8 bytes each and exchange them in groups of 16.
3. Else the widest vector of registers that lie side by side in every lane, 16 bytes at most.

LLVM may still join two of them (``ds_read2_b64``): compare with what was emitted.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

import numpy as np
from msgspec import Struct

from bankwise.algebra import f2
from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import Refusal
from bankwise.hardware.machine import AccessKind, Direction, Machine
from bankwise.hardware.policies import WIDEST_BYTES, select
from bankwise.identity import ByIdentity
from bankwise.read.ttgir.placed import PlacedElements

POLICY = "triton"
_AROUND_BYTES = 128
"""Eight rows of 16 bytes: once around the banks."""

_OFFSET_BITS = 40
_ROW_BITS = 128
_TR_BITS = 64
_TR_LANES = 4
"""Lane bits of the group of 16 that exchanges data."""


class Issued(ByIdentity, frozen=True, eq=False):
    """The instructions of one shape that one operation becomes.

    ``instruction``: a row of the machine file; ``width_bytes``: of one lane; ``offsets_bytes``:
    int64 [waves, instructions, lanes], the first byte of every lane; ``active``: bool, broadcast
    against it. ``note``: what is assumed. ``units``: of a matrix or copy unit, how many of its
    instructions the offsets are pieces of; 0 for an access of threads.
    """

    instruction: str
    kind: AccessKind
    direction: Direction
    width_bytes: int
    offsets_bytes: IntArray
    active: BoolArray
    note: str = ""
    units: int = 0

    @property
    def instructions(self) -> int:
        """Instructions of one execution of one wave, or of a unit."""
        return self.units or int(self.offsets_bytes.shape[1])


def lower(
    machine: Machine, placed: PlacedElements, direction: Direction
) -> tuple[Issued, ...] | Refusal:
    """The instructions of an ordinary load or store of a whole tile."""
    form = special_form(machine, placed, direction)
    if form is not None:
        return (form.issued(placed, direction),)
    return lower_plain(machine, placed, direction)


class SpecialForm(Struct, frozen=True):
    """Instructions of a special form: one for every value of the register bits ``rest``.

    ``moves``: the (register, lane) whose offset bit i of an address lane stands for;
    ``width_bytes``: of one lane. ``note``: what is assumed.
    """

    instruction: str
    kind: AccessKind
    moves: tuple[tuple[int, int], ...]
    rest: tuple[int, ...]
    width_bytes: int = WIDEST_BYTES
    note: str = ""

    def addresses(self, placed: PlacedElements) -> list[int]:
        """The image of every bit of an address lane, in elements, without padding."""
        return [
            f2.apply(placed.registers, register) ^ f2.apply(placed.lanes, lane)
            for register, lane in self.moves
        ]

    def issued(self, placed: PlacedElements, direction: Direction) -> Issued:
        """The instructions with the offsets of all lanes."""
        numbers = np.arange(1 << len(self.moves))
        register = _linear_image(numbers, [r for r, _ in self.moves])
        lane = _linear_image(numbers, [n for _, n in self.moves])
        starts = _linear_image(np.arange(1 << len(self.rest)), [1 << i for i in self.rest])
        offsets = np.stack([placed.at(lane, register ^ start) for start in starts], axis=1)
        every = np.ones((1, 1, 1), np.bool_)
        row = (self.instruction, self.kind, direction, self.width_bytes)
        return Issued(*row, offsets, every, self.note)


def special_form(
    machine: Machine, placed: PlacedElements, direction: Direction
) -> SpecialForm | None:
    """The special form that Triton takes; None where it takes vectors of registers."""
    return _matrix(machine, placed, direction) or _transposing(machine, placed, direction)


def _matrix(machine: Machine, placed: PlacedElements, direction: Direction) -> SpecialForm | None:
    if machine.vendor != "nvidia" or placed.interval is not None:
        return None
    return matrix(machine, placed, direction) or matrix_transposed(machine, placed, direction)


def matrix(
    machine: Machine, placed: PlacedElements, direction: Direction, apart: int = 1 << 62
) -> SpecialForm | None:
    """``ldmatrix`` or ``stmatrix``; None where the layout does not allow it.

    ``apart``: registers whose image is that or more are moved in rounds of their own.
    """
    if placed.bits > 32:
        return None
    inner = (32 // placed.bits).bit_length() - 1
    row = (_ROW_BITS // placed.bits).bit_length() - 1
    word = _bits_of(placed.registers, inner)
    if word is None or placed.lanes[:2] != (1 << inner, 2 << inner):
        return None
    rest = [i for i in range(len(placed.registers)) if i not in word]
    others = [placed.registers[i] for i in rest] + list(placed.lanes[2:])
    if _reach((*others, *placed.waves, placed.first), row):
        return None
    lanes = [(0, 4), (0, 8), (0, 16)]
    return _rows(machine, placed, direction, lanes, rest, "", apart)


def matrix_transposed(
    machine: Machine, placed: PlacedElements, direction: Direction, apart: int = 1 << 62
) -> SpecialForm | None:
    """The ``.trans`` forms: a row of memory goes to one column of every lane."""
    if placed.bits != 16 or not placed.registers or placed.lanes[2:5] != (1, 2, 4):
        return None
    others = (*placed.registers, *placed.lanes[:2], *placed.lanes[5:], *placed.waves, placed.first)
    if _reach(others, 3):
        return None
    near = [i for i, image in enumerate(placed.registers) if image < apart]
    if not near:
        return None
    row = min(near, key=lambda i: (_row_conflicts(placed, i), i))
    lanes = [(1 << row, 0), (0, 1), (0, 2)]
    rest = [i for i in range(len(placed.registers)) if i != row]
    return _rows(machine, placed, direction, lanes, rest, ".trans", apart)


def _row_conflicts(placed: PlacedElements, register: int) -> int:
    """Steps of the eight rows of a matrix that stay on one bank, were this register one of them."""
    steps = (placed.registers[register], *placed.lanes[:2])
    bank_row = (_AROUND_BYTES // placed.element_bytes).bit_length() - 1
    return len(f2.intersection(steps, [1 << bit for bit in range(bank_row, _OFFSET_BITS)]))


def _rows(
    machine: Machine,
    placed: PlacedElements,
    direction: Direction,
    lanes: list[tuple[int, int]],
    rest: list[int],
    trans: str,
    apart: int,
) -> SpecialForm | None:
    """Lane 8i + r names the first byte of row r of matrix i; registers number the matrices.

    ``lanes``: what lane bits 0 to 2 of the address move, as (register, lane).
    """
    rest = sorted(rest, key=lambda i: placed.registers[i] >= apart)
    together = min(2, sum(placed.registers[i] < apart for i in rest))
    stem = "ldmatrix" if direction == "read" else "stmatrix"
    name = f"{stem}.x{1 << together}{trans}"
    if name not in machine.instructions:
        return None
    moves = [*lanes, *((1 << i, 0) for i in rest[:together]), (0, 0), (0, 0)][:5]
    return SpecialForm(name, "matrix", tuple(moves), tuple(rest[together:]))


def _transposing(
    machine: Machine, placed: PlacedElements, direction: Direction
) -> SpecialForm | None:
    """``ds_read_b64_tr``; None where the layout or the machine does not allow it."""
    name = f"ds_read_b64_tr_b{placed.bits}"
    if direction != "read" or placed.bits not in (8, 16) or name not in machine.instructions:
        return None
    tile = (_TR_BITS // placed.bits).bit_length() - 1
    few = len(placed.registers) < tile
    if few or (placed.interval is not None and placed.interval < 1 << tile):
        return None
    if placed.lanes[:tile] != tuple(1 << i for i in range(tile)):
        return None
    if _reach((*placed.registers, *placed.lanes[tile:], *placed.waves, placed.first), tile):
        return None
    moves = [(0, 1 << i) for i in range(tile, _TR_LANES)]
    moves += [(1 << i, 0) for i in range(tile)]
    moves += [(0, 1 << i) for i in range(_TR_LANES, len(placed.lanes))]
    rest = tuple(range(tile, len(placed.registers)))
    note = "the phases of transposing reads are assumed"
    return SpecialForm(name, "transpose", tuple(moves), rest, _TR_BITS // 8, note)


def _linear_image(numbers: IntArray, images: list[int]) -> IntArray:
    found = np.zeros_like(numbers)
    for bit, image in enumerate(images):
        found ^= (numbers >> bit & 1) * image
    return found


def lower_plain(
    machine: Machine, placed: PlacedElements, direction: Direction, most: int = WIDEST_BYTES
) -> tuple[Issued, ...] | Refusal:
    """Vectors of up to ``most`` bytes of registers that lie side by side in every lane."""
    offsets, width = vectors(placed, most)
    together = int(np.bitwise_or.reduce(offsets, axis=None)) | WIDEST_BYTES
    alignment = together & -together
    if machine.vendor == "nvidia" and alignment < width:
        return Refusal(
            f"Triton moves {width} bytes a lane at addresses that are multiples of {alignment}: "
            f"{machine.name} faults on it",
            fault=True,
        )
    issues = select(machine, direction, width, alignment, POLICY)
    if isinstance(issues, Refusal):
        return issues
    first = np.moveaxis(offsets, 2, 1)
    every = np.ones((1, 1, 1), np.bool_)
    return tuple(
        Issued(i.instruction, "plain", direction, row.width_bytes, first + i.offset_bytes, every)
        for i in issues
        for row in (machine.instruction(i.instruction),)
    )


def vectors(placed: PlacedElements, most: int = WIDEST_BYTES) -> tuple[IntArray, int]:
    """The first byte of every vector, int64 [waves, lanes, vectors], and its width in bytes."""
    order = np.argsort(placed.offsets[0, 0], kind="stable")
    sorted_ = placed.offsets[..., order]
    length = max(1, most // placed.element_bytes)
    while length > 1 and not _runs(sorted_, length):
        length //= 2
    return sorted_[..., ::length] * placed.element_bytes, length * placed.element_bytes


def vector_bytes(placed: PlacedElements) -> tuple[int, int]:
    """The width of the vectors of a place without padding that starts with its buffer, and of what
    their addresses are multiples, 16 at most: :func:`vectors` without all the places."""
    size = placed.element_bytes
    others = (*placed.lanes, *placed.waves)
    beside = f2.basis(placed.registers)[::-1]
    length = 1
    while (
        2 * length * size <= WIDEST_BYTES
        and not f2.reduce(length, beside)
        and not any(image & length for image in others)
    ):
        length *= 2
    every = (*others, placed.first, *(image & -length for image in placed.registers))
    together = reduce(or_, (image * size for image in every), WIDEST_BYTES)
    return length * size, together & -together


def _runs(offsets: IntArray, length: int) -> bool:
    """Whether every run of ``length`` registers is contiguous in every lane of every wave."""
    if offsets.shape[-1] % length:
        return False
    steps = np.diff(offsets.reshape(*offsets.shape[:-1], -1, length), axis=-1)
    return bool((steps == 1).all())


def _bits_of(images: tuple[int, ...], count: int) -> list[int] | None:
    """Which of the images are offset bits 0 to count - 1; None if one of these is missing."""
    if not all(1 << bit in images for bit in range(count)):
        return None
    return [images.index(1 << bit) for bit in range(count)]


def _reach(images: tuple[int, ...], bits: int) -> bool:
    """Whether an image has one of the lowest ``bits`` bits."""
    return any(image & ((1 << bits) - 1) for image in images)
