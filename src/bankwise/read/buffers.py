"""Which bytes of shared memory are one buffer: what emitted code no longer says.

An AMD kernel has one blob of LDS, PTX names variables that may still hold several tiles. Two
instructions use one buffer when they touch a common word; what lies between its first and its last
byte belongs to it. An instruction that visits several such ranges (double buffers, a ring that a
loop walks around) ties them together: its address arithmetic is one, so they share one layout.

    write 0 .. 4095    read 0 .. 4095        buffer 1: parts [0, 4096) and [4096, 8192),
    write 4096 .. 8191 read 4096 .. 8191     if one read instruction visits both; else two buffers
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray, Pattern, distinct
from bankwise.counting.bound import exactly, total
from bankwise.errors import Refusal
from bankwise.hardware.machine import BANK_BYTES, Machine
from bankwise.identity import ByIdentity
from bankwise.read.assembly import MOST_BYTES, AssemblyAccess

_ALIGNED = 16
"""Buffers are taken to begin at a multiple of so many bytes, as their widest accesses need."""

MOST_USES = 800
"""Different accesses of a kernel; an unrolled loop has hundreds of them, most of them alike."""


class AddressPattern(ByIdentity, frozen=True, eq=False):
    """What one address of one instruction touches in one pattern.

    ``offsets_bytes``: int64 [waves, lanes]; ``active``: bool, lanes that supply an address.
    ``executions``: how often; ``second``: of a two-address form, the other address.
    """

    access: AssemblyAccess
    offsets_bytes: IntArray
    active: BoolArray
    executions: int
    second: bool = False


class EmittedBuffer(ByIdentity, frozen=True, eq=False):
    """One buffer. ``parts``: (first byte, behind the last) of each of its equal copies.

    The offsets of ``uses`` count from the start of the part that they touch. ``arrays``: the
    variables of the allocation, as their author calls them, with their first bytes, in order.
    """

    allocation: str
    parts: tuple[tuple[int, int], ...]
    uses: tuple[AddressPattern, ...]
    whole: bool = False
    arrays: tuple[tuple[str, int], ...] = ()

    @property
    def size_bytes(self) -> int:
        """Bytes of one part."""
        return self.parts[0][1] - self.parts[0][0]

    @property
    def names(self) -> tuple[str, ...]:
        """``shared[0:4096]``; neighbouring parts together; the allocation where that is all; the
        variable where that is known."""
        if self.whole and not self.arrays:
            return (self.allocation,)
        return tuple(self._named(start, stop) for start, stop in self.runs)

    @property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """Its parts, neighbouring ones together."""
        runs: list[list[int]] = []
        for start, stop in sorted(self.parts):
            if runs and runs[-1][1] == start:
                runs[-1][1] = stop
            else:
                runs.append([start, stop])
        return tuple((start, stop) for start, stop in runs)

    def _named(self, start: int, stop: int) -> str:
        text = self._array(start, stop) or f"{self.allocation}[{start}:{stop}]"
        return text if stop - start == self.size_bytes else f"{text} in parts of {self.size_bytes}"

    def _array(self, start: int, stop: int) -> str:
        """The variable that begins and may end there, by its author's name; "" where none does."""
        found = (n for (n, first), end in _ends(self.arrays) if first == start and stop <= end)
        return next(found, "")


def buffers(
    accesses: Sequence[AssemblyAccess], machine: Machine
) -> tuple[EmittedBuffer, ...] | Refusal:
    """The buffers of one kernel, by allocation and address.

    A Refusal for impossible addresses, and for kernels with too many different accesses.
    """
    uses = [use for access in _distinct(accesses) for use in _uses(access, machine)]
    if len(uses) > MOST_USES:
        return Refusal(f"{len(uses):,} different accesses; {MOST_USES:,} are looked at")
    beyond = next((u for u in uses if _reach(u) > MOST_BYTES), None)
    if beyond is not None:
        reason = f"{beyond.access.instruction} touches byte {_reach(beyond):,}, which no GPU has"
        return Refusal(reason, beyond.access.access.location)
    found: list[EmittedBuffer] = []
    for name in dict.fromkeys(_allocation(use) for use in uses):
        here = [use for use in uses if _allocation(use) == name]
        groups = _grouped(_components(here))
        found += [_buffer(name, group) for group in groups]
        if len(groups) == 1 and len(found[-1].parts) == 1 and not found[-1].parts[0][0]:
            found[-1] = replace(found[-1], whole=True)
    return tuple(found)


def called(
    found: Sequence[EmittedBuffer], arrays: Sequence[tuple[str, int]]
) -> tuple[EmittedBuffer, ...]:
    """The buffers of one kernel by the names of its shared ``arrays``, whose accesses name one
    allocation alone. A variable in which several lie calls none."""
    starts = [start for one in found for start, _ in one.runs]
    known = tuple(
        (name if sum(first <= start < end for start in starts) == 1 else "", first)
        for (name, first), end in _ends(arrays)
    )
    alone = len({one.allocation for one in found}) == 1
    return tuple(replace(one, arrays=known) for one in found) if alone else tuple(found)


def _ends(arrays: Sequence[tuple[str, int]]) -> Iterator[tuple[tuple[str, int], int]]:
    """Each variable, and where the next one begins."""
    return zip(arrays, (*(first for _, first in arrays[1:]), MOST_BYTES), strict=False)


def uses_of(
    accesses: Sequence[AssemblyAccess], machine: Machine, start: int, stop: int
) -> tuple[AddressPattern, ...] | Refusal:
    """What touches the bytes from ``start`` to ``stop``, offsets counted from there.

    A Refusal where an access touches others as well: then the bytes are no variable of their own.
    """
    found: list[AddressPattern] = []
    for use in (use for access in _distinct(accesses) for use in _uses(access, machine)):
        touched = use.offsets_bytes[use.active]
        first, last = int(touched.min()), int(touched.max()) + use.access.access.width_bytes
        if last <= start or first >= stop:
            continue
        if first < start or last > stop:
            reason = f"{use.access.instruction} touches bytes {first} to {last}, beyond the array"
            return Refusal(reason, use.access.access.location)
        moved = np.where(use.active, use.offsets_bytes - start, 0)
        found.append(replace(use, offsets_bytes=moved))
    return tuple(found)


def _distinct(accesses: Sequence[AssemblyAccess]) -> list[AssemblyAccess]:
    """Instructions that touch the same bytes as one that runs as often as all of them."""
    same: dict[object, list[AssemblyAccess]] = {}
    for access in accesses:
        patterns = [
            (p.allocation, p.offsets_bytes.tobytes(), p.active.tobytes())
            for p in access.access.patterns
        ]
        key = (access.instruction, access.apart_bytes, tuple(patterns))
        same.setdefault(key, []).append(access)
    return [_summed(group) if len(group) > 1 else group[0] for group in same.values()]


def _summed(same: Sequence[AssemblyAccess]) -> AssemblyAccess:
    rows = zip(*(a.access.patterns for a in same), strict=True)
    patterns = tuple(_joined(row) for row in rows)
    access = replace(same[0].access, patterns=patterns)
    return replace(same[0], access=access, counted=all(a.counted for a in same))


def _joined(alike: Sequence[Pattern]) -> Pattern:
    exact = all(p.really is None for p in alike)
    really = None if exact else total(p.really or exactly(p.executions) for p in alike)
    return replace(alike[0], executions=sum(p.executions for p in alike), really=really)


def _reach(use: AddressPattern) -> int:
    return int(use.offsets_bytes[use.active].max()) + use.access.access.width_bytes


def _allocation(use: AddressPattern) -> str:
    return use.access.access.patterns[0].allocation


def _uses(access: AssemblyAccess, machine: Machine) -> Iterator[AddressPattern]:
    row = machine.instructions.get(access.instruction)
    if row is None:
        return
    served = np.zeros(row.wave_size, np.bool_)
    served[[lane for phase in row.phases for lane in phase]] = True
    for pattern in access.access.patterns:
        active = pattern.active & served
        if not active.any():
            continue
        yield AddressPattern(access, pattern.offsets_bytes, active, pattern.executions)
        if row.addresses == 2:
            apart = row.width_bytes if access.apart_bytes is None else access.apart_bytes
            offsets = pattern.offsets_bytes + apart
            yield AddressPattern(access, offsets, active, pattern.executions, second=True)


class _Range(Struct, eq=False):
    """Uses that share words; ``start`` to ``stop`` in bytes."""

    start: int
    stop: int
    uses: list[AddressPattern]


def _components(uses: Sequence[AddressPattern]) -> list[_Range]:
    """Uses that are connected by words which they share, then ranges that overlap, in order."""
    words = [_words(use) for use in uses]
    owner = np.full(1 + max(int(w[-1]) for w in words), -1, np.int64)
    leader = list(range(len(uses)))

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    for number, touched in enumerate(words):
        for other in distinct(owner[touched]).tolist():
            if other >= 0:
                leader[find(other)] = find(number)
        owner[touched] = number
    ranges: dict[int, _Range] = {}
    for number, touched in enumerate(words):
        start, stop = int(touched[0]) * BANK_BYTES, (int(touched[-1]) + 1) * BANK_BYTES
        found = ranges.setdefault(find(number), _Range(start, stop, []))
        found.start, found.stop = min(found.start, start), max(found.stop, stop)
        found.uses.append(uses[number])
    return _merged(list(ranges.values()))


def _words(use: AddressPattern) -> IntArray:
    """The words that a use touches, sorted."""
    first = use.offsets_bytes[use.active]
    last = first + use.access.access.width_bytes - 1
    steps = [first // BANK_BYTES + step for step in range(_words_wide(use))]
    return distinct(np.minimum(np.concatenate(steps), np.tile(last // BANK_BYTES, len(steps))))


def _words_wide(use: AddressPattern) -> int:
    """Words that an access of this width can reach into, whatever its alignment."""
    return (use.access.access.width_bytes + 2 * (BANK_BYTES - 1)) // BANK_BYTES


def _merged(ranges: list[_Range]) -> list[_Range]:
    """Interleaved ranges are one: a layout of the one would move words onto the other."""
    out: list[_Range] = []
    for one in sorted(ranges, key=lambda r: r.start):
        if out and one.start < out[-1].stop:
            out[-1].stop = max(out[-1].stop, one.stop)
            out[-1].uses += one.uses
        else:
            out.append(one)
    return out


def _connected_ranges(ranges: list[_Range]) -> Iterator[list[_Range]]:
    """Ranges that one instruction visits in turn."""
    group = list(range(len(ranges)))
    seen: dict[tuple[int, bool], int] = {}
    for number, one in enumerate(ranges):
        for use in one.uses:
            key = (id(use.access), use.second)
            old, new = group[seen.setdefault(key, number)], group[number]
            group = [old if g == new else g for g in group] if old != new else group
    for leader in dict.fromkeys(group):
        yield [r for r, g in zip(ranges, group, strict=True) if g == leader]


def _grouped(ranges: list[_Range]) -> list[list[_Range]]:
    """Groups of equal ranges: copies of one buffer. Unequal ones are taken as one range."""
    while True:
        groups = list(_connected_ranges(ranges))
        uneven = [g for g in groups if len({stop - start for start, stop in map(_span, g)}) > 1]
        if not uneven:
            return groups
        joined = [_Range(g[0].start, g[-1].stop, [u for r in g for u in r.uses]) for g in uneven]
        ranges = _merged(joined + [r for g in groups if g not in uneven for r in g])


def _span(one: _Range) -> tuple[int, int]:
    return one.start // _ALIGNED * _ALIGNED, one.stop


def _buffer(name: str, ranges: list[_Range]) -> EmittedBuffer:
    moved = [
        replace(use, offsets_bytes=np.where(use.active, use.offsets_bytes - _span(one)[0], 0))
        for one in ranges
        for use in one.uses
    ]
    return EmittedBuffer(name, tuple(map(_span, ranges)), tuple(moved))


def together(same: Sequence[EmittedBuffer]) -> EmittedBuffer:
    """Several buffers of one size, with the same accesses, as the parts of one."""
    parts = tuple(part for buffer in same for part in buffer.parts)
    uses = tuple(use for buffer in same for use in buffer.uses)
    return replace(same[0], parts=parts, uses=uses)
