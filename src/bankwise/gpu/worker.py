"""The process that the profiler watches: it launches every case once, in order, and nothing else.

    python -m bankwise.gpu.worker CASES.npz

CuPy compiles for CUDA and for HIP alike, so there is one code path.
"""

from __future__ import annotations

import sys

import numpy as np

from bankwise.gpu.cases import MAX_WIDTH_BYTES, WINDOW_BYTES
from bankwise.gpu.source import kernel


def main(path: str) -> None:
    """Launch the cases of a file: ``names``, ``offsets`` [cases, lanes], ``active`` likewise."""
    import cupy

    stored = np.load(path)
    offsets = cupy.asarray(stored["offsets"], cupy.int32)
    active = cupy.asarray(stored["active"], cupy.uint8)
    lanes = offsets.shape[1]
    sink = cupy.zeros(lanes, cupy.uint32)
    names = [str(name) for name in stored["names"]]
    compiled = {name: cupy.RawKernel(kernel(name), "access") for name in dict.fromkeys(names)}
    window = max(WINDOW_BYTES, int(stored["offsets"].max()) + MAX_WIDTH_BYTES)
    for one in compiled.values():
        one.max_dynamic_shared_size_bytes = window
    for number, name in enumerate(names):
        arguments = (offsets[number], active[number], sink)
        compiled[name]((1,), (lanes,), arguments, shared_mem=window)
    cupy.cuda.Device().synchronize()


if __name__ == "__main__":
    main(sys.argv[1])
