"""Which lane holds which element of a matrix instruction: data, with sources.

AMD, one wave of 64 lanes (amd_matrix_instruction_calculator 1.3.2, CDNA3; IREE's
``getSingleSubgroupLayout`` for the gfx950 shapes). With m rows there are 64 / m groups of lanes.
Lane l is in group l div m and holds row l mod m of A and column l mod m of B. Its e-th of E
elements has k = E * group + e; in the shapes of several blocks the group is the block and k = e.
Of D lane l holds column l mod n, in the rows that ``_AMD_ROWS`` gives.

NVIDIA, one warp of 32 lanes (PTX ISA, "Matrix fragments for mma.m16n8k*"), with g = l div 4 and
t = l mod 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.counting.access import IntArray
from bankwise.identity import ByIdentity


class Fragments(ByIdentity, frozen=True, eq=False):
    """The places of one instruction's elements, int64 [lanes, elements per lane].

    A[block, row, k], B[block, k, column], D[block, row, column].
    """

    m: int
    n: int
    k: int
    blocks: int
    a: tuple[IntArray, IntArray, IntArray]
    b: tuple[IntArray, IntArray, IntArray]
    d: tuple[IntArray, IntArray, IntArray]


_FLOATS_OF_8_BITS = ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ")

_AMD_SHAPES: Mapping[tuple[int, int, int, int], tuple[str, ...]] = {
    # (m, n, k, blocks): element types of A and B
    (16, 16, 16, 1): ("f16", "bf16"),
    (32, 32, 8, 1): ("f16", "bf16"),
    (16, 16, 32, 1): ("f16", "bf16", "i8", *_FLOATS_OF_8_BITS),
    (32, 32, 16, 1): ("f16", "bf16", "i8", *_FLOATS_OF_8_BITS),
    (16, 16, 64, 1): ("i8",),
    (32, 32, 32, 1): ("i8",),
    (16, 16, 128, 1): _FLOATS_OF_8_BITS,
    (32, 32, 64, 1): _FLOATS_OF_8_BITS,
    (16, 16, 4, 1): ("f32", "f64"),
    (32, 32, 2, 1): ("f32",),
    (4, 4, 4, 16): ("f16",),
}
"""In the four shapes with 16 or 32 elements per lane the sources order k differently. A and B share
that order, so the sum has the same terms in any of them; only a float's last bits could tell."""
_AMD_LANES = 64

_AMD_ROWS: Mapping[tuple[int, str], Callable[[IntArray, IntArray], IntArray]] = {
    # (m, "f64" or other accumulator) -> row of D from lane and register
    (16, ""): lambda lane, g: 4 * (lane // 16) + g,
    (32, ""): lambda lane, g: 8 * (g // 4) + 4 * (lane // 32) + g % 4,
    (4, ""): lambda lane, g: g + 0 * lane,
    (16, "f64"): lambda lane, g: 4 * g + lane // 16,
}


def amd(m: int, n: int, k: int, blocks: int, element: str) -> Fragments | None:
    """The fragments of ``v_mfma`` with these sizes on this element type; None if not known."""
    if element not in _AMD_SHAPES.get((m, n, k, blocks), ()):
        return None
    lane = np.arange(_AMD_LANES)[:, None]
    groups = _AMD_LANES // m
    held = k if blocks > 1 else k // groups
    group, e = lane // m, np.arange(held)[None]
    block, depth = (
        (group + 0 * e, e + 0 * lane) if blocks > 1 else (0 * group * e, held * group + e)
    )
    line = lane % m + 0 * e
    registers = np.arange(m * n * blocks // _AMD_LANES)[None]
    rows = _AMD_ROWS[(m, "f64" if element == "f64" else "")](lane, registers)
    block_d = (lane // m if blocks > 1 else 0 * lane) + 0 * registers
    d = (block_d, rows, lane % n + 0 * registers)
    return Fragments(m, n, k, blocks, (block, line, depth), (block, depth, line), d)


_G = np.arange(32)[:, None] // 4
_T = np.arange(32)[:, None] % 4

_Map = Callable[[IntArray], tuple[IntArray, IntArray]]
_NVIDIA: Mapping[tuple[int, int, int], tuple[tuple[str, ...], int, _Map, int, _Map]] = {
    # (m, n, k): types, elements of A, i -> (row, k), elements of B, i -> (k, column)
    (16, 8, 16): (
        ("f16", "bf16"),
        8,
        lambda i: (_G + 8 * (i // 2 % 2), 2 * _T + i % 2 + 8 * (i // 4)),
        4,
        lambda i: (2 * _T + i % 2 + 8 * (i // 2), _G),
    ),
    (16, 8, 8): (
        ("f16", "bf16"),
        4,
        lambda i: (_G + 8 * (i // 2), 2 * _T + i % 2),
        2,
        lambda i: (2 * _T + i, _G),
    ),
    (16, 8, 32): (
        ("i8", "f8E4M3FN", "f8E5M2"),
        16,
        lambda i: (_G + 8 * (i // 4 % 2), 4 * _T + i % 4 + 16 * (i // 8)),
        8,
        lambda i: (4 * _T + i % 4 + 16 * (i // 4), _G),
    ),
}
_TF32 = (
    ("f32",),
    4,
    lambda i: (_G + 8 * (i % 2), _T + 4 * (i // 2)),
    2,
    lambda i: (_T + 4 * i, _G),
)


def nvidia(m: int, n: int, k: int, element: str) -> Fragments | None:
    """The fragments of ``mma.sync`` with these sizes on this element type; None if not known."""
    row = _TF32 if (m, n, k, element) == (16, 8, 8, "f32") else _NVIDIA.get((m, n, k))
    if row is None or element not in row[0]:
        return None
    _, count_a, map_a, count_b, map_b = row
    a, b = map_a(np.arange(count_a)[None]), map_b(np.arange(count_b)[None])
    c = np.arange(4)[None]
    d = (_G + 8 * (c // 2), 2 * _T + c % 2)
    return Fragments(m, n, k, 1, _blocked(*a), _blocked(*b), _blocked(*d))


def _blocked(first: IntArray, second: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    first, second = np.broadcast_arrays(first, second)
    return np.zeros_like(first), first, second
