"""Deciding what to swizzle: which allocations share a map, which map, and why not.

Two allocations that one access may touch (rotating buffers) must use the same map; so must all
readers and writers of an allocation. A :class:`Plan` is therefore made for a whole group or not at
all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from bankwise.algebra.address import Linear, RowFold, Run, XorFold, XorRuns
from bankwise.counting.access import Allocation, IntArray, Pattern
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.policies import Issue
from bankwise.read.mlir.extract import Extraction, SharedAccess
from bankwise.solver.address import xor_terms
from bankwise.solver.allocation import Best, best_layout
from bankwise.solver.folds import Demand, Found, Piece, Tile, best_fold, weighted_passes

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


@dataclass(frozen=True, slots=True)
class Plan:
    """The map chosen for a group, and what the exact solver says is the optimum."""

    group: Group
    tile: Tile
    found: Found
    best: Best

    @property
    def fold(self) -> RowFold:
        """The fold to apply; only plans that help have one."""
        assert isinstance(self.found.address, XorFold | XorRuns)
        return self.found.address


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


def plan(group: Group, issues: Issues, machine: Machine) -> Plan | Refusal:
    """The best fold for a group, or the reason why none may be applied."""
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
        if site.access.shared_index not in issues:
            reason = f"{first.name} has an access whose instruction is unknown"
            return Refusal(reason, site.access.location)
        if site.first_element:
            reason = f"{first.name}: one index cannot swizzle the separate pieces of this vector"
            return Refusal(reason, site.access.location)
    tiles = [
        Tile(row, int(np.prod(first.shape)), first.element_bytes) for row in _rows(group, first)
    ]
    demands = [d for site in group.accesses for d in _demands(site, issues, machine, tiles[0])]
    fixed = [
        p for site in group.accesses if site.access.kind in ("dma", "async") for p in _fixed(site)
    ]
    plans = [_plan(group, tile, demands, fixed, machine) for tile in tiles]
    return min(plans, key=lambda p: p.found.passes)


def _plan(
    group: Group, tile: Tile, demands: list[Demand], fixed: list[Piece], machine: Machine
) -> Plan:
    """The best XOR fold, or what the solver found if that is better and keeps rows."""
    found = best_fold(demands, tile, fixed)
    best = best_layout(demands, tile, machine, fixed)
    runs = None
    if best.passes < found.passes and best.rows is not None:
        runs = row_runs(best.rows, tile.row)
    if runs is not None:
        passes = weighted_passes(runs, demands, tile.element_bytes)
        if passes < found.passes:
            found = replace(found, address=runs, passes=passes)
    return Plan(group, tile, found, best)


def row_runs(address: Linear, row: int) -> XorRuns | None:
    """A linear map as row bits folded into columns; None if it moves rows or folds column bits."""
    terms = xor_terms(address.bases)
    if terms is None or any((mask << shift) & (row - 1) or mask >= row for shift, mask in terms):
        return None
    return XorRuns(row, tuple(run for shift, mask in terms for run in _runs(shift, mask)))


def _runs(shift: int, mask: int) -> list[Run]:
    """The contiguous runs of bits of ``(offset >> shift) & mask``."""
    runs, bit = [], 0
    while mask >> bit:
        start = bit
        while mask >> bit & 1:
            bit += 1
        if bit > start:
            runs.append(Run(1 << (shift + start), 1 << (bit - start), 1 << start))
        bit += 1
    return runs


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


def _rows(group: Group, allocation: Allocation) -> list[int]:
    """How long rows may be: the last dimension's size; of a flat allocation the largest stride of
    its views, or any power of two that divides it."""
    if len(allocation.shape) > 1:
        return [allocation.strides[-2]]
    strides = [s for site in group.accesses if site.base for s in site.base.strides[:-1]]
    size = allocation.shape[0]
    powers = [1 << n for n in range(size.bit_length()) if size % (1 << n) == 0]
    return [max(strides)] if strides else powers[::-1]


def _demands(site: SharedAccess, issues: Issues, machine: Machine, tile: Tile) -> list[Demand]:
    if site.access.kind in ("dma", "async"):
        return []
    return [
        Demand(
            machine.instruction(issue.instruction),
            elements(pattern, tile.element_bytes),
            pattern.active,
            site.access.width_bytes // tile.element_bytes,
            issue.offset_bytes,
            pattern.executions,
        )
        for pattern in site.access.patterns
        for issue in issues[site.access.shared_index]
    ]


def _fixed(site: SharedAccess) -> list[Piece]:
    span = site.access.width_bytes // site.access.element_bytes
    return [
        Piece(elements(p, site.access.element_bytes)[p.active], span) for p in site.access.patterns
    ]


def coalescing(plan: Plan) -> str:
    """What permuting the sources of direct-to-LDS copies does to global memory, in words.

    A wave that fills whole groups of chunks fetches the same addresses as before, in another order
    of lanes; a wave that fills parts of one fetches from more places.
    """
    sites = [s for s in plan.group.accesses if s.access.kind in ("dma", "async")]
    if not sites:
        return ""
    waves = same = 0
    for site in sites:
        for pattern in site.access.patterns:
            slots = elements(pattern, site.access.element_bytes)
            for wave, active in zip(slots, pattern.active, strict=True):
                waves += 1
                same += set(wave[active].tolist()) == set(plan.fold(wave[active]).tolist())
    if same == waves:
        return "direct-to-LDS copies: every wave still fetches the same addresses, lanes permuted"
    return f"direct-to-LDS copies: {waves - same} of {waves} waves fetch from other addresses"
