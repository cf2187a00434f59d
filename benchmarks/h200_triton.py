"""Triton kernels for benchmarks/h200_fix.py. Triton reads their text, so they stand in a file."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def product(
    a, b, c, size,
    bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr,
    across_a: tl.constexpr, across_b: tl.constexpr,
):  # fmt: skip
    """C = A B, exact in integers, else as exact as FMA is; ``across``: the operand is stored
    transposed."""
    rows = tl.program_id(0) * bm + tl.arange(0, bm)
    columns = tl.program_id(1) * bn + tl.arange(0, bn)
    inner = tl.arange(0, bk)
    if across_a:
        left, left_step = a + rows[:, None] + inner[None, :] * size, bk * size
    else:
        left, left_step = a + rows[:, None] * size + inner[None, :], bk
    if across_b:
        right, right_step = b + inner[:, None] + columns[None, :] * size, bk
    else:
        right, right_step = b + inner[:, None] * size + columns[None, :], bk * size
    kind: tl.constexpr = c.dtype.element_ty
    total = tl.zeros((bm, bn), dtype=kind)
    for _ in range(0, size, bk):
        loaded = tl.load(left), tl.load(right)
        total = tl.dot(loaded[0], loaded[1], total, input_precision="ieee", out_dtype=kind)
        left += left_step
        right += right_step
    tl.store(c + rows[:, None] * size + columns[None, :], total)


@triton.jit
def attention(
    q, k, v, o, keys, scale: tl.constexpr, bm: tl.constexpr, bn: tl.constexpr, d: tl.constexpr
):
    """softmax(Q K^T) V in f32, bm queries of one head, bn keys at a time."""
    rows = tl.program_id(0) * bm + tl.arange(0, bm)
    inner, wide = tl.arange(0, d), tl.arange(0, bn)
    query = tl.load(q + rows[:, None] * d + inner[None, :])
    top = tl.full((bm,), float("-inf"), dtype=tl.float32)
    weight = tl.zeros((bm,), dtype=tl.float32)
    total = tl.zeros((bm, d), dtype=tl.float32)
    for start in range(0, keys, bn):
        key = tl.load(k + (start + wide)[:, None] * d + inner[None, :])
        scores = tl.dot(query, tl.trans(key), input_precision="ieee") * scale
        higher = tl.maximum(top, tl.max(scores, 1))
        share = tl.exp2(scores - higher[:, None])
        fade = tl.exp2(top - higher)
        value = tl.load(v + (start + wide)[:, None] * d + inner[None, :])
        total = tl.dot(share, value, total * fade[:, None], input_precision="ieee")
        weight = weight * fade + tl.sum(share, 1)
        top = higher
    tl.store(o + rows[:, None] * d + inner[None, :], total / weight[:, None])
