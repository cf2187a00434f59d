"""How many loads of global memory a wave has in flight, and how often it waits for them.

A wave issues in order: it goes on behind a load until an instruction reads what one brings, or
writes where one will. All that were issued until then are taken to arrive together, a latency after
the first: between two waits less time passes than one takes (480 cycles on an H100, by Luo et al.,
"Dissecting the NVIDIA Hopper Architecture through Microbenchmarking", 2024).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Generic

from msgspec import Struct

from bankwise.read.assembly import LoadsInFlight
from bankwise.read.follow.decoded import I
from bankwise.read.follow.program import Program


class GlobalLoads(Struct, Generic[I], frozen=True):
    """What a language says of them. ``brings``: the registers that an instruction fills from global
    memory; ``names``: all that its operands name."""

    brings: Callable[[I], Collection[str]]
    names: Callable[[I], Collection[str]]


def loads_in_flight(
    code: Sequence[I], program: Program, loads: GlobalLoads[I] | None, runs: Mapping[int, int]
) -> LoadsInFlight:
    """In the straight pieces of a program that touch shared memory. ``runs``: how often all waves
    execute each access of shared memory, by its number: a piece runs as often."""
    most = waits = 0
    for block in program.blocks if loads is not None else ():
        numbers = range(block.start, block.stop)
        times = max((runs[n] for n in numbers if n in runs), default=0)
        if times and loads is not None:
            each = _waited(code[block.start : block.stop], loads)
            most, waits = max(most, *each, 0), waits + times * len(each)
    return LoadsInFlight(most, waits)


def _waited(code: Sequence[I], loads: GlobalLoads[I]) -> tuple[int, ...]:
    """The loads that a piece waits for together, each time; as if it ran before, since what it
    leaves in flight is waited for in the next round of its loop, or behind it."""
    pending: set[str] = set()
    found: list[int] = []
    issued = 0
    each = [(one, loads.brings(one)) for one in code]
    if not any(filled for _, filled in each):
        return ()
    for _ in range(2):
        found.clear()
        for one, filled in each:
            if pending and not pending.isdisjoint((*filled, *loads.names(one))):
                found.append(issued)
                pending.clear()
                issued = 0
            if filled:
                pending.update(filled)
                issued += 1
    return tuple(found)
