"""How much of the time shared memory takes: what `--worth` says against what a fix brings.

    python benchmarks/h200_worth.py measure OUT.csv   # on a computer with an NVIDIA H200
    python benchmarks/h200_worth.py table             # of docs/trust.md, from docs/data

The kernels are those of docs/results_attention.md, row-major (with conflicts) and under the solved
layout (without). Of each the counters that ``check --counters --worth`` reads are taken, and the
times of both, in turns. Two predictions are judged:

*share*: predicted passes, one a cycle, over the cycles of the launch, beside the profiler's share;
*bound*: at most so many times as fast without conflicts (:class:`bankwise.show.worth.Worth`);
*extra*: the part of the time that conflicts take, on the multiprocessors that have a workgroup, is
saved and nothing else (a bound of nothing).
"""

from __future__ import annotations

import csv
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bankwise.show.worth import Share, Worth

DATA = Path(__file__).parents[1] / "docs" / "data" / "h200_worth" / "results.csv"
SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed"
OTHERS = {
    "matrix": "sm__inst_executed_pipe_tensor.sum.pct_of_peak_sustained_elapsed",
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
    "L2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "memory": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
}
CYCLES = "sm__cycles_elapsed.max"
SHAPES = tuple((b, n, d) for b in (1, 4, 16) for n in (128, 512, 2048, 8192) for d in (64, 128))
PRODUCTS = (
    (512,) * 3,
    (1024,) * 3,
    (2048,) * 3,
    (4096,) * 3,
    (4096, 4096, 512),
    (1024, 1024, 8192),
)
MULTIPROCESSORS = 132
ROWS, QUERIES = 128, 64
"""Of a workgroup: rows and columns of a product, queries of attention."""
ROUNDS, EACH = 6, 9
Row = dict[str, str]


def measure(out: Path) -> None:
    """Times and counters of every case; rows that differ in the variant stand together."""
    from bankwise.lab.gpu.profile_run import profile_module
    from bankwise.lab.kernels.cases import attention_cases, gemm_cases, plan

    cases = [c for element in ("f16", "f32") for c in gemm_cases(PRODUCTS, element)]
    for element, dealing in (("f16", "interleaved"), ("f32", "interleaved"), ("f32", "blocked")):
        cases += attention_cases(SHAPES, element, dealing)
    cases = [c for c in cases if c.variant != "padding"]
    times = [t for i in range(0, len(cases), 2) for t in _times(cases[i : i + 2])]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases.json"
        path.write_text(json.dumps([c.words() for c in cases]))
        launches = profile_module(
            "bankwise.lab.gpu.run_cases",
            [str(path)],
            kernels=("attention", "gemm"),
            metrics=(SHARED, *OTHERS.values(), CYCLES),
            expected=len(cases),
        )
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        head = ("kernel", "group", "shape", "variant", "passes", "extra", "median_us", "cycles")
        writer.writerow([*head, "shared_pct", *(f"{unit}_pct" for unit in OTHERS)])
        for case, us, launch in zip(cases, times, launches, strict=True):
            p = plan(case).predicted
            dealt = f" {case.dealing}" if case.dealing != "interleaved" else ""
            name = (case.kernel, case.element + dealt, case.shape, case.variant)
            counted = (p.passes, p.extra, round(us, 3), int(launch.values[CYCLES]))
            busy = (round(launch.values[n], 3) for n in (SHARED, *OTHERS.values()))
            writer.writerow([*name, *counted, *busy])


def _times(group: Sequence[object]) -> list[float]:
    """Microseconds of every case of a group, in turns."""
    from bankwise.lab.gpu import run_cases as gpu

    given = gpu.operands(group[0], 0)  # type: ignore[arg-type]
    found: dict[object, list[float]] = {case: [] for case in group}
    for _ in range(ROUNDS):
        for case in group:
            found[case] += gpu.time(case, given, EACH).all_ms  # type: ignore[arg-type]
    return [1000 * statistics.median(found[case]) for case in group]


def worth(row: Row) -> Worth:
    """What the tool says of a launch."""
    units = tuple(Share(unit, float(row[f"{unit}_pct"]), unit, "measured") for unit in OTHERS)
    lds = Share("shared memory", float(row["shared_pct"]), SHARED, "measured")
    extra = int(row["extra"]) / int(row["passes"])
    return Worth(row["kernel"], "of peak", True, lds, units, extra)


def share(row: Row) -> float:
    """Per cent of the launch's cycles that its predicted passes take."""
    return 100 * int(row["passes"]) / MULTIPROCESSORS / int(row["cycles"])


def without_extra(row: Row) -> float:
    """So many times as fast if what the extra passes take is saved."""
    a, b, _ = map(int, row["shape"].split("x"))
    groups = a // ROWS * (b // ROWS) if row["kernel"] == "gemm" else a * b // QUERIES
    busy = float(row["shared_pct"]) * max(1, MULTIPROCESSORS / groups)
    return 100 / (100 - busy * int(row["extra"]) / int(row["passes"]))


def table(rows: list[Row]) -> Iterator[str]:
    """A line for each kernel and type."""
    from ranking import correlation

    yield (
        "| kernel | launches | share of time, predicted - measured | faster, median "
        "| bound: holds, median, rank | extra: median, off by, rank |"
    )
    yield "|---|---|---|---|---|---|"
    for group in dict.fromkeys((r["kernel"], r["group"]) for r in rows):
        mine = [r for r in rows if (r["kernel"], r["group"]) == group]
        apart = [share(r) - float(r["shared_pct"]) for r in mine]
        pairs = list(zip(mine[::2], mine[1::2], strict=True))
        gains = [float(a["median_us"]) / float(b["median_us"]) for a, b in pairs]
        bounds = [worth(before).most or 0.0 for before, _ in pairs]
        saved = [without_extra(before) for before, _ in pairs]
        holds = sum(gain <= bound for gain, bound in zip(gains, bounds, strict=True))
        off = sorted(gain / said for gain, said in zip(gains, saved, strict=True))
        ranks = [
            f"{correlation(list(zip(said, gains, strict=True))):+.2f}"
            if len(set(said)) > 1
            else "-"
            for said in (bounds, saved)
        ]
        middle = statistics.median
        yield (
            f"| {' '.join(group)} | {len(mine)} | {min(apart):+.1f} to {max(apart):+.1f} points "
            f"| {middle(gains):.2f}x | {holds} of {len(pairs)}, {middle(bounds):.1f}x, "
            f"{ranks[0]} | {middle(saved):.2f}x, {off[0]:.2f} to {off[-1]:.2f}, "
            f"{ranks[1]} |"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"] and len(sys.argv) == 3:
        measure(Path(sys.argv[2]))
    elif sys.argv[1:] == ["table"]:
        with DATA.open(encoding="utf-8") as found:
            print("\n".join(table(list(csv.DictReader(found)))))
    else:
        sys.exit(__doc__)
