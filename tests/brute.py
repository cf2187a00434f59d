"""The counting rule written out once more, with dicts and sets: the judge of the vectorised one.

It shares nothing with ``bankwise.counting.conflict`` but the phases and banks of the machine files.
"""

from __future__ import annotations

from bankwise.hardware.machine import Instruction


def brute_count(
    row: Instruction, rounds: list[list[int]], active: list[bool]
) -> tuple[int, int, int]:
    """(passes, ideal, ways) of one wave. ``rounds``: the offsets, once per address of a lane."""
    costs = [cost for offsets in rounds for cost in _round(row, offsets, active)]
    return sum(costs), sum(cost > 0 for cost in costs), max(costs)


def _round(row: Instruction, offsets: list[int], active: list[bool]) -> list[int]:
    costs = []
    for lanes in _phases(row, offsets, active):
        words: dict[int, set[int]] = {}
        for lane in lanes:
            if active[lane]:
                for byte in range(offsets[lane], offsets[lane] + row.width_bytes):
                    words.setdefault(byte // 4 % row.banks, set()).add(byte // 4)
        costs.append(max((len(w) for w in words.values()), default=0))
    return costs


def _phases(row: Instruction, offsets: list[int], active: list[bool]) -> list[list[int]]:
    phases = [list(lanes) for lanes in row.phases]
    if row.merge == "none" or not (_pairs(1, offsets, active) or _pairs(2, offsets, active)):
        return phases
    return [phases[i] + phases[i + 1] for i in range(0, len(phases), 2)]


def _pairs(step: int, offsets: list[int], active: list[bool]) -> bool:
    """Whether every active lane T finds T^step inactive or at its own address."""
    return all(
        not active[lane ^ step] or offsets[lane ^ step] == offsets[lane]
        for lane in range(len(offsets))
        if active[lane]
    )
