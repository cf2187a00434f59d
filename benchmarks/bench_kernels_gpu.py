"""Attention and matrix products on a GPU: what docs/results_attention.md was taken by.

    python benchmarks/bench_kernels_gpu.py FOLDER [--quick]

writes attention.csv, attention.json, gemm.csv, gemm.json into FOLDER: predictions, counters,
differences from float64, median times. Needs CuPy and Nsight Compute; ``--quick`` takes a few
shapes only. ``--plot`` draws the tables that are in FOLDER instead, and needs no GPU.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from rich.console import Console

from bankwise.lab import bench_attention as attention
from bankwise.lab import bench_gemm as gemm
from bankwise.lab.bench_attention import bench_attention
from bankwise.lab.bench_cases import Steps, attributed
from bankwise.lab.bench_gemm import bench_gemm
from bankwise.lab.kernels.cases import BenchmarkCase
from bankwise.lab.report.bench_cases import BenchReport, print_bench
from bankwise.lab.report.bench_plot import plot_bench
from bankwise.lab.report.bench_row import bench_csv, bench_rows
from bankwise.lab.report.documents import bench_document

QUICK_ATTENTION = ((1, 128, 64), (2, 384, 128), (4, 1024, 64), (16, 2048, 128), (1, 8192, 128))
QUICK_GEMM = ((512, 512, 512), (4096, 4096, 4096), (1024, 4096, 1024))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--plot", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.plot:
        for name in ("attention", "gemm"):
            table = given.folder / f"{name}.csv"
            rows = bench_rows(table.read_text(), str(table))
            plot_bench(rows, table.with_suffix(".svg"), f"{name} on an NVIDIA H200")
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    steps = Steps(seed=given.seed)
    shapes, products = ((), ()) if not given.quick else (QUICK_ATTENTION, QUICK_GEMM)
    folder = given.folder
    _bench(folder / "gemm", lambda: bench_gemm(products, steps, _progress), gemm.cases_of(products))
    _bench(
        folder / "attention",
        lambda: bench_attention(shapes, steps, _progress),
        attention.cases_of(shapes),
    )


def _bench(path: Path, run: Callable[[], BenchReport], cases: Sequence[BenchmarkCase]) -> None:
    start = time.monotonic()
    report = run()
    _write(path, report)
    print(f"{path.name}: {time.monotonic() - start:.1f} s", file=sys.stderr)
    report = attributed(report, cases)
    _write(path, report)
    print_bench(report, Console(width=180))
    print(f"{path.name}: {time.monotonic() - start:.1f} s with attribution", file=sys.stderr)


def _write(path: Path, report: BenchReport) -> None:
    path.with_suffix(".csv").write_text(bench_csv(report.rows))
    document = msgspec.to_builtins(bench_document(report))
    del document["rows"]
    path.with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n")


def _progress(done: int, total: int) -> None:
    if done == total or done % 20 == 0:
        print(f"{done} of {total}", file=sys.stderr)


if __name__ == "__main__":
    main()
