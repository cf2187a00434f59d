"""AMD's exports as CSV. Written from the documentation; untested on hardware.

    rocprof             Index,KernelName,...,grd,wgr,...,SQ_LDS_BANK_CONFLICT,...
    rocprofv2           Dispatch_ID,...,Grid_Size,Workgroup_Size,...,Kernel_Name,...,counters
    rocprof-compute     pmc_perf.csv of a workload, as rocprofv2's with further columns
    rocprofv3           a row per counter: Dispatch_Id, Grid_Size, Kernel_Name, Workgroup_Size,
                        Counter_Name, Counter_Value

A grid is counted in work items, so its workgroups are ``grid / workgroup``, rounded up. Sources:
ROCm documentation "Using rocprof", "Using rocprofv2" (both headers of the file plugin) and "Using
rocprofv3" (output of kernel counter collection); ROCm/rocprofiler-compute, tests of csv_ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from bankwise.errors import Location
from bankwise.profile.table import (
    PERCENTAGES,
    NumberedRow,
    cell,
    check_whole,
    column,
    counts,
    is_row,
    need,
    number,
    once,
    product,
    quantity,
)
from bankwise.profile.values import Launch, Profile, Quantity

COMPUTE = "pmc_perf.csv"
"""What rocprof-compute calls the counters of a workload."""
_KERNEL = ("Kernel_Name", "KernelName")
_GRID = ("Grid_Size", "grd", "GRD")
_WORKGROUP = ("Workgroup_Size", "wgr", "WGR")
_DISPATCH = ("Dispatch_Id", "Dispatch_ID", "Index")
_NAMES = """
index kernelname kernel_name gpu-id gpu_id queue-id queue_id queue-index queue_index pid tid grd
wgr lds scr vgpr sgpr arch_vgpr accum_vgpr fbar sig obj wave_size dispatch_id grid_size
workgroup_size lds_per_workgroup scratch_per_workitem correlation_id start_timestamp
end_timestamp dispatchns beginns endns completens agent_id process_id thread_id kernel_id
lds_block_size scratch_size vgpr_count accum_vgpr_count sgpr_count counter_name node_id
dispatch_index guid"""
_FIXED = frozenset(_NAMES.split())
"""Columns that are no counters, in small letters."""


def is_rocprof(header: Sequence[str]) -> bool:
    """Whether a row is a header of rocprof, rocprofv2 or rocprofv3."""
    return column(header, *_KERNEL) is not None and len(header) > 1


def read_rocprof(lines: Sequence[NumberedRow], file: str) -> Profile:
    """Rows behind and with the header."""
    header = lines[0]
    if column(header.cells, "Counter_Name") is not None:
        return _long(lines, file)
    tool = "rocprof" if column(header.cells, "KernelName") is not None else "rocprofv2"
    tool = "rocprof-compute" if Path(file).name == COMPUTE else tool
    launches = []
    kernel = need(header, file, *_KERNEL)
    rows, notes = once(line for line in lines[1:] if is_row(header, line, kernel, file))
    for line in rows:
        base = _launch(header, line, file)
        if base is None:
            continue
        counters = {}
        for at, name in enumerate(header.cells):
            if name.casefold() not in _FIXED:
                found = _value(line, at, name, file)
                if found is not None:
                    counters[name] = found
        absent = tuple(name for name in header.cells if counts(name) and name not in counters)
        absent = tuple(name for name in absent if name.casefold() not in _FIXED)
        launches.append(replace(base, counters=counters, absent=absent))
    return Profile(file, tool, "amd", tuple(launches), notes)


def _long(lines: Sequence[NumberedRow], file: str) -> Profile:
    header = lines[0]
    name_at = need(header, file, "Counter_Name")
    value_at = need(header, file, "Counter_Value")
    process = column(header.cells, "Process_Id")
    launches: dict[tuple[str, str, str], Launch] = {}
    counters: dict[tuple[str, str, str], dict[str, Quantity]] = {}
    absent: dict[tuple[str, str, str], list[str]] = {}
    added = 0
    for line in lines[1:]:
        base = _launch(header, line, file)
        if base is None:
            continue
        key = (cell(line, process), base.number, base.kernel)
        launches.setdefault(key, base)
        kept = counters.setdefault(key, {})
        name = cell(line, name_at)
        found = _value(line, value_at, name, file)
        if found is None and counts(name):
            absent.setdefault(key, []).append(name)
        if found is not None and name:
            added += name in kept
            kept[name] = Quantity(found.value + (kept[name].value if name in kept else 0))
    done = tuple(
        replace(one, counters=counters[key], absent=tuple(absent.get(key, ())))
        for key, one in launches.items()
    )
    notes = (f"{added} further rows of a counter of one dispatch were added to it",)
    return Profile(file, "rocprofv3", "amd", done, notes if added else ())


def _launch(header: NumberedRow, line: NumberedRow, file: str) -> Launch | None:
    """None for a row that names no kernel, and for a header repeated in the middle."""
    at = need(header, file, *_KERNEL)
    if not is_row(header, line, at, file):
        return None
    check_whole(header, line, file)
    kernel = cell(line, at)
    items = product(cell(line, column(header.cells, *_GRID)))
    size = product(cell(line, column(header.cells, *_WORKGROUP)))
    groups = -(-items // size) if items and size else None
    return Launch(kernel, cell(line, column(header.cells, *_DISPATCH)), groups, size)


def _value(line: NumberedRow, at: int, name: str, file: str) -> Quantity | None:
    text = cell(line, at)
    if name and not name.isupper() and name not in PERCENTAGES and number(text) is None:
        return None
    return quantity(text, "", name, lambda: Location(file, line.number))
