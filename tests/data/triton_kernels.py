"""Triton kernels in the manner of public ones, with what compiling and launching them needs.

Tests fix them for several GPUs; benchmarks/h200_triton.py runs them. Triton reads their text, so
they stand in a file. ``CASES`` has for each: the function, types of pointers, constants, numbers,
options of Triton, the grid, and the elements of each pointer.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def moe_up(
    x, w, ids, out, tokens, n, k, bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr,
    ieee: tl.constexpr,
):  # fmt: skip
    """silu(x W_gate^T) * (x W_up^T) of the tokens of one expert; W is [2 n, k]."""
    rows = tl.program_id(0) * bm + tl.arange(0, bm)
    columns = tl.program_id(1) * bn + tl.arange(0, bn)
    inner = tl.arange(0, bk)
    some = tl.load(ids + rows, mask=rows < tokens, other=0)
    left = x + some[:, None] * k + inner[None, :]
    gate = w + columns[None, :] * k + inner[:, None]
    up = gate + n * k
    one = tl.zeros((bm, bn), dtype=tl.float32)
    two = tl.zeros((bm, bn), dtype=tl.float32)
    for _ in range(0, k, bk):
        tile = tl.load(left)
        one = tl.dot(tile, tl.load(gate), one, input_precision=ieee)
        two = tl.dot(tile, tl.load(up), two, input_precision=ieee)
        left += bk
        gate += bk
        up += bk
    value = one * tl.sigmoid(one) * two
    where = out + rows[:, None] * n + columns[None, :]
    tl.store(where, value.to(out.dtype.element_ty), mask=(rows < tokens)[:, None])


@triton.jit
def moe_down(
    x, w, ids, scale, out, tokens, n, k, bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr,
    ieee: tl.constexpr,
):  # fmt: skip
    """x W times a weight of each token, scattered to where the token stands; W is [n, k]."""
    rows = tl.program_id(0) * bm + tl.arange(0, bm)
    columns = tl.program_id(1) * bn + tl.arange(0, bn)
    inner = tl.arange(0, bk)
    left = x + rows[:, None] * k + inner[None, :]
    right = w + columns[None, :] * k + inner[:, None]
    total = tl.zeros((bm, bn), dtype=tl.float32)
    for _ in range(0, k, bk):
        total = tl.dot(tl.load(left), tl.load(right), total, input_precision=ieee)
        left += bk
        right += bk
    inside = rows < tokens
    total *= tl.load(scale + rows, mask=inside, other=0.0)[:, None]
    some = tl.load(ids + rows, mask=inside, other=0)
    where = out + some[:, None] * n + columns[None, :]
    tl.store(where, total.to(out.dtype.element_ty), mask=inside[:, None])


@triton.jit
def product(
    a, b, c, size, bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr,
    across_a: tl.constexpr, across_b: tl.constexpr, ieee: tl.constexpr,
):  # fmt: skip
    """C = A B; ``across``: the operand is stored transposed."""
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
    kind: tl.constexpr = tl.int32 if c.dtype.element_ty == tl.int32 else tl.float32
    total = tl.zeros((bm, bn), dtype=kind)
    for _ in range(0, size, bk):
        loaded = tl.load(left), tl.load(right)
        total = tl.dot(loaded[0], loaded[1], total, input_precision=ieee, out_dtype=kind)
        left += left_step
        right += right_step
    tl.store(c + rows[:, None] * size + columns[None, :], total.to(c.dtype.element_ty))


@triton.jit
def decode(
    q, k, v, out, length, heads: tl.constexpr, d: tl.constexpr, bn: tl.constexpr,
    ieee: tl.constexpr,
):  # fmt: skip
    """One token of grouped attention: the ``heads`` queries of one key head."""
    head = tl.program_id(0)
    rows, inner, wide = tl.arange(0, heads), tl.arange(0, d), tl.arange(0, bn)
    query = tl.load(q + (head * heads + rows)[:, None] * d + inner[None, :])
    top = tl.full((heads,), float("-inf"), dtype=tl.float32)
    weight = tl.zeros((heads,), dtype=tl.float32)
    total = tl.zeros((heads, d), dtype=tl.float32)
    for start in range(0, length, bn):
        at = (head * length + start + wide) * d
        keys = tl.load(k + at[None, :] + inner[:, None])
        scores = tl.dot(query, keys, input_precision=ieee) * 0.125
        higher = tl.maximum(top, tl.max(scores, 1))
        share, fade = tl.exp2(scores - higher[:, None]), tl.exp2(top - higher)
        values = tl.load(v + at[:, None] + inner[None, :])
        total = tl.dot(share.to(values.dtype), values, total * fade[:, None], input_precision=ieee)
        weight = weight * fade + tl.sum(share, 1)
        top = higher
    done = (total / weight[:, None]).to(out.dtype.element_ty)
    tl.store(out + (head * heads + rows)[:, None] * d + inner[None, :], done)


@triton.jit
def attention(
    q, k, v, out, length, bm: tl.constexpr, bn: tl.constexpr, d: tl.constexpr, ieee: tl.constexpr
):  # fmt: skip
    """softmax(Q K^T) V, bm queries of one head, bn keys at a time."""
    rows = tl.program_id(0) * bm + tl.arange(0, bm)
    inner, wide = tl.arange(0, d), tl.arange(0, bn)
    query = tl.load(q + rows[:, None] * d + inner[None, :])
    top = tl.full((bm,), float("-inf"), dtype=tl.float32)
    weight = tl.zeros((bm,), dtype=tl.float32)
    total = tl.zeros((bm, d), dtype=tl.float32)
    for start in range(0, length, bn):
        at = (start + wide)[:, None] * d + inner[None, :]
        scores = tl.dot(query, tl.trans(tl.load(k + at)), input_precision=ieee) * 0.125
        higher = tl.maximum(top, tl.max(scores, 1))
        share, fade = tl.exp2(scores - higher[:, None]), tl.exp2(top - higher)
        values = tl.load(v + at)
        total = tl.dot(share.to(values.dtype), values, total * fade[:, None], input_precision=ieee)
        weight = weight * fade + tl.sum(share, 1)
        top = higher
    done = (total / weight[:, None]).to(out.dtype.element_ty)
    tl.store(out + rows[:, None] * d + inner[None, :], done)


@triton.jit
def attention_heads(
    q, k, v, out, length, scale, d: tl.constexpr, bm: tl.constexpr, bn: tl.constexpr
):  # fmt: skip
    """softmax(Q K^T) V of many heads; K is loaded transposed, and what is multiplied by V is f8."""
    rows, inner = tl.program_id(0) * bm + tl.arange(0, bm), tl.arange(0, d)
    head = tl.program_id(1) * length * d
    query = tl.load(q + head + rows[:, None] * d + inner[None, :])
    top = tl.full((bm,), -1e30, dtype=tl.float32)
    weight = tl.zeros((bm,), dtype=tl.float32)
    total = tl.zeros((bm, d), dtype=tl.float32)
    for start in range(0, length, bn):
        keys = start + tl.arange(0, bn)
        key = tl.load(k + head + keys[None, :] * d + inner[:, None])
        values = tl.load(v + head + keys[:, None] * d + inner[None, :])
        scores = tl.dot(query, key) * scale
        higher = tl.maximum(top, tl.max(scores, 1))
        share, fade = tl.exp(scores - higher[:, None]), tl.exp(top - higher)
        weight = weight * fade + tl.sum(share, 1)
        total = tl.dot(share.to(values.dtype), values, total * fade[:, None])
        top = higher
    done = (total / weight[:, None]).to(out.dtype.element_ty)
    tl.store(out + head + rows[:, None] * d + inner[None, :], done)


@triton.jit
def attention_backward(
    q, k, v, do, high, delta, dk, dv, length, d: tl.constexpr, bm: tl.constexpr, bn: tl.constexpr,
    ieee: tl.constexpr,
):  # fmt: skip
    """dK and dV of bn keys, over all queries, bm at a time."""
    wide = tl.program_id(0) * bn + tl.arange(0, bn)
    rows, inner = tl.arange(0, bm), tl.arange(0, d)
    keys = tl.load(k + wide[:, None] * d + inner[None, :])
    values = tl.load(v + wide[:, None] * d + inner[None, :])
    total_k = tl.zeros((bn, d), dtype=tl.float32)
    total_v = tl.zeros((bn, d), dtype=tl.float32)
    for start in range(0, length, bm):
        at = (start + rows)[:, None] * d + inner[None, :]
        query, grad = tl.load(q + at), tl.load(do + at)
        scores = tl.dot(keys, tl.trans(query), input_precision=ieee) * 0.125
        share = tl.exp2(scores - tl.load(high + start + rows)[None, :])
        total_v = tl.dot(share.to(grad.dtype), grad, total_v, input_precision=ieee)
        slope = tl.dot(values, tl.trans(grad), input_precision=ieee)
        slope = share * (slope - tl.load(delta + start + rows)[None, :])
        total_k = tl.dot(slope.to(query.dtype), query, total_k, input_precision=ieee)
    tl.store(dk + wide[:, None] * d + inner[None, :], (total_k * 0.125).to(dk.dtype.element_ty))
    tl.store(dv + wide[:, None] * d + inner[None, :], total_v.to(dv.dtype.element_ty))


@triton.jit
def chunk_state(
    k, v, decay, out, length, d: tl.constexpr, e: tl.constexpr, bt: tl.constexpr,
    ieee: tl.constexpr,
):  # fmt: skip
    """The state of linear attention: the sum over time of decay k^T v, one chunk at a time."""
    head = tl.program_id(0)
    time, one, two = tl.arange(0, bt), tl.arange(0, d), tl.arange(0, e)
    state = tl.zeros((d, e), dtype=tl.float32)
    for start in range(0, length, bt):
        at = head * length + start + time
        keys = tl.load(k + at[None, :] * d + one[:, None])
        values = tl.load(v + at[:, None] * e + two[None, :])
        faded = values * tl.load(decay + at)[:, None].to(values.dtype)
        state = tl.dot(keys, faded, state, input_precision=ieee)
    where = out + (head * d + one[:, None]) * e + two[None, :]
    tl.store(where, state.to(out.dtype.element_ty))


@triton.jit
def packed_weights(x, w, scale, out, size, bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr):
    """x W with weights of 4 bits, eight in a word along n, and a scale of every column."""
    rows = tl.program_id(0) * bm + tl.arange(0, bm)
    columns = tl.program_id(1) * bn + tl.arange(0, bn)
    inner = tl.arange(0, bk)
    left = x + rows[:, None] * size + inner[None, :]
    words = w + inner[:, None] * (size // 8) + columns[None, :] // 8
    factor = tl.load(scale + columns)
    total = tl.zeros((bm, bn), dtype=tl.float32)
    for _ in range(0, size, bk):
        four = (tl.load(words) >> ((columns % 8) * 4)[None, :]) & 15
        right = ((four - 8).to(tl.float16)) * factor[None, :]
        total = tl.dot(tl.load(left), right, total)
        left += bk
        words += bk * (size // 8)
    tl.store(out + rows[:, None] * size + columns[None, :], total.to(tl.float16))


@triton.jit
def transpose(x, y, size, bm: tl.constexpr, bn: tl.constexpr):
    """y = x^T, one tile of a program."""
    rows = tl.program_id(0) * bm + tl.arange(0, bm)
    columns = tl.program_id(1) * bn + tl.arange(0, bn)
    tile = tl.load(x + rows[:, None] * size + columns[None, :])
    tl.store(y + columns[:, None] * size + rows[None, :], tl.trans(tile))


@triton.jit
def norm_backward(x, w, dy, dx, dw, rows_each, width: tl.constexpr, eps: tl.constexpr):
    """Layer norm backward over some rows: dx, and the part of dw of these rows."""
    first = tl.program_id(0) * rows_each
    at = tl.arange(0, width)
    weight = tl.load(w + at).to(tl.float32)
    total = tl.zeros((width,), dtype=tl.float32)
    for row in range(rows_each):
        value = tl.load(x + (first + row) * width + at).to(tl.float32)
        grad = tl.load(dy + (first + row) * width + at).to(tl.float32)
        mean = tl.sum(value, 0) / width
        centred = value - mean
        rstd = 1 / tl.sqrt(tl.sum(centred * centred, 0) / width + eps)
        norm, part = centred * rstd, grad * weight
        both = tl.sum(norm * part, 0) / width
        slope = (part - (norm * both + tl.sum(part, 0) / width)) * rstd
        tl.store(dx + (first + row) * width + at, slope.to(dx.dtype.element_ty))
        total += grad * norm
    tl.store(dw + tl.program_id(0) * width + at, total)


@triton.jit
def column_sums(x, out, size, bm: tl.constexpr, bn: tl.constexpr):
    """The sums over rows of bn columns, as inductor writes a reduction across rows."""
    columns = tl.program_id(0) * bn + tl.arange(0, bn)
    total = tl.zeros((bm, bn), dtype=tl.float32)
    for start in range(0, size, bm):
        rows = start + tl.arange(0, bm)
        total += tl.load(x + rows[:, None] * size + columns[None, :]).to(tl.float32)
    tl.store(out + columns, tl.sum(total, 0))


IEEE = {"ieee": "ieee"}
TILE = {"bm": 64, "bn": 64, "bk": 32}
N = 1024


def _product(kind: str, out: str, across: tuple[bool, bool], tile: tuple[int, int, int], **more):
    bm, bn, bk = tile
    constants = {"bm": bm, "bn": bn, "bk": bk, "across_a": across[0], "across_b": across[1]}
    return {
        "fn": "product",
        "types": {"a": f"*{kind}", "b": f"*{kind}", "c": f"*{out}", "size": "i32"},
        "constants": {**constants, **IEEE},
        "numbers": {"size": N},
        "options": more,
        "grid": (N // bm, N // bn, 1),
        "elements": {"a": N * N, "b": N * N, "c": N * N},
    }


def _up(kind: str, **more):
    return {
        "fn": "moe_up",
        "types": {
            **dict.fromkeys(("x", "w", "out"), f"*{kind}"), "ids": "*i32",
            **dict.fromkeys(("tokens", "n", "k"), "i32"),
        },
        "constants": {**TILE, **IEEE},
        "numbers": {"tokens": N, "n": N, "k": N},
        "options": more,
        "grid": (N // 64, N // 64, 1),
        "elements": {"x": N * N, "w": 2 * N * N, "out": N * N, "ids": N},
    }  # fmt: skip


def _down(kind: str, **more):
    up = _up(kind, **more)
    types = {**up["types"], "scale": "*fp32"}
    return {**up, "fn": "moe_down", "types": types, "elements": {**up["elements"], "scale": N}}


def _decode(kind: str, heads: int, d: int, bn: int, **more):
    size = 64 * N * d
    return {
        "fn": "decode",
        "types": {**dict.fromkeys(("q", "k", "v", "out"), f"*{kind}"), "length": "i32"},
        "constants": {"heads": heads, "d": d, "bn": bn, **IEEE},
        "numbers": {"length": N},
        "options": more,
        "grid": (64, 1, 1),
        "elements": {"q": 64 * heads * d, "k": size, "v": size, "out": 64 * heads * d},
    }


def _backward(kind: str, d: int, bm: int, bn: int, **more):
    tiles = ("q", "k", "v", "do", "dk", "dv")
    return {
        "fn": "attention_backward",
        "types": {
            **dict.fromkeys(tiles, f"*{kind}"),
            **dict.fromkeys(("high", "delta"), "*fp32"), "length": "i32",
        },
        "constants": {"d": d, "bm": bm, "bn": bn, **IEEE},
        "numbers": {"length": N},
        "options": more,
        "grid": (N // bn, 1, 1),
        "elements": {**dict.fromkeys(tiles, N * d), "high": N, "delta": N},
    }  # fmt: skip


def _attention(kind: str, d: int, bm: int, bn: int, **more):
    return {
        "fn": "attention",
        "types": {**dict.fromkeys(("q", "k", "v", "out"), f"*{kind}"), "length": "i32"},
        "constants": {"bm": bm, "bn": bn, "d": d, **IEEE},
        "numbers": {"length": N},
        "options": more,
        "grid": (4 * N // bm, 1, 1),
        "elements": {"q": 4 * N * d, "k": N * d, "v": N * d, "out": 4 * N * d},
    }


def _state(kind: str, d: int, e: int, bt: int, **more):
    return {
        "fn": "chunk_state",
        "types": {**dict.fromkeys(("k", "v", "decay", "out"), f"*{kind}"), "length": "i32"},
        "constants": {"d": d, "e": e, "bt": bt, **IEEE},
        "numbers": {"length": N},
        "options": more,
        "grid": (128, 1, 1),
        "elements": {
            "k": 128 * N * d, "v": 128 * N * e, "decay": 128 * N, "out": 128 * d * e,
        },
    }  # fmt: skip


def _transpose(kind: str, bm: int, bn: int, **more):
    return {
        "fn": "transpose",
        "types": {"x": f"*{kind}", "y": f"*{kind}", "size": "i32"},
        "constants": {"bm": bm, "bn": bn},
        "numbers": {"size": 4 * N},
        "options": more,
        "grid": (4 * N // bm, 4 * N // bn, 1),
        "elements": {"x": 16 * N * N, "y": 16 * N * N},
    }


CASES = {
    "moe_up_f16": _up("fp16"),
    "moe_up_f32": _up("fp32"),
    "moe_down_f16": _down("fp16"),
    "moe_down_f32": _down("fp32", num_stages=2),
    "product_f8_nn": _product("fp8e4nv", "fp32", (False, False), (128, 128, 64), num_warps=8),
    "product_f8_nt": _product("fp8e5", "fp32", (False, True), (128, 128, 64), num_warps=8),
    "product_i8_nn": _product("i8", "i32", (False, False), (128, 128, 64), num_warps=8),
    "product_f16_tt": _product("fp16", "fp16", (True, True), (128, 64, 32)),
    "product_f32_nt": _product("fp32", "fp32", (False, True), (64, 64, 32)),
    "product_f32_tt": _product("fp32", "fp32", (True, True), (128, 128, 32), num_warps=8),
    "product_f32_skinny": _product("fp32", "fp32", (False, True), (16, 64, 64)),
    "decode_f16": _decode("fp16", 16, 128, 64),
    "decode_f32": _decode("fp32", 16, 64, 32, num_stages=2),
    "attention_f32": _attention("fp32", 64, 64, 64, num_stages=2),
    "attention_f8": _attention("fp8e4nv", 128, 128, 64, num_warps=8),
    "attention_f8_wide": _attention("fp8e4nv", 128, 128, 128, num_warps=8),
    "attention_backward_f16": _backward("fp16", 64, 64, 64, num_stages=2),
    "attention_backward_f32": _backward("fp32", 64, 32, 32, num_stages=1),
    "chunk_state_f16": _state("fp16", 64, 64, 64),
    "chunk_state_f32": _state("fp32", 64, 64, 32, num_stages=2),
    "packed_weights": {
        "fn": "packed_weights",
        "types": {
            "x": "*fp16", "w": "*i32", "scale": "*fp16", "out": "*fp16", "size": "i32",
        },
        "constants": TILE,
        "numbers": {"size": N},
        "options": {},
        "grid": (N // 64, N // 64, 1),
        "elements": {"x": N * N, "w": N * N // 8, "scale": N, "out": N * N},
    },
    "transpose_f32": _transpose("fp32", 64, 64),
    "transpose_f16": _transpose("fp16", 64, 64),
    "transpose_i8": _transpose("i8", 64, 64),
    "norm_backward": {
        "fn": "norm_backward",
        "types": {
            **dict.fromkeys(("x", "w", "dy", "dx"), "*fp16"), "dw": "*fp32", "rows_each": "i32",
        },
        "constants": {"width": N, "eps": 1e-5},
        "numbers": {"rows_each": 8},
        "options": {"num_warps": 8},
        "grid": (N // 8, 1, 1),
        "elements": {"x": N * N, "w": N, "dy": N * N, "dx": N * N, "dw": N * N // 8},
    },
    "column_sums": {
        "fn": "column_sums",
        "types": {"x": "*fp16", "out": "*fp32", "size": "i32"},
        "constants": {"bm": 64, "bn": 64},
        "numbers": {"size": N},
        "options": {},
        "grid": (N // 64, 1, 1),
        "elements": {"x": N * N, "out": N},
    },
}  # fmt: skip
