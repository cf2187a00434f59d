"""Where lanes meet although some of them end before: ``return`` within a branch or a loop.

    if (a) { .. if (b) return; .. } else { .. }     no block is on every way from ``a``,
    rest                                            but all that does not end comes here

A post-dominator is the end of the kernel there; the hardware brings those that are left together
(SASS: BSSY before ``a`` names the place, and an EXIT takes its lanes off the list).
"""

from __future__ import annotations

from collections.abc import Collection

from bankwise.read.follow.merging import meeting_of
from bankwise.read.follow.program import EarlyJoin, Program, reached, ways_of
from bankwise.read.follow.values import Unknown


def early_join(program: Program, block: int) -> EarlyJoin | None:
    """Of the branch at the end of ``block``, if its lanes meet only at the end of the kernel, or at
    blocks with nothing but that."""
    if block not in program.early:
        program.early[block] = _found(program, block)
    return program.early[block]


def meeting(program: Program, block: int, why: Unknown) -> tuple[int, EarlyJoin | None]:
    """Where the lanes meet again that an open branch parts, also where some of them may end before:
    then every wave need not come there."""
    if why.uniform:
        return program.joins[block], None
    join, early = program.joins[block], early_join(program, block)
    if early is not None and early.join is not None:
        join = early.join
    else:
        early = None
    if program.gathers.told and join not in meeting_of(program, block).places:
        return len(program.blocks), None  # beyond a YIELD nobody waits there
    return join, early


def _found(program: Program, block: int) -> EarlyJoin | None:
    join, ways = program.joins[block], program.blocks[block].after
    if not _ends(program, join) or len(set(ways)) < 2 or any(_ends(program, w) for w in ways):
        return None
    first, second = (reached(program, [way]) for way in ways)
    common = {one for one in first & second if not _ends(program, one)}
    if not common:
        return None
    kept = _leading(program, {block} | first | second, common)
    place = _place(program, block, kept)
    if place is None:
        return EarlyJoin(None, frozenset(common), frozenset())
    inside = reached(program, ways, {place}) - {place}
    parts = (
        one for one in inside if not _ends(program, one) and _ends(program, program.joins[one])
    )
    last = (program.steps[program.blocks[one].stop - 1] for one in parts)
    lines = frozenset(step.line for step in last if step.flow == "branch")
    return EarlyJoin(place, frozenset(_leading(program, inside, {place})), lines)


def _ends(program: Program, block: int) -> bool:
    """Whether nothing is left to do but to end, or control is lost at once."""
    if block in program.endings:
        return True
    return program.steps[program.blocks[block].start].flow == "lost"


def _place(program: Program, block: int, kept: Collection[int]) -> int | None:
    """The first block on every way from ``block`` through those that are ``kept``, to where nothing
    but an end is left of them; a way out of them beside another is one that lanes end on."""
    route = _route(program, block, kept, None)
    live = program.gathers.live.get(block, ())
    for place in route[1:]:
        if live and place not in live:
            continue
        if not _route(program, block, kept, place):
            return place
    return None


def _route(program: Program, block: int, kept: Collection[int], without: int | None) -> list[int]:
    """A way from ``block`` to where all ends, not through ``without``; empty if there is none."""
    came: dict[int, int] = {block: block}
    waiting = [block]
    for one in waiting:
        ways = [way for way in ways_of(program, one) if way in kept]
        if not ways:
            route = [one]
            while route[-1] != block:
                route.append(came[route[-1]])
            return route[::-1]
        for way in ways:
            if way != without and way not in came:
                came[way] = one
                waiting.append(way)
    return []


def _leading(program: Program, among: Collection[int], to: Collection[int]) -> set[int]:
    """``to``, and the blocks ``among`` others that lead there."""
    before: dict[int, list[int]] = {}
    for one in among:
        for way in ways_of(program, one):
            before.setdefault(way, []).append(one)
    found, waiting = set(to), list(to)
    while waiting:
        new = set(before.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found
