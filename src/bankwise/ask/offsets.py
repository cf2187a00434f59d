"""The rule ``offset-after-xor``: a constant that is added behind a swizzle and changes its bits.

``ds_read_b128 v[0:3], v4 offset:64`` adds 64 to an address that may have been swizzled by XOR. That
is the same as swizzling the sum only while the addition leaves the XORed bits alone, by itself and
by its carries. Otherwise the place read is not the one that the swizzle planned.

A swizzle is one of places in a tile. Where the tile lies behind another one, the constant holds
where it begins, too (16624 = 16384 + 240 behind a padded tile), and only what it adds to that is
judged. Nothing in the code says where a tile begins: it is taken to be the first byte of the buffer
that the accesses share, or the smallest constant that one of them adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel
from bankwise.read.buffers import buffers
from bankwise.show.values import Finding

RULE = "offset-after-xor"


def offsets_after_xor(kernel: AssemblyKernel) -> Iterator[Finding]:
    """One finding for each instruction whose constant changes XORed address bits."""
    suspects = [
        one for one in kernel.accesses if any(_worst(one, n, 0)[0] for n in _constants(one))
    ]
    begins = _begins(kernel) if suspects else []
    for access in suspects:
        for constant in _constants(access):
            found = [_worst(access, constant, base) for base in _bases(access, begins)]
            lanes, total = min(found)
            if lanes:
                yield Finding(
                    RULE, access.access.location, _message(access, constant, lanes, total)
                )
                break


def _begins(kernel: AssemblyKernel) -> list[tuple[int, int, int]]:
    """Parts of buffers that lie behind another one: first byte, behind the last, and the smallest
    constant that an access of it adds."""
    found = buffers(kernel.accesses, machine(kernel.target))
    if isinstance(found, Refusal):
        return []
    first = min((start for one in found for start, _ in one.parts), default=0)
    return [
        (start, stop, min(use.access.immediate_bytes for use in one.uses))
        for one in found
        for start, stop in one.parts
        if start > first
    ]


def _bases(access: AssemblyAccess, begins: Sequence[tuple[int, int, int]]) -> Iterator[int]:
    """Where the tile may begin that an access touches."""
    yield 0
    low = min(int(p.offsets_bytes[p.active].min()) for p in access.access.patterns)
    for start, stop, constant in begins:
        if start <= low < stop:
            yield from (start, constant)


def _constants(access: AssemblyAccess) -> tuple[int, ...]:
    """What the instruction adds to its register: one number, or one for each address."""
    first = access.immediate_bytes
    both = (first,) if access.apart_bytes is None else (first, first + access.apart_bytes)
    return tuple(n for n in both if n) if access.xored else ()


def _worst(access: AssemblyAccess, constant: int, base: int) -> tuple[int, int]:
    """Lanes whose XORed bits the addition changes in a tile from ``base`` on, and all lanes, of the
    worst pattern."""
    patterns = access.access.patterns
    before = np.stack([p.offsets_bytes for p in patterns]) - access.immediate_bytes
    active = np.stack([p.active for p in patterns])
    changed = ((((before + constant - base) ^ before) & access.xored) != 0) & active
    counts, sizes = changed.sum(axis=(1, 2)), active.sum(axis=(1, 2))
    return max(zip(counts.tolist(), sizes.tolist(), strict=True), default=(0, 0))


def _message(access: AssemblyAccess, constant: int, lanes: int, total: int) -> str:
    return (
        f"{access.instruction} adds {constant} ({constant:#x}) to an address whose bits "
        f"{access.xored:#x} came out of an XOR, and changes them in {lanes} of {total} lanes: the "
        "place is not the swizzle of the sum"
    )
