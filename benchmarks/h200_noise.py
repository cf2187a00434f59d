"""The choice between padding and swizzle on 110 attention shapes, and the noise it is judged by.

    python benchmarks/h200_noise.py measure OUT.csv   # on a computer with the GPU
    python benchmarks/h200_noise.py table             # of docs/results_attention.md

Every variant of every shape is timed twice, as if it were two: ten rounds over all six in turns,
forwards and backwards, seven launches each. Between the two columns of a row nothing differs.
The choice (:mod:`bankwise.lab.report.bench_choice`) knows predicted passes, registers and bytes.
"""

from __future__ import annotations

import csv
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from bankwise.hardware.machine import machine
from bankwise.lab.report.bench_choice import chosen
from bankwise.lab.report.bench_row import BenchRow, bench_rows

DATA = Path(__file__).parents[1] / "docs" / "data" / "h200_attention"
HEAD = ("group", "shape", "variant", "registers", "lds_bytes", "first_us", "again_us")
ROUNDS, EACH = 10, 7
Times = dict[str, tuple[float, float]]
"""Microseconds by variant, measured twice."""


def measure(out: Path) -> None:
    """A row for every variant of every shape."""
    from bankwise.lab.bench_attention import cases_of
    from bankwise.lab.gpu import run_cases as gpu
    from bankwise.lab.kernels.cases import plan

    cases = cases_of()
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        for first in range(0, len(cases), 3):
            group = cases[first : first + 3]
            given = gpu.operands(group[0], 0)
            turns = [(case, again) for again in (0, 1) for case in group]
            for case, _ in turns:
                gpu.time(case, given, 3)
            found: dict[object, list[float]] = {turn: [] for turn in turns}
            for number in range(ROUNDS):
                for turn in turns if number % 2 == 0 else turns[::-1]:
                    found[turn].append(1000 * gpu.time(turn[0], given, EACH).median_ms)
            for case in group:
                used = gpu.kernel_resources(case).registers
                dealt = f" {case.dealing}" if case.dealing != "interleaved" else ""
                times = (f"{statistics.median(found[case, i]):.3f}" for i in (0, 1))
                words = (case.element + dealt, case.shape, case.variant)
                writer.writerow([*words, used, plan(case).shared_bytes, *times])


def launches() -> Iterator[tuple[str, str, Times, str]]:
    """(group, shape, times, the variant that is chosen) of every launch."""
    table = DATA / "attention.csv"
    predicted = {
        (r.group, r.shape, r.variant): r for r in bench_rows(table.read_text(), str(table))
    }
    rows: dict[tuple[str, str], list[BenchRow]] = {}
    times: dict[tuple[str, str], Times] = {}
    with (DATA / "interleaved.csv").open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            key = line["group"], line["shape"]
            row = predicted[*key, line["variant"]]
            row = replace(row, registers=int(line["registers"]), lds_bytes=int(line["lds_bytes"]))
            rows.setdefault(key, []).append(row)
            both = float(line["first_us"]), float(line["again_us"])
            times.setdefault(key, {})[line["variant"]] = both
    for key, found in rows.items():
        yield *key, times[key], chosen(found, machine("sm_90")).variant


def table() -> Iterator[str]:
    """A line per group: within 1 %, within the noise, and what the noise is."""
    found = list(launches())
    yield (
        "| | padding, swizzle chosen | within 1 % of the fastest | swizzle always | padding always "
        "| same kernel twice: median, 9 of 10, most |"
    )
    yield "|---|---|---|---|---|---|"
    for group in dict.fromkeys(group for group, *_ in found):
        mine = [(times, choice) for name, _, times, choice in found if name == group]
        picked = [sum(choice == v for _, choice in mine) for v in ("padding", "swizzle")]
        noise = sorted(noise_of(times) for times, _ in mine)
        percent = [100 * noise[i] for i in (len(noise) // 2, len(noise) * 9 // 10, -1)]
        near = (sum(behind(t, v or c) <= 0.01 for t, c in mine) for v in ("", "swizzle", "padding"))
        counts = " | ".join(f"{n} of {len(mine)}" for n in near)
        yield (
            f"| {group} | {picked[0]}, {picked[1]} | {counts} "
            f"| {percent[0]:.2f}, {percent[1]:.2f}, {percent[2]:.1f} % |"
        )


def behind(times: Times, variant: str) -> float:
    """By how much a variant is slower than the fastest, as a part."""
    return sum(times[variant]) / min(map(sum, times.values())) - 1


def noise_of(times: Times) -> float:
    """The largest difference of a kernel from itself."""
    return max(abs(first / again - 1) for first, again in times.values())


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"] and len(sys.argv) == 3:
        measure(Path(sys.argv[2]))
    elif sys.argv[1:] == ["table"]:
        print("\n".join(table()))
    else:
        sys.exit(__doc__)
