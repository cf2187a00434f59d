"""Accesses of one shape and of the same instructions, as arrays of all of them.

A kernel has hundreds of accesses and a handful of shapes: what is done to all that are alike at
once takes little longer than what is done to one. What differs by no more than a shift of whole
words is counted alike: one execution stands for the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bankwise.algebra.address import AddressMap, keeps_runs
from bankwise.counting.access import BoolArray, IntArray, row_bytes
from bankwise.counting.conflict import count
from bankwise.hardware.machine import BANK_BYTES, Machine
from bankwise.hardware.policies import Issue
from bankwise.identity import ByIdentity
from bankwise.tile import COPIES, Use, moves_in_runs, times_of

MOST_ELEMENTS = 1 << 20
"""Of one array of accesses that are alike; larger ones gain nothing by being copied."""


class UsesAlike(ByIdentity, frozen=True, eq=False):
    """``numbers``: of the accesses among all; ``first``: one of them, for what they share.

    ``elements``: [accesses, executions, lanes, elements of a lane], ``active``: the same but for
    the last axis, ``times``: of each execution; ``in_runs``: whether all of them move runs.
    """

    numbers: tuple[int, ...]
    first: Use
    elements: IntArray
    active: BoolArray
    times: IntArray
    in_runs: bool


def alike(uses: Sequence[Use]) -> tuple[UsesAlike, ...]:
    """The accesses that are no copies, those together that are alike."""
    groups: list[list[int]] = []
    last: dict[object, list[int]] = {}
    for number, use in enumerate(uses):
        if use.kind in COPIES:
            continue
        key = use.elements.shape, use.issues, use.alignment_bytes, use.kind, use.named
        some = last.get(key)
        if some is None or (len(some) + 1) * use.elements.size > MOST_ELEMENTS:
            some = last[key] = []
            groups.append(some)
        some.append(number)
    return tuple(_stacked(uses, some) for some in groups)


def _stacked(uses: Sequence[Use], numbers: Sequence[int]) -> UsesAlike:
    elements = np.stack([uses[n].elements for n in numbers])
    active = np.stack([uses[n].active for n in numbers])
    times = np.stack([times_of(uses[n]) for n in numbers])
    together = moves_in_runs(elements, active)
    return UsesAlike(tuple(numbers), uses[numbers[0]], elements, active, times, together)


def starts_of(
    elements: IntArray, active: BoolArray, in_runs: bool, address: AddressMap
) -> IntArray | None:
    """Where the first elements of all lanes lie under a layout; None where what a lane moves at
    once is apart. ``elements``: [.., lanes, elements of a lane]; ``in_runs``: whether these are
    runs."""
    span = elements.shape[-1]
    if span == 1 or (in_runs and keeps_runs(address, span)):
        return address(elements[..., 0])
    ends = address(elements[..., :: span - 1])
    if ((ends[..., 1] - ends[..., 0] != span - 1) & active).any():
        return None
    placed = address(elements)
    together = placed[..., 1:] - placed[..., :-1] == 1
    if together.all() or together[active].all():
        return placed[..., 0]
    return None


def representatives(offsets: IntArray, active: BoolArray) -> tuple[IntArray, IntArray]:
    """The executions [.., lanes] that differ by more than a shift of whole words, by their numbers,
    and for each execution which of these stands for it."""
    if len(offsets) < 4:
        every = np.arange(len(offsets))
        return every, every
    words = BANK_BYTES
    least = offsets.min(axis=1, keepdims=True) // words * words
    first, which = dict[bytes, int](), list[int]()
    rows: list[int] = []
    for number, key in enumerate(row_bytes(np.where(active, offsets - least, -1))):
        at = first.setdefault(key, len(rows))
        if at == len(rows):
            rows.append(number)
        which.append(at)
    return np.array(rows), np.array(which)


class PlacedGroup(ByIdentity, frozen=True, eq=False):
    """What has to be counted for accesses that become the same instructions under one layout.

    ``numbers``: of the accesses; ``bytes_``: [different, lanes]; ``which`` of these each execution
    is, and its ``times``: [accesses, executions].
    """

    numbers: Sequence[int]
    issues: tuple[Issue, ...]
    bytes_: IntArray
    active: BoolArray
    which: IntArray
    times: IntArray


def tallies(machine: Machine, placed: Sequence[PlacedGroup]) -> list[tuple[list[int], list[int]]]:
    """Passes and ideal of the accesses of each group, all of their executions together."""
    sums = [np.zeros((2, len(each.times)), np.int64) for each in placed]
    issued: dict[str, list[tuple[int, int]]] = {}
    for number, each in enumerate(placed):
        for issue in each.issues:
            issued.setdefault(issue.instruction, []).append((number, issue.offset_bytes))
    for name, parts in issued.items():
        offsets = np.concatenate([placed[n].bytes_ + start for n, start in parts])
        active = np.concatenate([placed[n].active for n, _ in parts])
        counted, at = count(machine.instruction(name), offsets, active), 0
        for number, _ in parts:
            each = placed[number]
            part = slice(at, at + len(each.bytes_))
            for total, found in zip(sums[number], (counted.passes, counted.ideal), strict=True):
                total += (found[part][each.which] * each.times).sum(axis=1)
            at = part.stop
    return [(passes, ideal) for passes, ideal in (each.tolist() for each in sums)]
