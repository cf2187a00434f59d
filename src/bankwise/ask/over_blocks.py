"""What the classes of a launch's blocks say together, where a block's own index decides.

The class that is shown is the one with the most extra passes. An access that it does not execute,
and another class does, stands beside its own and runs no time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from bankwise.ask.over_launches import Counted, other_launch, place_of
from bankwise.counting.counted import AccessReport, repeated, summed
from bankwise.errors import Refusal
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.launch.boxes import where
from bankwise.show.values import BlockClass, OtherLaunch, surest

_ELSEWHERE = "runs in other blocks alone"


def same_launch(one: AssemblyKernel, other: AssemblyKernel) -> bool:
    """Whether two are classes of the blocks of one launch."""
    known = bool(one.boxes) and bool(other.boxes)
    return known and (one.name, str(one.launch)) == (other.name, str(other.launch))


def classes_of(
    found: AssemblyKernel, mine: Counted, others: Sequence[Counted]
) -> tuple[BlockClass, ...]:
    """The classes of the launch that is shown, its own first; none where there is one alone."""
    pairs = zip(found.others, others, strict=True)
    rest = [(kernel, counted) for kernel, counted in pairs if same_launch(kernel, found)]
    every = [(found, mine), *sorted(rest, key=lambda one: -one[0].blocks)]
    if not rest:
        return ()
    return tuple(
        BlockClass(where(one.boxes, one.launch.grid), one.blocks, tuple(counted))
        for one, counted in every
    )


def elsewhere(classes: Sequence[BlockClass]) -> Iterator[AccessReport]:
    """The accesses that the first class does not execute, and others do: as if run no time."""
    seen = {place_of(one) for each in classes[:1] for one in each.accesses}
    rest = [one for each in classes[1:] for one in each.accesses if place_of(one) not in seen]
    for place in dict.fromkeys(map(place_of, rest)):
        alike = [one for one in rest if place_of(one) == place]
        first = max(alike, key=lambda one: one.cost.extra)
        note = "; ".join(filter(None, (first.note, _ELSEWHERE)))
        told = surest(one.conflict for one in alike)
        yield replace(repeated(first, 0), note=note, over_launches=told)


def other_launches_of(found: AssemblyKernel, others: Sequence[Counted]) -> Iterator[OtherLaunch]:
    """The other launches of a kernel: each as its class of blocks with the most extra passes."""
    launches: dict[str, list[tuple[AssemblyKernel, Counted]]] = {}
    for number, pair in enumerate(zip(found.others, others, strict=True)):
        if not same_launch(pair[0], found):
            key = str(pair[0].launch) if pair[0].boxes else f"{number}"
            launches.setdefault(key, []).append(pair)
    for some in launches.values():
        worst = max(some, key=lambda one: sum(access.run.extra for access in one[1]))
        refused = max(other_launch(*one).refused for one in some)
        alike = worst[0].workgroup_size == found.workgroup_size
        grid = worst[0].launch.grid if alike else None
        told = replace(other_launch(*worst), refused=refused, grid=grid)
        costs = ((a.run * one.blocks, a.evidence) for one, counted in some for a in counted)
        yield replace(told, launch_added=summed(costs)) if len(some) > 1 else told


def refused_elsewhere(found: AssemblyKernel) -> tuple[Refusal, ...]:
    """What other blocks of the launch, and its other launches that are known, leave open that the
    shown ones do not."""
    others = (one for one in found.others if not found.launch.assumed or same_launch(one, found))
    more = dict.fromkeys(refusal for one in others for refusal in one.refusals)
    return tuple(refusal for refusal in more if refusal not in found.refusals)
