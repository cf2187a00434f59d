"""Workgroups of one kernel in their order, as many as an amount of work allows.

They run side by side where they leave what they leave one after the other: the answer, and which
workgroups ran, are the same (:mod:`bankwise.change.execute.side_by_side`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
from msgspec import Struct

from bankwise.change.execute.program import ExecutableKernel, run
from bankwise.change.execute.run import execute_workgroup
from bankwise.change.execute.side_by_side import Bindings, Owners, take_back
from bankwise.change.execute.state import Fault, new_state
from bankwise.change.execute.values import Array
from bankwise.read.mlir.indexing import ThreadIds

_ROWS = 1 << 11
"""Threads that run side by side: more do not fit a core's cache with what they touch."""
_WASTE = 2
"""What side by side may cost, as a multiple of the work that is allowed, before it is left."""


class Allowance(Struct, frozen=True):
    """``work``: operations times threads, after which no further workgroup is begun; None: any.

    ``least``: what a workgroup counts as at least.
    """

    work: int | None
    least: int

    def price(self, ids: ThreadIds, operations: int) -> int:
        """What a workgroup costs that took so many operations."""
        return max(self.least, ids.count * operations)


class Ran(Struct, frozen=True):
    """What a workgroup that ran showed: its faults, and what it cost."""

    faults: tuple[Fault, ...]
    price: int


def run_several(
    program: ExecutableKernel,
    buffers: Sequence[Array],
    workgroups: Sequence[ThreadIds],
    bindings: Bindings,
    allowance: Allowance,
) -> Iterator[Ran]:
    """Run workgroups in their order until the allowance is used up; ``buffers`` change in place.

    ``bindings``: what runs of this kernel, or of one that should do the same, did to them.
    """
    left, done, dearest = allowance.work, 0, 0
    while done < len(workgroups) and (left is None or left > 0):
        rest = workgroups[done:]
        count = _how_many(rest, bindings, left, max(dearest, allowance.least))
        some = _beside(program, buffers, rest[:count], bindings, allowance, left)
        some = some or [run_alone(program, buffers, rest[0], bindings, allowance)]
        yield from some
        done += len(some)
        dearest = max(dearest, *(ran.price for ran in some))
        left = None if left is None else left - sum(ran.price for ran in some)


def _how_many(rest: Sequence[ThreadIds], bindings: Bindings, left: int | None, dearest: int) -> int:
    """Workgroups to run side by side. The first of all runs alone, and shows what they touch."""
    if bindings.alone or not (bindings.loaded or bindings.stored):
        return 1
    rows = rest[0].waves * rest[0].wave_size
    most = min(len(rest), _ROWS // rows)
    return max(1, most if left is None else min(most, -(-left // dearest)))


def run_alone(
    program: ExecutableKernel,
    buffers: Sequence[Array],
    ids: ThreadIds,
    bindings: Bindings,
    allowance: Allowance,
) -> Ran:
    """One workgroup by itself."""
    done = execute_workgroup(program, buffers, ids, bindings)
    bindings.alone |= bool(done.faults)
    return Ran(done.faults, allowance.price(ids, sum(done.operations.values())))


def _beside(
    program: ExecutableKernel,
    buffers: Sequence[Array],
    beside: Sequence[ThreadIds],
    bindings: Bindings,
    allowance: Allowance,
    left: int | None,
) -> list[Ran]:
    """Workgroups side by side, those of them that the allowance has; none if they cannot."""
    if len(beside) < 2:
        return []
    owners = Owners(frozenset(bindings.loaded & bindings.stored))
    limit = None if left is None else _WASTE * left // (len(beside) * beside[0].count)
    try:
        operations = _operations(program, buffers, beside, owners, limit)
    except Exception:  # whatever it is: if it is the kernel, it shows again one after the other
        take_back(owners)
        bindings.alone = True
        return []
    prices = [allowance.price(ids, n) for ids, n in zip(beside, operations, strict=True)]
    begun = sum(left is None or before < left for before in accumulate([0, *prices[:-1]]))
    if begun < len(beside):
        take_back(owners)
        return _beside(program, buffers, beside[:begun], bindings, allowance, left)
    return [Ran((), price) for price in prices]


def _operations(
    program: ExecutableKernel,
    buffers: Sequence[Array],
    beside: Sequence[ThreadIds],
    owners: Owners,
    limit: int | None,
) -> list[int]:
    """Run workgroups side by side: how many operations each took. ``limit``: of all together."""
    state = new_state(beside, buffers, Bindings(owners=owners))
    state.limit = state.limit if limit is None else limit
    with np.errstate(all="ignore"):
        run(program, state)
    each = sum(len(names) * times for names, times in state.blocks.items())
    return [int(n) for n in np.broadcast_to(each, len(beside))]
