"""Where the machine brings lanes together: convergence barriers, as SASS names them.

    BSSY B0, L2        the running lanes are to meet at L2
    @P0 BRA L1
    ..
    @P1 BREAK B0       lanes that will not come, each on a way of its own from here
    L1: BSYNC B0       who comes waits for the others
    L2:

Lanes that part are brought together where a barrier of theirs waits: two sides that fall into the
same block run it one after the other where no barrier stands before it, though every way leads
there. A lane that has left a barrier is on a way that leads to another one's wait, so what a lane
waits for follows from where it goes. Beside that the machine may run groups together that happen to
be at one place: see :mod:`merging`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

GatherDoes = Literal["set", "wait", "leave", "yield", "sync"]


class Gather(Struct, frozen=True):
    """What an instruction does to the barrier ``name``; a "yield" undoes all, a "sync" is waited at
    by lanes that no barrier names."""

    name: str
    does: GatherDoes


Live = tuple[int, ...]
"""The places where lanes wait, the outermost first."""


class Gathers(Struct, frozen=True):
    """``live[b]``: the blocks where lanes wait that part at the end of block ``b``, the innermost
    last. ``set_in[b]``: those of barriers that block ``b`` sets anew. ``waits``, ``yields``,
    ``syncs``: the blocks that begin with a wait, or that have one of the others. ``told``: the
    language says where lanes meet, so that where it does not they do not. ``names``: the barrier
    that is waited for at a place."""

    live: Mapping[int, Live]
    set_in: Mapping[int, Live]
    waits: frozenset[int] = frozenset()
    yields: frozenset[int] = frozenset()
    syncs: frozenset[int] = frozenset()
    names: Mapping[int, str] = {}
    told: bool = True


NO_GATHERS = Gathers({}, {}, told=False)


def gathers(orders: Sequence[Sequence[Gather]], after: Sequence[Sequence[int]]) -> Gathers:
    """Of a program whose blocks give these ``orders``; a block that waits begins with that."""
    end = len(orders)
    places = _places(orders, after)
    entered: dict[int, Live] = {0: ()}
    left: dict[int, Live] = {}
    waiting = [0]
    while waiting:
        block = waiting.pop()
        left[block] = _behind(block, orders[block], places, entered[block])
        for way in after[block]:
            if way == end:
                continue
            known = entered.get(way)
            new = left[block] if known is None else _both(known, left[block])
            if new != known:
                entered[way] = new
                waiting.append(way)
    before = _before(after)
    asked = {place for live in left.values() for place in live}
    leads = {place: _leads(place, places, before) for place in asked}
    live = {b: tuple(p for p in some if b in leads[p]) for b, some in left.items()}
    sets = {
        b: tuple(places[b, n] for n, one in enumerate(some) if (b, n) in places)
        for b, some in enumerate(orders)
    }
    waits, yields, syncs = (
        frozenset(b for b, some in enumerate(orders) if any(one.does == does for one in some))
        for does in ("wait", "yield", "sync")
    )
    return Gathers(
        live={b: some for b, some in live.items() if some},
        set_in={b: s for b, s in sets.items() if s},
        waits=waits,
        yields=yields,
        syncs=syncs,
        names={place: orders[block][n].name for (block, n), place in places.items()},
    )


def _before(after: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """The blocks that lead to each."""
    found: dict[int, list[int]] = {}
    for block, ways in enumerate(after):
        for way in ways:
            found.setdefault(way, []).append(block)
    return found


def _both(one: Live, other: Live) -> Live:
    return tuple(place for place in one if place in other)


def _places(
    orders: Sequence[Sequence[Gather]], after: Sequence[Sequence[int]]
) -> dict[tuple[int, int], int]:
    """Where the lanes wait that a barrier is set for, by block and number of the order there; of
    none of which that is several places."""
    found: dict[tuple[int, int], int] = {}
    for block, some in enumerate(orders):
        for number, one in enumerate(some):
            if one.does == "set":
                waits = _waits(one.name, block, number, orders, after)
                if len(waits) == 1:
                    found[block, number] = waits.pop()
    return found


def _waits(
    name: str,
    block: int,
    number: int,
    orders: Sequence[Sequence[Gather]],
    after: Sequence[Sequence[int]],
) -> set[int]:
    """The blocks that wait for a barrier that is set here."""
    found: set[int] = set()
    seen: set[int] = set()
    waiting = [(block, number + 1)]
    while waiting:
        at, start = waiting.pop()
        stop = False
        for one in orders[at][start:]:
            if one.name == name and one.does == "wait":
                found.add(at)
            stop |= one.name == name and one.does in ("wait", "set")
            if stop:
                break
        for way in () if stop else after[at]:
            if way < len(orders) and way not in seen:
                seen.add(way)
                waiting.append((way, 0))
    return found


def _behind(
    block: int, orders: Sequence[Gather], places: Mapping[tuple[int, int], int], live: Live
) -> Live:
    """What lanes wait for behind a block that they entered with ``live``."""
    if block in live:
        live = live[: live.index(block)]
    for number, _ in enumerate(orders):
        place = places.get((block, number))
        if place is not None:
            live = (*(one for one in live if one != place), place)
    return live


def _leads(
    place: int, places: Mapping[tuple[int, int], int], before: Mapping[int, Sequence[int]]
) -> set[int]:
    """The blocks from whose end a way leads to ``place`` on which its barrier is not set again."""
    sets = {b for (b, _), to in places.items() if to == place}
    found: set[int] = set()
    waiting = [place]
    while waiting:
        for block in before.get(waiting.pop(), ()):
            if block not in found:
                found.add(block)
                if block not in sets and block != place:
                    waiting.append(block)
    return found
