"""Rows that end in elements nobody uses, and what a group is without them.

    memref<64x132xf16>, every access in columns 0 .. 127   ->   memref<64x128xf16>

An access keeps its coordinates; its offset and alignment are those of the shorter rows, and its
instructions those that the width policy picks there: what two 8-byte halves moved behind a pad of
8 bytes may be one 16-byte access again. :mod:`bankwise.change.passes.pad` writes it.
"""

from __future__ import annotations

from math import prod

from msgspec.structs import replace

from bankwise.change.rewrite.group import Group, Issues, elements, row_major
from bankwise.counting.access import Allocation, Pattern
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.policies import Issue
from bankwise.identity import ByIdentity
from bankwise.notation.padding import Unpadded
from bankwise.read.mlir.extract import SharedAccess, alignment_bytes
from bankwise.read.mlir.joined import issues_of
from bankwise.tile import COPIES


class Shortened(ByIdentity, frozen=True, eq=False):
    """A group as it would be in shorter rows, and the instructions of its accesses there."""

    group: Group
    issues: Issues


def padded_rows(group: Group) -> Unpadded | None:
    """The rows of a group with unused columns at their end; None if it has no such rows.

    Rows of which half or more is unused are not called padded: what the rest is for is not known.
    """
    first = group.allocations[0]
    if len(first.shape) < 2 or any(a.shape != first.shape for a in group.allocations):
        return None
    if not all(map(row_major, group.allocations)):
        return None
    if any(site.access.element_bytes != first.element_bytes for site in group.accesses):
        return None
    used = max((_last_column(site, first.shape[-1]) for site in group.accesses), default=0)
    return Unpadded(first.shape[-1], used) if used < first.shape[-1] < 2 * used else None


def _last_column(site: SharedAccess, pitch: int) -> int:
    """Columns up to the last that an access touches; beyond the row if it goes on in the next."""
    size = site.access.element_bytes
    starts = [elements(p, size)[p.active] % pitch for p in site.access.patterns]
    return max(int(s.max(initial=0)) for s in starts) + site.access.width_bytes // size


def shortened(group: Group, rows: Unpadded, machine: Machine, policy: str) -> Shortened | Refusal:
    """The group in rows of ``rows.row``; a Refusal where its padding may not be taken away."""
    for site in group.accesses:
        if site.access.kind in COPIES:
            reason = f"{site.access.operation} fills its rows in lane order, padding and all"
            return Refusal(reason, site.access.location)
    sites = tuple(_moved(site, rows) for site in group.accesses)
    issues: dict[int, tuple[Issue, ...]] = {}
    for site in sites:
        chosen = issues_of(site, machine, policy)
        if isinstance(chosen, Refusal):
            return Refusal(chosen.reason, site.access.location)
        issues[site.access.shared_index] = chosen
    shorter = tuple(_shorter(allocation, rows) for allocation in group.allocations)
    return Shortened(Group(shorter, sites, joins=group.joins), issues)


def _shorter(allocation: Allocation, rows: Unpadded) -> Allocation:
    shape = (*allocation.shape[:-1], rows.row)
    return replace(
        allocation,
        shape=shape,
        strides=tuple(prod(shape[d + 1 :]) for d in range(len(shape))),
    )


def _moved(site: SharedAccess, rows: Unpadded) -> SharedAccess:
    """The access at the same coordinates of the shorter rows."""
    patterns = tuple(_pattern(p, site.access.element_bytes, rows) for p in site.access.patterns)
    alignment = alignment_bytes(patterns)
    access = replace(site.access, patterns=patterns, alignment_bytes=alignment)
    return replace(site, access=access, base=None)


def _pattern(pattern: Pattern, size: int, rows: Unpadded) -> Pattern:
    return replace(pattern, offsets_bytes=rows(elements(pattern, size)) * size)
