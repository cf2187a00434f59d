"""What the accesses of one kernel say about lane orders: the layouts that its waves touch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from bankwise.ask.scan_case import ScanCase, followed_case
from bankwise.errors import InputError
from bankwise.read.assembly import AssemblyAccess

_BANK_ROW = 256
"""Bytes by which a layout may be moved without a change under any rule: 64 banks, the most."""

Wave = tuple[int, ...]
"""The first byte of every lane, -1 for a lane that takes no part."""


def layouts(case: ScanCase) -> list[dict[str, Any]]:
    """The distinct layouts of a kernel of machine code, as rows: ``instruction``, ``apart``, the
    ``waves`` that an access consists of, and how many ``accesses`` have them.

    An access counts if everything that it touches is known, without a sampled argument; the waves
    of all its executions are one layout, moved to the first row of banks, each once.
    """
    if case.refused:
        raise InputError(case.refused)
    if not case.reader:
        return []
    found = followed_case(case)
    if found is None:
        return []
    refused = {refusal.location for refusal in found.refusals}
    known = (
        one
        for one in found.accesses
        if not (one.unknown or one.some_lanes or one.access.location in refused)
    )
    many = Counter((one.instruction, one.apart_bytes or 0, tuple(_waves(one))) for one in known)
    return [
        {"instruction": name, "apart": apart, "waves": waves, "accesses": accesses}
        for (name, apart, waves), accesses in many.items()
    ]


def _waves(access: AssemblyAccess) -> Iterator[Wave]:
    waves: set[Wave] = set()
    for pattern in access.access.patterns:
        for offsets, active in zip(pattern.offsets_bytes, pattern.active, strict=True):
            if not active.any():
                continue
            near = offsets - offsets[active].min() // _BANK_ROW * _BANK_ROW
            waves.add(tuple(np.where(active, near, -1).tolist()))
    yield from sorted(waves)
