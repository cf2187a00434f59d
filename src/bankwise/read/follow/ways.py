"""Facts that hold at an instruction whatever way led there, worked out before anything runs.

A fact is a value for each name (a register); two ways that meet join what they know name by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")
Facts = dict[str, T]
Change = Callable[[int, Facts[T]], None]
"""What an instruction, by its number, changes about the facts."""
Ways = Sequence[tuple[int, ...]]
"""Where control may go from each instruction."""
_NOTHING = object()


def facts_before(
    ways: Ways, change: Change[T], join: Callable[[T, T], T]
) -> dict[int, Mapping[str, T]]:
    """The facts before every instruction that control may reach from the first. ``join`` has to
    lose something every time that it changes a value, and leaves two that are the same."""
    leaders = {0, *(to for n, after in enumerate(ways) for to in after if after != (n + 1,))}
    at_start: dict[int, Facts[T]] = {0: {}}
    found: dict[int, Mapping[str, T]] = {}
    waiting = [0]
    while waiting:
        number = waiting.pop()
        facts = dict(at_start[number])
        while number < len(ways):
            found[number] = dict(facts)
            change(number, facts)
            if ways[number] == (number + 1,) and number + 1 not in leaders:
                number += 1
                continue
            waiting += [to for to in ways[number] if _joined(at_start, to, facts, join)]
            break
    return found


def _joined(
    at_start: dict[int, Facts[T]], number: int, facts: Facts[T], join: Callable[[T, T], T]
) -> bool:
    """Join ``facts`` to those of a place; whether that changes them."""
    known = at_start.get(number)
    if known is None:
        at_start[number] = dict(facts)
        return True
    changed = False
    for name, value in facts.items():
        if known.get(name, _NOTHING) is value:
            continue
        new = join(known[name], value) if name in known else value
        changed |= name not in known or new != known[name]
        known[name] = new
    return changed
