"""The arithmetic of a conflict in words: advance, gcd, period, ways.

Rows (or whatever the colliding lanes step through) lie ``advance`` words apart. Modulo the number
of banks that step reaches only ``period = banks / gcd(advance mod banks, banks)`` places, and the
lanes of a phase have to share them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import gcd

from bankwise.counting.access import BoolArray, IntArray
from bankwise.counting.conflict import Witness, phases
from bankwise.hardware.machine import BANK_BYTES, Instruction


@dataclass(frozen=True, slots=True)
class Reason:
    """Why the lanes of a witness collide.

    ``advance_words``: the step between neighbouring rows; ``rows``: how many of them the phase
    takes; ``period``: on how many places modulo the banks they fall; ``ways``: words per bank.
    """

    advance_words: int
    banks: int
    rows: int
    ways: int

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
        return (
            f"rows advance by {self.advance_words} words: {self.advance_words} mod {self.banks} = "
            f"{self.residue}, gcd({self.residue}, {self.banks}) = {self.divisor}, period "
            f"{self.period}: {self.rows} rows share {self.period} place"
            f"{'s' if self.period > 1 else ''}, {self.ways}-way"
        )


def reason(
    instruction: Instruction, offsets_bytes: IntArray, active: BoolArray, witness: Witness
) -> Reason | None:
    """Explain ``witness`` of one access ([wave_size] arrays); None if there is no common step."""
    lanes = phases(instruction, offsets_bytes, active)[witness.phase]
    starts = {int(offsets_bytes[lane]) // BANK_BYTES for lane in lanes if active[lane]}
    words = sorted(witness.words)
    gap = gcd(*(b - a for a, b in pairwise(words)))
    steps = {b - a for a in starts for b in starts if b > a and gap % (b - a) == 0}
    regular = [step for step in sorted(steps) if _explains(step, starts, instruction.banks, words)]
    if not regular:
        return None
    rows = _rows(regular[0], starts)
    return Reason(regular[0], instruction.banks, rows, len(words))


def _rows(step: int, starts: set[int]) -> int:
    """The most words that lie in one residue class of ``step``."""
    classes: dict[int, int] = {}
    for start in starts:
        classes[start % step] = classes.get(start % step, 0) + 1
    return max(classes.values())


def _explains(step: int, starts: set[int], banks: int, words: list[int]) -> bool:
    """Whether rows / period is the number of ways counted: then the sum tells the truth."""
    period = banks // gcd(step % banks, banks)
    return _rows(step, starts) == period * len(words)
