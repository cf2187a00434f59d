"""Places in the source text: what ``loc(#loc7)`` stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bankwise.errors import Location
from bankwise.read.ttgir.text import split_top

_PLACE = re.compile(r'"([^"]*)":(\d+):(\d+)')
_NAMED = re.compile(r'"[^"]*"\((.*)\)')
_CALL = re.compile(r"callsite\((.*)\)")
_FUSED = re.compile(r"fused(?:<.*>)?\[(.*)\]")
_MOST = 64


def sources(text: str, locations: Mapping[str, str]) -> tuple[Location, ...]:
    """The places of an operation: of a call chain the innermost first; () if none is said."""
    found: list[Location] = []
    waiting = [text]
    for _ in range(_MOST):
        if not waiting:
            break
        _resolve(waiting.pop(0).strip(), locations, waiting, found)
    return tuple(dict.fromkeys(found))


def _resolve(
    text: str, locations: Mapping[str, str], waiting: list[str], found: list[Location]
) -> None:
    place, named = _PLACE.match(text), _NAMED.fullmatch(text)
    call, fused = _CALL.fullmatch(text), _FUSED.fullmatch(text)
    if place:
        found.append(Location(place[1], int(place[2]), int(place[3])))
    elif named:
        waiting.insert(0, named[1])
    elif call:
        waiting[:0] = split_top(call[1], " at ")
    elif fused:
        waiting[:0] = split_top(fused[1], ",")
    elif text in locations:
        waiting.insert(0, locations[text])
