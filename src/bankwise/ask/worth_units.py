"""Which percentages of a profile are units beside shared memory.

    sm__throughput                  the busiest of what a multiprocessor issues and computes
    sm__pipe_*_cycles_active        one pipe; sm__inst_executed_pipe_* likewise
    lts__throughput, dram__...      L2, memory

A ``__throughput`` is the largest of the counters in its breakdown (Nsight Compute, Kernel Profiling
Guide, "Metrics Structure"), which depends on the GPU. On an H200 that of ``sm__throughput`` has
nothing of the stage that conflicts hold up: 9.4 % beside 73.7 % of shared memory, and the cycles of
its parts (LSU instructions, MIO queues) are the same with conflicts and without
(``tests/data/profile/raw.csv``, launches 1 and 2). Those of ``l1tex__throughput`` and
``gpu__compute_memory_throughput`` have that stage: they are no other unit. Nor are warps, which
are there whether or not anything works.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from bankwise.hardware.machine import Vendor
from bankwise.profile.values import Launch, Quantity
from bankwise.show.worth import Share

_ELAPSED = "pct_of_peak_sustained_elapsed"
_ACTIVE = "pct_of_peak_sustained_active"
COMPUTE = "compute (SM)"
_LDS = "shared memory"
_CLOSE = 0.01
"""Per cent: two digits behind the point are what the details page prints."""

_STALLS = "LDSBankConflict"
_PEAK = 105
"""Per cent: cycles are counted in several runs of a kernel, so a busy unit may have a little more
than all of them."""

_SHARED_MEMORY: dict[Vendor, tuple[str, ...]] = {
    "nvidia": (
        f"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.{_ELAPSED}",
        f"l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.{_ELAPSED}",
    ),
    "amd": (),
}
_OTHERS: dict[Vendor, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "nvidia": (
        (
            "matrix",
            (
                f"sm__inst_executed_pipe_tensor.sum.{_ELAPSED}",
                f"sm__pipe_tensor_cycles_active.avg.{_ELAPSED}",
                f"sm__inst_executed_pipe_tensor.avg.{_ACTIVE}",
                f"sm__pipe_tensor_cycles_active.avg.{_ACTIVE}",
            ),
        ),
        (
            "issue",
            (
                f"sm__issue_active.avg.{_ELAPSED}",
                f"smsp__issue_active.avg.{_ELAPSED}",
                f"smsp__issue_active.avg.{_ACTIVE}",
                "Issue Slots Busy",
            ),
        ),
        ("L2", (f"lts__throughput.avg.{_ELAPSED}", "L2 Cache Throughput", "SOL L2 Cache")),
        (
            "memory",
            (
                f"gpu__dram_throughput.avg.{_ELAPSED}",
                f"dram__throughput.avg.{_ELAPSED}",
                "DRAM Throughput",
                "SOL DRAM",
            ),
        ),
        (COMPUTE, (f"sm__throughput.avg.{_ELAPSED}", "Compute (SM) Throughput", "SM [%]")),
    ),
    "amd": (
        ("matrix", ("MfmaUtil",)),
        ("vector ALU", ("VALUBusy",)),
        ("memory unit", ("MemUnitBusy",)),
    ),
}
"""Units and the counters that give their percent of peak, the best first. Names as Nsight Compute
2025.3.1 lists them and as older ones print them, and as ROCm's derived metrics are documented."""

_PIPE = re.compile(
    r"sm__(?:inst_executed_)?pipe_(?P<pipe>\w+?)(?:_cycles_active)?\.(?:avg|sum)"
    r"\.pct_of_peak_sustained_(?:elapsed|active)"
)
_PIPES = {"shared": "pipe of matrix and fp64", "lsu": "LSU instructions"}
"""``shared`` is what the parts of a multiprocessor share, and has to do with no shared memory."""
_PERCENTAGE = re.compile(rf"\w+\.(?:avg|sum)\.(?:{_ELAPSED}|{_ACTIVE})")
_NO_UNIT = re.compile(
    r"l1tex__(?:throughput|data_pipe_lsu_wavefronts\w*|data_bank_conflicts\w*)\."
    r"|gpu__compute_memory_\w*throughput\w*\.|\w*warps_\w*\.|(?:sm|smsp|l1tex|lts)__cycles_active\."
)
_MULTIPROCESSORS = ("launch__sm_count", "# SMs", "device__attribute_multiprocessor_count")
_INSIDE = frozenset({_LDS, COMPUTE, "matrix", "issue"})
_CYCLES = ("sm__cycles_active.avg", ("sm__cycles_elapsed.avg", "sm__cycles_elapsed.max"))


class BusyUnits(Struct, frozen=True):
    """``lds``: shared memory, None if not measured. ``stalled``: the time that conflicts stall it.
    ``where``: of what the percentages are, beyond the launch. ``notes``: what was not taken for a
    unit, and why."""

    lds: Share | None
    others: tuple[Share, ...]
    stalled: Share | None = None
    where: str = ""
    notes: tuple[str, ...] = ()


def busy_units(launch: Launch, vendor: Vendor) -> BusyUnits:
    """The units of a launch of which its percentages tell."""
    lds = _unit(launch, _LDS, _SHARED_MEMORY[vendor])
    named = [_unit(launch, unit, names) for unit, names in _OTHERS[vendor]]
    others = [share for share in (_pipe(launch), *named) if share is not None]
    kept = tuple(s for s in others if s.unit != COMPUTE or not _same(s, lds))
    notes = [] if len(kept) == len(others) else [_SAME]
    notes += [
        f"{name} is {found.value:.1f}%, which nothing is: it is not taken"
        for name, found in launch.counters.items()
        if found.value > _PEAK and (name in _taken(vendor) or _PIPE.fullmatch(name))
    ]
    notes += [] if vendor == "amd" else _unread(launch, kept)
    stalled = _unit(launch, "stalls by conflicts", (_STALLS,))
    return _where_work_is(BusyUnits(lds, kept, stalled, notes=tuple(notes)), launch)


_SAME = (
    f"{COMPUTE} is as busy as shared memory, to the last digit: it may be shared memory itself, "
    "and is not taken for another unit"
)


def _unit(launch: Launch, unit: str, names: tuple[str, ...]) -> Share | None:
    found = launch.first(*names)
    return None if found is None or not _percent(found[1]) else _share(launch, unit, *found)


def _percent(found: Quantity) -> bool:
    return found.unit in ("%", "") and found.value <= _PEAK


def _share(launch: Launch, unit: str, name: str, found: Quantity) -> Share:
    """Of the cycles of the launch. A percentage of the cycles in which a multiprocessor has a warp
    is that at most, and as many as those cycles are, where the profile has them."""
    amount = max(found.value, 0.0)
    if not (name.endswith(_ACTIVE) or name == "Issue Slots Busy"):
        return Share(unit, amount, name, "measured")
    active, elapsed = launch.counters.get(_CYCLES[0]), launch.first(*_CYCLES[1])
    if active is None or elapsed is None or not 0 < active.value <= elapsed[1].value:
        return Share(unit, amount, name, "measured", least=False)
    part = active.value / elapsed[1].value
    return Share(unit, amount * part, f"{name} x {_CYCLES[0]} / {elapsed[0]}", "measured")


def _pipe(launch: Launch) -> Share | None:
    """The busiest pipe that is no matrix unit; of those that tell alike the first."""
    found = [
        _share(launch, _pipe_name(pipe["pipe"]), name, quantity)
        for name, quantity in launch.counters.items()
        if (pipe := _PIPE.fullmatch(name)) and _percent(quantity)
        if not pipe["pipe"].startswith("tensor")
    ]
    sure = [share for share in found if share.least]
    return max(sure or found, key=lambda share: share.amount or 0.0, default=None)


def _pipe_name(pipe: str) -> str:
    return _PIPES.get(pipe, f"{pipe} pipe")


def _same(share: Share, lds: Share | None) -> bool:
    both = (share.amount, None if lds is None else lds.amount)
    return None not in both and abs((both[0] or 0.0) - (both[1] or 0.0)) < _CLOSE


def _unread(launch: Launch, others: tuple[Share, ...]) -> list[str]:
    """Percentages of peak that no unit is known for, and that would change the answer."""
    known = max((share.amount or 0.0 for share in others), default=0.0)
    names = [name for name, found in _percentages(launch) if found.value > known]
    if not names:
        return []
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    told = ", ".join(f"{name} ({launch.counters[name].value:.1f}%)" for name in names[:3])
    return [f"busier than the known units, and not understood as one: {told}{more}"]


def _percentages(launch: Launch) -> Iterator[tuple[str, Quantity]]:
    taken = _taken("nvidia")
    for name, found in launch.counters.items():
        if name in taken or _PIPE.fullmatch(name) or _NO_UNIT.match(name):
            continue
        if _PERCENTAGE.fullmatch(name):
            yield name, found


def _taken(vendor: Vendor) -> frozenset[str]:
    others = (name for _, names in _OTHERS[vendor] for name in names)
    return frozenset((_STALLS, *_SHARED_MEMORY[vendor], *others))


def _where_work_is(busy: BusyUnits, launch: Launch) -> BusyUnits:
    """A grid of fewer workgroups than there are multiprocessors leaves some idle, for a workgroup
    lies on one: the percentages are means over all of them, those that work are busier."""
    found, groups = launch.first(*_MULTIPROCESSORS), launch.workgroups
    if found is None or not groups or groups >= found[1].value:
        return busy
    all_ = int(found[1].value)
    lds = None if busy.lds is None else _scaled(busy.lds, all_, groups)
    others = tuple(_scaled(share, all_, groups) for share in busy.others)
    if any((share.amount or 0.0) > 100 + _CLOSE for share in (lds, *others) if share is not None):
        return busy  # they are means over fewer multiprocessors than the profile names
    where = f", where {groups} of {all_} multiprocessors have work"
    return replace(busy, lds=lds, others=others, where=where)


def _scaled(share: Share, all_: int, groups: int) -> Share:
    inside = share.unit in _INSIDE or share.unit.endswith("pipe") or share.unit in _PIPES.values()
    if not inside or share.amount is None:
        return share
    source = f"{share.source} x {all_} / {groups}"
    return replace(share, amount=share.amount * all_ / groups, source=source)
