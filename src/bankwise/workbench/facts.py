"""The machine facts that the page needs, exported from the TOML files.

``static/machines.json`` is this export; a test fails when it is stale. Write it anew with

    python -m bankwise.workbench.facts
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from bankwise.hardware.lanes import lane_text
from bankwise.hardware.machine import Instruction, Machine, machine, names

_FACTS = (
    "units",
    "simds_per_unit",
    "max_waves_per_unit",
    "max_workgroups_per_unit",
    "lds_bytes_per_unit",
    "lds_bytes_per_workgroup",
    "lds_granule_bytes",
    "lds_reserved_bytes_per_workgroup",
    "l1_line_bytes",
    "l1_sets",
)


def document() -> dict[str, Any]:
    """All machines: rows of instructions (those that differ in nothing but the name in one)."""
    return {"machines": [_machine(machine(name)) for name in names()]}


def text() -> str:
    """The export as it is stored: one line per machine fact, no spaces."""
    rows = [json.dumps(m, separators=(",", ":")) for m in document()["machines"]]
    return '{"machines":[\n' + ",\n".join(rows) + "\n]}\n"


def _machine(gpu: Machine) -> dict[str, Any]:
    rows: dict[str, dict[str, Any]] = {}
    for instruction in gpu.instructions.values():
        row = _row(instruction)
        rows.setdefault(json.dumps(row), {"names": [], **row})["names"].append(instruction.name)
    return {
        "name": gpu.name,
        "product": gpu.product,
        "vendor": gpu.vendor,
        "wave_size": gpu.wave_size,
        "counter": gpu.counter,
        "facts": {key: int(gpu.facts[key]) for key in _FACTS if key in gpu.facts},
        "instructions": list(rows.values()),
    }


def _row(instruction: Instruction) -> dict[str, Any]:
    row: dict[str, Any] = {
        "direction": instruction.direction,
        "width_bytes": instruction.width_bytes,
        "banks": instruction.banks,
        "phases": [lane_text(phase) for phase in instruction.phases],
        "span": list(instruction.span),
        "evidence": instruction.evidence,
        "confidence": instruction.confidence,
    }
    if instruction.addresses != 1:
        row["addresses"] = instruction.addresses
    if instruction.merge != "none":
        row["merge"] = instruction.merge
    if instruction.serial:
        row["serial"] = True
    return row


def main() -> None:
    """Write the export beside the page's modules."""
    target = Path(str(resources.files(__package__) / "static" / "machines.json"))
    target.write_text(text(), "utf-8")


if __name__ == "__main__":
    main()
