"""A shared array of a source that an asynchronous unit touches: no index in the text moves what
the unit finds by a tensor map, by a descriptor or in the order in which bytes lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bankwise.ask.array_posed import PosedArray
from bankwise.ask.placed_by_units import mode_note, who_places
from bankwise.errors import Refusal
from bankwise.hardware.machine import PIECEWISE, Machine
from bankwise.read.assembly import AssemblyAccess
from bankwise.read.buffers import buffers


def placed_in(posed: Sequence[PosedArray], gpu: Machine) -> tuple[str, ...]:
    """What units do to the memory of an array, in words, and what is known of its parts; empty
    where none touches it."""
    found = [access for one in posed for access in _units(one)]
    if not found:
        return ()
    why = f"a map of all of it would move what a unit moves or multiplies: {who_places(found)}"
    return (why, *_told(posed, gpu))


def _told(posed: Sequence[PosedArray], gpu: Machine) -> tuple[str, ...]:
    """What modes of tensor maps would take of the lanes, in each kernel that has the array."""
    told: dict[str, None] = {}
    for kernel in (each for one in posed for each in one.kernels):
        parts = buffers(kernel.accesses, gpu)
        if not isinstance(parts, Refusal):
            told.update(dict.fromkeys(mode_note(part, gpu) for part in parts))
    return tuple(filter(None, told))


def _units(posed: PosedArray) -> Iterator[AssemblyAccess]:
    """The copies and operands of units that lie in an array, where their addresses are known."""
    first = posed.size.start
    behind = first + posed.size.bytes_
    for access in (a for kernel in posed.kernels for a in kernel.accesses):
        if access.access.kind in PIECEWISE:
            touched = [p.offsets_bytes[p.active] for p in access.access.patterns if p.active.any()]
            if any(first <= t.min() and t.max() < behind for t in touched):
                yield access
