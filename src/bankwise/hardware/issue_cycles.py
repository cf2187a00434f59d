"""Issue cycles: how long an LDS instruction keeps its SIMD's port busy, however free of conflicts.

The data of an access take passes, and issuing it takes time, too. Splitting a 16-byte store frees
bank bits and never adds passes; what it costs is issued instructions. AMD's own model (rocRoller's
``LDSBankModel``) has

    read    lds_issue_cycles_read
    write   lds_issue_cycles_write + lds_issue_cycles_write_word * words of a lane

with the numbers as facts of the machine file: gfx942 takes 4 for any read, 20 for ``ds_write_b128``
and 12 for each of the two ``ds_write_b64`` that it may be split into.
"""

from __future__ import annotations

from bankwise.hardware.machine import BANK_BYTES, Instruction, Machine

READ = "lds_issue_cycles_read"
WRITE = "lds_issue_cycles_write"
WORD = "lds_issue_cycles_write_word"


def issue_cycles(machine: Machine, row: Instruction) -> int | None:
    """Cycles of one execution by one wave; None where the machine file does not say."""
    if row.direction == "read":
        return int(machine.fact(READ)) if READ in machine.facts else None
    if not {WRITE, WORD} <= machine.facts.keys():
        return None
    words = -(-row.width_bytes // BANK_BYTES) * row.addresses
    return int(machine.fact(WRITE)) + int(machine.fact(WORD)) * words
