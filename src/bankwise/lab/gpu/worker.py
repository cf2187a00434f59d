"""The process that the profiler watches: it launches every case once, in order, and nothing else.

    python -m bankwise.lab.gpu.worker CASES.npz

CuPy compiles for CUDA and for HIP alike, so there is one code path.
"""

from __future__ import annotations

import sys

import numpy as np

from bankwise.lab.gpu.cases import MAX_WIDTH_BYTES, WINDOW_BYTES
from bankwise.lab.gpu.launch import compile_kernel, cupy
from bankwise.lab.gpu.source import kernel


def main(path: str) -> None:
    """Launch the cases of a file: ``names``, ``offsets`` [cases, lanes], ``active`` likewise."""
    module, stored = cupy(), np.load(path)
    offsets = module.asarray(stored["offsets"], module.int32)
    active = module.asarray(stored["active"], module.uint8)
    lanes = offsets.shape[1]
    sink = module.zeros(lanes, module.uint32)
    names = [str(name) for name in stored["names"]]
    window = max(WINDOW_BYTES, int(stored["offsets"].max()) + MAX_WIDTH_BYTES)
    compiled = {
        name: compile_kernel(kernel(name), "access", shared_bytes=window)
        for name in dict.fromkeys(names)
    }
    for number, name in enumerate(names):
        compiled[name]((1,), (lanes,), (offsets[number], active[number], sink))
    module.cuda.Device().synchronize()


if __name__ == "__main__":
    main(sys.argv[1])
