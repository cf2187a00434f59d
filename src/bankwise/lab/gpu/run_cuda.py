"""The process that runs both versions of CUDA kernels: the same bits, their times, their counters.

    python -m bankwise.lab.gpu.run_cuda CASE.json          # compare, time, count: prints JSON
    python -m bankwise.lab.gpu.run_cuda CASE.json once     # what the profiler watches

Every pointer gets a buffer of random numbers, the same for all runs, between two zones that nobody
may write. A fault of the GPU ends a process for good: that is why this is one of its own. NVIDIA
only.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from bankwise.errors import InputError
from bankwise.lab.gpu.counters import CONFLICTS, PASSES
from bankwise.lab.gpu.launch import STATIC_LIMIT, cupy, median_ms
from bankwise.lab.gpu.profile_run import profile_module

GUARD_BYTES = 1 << 20
"""On both sides of a buffer."""
LARGEST_BYTES = 256 << 20
"""Of a buffer; a quarter of free memory is shared by them where that is less."""
ALONE_BYTES = 120 * 1024
"""Shared memory that leaves one workgroup on an SM: no arbitration between them is counted."""
POISON = 0xA5
VERSIONS = ("before", "after")
_REPEATS = 21

Case = Mapping[str, Any]
"""One launch of a kernel, as :mod:`bankwise.ask.judge_run` writes it."""


class ChangedFault(Exception):  # noqa: N818
    """The changed version faults where the original ran."""


class _Buffers(Struct, eq=False):
    """``given``: what each pointer gets, as bytes; ``work``: the buffers of a run with the zones
    around them; ``sums``: of what is given, to see whether a run changed it from outside."""

    given: list[Any]
    work: list[Any]
    sums: list[int]

    @property
    def inside(self) -> list[Any]:
        """The buffers without their zones."""
        return [one[GUARD_BYTES:-GUARD_BYTES] for one in self.work]


def _bits(module: Any, count: int, seed: int) -> Any:
    """So many words of 32 bits: the finaliser of MurmurHash3 (Appleby, 2011) on their numbers."""
    found = module.arange(count, dtype=np.uint32) + np.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        found = (found ^ found >> np.uint32(shift)) * np.uint32(factor)
    return found ^ found >> np.uint32(16)


def _random(module: Any, kind: str, size: int, small: bool, whole: bool, seed: int) -> Any:
    """``size`` bytes of random numbers of one kind; ``small``: integers from 0 to 63; ``whole``:
    floats are integers from -8 to 8. Signed integers are from -64 to 63, bytes and unsigned ones
    anything."""
    width = int(kind.lstrip("biuf")) // 8
    bits = _bits(module, -(-size // min(width, 4)), seed)
    if kind[0] in "iu" and not small and (kind[0] == "u" or width == 1):
        return bits[: -(-size // 4)].view(np.uint8)[:size]
    if kind[0] in "iu":
        numbers = bits >> np.uint32(26) if small else (bits >> np.uint32(25)).astype(np.int64) - 64
        return numbers.astype(f"i{width}").view(np.uint8)[:size]
    numbers = (bits >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)
    numbers = module.rint(numbers * 8) if whole else numbers
    if kind == "bf16":
        return (numbers.view(np.uint32) >> np.uint32(16)).astype(np.uint16).view(np.uint8)[:size]
    return numbers.astype(f"f{width}").view(np.uint8)[:size]


def _buffers(case: Case, small: bool, whole: bool) -> _Buffers:
    module = cupy()
    kinds = [one["pointer"] for one in case["parameters"] if "pointer" in one]
    free = int(module.cuda.runtime.memGetInfo()[0])
    size = min(LARGEST_BYTES, free // 16 // max(1, len(kinds)))
    size -= size % 4096
    given = [_random(module, kind, size, small, whole, n) for n, kind in enumerate(kinds)]
    work = [module.full(size + 2 * GUARD_BYTES, POISON, np.uint8) for _ in kinds]
    return _Buffers(given, work, [_sum(one) for one in given])


def _sum(data: Any) -> int:
    return int(data.view(np.uint32).sum(dtype=np.uint64))


class _LoadedVersion:
    """One version of a kernel on this computer's GPU, with its variables filled."""

    def __init__(self, case: Case, version: str, least: int = 0) -> None:
        module = cupy()
        loaded = module.RawModule(path=case[version])
        for number, one in enumerate(case["variables"]):
            data = _random(module, one["kind"], one["bytes"], True, False, 99 + number)
            try:
                at = int(loaded.get_global(one["name"]).ptr)
            except module.cuda.driver.CUDADriverError:  # the PTX has it, no code does
                continue
            module.cuda.runtime.memcpy(at, int(data.data.ptr), one["bytes"], 3)
        self.kernel = loaded.get_function(case["kernel"][version])
        self.case = case
        self.shared = max(case["shared_bytes"], least - int(self.kernel.shared_size_bytes))
        if self.shared > STATIC_LIMIT - int(self.kernel.shared_size_bytes):
            self.kernel.max_dynamic_shared_size_bytes = self.shared

    def __call__(self, pointers: Sequence[Any]) -> None:
        """Queue one launch."""
        left, arguments = list(pointers), []
        for one in self.case["parameters"]:
            if "pointer" in one:
                arguments.append(left.pop(0))
                continue
            data = bytes.fromhex(one["value"])
            kind = "u" if len(data) in (1, 2, 4, 8) else "V"
            arguments.append(np.frombuffer(data, f"{kind}{len(data)}")[0])
        grid, block = tuple(self.case["grid"]), tuple(self.case["block"])
        self.kernel(grid, block, tuple(arguments), shared_mem=self.shared)


def _run(version: _LoadedVersion, buffers: _Buffers) -> None:
    """One launch on what is given; what it leaves is in ``work``."""
    for whole, data in zip(buffers.work, buffers.given, strict=True):
        whole.fill(POISON)
        whole[GUARD_BYTES:-GUARD_BYTES] = data
    version(buffers.inside)
    cupy().cuda.Device().synchronize()


def _outside(buffers: _Buffers) -> str:
    """Which buffer was left by what was written; empty if none."""
    for number, whole in enumerate(buffers.work):
        for zone in (whole[:GUARD_BYTES], whole[-GUARD_BYTES:]):
            if bool((zone != POISON).any()):
                return f"it writes outside of the {buffers.given[0].nbytes:,} bytes of pointer " + (
                    f"{number + 1}"
                )
    return "" if buffers.sums == [_sum(one) for one in buffers.given] else "it writes anywhere"


def compared(case: Case, small: bool, whole: bool) -> dict[str, Any]:
    """Both versions, and the first one twice: ``equal``, ``varies`` (the first by itself),
    ``written`` (bytes that it changed), ``differs`` (the first byte, or where the second one writes
    outside), ``outside`` (where the first one does). :class:`ChangedFault` where only the second
    one faults."""
    buffers = _buffers(case, small, whole)
    first, second = (_LoadedVersion(case, version) for version in VERSIONS)
    _run(first, buffers)
    if outside := _outside(buffers):
        return {"outside": outside}
    left = [one.copy() for one in buffers.inside]
    written = sum(int((a != b).sum()) for a, b in zip(left, buffers.given, strict=True))
    _run(first, buffers)
    varies = not _same(buffers.inside, left)
    try:
        _run(second, buffers)
    except _faults() as error:
        raise ChangedFault(f"{case['function']}: {error}") from error
    differs = _outside(buffers) or _first(buffers.inside, left)
    return {
        "outside": "",
        "written": written,
        "varies": varies,
        "equal": not differs,
        "differs": differs,
    }


def _faults() -> tuple[type[Exception], ...]:
    """What CuPy raises where the GPU faults."""
    cuda = cupy().cuda
    return cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError


def _same(some: Sequence[Any], others: Sequence[Any]) -> bool:
    return all(bool((a == b).all()) for a, b in zip(some, others, strict=True))


def _first(some: Sequence[Any], others: Sequence[Any]) -> str:
    for number, (a, b) in enumerate(zip(some, others, strict=True)):
        wrong = (a != b).nonzero()[0]
        if len(wrong):
            return (
                f"byte {int(wrong[0]):,} behind pointer {number + 1}, and {len(wrong) - 1:,} more"
            )
    return ""


def timed(case: Case, small: bool) -> dict[str, Any]:
    """The median of each version in nanoseconds, launches in turns, and their registers."""
    buffers = _buffers(case, small, False)
    versions = [_LoadedVersion(case, one) for one in VERSIONS]
    for one in versions:
        _run(one, buffers)
    times: list[list[float]] = [[], []]
    for turn in range(4):
        for place in (0, 1) if turn % 2 else (1, 0):
            call = partial(versions[place], buffers.inside)
            times[place] += median_ms(call, warmup=2, repeats=_REPEATS).all_ms
    return {
        "ns": [round(1e6 * statistics.median(one)) for one in times],
        "registers": [int(one.kernel.num_regs) for one in versions],
    }


def counted(path: str, cases: Sequence[Case], small: bool) -> list[dict[str, list[int]]]:
    """Passes and conflicts of each case, before and after; one launch each, blocks alone."""
    launches = profile_module(
        "bankwise.lab.gpu.run_cuda",
        [path, "once", str(int(small))],
        kernels=[case["function"] for case in cases],
        metrics=(*PASSES, *CONFLICTS),
        expected=2 * len(cases),
    )
    sums = [
        {"passes": sum(int(one.values[n]) for n in PASSES)}
        | {"conflicts": sum(int(one.values[n]) for n in CONFLICTS)}
        for one in launches
    ]
    pairs = zip(sums[::2], sums[1::2], strict=True)
    return [{key: [a[key], b[key]] for key in a} for a, b in pairs]


def once(cases: Sequence[Case], small: bool) -> None:
    """Every version once, in order."""
    for case in cases:
        buffers = _buffers(case, small, False)
        for version in VERSIONS:
            _run(_LoadedVersion(case, version, ALONE_BYTES), buffers)


def measured(path: str, cases: Sequence[Case], small: bool) -> dict[str, Any]:
    """All that is asked of the cases; ``uncounted``: why there are no counters."""
    kernels: list[dict[str, Any]] = []
    for case in cases:
        found = compared(case, small, False)
        if not found["outside"] and not found["equal"]:
            found["whole"] = compared(case, small, True)
        if not found["outside"]:
            found |= timed(case, small)
        kernels.append(found)
    device = cupy().cuda.runtime.getDeviceProperties(0)["name"].decode()
    answer: dict[str, Any] = {"device": device, "kernels": kernels, "uncounted": ""}
    try:
        for found, counters in zip(kernels, counted(path, cases, small), strict=True):
            found |= counters
    except InputError as error:
        answer["uncounted"] = error.message
    return answer


def main(arguments: Sequence[str]) -> None:
    """``CASE.json [once] [1 for small integers]``; a fault is printed as one, and whether it is of
    the changed version alone."""
    path, *more = arguments
    small = more[-1:] == ["1"]
    cases = json.loads(Path(path).read_text("utf-8"))
    try:
        if more[:1] == ["once"]:
            once(cases, small)
            return
        answer = measured(path, cases, small)
    except ChangedFault as error:
        answer = {"fault": str(error), "changed": True}
    except _faults() as error:
        answer = {"fault": str(error)}
    print(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1:])
