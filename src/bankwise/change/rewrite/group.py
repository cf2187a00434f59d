"""Allocations that must share one map, and all of their accesses as a tile.

Two allocations that one access may touch (rotating buffers) must use the same map; so must all
readers and writers of an allocation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from bankwise.algebra.offset import Shape
from bankwise.counting.access import Allocation, IntArray, Pattern
from bankwise.errors import Refusal
from bankwise.hardware.policies import Issue
from bankwise.read.mlir.extract import Extraction, SharedAccess
from bankwise.tile import COPIES, Tile, Use, runs, stages

Issues = Mapping[int, tuple[Issue, ...]]
"""The instructions of each access, by its ``shared_index``."""


@dataclass(frozen=True, slots=True)
class Group:
    """Allocations that must share one map, and every access to any of them.

    ``unseen``: accesses that the workgroup in question never executes, while another one may, or
    whose places only a run can tell: they cost nothing that is known, and go where the others go.
    """

    allocations: tuple[Allocation, ...]
    accesses: tuple[SharedAccess, ...]
    unseen: tuple[SharedAccess, ...] = ()

    @property
    def every(self) -> tuple[SharedAccess, ...]:
        """All accesses, the unseen ones last."""
        return (*self.accesses, *self.unseen)

    @property
    def names(self) -> str:
        """The allocations' names, for messages."""
        return ", ".join(a.name for a in self.allocations)


def groups(extraction: Extraction) -> tuple[Group, ...]:
    """The groups of allocations that are touched by common accesses, in program order."""
    leader = {a.name: a.name for a in extraction.allocations}

    def find(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    unseen = [(each.site, each.allocations) for each in extraction.unseen if each.allocations]
    seen = [(site, site.access.allocations) for site in extraction.accesses]
    for _, names in (*seen, *unseen):
        for other in names[1:]:
            leader[find(other)] = find(names[0])
    used = dict.fromkeys(find(names[0]) for _, names in seen)
    return tuple(
        Group(
            tuple(a for a in extraction.allocations if find(a.name) == root),
            tuple(site for site, names in seen if find(names[0]) == root),
            tuple(site for site, names in unseen if find(names[0]) == root),
        )
        for root in used
    )


def joined(parts: Sequence[tuple[Group, Issues]]) -> tuple[Group, Issues]:
    """Groups of several kernels that are one storage, as one, and the instructions of all.

    Accesses are numbered anew, through all of them.
    """
    accesses: list[SharedAccess] = []
    issues: dict[int, tuple[Issue, ...]] = {}
    for group, known in parts:
        for site in group.accesses:
            number, old = len(accesses), site.access.shared_index
            issues |= {number: known[old]} if old in known else {}
            accesses.append(replace(site, access=replace(site.access, shared_index=number)))
    names = {a.name: a for group, _ in reversed(parts) for a in group.allocations}
    unseen = tuple(site for group, _ in parts for site in group.unseen)
    return Group(tuple(reversed(names.values())), tuple(accesses), unseen), issues


def tile_of(group: Group, issues: Issues) -> Tile | Refusal:
    """A group as a tile with its accesses, each as it is issued now.

    An access that ``issues`` does not know is left to the width policy. Buffers of an odd number
    (3 stages) that no access leaves are one buffer, and its batch.
    """
    shapes = {(a.shape, a.strides, a.element_bytes) for a in group.allocations}
    first = group.allocations[0]
    if len(shapes) > 1:
        return Refusal(f"{group.names} share accesses but not their shape", first.location)
    if not first.shape:
        return Refusal(f"{first.name} is one element, no layout moves it", first.location)
    if not row_major(first):
        return Refusal(f"{first.name} is not row-major", first.location)
    for site in group.accesses:
        if site.access.element_bytes != first.element_bytes:
            reason = f"{first.name} is also accessed with another element type"
            return Refusal(reason, site.access.location)
    row, size = rows_of(group)[0], prod(first.shape)
    shape = Shape((("n", row), ("m", size // row)), 8 * first.element_bytes)
    uses = [use_of(site, issues.get(site.access.shared_index, ())) for site in group.accesses]
    tile = Tile(shape, tuple(uses))
    if shape.bits is not None or len(first.shape) < 2:
        return tile
    each = size // row // first.shape[0] or 1
    outer = ("stage", size // row // each)
    dims = (("n", row), ("m", each), outer)
    one = stages(replace(tile, shape=Shape(dims, shape.element_bits)))
    return one if one.batch > 1 else tile


def use_of(site: SharedAccess, issues: tuple[Issue, ...]) -> Use:
    """One access of a kernel, all waves and rounds; the passes of copies are not counted."""
    access = site.access
    size = access.element_bytes
    starts = np.concatenate([elements(p, size) for p in access.patterns])
    times = np.concatenate([np.full(len(p.offsets_bytes), p.executions) for p in access.patterns])
    return Use(
        f"access {access.shared_index}",
        access.direction,
        runs(starts, access.width_bytes // size),
        np.concatenate([p.active for p in access.patterns]),
        () if access.kind in COPIES else issues,
        access.alignment_bytes,
        int(times.sum()),
        access.kind,
        operation=access.variant,
        times=times,
    )


def elements(pattern: Pattern, element_bytes: int) -> IntArray:
    """First element of every lane, [waves, lanes]."""
    return pattern.offsets_bytes // element_bytes


def row_major(allocation: Allocation) -> bool:
    """Whether rows follow each other without a gap, the last dimension the fastest."""
    step = 1
    for size, stride in zip(reversed(allocation.shape), reversed(allocation.strides), strict=True):
        if stride != step:
            return False
        step *= size
    return True


def rows_of(group: Group) -> list[int]:
    """How long rows may be: the last dimension's size; of a flat allocation the largest stride of
    its views, or any power of two that divides it."""
    first = group.allocations[0]
    if len(first.shape) > 1:
        return [first.strides[-2]]
    strides = [s for site in group.accesses if site.base for s in site.base.strides[:-1]]
    size = first.shape[0]
    powers = [1 << n for n in range(size.bit_length()) if size % (1 << n) == 0]
    return [max(strides)] if strides else powers[::-1]
