"""Which variant of a kernel to launch, by what is known before it is timed.

Of versions of one kernel, in this order (measured on an H200, docs/results_attention.md):

1. fewer passes: conflicts cost the most;
2. fewer rounds: workgroups of the launch over what all multiprocessors hold at once. Bytes of
   shared memory cost nothing by themselves, a workgroup less on a multiprocessor does;
3. fewer XORs in its addresses: a pad is a constant that disappears into the instruction;
4. fewer bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from bankwise.hardware.machine import Machine, machine
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.lab.kernels import attention, gemm
from bankwise.lab.report.bench_row import BenchRow

THREADS = {attention.KERNEL: attention.THREADS, gemm.KERNEL: gemm.THREADS}
TARGET = "sm_90"
"""The GPU that these kernels are written for."""
NEAR = 0.01
"""So much slower than the fastest, as a part, is as fast."""

Price = tuple[int, int, int, int]
"""Passes, rounds, XORs, bytes."""


def price(row: BenchRow, gpu: Machine) -> Price:
    """What the variants of one launch are compared by, the cheapest first."""
    passes = row.predicted_read_passes + row.predicted_write_passes
    return passes, rounds(row, gpu), row.layouts.count("^"), row.lds_bytes


def rounds(row: BenchRow, gpu: Machine) -> int:
    """How often all multiprocessors are filled until every workgroup had its turn.

    Registers count where the kernel was compiled.
    """
    usage = Usage(THREADS[row.kernel], row.lds_bytes, row.registers)
    at_once = occupancy(gpu, usage).workgroups * int(gpu.facts["units"].value)
    return -(-row.workgroups // at_once)


def chosen(rows: Sequence[BenchRow], gpu: Machine) -> BenchRow:
    """The cheapest variant of one launch."""
    return min(rows, key=lambda row: price(row, gpu))


def told(rows: Sequence[BenchRow]) -> Iterator[str]:
    """A line per group: what is chosen, and how often it is as fast as the fastest."""
    gpu = machine(TARGET)
    groups: dict[str, dict[str, list[BenchRow]]] = {}
    for row in rows:
        groups.setdefault(row.group, {}).setdefault(row.shape, []).append(row)
    for group, shapes in groups.items():
        picked = [chosen(found, gpu) for found in shapes.values()]
        counted = Counter(row.variant for row in picked)
        names = ", ".join(f"{variant} {number}" for variant, number in counted.items())
        least = [_fastest(found) for found in shapes.values()]
        near = [
            row.median_ms <= best * (1 + NEAR)
            for row, best in zip(picked, least, strict=True)
            if row.median_ms is not None and best is not None
        ]
        judged = f", {sum(near)} of {len(near)} within {NEAR:.0%} of the fastest" if near else ""
        yield f"{group}: {names} chosen untimed{judged}"


def _fastest(rows: Sequence[BenchRow]) -> float | None:
    return min((row.median_ms for row in rows if row.median_ms is not None), default=None)
