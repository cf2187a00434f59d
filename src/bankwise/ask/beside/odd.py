"""What does not fit in the launches of a profile, beside the kernel that they are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from bankwise.ask.beside.cause import Seen
from bankwise.ask.beside.counters import counters
from bankwise.hardware.machine import machine
from bankwise.profile.values import Launch, Size
from bankwise.show.values import KernelReport

_NEAR = 0.9
_REAL = frozenset({"SQ_INSTS_GDS"})
"""Counters of AMD's own that are as near to one that is read."""


def odd(kernel: KernelReport, launches: Sequence[Launch], seen: Sequence[Seen]) -> list[str]:
    """Each in words; ``seen``: the counters that all launches have."""
    return [
        *_capabilities(kernel, launches),
        *_not_everywhere(kernel, launches),
        *_misspelt(kernel, launches),
        *_impossible(seen),
        *_sizes(kernel, launches),
    ]


def _capabilities(kernel: KernelReport, launches: Sequence[Launch]) -> list[str]:
    """Whether the profile is of another GPU than the check."""
    tools = machine(kernel.target).tools
    mine = tools.triton.target.removeprefix("cuda:") if tools.triton is not None else ""
    other = dict.fromkeys(x.capability for x in launches if x.capability.replace(".", "") != mine)
    return [
        f"measured on a GPU of compute capability {one}, the check is for {kernel.target}"
        for one in other
        if one and mine.isdigit()
    ]


def _not_everywhere(kernel: KernelReport, launches: Sequence[Launch]) -> list[str]:
    """Counters that are not compared, since some launches have no value of them."""
    found = []
    for name in (counter.name for counter in counters(machine(kernel.target).vendor)):
        lacks = [launch.number for launch in launches if name not in launch.counters]
        if lacks and (len(lacks) < len(launches) or any(name in x.absent for x in launches)):
            more = f" and {len(lacks) - 1} more have" if len(lacks) > 1 else " has"
            found.append(f"{name} is not compared: launch {lacks[0]}{more} no value of it")
    return found


def _misspelt(kernel: KernelReport, launches: Sequence[Launch]) -> list[str]:
    """Counters whose names are nearly one that is read and not there. Of AMD's alone: NVIDIA's
    real ones differ in so few letters."""
    vendor = machine(kernel.target).vendor
    known = [counter.name for counter in counters(vendor)] if vendor == "amd" else []
    there = dict.fromkeys(n for one in launches for n in (*one.counters, *one.absent))
    absent = [name for name in known if name not in there]
    others = (name for name in there if name not in known and name not in _REAL)
    near = ((name, get_close_matches(name.upper(), absent, n=1, cutoff=_NEAR)) for name in others)
    return [
        f"{name} is no counter that is read: did you mean {one[0]}?" for name, one in near if one
    ]


def _impossible(seen: Sequence[Seen]) -> list[str]:
    """Where more passes are extra than there are: one of the two counts something else."""
    passes = {(c.direction, c.kinds): (c, n) for c, _, n in seen if c.quality == "passes"}
    found = []
    for counter, _, measured in seen:
        of = passes.get((counter.direction, counter.kinds))
        if counter.quality == "extra" and of is not None and measured > of[1]:
            more = f"{counter.name} is {measured:,.0f}, {of[0].name} only {of[1]:,.0f}"
            found.append(f"{more}: no pass is extra twice, so one of them is not what it is called")
    return found


def _sizes(kernel: KernelReport, launches: Sequence[Launch]) -> list[str]:
    """Whether workgroups of another size, or of another shape, were launched than are checked."""
    x, y, z = kernel.workgroup_size
    other = dict.fromkeys(n.threads for n in launches if n.threads not in (None, x * y * z))
    shapes = dict.fromkeys(n.block for n in launches if n.threads not in other and n.block)
    sizes = [(f"{threads} threads", f"{x * y * z}") for threads in other]
    sizes += [(_shape(one), _shape((x, y, z))) for one in shapes if one != (x, y, z)]
    return [
        f"launched with workgroups of {ran}, the prediction is for {mine}: pass --workgroup-size"
        for ran, mine in sizes
    ]


def _shape(size: Size) -> str:
    return "x".join(map(str, size))
