"""Deciding what to swizzle: which allocations share a map, which map, and why not.

Two allocations that one access may touch (rotating buffers) must use the same map; so must all
readers and writers of an allocation. A :class:`GroupPlan` is therefore made for a whole group
or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from bankwise.algebra.address import RowFolds
from bankwise.algebra.offset import Shape
from bankwise.counting.access import Allocation, IntArray, Pattern
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.policies import Issue
from bankwise.read.mlir.extract import Extraction, SharedAccess
from bankwise.solver.best import Best, best
from bankwise.solver.plan import Plan
from bankwise.solver.search import Solution
from bankwise.solver.spaces import LAST_INDEX, LINEAR, SHUFFLE, Space, row_folds
from bankwise.tile import COPIES, Tile, Use, runs, stages

Issues = Mapping[int, tuple[Issue, ...]]
"""The instructions of each access, by its ``shared_index``."""


@dataclass(frozen=True, slots=True)
class Group:
    """Allocations that must share one map, and every access to any of them."""

    allocations: tuple[Allocation, ...]
    accesses: tuple[SharedAccess, ...]

    @property
    def names(self) -> str:
        """The allocations' names, for messages."""
        return ", ".join(a.name for a in self.allocations)


@dataclass(frozen=True, slots=True, eq=False)
class GroupPlan:
    """What is best for a group: of all linear layouts, and of those that the rewriter writes.

    ``anything`` is what ``check`` names, ``writable`` what ``fix`` does. ``wider``: where rows of
    the whole length leave conflicts, the best map of all row lengths that divide them: their own
    column bits fold too.
    """

    group: Group
    tile: Tile
    best: Best
    wider: Plan | None = None

    @property
    def anything(self) -> Plan:
        """The best of all linear layouts, where the accesses are linear."""
        return min(self.best.plans[0], self.writable, key=lambda plan: plan.passes)

    @property
    def writable(self) -> Plan:
        """The best map that the rewriter can put into a last index."""
        return self.choices[0]

    @property
    def choices(self) -> tuple[Plan, ...]:
        """What the rewriter may try, the fewest passes first."""
        plain = self.best.plans[1]
        wider = self.wider is not None and self.wider.passes < plain.passes
        return (self.wider, plain) if wider and self.wider is not None else (plain,)

    @property
    def shuffle(self) -> Plan:
        """The best map that is one xor_shuffle: what a hint says."""
        return self.best.plans[2]

    @property
    def helps(self) -> bool:
        """Whether there is something to write."""
        return self.writable.passes < self.best.present.passes


def fold_of(plan: Plan) -> RowFolds:
    """The fold to apply; only plans that help have one."""
    assert isinstance(plan.layout, RowFolds)
    return plan.layout


def groups(extraction: Extraction) -> tuple[Group, ...]:
    """The groups of allocations that are touched by common accesses, in program order."""
    leader = {a.name: a.name for a in extraction.allocations}

    def find(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for site in extraction.accesses:
        first, *rest = site.access.allocations
        for other in rest:
            leader[find(other)] = find(first)
    used = dict.fromkeys(find(s.access.allocations[0]) for s in extraction.accesses)
    return tuple(
        Group(
            tuple(a for a in extraction.allocations if find(a.name) == root),
            tuple(s for s in extraction.accesses if find(s.access.allocations[0]) == root),
        )
        for root in used
    )


def plan(group: Group, issues: Issues, machine: Machine) -> GroupPlan | Refusal:
    """The best layouts for a group, or the reason why none may be applied."""
    tile = _unwritable(group, issues) or tile_of(group, issues)
    if isinstance(tile, Refusal):
        return tile
    rows = _rows(group)
    folds = tuple(row_folds(tile, rows))
    spaces = [
        Space(LINEAR, folds, linear=True),
        Space(LAST_INDEX, folds, tuple(rows)),
        Space(SHUFFLE, folds),
    ]
    found = best(tile, machine, spaces)
    if isinstance(found, Refusal):
        return Refusal(f"{group.names}: {found.reason}", group.allocations[0].location)
    return GroupPlan(group, tile, found, _wider(tile, rows, found, machine))


def _wider(tile: Tile, rows: list[int], found: Best, machine: Machine) -> Plan | None:
    """The best map in rows of any length that divides ``rows``; None where it cannot gain."""
    proved = found.present.run.ideal
    if isinstance(found.proof, Solution):
        proved = found.proof.certificate.total_passes
    shorter = [1 << n for n in reversed(range(max(rows).bit_length()))]
    shorter = [n for n in shorter if n not in rows and not any(row % n for row in rows)]
    if found.plans[1].passes <= proved or not shorter:
        return None
    space = Space(LAST_INDEX, tuple(row_folds(tile, shorter)), tuple(shorter))
    again = best(tile, machine, [space], proof=found.proof)
    assert isinstance(again, Best), "it was priced before"
    return again.plans[0]


def _unwritable(group: Group, issues: Issues) -> Refusal | None:
    """Why no map may be written into the accesses of a group, whatever the map."""
    name = group.allocations[0].name
    for site in group.accesses:
        if site.access.shared_index not in issues:
            reason = f"{name} has an access whose instruction is unknown"
            return Refusal(reason, site.access.location)
        if site.first_element:
            reason = f"{name}: one index cannot swizzle the separate pieces of this vector"
            return Refusal(reason, site.access.location)
    return None


def tile_of(group: Group, issues: Issues) -> Tile | Refusal:
    """A group as a tile with its accesses, each as it is issued now.

    An access that ``issues`` does not know is left to the width policy. Buffers of an odd number
    (3 stages) that no access leaves are one buffer, and its batch.
    """
    shapes = {(a.shape, a.strides, a.element_bytes) for a in group.allocations}
    first = group.allocations[0]
    if len(shapes) > 1:
        return Refusal(f"{group.names} share accesses but not their shape", first.location)
    if not _row_major(first):
        return Refusal(f"{first.name} is not row-major", first.location)
    for site in group.accesses:
        if site.access.element_bytes != first.element_bytes:
            reason = f"{first.name} is also accessed with another element type"
            return Refusal(reason, site.access.location)
    row, size = _rows(group)[0], prod(first.shape)
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


def _row_major(allocation: Allocation) -> bool:
    step = 1
    for size, stride in zip(reversed(allocation.shape), reversed(allocation.strides), strict=True):
        if stride != step:
            return False
        step *= size
    return True


def _rows(group: Group) -> list[int]:
    """How long rows may be: the last dimension's size; of a flat allocation the largest stride of
    its views, or any power of two that divides it."""
    first = group.allocations[0]
    if len(first.shape) > 1:
        return [first.strides[-2]]
    strides = [s for site in group.accesses if site.base for s in site.base.strides[:-1]]
    size = first.shape[0]
    powers = [1 << n for n in range(size.bit_length()) if size % (1 << n) == 0]
    return [max(strides)] if strides else powers[::-1]


def coalescing(group: Group, plan: Plan) -> str:
    """What permuting the sources of direct-to-LDS copies does to global memory, in words.

    A wave that fills whole groups of chunks fetches the same addresses as before, in another order
    of lanes; a wave that fills parts of one fetches from more places.
    """
    sites = [s for s in group.accesses if s.access.kind in ("dma", "async")]
    if not sites:
        return ""
    waves = same = 0
    for site in sites:
        for pattern in site.access.patterns:
            slots = elements(pattern, site.access.element_bytes)
            for wave, active in zip(slots, pattern.active, strict=True):
                waves += 1
                same += set(wave[active].tolist()) == set(plan.layout(wave[active]).tolist())
    if same == waves:
        return "direct-to-LDS copies: every wave still fetches the same addresses, lanes permuted"
    return f"direct-to-LDS copies: {waves - same} of {waves} waves fetch from other addresses"
