"""All accesses of a tile stacked by instruction, so that many layouts are counted at once.

Waves that are translates of each other over F2 count alike under every linear map, so one of them
stands for all (:func:`stacked` with ``translates``). It is a means of choosing: what was chosen is
counted again on every access (:func:`bankwise.solver.price.cost`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

import numpy as np
from msgspec.structs import replace

from bankwise.algebra.address import AddressMap
from bankwise.counting.access import BoolArray, IntArray, row_bytes
from bankwise.counting.conflict import count
from bankwise.hardware.machine import Instruction, Machine
from bankwise.hardware.policies import Issue
from bankwise.identity import ByIdentity
from bankwise.tile import Tile, Use

MOST_LANES = 8_000_000
"""Lane addresses that are counted in search of one tile's layout; more is not searched."""

_AT_ONCE = 1_000_000


class Stack(ByIdentity, frozen=True, eq=False):
    """Executions of one instruction. ``elements``: int64 [executions, lanes], the first element.

    ``offset_bytes``: [executions, 1], where in its access the instruction starts; ``weights``:
    [executions], in a unit that all stacks of a tile share. ``lanes``: of all executions, those too
    for which an equal one stands.
    """

    instruction: Instruction
    elements: IntArray
    active: BoolArray
    offset_bytes: IntArray
    weights: IntArray
    lanes: int


def stacked(tile: Tile, machine: Machine, *, translates: bool) -> tuple[Stack, ...]:
    """The accesses that are counted, each with its issues, by instruction.

    ``translates``: the maps to come are all linear, so one execution stands for its translates.
    """
    uses = [use for use in tile.uses if use.counted]
    unit = lcm(*(use.weights[1] for use in uses)) if uses else 1
    parts: dict[tuple[str, bool], list[Stack]] = {}
    for use in uses:
        numbers, own = use.weights
        whole = translates and _aligned(use)
        for issue in use.issues:
            part = _part(use, issue, machine, numbers * (unit // own))
            key = (issue.instruction, whole)
            parts.setdefault(key, []).append(part)
    joined = ((key[1], _joined(part)) for key, part in parts.items())
    return tuple(_translated(stack) if own else _once(stack) for own, stack in joined)


def _part(use: Use, issue: Issue, machine: Machine, weights: IntArray) -> Stack:
    starts = use.elements[..., 0]
    offsets = np.full((len(starts), 1), issue.offset_bytes)
    row = machine.instruction(issue.instruction)
    return Stack(row, starts, use.active, offsets, weights, starts.size)


def _aligned(use: Use) -> bool:
    return not (use.elements[use.active][:, 0] % (1 << (use.span - 1).bit_length())).any()


def _translated(stack: Stack) -> Stack:
    """Each execution moved to begin at element 0, of equal ones the first; those without an active
    lane are left out."""
    lead = np.take_along_axis(stack.elements, stack.active.argmax(axis=1)[:, None], axis=1)
    moved = np.where(stack.active, stack.elements ^ lead, 0)
    found = _once(_at(replace(stack, elements=moved), np.flatnonzero(stack.active.any(axis=1))))
    return replace(found, lanes=found.elements.size)


def _once(stack: Stack) -> Stack:
    """Of equal executions the first, with the weight of all."""
    if not len(stack.weights):
        return stack
    arrays = stack.elements, stack.active, stack.offset_bytes
    first, same = dict[tuple[bytes, ...], int](), list[int]()
    chosen: list[int] = []
    for number, key in enumerate(zip(*map(row_bytes, arrays), strict=True)):
        at = first.setdefault(key, len(chosen))
        if at == len(chosen):
            chosen.append(number)
        same.append(at)
    weights = np.zeros(len(chosen), np.int64)
    np.add.at(weights, same, stack.weights)
    return replace(_at(stack, chosen), weights=weights)


def _at(stack: Stack, numbers: IntArray | list[int]) -> Stack:
    """Some of the executions."""
    return Stack(
        stack.instruction,
        stack.elements[numbers],
        stack.active[numbers],
        stack.offset_bytes[numbers],
        stack.weights[numbers],
        stack.lanes,
    )


def _joined(same: Sequence[Stack]) -> Stack:
    return Stack(
        same[0].instruction,
        np.concatenate([s.elements for s in same]),
        np.concatenate([s.active for s in same]),
        np.concatenate([s.offset_bytes for s in same]),
        np.concatenate([s.weights for s in same]),
        sum(s.lanes for s in same),
    )


def totals(stacks: Sequence[Stack], maps: Sequence[AddressMap], element_bits: int) -> IntArray:
    """Weighted passes of every map, in the stacks' own unit."""
    found = np.zeros(len(maps), np.int64)
    for stack in stacks:
        step = max(1, _AT_ONCE // max(1, stack.elements.size))
        for start in range(0, len(maps), step):
            images = np.stack([m(stack.elements) for m in maps[start : start + step]])
            offsets = images * element_bits // 8 + stack.offset_bytes
            counted = count(stack.instruction, offsets, stack.active)
            found[start : start + step] += (counted.passes * stack.weights).sum(axis=1)
    return found


def lanes(stacks: Sequence[Stack]) -> int:
    """Lane addresses of one layout."""
    return sum(stack.lanes for stack in stacks)
