"""Accesses of two levels of a Triton kernel, joined by their places in the source text.

What carries no place, or one that the other level does not have, is given one where just that is
lacking: LLVM leaves the line 0 at code that it merges. The rest stays without.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from bankwise.counting.cost import Cost
from bankwise.errors import Location
from bankwise.hardware.machine import Evidence


class LevelItem(Struct, frozen=True):
    """One access on one level. ``sources``: lines of the source text, innermost first; ``open``:
    what one execution costs is not known, and ``cost`` is the most."""

    direction: str
    buffer: str
    instruction: str
    executed: int
    width_bytes: int
    cost: Cost
    evidence: Evidence
    line: int
    sources: tuple[Location, ...]
    open: bool = False


Group = tuple[Location | None, str]

Sides = tuple[list[LevelItem], list[LevelItem]]
"""Accesses of both levels."""


def by_place(ours: Sequence[LevelItem], theirs: Sequence[LevelItem]) -> dict[Group, Sides]:
    """Both levels by source line and direction; without a partner, together."""
    known = {(i.sources[0].line, i.direction) for i in theirs if i.sources}
    placed: dict[Group, Sides] = defaultdict(lambda: ([], []))
    for item in ours:
        lines = [s for s in item.sources if (s.line, item.direction) in known]
        placed[_place(lines), item.direction][0].append(item)
    mine = {(g[0].line, g[1]) for g in placed if g[0] is not None}
    for item in theirs:
        lines = [s for s in item.sources if (s.line, item.direction) in mine]
        placed[_place(lines), item.direction][1].append(item)
    found = dict(sorted(placed.items(), key=lambda g: (g[0][0] is None, str(g[0]))))
    for direction in dict.fromkeys(direction for _, direction in found):
        if (None, direction) in found:
            _give_places(found, direction)
    return {group: sides for group, sides in found.items() if any(sides)}


def _give_places(groups: dict[Group, Sides], direction: str) -> None:
    """Code without a line, as LLVM leaves what it merges, goes to the lines of the same direction
    that lack just as much of this instruction at this price."""
    _, lost = groups[None, direction]
    for kind in dict.fromkeys(map(_kind, lost)):
        mine = [item for item in lost if _kind(item) == kind]
        lacking = {
            group: _often_of(sides[0], kind) - _often_of(sides[1], kind)
            for group, sides in groups.items()
            if group[0] is not None and group[1] == direction
        }
        wanted = {group: count for group, count in lacking.items() if count > 0}
        for item, group in _shared_out(mine, wanted):
            groups[group][1].append(item)
            lost.remove(item)


def _shared_out(
    items: Sequence[LevelItem], wanted: Mapping[Group, int]
) -> Sequence[tuple[LevelItem, Group]]:
    """Each item with its group, where each group gets as many executions as it lacks; else none."""
    left, found = dict(wanted), []
    for item in sorted(items, key=lambda one: -one.executed):
        group = max(left, key=left.__getitem__, default=None)
        if group is None or left[group] < item.executed:
            return ()
        left[group] -= item.executed
        found.append((item, group))
    return () if any(left.values()) else found


def _kind(item: LevelItem) -> tuple[str, frozenset[tuple[Fraction, Fraction]]]:
    return item.instruction, frozenset(rates([item]))


def _often_of(items: Sequence[LevelItem], kind: object) -> int:
    return sum(item.executed for item in items if _kind(item) == kind)


def _place(sources: Sequence[Location]) -> Location | None:
    """One place a line: columns differ between the levels."""
    return Location(sources[0].file, sources[0].line) if sources else None


def rates(items: Sequence[LevelItem]) -> set[tuple[Fraction, Fraction]]:
    """Passes, and ideal passes, of each access for each byte of a lane that it executes."""
    moved = [(item.cost, item.executed * item.width_bytes) for item in items]
    return {(Fraction(c.passes, n), Fraction(c.ideal, n)) for c, n in moved if n}
