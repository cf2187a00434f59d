"""Workgroups of kernels whose launch nobody knows: assumptions, each of which is said.

A bound (``__launch_bounds__``, MAX_THREADS, .max_flat_workgroup_size) is taken at its most. Without
one, and beside it where a kernel reads two or three axes, usual shapes are tried; one under which
an access leaves the shared memory that the text states cannot be.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec.structs import replace

from bankwise.read.launch.facts import KernelLaunch, Size
from bankwise.read.options import MOST_THREADS

USUAL: dict[int, tuple[Size, ...]] = {
    1: ((256, 1, 1), (128, 1, 1), (512, 1, 1), (64, 1, 1), (32, 1, 1), (1024, 1, 1)),
    2: ((16, 16, 1), (32, 8, 1), (32, 4, 1), (8, 8, 1), (32, 32, 1), (256, 1, 1)),
    3: ((8, 8, 4), (8, 4, 2), (4, 4, 4), (16, 4, 4), (32, 4, 2), (256, 1, 1)),
}
"""By the number of axes that a kernel reads, the most usual first: what people's kernels, and the
guides of the vendors, are full of. No fact about any one kernel."""

SMALL: dict[int, tuple[Size, ...]] = {
    1: ((16, 1, 1), (8, 1, 1)),
    2: ((8, 4, 1), (4, 4, 1), (16, 1, 1)),
    3: ((4, 4, 2), (4, 2, 2), (16, 1, 1)),
}
"""Less than a wave: tried where an access leaves the shared memory under all usual ones."""

_LEAST = 8
"""A smaller number of a name is rarely the side of a block."""


def at_bound(launch: KernelLaunch, axes: int, bound: Size | None) -> KernelLaunch | None:
    """A launch of the most threads that a kernel may have, where the bound says along which axes
    they lie: by itself, or because a kernel reads one alone. Fewer threads are the first of those,
    and do as they do, unless a kernel asks how many there are."""
    if bound is None or (axes > 1 and prod(bound) == max(bound)):
        return None
    return replace(launch, block=bound, assumed=True, whole=True)


def assumed(
    launch: KernelLaunch, axes: int, bound: Size | None, hints: Sequence[int] = ()
) -> tuple[KernelLaunch, ...]:
    """Launches to try, the likeliest first. ``axes``: how many the kernel reads; ``bound``: the
    most threads it may have; ``hints``: numbers of its name, which are often sizes of its block."""
    most = prod(bound) if bound else MOST_THREADS
    squares = ((n, n, 1) if axes > 1 else (n, 1, 1) for n in hints if n >= _LEAST)
    usual = USUAL[axes]
    if bound:
        usual = tuple(sorted(usual, key=lambda shape: -prod(shape)))
    shapes = dict.fromkeys((*((bound,) if bound else ()), *squares, *usual, *SMALL[axes]))
    return tuple(replace(launch, block=one, assumed=True) for one in shapes if prod(one) <= most)
