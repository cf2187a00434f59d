"""Compiling, running and timing kernels through CuPy: CUDA and HIP by the same path.

    text --compile_kernel--> Launchable --call--> the default stream --median_ms--> Timing

CuPy (extra ``[gpu]``) is imported when a kernel is compiled, not before. All work goes to the
default stream, which PyTorch and Triton use too, so their calls are timed by the same events.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import statistics
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from bankwise.errors import InputError
from bankwise.read.extra import install

STATIC_LIMIT = 48 * 1024
"""Shared memory a CUDA kernel gets without asking, in bytes (CUDA C++ Programming Guide)."""
_FLUSH_BYTES = 256 << 20
"""Several times the L2 of any GPU of today (60 MB on an H200)."""
_NOT_SUPPORTED = 801
"""``CUDA_ERROR_NOT_SUPPORTED`` (CUDA driver API): GPUs before compute capability 8.0."""
_WAIT_NS = 100_000
"""The GPU is kept busy for so long per timed call, so that the host has queued them all."""

_WAIT = """
extern "C" __global__ void wait_ns(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {}
}
"""


class Launchable(Struct, frozen=True):
    """A compiled kernel; ``Launchable(grid, block, args)`` queues it on the default stream."""

    name: str
    shared_bytes: int
    kernel: Any

    def __call__(self, grid: Sequence[int], block: Sequence[int], args: Sequence[Any]) -> None:
        """``grid`` and ``block``: one to three sizes; ``args``: CuPy arrays and NumPy scalars."""
        self.kernel(tuple(grid), tuple(block), tuple(args), shared_mem=self.shared_bytes)


class Timing(Struct, frozen=True):
    """GPU milliseconds between two events around each call."""

    median_ms: float
    best_ms: float
    all_ms: tuple[float, ...]


class Resources(Struct, frozen=True):
    """Per thread ``registers`` and ``local_bytes`` (spills); per block ``static_bytes``."""

    registers: int
    local_bytes: int
    static_bytes: int


def cupy() -> Any:
    """The module; InputError where it is missing or sees no GPU."""
    try:
        import cupy as module
    except ImportError as error:
        raise InputError("running kernels needs CuPy", hint=install("gpu")) from error
    try:
        count = module.cuda.runtime.getDeviceCount()
    except module.cuda.runtime.CUDARuntimeError as error:
        raise InputError(f"CuPy finds no GPU: {error}") from error
    if not count:
        raise InputError("CuPy finds no GPU")
    return module


def compile_kernel(
    source: str,
    name: str,
    *,
    shared_bytes: int = 0,
    options: tuple[str, ...] = (),
    backend: str = "nvrtc",
) -> Launchable:
    """Compile ``source`` and take the ``extern "C"`` kernel ``name``.

    ``shared_bytes`` of dynamic shared memory go with every launch; if they and the static ones are
    more than 48 KiB the kernel's limit is raised. CuPy keeps one function for equal texts, so each
    text has to have one size. ``backend``: ``nvrtc`` (HIP: hipRTC) or ``nvcc``. CUDA's own headers
    are found beside ``CUDA_PATH``, ``CUDA_HOME`` or nvcc. InputError with the compiler's words if
    it fails.
    """
    module = cupy()
    compiler = module.cuda.compiler
    failures = (compiler.CompileException, compiler.NVCCException, compiler.HIPCCException)
    extra = tuple(f"-I{path}" for path in _includes()) if backend == "nvrtc" else ()
    try:
        built = module.RawModule(code=source, backend=backend, options=(*options, *extra))
        kernel = built.get_function(name)
        if shared_bytes and shared_bytes + int(kernel.shared_size_bytes) > STATIC_LIMIT:
            kernel.max_dynamic_shared_size_bytes = shared_bytes
    except (*failures, module.cuda.driver.CUDADriverError) as error:
        raise InputError(f"kernel {name} was not built: {str(error)[:2000]}") from error
    return Launchable(name, shared_bytes, kernel)


def _includes() -> tuple[Path, ...]:
    """Folders with CUDA's headers; none on a computer without the toolkit, and none for HIP."""
    roots = [Path(os.environ[n]) for n in ("CUDA_PATH", "CUDA_HOME") if os.environ.get(n)]
    nvcc = shutil.which("nvcc")
    if nvcc:
        roots.append(Path(nvcc).resolve().parent.parent)
    found = [root / "include" for root in roots]
    return tuple(dict.fromkeys(p for p in found if (p / "cuda_fp16.h").exists()))


def resources(launchable: Launchable) -> Resources:
    """What the compiler gave the kernel."""
    kernel = launchable.kernel
    return Resources(
        int(kernel.num_regs), int(kernel.local_size_bytes), int(kernel.shared_size_bytes)
    )


def median_ms(
    call: Callable[[], object], *, warmup: int = 5, repeats: int = 21, flush: bool = False
) -> Timing:
    """Time ``call`` ``repeats`` times, each between two events on the default stream.

    ``flush``: before each timed call the L2 cache is filled with other data, outside the events.
    A waiting kernel goes first, so that every call is queued before the first one runs: the times
    hold what the GPU spends, launch on the GPU included, and no pause of the host. What an earlier
    kernel asked L2 to keep is kept no longer: neither others' lines, nor those of ``call`` where it
    is cold.
    """
    module = cupy()
    stream = module.cuda.get_current_stream()
    forget_kept(stream)
    for _ in range(warmup):
        call()
    if flush:
        other = module.empty(_FLUSH_BYTES, module.uint8)
        times = [_cold_ms(call, module, stream, other) for _ in range(repeats)]
    else:
        times = _warm_ms(call, module, stream, repeats)
    return Timing(statistics.median(times), min(times), tuple(times))


def _warm_ms(call: Callable[[], object], module: Any, stream: Any, repeats: int) -> list[float]:
    events = [(module.cuda.Event(), module.cuda.Event()) for _ in range(repeats)]
    stream.synchronize()
    _keep_busy(module, repeats)
    for start, end in events:
        start.record(stream)
        call()
        end.record(stream)
    stream.synchronize()
    return [float(module.cuda.get_elapsed_time(a, b)) for a, b in events]


def _cold_ms(call: Callable[[], object], module: Any, stream: Any, other: Any) -> float:
    """One call after ``other`` went through L2, where nothing of before may stay."""
    start, end = module.cuda.Event(), module.cuda.Event()
    forget_kept(stream)
    _keep_busy(module, 1)
    other.data.memset_async(0, _FLUSH_BYTES, stream)
    start.record(stream)
    call()
    end.record(stream)
    stream.synchronize()
    return float(module.cuda.get_elapsed_time(start, end))


def forget_kept(stream: Any) -> None:
    """Lines that L2 was asked to keep longest leave like others, once all that runs has ended.

    Other data do not drive them out: CUDA driver API, ``cuCtxResetPersistingL2Cache``; measured on
    an H200 (docs/results_transpose.md). Where there is no such call, or no GPU for it, nothing is
    kept.
    """
    stream.synchronize()
    reset = getattr(_driver(), "cuCtxResetPersistingL2Cache", None)
    if reset is not None and (status := reset()) not in (0, _NOT_SUPPORTED):
        raise InputError(f"the L2 cache keeps what it was asked to keep: CUDA error {status}")


@cache
def _driver() -> ctypes.CDLL | None:
    """None on a computer without CUDA's driver (HIP)."""
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def _keep_busy(module: Any, repeats: int) -> None:
    """Occupy the GPU while the host queues ``repeats`` calls (about 2 GHz is assumed)."""
    _waiting()((1,), (1,), (module.int64(2 * _WAIT_NS * repeats),))


@cache
def _waiting() -> Any:
    return cupy().RawKernel(_WAIT, "wait_ns")
