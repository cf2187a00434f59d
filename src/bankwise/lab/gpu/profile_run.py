"""Running a Python module under a profiler: the counters of each launch of named kernels.

NVIDIA: Nsight Compute, clocks left alone. AMD: rocprofv3, *untested on hardware*.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.profile.read import parse_profile
from bankwise.profile.values import Launch, Profile


def profile_module(
    module: str,
    arguments: Sequence[str],
    *,
    kernels: Sequence[str],
    metrics: Sequence[str],
    vendor: str = "nvidia",
    profiler: str = "",
    expected: int | None = None,
) -> tuple[Launch, ...]:
    """``python -m module arguments`` under the profiler, one value per launch of ``kernels``.

    Values are in the profiler's base units (bytes, nanoseconds, per cent). InputError if there is
    no profiler, it fails, it shows no launch, or another number than ``expected``.
    """
    program = profiler or ("ncu" if vendor == "nvidia" else "rocprofv3")
    if shutil.which(program) is None:
        raise InputError(f"{program} is not installed", hint="measuring needs the profiler")
    command = [sys.executable, "-m", module, *arguments]
    export = _nsight if vendor == "nvidia" else _rocprof
    text = export(program, command, kernels, metrics)
    try:
        profile = parse_profile(text, program)
    except InputError as error:
        names = ", ".join(dict.fromkeys(kernels))
        raise InputError(f"{program} shows no launch of {names}: {error.message}") from error
    found = launches_with(profile, metrics)
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


def launches_with(profile: Profile, metrics: Sequence[str]) -> tuple[Launch, ...]:
    """The launches of an export in their order, each with a value of all ``metrics``.

    InputError where a value is missing. AMD's loader may append ".kd" to names.
    """
    for launch in profile.launches:
        missing = next((metric for metric in metrics if metric not in launch.counters), None)
        if missing is not None:
            raise InputError(f"the profiler gives no value of {missing} for {launch.kernel}")
    named = (replace(one, kernel=one.kernel.removesuffix(".kd")) for one in profile.launches)
    return tuple(sorted(named, key=_number))


def _number(launch: Launch) -> int:
    """Older profilers number nothing; their rows are in order."""
    return int(launch.number) if launch.number.isdecimal() else 0


def _rocprof(
    program: str, command: list[str], kernels: Sequence[str], metrics: Sequence[str]
) -> str:
    """rocprofv3: a row per dispatch and counter. Untested on hardware."""
    with tempfile.TemporaryDirectory(prefix="bankwise-") as name:
        options = ["--pmc", *metrics, "--kernel-include-regex", _pattern(kernels, r"(\.kd)?")]
        options += ["--output-format", "csv", "-d", name]
        done = _run([program, *options, "--", *command])
        found = sorted(Path(name).rglob("*counter_collection.csv"))
        if done.returncode or not found:
            raise _failed(program, done)
        return found[0].read_text("utf-8")
