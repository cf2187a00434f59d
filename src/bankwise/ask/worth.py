"""*Is it worth it*, from a profile's percentages of peak."""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.ask.worth_units import busy_units
from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport
from bankwise.hardware.machine import machine
from bankwise.profile.values import Launch
from bankwise.show.values import KernelReport
from bankwise.show.worth import Worth

_BOTH = (
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_",
)
_UNCOUNTED = "how often its loops run is not known"
_LANES = "which lanes take part is not known"
_NANOSECONDS = {
    **dict.fromkeys(("ns", "nsecond"), 1.0),
    **dict.fromkeys(("us", "usecond"), 1e3),
    **dict.fromkeys(("ms", "msecond"), 1e6),
    **dict.fromkeys(("s", "second"), 1e9),
}


def measured_worth(
    kernel: KernelReport, launches: Sequence[Launch], missing: str = ""
) -> Worth | None:
    """From the longest launch: percentages do not add up. None if it has none.

    ``missing``: what of the kernel the check could not count.
    """
    launch = max(launches, key=_length)
    busy = busy_units(launch, machine(kernel.target).vendor)
    if busy.lds is None and busy.stalled is None and not busy.others:
        return None
    extra, unknown = _extra(kernel, launch)
    scope = f"of peak, launch {launch.number}{busy.where}"
    return Worth(
        kernel.name,
        scope,
        True,
        busy.lds,
        busy.others,
        extra,
        busy.stalled,
        missing or unknown,
        busy.notes,
    )


def _extra(kernel: KernelReport, launch: Launch) -> tuple[float, str]:
    """The part of the passes that conflicts add, and why it is not known.

    Where nobody knows the rounds of a loop, or the lanes that take part, the counters of the launch
    have it: what they count beside conflicts makes it no smaller. What never conflicts adds none.
    """
    mine = [a for a in kernel.accesses if a.kind != "dma"]
    if all(a.surely_free for a in mine):
        return 0.0, ""
    if any(a.one_workgroup for a in mine):
        return _predicted_extra(mine), "other workgroups touch other places"
    if not all(a.counted and a.run.exact for a in mine):
        measured = _measured_extra(launch)
        why = _LANES if all(a.counted for a in mine) else _UNCOUNTED
        return (_predicted_extra(mine), why) if measured is None else (measured, "")
    return _predicted_extra(mine), ""


def _predicted_extra(accesses: Sequence[AccessReport]) -> float:
    run = sum((a.run for a in accesses), Cost())
    return run.extra / run.passes if run.passes else 0.0


def _measured_extra(launch: Launch) -> float | None:
    """By NVIDIA's counters of reads and writes; None where one of the four was not taken."""
    found = [launch.counters.get(f"{name}{op}.sum") for name in _BOTH for op in ("ld", "st")]
    values = [one.value for one in found if one is not None]
    extra, passes = sum(values[:2]), sum(values[2:])
    return extra / passes if len(values) == len(found) and passes >= extra and passes else None


def _length(launch: Launch) -> float:
    found = launch.first("sm__cycles_elapsed.max", "Elapsed Cycles", "GRBM_GUI_ACTIVE")
    if found is not None:
        return found[1].value
    time = launch.first("gpu__time_duration.sum", "Duration")
    if time is not None and time[1].unit in _NANOSECONDS:
        return time[1].value * _NANOSECONDS[time[1].unit]
    return float(launch.workgroups or 0)
