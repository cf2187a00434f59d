"""Reading a profiler's counters, one value per launch of the kernel ``access``.

NVIDIA: Nsight Compute. The ``_op_ld`` / ``_op_st`` forms are summed: without them the wavefront
counter is one larger in every launch (seen in 4,000 launches). AMD: rocprofv3, untested.
"""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bankwise.access import IntArray
from bankwise.errors import InputError
from bankwise.gpu.cases import Case

PASSES = (
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
)
CONFLICTS = (
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
)


@dataclass(frozen=True, slots=True, eq=False)
class Counters:
    """Per case: ``passes`` (None where the profiler has no such counter) and ``conflicts``."""

    passes: IntArray | None
    conflicts: IntArray


def measure(cases: Sequence[Case], vendor: str, *, profiler: str = "") -> Counters:
    """Run ``cases`` under the vendor's profiler. InputError if there is none, or it fails."""
    program = profiler or ("ncu" if vendor == "nvidia" else "rocprofv3")
    if shutil.which(program) is None:
        raise InputError(f"{program} is not installed", hint="measuring needs the profiler")
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        path = Path(folder) / "cases.npz"
        _store(cases, path)
        command = [sys.executable, "-m", "bankwise.gpu.worker", str(path)]
        if vendor == "nvidia":
            return _nsight(program, command, len(cases))
        return _rocprof(program, command, len(cases), Path(folder))


def _store(cases: Sequence[Case], path: Path) -> None:
    np.savez(
        path,
        names=np.array([c.instruction for c in cases]),
        offsets=np.array([c.offsets_bytes for c in cases]),
        active=np.array([c.active for c in cases]),
    )


def _nsight(program: str, command: list[str], expected: int) -> Counters:
    metrics = ",".join((*PASSES, *CONFLICTS))
    options = ["--metrics", metrics, "--csv", "--page", "raw", "--print-units", "base"]
    options += ["--kernel-name", "access", "--clock-control", "none", "--target-processes", "all"]
    done = subprocess.run(
        [program, *options, *command], capture_output=True, text=True, check=False
    )
    start = done.stdout.find('"ID"')
    if done.returncode or start < 0:
        raise InputError(f"{program} failed: {(done.stdout + done.stderr).strip()[-800:]}")
    return read_nsight(done.stdout[start:], expected)


def read_nsight(text: str, expected: int) -> Counters:
    """The raw page of Nsight Compute as CSV: a row of names, a row of units, a row per launch."""
    rows = list(csv.DictReader(io.StringIO(text)))[1:]
    if len(rows) != expected:
        raise InputError(f"the profiler shows {len(rows)} launches, {expected} were made")
    return Counters(_sum(rows, PASSES), _sum(rows, CONFLICTS))


def _sum(rows: list[dict[str, str]], names: Sequence[str]) -> IntArray:
    return np.array([sum(int(float(row[n].replace(",", ""))) for n in names) for row in rows])


def _rocprof(program: str, command: list[str], expected: int, folder: Path) -> Counters:
    """rocprofv3: the counter per dispatch. Untested on hardware."""
    options = ["--pmc", "SQ_LDS_BANK_CONFLICT", "--output-format", "csv", "-d", str(folder)]
    done = subprocess.run(
        [program, *options, "--", *command], capture_output=True, text=True, check=False
    )
    found = sorted(folder.rglob("*counter_collection.csv"))
    if done.returncode or not found:
        raise InputError(f"{program} failed: {(done.stdout + done.stderr).strip()[-800:]}")
    rows = list(csv.DictReader(found[0].open()))
    rows = [r for r in rows if r["Kernel_Name"].startswith("access")]
    if len(rows) != expected:
        raise InputError(f"the profiler shows {len(rows)} launches, {expected} were made")
    return Counters(None, np.array([int(float(r["Counter_Value"])) for r in rows]))
