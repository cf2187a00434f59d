"""Running a Python module under a profiler: the counters of each launch of named kernels.

NVIDIA: Nsight Compute, clocks left alone. AMD: rocprofv3, *untested on hardware*.
"""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bankwise.errors import InputError


@dataclass(frozen=True, slots=True)
class LaunchCounters:
    """One launch, in launch order: the kernel's name and a value per counter."""

    kernel: str
    values: Mapping[str, float]


def profile_module(
    module: str,
    arguments: Sequence[str],
    *,
    kernels: Sequence[str],
    metrics: Sequence[str],
    vendor: str = "nvidia",
    profiler: str = "",
    expected: int | None = None,
) -> tuple[LaunchCounters, ...]:
    """``python -m module arguments`` under the profiler, one value per launch of ``kernels``.

    Values are in the profiler's base units (bytes, nanoseconds, per cent). InputError if there is
    no profiler, it fails, it shows no launch, or another number than ``expected``.
    """
    program = profiler or ("ncu" if vendor == "nvidia" else "rocprofv3")
    if shutil.which(program) is None:
        raise InputError(f"{program} is not installed", hint="measuring needs the profiler")
    command = [sys.executable, "-m", module, *arguments]
    if vendor == "nvidia":
        found = read_nsight_launches(_nsight(program, command, kernels, metrics), metrics)
    else:
        found = _rocprof(program, command, kernels, metrics)
    if not found:
        raise InputError(f"{program} shows no launch of {', '.join(dict.fromkeys(kernels))}")
    if expected is not None and len(found) != expected:
        raise InputError(f"{program} shows {len(found)} launches, {expected} were made")
    return found


def _pattern(kernels: Sequence[str], ending: str = "") -> str:
    """These names and no others; AMD's loader may append ``.kd``."""
    return f"^({'|'.join(dict.fromkeys(kernels))}){ending}$"


def _nsight(
    program: str, command: list[str], kernels: Sequence[str], metrics: Sequence[str]
) -> str:
    options = ["--metrics", ",".join(metrics), "--csv", "--page", "raw", "--print-units", "base"]
    options += ["--kernel-name", f"regex:{_pattern(kernels)}", "--kernel-name-base", "function"]
    options += ["--clock-control", "none", "--target-processes", "all"]
    done = _run([program, *options, *command])
    start = done.stdout.find('"ID"')
    if done.returncode or start < 0:
        raise _failed(program, done)
    return done.stdout[start:]


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _failed(program: str, done: subprocess.CompletedProcess[str]) -> InputError:
    """What it said last, from both of its outputs."""
    return InputError(f"{program} failed: {(done.stdout + done.stderr).strip()[-800:]}")


def read_nsight_launches(text: str, metrics: Sequence[str]) -> tuple[LaunchCounters, ...]:
    """The raw page of Nsight Compute as CSV: a row of names, a row of units, a row per launch.

    InputError for a counter that the page does not have.
    """
    rows = list(csv.DictReader(io.StringIO(text)))[1:]
    return tuple(
        LaunchCounters(row["Kernel Name"], {m: _value(row, m) for m in metrics}) for row in rows
    )


def _value(row: Mapping[str, str], metric: str) -> float:
    try:
        return float(row[metric].replace(",", ""))
    except (KeyError, ValueError) as error:
        raise InputError(f"the profiler gives no value of {metric}: {error}") from error


def _rocprof(
    program: str, command: list[str], kernels: Sequence[str], metrics: Sequence[str]
) -> tuple[LaunchCounters, ...]:
    """rocprofv3: a row per dispatch and counter. Untested on hardware."""
    with tempfile.TemporaryDirectory(prefix="bankwise-") as name:
        options = ["--pmc", *metrics, "--kernel-include-regex", _pattern(kernels, r"(\.kd)?")]
        options += ["--output-format", "csv", "-d", name]
        done = _run([program, *options, "--", *command])
        found = sorted(Path(name).rglob("*counter_collection.csv"))
        if done.returncode or not found:
            raise _failed(program, done)
        return read_rocprof_launches("".join(path.read_text() for path in found[:1]))


def read_rocprof_launches(text: str) -> tuple[LaunchCounters, ...]:
    """rocprofv3's counter collection as CSV; dispatches in order. Untested on hardware."""
    launches: dict[int, tuple[str, dict[str, float]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        name = row["Kernel_Name"].removesuffix(".kd")
        _, values = launches.setdefault(int(row["Dispatch_Id"]), (name, {}))
        values[row["Counter_Name"]] = float(row["Counter_Value"])
    return tuple(LaunchCounters(kernel, values) for _, (kernel, values) in sorted(launches.items()))
