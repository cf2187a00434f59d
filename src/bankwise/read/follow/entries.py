"""Loops that are entered at several places, as by a jump into the middle of one.

    switch (n % 4) { case 0: do { ..
    case 3:               ..            every block of the loop may be its first, and no block of it
    case 2:               ..            is on every way to all others
    case 1:               .. } while (--k > 0); }

ptxas 13.0 sets no barrier within such a loop: lanes that enter it apart run apart until it ends.
"""

from __future__ import annotations

from collections.abc import Sequence


def blocks_of_many_entries(
    after: Sequence[Sequence[int]], order: Sequence[int], dominators: Sequence[int]
) -> frozenset[int]:
    """The blocks of loops that have several entries. ``order``: a block comes before those that it
    leads to, apart from ways back; ``dominators``: of each the last one on every way to it."""
    end = len(after)
    before: list[list[int]] = [[] for _ in range(end + 1)]
    for block, ways in enumerate(after):
        for way in ways:
            before[way].append(block)
    found: set[int] = set()
    for block in _reached([0], after, {end}):
        for way in after[block]:
            if way < end and order[way] <= order[block] and not _dominates(way, block, dominators):
                outside = {dominators[way]}
                found |= _reached([way], after, outside) & _reached([block], before, outside)
    return frozenset(found)


def _dominates(one: int, other: int, dominators: Sequence[int]) -> bool:
    while other != one and dominators[other] != other:
        other = dominators[other]
    return other == one


def _reached(starts: list[int], ways: Sequence[Sequence[int]], without: set[int]) -> set[int]:
    found, waiting = set[int](), list(starts)
    while waiting:
        one = waiting.pop()
        if one not in found and one not in without:
            found.add(one)
            waiting += ways[one] if one < len(ways) else ()
    return found
