"""Why accesses take more passes than their bytes need without any conflict: how rows are aligned.

rows of 136 bytes are aligned to 8: 16-byte reads are pairs of 8 bytes, ds_read2_b64, 8 passes
at best over 32 banks; aligned to 16 they would be ds_read_b128, 4 over 64
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bankwise.errors import Refusal
from bankwise.hardware.policies import WIDEST_BYTES, Issue, select

if TYPE_CHECKING:
    from bankwise.ask.fix_groups import OwnedGroup
    from bankwise.hardware.machine import Machine
    from bankwise.read.mlir.extract import SharedAccess

Issues = tuple[Issue, ...]


def cut_accesses(group: OwnedGroup, policy: str) -> tuple[str, ...]:
    """What the accesses of a group would be in rows that are aligned to 16 bytes, where that takes
    fewer passes at best, in words."""
    first = group.group.allocations[0]
    if len(first.shape) < 2:
        return ()
    row = first.strides[-2] * first.element_bytes
    if row == 0 or row % WIDEST_BYTES == 0:
        return ()
    told = (_told(site, group, policy) for site in group.group.accesses)
    return tuple(
        f"rows of {row} bytes are aligned to {row & -row}: {one}"
        for one in dict.fromkeys(filter(None, told))
    )


def _told(site: SharedAccess, group: OwnedGroup, policy: str) -> str:
    access, gpu = site.access, group.machine
    now = group.issues.get(access.shared_index)
    if access.kind != "plain" or not now:
        return ""
    whole = select(gpu, access.direction, access.width_bytes, WIDEST_BYTES, policy)
    if isinstance(whole, Refusal) or at_best(whole, gpu) >= at_best(now, gpu):
        return ""
    does = f"{access.width_bytes}-byte {access.direction}s"
    pieces = ", ".join(dict.fromkeys(_cut(now, gpu)))
    return (
        f"{does} are {pieces}, {at_best(now, gpu)} passes at best over {_banks(now, gpu)}; "
        f"aligned to {WIDEST_BYTES} they would be {_names(whole)}, {at_best(whole, gpu)} over "
        f"{_banks(whole, gpu)}"
    )


def at_best(issues: Issues, gpu: Machine) -> int:
    """Passes of one execution by a wave without any conflict."""
    rows = (gpu.instruction(each.instruction) for each in issues)
    return sum(row.addresses * len(row.phases) for row in rows)


def _cut(issues: Issues, gpu: Machine) -> Iterator[str]:
    for each in issues:
        row = gpu.instruction(each.instruction)
        yield f"pairs of {row.width_bytes} bytes" if row.addresses == 2 else "cut"
    yield _names(issues)


def _names(issues: Issues) -> str:
    return " and ".join(dict.fromkeys(each.instruction for each in issues))


def _banks(issues: Issues, gpu: Machine) -> str:
    banks = dict.fromkeys(gpu.instruction(each.instruction).banks for each in issues)
    return f"{' and '.join(map(str, banks))} banks"
