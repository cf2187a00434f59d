"""The counting rule written out once more, with dicts and sets: the judge of the vectorised one.

It shares nothing with ``bankwise.counting.conflict`` but the phases and banks of the machine files.
"""

from __future__ import annotations

from collections import defaultdict

from bankwise.hardware.machine import Instruction


def brute_count(
    row: Instruction, rounds: list[list[int]], active: list[bool]
) -> tuple[int, int, int]:
    """(passes, ideal, ways) of one wave. ``rounds``: the offsets, once per address of a lane."""
    if row.merge == "lines":
        moves = [(lane, lane, offset // 16) for lane, offset in enumerate(rounds[0])]
        passes = passes_of_lines([move for move in moves if active[move[0]]])
        return passes, passes, min(passes, 1)
    costs = [cost for offsets in rounds for cost in _round(row, offsets, active)]
    return sum(costs), sum(cost > 0 for cost in costs), max(costs)


def _round(row: Instruction, offsets: list[int], active: list[bool]) -> list[int]:
    costs = []
    for lanes in phases_of(row, offsets, active):
        words: dict[int, set[tuple[int, int]]] = {}
        for lane in lanes:
            if active[lane]:
                for byte in range(offsets[lane], offsets[lane] + row.width_bytes):
                    wish = (byte // 4, lane if row.serial else 0)
                    words.setdefault(byte // 4 % row.banks, set()).add(wish)
        costs.append(max((len(w) for w in words.values()), default=0))
    return costs


def phases_of(row: Instruction, offsets: list[int], active: list[bool]) -> list[list[int]]:
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


def passes_of_lines(moves: list[tuple[int, int, int]]) -> int:
    """Of copies past the cache, over sets: lane, source, destination of each piece of 16 bytes."""
    first = {to: (source, to) for _, source, to in reversed(moves)}
    lines: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    twice = 0
    for source, to in first.values():
        line = lines[source // 8, to // 8]
        twice += source % 8 in line  # a piece that goes to two places goes alone
        line.setdefault(source % 8, to % 8)
    return twice + sum(_groups(line) for line in lines.values())


TURNS = [[(sign * n + by) % 4 for n in range(4)] for sign in (1, -1) for by in range(4)]


def _groups(line: dict[int, int]) -> int:
    kinds: dict[object, list[tuple[int, int]]] = defaultdict(list)
    for source, to in line.items():
        whole = line.get(source ^ 1) == to ^ 1
        if whole and source % 2:
            continue
        kinds["whole" if whole else source % 2, (source ^ to) % 2].append((source // 2, to // 2))
    passes = 0
    for units in kinds.values():
        while units:
            best = max(TURNS, key=lambda turn: sum(turn[a] == b for a, b in units))
            units[:] = [(a, b) for a, b in units if best[a] != b]
            passes += 1
    return passes
