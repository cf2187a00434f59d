"""Loops that need not be run to their end.

If what a loop body does depends only on the values carried around the loop, then as soon as these
repeat, everything repeats: three buffers in rotation after three rounds, nothing carried after one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Literal

import numpy as np

from bankwise.counting.access import IntArray
from bankwise.identity import ByIdentity
from bankwise.read.mlir.value import Value, state

Certainty = Literal["sure", "may run", "any number"]
"""Of an execution: it happens; in a branch nobody decides; in a loop of unknown length."""

Key = tuple[int, int]
"""A footprint: access number, footprint number."""

Counts = Counter[tuple[Key, Certainty]]
"""How often each footprint occurs, as followed."""

Round = tuple[Counts, Sequence[Value]]
Body = Callable[[int, Sequence[Value]], Round | None]
"""One round: from its number and the carried values to what it touches and the next values.
None if no more rounds may be run."""


class Repetition(ByIdentity, frozen=True, eq=False):
    """A loop that was run: what it touches, and the carried values behind it.

    ``carried`` is None where nobody knows how often it runs and they change from round to round.
    """

    counts: Counts
    carried: Sequence[Value] | None


def rounds(lower: IntArray, upper: IntArray, step: IntArray) -> IntArray:
    """How often an scf.for runs, for each thread or for all: signed bounds, the upper exclusive."""
    count: IntArray = np.maximum(0, -((lower - upper) // step))
    return count


def run_all(body: Body, initial: Sequence[Value], count: int) -> Repetition | None:
    """Run every round. None if the body refused."""
    total: Counts = Counter()
    carried = initial
    for number in range(count):
        found = body(number, carried)
        if found is None:
            return None
        total.update(found[0])
        carried = found[1]
    return Repetition(total, carried)


def run_until_repeated(
    body: Body, initial: Sequence[Value], count: int | None
) -> Repetition | None:
    """Run rounds until the carried values repeat, and multiply. None if the body refused.

    For bodies that depend on nothing but the carried values. With ``count`` None, for a loop that
    runs nobody knows how often, each different round is counted once.
    """
    states: dict[Hashable, int] = {}
    history: list[Sequence[Value]] = [initial]
    found: list[Counts] = []
    while count is None or len(found) < count:
        key = tuple(state(value) for value in history[-1])
        if key in states:
            return _multiplied(found, history, states[key], count)
        states[key] = len(found)
        now = body(len(found), history[-1])
        if now is None:
            return None
        found.append(now[0])
        history.append(now[1])
    return Repetition(_sum(found, [1] * len(found)), history[-1])


def _multiplied(
    found: Sequence[Counts], history: Sequence[Sequence[Value]], first: int, count: int | None
) -> Repetition:
    """The whole loop from the rounds run, of which those from ``first`` on repeat for ever."""
    period = len(found) - first
    if count is None:
        constant = first == 0 and period == 1
        return Repetition(_sum(found, [1] * len(found)), history[0] if constant else None)
    weights = [
        1 if number < first else 1 + (count - 1 - number) // period for number in range(len(found))
    ]
    return Repetition(_sum(found, weights), history[first + (count - first) % period])


def _sum(found: Sequence[Counts], weights: Sequence[int]) -> Counts:
    total: Counts = Counter()
    for counts, weight in zip(found, weights, strict=True):
        for key, times in counts.items():
            total[key] += times * weight
    return total
