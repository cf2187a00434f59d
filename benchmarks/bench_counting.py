"""How fast counting is: lane-accesses a second on random offsets (aim: 10 million)."""

import numpy as np
import pytest

from bankwise.counting.conflict import count
from bankwise.hardware.machine import machine

ACCESSES = 20_000


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("gfx942", "ds_read_b32"),
        ("gfx942", "ds_read_b128"),
        ("gfx950", "ds_read_b128"),
        ("sm_90", "ld.shared.b32"),
        ("sm_90", "ld.shared.b128"),
    ],
)
def test_counting_random_offsets(benchmark, target: str, name: str) -> None:
    gpu = machine(target)
    row = gpu.instruction(name)
    rng = np.random.default_rng(7)
    shape = (ACCESSES, gpu.wave_size)
    offsets = rng.integers(0, 65536 // row.width_bytes, shape) * row.width_bytes
    benchmark(count, row, offsets)
    benchmark.extra_info["lane_accesses_per_second"] = offsets.size / benchmark.stats["mean"]
    print(f"\n{target} {name}: {offsets.size / benchmark.stats['mean'] / 1e6:.1f} M lanes/s")
