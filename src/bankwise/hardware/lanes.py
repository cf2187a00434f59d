"""Lists of lanes as text, ``0-3 20-23``, in both directions."""

from __future__ import annotations

import re

_RUN = re.compile(r"(\d+)(?:-(\d+))?")

MOST_LANES = 1024
"""More than any wave has, and than a workgroup has threads."""


def lanes(text: str) -> tuple[int, ...]:
    """Read a lane list such as ``"0-3 20-23"``. Raises ValueError for anything else."""
    out: list[int] = []
    for part in text.split():
        run = _RUN.fullmatch(part)
        first, last = (int(run[1]), int(run[2] or run[1])) if run else (0, -1)
        if last < first:
            raise ValueError(f'{part!r} is no run of lanes; a lane list looks like "0-3 20-23"')
        if last >= MOST_LANES:
            raise ValueError(f"{part!r}: a wave has at most {MOST_LANES} lanes")
        out.extend(range(first, last + 1))
    return tuple(out)


def lane_text(values: tuple[int, ...]) -> str:
    """Write a lane list, the inverse of :func:`lanes`: consecutive lanes become a range."""
    runs: list[list[int]] = []
    for lane in values:
        if runs and lane == runs[-1][-1] + 1:
            runs[-1].append(lane)
        else:
            runs.append([lane])
    return " ".join(f"{r[0]}-{r[-1]}" if len(r) > 1 else str(r[0]) for r in runs)


def phases_text(phases: tuple[tuple[int, ...], ...]) -> str:
    """Phases in one line: ``0-3 20-23 | 4-7 16-19 | ...``."""
    return " | ".join(lane_text(phase) for phase in phases)
