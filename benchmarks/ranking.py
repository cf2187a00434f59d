"""How well predicted passes rank measured times, over what was measured on an H200.

    python benchmarks/ranking.py       # the table of docs/trust.md, from docs/data

A pair is two versions of one kernel at one size: a fix and what it fixes, or two layouts. The rank
correlation (Spearman's, ties by mean ranks) is between the ratio of their predicted passes and the
ratio of their times.
"""

from __future__ import annotations

import csv
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

DATA = Path(__file__).parents[1] / "docs" / "data"
Row = dict[str, str]
Pair = tuple[float, float]
"""Predicted passes and times of two versions, as ratios."""


def rows(name: str) -> list[Row]:
    with (DATA / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def pairs(
    found: Sequence[Row], same: Sequence[str], passes: Sequence[str], time: str
) -> list[Pair]:
    """Of all rows that have the columns ``same`` in common; passes are sums of columns."""
    groups: dict[Hashable, list[Pair]] = {}
    for row in found:
        if row[time] and all(row[column] for column in passes):
            taken = float(sum(int(row[column]) for column in passes))
            key = tuple(row[column] for column in same)
            groups.setdefault(key, []).append((taken, float(row[time])))
    return [
        (a[0] / b[0], a[1] / b[1])
        for group in groups.values()
        for a, b in combinations(group, 2)
        if b[0]
    ]


def ranks(values: Sequence[float]) -> list[float]:
    order = sorted(values)
    first = {v: i for i, v in reversed(list(enumerate(order)))}
    last = {v: i for i, v in enumerate(order)}
    return [(first[v] + last[v]) / 2 for v in values]


def correlation(found: Sequence[Pair]) -> float:
    x, y = (ranks(side) for side in zip(*found, strict=True))
    mean = (len(found) - 1) / 2
    above = sum((a - mean) * (b - mean) for a, b in zip(x, y, strict=True))
    spread = [sum((a - mean) ** 2 for a in side) for side in (x, y)]
    return above / (spread[0] * spread[1]) ** 0.5


def table() -> Iterator[str]:
    layouts = [*rows("h200_attention/attention.csv"), *rows("h200_attention/gemm.csv")]
    counted = ("predicted_read_passes", "predicted_write_passes")
    transposes = rows("h200_transpose/results.csv")
    ladder = [r for r in transposes if r["kind"] == "rung"]
    case = ("dtype", "m", "k")
    yield "| pairs of versions | pairs | rank correlation | fewer passes, less time |"
    yield "|---|---|---|---|"
    for what, found in (
        (
            "IREE's and Triton's kernels: as emitted, fixed, padded",
            pairs(
                rows("h200_fix/results.csv"),
                ("name", "framework"),
                ("predicted_passes",),
                "median_us",
            ),
        ),
        (
            "attention and products: row-major, padded, swizzled",
            pairs(layouts, ("kernel", "group", "shape"), counted, "median_ms"),
        ),
        (
            "transposes that are written differently",
            pairs(ladder, case, ("predicted_passes",), "median_ms"),
        ),
    ):
        other = [(p, t) for p, t in found if p != 1]
        right = sum((p > 1) == (t > 1) for p, t in other)
        yield f"| {what} | {len(found)} | {correlation(found):.2f} | {right} of {len(other)} |"


if __name__ == "__main__":
    print("\n".join(table()))
