"""Which lane fetches for which, where the rows that copies fill are folded.

A wave fills consecutive slots, lane by lane. Under a fold the slot of lane t holds what lane pi(t)
has fetched so far: pi is a permutation of the wave if the fold stays inside the wave's own slots,
and one for all rounds if the phases are.
"""

from __future__ import annotations

import numpy as np

from bankwise.algebra.address import RowFolds
from bankwise.change.rewrite.group import elements
from bankwise.change.rewrite.scope import CannotRewriteError
from bankwise.counting.access import IntArray, Pattern
from bankwise.read.mlir.extract import SharedAccess


def other_lanes(site: SharedAccess, fold: RowFolds) -> IntArray:
    """For every thread the one whose element now has its slot, [threads], in every round.

    Threads that are off stay themselves. Raises :class:`CannotRewriteError` where that is no
    permutation of the wave, or not always the same.
    """
    found: IntArray | None = None
    known = np.zeros(0, np.bool_)
    for pattern in site.access.patterns:
        threads, active = _others(pattern, site.access.element_bytes, fold), pattern.active.ravel()
        if found is None:
            found, known = threads, active
        elif (threads != found)[active & known].any():
            raise CannotRewriteError("the rows this copy fills are not the same in all rounds")
        found, known = np.where(known, found, threads), known | active
    if found is None:
        raise CannotRewriteError("which slots this copy fills is not known")
    return found


def _others(pattern: Pattern, element_bytes: int, fold: RowFolds) -> IntArray:
    """Of one execution: thread numbers, [threads]."""
    slots, active = elements(pattern, element_bytes), pattern.active
    lane = np.arange(slots.shape[1])
    # Lanes that are off get slots of their own, behind all others, and keep them.
    beyond = np.where(active, slots, slots.max(initial=0) + 1 + lane)
    wanted = np.where(active, fold(slots), beyond)
    order, wants = np.argsort(beyond, axis=1), np.argsort(wanted, axis=1)
    rows = np.arange(len(slots))[:, None]
    if (beyond[rows, order] != wanted[rows, wants]).any():
        raise CannotRewriteError("its wave would have to fetch what another one fetches")
    result = np.empty_like(order)
    result[rows, wants] = order
    return np.asarray((result + rows * slots.shape[1]).ravel())
