"""Fused attention as CUDA text: softmax(Q K^T scale) V, tile by tile, f16 and f32.

f16: mma.sync m16n8k16, operands by ldmatrix, V by its transposing form; f32: plain arithmetic on
16-byte loads. 64 queries and 64 keys a tile, four warps; K and V are in shared memory one tile at
a time, Q stays, and for f32 the scores pass through it too. The texts are ``cuda/attention_*.cu``;
the index arithmetic below repeats theirs, and tests hold the two equal through compiled PTX.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from msgspec import Struct

from bankwise.errors import InputError
from bankwise.lab.kernels.generated import ElementType, GeneratedKernel, generate
from bankwise.lab.kernels.tiles import KernelTile, Touch, Variant, dealt_out

Dealing = Literal["interleaved", "blocked"]
"""f32: whether a thread's rows and keys are dealt out like cards, or neighbours."""
ROWS = 64
"""Queries of a workgroup, and keys of a tile."""
THREADS = 128
HEADS = (64, 128)
KERNEL = "attention"
_BYTES = {"f16": 2, "f32": 4}


class AttentionShape(Struct, frozen=True):
    """``batch`` independent problems of ``sequence`` queries, keys and values of ``head`` columns.

    ``sequence`` is a multiple of 64 and ``head`` 64 or 128: :class:`InputError` otherwise.
    """

    batch: int
    sequence: int
    head: int

    def __post_init__(self) -> None:
        if self.head not in HEADS:
            raise InputError(f"a head of {self.head} columns", hint="64 or 128")
        if self.sequence < 1 or self.sequence % ROWS:
            raise InputError(f"a sequence of {self.sequence}", hint=f"a multiple of {ROWS}")
        if not 1 <= self.batch <= 65535:
            raise InputError(f"a batch of {self.batch}", hint="1 to 65535")

    @property
    def workgroups(self) -> int:
        """Workgroups of one launch."""
        return self.batch * self.sequence // ROWS

    @property
    def trips(self) -> int:
        """Trips of a workgroup's loop over the keys."""
        return self.sequence // ROWS

    @property
    def flops(self) -> int:
        """Multiplications and additions of the two products."""
        return 4 * self.batch * self.sequence**2 * self.head

    def __str__(self) -> str:
        return f"{self.batch}x{self.sequence}x{self.head}"


def kernel(
    head: int,
    element: ElementType,
    variant: Variant,
    target: str = "sm_90",
    dealing: Dealing = "interleaved",
) -> GeneratedKernel:
    """``attention(q, k, v, out, sequence, scale)`` for all shapes of one head size.

    One workgroup of 128 threads per 64 queries (x) and batch entry (y); ``scale`` is that of the
    scores times log2(e), for the kernel computes powers of two. InputError for another head.
    """
    if head not in HEADS:
        raise InputError(f"a head of {head} columns", hint="64 or 128")
    constants = {"HEAD": head, "INTERLEAVED": int(dealing == "interleaved")}
    return generate(KERNEL, element, tiles(head, element, dealing), variant, target, constants)


def tiles(
    head: int, element: ElementType, dealing: Dealing = "interleaved"
) -> tuple[KernelTile, ...]:
    """The tiles q, k, v (f32: and p, the scores) with everything that touches them."""
    size = _BYTES[element]
    stores = [_store(name, head, size) for name in "qkv"]
    if element == "f16":
        reads = _fragments(head)
        names = zip("qkv", stores, reads, strict=True)
        return tuple(KernelTile(n, ROWS, head, size, (store, read)) for n, store, read in names)
    touches = dict(zip("qkv", stores, strict=True))
    q, k, v, p_store, p_read = _products(head, dealing)
    return (
        KernelTile("q", ROWS, head, size, (touches["q"], q)),
        KernelTile("k", ROWS, head, size, (touches["k"], k)),
        KernelTile("v", ROWS, head, size, (touches["v"], v)),
        KernelTile("p", ROWS, ROWS, size, (p_store, p_read)),
    )


def _store(name: str, head: int, size: int) -> Touch:
    """16 bytes per thread and step, rows one after the other."""
    per_row = head * size // 16
    step = np.arange(ROWS * per_row // THREADS)[:, None, None]
    vector = np.arange(THREADS).reshape(-1, 32) + step * THREADS
    rows, columns = vector // per_row, vector % per_row * (16 // size)
    return Touch(f"store {name}", "st.shared.b128", rows, columns, per_trip=name != "q")


def _fragments(head: int) -> tuple[Touch, Touch, Touch]:
    """ldmatrix of Q (16 rows of each warp, once), K and V (all 64 keys by every warp)."""
    lane, warp = np.arange(32), np.arange(4)[:, None]
    d, n = np.arange(head // 16)[:, None, None], np.arange(4)[:, None, None, None]
    q = dealt_out(16 * warp + lane % 16, 16 * d + 8 * (lane // 16))
    k = dealt_out(16 * n + 8 * (lane // 16) + lane % 8 + 0 * warp, 16 * d + 8 * (lane // 8 % 2))
    v = dealt_out(16 * n + lane % 16 + 0 * warp, 16 * d + 8 * (lane // 16))
    return (
        Touch("read q", "ldmatrix.x4", *q, per_trip=False),
        Touch("read k", "ldmatrix.x4", *k),
        Touch("read v", "ldmatrix.x4.trans", *v),
    )


def _products(head: int, dealing: Dealing) -> tuple[Touch, Touch, Touch, Touch, Touch]:
    """The loads of both products in f32, and the store and load of the scores between them."""
    lane, warp = np.arange(32), np.arange(4)[:, None]
    eight, four = (np.arange(n)[:, None, None, None] for n in (8, 4))
    part, dealt = lane // 2, dealing == "interleaved"
    rows = 2 * warp + lane % 2 + 8 * eight if dealt else 16 * warp + 8 * (lane % 2) + eight
    keys = part + 16 * four if dealt else 4 * part + four
    d = 4 * np.arange(head // 4)[:, None, None]
    chunk = np.arange(ROWS // 4)[:, None, None]
    across = chunk + 16 * four if dealt else 4 * chunk + four
    wide = 64 * np.arange(head // 64)[:, None, None, None, None]
    q = dealt_out(rows, d)
    k = dealt_out(keys + 0 * warp, d)
    v = dealt_out(across + 0 * warp, 4 * part + wide)
    p_store = dealt_out(rows, 4 * part)
    p_read = dealt_out(rows, 4 * chunk)
    return (
        Touch("read q", "ld.shared.b128", *q),
        Touch("read k", "ld.shared.b128", *k),
        Touch("read v", "ld.shared.b128", *v),
        Touch("store p", "st.shared.b128", *p_store),
        Touch("read p", "ld.shared.b128", *p_read),
    )
