"""Which variant of a kernel to launch, by what is known before it is timed.

Of versions of one kernel, in this order (measured on an H200, docs/results_attention.md):

1. fewer passes: conflicts cost the most;
2. fewer rounds: workgroups of the launch over what all multiprocessors hold at once. Bytes of
   shared memory cost nothing by themselves, a workgroup less on a multiprocessor does;
3. fewer XORs in its addresses: a pad is a constant that disappears into the instruction;
4. fewer bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.hardware.machine import Machine
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.lab.report.bench_row import BenchRow

Price = tuple[int, int, int, int]
"""Passes, rounds, XORs, bytes."""


def price(row: BenchRow, machine: Machine, threads: int) -> Price:
    """What the variants of one launch are compared by, the cheapest first."""
    passes = row.predicted_read_passes + row.predicted_write_passes
    return passes, rounds(row, machine, threads), row.layouts.count("^"), row.lds_bytes


def rounds(row: BenchRow, machine: Machine, threads: int) -> int:
    """How often all multiprocessors are filled until every workgroup had its turn.

    Registers count where the kernel was compiled.
    """
    usage = Usage(threads, row.lds_bytes, row.registers)
    at_once = occupancy(machine, usage).workgroups * int(machine.facts["units"].value)
    return -(-row.workgroups // at_once)


def chosen(rows: Sequence[BenchRow], machine: Machine, threads: int) -> BenchRow:
    """The cheapest variant of one launch."""
    return min(rows, key=lambda row: price(row, machine, threads))
