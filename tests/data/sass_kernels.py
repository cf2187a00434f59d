"""The kernels of tests/data/sass: how each is launched. Used by scripts and tests alike.

Every launch is one block. ``BUFFER_BYTES`` is the size of each pointer's buffer, zeros; numbers are
32-bit integers, unless they are floats.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE / "sass"
SOURCES = ("tiles", "threads", "matrix", "parted")
TRITON = ("transpose", "matmul", "attention")
OTHERS = ("sm_80", "sm_100")
"""Generations for which threads.cu is compiled too."""
BUFFER_BYTES = 1 << 20


@dataclass(frozen=True)
class Launch:
    """``pointers`` buffers, then ``numbers``, then ``more`` null pointers."""

    file: str
    kernel: str
    block: tuple[int, int, int]
    pointers: int = 2
    numbers: tuple[float, ...] = ()
    dynamic_bytes: int = 0
    more: int = 0

    @property
    def args(self) -> dict[str | int, int]:
        """What an analyser may be told: the integers, by position."""
        numbers = enumerate(self.numbers, self.pointers)
        return {n: value for n, value in numbers if isinstance(value, int)}


def _line(file: str, threads: int, *kernels: str) -> list[Launch]:
    return [Launch(file, kernel, (threads, 1, 1)) for kernel in kernels]


LAUNCHES = [
    *_line("tiles", 256, "transpose_none", "transpose_padded", "transpose_xor"),
    *_line("tiles", 256, "transpose_halves", "vectors_column", "vectors_xor"),
    *_line("tiles", 128, "bytes_column", "signed_bytes", "pairs_shared", "doubles_pitch"),
    Launch("tiles", "block_of_two_axes", (20, 12, 1)),
    Launch("tiles", "several_buffers", (128, 1, 1), numbers=(3,), dynamic_bytes=1024),
    *_line("threads", 256, "reduce_sequential", "reduce_interleaved", "bitonic"),
    *_line("threads", 128, "scan_tree", "scan_tree_padded", "butterflies", "masked_lanes"),
    *_line("threads", 128, "atomics", "roles", "jump_table"),
    *_line("threads", 64, "triangle"),
    Launch("threads", "stencil", (16, 16, 1)),
    Launch("threads", "histogram", (64, 1, 1), numbers=(256,)),
    Launch("threads", "moving_addresses", (128, 1, 1), numbers=(40, 2)),
    Launch("matrix", "gemm_plain", (128, 1, 1), pointers=3, numbers=(3,)),
    Launch("matrix", "gemm_xor", (128, 1, 1), pointers=3, numbers=(3,)),
    Launch("matrix", "gemm_padded", (128, 1, 1), pointers=3),
    *_line("matrix", 64, "matrix_loads", "matrix_stores"),
    *_line("matrix", 128, "async_copies"),
    *_line("parted", 64, "falls_through", "breaks_and_continues", "own_counts", "returns_early"),
    *_line("parted", 64, "returns_from_loop", "one_of_two", "nested", "common_tail"),
    *_line("parted", 64, "both_of_two_loops", "states", "short_circuit", "at_least_once"),
    *_line("parted", 64, "into_the_middle", "warps_by_role", "meets_for_shuffle"),
    *_line("parted", 64, "part_of_a_warp_syncs"),
    *_line("parted", 64, "calls", "halving", "strided_by_halves", "skips_a_pass"),
    *_line("parted", 64, "two_ways_out", "loop_in_one_arm"),
    *_line("parted", 64, "returns_of_some", "sets_a_barrier_twice"),
    Launch("triton_transpose", "transpose", (128, 1, 1), 2, (), 8192, more=2),
    Launch("triton_matmul", "matmul", (128, 1, 1), 3, (64,), 24576, more=2),
    Launch("triton_attention", "attention", (128, 1, 1), 4, (128, 0.125), 57344, more=2),
]
