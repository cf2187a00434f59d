"""How fast counting is, in one process: lane-accesses a second of processor time.

    PYTHONPATH=src python -m pytest -s benchmarks/bench_counting.py

Random offsets, every width, at every alignment that the machine takes. Aims: 10 million by numpy,
200 million by the compiled loop of the extra ``fast``, which gives the same numbers.
"""

import sys
import time
from importlib.util import find_spec

import numpy as np
import pytest

from bankwise.counting import bulk
from bankwise.counting.conflict import count
from bankwise.hardware.machine import machine

ACCESSES = 20_000
ROWS = {
    "gfx942": (
        "ds_read_u8",
        "ds_read_u16",
        "ds_read_b32",
        "ds_read_b64",
        "ds_read_b96",
        "ds_read_b128",
    ),
    "gfx950": ("ds_read_b64", "ds_read_b128"),
    "sm_90": ("ld.shared.b8", "ld.shared.b16", "ld.shared.b32", "ld.shared.b64", "ld.shared.b128"),
}
CASES = [
    (target, name, step)
    for target, listed in ROWS.items()
    for name in listed
    for step in (1, 2, 4, 8, 16)
    if machine(target).instruction(name).alignment_bytes
    <= step
    <= machine(target).instruction(name).width_bytes
]


@pytest.mark.parametrize("how", ["numpy", "compiled"])
@pytest.mark.parametrize(("target", "name", "step"), CASES)
@pytest.mark.benchmark(timer=time.process_time, max_time=0.3)
def test_counting_random_offsets(
    benchmark, monkeypatch: pytest.MonkeyPatch, target: str, name: str, step: int, how: str
) -> None:
    if how == "compiled" and (find_spec("numba") is None or bulk.compiled() is None):
        pytest.skip("the extra [fast] is not installed")
    monkeypatch.setattr(bulk, "WORTH_LANES", 0 if how == "compiled" else sys.maxsize)
    gpu = machine(target)
    row = gpu.instruction(name)
    rng = np.random.default_rng(7)
    shape = (ACCESSES, gpu.wave_size)
    offsets = rng.integers(0, 65536 // step - 16, shape) * step
    benchmark(count, row, offsets)
    speed = offsets.size / benchmark.stats["median"]
    benchmark.extra_info["lane_accesses_per_second"] = speed
    print(f"\n{target} {name}, multiples of {step}, {how}: {speed / 1e6:.0f} M lanes/s")
