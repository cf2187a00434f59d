"""How many times the launches of a profile are what is predicted of a kernel: as many workgroups.

Where the blocks of a launch differ there is no workgroup whose numbers stand for the others. A
counter adds up all of them, so the launch as a whole is compared, as many times as it was measured.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.over_launches import place_of
from bankwise.counting.bound import exactly
from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport
from bankwise.hardware.machine import machine
from bankwise.profile.values import Launch
from bankwise.show.values import KernelReport

_WHOLE = "blocks of its launch differ: predicted is what all of its {} classes add up to"


class Scaled(Struct, frozen=True):
    """``kernel``: with what ``each`` does, a workgroup or a launch; ``times``: how many of these
    the launches are, ``workgroups``: of how many workgroups, None if unknown; ``known``: how;
    ``notes``: what ``each`` is, if it is no workgroup."""

    kernel: KernelReport
    times: int | None
    workgroups: int | None
    known: str
    each: str = "workgroup"
    notes: tuple[str, ...] = ()


def scaled(kernel: KernelReport, launches: Sequence[Launch]) -> Scaled:
    """The kernel as it is compared with launches."""
    groups, known = workgroups_of(kernel, launches)
    if not _launched_alike(kernel, launches, groups) or not _exact(kernel):
        return Scaled(kernel, groups, groups, known)
    told = _WHOLE.format(len(kernel.classes))
    return Scaled(_whole_launch(kernel), len(launches), groups, known, "launch", (told,))


def workgroups_of(kernel: KernelReport, launches: Sequence[Launch]) -> tuple[int | None, str]:
    """Workgroups of all launches, and how that is known."""
    stated = [launch.workgroups for launch in launches]
    if all(stated):
        return sum(n for n in stated if n), "the grid in the profile"
    waves = _waves(kernel)
    entered = [launch.entered for launch in launches]
    if all(n and n % waves == 0 for n in entered):
        total = sum(n // waves for n in entered if n)
        return total, f"{waves} waves a workgroup executed its first instruction"
    if kernel.grid is not None:
        x, y, z = kernel.grid
        return x * y * z * len(launches), "the grid in the checked text"
    return None, "neither the profile nor the checked text has a grid"


def _waves(kernel: KernelReport) -> int:
    x, y, z = kernel.workgroup_size
    return -(-x * y * z // machine(kernel.target).wave_size)


def _launched_alike(kernel: KernelReport, launches: Sequence[Launch], groups: int | None) -> bool:
    """Whether each launch has as many blocks as the classes of the kernel together, and where its
    grid is said, that one."""
    every = sum(one.count for one in kernel.classes)
    grids = {launch.grid for launch in launches} - {None, kernel.grid}
    stated = {launch.workgroups for launch in launches} - {None, every}
    return bool(every) and not grids and not stated and groups == every * len(launches)


def _exact(kernel: KernelReport) -> bool:
    """Whether it is known what every block of every class does."""
    some = (access for one in kernel.classes for access in one.accesses)
    return all(a.counted and a.run.exact and not a.one_workgroup for a in some)


def _whole_launch(kernel: KernelReport) -> KernelReport:
    """The kernel with what all blocks of its launch do, as if one block did it all."""
    found: dict[Hashable, list[tuple[AccessReport, int]]] = {}
    for one in kernel.classes:
        for access in one.accesses:
            found.setdefault(place_of(access), []).append((access, one.count))
    return replace(kernel, classes=(), accesses=tuple(map(_together, found.values())))


def _together(some: Sequence[tuple[AccessReport, int]]) -> AccessReport:
    """One access in all blocks that execute it, as what one wave does so often."""
    first = max((access for access, _ in some), key=lambda one: one.cost.extra)
    times = sum(one.waves * one.executions * many for one, many in some)
    run = sum((one.run * many for one, many in some), Cost())
    return replace(first, waves=1, executions=times, times=exactly(times), run=run)
