"""The rule ``offset-after-xor``: a constant that is added behind a swizzle and changes its bits.

``ds_read_b128 v[0:3], v4 offset:64`` adds 64 to an address that may have been swizzled by XOR. That
is the same as swizzling the sum only while the addition leaves the XORed bits alone, by itself and
by its carries. Otherwise the place read is not the one that the swizzle planned.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bankwise.read.assembly import AssemblyAccess, AssemblyKernel
from bankwise.show.values import Finding

RULE = "offset-after-xor"


def offsets_after_xor(kernel: AssemblyKernel) -> Iterator[Finding]:
    """One finding for each instruction whose constant changes XORed address bits."""
    for access in kernel.accesses:
        for constant in _constants(access):
            lanes, total = _carrying_lanes(access, constant)
            if lanes:
                yield Finding(
                    RULE, access.access.location, _message(access, constant, lanes, total)
                )
                break


def _constants(access: AssemblyAccess) -> tuple[int, ...]:
    """What the instruction adds to its register: one number, or one for each address."""
    first = access.immediate_bytes
    both = (first,) if access.apart_bytes is None else (first, first + access.apart_bytes)
    return tuple(n for n in both if n) if access.xored else ()


def _carrying_lanes(access: AssemblyAccess, constant: int) -> tuple[int, int]:
    """Lanes whose XORed bits the addition changes, and all lanes, of the worst pattern."""
    patterns = access.access.patterns
    base = np.stack([p.offsets_bytes for p in patterns]) - access.immediate_bytes
    active = np.stack([p.active for p in patterns])
    changed = ((((base + constant) ^ base) & access.xored) != 0) & active
    counts, sizes = changed.sum(axis=(1, 2)), active.sum(axis=(1, 2))
    return max(zip(counts.tolist(), sizes.tolist(), strict=True), default=(0, 0))


def _message(access: AssemblyAccess, constant: int, lanes: int, total: int) -> str:
    return (
        f"{access.instruction} adds {constant} ({constant:#x}) to an address whose bits "
        f"{access.xored:#x} came out of an XOR, and changes them in {lanes} of {total} lanes: the "
        "place is not the swizzle of the sum"
    )
