"""Which unit a kernel keeps busiest, so that removed conflicts are not sold as speed.

Each of three units needs at least so many cycles for one workgroup:

    LDS      its passes: a unit's LDS serves one pass a cycle (the counter of conflicts counts them)
    matrix   floating-point operations / operations per cycle of the unit
    memory   bytes requested / bytes per cycle of the unit's share of the memory: an upper bound,
             as if no cache hit

A kernel cannot be faster than its LDS or its matrix unit; measured kernels are slower (latency, too
few waves): these are bounds, not predictions. Where the matrix unit needs more cycles than the LDS
even *with* its conflicts, removing them cannot pay by throughput, and that is said. Memory never
decides: of it only a largest time is known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from bankwise.cost.mix import InstructionCount
from bankwise.hardware.machine import Machine

_MFMA = re.compile(
    r"v_mfma_(?:f32|f64|i32)_(\d+)x(\d+)x(\d+)_?(?:(\d+)b_)?(bf16|f16|fp8|bf8|f32|xf32|f64|i8)"
)
_GLOBAL = re.compile(
    r"(?:buffer|global|flat)_(?:load|store)_(?:lds_)?(\w+?)(?:_d16)?(?:_hi)?(?:_lds)?$"
)
_GLOBAL_BYTES = {
    "ubyte": 1,
    "sbyte": 1,
    "byte": 1,
    "ushort": 2,
    "sshort": 2,
    "short": 2,
    "dword": 4,
    "dwordx2": 8,
    "dwordx3": 12,
    "dwordx4": 16,
    "b32": 4,
    "b64": 8,
    "b96": 12,
    "b128": 16,
}


class Busy(Struct, frozen=True):
    """Cycles of one unit for one workgroup; None where the machine file states no rate."""

    lds: int
    lds_ideal: int
    matrix: float | None
    memory: float | None

    @property
    def bottleneck(self) -> str:
        """The busiest unit; "... or memory" where memory could be busier, if no cache hit."""
        matrix = self.matrix or 0.0
        unit, cycles = ("matrix", matrix) if matrix > self.lds else ("LDS", float(self.lds))
        return f"{unit} or memory" if (self.memory or 0.0) > cycles else unit

    def __str__(self) -> str:
        parts = [f"LDS {self.lds:,} ({self.lds_ideal:,} without conflicts)"]
        parts += [] if self.matrix is None else [f"matrix {self.matrix:,.0f}"]
        parts += [] if self.memory is None else [f"memory at most {self.memory:,.0f}"]
        verdict = "" if self.bottleneck.startswith("LDS") else ": the LDS is not the bottleneck"
        return f"cycles of a workgroup: {', '.join(parts)}{verdict}"


def busy(
    machine: Machine,
    passes: int,
    ideal: int,
    uses: Sequence[InstructionCount],
    trips: int,
    waves: int,
) -> Busy:
    """The bounds of one workgroup.

    ``passes``, ``ideal``: of all waves of the workgroup. ``uses``: the matrix and global-memory
    instructions of a wave (others are ignored), ``trips``: how often its loops run.
    """
    return Busy(
        passes,
        ideal,
        _matrix_cycles(machine, uses, trips, waves),
        _memory_cycles(machine, uses, trips, waves),
    )


def matrix_flops(name: str) -> tuple[int, str] | None:
    """Operations of one matrix instruction and the type it multiplies; None if it is none."""
    found = _MFMA.match(name)
    if found is None:
        return None
    m, n, k = (int(found[i]) for i in (1, 2, 3))
    return 2 * m * n * k * int(found[4] or 1), found[5]


def global_bytes(name: str) -> int:
    """Bytes that one lane moves by a global load or store; 0 for any other instruction."""
    found = _GLOBAL.match(name)
    return _GLOBAL_BYTES.get(found[1], 0) if found else 0


def _matrix_cycles(
    machine: Machine, uses: Sequence[InstructionCount], trips: int, waves: int
) -> float | None:
    cycles = 0.0
    for use in uses:
        work = matrix_flops(use.name)
        if work is None:
            continue
        flops, kind = work
        rate = machine.facts.get(f"matrix_flops_per_unit_cycle_{kind}")
        if rate is None:
            return None
        cycles += use.executed(trips) * waves * flops / rate.value
    return cycles


def _memory_cycles(
    machine: Machine, uses: Sequence[InstructionCount], trips: int, waves: int
) -> float | None:
    if not {"memory_bytes_per_second", "clock_hz", "units"} <= machine.facts.keys():
        return None
    requested = sum(global_bytes(u.name) * u.executed(trips) for u in uses)
    bandwidth = machine.fact("memory_bytes_per_second").value
    per_cycle = bandwidth / machine.fact("clock_hz").value / machine.fact("units").value
    return requested * waves * machine.wave_size / per_cycle
