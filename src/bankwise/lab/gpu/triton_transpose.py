"""A transpose in Triton as anyone would write it first: a peer to be measured, not to be used."""

# mypy: disable-error-code="untyped-decorator, no-untyped-def"

import triton
import triton.language as tl

TILES = ((64, 64), (128, 64), (64, 128), (128, 128), (32, 64), (64, 32), (256, 64), (64, 256))
"""(rows, columns) tried; the first four are the anchors'."""


@triton.jit
def transpose_triton(x, y, M, K, BM: tl.constexpr, BK: tl.constexpr):  # noqa: D103, N803
    columns = K // BK
    tile = tl.program_id(0)
    m = tile // columns * BM + tl.arange(0, BM)
    k = tile % columns * BK + tl.arange(0, BK)
    value = tl.load(x + m[:, None] * K + k[None, :])
    tl.store(y + k[:, None] * M + m[None, :], tl.trans(value))
