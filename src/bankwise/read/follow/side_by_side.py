"""One kernel under several launches: which can be, which is shown, which stand beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from msgspec.structs import replace

from bankwise.counting.access import IntArray, distinct
from bankwise.errors import InputError, Location
from bankwise.hardware.machine import BANK_BYTES
from bankwise.profile.names import name as function_name
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.launch.facts import (
    MOST_CHEAP_LAUNCHES,
    MOST_LAUNCHES,
    KernelLaunch,
    Size,
)
from bankwise.read.launch.shapes import SMALL
from bankwise.read.names import demangled, without_parameters

WORK = "more work than"
"""In the reason of what was given up because it took too long."""
MOST_AGAIN = 24_000
"""How many instructions may be followed again to find what opens a kernel."""
_FULL = 3 / 4
"""How much of its static shared memory a block touches that it was sized for; the rest pads."""
_SMALL = frozenset(block for some in SMALL.values() for block in some)
_MOST_WORK = 100_000
"""Steps of known launches of a kernel beyond which few of these are followed."""
_MOST_GUESSED = 300_000
"""Steps of assumed launches beyond which no more are tried than are told of."""
_LONG = 600
"""Accesses of a kernel beyond which one assumed launch is followed, not several."""


def side_by_side(
    launches: Sequence[KernelLaunch],
    under: Callable[[KernelLaunch], AssemblyKernel],
    touches: bool,
    tried: int,
) -> AssemblyKernel:
    """The kernel under the first of its launches, the others beside it. Of assumed ones those are
    tried that can be, ``tried`` of them, and more until one fills the shared memory that the text
    states, as a block does that it was sized for; the one that answers most comes first, then what
    fills it best; one of the small ones at the end if no other can be. ``touches``: whether it may
    touch shared memory at all; if not, one is enough. Of many that are known so many are followed
    as are little work."""
    guessed = launches[0].assumed
    found: list[AssemblyKernel] = []
    strange: list[AssemblyKernel] = []
    usual = [n for n, one in enumerate(launches) if one.block not in _SMALL] or [len(launches)]
    for number, launch in enumerate(launches):
        if guessed and found and number > usual[-1]:
            break
        one = under(launch)
        (strange if guessed and leaves_memory(one) else found).append(one)
        enough = len(found) >= (tried if guessed else _most_known(found))
        if enough and guessed and tried > 1:
            enough = not one.lds_bytes or any(_touched(one) >= _FULL for one in found)
        much = guessed and len(found) + len(strange) >= tried
        much = much and _work((*found, *strange)) > _MOST_GUESSED
        if not touches or enough or much or (guessed and is_long(one)):
            break
    if not found:
        found = [replace(one, notes=(*one.notes, _NONE_FITS)) for one in strange[:tried]]
    elif guessed and len(found) > 1:
        found = _likeliest_first(found)[:tried]
    first, *others = (replace(each, others=()) for one in found for each in (one, *one.others))
    return replace(first, others=tuple(others))


def _most_known(found: Sequence[AssemblyKernel]) -> int:
    """How many known launches of a kernel are followed, of which some were."""
    return MOST_LAUNCHES if _work(found) > _MOST_WORK else MOST_CHEAP_LAUNCHES


def _work(found: Sequence[AssemblyKernel]) -> int:
    return sum(one.work for each in found for one in (each, *each.others))


_NONE_FITS = "under each block that was tried an access leaves the shared memory of the text"


def _likeliest_first(found: Sequence[AssemblyKernel]) -> list[AssemblyKernel]:
    """Assumed launches in order; those that fill the shared memory, where not all do, say so."""
    touched = {id(one): _touched(one) for one in found}
    most = max(touched.values())
    full = [id(one) for one in found if touched[id(one)] == most >= _FULL]
    order = sorted(found, key=lambda one: (len(one.refusals), id(one) not in full))
    if len(full) == len(found):
        return order
    return [_filling(one) if id(one) in full else one for one in order]


def _filling(one: AssemblyKernel) -> AssemblyKernel:
    said = (
        "this block fills the shared memory that the text declares; others that were tried do not"
    )
    launch = replace(one.launch, fills=True)
    return replace(one, launch=launch, notes=(*one.notes[:1], said, *one.notes[1:]))


def _touched(found: AssemblyKernel) -> float:
    """The part of a kernel's static shared memory, in words, that accesses are known to touch."""
    if not found.lds_bytes:
        return 0.0
    words: dict[str, list[IntArray]] = defaultdict(list)
    for one in found.accesses:
        wide = np.arange(-(-one.access.width_bytes // BANK_BYTES))
        for pattern in one.access.patterns:
            first = distinct(pattern.offsets_bytes[pattern.active]) // BANK_BYTES
            words[pattern.allocation].append(np.add.outer(first, wide).ravel())
    total = sum(distinct(np.concatenate(some)).size for some in words.values())
    return total * BANK_BYTES / found.lds_bytes


def is_long(found: AssemblyKernel) -> bool:
    """Whether following it again takes long."""
    return len(found.accesses) > _LONG or any(WORK in one.reason for one in found.refusals)


def leaves_memory(found: AssemblyKernel) -> bool:
    """Whether an access leaves the static shared memory of a kernel that has some."""
    if not found.lds_bytes:
        return False
    return any(
        int(pattern.offsets_bytes.max(initial=0)) + one.access.width_bytes > found.lds_bytes
        for one in found.accesses
        for pattern in one.access.patterns
        if pattern.active.any()
    )


def bounded(
    launches: Sequence[KernelLaunch], most: Size, kernel: str, place: Location, required: bool
) -> None:
    """:class:`InputError` for a launch with more threads than a kernel was compiled for, or with
    others where it requires them."""
    for one in launches:
        if one.block is None or (prod(one.block) <= prod(most) and not required):
            continue
        if required and one.block == most:
            continue
        shown, size = ",".join(map(str, one.block)), ",".join(map(str, most))
        bound = "requires" if required else "is compiled for at most"
        message = f"a block of {shown} threads; kernel {kernel} {bound} {size}"
        raise InputError(message, location=place)


def numbers_of_name(kernel: str) -> tuple[int, ...]:
    """Numbers among the template arguments of a kernel."""
    return function_name(without_parameters(demangled(kernel))).numbers or ()
