"""What several launches of one kernel say together about each of its accesses.

Where the launches are known, a conflict in one of them is a conflict. Where they are assumed, it is
sure only if every one of them has it, and "none" only if none has, or none that the text speaks
for: otherwise it is possible. So it is where one launch alone was tried.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

from msgspec.structs import replace

from bankwise.counting.counted import AccessReport, Sureness, added
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.launch.boxes import where
from bankwise.show.values import OtherLaunch, surest

Counted = Sequence[AccessReport]


def worst_first(
    found: AssemblyKernel, counted: Callable[[AssemblyKernel], Counted]
) -> tuple[AssemblyKernel, tuple[Counted, ...]]:
    """The kernel under the launch to show, and the accesses of its others: of launches that are
    known the worst comes first, assumed ones keep their order."""
    launches = [(one, counted(one)) for one in (found, *found.others)] if found.others else []
    if launches and not found.launch.assumed:
        launches.sort(key=lambda one: -sum(access.run.extra for access in one[1]))
    if not launches:
        return found, ()
    (first, _), *rest = launches
    others = tuple(replace(one, others=()) for one, _ in rest)
    first = replace(first, others=others, openers=found.openers)
    return first, tuple(accesses for _, accesses in rest)


def over_launches(
    first: Counted, others: Sequence[Counted], assumed: bool, likely: int = 0
) -> tuple[AccessReport, ...]:
    """The accesses of the first launch with what all of them say; ``assumed``: nobody says them.
    ``likely``: how many of the first the text speaks for; 0 if for none more than for another."""
    if not others:
        return tuple(map(_alone, first)) if assumed else tuple(first)
    found: dict[Hashable, list[Sureness]] = defaultdict(lambda: ["none"] * (1 + len(others)))
    for number, launch in enumerate((first, *others)):
        mine: dict[Hashable, list[Sureness]] = defaultdict(list)
        for one in launch:
            mine[place_of(one)].append(one.conflict)
        for place, conflicts in mine.items():
            found[place][number] = surest(conflicts)
    return tuple(
        replace(one, over_launches=_together(found[place_of(one)], assumed, likely))
        for one in first
    )


def _alone(access: AccessReport) -> AccessReport:
    """An access under the only launch that was tried, of those that may be."""
    return access if access.conflict == "none" else replace(access, over_launches="possible")


def place_of(access: AccessReport) -> Hashable:
    """Equal for one access in several launches."""
    return access.location, access.address, access.written, access.direction


def _together(found: Sequence[Sureness], assumed: bool, likely: int) -> Sureness:
    """Of an access; one that a launch does not execute has no conflict there."""
    if not assumed or len(set(found)) == 1:
        return surest(found)
    return "none" if set(found[:likely]) == {"none"} else "possible"


def other_launch(kernel: AssemblyKernel, accesses: Counted) -> OtherLaunch:
    """One of the other launches, in a line."""
    said = "" if kernel.launch.assumed else kernel.launch.said
    refused = sum(one.access for one in kernel.refusals)
    found = added((a, a.run) for a in accesses)
    blocks = where(kernel.boxes, kernel.launch.grid)
    return OtherLaunch(kernel.workgroup_size, said, found, refused, blocks)
