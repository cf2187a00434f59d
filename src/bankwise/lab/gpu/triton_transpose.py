"""A transpose in Triton as anyone would write it first: a peer to be measured, not to be used."""

# mypy: disable-error-code="untyped-decorator, no-untyped-def"

import triton
import triton.language as tl

TILES = (
    (64, 64), (128, 64), (64, 128), (128, 128), (32, 64), (64, 32), (256, 64), (64, 256),
    (32, 32), (128, 32), (32, 128),
)  # fmt: skip
"""(rows, columns) tried; the first four are the anchors'."""


@triton.jit
def transpose_triton(x, y, M, K, BM: tl.constexpr, BK: tl.constexpr, MASKED: tl.constexpr):  # noqa: D103, N803
    columns = tl.cdiv(K, BK)
    tile = tl.program_id(0)
    matrix = tl.program_id(1).to(tl.int64) * M * K
    x += matrix
    y += matrix
    m = tile // columns * BM + tl.arange(0, BM)
    k = tile % columns * BK + tl.arange(0, BK)
    if MASKED:
        inside = (m[:, None] < M) & (k[None, :] < K)
        value = tl.load(x + m[:, None] * K + k[None, :], mask=inside)
        tl.store(y + k[:, None] * M + m[None, :], tl.trans(value), mask=tl.trans(inside))
    else:
        value = tl.load(x + m[:, None] * K + k[None, :])
        tl.store(y + k[:, None] * M + m[None, :], tl.trans(value))
