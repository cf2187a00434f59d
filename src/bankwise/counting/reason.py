"""The arithmetic of a conflict in words: advance, gcd, period, ways.

Rows (or whatever the colliding lanes step through) lie ``advance`` words apart. Modulo the number
of banks that step reaches only ``period = banks / gcd(advance mod banks, banks)`` places, and the
lanes of a phase have to share them.
"""

from __future__ import annotations

from itertools import pairwise
from math import gcd

import numpy as np
from msgspec import Struct

from bankwise.counting.access import BoolArray, IntArray
from bankwise.counting.conflict import Witness, phases
from bankwise.counting.lane_terms import LaneTerm, lane_steps, lane_terms
from bankwise.hardware.machine import BANK_BYTES, Instruction


class Reason(Struct, frozen=True):
    """Why the lanes of a witness collide.

    ``advance_words``: the step between neighbouring rows; ``rows``: how many of them the phase
    takes; ``period``: on how many places modulo the banks they fall; ``ways``: words per bank.
    ``rows_apart``: how many rows of the buffer that step is, where that is known to be more than
    one; ``repeats``: what repeats with it, in words.
    """

    advance_words: int
    banks: int
    rows: int
    ways: int
    rows_apart: int = 1
    repeats: str = ""

    @property
    def residue(self) -> int:
        """``advance mod banks``."""
        return self.advance_words % self.banks

    @property
    def divisor(self) -> int:
        """``gcd(advance mod banks, banks)``; gcd(0, banks) is banks."""
        return gcd(self.residue, self.banks)

    @property
    def period(self) -> int:
        """``banks / gcd``: after so many rows the banks repeat."""
        return self.banks // self.divisor

    def __str__(self) -> str:
        repeat = f"the banks repeat every {self.period} rows"
        same = repeat if self.period > 1 else "all rows begin in the same bank"
        if self.rows_apart > 1:
            return (
                f"{self.repeats}: {self.rows_apart} rows on, {self.advance_words} words, "
                f"{self.advance_words} mod {self.banks} banks = {self.residue}; {self.rows} such "
                f"rows, {self.ways}-way"
            )
        return (
            f"rows advance by {self.advance_words} words, {self.advance_words} mod {self.banks} "
            f"banks = {self.residue}: {same}; {self.rows} rows, {self.ways}-way"
        )


class Meeting(Struct, frozen=True):
    """Two lanes that collide, by the terms of their address.

    ``terms``: in units of ``unit`` ("word" or "byte"), ``around`` of them to the same bank again;
    ``taken``: units that a lane takes.
    """

    lanes: tuple[int, int]
    terms: tuple[LaneTerm, ...]
    unit: str
    around: int
    taken: int

    @property
    def apart(self) -> int:
        """From the first lane's address to the second's."""
        return sum(t.factor * (t.of(self.lanes[1]) - t.of(self.lanes[0])) for t in self.terms)

    @property
    def residue(self) -> int:
        """``apart`` modulo ``around``, the nearest to 0."""
        return (self.apart + self.around // 2) % self.around - self.around // 2

    @property
    def rounds(self) -> str:
        """The distance in rounds of all banks, and what is left of it."""
        left = self.residue if self.apart > 0 else -self.residue
        many = (abs(self.apart) - left) // self.around
        banks = self.around // BANK_BYTES if self.unit == "byte" else self.around
        rest = f" {'less' if left < 0 else 'and'} {abs(left)}" if left else ""
        return f"{many} round{'s' if many > 1 else ''} of the {banks} banks{rest}"

    def __str__(self) -> str:
        first, second = self.lanes
        sums = [(t.of(second) - t.of(first), t.factor) for t in self.terms]
        sum_text = " + ".join(f"{n} * {f}" if f != 1 else f"{n}" for n, f in sums if n).replace(
            "+ -", "- "
        )
        whole = self.unit == "byte" and self.taken <= BANK_BYTES
        place = "a word" if whole else f"the {self.taken} {self.unit}s of a lane"
        near = f", within {place}" if self.residue else ""
        return (
            f"{self.unit} {' + '.join(map(str, self.terms))}: lanes {first} and {second} "
            f"are {sum_text} = {self.apart} apart, {self.rounds}{near}"
        )


def reason(
    instruction: Instruction, offsets_bytes: IntArray, active: BoolArray, witness: Witness
) -> Reason | Meeting | None:
    """Explain ``witness`` of one access ([wave_size] arrays); None if there is no common step."""
    starts = _starts(instruction, offsets_bytes, active, witness)
    words = sorted(witness.words)
    gap = gcd(*(b - a for a, b in pairwise(words)))
    steps = {b - a for a in starts for b in starts if b > a and gap % (b - a) == 0}
    for step in sorted(steps & _single_steps(offsets_bytes, active)):
        classes = {int(offsets_bytes[lane]) // BANK_BYTES % step for lane in witness.lanes}
        rows = sorted((word, lane) for word, lane in starts.items() if word % step in classes)
        period = instruction.banks // gcd(step, instruction.banks)
        if len(classes) == 1 and len(rows) == period * len(words) and _advance(step, rows):
            return Reason(step, instruction.banks, len(rows), len(words))
    return _meeting(instruction, offsets_bytes, active, witness)


def _starts(
    instruction: Instruction, offsets_bytes: IntArray, active: BoolArray, witness: Witness
) -> dict[int, int]:
    """The words at which the lanes of the phase begin, and the first lane that begins there."""
    starts: dict[int, int] = {}
    for lane in phases(instruction, offsets_bytes, active)[witness.phase]:
        if active[lane]:
            starts.setdefault(int(offsets_bytes[lane]) // BANK_BYTES, lane)
    return starts


def _advance(step: int, rows: list[tuple[int, int]]) -> bool:
    """Whether rows, (word, lane), go by ``step``: each from the one before, or by the number of the
    lane, of which a phase may leave some out."""
    gaps = [b - a for (a, _), (b, _) in pairwise(rows)]
    (word, lane), (second, other) = rows[:2]
    by_lane = all((w - word) * (other - lane) == (second - word) * (n - lane) for w, n in rows)
    return min(gaps) == step and (max(gaps) == step or by_lane)


def _single_steps(offsets_bytes: IntArray, active: BoolArray) -> set[int]:
    """Words between lanes that differ in one bit of their numbers: what a term steps by."""
    found: set[int] = set()
    every, words = np.arange(len(active)), offsets_bytes // BANK_BYTES
    for bit in range((len(active) - 1).bit_length()):
        other = np.minimum(every ^ (1 << bit), len(active) - 1)
        found.update(np.abs(words - words[other])[active & active[other]].tolist())
    return found


def _meeting(
    instruction: Instruction, offsets_bytes: IntArray, active: BoolArray, witness: Witness
) -> Meeting | None:
    """The first two lanes of a witness, where their addresses have terms."""
    steps = lane_steps(offsets_bytes, active)
    if steps is None or len(set(witness.lanes)) < 2:
        return None
    whole = not any(step % BANK_BYTES for step in steps)
    unit, size = ("word", BANK_BYTES) if whole else ("byte", 1)
    around = instruction.banks * BANK_BYTES // size
    taken = max(1, max(instruction.width_bytes, BANK_BYTES) // size)
    terms = lane_terms(tuple(step // size for step in steps))
    first, second, *_ = sorted(set(witness.lanes))
    found = Meeting((first, second), terms, unit, around, taken)
    return found if abs(found.residue) < taken and found.apart else None
