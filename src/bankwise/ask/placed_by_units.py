"""Memory that an asynchronous unit touches beside lanes: who places its bytes, and what the modes
of a tensor map would take of the lanes.

    UBLKCP.G.S     copies bytes in the order in which they lie: a layout moves what it copies
    UTMASTG.2D     finds them by the swizzle mode of a tensor map, which the host makes
    HGMMA          finds them by the swizzle mode of its descriptor

So no index of the kernel alone moves them. A mode XORs bits of the byte address into those of its
16-byte pieces; lanes whose addresses go through the same XOR meet the unit. Source: PTX ISA,
swizzle modes of tensor maps; measured for TMA and wgmma (docs/hopper.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bankwise.counting.conflict import count
from bankwise.hardware.machine import UNITS, Machine
from bankwise.notation.cute.hopper import MODES, Mode
from bankwise.read.assembly import AssemblyAccess
from bankwise.read.buffers import AddressPattern, EmittedBuffer

_LEAVES = {
    "bytes": "copies bytes in the order in which they lie",
    "map": "finds bytes by the swizzle mode of its tensor map, which the host makes",
    "descriptor": "finds bytes by the swizzle mode of its descriptor",
    "barrier": "has a barrier there",
}


def placed_notes(found: Sequence[EmittedBuffer], gpu: Machine) -> Iterator[str]:
    """Why there is no layout of buffers that lanes touch, too, and what modes would take."""
    for buffer in found:
        units = [use.access for use in buffer.uses if use.access.access.kind in UNITS]
        lanes = [use for use in buffer.uses if use.access.access.kind not in UNITS]
        if units and lanes:
            names, modes = ", ".join(buffer.names), mode_note(buffer, gpu)
            why = f"no layout of {names} is suggested: {who_places(units)}"
            yield "; ".join(filter(None, (why, modes)))


def box_notes(found: Sequence[EmittedBuffer], moved: EmittedBuffer) -> Iterator[str]:
    """Whether a buffer may be the rest of a box, whose size only its tensor map says."""
    for buffer in found:
        copies = [use.access for use in buffer.uses if _way(use.access) == "map"]
        if copies and _reaches(found, buffer, moved):
            yield (
                f"{', '.join(moved.names)} lies behind what {_name(copies[0])} begins at: if its "
                "box, which the host makes, reaches so far, its tensor map says where bytes lie"
            )


def _reaches(found: Sequence[EmittedBuffer], copied: EmittedBuffer, moved: EmittedBuffer) -> bool:
    """Whether nothing but touched bytes lies between two buffers of an allocation."""
    if copied.allocation != moved.allocation:
        return False
    parts = sorted(p for one in found if one.allocation == moved.allocation for p in one.parts)
    end = min(end for _, end in copied.parts)
    for start, stop in parts:
        if start <= end:
            end = max(end, stop)
    return any(copied.parts[0][0] < start < end for start, _ in moved.parts)


def who_places(units: Iterable[AssemblyAccess]) -> str:
    """Accesses of units, and by what each of them finds its bytes."""
    told = {_name(a): _LEAVES[_way(a)] for a in units}
    return ", ".join(
        f"{' and '.join(n for n, one in told.items() if one == way)} {way}"
        for way in dict.fromkeys(told.values())
    )


def _name(access: AssemblyAccess) -> str:
    return access.access.written or access.access.operation


def _way(access: AssemblyAccess) -> str:
    if access.access.kind != "bulk":
        return "descriptor" if access.access.kind == "operand" else "barrier"
    name = _name(access)
    return "map" if name.startswith("UTMA") or ".tensor" in name else "bytes"


def mode_note(buffer: EmittedBuffer, gpu: Machine) -> str:
    """The mode under which lanes take fewest passes, of the narrowest that do; empty where none
    takes fewer than they do as they are, or where matrix instructions find bytes there, too."""
    lanes = [use for use in buffer.uses if use.access.access.kind not in UNITS]
    units = {_way(use.access) for use in buffer.uses if use.access.access.kind in UNITS}
    if not lanes or units not in ({"map"}, {"bytes"}):
        return ""
    if any(use.access.unknown or not use.access.counted for use in lanes):
        return ""
    now = _passes(lanes, gpu, MODES["none"])
    tried = [mode for mode in MODES.values() if mode.name == "none" or _starts(buffer, mode)]
    best = min(tried, key=lambda mode: _passes(lanes, gpu, mode))
    then = _passes(lanes, gpu, best)
    if then >= now:
        return ""
    copied = "where that mode is none now" if "map" in units else "with a tensor copy in its place"
    return (
        f"{copied}, if rows of the box are {best.span_bytes} bytes and the tile "
        f"begins at a multiple of {best.alignment_bytes:,} bytes, the mode {best.name}, with "
        f"{best.swizzle} on the byte addresses of lanes, takes {then:,} of their passes for "
        f"{now:,}, by counting; nothing has proved it"
    )


def _starts(buffer: EmittedBuffer, mode: Mode) -> bool:
    return all(start % mode.alignment_bytes == 0 for start, _ in buffer.parts)


def _passes(lanes: Sequence[AddressPattern], gpu: Machine, mode: Mode) -> int:
    """Of all executions, through the XOR of a mode."""
    total = 0
    for use in lanes:
        row = gpu.instruction(use.access.instruction)
        passes = count(row, mode.swizzle(use.offsets_bytes), use.active).passes
        total += int(passes.sum()) * use.executions
    return total
