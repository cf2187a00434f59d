"""Accesses that each ask one question about an instruction, so that its rules can be read off.

Every lane takes part. All but one or two want the same bytes, which is a broadcast and costs
nothing, so the conflict counter answers for the odd lanes alone:

    lane j moved by 4096 bytes, the rest at 0      conflict: lane j supplies an address
    lane 1 moved by d bytes, the rest at 0         conflict: d is a multiple of the banks' period
    lane i at 0, lane j at 4096, the rest apart    conflict: i and j are served in one phase

4096 bytes are a multiple of every period in question (64 banks of 4 bytes, 256 bytes).
Two odd lanes with the rest elsewhere also keep NVIDIA's loads from merging phases: neither the
neighbour T^1 nor T^2 of an odd lane has its address.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from msgspec import Struct, field

from bankwise.hardware.machine import Instruction
from bankwise.lab.gpu.cases import WaveAccess, unit_bytes

FAR_BYTES = 4096
"""A distance that returns to the same bank on every machine with up to 1,024 banks."""
APART_BYTES = 32
"""Where the others rest: banks 8 to 11, away from the banks of the odd lanes (0 to 3)."""
MAX_BANKS = 128
"""The largest number of banks that is looked for."""
_MOVED = 1
"""The lane that is moved to find the period: it supplies an address in every instruction known."""


class Answers(Struct):
    """What the counters said about one instruction. True: they counted a conflict."""

    supplies: dict[int, bool] = field(default_factory=dict)
    distances: dict[int, bool] = field(default_factory=dict)
    together: dict[tuple[int, int], bool] = field(default_factory=dict)

    def add(self, case: WaveAccess, conflicts: int) -> bool:
        """Take the answer of one access; False if the access asks none of the questions."""
        question = _question(case)
        if question is None:
            return False
        lanes, distance = question
        if len(lanes) == 2:
            self.together[lanes[0], lanes[1]] = conflicts > 0
            return True
        if distance == FAR_BYTES:
            self.supplies[lanes[0]] = conflicts > 0
        if lanes[0] == _MOVED:
            self.distances[distance] = conflicts > 0
        return True

    @property
    def banks(self) -> int | None:
        """Banks, from the shortest distance that conflicts; None if none did."""
        found = [d for d, conflict in self.distances.items() if conflict and d < FAR_BYTES]
        return min(found) // 4 if found else None

    @property
    def contradicted(self) -> bool:
        """Whether some pair was measured that the phases, as read off, answer otherwise."""
        phase = {lane: n for n, lanes in enumerate(self.phases()[0]) for lane in lanes}
        return any(
            told != (phase[a] == phase[b])
            for (a, b), told in self.together.items()
            if a in phase and b in phase
        )

    def phases(self) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
        """The phases known so far, complete ones, and the lanes whose phase is still open."""
        open_lanes = sorted(lane for lane, supplies in self.supplies.items() if supplies)
        found: list[tuple[int, ...]] = []
        while open_lanes:
            first, rest = open_lanes[0], open_lanes[1:]
            if any((first, lane) not in self.together for lane in rest):
                break
            phase = (first, *(lane for lane in rest if self.together[first, lane]))
            found.append(phase)
            open_lanes = [lane for lane in rest if lane not in phase]
        return tuple(found), tuple(open_lanes)


def first_questions(row: Instruction) -> Iterable[WaveAccess]:
    """Which lanes supply addresses, and after how many bytes the banks repeat.

    Of a row its name, its wave and how many bytes a lane takes are used: two addresses that follow
    each other may be served as one, and distances below that would conflict by themselves.
    """
    for lane in range(row.wave_size):
        yield _case(row.name, row.wave_size, {lane: FAR_BYTES}, 0)
    step = max(4, unit_bytes(row.width_bytes * row.addresses))
    for distance in range(step, 4 * MAX_BANKS + 1, step):
        yield _case(row.name, row.wave_size, {_MOVED: distance}, 0)


def all_pairs(instruction: str, wave: int) -> Iterable[WaveAccess]:
    """Every question about two lanes at once, for whoever cannot ask in rounds."""
    for first, second in combinations(range(wave), 2):
        yield _case(instruction, wave, {first: 0, second: FAR_BYTES}, APART_BYTES)


def next_questions(instruction: str, wave: int, answers: Answers) -> Iterable[WaveAccess]:
    """Who shares a phase with the first lane whose phase is open; nothing once all are known."""
    _, left = answers.phases()
    for lane in left[1:]:
        yield _case(instruction, wave, {left[0]: 0, lane: FAR_BYTES}, APART_BYTES)


def _case(instruction: str, wave: int, odd: dict[int, int], rest: int) -> WaveAccess:
    offsets = np.full(wave, rest, np.int64)
    for lane, offset in odd.items():
        offsets[lane] = offset
    return WaveAccess(instruction, offsets, np.ones(wave, np.bool_))


def _question(case: WaveAccess) -> tuple[tuple[int, ...], int] | None:
    """(the odd lanes, their distance) of a directed access; None for any other access."""
    values, counts = np.unique(case.offsets_bytes, return_counts=True)
    if not case.active.all() or len(values) not in (2, 3):
        return None
    rest = int(values[counts.argmax()])
    odd = tuple(np.flatnonzero(case.offsets_bytes != rest).tolist())
    if len(odd) == 1 and rest == 0:
        return odd, int(case.offsets_bytes[odd[0]])
    at = sorted(int(case.offsets_bytes[lane]) for lane in odd)
    if len(odd) == 2 and rest == APART_BYTES and at == [0, FAR_BYTES]:
        return odd, FAR_BYTES
    return None
