"""Occupancy: how many waves one compute unit (AMD) or SM (NVIDIA) can hold, and what limits them.

A workgroup is resident as a whole. Each resource allows so many of them at once:

    shared memory   floor(bytes of the unit / bytes of the workgroup, rounded up to the granule)
    registers       floor(waves that the register files hold / waves of the workgroup), where a SIMD
                    holds floor(registers / registers of a wave, rounded up to the granule)
    wave slots      floor(wave slots of the unit / waves of the workgroup)
    workgroups      the limit on resident workgroups; one-wave workgroups on AMD need no barrier
                    and escape it

and the least of them counts. All numbers are facts of the machine file, with their sources; the
arithmetic is the one that LLVM (AMDGPUBaseInfo) and CUDA (cuda_occupancy.h) compute with. Whether
more resident waves make a kernel faster is another question: they hide latency, no more.

Worked example, gfx942: 256 threads are 4 waves. 40,960 bytes of LDS: floor(65,536 / 40,960) = 1
workgroup. 96 vector registers: floor(512 / 96) = 5 waves a SIMD, 20 a unit, 5 workgroups. 32 wave
slots: 8 workgroups. So 1 workgroup, 4 of 32 waves, limited by shared memory.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from bankwise.hardware.machine import Machine

Resource = Literal[
    "shared memory", "vector registers", "scalar registers", "wave slots", "workgroups"
]


class Usage(Struct, frozen=True):
    """What one workgroup takes.

    ``lds_bytes``: shared memory. ``vgprs``: vector registers of a lane (AMD: accumulation registers
    included; NVIDIA: registers of a thread), ``sgprs``: scalar registers of a wave; None where
    nobody has compiled the kernel.
    """

    threads: int
    lds_bytes: int
    vgprs: int | None = None
    sgprs: int | None = None


class Limit(Struct, frozen=True):
    """One resource: how many workgroups it allows on a unit."""

    resource: Resource
    workgroups: int


class Occupancy(Struct, frozen=True):
    """How full a unit can get.

    ``workgroups`` resident on a unit, ``waves`` of one workgroup, ``wave_slots`` of the unit.
    ``limits``: every resource that is known. ``unknown``: resources that were not considered,
    because the machine file or the caller does not state them.
    """

    workgroups: int
    waves: int
    wave_slots: int
    limits: tuple[Limit, ...]
    unknown: tuple[Resource, ...] = ()

    @property
    def resident_waves(self) -> int:
        """Waves on a unit."""
        return self.workgroups * self.waves

    @property
    def share(self) -> float:
        """Resident waves as a part of the wave slots."""
        return self.resident_waves / self.wave_slots

    def by(self, resource: Resource) -> int | None:
        """The workgroups that one resource allows; None where it is not considered."""
        return next((x.workgroups for x in self.limits if x.resource == resource), None)

    @property
    def limited_by(self) -> tuple[Resource, ...]:
        """The resources that allow no more than is resident."""
        return tuple(x.resource for x in self.limits if x.workgroups == self.workgroups)

    def __str__(self) -> str:
        limit = " and ".join(self.limited_by)
        unknown = f"; not considered: {', '.join(self.unknown)}" if self.unknown else ""
        return (
            f"{self.resident_waves} of {self.wave_slots} waves ({self.share:.0%}): "
            f"{self.workgroups} x {self.waves}, limited by {limit}{unknown}"
        )


def occupancy(machine: Machine, usage: Usage) -> Occupancy:
    """The occupancy of workgroups that take ``usage``; 0 workgroups if one does not fit at all."""
    waves = -(-usage.threads // machine.wave_size)
    found: dict[Resource, int | None] = {
        "shared memory": _by_shared_memory(machine, usage.lds_bytes),
        "vector registers": _by_registers(machine, usage.vgprs, "vgpr", waves),
        "scalar registers": _by_registers(machine, usage.sgprs, "sgpr", waves),
        "wave slots": int(machine.fact("max_waves_per_unit")) // waves,
        "workgroups": _by_workgroups(machine, waves),
    }
    known = tuple(Limit(name, n) for name, n in found.items() if n is not None)
    return Occupancy(
        workgroups=min(limit.workgroups for limit in known),
        waves=waves,
        wave_slots=int(machine.fact("max_waves_per_unit")),
        limits=known,
        unknown=_unknown(machine, usage),
    )


def change(before: Occupancy, after: Occupancy) -> str:
    """What a change of the kernel does to its occupancy, in words."""
    if before.resident_waves == after.resident_waves:
        return f"occupancy unchanged: {after}"
    return f"occupancy {before.resident_waves} -> {after.resident_waves} waves: {after}"


def _by_shared_memory(machine: Machine, used: int) -> int | None:
    """None for a kernel without shared memory: it takes nothing of it."""
    reserved = _fact(machine, "lds_reserved_bytes_per_workgroup") or 0
    if not used + reserved:
        return None
    taken = _round_up(used + reserved, int(machine.fact("lds_granule_bytes")))
    return int(machine.fact("lds_bytes_per_unit")) // taken


def _by_registers(
    machine: Machine, used: int | None, kind: Literal["vgpr", "sgpr"], waves: int
) -> int | None:
    """The waves of all SIMDs together, in whole workgroups: any wave may go to any SIMD."""
    held, granule = _fact(machine, f"{kind}s_per_simd"), _fact(machine, f"{kind}_granule")
    if used is None or held is None or granule is None:
        return None
    per_simd = held // _round_up(max(used, 1), granule)
    return per_simd * int(machine.fact("simds_per_unit")) // waves


def _by_workgroups(machine: Machine, waves: int) -> int | None:
    if machine.vendor == "amd" and waves == 1:
        return None
    return _fact(machine, "max_workgroups_per_unit")


def _unknown(machine: Machine, usage: Usage) -> tuple[Resource, ...]:
    """Registers that nobody stated, where the machine has such registers to run out of."""
    missing: list[Resource] = []
    if usage.vgprs is None:
        missing.append("vector registers")
    if usage.sgprs is None and _fact(machine, "sgprs_per_simd") is not None:
        missing.append("scalar registers")
    return tuple(missing)


def _fact(machine: Machine, name: str) -> int | None:
    fact = machine.facts.get(name)
    return None if fact is None else int(fact)


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step
