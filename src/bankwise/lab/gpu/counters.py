"""The two counters of single accesses, one value per launch of the kernel ``access``.

NVIDIA: Nsight Compute. The ``_op_ld`` / ``_op_st`` forms are summed: without them the wavefront
counter is one larger in every launch (seen in 4,000 launches). AMD: rocprofv3, *untested on
hardware*.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bankwise.counting.access import IntArray
from bankwise.identity import ByIdentity
from bankwise.lab.gpu.cases import WaveAccess
from bankwise.lab.gpu.profile_run import profile_module
from bankwise.profile.values import Launch

PASSES = (
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
)
CONFLICTS = (
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
)
AMD_CONFLICTS = "SQ_LDS_BANK_CONFLICT"
"""Cycles lost; there is no counter of passes (AMD Instinct performance counters)."""


class Counters(ByIdentity, frozen=True, eq=False):
    """Per case: ``passes`` (None where the profiler has no such counter) and ``conflicts``."""

    passes: IntArray | None
    conflicts: IntArray


def measure(cases: Sequence[WaveAccess], vendor: str, *, profiler: str = "") -> Counters:
    """Run ``cases`` under the vendor's profiler. InputError if there is none, or it fails."""
    metrics = (*PASSES, *CONFLICTS) if vendor == "nvidia" else (AMD_CONFLICTS,)
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        path = Path(folder) / "cases.npz"
        _store(cases, path)
        launches = profile_module(
            "bankwise.lab.gpu.worker",
            [str(path)],
            kernels=("access",),
            metrics=metrics,
            vendor=vendor,
            profiler=profiler,
            expected=len(cases),
        )
    return counters_of(launches)


def counters_of(launches: Sequence[Launch]) -> Counters:
    """Loads and stores summed, launch by launch."""
    if any(AMD_CONFLICTS in launch.values for launch in launches):
        return Counters(None, _sum(launches, (AMD_CONFLICTS,)))
    return Counters(_sum(launches, PASSES), _sum(launches, CONFLICTS))


def _sum(launches: Sequence[Launch], names: Sequence[str]) -> IntArray:
    return np.array([sum(int(one.values[name]) for name in names) for one in launches])


def _store(cases: Sequence[WaveAccess], path: Path) -> None:
    np.savez(
        path,
        names=np.array([c.instruction for c in cases]),
        offsets=np.array([c.offsets_bytes for c in cases]),
        active=np.array([c.active for c in cases]),
    )
