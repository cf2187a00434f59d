"""Whether matrices that wmma moves are the same ones behind longer rows: the judge's own laws.

    p = &s[r][c], rows of 64, 64 for ldm    element (i, j) lies at p + i * 64 + j
    p = &s[r][c], rows of 72, 72 for ldm    the same element of s, at p + i * 72 + j

The pointer moves by the pads of the rows before it: by a multiple of 32 bytes, as it has to be
aligned, wherever it begins; and the rows' distance by a multiple of 16 (CUDA C++ Programming Guide,
"Warp Matrix Functions").
"""

from __future__ import annotations

from math import gcd

import numpy as np

from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.evaluate import bare, value_at
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.cxx.uses import ArrayUse

ALIGNED_BYTES = 32
"""What a pointer to a matrix is a multiple of."""

_APART_BYTES = 16
"""What the distance of its rows is a multiple of."""


def rows_moved(
    before: CxxSource,
    after: CxxSource,
    old: ArrayUse,
    new: ArrayUse,
    claim: ArrayClaim,
    size: ArraySize,
    number: int,
) -> bool:
    """Whether matrices that begin at a use have the rows that they had: as far apart as those of
    the array are now, and as well aligned. ``number``: of the use."""
    if not old.strides:
        return True
    long, told = claim.row or size.columns, size.apart(number)
    pad = claim.pad * size.element_bytes
    if old.scale or len(told) != len(old.strides) or pad % _APART_BYTES:
        return False
    for at, then, apart in zip(old.strides, new.strides, told, strict=True):
        if apart <= 0 or apart % long or (claim.row and apart != long):
            return False
        if claim.constant:  # which is a term of it
            if apart != long or before.of(at) != after.of(then):
                return False
            continue
        text = bare(before, at)
        names = {} if text.isdecimal() else {text: np.asarray(apart)}
        found = value_at(after, then, names)
        if found is None or found * long != apart * (long + claim.pad):
            return False
    return _row_step(old, size, number, long) * pad % ALIGNED_BYTES == 0


def _row_step(use: ArrayUse, size: ArraySize, number: int, long: int) -> int:
    """What divides the number of the row that a use begins in, counted over all dimensions; 0 if
    that is the first one, 1 if nothing tells it."""
    if not use.indices:
        return 0
    if size.flat:
        facts = size.facts(number)
        inside = [most for multiple, most in facts if multiple % long]
        known = facts and min(inside, default=0) >= 0 and sum(inside) < long
        return gcd(*(n // long for n, _ in facts if n % long == 0)) if known else 1
    told = size.row_facts(number)
    before_last = len(size.extents) - 1  # indices; of ``s[r]``, a row by itself, all
    if use.flat or len(use.indices) < before_last or len(told) != before_last:
        return 1
    step, rows = 0, 1
    for place in reversed(range(len(told))):
        step, rows = gcd(step, told[place] * rows), rows * size.extents[place]
    return step
