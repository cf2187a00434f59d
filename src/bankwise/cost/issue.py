"""Issue cycles of one LDS instruction: rocRoller's rule, as one named claim.

Counting passes needs no clock. How long an instruction keeps the LDS port of its SIMD busy is
another statement, and there is one public model of it, AMD's own (rocRoller's ``LDSBankModel``):

    issue = 4 cycles for a read, 4 + 4 * dwords for a write (:mod:`bankwise.hardware.issue_cycles`)
    data  = sum, over groups of n consecutive lanes, of the most addresses that meet on one bank
    instruction = max(issue, data)            n lanes = 64 bytes; 128 on the 64-bank reads

It counts *addresses*, not distinct words, and groups lanes consecutively: it charges for
broadcasts and does not know the lane orders of 16-byte reads. It is therefore never used for the
conflict counter, only for time. Two known points: 64 lanes storing 4 bytes take 8 cycles, storing
16 bytes take 20 (ROCm documentation).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from bankwise.counting.access import IntArray
from bankwise.errors import Refusal
from bankwise.hardware.issue_cycles import port_cycles
from bankwise.hardware.machine import BANK_BYTES, Alternative, Instruction, Machine

CLAIM = Alternative(
    statement="an LDS instruction takes max(issue, data) cycles of its SIMD's port",
    source=("ROCm/rocm-libraries@9f2b6979, shared/rocroller/lib/source/LDSBankModel.cpp, PR 2157",),
    evidence="documented",
    confidence=0.85,
)
"""The rule of this module, whoever doubts it."""

_PORT_BYTES = 64
_NARROW_BANKS = 32


class Cycles(Struct, frozen=True):
    """Cycles of one execution by one wave; ``total`` is the larger of the two."""

    issue: int
    data: int

    @property
    def total(self) -> int:
        """``max(issue, data)``."""
        return max(self.issue, self.data)


def cycles(
    machine: Machine,
    instruction: Instruction,
    offsets_bytes: npt.ArrayLike,
    active: npt.ArrayLike | None = None,
) -> Cycles | Refusal:
    """Cycles of ``instruction`` for one wave.

    ``offsets_bytes``: int [wave_size]; for two-address forms [2, wave_size]: both are served, one
    after the other. A :class:`Refusal` where the machine file states no issue cycles.
    """
    issue = port_cycles(machine, instruction)
    if issue is None:
        return Refusal(f"issue cycles: the rule is about CDNA's LDS, not about {machine.name}")
    rounds = np.asarray(offsets_bytes, np.int64).reshape(-1, machine.wave_size)
    mask = np.ones(machine.wave_size, np.bool_) if active is None else np.asarray(active, np.bool_)
    data = sum(_data(instruction, one, mask) for one in rounds)
    return Cycles(issue, data)


def _data(instruction: Instruction, offsets: IntArray, mask: npt.NDArray[np.bool_]) -> int:
    total = 0
    lanes = _group(instruction)
    for start in range(0, len(offsets), lanes):
        part = slice(start, start + lanes)
        banks = _banks(instruction, offsets[part][mask[part]])
        total += int(np.bincount(banks, minlength=1).max())
    return total


def _group(instruction: Instruction) -> int:
    """Lanes of a group: b32 (and narrower) 16, b64 8, b96 and b128 4; twice that on 64 banks."""
    dwords = -(-instruction.width_bytes // BANK_BYTES)
    words = 1 << (dwords - 1).bit_length()
    wide = instruction.banks // _NARROW_BANKS
    return _PORT_BYTES // BANK_BYTES // words * wide


def _banks(instruction: Instruction, offsets: IntArray) -> IntArray:
    """The bank of every word that every lane addresses."""
    words = -(-instruction.width_bytes // BANK_BYTES)
    first = offsets // BANK_BYTES
    banks: IntArray = (first[:, None] + np.arange(words)).reshape(-1) % instruction.banks
    return banks
