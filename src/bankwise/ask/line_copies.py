"""Copies past the cache beside a change: what they take follows from lines, and is no conflict.

    rows of 128 bytes: a warp copies 4 lines in 4 passes
    rows of 144 bytes: the same pieces in 10, where it reads neighbours

So the same work has another ideal in another layout: nothing of it is extra, and no bank-conflict
counter counts it (:mod:`bankwise.counting.lines`). Plans are priced on conflicts alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from bankwise.ask.check_assembly import kernel_of
from bankwise.counting.bound import total
from bankwise.counting.count_kernel import count_kernel
from bankwise.counting.counted import AccessReport
from bankwise.hardware.machine import machine
from bankwise.read.assembly import AssemblyKernel


def line_copies(kernels: Sequence[AssemblyKernel]) -> list[AccessReport]:
    """The copies past the cache of kernels, counted as their shown launches have them."""
    found: list[AccessReport] = []
    for kernel in kernels:
        gpu = machine(kernel.target)
        lines = {name for name, row in gpu.instructions.items() if row.merge == "lines"}
        mine = (a for a in kernel.accesses if a.instruction in lines)
        found += count_kernel(kernel_of(replace(kernel, accesses=tuple(mine))), gpu)[0]
    return found


def passes_of(copies: Sequence[AccessReport]) -> int:
    """What copies take together, where they read neighbouring places."""
    return sum(one.run.passes for one in copies)


def said_copies(before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]) -> str:
    """Where the copies past the cache take other passes in a changed text, in words; else empty."""
    old, new = line_copies(before), line_copies(after)
    if passes_of(old) == passes_of(new):
        return ""
    names = ", ".join(dict.fromkeys(one.instruction for one in new))
    ends = total(one.run.ends.passes for one in new)
    return _SAID.format(names=names, then=passes_of(old), now=passes_of(new), ends=ends)


_SAID = (
    "{names}: {then:,} -> {now:,} passes, and as many ideal ones, for they are no conflicts: it "
    "moves lines of 128 bytes, which another layout breaks elsewhere ({ends}, by where it reads; "
    "neighbouring places are assumed)"
)
