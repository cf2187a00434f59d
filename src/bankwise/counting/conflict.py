"""Counting bank conflicts: the definition that everything else in bankwise is measured against.

A wave executes one instruction; every active lane names a byte offset. The machine serves the
lanes in phases (:attr:`Instruction.phases`). A phase takes

    passes = max over banks of the number of DISTINCT words its active lanes touch in that bank

with ``word = byte // 4`` and ``bank = word mod banks``. ``ideal`` is the number of phases with an
active lane and ``extra = passes - ideal``: what the vendors' counters add per wave and instruction
(AMD ``SQ_LDS_BANK_CONFLICT``; NVIDIA ``l1tex__data_bank_conflicts_pipe_lsu_mem_shared``). Lanes
in the same word never conflict, whichever of its bytes they want, reading or writing; of a
``serial`` instruction (an atomic) every lane counts, whichever word it wants. A copy past the cache
is served by lines and never conflicts (:mod:`bankwise.counting.lines`).

Worked example, gfx942, ``ds_read_b32`` of a column: 32 lanes of a phase, 128 bytes apart. Their
words 0, 32, 64, ... all fall on bank 0: 32 distinct words, 32 passes, and twice that for the wave.

Only counting happens here, on index arrays of any origin: nothing needs to be linear, a power of
two, or aligned. Of many millions of lanes the same is counted by compiled code
(:mod:`bankwise.counting.bulk`). The algebra that predicts the same numbers lives elsewhere and is
held equal by tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from bankwise.counting.access import BoolArray, IntArray
from bankwise.counting.bulk import counted_in_bulk
from bankwise.counting.lines import line_passes
from bankwise.errors import InputError, MisalignedError
from bankwise.hardware.lanes import lane_text
from bankwise.hardware.machine import BANK_BYTES, Instruction
from bankwise.identity import ByIdentity

_Wish = tuple[int, int]
"""A lane and a word that it wants."""

_LISTED = 4
"""Lanes that are listed one by one, however evenly they lie."""
_CHUNK_ACCESSES = 1 << 12
"""Accesses counted at a time: small enough for the working set to stay in the cache."""


class Witness(Struct, frozen=True):
    """Proof of a conflict that a person can check: these lanes want different words of one bank.

    ``banks``: all banks on which exactly these lanes collide. ``words[i]`` is the word that
    ``lanes[i]`` wants in ``bank``; lanes that share a word are named once, but for atomics, which
    serve them one by one.
    """

    phase: int
    bank: int
    banks: tuple[int, ...]
    lanes: tuple[int, ...]
    words: tuple[int, ...]

    def __str__(self) -> str:
        several = f"banks {lane_text(self.banks)}" if len(self.banks) > 1 else f"bank {self.bank}"
        lanes = _ranges(self.lanes)
        if len(set(self.words)) < len(self.words):
            return f"lanes {lanes} of phase {self.phase} update {several} one after the other"
        return f"lanes {lanes} of phase {self.phase} want different words of {several}"


def _ranges(lanes: tuple[int, ...]) -> str:
    """``0-3, 12-15``; of many lanes that lie evenly apart the first two and the last."""
    steps = {b - a for a, b in pairwise(lanes)}
    if len(lanes) > _LISTED and len(steps) == 1 and steps != {1}:
        return f"{lanes[0]}, {lanes[1]}, .. {lanes[-1]}"
    return lane_text(lanes).replace(" ", ", ")


class _WorstPhase(ByIdentity, frozen=True, eq=False):
    """The worst phase of the worst access, with a wave of its own: a witness is asked of few
    counts, and later."""

    instruction: Instruction
    offsets_bytes: IntArray
    active: BoolArray
    phase: int


class Count(ByIdentity, frozen=True, eq=False, dict=True):
    """Passes of each access: integer arrays over the leading axes of the offsets.

    ``ideal``: those that it takes where nothing conflicts; ``ways``: the passes of its worst phase
    (1: conflict-free); ``worst``: where that is, None if nothing conflicts.
    """

    passes: IntArray
    ideal: IntArray
    ways: IntArray
    worst: _WorstPhase | None

    @cached_property
    def witness(self) -> Witness | None:
        """Shows the worst phase of the worst access, None if nothing conflicts."""
        at = self.worst
        if at is None:
            return None
        return _witness(at.instruction, at.offsets_bytes, at.active, (at.phase,))

    @property
    def extra(self) -> IntArray:
        """``passes - ideal``: what the vendor's conflict counter adds."""
        return self.passes - self.ideal


def count(
    instruction: Instruction,
    offsets_bytes: npt.ArrayLike,
    active: npt.ArrayLike | None = None,
    *,
    second_offsets_bytes: npt.ArrayLike | None = None,
) -> Count:
    """Count the passes of one instruction, for one wave or many.

    ``offsets_bytes``: integers [..., wave_size], the first byte each lane touches.
    ``active``: booleans, broadcast against it; default all lanes. ``second_offsets_bytes``: second
    address of a two-address form (``ds_read2_b64``); default the bytes right behind the first.
    Offsets that are not a multiple of the word or width are counted as the words they touch, where
    the machine allows them. Raises :class:`InputError` for a wrong shape or type, and for a
    negative offset or an alignment that the machine refuses on a lane that takes part.
    """
    first = _offsets(instruction, offsets_bytes)
    mask = _active(first, active)
    rounds = [first]
    if instruction.addresses == 2:
        second = first + instruction.width_bytes
        if second_offsets_bytes is not None:
            second = np.broadcast_to(_offsets(instruction, second_offsets_bytes), first.shape)
        rounds.append(second)
    elif second_offsets_bytes is not None:
        raise InputError(f"{instruction.name} takes one address per lane, not two")
    flat = [r.reshape(-1, r.shape[-1]) for r in rounds]
    results = [_count_flat(instruction, offsets, mask) for offsets in flat]
    shape = first.shape[:-1]
    per_phase = np.concatenate([r[0] for r in results], axis=1)
    # numpy is slow at many short rows: [phases, accesses] is summed at a fifth of the time.
    by_phase = np.ascontiguousarray(per_phase.T)
    ideal = sum((r[1] for r in results), np.zeros(len(per_phase), np.int64))
    passes = by_phase.sum(axis=0)
    return Count(
        passes.reshape(shape),
        ideal.reshape(shape),
        _ways(instruction, by_phase).reshape(shape),
        _worst(instruction, rounds, mask, passes - ideal, per_phase),
    )


def _ways(i: Instruction, by_phase: IntArray) -> IntArray:
    """Passes of the worst phase; lines that move one after the other do not conflict."""
    worst: IntArray = by_phase.max(axis=0, initial=0)
    return np.minimum(worst, 1) if i.merge == "lines" else worst


def phases(instruction: Instruction, offsets_bytes: IntArray, active: BoolArray) -> list[list[int]]:
    """The lanes served together for one access, after merging; lanes that supply no address out.

    ``offsets_bytes`` and ``active``: one wave, [wave_size].
    """
    groups = [list(p) for p in instruction.phases]
    if instruction.merge == "neighbours" and _mergeable(offsets_bytes, active):
        groups = [a + b for a, b in zip(groups[::2], groups[1::2], strict=True)]
    return groups


def words_touched(instruction: Instruction, offset_bytes: int) -> range:
    """The words that one lane touches with its first byte at ``offset_bytes``."""
    last = offset_bytes + instruction.width_bytes - 1
    return range(offset_bytes // BANK_BYTES, last // BANK_BYTES + 1)


def witness(
    instruction: Instruction, offsets_bytes: npt.ArrayLike, active: npt.ArrayLike | None = None
) -> Witness | None:
    """The worst bank of the worst phase of one access ([wave_size] offsets); None if free."""
    offsets = _offsets(instruction, offsets_bytes)
    if offsets.ndim != 1:
        raise InputError(f"a witness is of one access: [wave_size] offsets, not {offsets.shape}")
    mask = _active(offsets, active)
    _check_addresses(instruction, offsets[None, :], mask)
    return _witness(instruction, offsets, mask[0])


def _offsets(instruction: Instruction, offsets_bytes: npt.ArrayLike) -> IntArray:
    array = np.asarray(offsets_bytes)
    if array.ndim == 0 or array.shape[-1] != instruction.wave_size:
        raise InputError(
            f"{instruction.name} on {instruction.machine}: the last axis is the lanes of a wave, "
            f"{instruction.wave_size}, and the shape {array.shape} does not give them",
            hint="pass one offset per lane: an array [..., wave_size]",
        )
    if array.dtype.kind not in "iu":
        raise InputError(f"offsets are whole bytes, not {array.dtype}")
    return array.astype(np.int64, copy=False)


def _check_addresses(instruction: Instruction, offsets: IntArray, mask: BoolArray) -> None:
    """Refuse what the machine would: of lanes that take part only, the others may hold anything."""
    step = instruction.alignment_bytes
    wrong = (offsets < 0) | ((offsets & (step - 1)) != 0) if step > 1 else offsets < 0
    if not wrong.any():
        return
    supplies = np.isin(np.arange(offsets.shape[-1]), instruction.phases)
    bad = offsets[wrong & mask & supplies]
    if bad.size and int(bad.min()) < 0:
        raise InputError(f"offset {int(bad.min())} lies before the allocation")
    if bad.size:
        raise MisalignedError(
            f"offset {int(bad[0])} is not a multiple of {step}: {instruction.name} on "
            f"{instruction.machine} faults on it"
        )


def _active(offsets: IntArray, active: npt.ArrayLike | None) -> BoolArray:
    mask = np.asarray(True if active is None else active)
    if mask.dtype != np.bool_:
        raise InputError(f"active lanes are booleans, not {mask.dtype}")
    try:
        return np.broadcast_to(mask, offsets.shape).reshape(-1, offsets.shape[-1])
    except ValueError as error:
        raise InputError(f"active {mask.shape} does not fit offsets {offsets.shape}") from error


def _count_flat(i: Instruction, offsets: IntArray, mask: BoolArray) -> tuple[IntArray, IntArray]:
    """Passes per phase [accesses, phases] and ideal [accesses] of [accesses, lanes]."""
    known = counted_in_bulk(i, offsets, mask)
    if known is not None:
        return known
    _check_addresses(i, offsets, mask)
    passes = np.zeros((len(offsets), len(i.phases)), np.int64)
    ideal = np.zeros(len(offsets), np.int64)
    for start in range(0, len(offsets), _CHUNK_ACCESSES):
        part = slice(start, start + _CHUNK_ACCESSES)
        passes[part], ideal[part] = _count_chunk(i, offsets[part], mask[part])
    return passes, ideal


def _count_chunk(i: Instruction, offsets: IntArray, mask: BoolArray) -> tuple[IntArray, IntArray]:
    if i.merge == "lines":
        passes = line_passes(i, offsets, mask)
        return passes, passes.sum(axis=1)
    groups = np.array(i.phases)
    passes = _phase_passes(i, offsets[:, groups], mask[:, groups])
    if i.merge == "neighbours":
        merged = _mergeable(offsets, mask)
        if merged.any():
            wide = groups.reshape(len(groups) // 2, -1)
            joined = _phase_passes(i, offsets[merged][:, wide], mask[merged][:, wide])
            passes[merged] = 0
            passes[merged, : len(wide)] = joined
    return passes, (passes > 0).sum(axis=1)


def _mergeable(offsets: IntArray, mask: BoolArray) -> npt.NDArray[np.bool_]:
    """NVIDIA loads: lanes that come in equal pairs (T and T^1, or T and T^2) merge phases.

    Over the active lanes of the whole wave; an inactive partner does not prevent it.
    Measured on an H200: 58 of 1,600 calibration rows contradict its absence.
    """
    lane = np.arange(offsets.shape[-1])
    free = []
    for step in (1, 2):
        partner = lane ^ step
        equal = offsets == offsets[..., partner]
        free.append((equal | ~mask | ~mask[..., partner]).all(axis=-1))
    return np.asarray(free[0] | free[1])


def _phase_passes(i: Instruction, offsets: IntArray, mask: BoolArray) -> IntArray:
    """Passes of each phase: [accesses, phases] from offsets [accesses, phases, lanes].

    The lanes of a phase are sorted by offset; a lane then adds the words behind the last word of
    its predecessor, so that every distinct word is put into its bank once. Of a serial instruction
    every lane adds its own.
    """
    unit, size = _unit(i, offsets)
    banks = i.banks * BANK_BYTES // unit
    rows = offsets.shape[0] * offsets.shape[1]
    starts = np.where(mask, offsets, -1).reshape(rows, -1).astype(_narrow(offsets), copy=False)
    starts.sort(axis=1)
    shift = unit.bit_length() - 1
    last = np.where(starts < 0, -1, (starts + (size - 1)) >> shift)
    begin = np.maximum(starts >> shift, 0)
    if not i.serial:
        np.maximum(begin[:, 1:], last[:, :-1] + 1, out=begin[:, 1:])
    places = (np.arange(rows) * banks)[:, None]
    hits = np.zeros(rows * banks, np.int64)
    while (fresh := begin <= last).any():
        hits += np.bincount((places + begin % banks)[fresh], minlength=rows * banks)
        begin += 1
    worst: IntArray = hits.reshape(rows, banks).max(axis=1).reshape(offsets.shape[:2])
    return worst


def _unit(i: Instruction, offsets: IntArray) -> tuple[int, int]:
    """What is counted: (bytes of a unit, bytes of an access).

    Aligned 8- and 16-byte accesses are counted in units of their width, which never overlap in
    part: one unit per lane instead of two or four words.
    """
    width = i.width_bytes
    if width in (8, 16) and not (offsets & (width - 1)).any():
        return width, width
    return BANK_BYTES, width


def _narrow(offsets: IntArray) -> np.dtype[np.signedinteger[Any]]:
    """Narrow integers sort faster."""
    return np.dtype(np.int32 if not offsets.size or int(offsets.max()) < 2**31 - 16 else np.int64)


def _worst(
    i: Instruction, rounds: list[IntArray], mask: BoolArray, extra: IntArray, per_phase: IntArray
) -> _WorstPhase | None:
    if not extra.size or int(extra.max()) <= 0 or i.merge == "lines":
        return None
    access = int(extra.argmax())
    which, phase = divmod(int(per_phase[access].argmax()), len(i.phases))
    offsets = rounds[which].reshape(-1, rounds[which].shape[-1])[access]
    return _WorstPhase(i, offsets.copy(), mask[access].copy(), phase)


def _witness(
    i: Instruction, offsets: IntArray, mask: BoolArray, among: Sequence[int] | None = None
) -> Witness | None:
    """The first of the worst banks of the worst phase, ``among`` some phases or all."""
    best: Witness | None = None
    groups = phases(i, offsets, mask)
    for number in range(len(groups)) if among is None else among:
        lanes = groups[number]
        wanted: dict[int, dict[object, _Wish]] = {}
        for lane in (lane for lane in lanes if mask[lane]):
            for word in words_touched(i, int(offsets[lane])):
                wish = (lane, word) if i.serial else word
                wanted.setdefault(word % i.banks, {}).setdefault(wish, (lane, word))
        for bank, hits in sorted(wanted.items()):
            if len(hits) > (len(best.lanes) if best else 1):
                of, words = zip(*hits.values(), strict=True)
                same = tuple(b for b, h in sorted(wanted.items()) if of == _lanes(h.values()))
                best = Witness(number, bank, same, of, words)
    return best


def _lanes(wishes: Iterable[_Wish]) -> tuple[int, ...]:
    return tuple(lane for lane, _ in wishes)
