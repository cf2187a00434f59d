"""bankwise: predict, prove, fix and explain GPU shared-memory bank conflicts without a GPU.

>>> import bankwise
>>> row = bankwise.machine("gfx942").instruction("ds_read_b128")
>>> bankwise.count(row, [lane % 16 * 256 + lane // 16 * 16 for lane in range(64)]).passes
array(32)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from bankwise.ask.check import check
    from bankwise.ask.fix import fix
    from bankwise.ask.solve import solve
    from bankwise.counting.conflict import Count, Witness, count
    from bankwise.errors import InputError, Location, Refusal
    from bankwise.hardware.machine import Instruction, Machine, machine

__all__ = [
    "Count",
    "InputError",
    "Instruction",
    "Location",
    "Machine",
    "Refusal",
    "Witness",
    "check",
    "count",
    "fix",
    "machine",
    "solve",
]

_LATE = {
    "Instruction": "bankwise.hardware.machine",
    "Machine": "bankwise.hardware.machine",
    "machine": "bankwise.hardware.machine",
    "InputError": "bankwise.errors",
    "Location": "bankwise.errors",
    "Refusal": "bankwise.errors",
    "Count": "bankwise.counting.conflict",
    "Witness": "bankwise.counting.conflict",
    "count": "bankwise.counting.conflict",
    "check": "bankwise.ask.check",
    "fix": "bankwise.ask.fix",
    "solve": "bankwise.ask.solve",
}
"""Names that are imported when they are first used."""


def __getattr__(name: str) -> Any:
    from importlib import import_module, metadata

    if name == "__version__":
        return metadata.version("bankwise")
    if name not in _LATE:
        raise AttributeError(f"module 'bankwise' has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
