"""``bankwise bench transpose``: predicted and measured conflicts, and bandwidth, on a real GPU.

rungs --count--> predicted --worker process--> times --profiler--> counters --> report
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from msgspec import Struct

from bankwise.errors import InputError
from bankwise.hardware.machine import Machine
from bankwise.hardware.machine import machine as machine_named
from bankwise.lab.gpu.counters import AMD_CONFLICTS, CONFLICTS
from bankwise.lab.gpu.profile_run import profile_module
from bankwise.lab.kernels.transpose_ladder import element_bytes, ladder, relaid
from bankwise.lab.kernels.transpose_launch import fitted, launch_counts
from bankwise.lab.kernels.transpose_tma import AnyTranspose
from bankwise.lab.kernels.transpose_tune import plan
from bankwise.lab.kernels.transpose_variant import SEEDS, from_json, to_json
from bankwise.lab.report.transposing import TransposeBench, TransposeRow, Tried
from bankwise.profile.values import Launch
from bankwise.read.extra import install

SIZES = ((65536, 256), (65536, 4096))
DTYPES = ("fp16", "fp32")
_WORKER = "bankwise.lab.gpu.transpose_run"
PASSES, IDEAL = "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"
"""Counted per instruction: without the arbitration that the aggregate conflict counters hold."""
LIMITS = {
    "DRAM": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "L2": "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    "L1": "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
    "shared": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "issue": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
"""What a kernel may be limited by, in per cent of its peak (Nsight Compute)."""
Progress = Callable[[int, int], None]
Row = Mapping[str, Any]
Size = tuple[int, ...]
"""(m, k) of a matrix, or (batch, m, k) of several, one behind the other."""
Key = tuple[str, int, int, int, str]
_KEY = ("dtype", "batch", "m", "k", "kind")


class BenchOptions(Struct, frozen=True):
    """What to measure. ``variants``: tuned kernels tried per case; 0: none. ``repeats``: launches
    per kernel in the end; ``profile``: also read the counters.
    """

    sizes: tuple[Size, ...] = SIZES
    dtypes: tuple[str, ...] = DTYPES
    target: str = "sm_90"
    variants: int = 40
    repeats: int = 55
    seed: int = 0
    profile: bool = True


def read_sizes(texts: Sequence[str]) -> tuple[Size, ...]:
    """``65536x256``, ``64x1024x1024``, ..; the default for none. InputError for other text."""
    found = []
    for text in texts:
        if re.fullmatch("([1-9][0-9]{0,8}x){1,2}[1-9][0-9]{0,8}", text) is None:
            hint = "rows x columns, for example 65536x256, or a batch: 64x1024x1024"
            raise InputError(f"bad size {text!r}", hint=hint)
        found.append(tuple(map(int, text.split("x"))))
    return tuple(found) or SIZES


def bench_transpose(
    options: BenchOptions | None = None, progress: Progress | None = None
) -> TransposeBench:
    """Measure the ladder, tune, and compare. InputError without CuPy, a GPU, or a fitting size."""
    asked = options or BenchOptions()
    machine = machine_named(asked.target)
    predicted = _predicted(asked, machine)
    if importlib.util.find_spec("cupy") is None:
        raise InputError("running kernels needs CuPy", hint=install("gpu"))
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        found = _times(asked, Path(folder), progress)
        best = _best(found["rows"])
        counters = _counters(asked, best, Path(folder), machine) if asked.profile else {}
    for (dtype, batch, m, k, kind), variant in best.items():
        for made in _made(dtype, kind, variant, (m, k), machine):
            predicted[dtype, batch, m, k, made.name] = _Predicted.of(made, (batch, m, k), machine)
    return _report(machine, found, best, predicted, counters)


class _Predicted(Struct, frozen=True):
    """Shared-memory passes of a whole launch."""

    title: str
    passes: int
    extra: int

    @staticmethod
    def of(made: AnyTranspose, size: Size, machine: Machine) -> _Predicted:
        *batch, m, k = size
        found = launch_counts(made, machine, (m, k), *batch)
        return _Predicted(made.title, found.write.passes + found.read.passes, found.extra)


def _predicted(asked: BenchOptions, machine: Machine) -> dict[Key, _Predicted]:
    """Every rung whose tiles cover the matrices. InputError where none does and none is tuned."""
    found: dict[Key, _Predicted] = {}
    for dtype, size in product(asked.dtypes, asked.sizes):
        for rung in ladder(dtype, machine):
            try:
                batch, m, k = (1, *size)[-3:]
                found[dtype, batch, m, k, rung.name] = _Predicted.of(rung, size, machine)
            except InputError:
                if not asked.variants:
                    raise
    return found


def _job(asked: BenchOptions, **more: Any) -> dict[str, Any]:
    return {
        "target": asked.target,
        "sizes": asked.sizes,
        "dtypes": asked.dtypes,
        "seed": asked.seed,
        "variants": asked.variants,
        "repeats": asked.repeats,
        "first": {dtype: [to_json(v) for v in SEEDS[dtype]] for dtype in asked.dtypes},
        **more,
    }


def _times(asked: BenchOptions, folder: Path, progress: Progress | None) -> dict[str, Any]:
    job, out = folder / "job.json", folder / "times.json"
    job.write_text(json.dumps(_job(asked, mode="time")), "utf-8")
    command = [sys.executable, "-m", _WORKER, str(job), str(out)]
    errors = folder / "errors.txt"
    with errors.open("w") as sink:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=sink, text=True)
        assert process.stdout is not None, "it is a pipe"
        for line in process.stdout:
            words = line.split()
            if progress and words[:1] == ["progress"]:
                progress(int(words[1]), int(words[2]))
        if process.wait():
            raise InputError(f"the GPU process failed: {errors.read_text()[-800:].strip()}")
    found: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return found


def _best(rows: Sequence[Row]) -> dict[Key, Row]:
    """By case and kind: the variant whose slower side, warm or cold, is the largest share of the
    copy's speed in the last rounds, and the one with other layouts.
    """
    copies = {_case(row): row for row in rows if row["kind"] == "copy"}
    found: dict[Key, Row] = {}
    for row in rows:
        key = (*_case(row), row["kind"])
        if row["kind"] in ("tuned", "relaid") and row["correct"]:
            copy = copies[_case(row)]
            found[key] = min(found.get(key, row), row, key=partial(_slower_side, copy))
    return {key: row["variant"] for key, row in found.items()}


def _slower_side(copy: Row, row: Row) -> float:
    """What a kernel takes of the copy's time, warm or cold, whichever is more."""
    return max(float(row[name]) / float(copy[name]) for name in ("median_ms", "cold_ms"))


def _case(row: Row) -> tuple[str, int, int, int]:
    return row["dtype"], row["batch"], row["m"], row["k"]


def _made(
    dtype: str, kind: str, variant: Row, size: tuple[int, int], machine: Machine
) -> tuple[AnyTranspose, ...]:
    """The kernels of a chosen variant, by the names that the profiler sees."""
    one = plan(from_json(variant), dtype, machine, f"transpose_{dtype}_{kind}")
    one = fitted(one, size)
    return relaid(one) if kind == "relaid" else (one,)


def _counters(
    asked: BenchOptions, best: Mapping[Key, Row], folder: Path, machine: Machine
) -> dict[Key, dict[str, float]]:
    """The profiler's values of one launch of every rung and of the best variants."""
    chosen = [dict(zip(_KEY, key, strict=True)) | {"variant": v} for key, v in best.items()]
    job, out = folder / "count.json", folder / "counted.json"
    job.write_text(json.dumps(_job(asked, mode="count", chosen=chosen)), "utf-8")
    names = [rung.name for d in asked.dtypes for rung in ladder(d, machine)]
    for (dtype, _, m, k, kind), variant in best.items():
        names += [made.name for made in _made(dtype, kind, variant, (m, k), machine)]
    values: dict[Key, dict[str, float]] = {}
    for metrics in _metrics(machine):
        launches = profile_module(
            _WORKER, [str(job), str(out)], kernels=names, metrics=metrics, vendor=machine.vendor
        )
        _assign(values, json.loads(out.read_text("utf-8"))["rows"], launches)
    return values


def _metrics(machine: Machine) -> tuple[tuple[str, ...], ...]:
    if machine.vendor == "amd":
        return ((AMD_CONFLICTS,),)
    return ((PASSES, IDEAL), CONFLICTS, tuple(LIMITS.values()))


def _assign(
    values: dict[Key, dict[str, float]], rows: Sequence[Row], launches: Sequence[Launch]
) -> None:
    if [row["name"] for row in rows] != [launch.kernel for launch in launches]:
        raise InputError(f"the profiler shows {len(launches)} launches, {len(rows)} were made")
    for row, launch in zip(rows, launches, strict=True):
        key = (*_case(row), row["name"])
        values.setdefault(key, {}).update(launch.values)


def _report(
    machine: Machine,
    found: Mapping[str, Any],
    best: Mapping[Key, Row],
    predicted: Mapping[Key, _Predicted],
    counters: Mapping[Key, Mapping[str, float]],
) -> TransposeBench:
    rows: list[Row] = found["rows"]
    copies = {_case(r): r for r in rows if r["kind"] == "copy"}
    lines = []
    for row in rows:
        if row["kind"] == "tried":
            continue
        case = _case(row)
        winner = row["kind"] == "tuned" and row["variant"] == best.get((*case, "tuned"))
        key = (*case, f"transpose_{row['dtype']}_tuned" if winner else row["name"])
        lines.append(_line(row, copies[case], predicted.get(key), counters.get(key)))
    tried = tuple(_tried(row) for row in rows if row["kind"] == "tried")
    return TransposeBench(machine.name, found["about"], tuple(lines), tried)


def _line(
    row: Row, copy: Row, predicted: _Predicted | None, counters: Mapping[str, float] | None
) -> TransposeRow:
    seen = counters or {}
    variant = row.get("variant")
    return TransposeRow(
        row["dtype"],
        row["m"],
        row["k"],
        row["name"],
        row["kind"],
        predicted.title if predicted else row["name"],
        predicted.passes if predicted else None,
        predicted.extra if predicted else None,
        int(seen[PASSES]) if PASSES in seen else None,
        _extra(seen),
        int(sum(seen[c] for c in CONFLICTS)) if CONFLICTS[0] in seen else None,
        row["median_ms"],
        row["best_ms"],
        row["cold_ms"],
        _rate(row),
        None if row["kind"] == "empty" else copy["median_ms"] / row["median_ms"],
        None if row["kind"] == "empty" else copy["cold_ms"] / row["cold_ms"],
        row.get("correct"),
        row.get("registers"),
        row.get("local_bytes"),
        str(from_json(variant)) if variant else "",
        {unit: seen[m] for unit, m in LIMITS.items()} if LIMITS["DRAM"] in seen else None,
        tuple(row.get("all_ms", ())),
        row["batch"],
    )


def _extra(seen: Mapping[str, float]) -> int | None:
    if AMD_CONFLICTS in seen:
        return int(seen[AMD_CONFLICTS])
    return int(seen[PASSES] - seen[IDEAL]) if PASSES in seen else None


def _rate(row: Row) -> float | None:
    if not row["median_ms"] or row["kind"] == "empty":
        return None
    size = 2 * row["batch"] * row["m"] * row["k"] * element_bytes(row["dtype"])
    return round(float(size / row["median_ms"] / 1e6), 1)


def _tried(row: Row) -> Tried:
    return Tried(
        row["dtype"],
        row["m"],
        row["k"],
        row["name"],
        row["median_ms"],
        _rate(row),
        row["registers"],
        row["local_bytes"],
        row["batch"],
        row["cold_ms"],
    )
