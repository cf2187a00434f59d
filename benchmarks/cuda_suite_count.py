"""Passes of followed accesses, and the fewest of any fold or pitch: counted, no solver.

The rule is the one that NVIDIA publishes: 32 banks of 4 bytes; accesses of 8 bytes are served by
half warps, of 16 bytes by quarters; a phase takes as many passes as the most different words of one
bank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bankwise.read.assembly import AssemblyKernel

_LANES = {1: 32, 2: 32, 4: 32, 8: 16, 16: 8}
"""Lanes that are served together, by bytes of each."""
Offsets = NDArray[np.int64]
Move = Callable[[Offsets], Offsets]


class Touched:
    """All that instructions of one width do: ``offsets`` and ``active`` [phases, lanes], and how
    often each phase is served."""

    def __init__(self, width: int) -> None:
        self.width, self.rows = width, []
        self.offsets = self.active = np.zeros((0, 0))
        self.weights = np.zeros(0)

    def add(self, offsets: Offsets, active: NDArray[np.bool_], times: int) -> None:
        """One execution of all waves."""
        lanes = _LANES[self.width]
        self.rows.append((offsets.reshape(-1, lanes), active.reshape(-1, lanes), times))

    def close(self) -> None:
        """Everything as arrays; phases that are alike once."""
        offsets = np.concatenate([o for o, _, _ in self.rows])
        active = np.concatenate([a for _, a, _ in self.rows])
        weights = np.concatenate([np.full(len(o), t) for o, _, t in self.rows])
        some = active.any(axis=1)
        key = np.where(active, offsets, -1)[some]
        unique, back = np.unique(key, axis=0, return_inverse=True)
        self.offsets, self.active = unique, unique >= 0
        self.weights = np.bincount(back.ravel(), weights[some], len(unique)).astype(np.int64)


def passes(touched: Touched, move: Move | None = None) -> int:
    """The passes of all phases, bytes moved as ``move`` says; at least one each."""
    at = touched.offsets if move is None else np.where(touched.active, move(touched.offsets), -1)
    words = max(1, touched.width // 4)
    wanted = (at // 4)[:, :, None] + np.arange(words)
    wanted = np.where(touched.active[:, :, None], wanted, -1).reshape(len(at), -1)
    wanted = np.sort(wanted, axis=1)
    fresh = np.ones_like(wanted, bool)
    fresh[:, 1:] = wanted[:, 1:] != wanted[:, :-1]
    rows, columns = np.nonzero(fresh & (wanted >= 0))
    counts = np.zeros((len(at), 32), np.int64)
    np.add.at(counts, (rows, wanted[rows, columns] % 32), 1)
    return int((counts.max(axis=1, initial=0) * touched.weights).sum())


def _ideal(touched: Touched) -> int:
    """What is left without conflicts: a pass for each 128 bytes of different words."""
    words = max(1, touched.width // 4)
    wanted = (touched.offsets // 4)[:, :, None] + np.arange(words)
    wanted = np.where(touched.active[:, :, None], wanted, -1).reshape(len(touched.offsets), -1)
    wanted = np.sort(wanted, axis=1)
    fresh = (wanted[:, 1:] != wanted[:, :-1]).sum(axis=1) + (wanted[:, 0] >= 0)
    fresh = fresh - (wanted[:, :1] < 0).any(axis=1) * 0
    return int((np.maximum(1, -(-fresh // 32)) * touched.weights).sum())


def _touched(kernel: AssemblyKernel) -> dict[int, Touched]:
    """By width; matrices as rows of 16 bytes, whose eight are a phase."""
    found: dict[int, Touched] = {}
    for one in kernel.accesses:
        width = 16 if "ldmatrix" in one.instruction or "stmatrix" in one.instruction else 0
        width = width or one.access.width_bytes
        for pattern in one.access.patterns:
            if width in _LANES and one.unit is None:
                into = found.setdefault(width, Touched(width))
                into.add(pattern.offsets_bytes, pattern.active, pattern.executions)
    for some in found.values():
        some.close()
    return found


def present_passes(kernels: Sequence[AssemblyKernel]) -> dict[str, int]:
    """Passes and ideal of a workgroup of all kernels, as they are."""
    found = [one for kernel in kernels for one in _touched(kernel).values()]
    return {"passes": sum(map(passes, found)), "ideal": sum(map(_ideal, found))}


def least_passes(kernels: Sequence[AssemblyKernel]) -> dict[str, Any]:
    """The conflicts that are left under the best map of each kernel's shared bytes, moved array by
    array where arrays are known by their bytes; and which maps."""
    left, maps = 0, []
    for kernel in kernels:
        found = _touched(kernel)
        ideal = sum(map(_ideal, found.values()))
        now = sum(map(passes, found.values()))
        for first, end in _regions(found):
            inside = _within(found, first, end)
            best, name = _best(inside, first)
            gain = sum(map(passes, inside.values())) - best
            if gain > 0:
                now, maps = now - gain, [*maps, name]
        left += now - ideal
    return {"conflicts": max(0, left), "maps": maps}


def _regions(found: Mapping[int, Touched]) -> list[tuple[int, int]]:
    """Ranges of bytes that no access of one instruction crosses: an instruction that touches two
    places joins all between them."""
    ends: list[tuple[int, int]] = []
    for one in found.values():
        low = np.where(one.active, one.offsets, 1 << 40).min(axis=1)
        high = np.where(one.active, one.offsets, -1).max(axis=1) + one.width
        ends += list(zip(low.tolist(), high.tolist(), strict=True))
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ends):
        if merged and low < merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    joined: list[tuple[int, int]] = []
    for low, high in merged:
        if joined and low == joined[-1][1]:
            joined[-1] = joined[-1][0], high
        else:
            joined.append((low, high))
    return joined


def _within(found: Mapping[int, Touched], first: int, end: int) -> dict[int, Touched]:
    inside: dict[int, Touched] = {}
    for width, one in found.items():
        low = np.where(one.active, one.offsets, 1 << 40).min(axis=1)
        rows = (low >= first) & (low < end)
        if rows.any():
            part = Touched(width)
            part.offsets, part.active = one.offsets[rows], one.active[rows]
            part.weights = one.weights[rows]
            inside[width] = part
    return inside


def _best(inside: Mapping[int, Touched], first: int) -> tuple[int, str]:
    """The fewest passes, and under which map; bytes count from ``first``."""
    best, name = sum(map(passes, inside.values())), "as it is"
    floor = sum(map(_ideal, inside.values()))
    span = max(int(one.offsets.max()) for one in inside.values()) + 16 - first
    for label, move in _moves(max(inside), span):
        now = 0
        for one in inside.values():
            now += passes(one, lambda at, m=move: first + m(at - first))
            if now >= best:
                break
        if now < best:
            best, name = now, label
        if best == floor:
            break
    return best, name


def _moves(width: int, span: int) -> Iterator[tuple[str, Move]]:
    """Pitches, folds and sums of two folds that keep ``width`` bytes together."""
    widest = max(4, width)
    rows = [r for r in range(16, min(4096, span) + 1, 4) if r % widest == 0]
    rows = [r for r in rows if not r & r - 1 or span % r < 17]
    for row in rows:
        for pad in (4, 8, 16, 32, 64):
            if pad % widest == 0:
                yield f"rows of {row} + {pad}", lambda at, r=row, p=pad: at + at // r * p
    least = widest.bit_length() - 1
    folds = [
        (s, w, d)
        for d in range(least, 7)
        for w in range(1, 8 - d)
        for s in range(d + w, max(d + w + 1, min(14, span.bit_length())))
    ]
    for s, w, d in folds:
        m = (1 << w) - 1
        yield f"fold {s} {w} {d}", lambda at, s=s, m=m, d=d: at ^ ((at >> s & m) << d)
    for s, w, d in folds:
        for t in range(s + 1, min(14, span.bit_length())):
            m = (1 << w) - 1
            yield (
                f"fold {s}+{t} {w} {d}",
                lambda at, s=s, t=t, m=m, d=d: at ^ (((at >> s ^ at >> t) & m) << d),
            )
