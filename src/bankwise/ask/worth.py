"""*Is it worth it*, from a profile's percentages of peak."""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.counting.cost import Cost
from bankwise.hardware.machine import Vendor, machine
from bankwise.profile.values import Launch, Quantity
from bankwise.show.values import KernelReport
from bankwise.show.worth import Share, Worth

_ELAPSED = "pct_of_peak_sustained_elapsed"
_ACTIVE = "pct_of_peak_sustained_active"

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
                f"smsp__issue_active.avg.{_ELAPSED}",
                f"smsp__issue_active.avg.{_ACTIVE}",
                "Issue Slots Busy",
            ),
        ),
        ("L2", (f"lts__throughput.avg.{_ELAPSED}", "L2 Cache Throughput")),
        (
            "memory",
            (
                f"gpu__dram_throughput.avg.{_ELAPSED}",
                f"dram__throughput.avg.{_ELAPSED}",
                "DRAM Throughput",
            ),
        ),
    ),
    "amd": (
        ("matrix", ("MfmaUtil",)),
        ("vector ALU", ("VALUBusy",)),
        ("memory unit", ("MemUnitBusy",)),
    ),
}
"""Units and the counters that give their percent of peak, the best first. Names as Nsight Compute
2025.3.1 lists them, and as ROCm's derived metrics are documented."""


def measured_worth(
    kernel: KernelReport, launches: Sequence[Launch], missing: str = ""
) -> Worth | None:
    """From the longest launch: percentages do not add up. None if it has none.

    ``missing``: what of the kernel the check could not count.
    """
    vendor = machine(kernel.target).vendor
    launch = max(launches, key=_length)
    found = _percent(launch, _SHARED_MEMORY[vendor])
    lds = None if found is None else _share("shared memory", found)
    others = tuple(
        _share(unit, found) for unit, names in _OTHERS[vendor] if (found := _percent(launch, names))
    )
    stall = _percent(launch, ("LDSBankConflict",))
    stalled = None if stall is None else _share("stalls by conflicts", stall)
    if lds is None and stalled is None and not others:
        return None
    run = sum((a.run for a in kernel.accesses if a.kind != "dma"), Cost())
    extra = run.extra / run.passes if run.passes else 0.0
    scope = f"of peak, launch {launch.number}"
    return Worth(kernel.name, scope, True, lds, others, extra, stalled, missing)


def _percent(launch: Launch, names: tuple[str, ...]) -> tuple[str, Quantity] | None:
    found = launch.first(*names)
    return found if found is not None and found[1].unit in ("%", "") else None


def _share(unit: str, found: tuple[str, Quantity]) -> Share:
    return Share(unit, max(found[1].value, 0.0), found[0], "measured")


def _length(launch: Launch) -> float:
    found = launch.first("sm__cycles_elapsed.max", "Elapsed Cycles", "GRBM_GUI_ACTIVE")
    return found[1].value if found is not None else float(launch.workgroups or 0)
