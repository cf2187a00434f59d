"""Issue cycles: what issuing an LDS instruction adds to its data cycles, however free of conflicts.

The data of an access take passes, and issuing it takes time, too. Splitting a 16-byte store frees
bank bits and never adds passes; what it costs is issued instructions. AMD's own model (rocRoller's
``LDSBankModel``) has

    read    lds_issue_cycles_read
    write   lds_issue_cycles_write + lds_issue_cycles_write_word * words of a lane

with the numbers as facts of the machine file: gfx942 takes 4 for any read, 20 for ``ds_write_b128``
and 12 for each of the two ``ds_write_b64`` that it may be split into.

On an H200 issue hides behind data: an SM takes one shared-memory instruction a cycle, and each has
at least one pass. Measured (docs/hardware.md): with two warps on each sub-partition a round of any
plan takes its passes in cycles, however many instructions it has. The fact is

    any but an atomic   lds_issue_cycles_added
"""

from __future__ import annotations

from bankwise.hardware.machine import BANK_BYTES, Instruction, Machine

READ = "lds_issue_cycles_read"
WRITE = "lds_issue_cycles_write"
WORD = "lds_issue_cycles_write_word"
ADDED = "lds_issue_cycles_added"


def issue_cycles(machine: Machine, row: Instruction) -> int | None:
    """Cycles that one execution by one wave adds; None where the machine file does not say."""
    if ADDED in machine.facts and not row.serial:
        return int(machine.fact(ADDED))
    return port_cycles(machine, row)


def issue_known(machine: Machine) -> bool:
    """Whether the machine file says what issuing its loads and stores costs."""
    return not machine.facts.keys().isdisjoint((READ, ADDED))


def port_cycles(machine: Machine, row: Instruction) -> int | None:
    """Cycles of a SIMD's port, by AMD's model; None where the machine file does not say."""
    if row.direction == "read":
        return int(machine.fact(READ)) if READ in machine.facts else None
    if not {WRITE, WORD} <= machine.facts.keys():
        return None
    words = -(-row.width_bytes // BANK_BYTES) * row.addresses
    return int(machine.fact(WRITE)) + int(machine.fact(WORD)) * words
