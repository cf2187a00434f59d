"""Nsight Compute's details page and raw page as CSV.

Details: a row per metric of a launch; the metric's name is a label ("DRAM Throughput") or, for what
``--metrics`` asked for, the metric itself. Raw: a row per launch, a column per metric, and a row of
units under the header. Both as written by Nsight Compute 2025.3.1 (``tests/data/profile``), and as
its command-line manual describes the pages.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.profile.table import (
    NumberedRow,
    cell,
    check_whole,
    column,
    counts,
    is_row,
    need,
    once,
    product,
    quantity,
    size,
)
from bankwise.profile.values import Launch, Profile, Quantity

KERNEL = ("Kernel Name", "Function Name")
_NAMES = "ID,Process ID,Process Name,Host Name,Kernel Name,Context,Stream,Block Size,Grid Size"
_FIXED = frozenset((*_NAMES.split(","), *KERNEL, "Device", "CC"))
"""Columns of the raw page that are no metrics. Older versions have fewer of them."""


_DYNAMIC = ("launch__shared_mem_per_block_dynamic", "Dynamic Shared Memory Per Block")
"""In bytes; with a larger unit it is rounded, and no number of bytes."""


def is_details(header: Sequence[str]) -> bool:
    """Whether a row is the header of the details page."""
    return column(header, "Metric Name") is not None and column(header, *KERNEL) is not None


def is_raw(header: Sequence[str]) -> bool:
    """Whether a row is the header of the raw page."""
    return column(header, "ID") == 0 and column(header, *KERNEL) is not None


def read_details(lines: Sequence[NumberedRow], file: str) -> Profile:
    """Rows behind and with the header of the details page."""
    header = lines[0]
    at = {n: need(header, file, n) for n in ("Metric Name", "Metric Value")}
    kernel, unit = need(header, file, *KERNEL), column(header.cells, "Metric Unit")
    launches: dict[tuple[str, str], Launch] = {}
    counters: dict[tuple[str, str], dict[str, Quantity]] = {}
    absent: dict[tuple[str, str], list[str]] = {}
    for line in lines[1:]:
        if not is_row(header, line, kernel, file):
            continue
        check_whole(header, line, file, at["Metric Value"] + 1)
        name = cell(line, at["Metric Name"])
        key = (cell(line, column(header.cells, "ID")), cell(line, kernel))
        launches.setdefault(key, _launch(header, line, *key))
        kept = counters.setdefault(key, {})
        found = _value(line, at["Metric Value"], cell(line, unit), name, file)
        if found is None and counts(name):
            absent.setdefault(key, []).append(name)
        if name and found is not None:
            _keep(kept, name, found, Location(file, line.number))
    return Profile(
        file,
        "Nsight Compute, details page",
        "nvidia",
        tuple(
            replace(_with_counters(launch, counters[key]), absent=tuple(absent.get(key, ())))
            for key, launch in launches.items()
        ),
    )


def _keep(kept: dict[str, Quantity], name: str, found: Quantity, place: Location) -> None:
    """Sections repeat a metric; with another value of a counter it is another launch's."""
    if counts(name) and kept.setdefault(name, found) != found:
        message = f"{name}: another value of the same launch"
        raise InputError(message, location=place, hint="one export a file")
    kept.setdefault(name, found)


def read_raw(lines: Sequence[NumberedRow], file: str) -> Profile:
    """Rows behind and with the header of the raw page."""
    header, rest = lines[0], lines[1:]
    kernel = need(header, file, *KERNEL)
    units: Sequence[str] = ()
    if rest and not cell(rest[0], 0) and not cell(rest[0], kernel):
        units, rest = rest[0].cells, rest[1:]
    launches = []
    rows, notes = once(line for line in rest if is_row(header, line, kernel, file))
    for line in rows:
        check_whole(header, line, file)
        counters: dict[str, Quantity] = {}
        for at, name in enumerate(header.cells):
            unit = units[at] if at < len(units) else ""
            found = None if name in _FIXED else _value(line, at, unit, name, file)
            if found is not None:
                counters[name] = found
        base = _launch(header, line, cell(line, 0), cell(line, kernel))
        absent = tuple(name for name in header.cells if counts(name) and name not in counters)
        launches.append(replace(_with_counters(base, counters), absent=absent))
    return Profile(file, "Nsight Compute, raw page", "nvidia", tuple(launches), notes)


def _launch(header: NumberedRow, line: NumberedRow, number: str, kernel: str) -> Launch:
    grid = cell(line, column(header.cells, "Grid Size"))
    block = cell(line, column(header.cells, "Block Size"))
    sizes = (product(grid), product(block))
    capability = cell(line, column(header.cells, "CC"))
    return Launch(kernel, number, *sizes, grid=size(grid), block=size(block), capability=capability)


def _with_counters(launch: Launch, counters: dict[str, Quantity]) -> Launch:
    """Where the fixed columns give no sizes, the metrics may."""
    grid = counters.get("launch__grid_size") or counters.get("Grid Size")
    block = counters.get("launch__block_size") or counters.get("Block Size")
    shared = next((counters[name] for name in _DYNAMIC if name in counters), None)
    exact = shared is not None and shared.unit.casefold().partition("/")[0] == "byte"
    return replace(
        launch,
        workgroups=launch.workgroups or (int(grid.value) if grid else None) or None,
        threads=launch.threads or (int(block.value) if block else None) or None,
        counters=counters,
        shared_bytes=int(shared.value) if shared and exact else None,
    )


def _value(line: NumberedRow, at: int, unit: str, name: str, file: str) -> Quantity | None:
    return quantity(cell(line, at), unit, name, lambda: Location(file, line.number))
