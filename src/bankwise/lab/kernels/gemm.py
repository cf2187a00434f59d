"""C = A B^T as CUDA text, f16 through mma.sync and ldmatrix, f32 in plain arithmetic.

A workgroup of 256 threads makes 128 x 128 of C, the sums in registers; A and B pass through shared
memory in slices of 64 (f16) or 32 (f32) columns. The texts are ``cuda/gemm_*.cu``; the index
arithmetic below repeats theirs, and tests hold the two equal through compiled PTX.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from bankwise.errors import InputError
from bankwise.lab.kernels.generated import ElementType, GeneratedKernel, generate
from bankwise.lab.kernels.tiles import KernelTile, Touch, Variant, dealt_out

ROWS = 128
"""Rows and columns of C that a workgroup makes."""
THREADS = 256
DEPTH = {"f16": 64, "f32": 32}
"""Columns of A and B in shared memory at a time."""
KERNEL = "gemm"
_BYTES = {"f16": 2, "f32": 4}


class GemmShape(Struct, frozen=True):
    """C is ``m`` x ``n``, the sums run over ``k``: multiples of 128, 128 and 64.

    :class:`InputError` otherwise.
    """

    m: int
    n: int
    k: int

    def __post_init__(self) -> None:
        if min(self.m, self.n, self.k) < 1 or self.m % ROWS or self.n % ROWS or self.k % 64:
            raise InputError(f"a product of {self}", hint="m and n in steps of 128, k of 64")

    @property
    def workgroups(self) -> int:
        """Workgroups of one launch."""
        return self.m // ROWS * (self.n // ROWS)

    @property
    def flops(self) -> int:
        """Multiplications and additions."""
        return 2 * self.m * self.n * self.k

    def trips(self, element: ElementType) -> int:
        """Trips of a workgroup's loop over k."""
        return self.k // DEPTH[element]

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"


def kernel(element: ElementType, variant: Variant, target: str = "sm_90") -> GeneratedKernel:
    """``gemm(a, b, c, n, k)`` for all shapes.

    One workgroup of 256 threads per 128 columns (x) and 128 rows (y) of C.
    """
    return generate(KERNEL, element, tiles(element), variant, target, {})


def tiles(element: ElementType) -> tuple[KernelTile, KernelTile]:
    """The tiles a and b with everything that touches them."""
    size, depth = _BYTES[element], DEPTH[element]
    reads = _fragments() if element == "f16" else _loads()
    a, b = (
        KernelTile(name, ROWS, depth, size, (_store(name, depth, size), read))
        for name, read in zip("ab", reads, strict=True)
    )
    return a, b


def _store(name: str, depth: int, size: int) -> Touch:
    """16 bytes per thread and step, rows one after the other."""
    per_row = depth * size // 16
    step = np.arange(ROWS * per_row // THREADS)[:, None, None]
    vector = np.arange(THREADS).reshape(-1, 32) + step * THREADS
    rows, columns = vector // per_row, vector % per_row * (16 // size)
    return Touch(f"store {name}", "st.shared.b128", rows, columns)


def _fragments() -> tuple[Touch, Touch]:
    """ldmatrix: 64 rows of A and 32 of B per warp, 16 at a time."""
    lane, warp = np.arange(32), np.arange(8)[:, None]
    d = np.arange(0, DEPTH["f16"], 16)[:, None, None]
    four, two = (16 * np.arange(n)[:, None, None, None] for n in (4, 2))
    a = dealt_out(64 * (warp // 4) + four + lane % 16, d + 8 * (lane // 16))
    b_row = 32 * (warp % 4) + two + 8 * (lane // 16) + lane % 8
    b = dealt_out(b_row, d + 8 * (lane // 8 % 2))
    return Touch("read a", "ldmatrix.x4", *a), Touch("read b", "ldmatrix.x4", *b)


def _loads() -> tuple[Touch, Touch]:
    """Eight rows of A and of B per thread, four columns at a time."""
    lane, warp = np.arange(32), np.arange(8)[:, None]
    d = np.arange(0, DEPTH["f32"], 4)[:, None, None]
    eight = np.arange(8)[:, None, None, None]
    a = dealt_out(32 * (warp // 2) + lane % 2 + 2 * (lane // 16) + 4 * eight, d)
    b = dealt_out(64 * (warp % 2) + lane // 2 % 8 + 8 * eight, d)
    return Touch("read a", "ld.shared.b128", *a), Touch("read b", "ld.shared.b128", *b)
