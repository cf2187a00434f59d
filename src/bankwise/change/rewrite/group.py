"""Allocations that must share one map, and all of their accesses as a tile.

Two allocations that one access may touch (rotating buffers) must use the same map; so must all
readers and writers of an allocation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra.address import AddressMap
from bankwise.algebra.offset import Shape
from bankwise.counting.access import Allocation, IntArray, Pattern
from bankwise.errors import Refusal
from bankwise.hardware.policies import Issue
from bankwise.read.mlir.extract import Extraction, SharedAccess
from bankwise.read.mlir.joined import JoinedStore
from bankwise.read.mlir.joins import Joins
from bankwise.tile import COPIES, Tile, Use, runs, stages

Issues = Mapping[int, tuple[Issue, ...]]
"""The instructions of each access, by its ``shared_index``."""

_NOTHING = Joins((), {})


class Group(Struct, frozen=True):
    """Allocations that must share one map, and every access to any of them.

    ``unseen``: accesses that the workgroup in question never executes, while another one may, or
    whose places only a run can tell: they cost nothing that is known, and go where the others go.
    ``joins``: what the compiler joins and drops of the accesses, by ``shared_index``.
    """

    allocations: tuple[Allocation, ...]
    accesses: tuple[SharedAccess, ...]
    unseen: tuple[SharedAccess, ...] = ()
    joins: Joins = _NOTHING

    @property
    def every(self) -> tuple[SharedAccess, ...]:
        """All accesses, the unseen ones last."""
        return (*self.accesses, *self.unseen)

    @property
    def names(self) -> str:
        """The allocations' names, for messages."""
        return ", ".join(a.name for a in self.allocations)


def groups(extraction: Extraction, joins: Joins = _NOTHING) -> tuple[Group, ...]:
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
    found = (
        Group(
            tuple(a for a in extraction.allocations if find(a.name) == root),
            tuple(site for site, names in seen if find(names[0]) == root),
            tuple(site for site, names in unseen if find(names[0]) == root),
        )
        for root in used
    )
    return tuple(replace(group, joins=_within(group, joins)) for group in found)


def _within(group: Group, joins: Joins) -> Joins:
    """What is joined and dropped of one group: neighbours lie in one allocation."""
    own = {site.access.shared_index for site in group.accesses}
    repeated = {n: earlier for n, earlier in joins.repeated.items() if n in own}
    return Joins(tuple(run for run in joins.runs if run[0] in own), repeated)


def joined(parts: Sequence[tuple[Group, Issues]]) -> tuple[Group, Issues]:
    """Groups of several kernels that are one storage, as one, and the instructions of all.

    Accesses are numbered anew, through all of them.
    """
    accesses: list[SharedAccess] = []
    issues: dict[int, tuple[Issue, ...]] = {}
    together: list[tuple[int, ...]] = []
    repeated: dict[int, int] = {}
    for group, known in parts:
        new: dict[int, int] = {}
        for site in group.accesses:
            number, old = len(accesses), site.access.shared_index
            new[old] = number
            issues |= {number: known[old]} if old in known else {}
            accesses.append(replace(site, access=replace(site.access, shared_index=number)))
        together += (tuple(new[n] for n in run) for run in group.joins.runs)
        repeated |= {new[n]: new[earlier] for n, earlier in group.joins.repeated.items()}
    names = {a.name: a for group, _ in reversed(parts) for a in group.allocations}
    unseen = tuple(site for group, _ in parts for site in group.unseen)
    joins = Joins(tuple(together), repeated)
    return Group(tuple(reversed(names.values())), tuple(accesses), unseen, joins), issues


def neighbours(group: Group, layout: AddressMap) -> Mapping[int, SharedAccess]:
    """Of stores that are joined, and stay neighbours under a map, the first, by the others'
    numbers; of loads of what one of those stored, the same."""
    sites = {site.access.shared_index: site for site in group.accesses}
    found: dict[int, SharedAccess] = {}
    for run in group.joins.runs:
        lead = sites[run[0]]
        for number in run[1:]:
            if _together(lead, sites[number], layout):
                found[number] = lead
            else:
                lead = sites[number]
    repeated = group.joins.repeated.items()
    return found | {n: found[earlier] for n, earlier in repeated if earlier in found}


def _together(lead: SharedAccess, site: SharedAccess, layout: AddressMap) -> bool:
    """Whether a map leaves an access where it is, seen from another one."""
    size, span = site.access.element_bytes, site.access.width_bytes // site.access.element_bytes
    for one, other in zip(lead.access.patterns, site.access.patterns, strict=True):
        here, there = elements(one, size)[one.active], elements(other, size)[other.active]
        every = runs(there, span)
        if (layout(every) - layout(here)[:, None] != every - here[:, None]).any():
            return False
    return True


def as_compiled(group: Group) -> tuple[str, ...]:
    """What its passes are of, where the compiler makes something else of its accesses."""
    joins = group.joins
    joined = "stores that the compiler joins are one access" if joins.runs else ""
    dropped = "loads that it drops are none" if joins.repeated else ""
    return (", ".join(filter(None, (joined, dropped))),) if joined or dropped else ()


def tile_of(group: Group, issues: Issues, stores: Sequence[JoinedStore] = ()) -> Tile | Refusal:
    """A group as a tile with its accesses, each as it is issued now; ``stores``: as one each.

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
    tile = Tile(shape, tuple(_uses(group, issues, stores)))
    if shape.bits is not None or len(first.shape) < 2:
        return tile
    each = size // row // first.shape[0] or 1
    outer = ("stage", size // row // each)
    dims = (("n", row), ("m", each), outer)
    one = stages(replace(tile, shape=Shape(dims, shape.element_bits)))
    return one if one.batch > 1 else tile


def _uses(group: Group, issues: Issues, stores: Sequence[JoinedStore]) -> Iterator[Use]:
    """The accesses that are left: joined stores as the first of them, dropped loads not at all."""
    first = {store.sites[0].access.shared_index: store for store in stores}
    gone = {site.access.shared_index for store in stores for site in store.sites[1:]}
    gone |= group.joins.repeated.keys()
    for site in group.accesses:
        number = site.access.shared_index
        if number in first:
            store = first[number]
            width = sum(each.access.width_bytes for each in store.sites)
            whole = replace(site, access=replace(site.access, width_bytes=width))
            yield use_of(whole, store.issues)
        elif number not in gone:
            yield use_of(site, issues.get(number, ()))


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
