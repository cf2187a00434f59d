"""The rule ``swizzle-mismatch``: a matrix operand that is not where its descriptor looks.

A descriptor of wgmma or tcgen05 names a swizzle mode, a map of shared-memory addresses. Threads
that fill the operand must place their pieces by the same map. Which one they use is found from the
addresses alone: taken back through the right mode, the addresses of all lanes are a sum of steps,
one for each bit of the thread's number; through a wrong one they are not.

    thread t writes 16 bytes at 128 (t / 8) + 16 ((t % 8) ^ (t / 8 % 8))    the 128-byte mode
    taken back through it: 128 (t / 8) + 16 (t % 8)                         a sum of 16, 32, 64 ..
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from bankwise.counting.access import IntArray, Pattern, distinct
from bankwise.identity import ByIdentity
from bankwise.notation.cute.hopper import GROUP_BYTES, MODES, MatrixDescriptor, Mode
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel
from bankwise.read.follow.units import ROWS
from bankwise.show.values import Finding

RULE = "swizzle-mismatch"

_FULL_ROW_BYTES = 128


class _OperandRead(ByIdentity, frozen=True, eq=False):
    """One operand in one execution. ``pieces``: first bytes of its 16-byte pieces, in order."""

    access: AssemblyAccess
    pattern: Pattern
    descriptor: MatrixDescriptor

    @property
    def pieces(self) -> IntArray:
        return self.pattern.offsets_bytes[self.pattern.active]


def swizzle_mismatches(kernel: AssemblyKernel) -> Iterator[Finding]:
    """One finding for each operand that threads filled by another mode than its descriptor's, or
    in a pattern that begins elsewhere. Operands that a bulk copy fills are not judged: its mode is
    the tensor map's."""
    told: set[str] = set()
    fill = None if kernel.refusals or _written_anywhere(kernel) else _fill(kernel)
    for operand in _operands(kernel):
        message = _other_mode(operand, kernel, fill) if fill else ""
        place = operand.access.access.location
        if message and f"{place} {message}" not in told:
            told.add(f"{place} {message}")
            yield Finding(RULE, place, message)


def _written_anywhere(kernel: AssemblyKernel) -> bool:
    """Whether what is written nobody knows where may fill an operand."""
    return any(one.anywhere and one.access.kind == "bulk" for one in kernel.accesses)


def filling_notes(kernel: AssemblyKernel) -> Iterator[str]:
    """How fast bulk copies can fill operands whose swizzled rows are short; told once a mode.

    Source: boxes of 64 rows out of L2 on an H200 take two or three cycles a row, whatever its
    length up to 128 bytes (the row ``tma.load`` of the machine file).
    """
    spans = {
        operand.descriptor.mode.span_bytes
        for operand in _operands(kernel)
        if _filled_by_copies(operand, kernel)
    }
    for span in sorted(spans):
        if span < _FULL_ROW_BYTES:
            part = _FULL_ROW_BYTES // span
            yield (
                f"operands in rows of {span} bytes are filled by tensor copies: a box row takes as "
                f"long as one of {_FULL_ROW_BYTES}, so at 1/{part} of the rate (it is no conflict)"
            )


def _operands(kernel: AssemblyKernel) -> Iterator[_OperandRead]:
    for access in kernel.accesses:
        if access.unit is not None:
            rows = zip(access.access.patterns, access.unit.descriptors, strict=False)
            yield from (_OperandRead(access, pattern, found) for pattern, found in rows)


class _Fill(ByIdentity, frozen=True, eq=False):
    """What lanes write. ``modes``: of each writer; ``by_piece``: the writers, by their numbers, of
    each 16 bytes of an allocation."""

    writers: tuple[AssemblyAccess, ...]
    modes: tuple[list[Mode], ...]
    by_piece: Mapping[tuple[str, int], set[int]]


def _fill(kernel: AssemblyKernel) -> _Fill | None:
    """The writers of a kernel that has operands."""
    if not any(True for _ in _operands(kernel)):
        return None
    writers = tuple(_writers(kernel))
    by_piece: dict[tuple[str, int], set[int]] = {}
    for number, writer in enumerate(writers):
        for pattern in writer.access.patterns:
            for piece in distinct(pattern.offsets_bytes[pattern.active] // GROUP_BYTES).tolist():
                by_piece.setdefault((pattern.allocation, piece), set()).add(number)
    return _Fill(writers, tuple(map(_writer_modes, writers)), by_piece)


def _other_mode(operand: _OperandRead, kernel: AssemblyKernel, fill: _Fill) -> str:
    """What threads that fill an operand do otherwise than its descriptor says; empty if nothing.

    Memory is used again for other tiles: a writer in the descriptor's mode, or in nobody knows
    which, may be the one that counts.
    """
    found, allocation = operand.descriptor, operand.pattern.allocation
    keys = ((allocation, piece) for piece in (operand.pieces // GROUP_BYTES).tolist())
    numbers = sorted(set().union(*(fill.by_piece.get(key, set()) for key in keys)))
    if not numbers or _filled_by_copies(operand, kernel):
        return ""
    used = [fill.modes[number] for number in numbers]
    if not found.base_offset and len(used[0]) == 1 and all(one == used[0] for one in used):
        (mode,) = used[0]
        other = mode != found.mode and bool(mode.swizzle.bits)
        return _difference(operand, fill.writers[numbers[0]], mode) if other else ""
    return _other_base(operand, [fill.writers[number] for number in numbers])


def _other_base(operand: _OperandRead, writers: Sequence[AssemblyAccess]) -> str:
    """Whether all writers begin the pattern at another row than the descriptor's base offset says;
    empty if not. A row of the pattern has 128 bytes in every mode.

    Source: tests/data/hopper/base_offset.csv, measured on an H200: with base offset b, wgmma reads
    bits 4 and up changed by the row's number less b.
    """
    found, mode = operand.descriptor, operand.descriptor.mode
    rows = mode.alignment_bytes // _FULL_ROW_BYTES
    begins = [b for b in range(rows) if all(_is_placed(writer, mode, b) for writer in writers)]
    if not mode.swizzle.bits or not begins or found.base_offset % rows in begins:
        return ""
    side = operand.access.unit.side if operand.access.unit is not None else ""
    return (
        f"operand {side} is read with base offset {found.base_offset}, and "
        f"{writers[0].instruction} ({writers[0].access.location}) places its pieces as with "
        f"{' or '.join(map(str, begins))}: the {mode.name} pattern begins at multiples of "
        f"{mode.alignment_bytes} bytes, and so many rows of {_FULL_ROW_BYTES} bytes behind them"
    )


def _is_placed(writer: AssemblyAccess, mode: Mode, base: int) -> bool:
    """Whether all patterns of a writer are sums of steps, taken back through a mode whose pattern
    begins ``base`` rows behind an aligned address."""
    shift = base * _FULL_ROW_BYTES
    patterns = _whole_patterns(writer)
    return bool(patterns) and all(_is_sum(mode.swizzle(p - shift) + shift) for p in patterns)


def _difference(operand: _OperandRead, writer: AssemblyAccess, used: Mode) -> str:
    """The first element of the first core matrix that is not where the descriptor looks, if the
    writer's tile has rows as long as its mode's."""
    unit, mode, there = operand.access.unit, operand.descriptor.mode, operand.pieces[:ROWS]
    first = int(mode.swizzle(there[:1])[0])
    written = used.swizzle(first + used.span_bytes * np.arange(len(there)))
    at = next((n for n in range(len(there)) if written[n] != there[n]), None)
    if at is None or unit is None:
        return ""
    row, column = (0, at) if unit.transposed else (at, 0)
    return (
        f"operand {unit.side} is read in the {mode.name} mode, and {writer.instruction} "
        f"({writer.access.location}) places its pieces by the {used.name} mode: element "
        f"(row {row}, column {column}) is read at byte {there[at]}, and lies at {written[at]}"
    )


def _filled_by_copies(operand: _OperandRead, kernel: AssemblyKernel) -> bool:
    first, last = int(operand.pieces.min()), int(operand.pieces.max()) + GROUP_BYTES
    for access in kernel.accesses:
        if access.access.kind == "bulk" and access.access.direction == "write":
            for pattern in access.access.patterns:
                start = int(pattern.offsets_bytes[pattern.active].min())
                if _same_place(operand, pattern) and first <= start < last:
                    return True
    return False


def _same_place(operand: _OperandRead, pattern: Pattern) -> bool:
    return pattern.allocation == operand.pattern.allocation


def _writers(kernel: AssemblyKernel) -> Iterator[AssemblyAccess]:
    """What lanes write."""
    units = ("bulk", "barrier")
    for access in kernel.accesses:
        if access.access.direction == "write" and access.access.kind not in units:
            yield access


def _writer_modes(writer: AssemblyAccess) -> list[Mode]:
    """The modes through which all patterns of a writer are sums of steps."""
    return [mode for mode in MODES.values() if _is_placed(writer, mode, 0)]


def _whole_patterns(writer: AssemblyAccess) -> list[IntArray]:
    """What all threads write; empty if some do not, or not always at a known place."""
    patterns = [p.offsets_bytes for p in writer.access.patterns if p.active.all()]
    return [] if writer.unknown or len(patterns) < len(writer.access.patterns) else patterns


def _is_sum(places: IntArray) -> bool:
    """Whether the places of all threads are a sum of steps, one for each bit of their number."""
    flat: Sequence[int] = places.reshape(-1).tolist()
    count = len(flat)
    if count & (count - 1):
        return False
    number = np.arange(count)
    total = np.full(count, flat[0])
    for bit in range(count.bit_length() - 1):
        total += (number >> bit & 1) * (flat[1 << bit] - flat[0])
    return bool(np.array_equal(total, flat))
