"""A machine file as text, from measured rows and from what the driver says about its GPU."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from bankwise.hardware.lanes import lane_text
from bankwise.hardware.machine import Instruction, Machine
from bankwise.lab.gpu.launch import cupy
from bankwise.lab.gpu.propose import Proposed

_QUERY = "Asked of the driver by `bankwise probe --propose`: device properties"

_EACH = "random accesses, each predicted exactly by its row"

_PROPERTIES = {
    "units": "multiProcessorCount",
    "max_workgroups_per_unit": "maxBlocksPerMultiProcessor",
    "max_threads_per_workgroup": "maxThreadsPerBlock",
    "registers_per_unit": "regsPerMultiprocessor",
    "lds_bytes_per_unit": "sharedMemPerMultiprocessor",
    "lds_bytes_per_workgroup": "sharedMemPerBlockOptin",
    "lds_reserved_bytes_per_workgroup": "reservedSharedMemPerBlock",
    "l2_bytes": "l2CacheSize",
}
"""Fact of a machine file to the name of the device property in the CUDA and HIP runtimes."""


def device_properties() -> dict[str, int | str]:
    """What the driver says about the GPU in use: ``name`` and the numbers of a machine file.

    A property that the runtime does not have, or reports as 0, is left out.
    """
    module = cupy()
    stated = module.cuda.runtime.getDeviceProperties(module.cuda.Device().id)
    found: dict[str, int | str] = {"name": stated["name"].decode()}
    for fact, key in _PROPERTIES.items():
        if stated.get(key):
            found[fact] = int(stated[key])
    return found


def machine_text(
    base: Machine,
    name: str,
    found: Sequence[Proposed],
    properties: Mapping[str, int | str],
    origin: str,
) -> str:
    """The TOML text. ``base`` gives vendor, wave size and counter; ``origin``: where and when.

    Only rows that predicted every random access are written; the others are named in comments.
    """
    product = str(properties.get("name", base.product))
    judged = sum(p.judged for p in found if p.holds)
    probe = f"`bankwise probe --propose`, accesses {origin}: {judged:,} {_EACH}"
    lines = [
        f"# Proposed by `bankwise probe --propose` from accesses {origin}. Read before use.",
        f"name = {json.dumps(name)}",
        f"product = {json.dumps(product)}",
        f'vendor = "{base.vendor}"',
        f"wave_size = {base.wave_size}",
        f"counter = {json.dumps(base.counter)}",
        "",
        "[sources]",
        f"probe = {json.dumps(probe)}",
        f"query = {json.dumps(_QUERY)}",
        "",
        "[facts]",
        *(_fact(key, value) for key, value in properties.items() if key != "name"),
    ]
    for one in found:
        lines += ["", *_row(one)]
    return "\n".join(lines) + "\n"


def _fact(name: str, value: int | str) -> str:
    return f'{name} = {{ value = {value}, source = "query", evidence = "measured" }}'


def _row(one: Proposed) -> list[str]:
    if one.row is None or not one.holds:
        why = one.why or f"{one.agreeing} of {one.judged} random accesses follow the rule found"
        return [f"# {one.instruction}: no row. {why}."]
    row = one.row
    lines = [
        f"# {one.judged} random accesses, {one.agreeing} predicted exactly",
        "[[instruction]]",
        f"names = [{json.dumps(row.name)}]",
        f'direction = "{row.direction}"',
        f"width_bytes = {row.width_bytes}",
        *([f"addresses = {row.addresses}"] if row.addresses > 1 else []),
        f"banks = {row.banks}",
        f"phases = {_phases(row)}",
        f"span = {list(row.span)}",
        *([f'merge = "{row.merge}"'] if row.merge != "none" else []),
        *([f"{key} = true" for key in ("serial", "by_source") if getattr(row, key)]),
        f"alignment_bytes = {row.alignment_bytes}",
        'source = ["probe"]',
        'evidence = "measured"',
        "confidence = 0.99",
    ]
    return [*lines, 'note = "The alignment is not measured."']


def _phases(row: Instruction) -> str:
    return "[" + ", ".join(f'"{lane_text(phase)}"' for phase in row.phases) + "]"
