"""The GPU's side of benchmarks/h200_fix.py: runs, compares, times and counts what it has built.

    python benchmarks/h200_fix_run.py measure FOLDER   # on a computer with the GPU: CuPy, ncu
    python benchmarks/h200_fix_run.py tables [CSV]     # of docs/data/h200_fix, for the page

All versions of a kernel get the same random inputs, and their outputs, poisoned before, are
compared bit by bit. Times: CUDA events, launches of the versions in turns, warm. Counters: Nsight
Compute, one launch of each as it is, and one with so much shared memory that workgroups are alone
on their SM: then no arbitration between them is counted.
"""

from __future__ import annotations

import csv
import json
import os
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parents[1] / "docs" / "data" / "h200_fix" / "results.csv"
_PIPE = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
_OPS = ("ld", "st")
PASSES = [f"{_PIPE}_op_{op}.sum" for op in _OPS]
CONFLICTS = [f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in _OPS]
ISSUED = [f"smsp__inst_executed_op_{op}.sum" for op in ("shared_ld", "shared_st", "ldsm")]
OTHERS = {
    "instructions": "sm__inst_executed.sum",
    "profiled_ns": "gpu__time_duration.sum",
    "warps_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "shared_percent": f"{_PIPE}.sum.pct_of_peak_sustained_elapsed",
    "dram_percent": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "tensor_percent": "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active",
    "issue_percent": "smsp__issue_active.avg.pct_of_peak_sustained_active",
}
ALONE_BYTES = 120 * 1024
"""Shared memory that leaves one workgroup on an SM."""

REPEATS, ROUNDS = 31, 7
"""Launches in a row, and turns of the versions."""

KINDS = {
    "f16": np.float16, "f32": np.float32, "f8": np.uint8, "i8": np.int8, "i32": np.int32,
    "rows": np.int32,
}  # fmt: skip
"""Of operands; ``f8``: finite numbers of e4m3; ``rows``: each number below the size, once."""
POISON = 0xA5


class Version:
    """One version of a kernel on this computer's GPU."""

    def __init__(self, folder: Path, case: Mapping[str, Any], version: str, least: int = 0) -> None:
        import cupy

        module = cupy.RawModule(path=str(folder / f"{case['name']}.{version}.cubin"))
        self.kernel = module.get_function(case["kernel"])
        self.shared = max(least, case["shared"][version])
        self.kernel.max_dynamic_shared_size_bytes = self.shared
        self.grid, self.block = tuple(case["grid"]), tuple(case["block"])
        self.scalars = [np.int32(n) for n in case["scalars"]]
        self.spare = [np.uint64(0)] * case["spare"]

    def __call__(self, buffers: Sequence[Any]) -> None:
        """Queue one launch."""
        arguments = (*buffers, *self.scalars, *self.spare)
        self.kernel(self.grid, self.block, arguments, shared_mem=self.shared)


def filled(case: Mapping[str, Any], seed: int = 0) -> list[Any]:
    """Random operands and poisoned results."""
    import cupy

    rng, found = np.random.default_rng(seed), []
    for each in case["buffers"]:
        kind = np.dtype(KINDS[each["kind"]])
        size = each["bytes"] // kind.itemsize
        if not each["read"]:
            found.append(cupy.asarray(np.full(each["bytes"], POISON, np.uint8)))
        elif each["kind"] == "rows":
            found.append(cupy.asarray(rng.permutation(size).astype(kind)))
        elif each["kind"] == "f8":
            bits = rng.integers(0, 0x78, size, kind) | rng.integers(0, 2, size, kind) << 7
            found.append(cupy.asarray(bits))
        elif kind.kind == "i":
            found.append(cupy.asarray(rng.integers(-128, 128, size, kind)))
        else:
            found.append(cupy.asarray(rng.standard_normal(size, np.float32).astype(kind)))
    return found


def results(version: Version, case: Mapping[str, Any], given: Sequence[Any]) -> list[Any]:
    """What a version leaves of poisoned results."""
    outs = [b for b, each in zip(given, case["buffers"], strict=True) if not each["read"]]
    for out in outs:
        out.data.memset(POISON, out.nbytes)
    version(given)
    return [out.get() for out in outs]


def measured(folder: Path, case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every version: whether it leaves what the first one does, and its time, in turns."""
    from bankwise.lab.gpu.launch import median_ms

    given = filled(case)
    versions = {name: Version(folder, case, name) for name in case["versions"]}
    left = {name: results(version, case, given) for name, version in versions.items()}
    again = {name: results(version, case, given) for name, version in versions.items()}
    first = next(iter(left.values()))
    assert all((out.view(np.uint8)[-4:] != POISON).any() for out in first), "written to the end"
    times: dict[str, list[float]] = {name: [] for name in versions}
    for turn in range(ROUNDS):
        for name in (*versions,) if turn % 2 else reversed(versions):
            call = partial(versions[name], given)
            times[name] += median_ms(call, warmup=3, repeats=REPEATS).all_ms
    return [
        {
            "name": case["name"],
            "framework": case["framework"],
            "version": name,
            "equal": same(left[name], first) and same(again[name], first),
            "registers": version.kernel.num_regs,
            "shared_bytes": version.shared + version.kernel.shared_size_bytes,
            "median_us": f"{1000 * statistics.median(times[name]):.2f}",
            "least_us": f"{1000 * min(times[name]):.2f}",
            "predicted_passes": case["predicted"][name]["passes"],
            "predicted_conflicts": case["predicted"][name]["conflicts"],
        }
        for name, version in versions.items()
    ]


def same(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether all bits are."""
    return all(np.array_equal(a, b) for a, b in zip(some, others, strict=True))


def counted(folder: Path, cases: Sequence[Mapping[str, Any]], least: int = 0) -> list[Any]:
    """The counters of every version, one launch each; by workgroups that are alone if ``least``."""
    from bankwise.lab.gpu.profile_run import profile_module

    os.environ["PYTHONPATH"] = f"{Path(__file__).parent}:{os.environ.get('PYTHONPATH', '')}"
    metrics = [*PASSES, *CONFLICTS]
    metrics += [] if least else [*ISSUED, *OTHERS.values()]
    launches = profile_module(
        "h200_fix_run", ["once", str(folder), str(least)], kernels=[c["kernel"] for c in cases],
        metrics=metrics, expected=sum(len(c["versions"]) for c in cases),
    )  # fmt: skip
    return [launch.values for launch in launches]


def once(folder: Path, least: int) -> None:
    """Every version once, in order: what the profiler watches."""
    import cupy

    for case in json.loads((folder / "cases.json").read_text("utf-8")):
        given = filled(case)
        for version in case["versions"]:
            Version(folder, case, version, least)(given)
            cupy.cuda.Device().synchronize()


def measure(folder: Path) -> None:
    """results.csv in ``folder``: written as soon as there are times, then with counters."""
    cases = json.loads((folder / "cases.json").read_text("utf-8"))
    rows = []
    for case in cases:
        rows += measured(folder, case)
        print(*(rows[-1][key] for key in ("name", "median_us", "equal")), flush=True)
    written(folder, rows)
    for row, one in zip(rows, counted(folder, cases, ALONE_BYTES), strict=True):
        row["alone_passes"] = sum(int(one[name]) for name in PASSES)
        row["alone_conflicts"] = sum(int(one[name]) for name in CONFLICTS)
    written(folder, rows)
    for row, one in zip(rows, counted(folder, cases), strict=True):
        row["passes"] = sum(int(one[name]) for name in PASSES)
        row["conflicts"] = sum(int(one[name]) for name in CONFLICTS)
        row["shared_instructions"] = sum(int(one[name]) for name in ISSUED)
        row |= {key: f"{float(one[name]):g}" for key, name in OTHERS.items()}
    written(folder, rows)


def written(folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """The table as far as it is known."""
    with (folder / "results.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


COLUMNS = (
    *("kernel", "passes", "conflicts", "LDS instructions", "registers", "µs", "times as fast"),
    "padded, µs",
)


def tables(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """A table of Markdown for each framework: before and after, as measured."""
    for framework in dict.fromkeys(row["framework"] for row in rows):
        yield f"| {' | '.join(COLUMNS)} |"
        yield "|---" * len(COLUMNS) + "|"
        names = dict.fromkeys(r["name"] for r in rows if r["framework"] == framework)
        for name in names:
            yield line(name, {r["version"]: r for r in rows if r["name"] == name})
        yield ""


def line(name: str, versions: Mapping[str, Mapping[str, str]]) -> str:
    """One kernel: before -> after (or by hand), and the padded one's time."""
    before = versions["before"]
    after = next(r for v, r in versions.items() if v not in ("before", "padded"))
    words = ("alone_passes", "alone_conflicts", "shared_instructions", "registers", "median_us")
    cells = [change(before[word], after[word]) for word in words]
    gain = float(before["median_us"]) / float(after["median_us"])
    pad = versions["padded"]["median_us"] if "padded" in versions else ""
    hand = " (by hand)" if after["version"] == "by_hand" else ""
    return f"| {name}{hand} | {' | '.join(cells)} | {gain:.2f} | {pad} |"


def change(before: str, after: str) -> str:
    """``12,288 -> 9,216``, or the number alone."""
    shown = [f"{int(n):,}" if n.isdecimal() else n for n in (before, after)]
    return shown[0] if before == after else " -> ".join(shown)


def table_of(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"] and len(sys.argv) == 3:
        measure(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["once"] and len(sys.argv) == 4:
        once(Path(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:] == ["tables"]:
        print("\n".join(tables(table_of(DATA))))
    elif sys.argv[1:2] == ["tables"]:
        print("\n".join(tables(table_of(Path(sys.argv[2])))))
    else:
        sys.exit(__doc__)
