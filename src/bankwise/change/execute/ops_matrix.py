"""Matrix instructions: ``amdgpu.mfma``, ``nvgpu.mma.sync``, and the loads that feed them.

The products are summed in the type of the accumulator (float32 for all 8 and 16-bit floats), from
the lowest k to the highest, and the accumulator is added last. The order inside the hardware is not
documented, so results may differ from a GPU's in the last bits; two kernels that are compared here
run through the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.change.execute.fragments import Fragments, amd, nvidia
from bankwise.change.execute.memory import load
from bankwise.change.execute.memref import MemrefValue
from bankwise.change.execute.places import locate
from bankwise.change.execute.state import Node, Step, WorkgroupState
from bankwise.change.execute.values import Array, Element, element, numbers, rounded, rows, shape
from bankwise.counting.access import IntArray, distinct
from bankwise.read.integers import wrap

_AMD_WAVE = 64
_WARP = 32


def mfma(node: Node) -> Step:
    """``amdgpu.mfma``, dense, without permutations or negation."""
    attributes = node.op.attributes
    sizes = [int(attributes[name]) for name in ("m", "n", "k", "blocks")]
    plain = int(attributes["cbsz"]) == 0 and int(attributes["abid"]) == 0
    if not plain or "none" not in str(attributes["blgp"]):
        raise node.refuse("cbsz, abid and blgp permutations are not executed")
    for flag in ("reducePrecision", "negateA", "negateB", "negateC"):
        if flag in attributes:
            raise node.refuse(f"{flag} is not executed")
    types = [element(operand.type, node.location) for operand in node.op.operands]
    known = amd(sizes[0], sizes[1], sizes[2], sizes[3], str(types[0]))
    if known is None:
        text = "x".join(map(str, sizes[:3]))
        raise node.refuse(f"the operand layout of {text}, {sizes[3]} blocks, {types[0]} is unknown")
    return _multiply(node, known, types, _AMD_WAVE)


def mma_sync(node: Node) -> Step:
    """``nvgpu.mma.sync``; float32 operands keep all their bits (a GPU drops those below tf32)."""
    m, n, k = (int(size.value) for size in node.op.attributes["mmaShape"])
    types = [element(operand.type, node.location) for operand in node.op.operands]
    known = nvidia(m, n, k, str(types[0]))
    if known is None:
        raise node.refuse(f"the operand layout of m{m}n{n}k{k}, {types[0]} is unknown")
    return _multiply(node, known, types, _WARP)


def _multiply(node: Node, places: Fragments, types: list[Element], wave: int) -> Step:
    type_a, type_b, type_d = types
    result = shape(node.op.results[0].type)
    size_a = (places.blocks, places.m, places.k)
    size_b = (places.blocks, places.k, places.n)
    a_from, b_from = np.argsort(_flat(places.a, size_a)), np.argsort(_flat(places.b, size_b))
    result_at = _flat(places.d, (places.blocks, places.m, places.n))

    def run(state: WorkgroupState, a: Array, b: Array, c: Array) -> tuple[Array]:
        if state.ids.wave_size != wave:
            raise node.refuse(f"needs waves of {wave} lanes, not {state.ids.wave_size}")
        left = _factors(type_a, type_d, _held(state, a)[:, a_from]).reshape(-1, *size_a)
        right = _factors(type_b, type_d, _held(state, b)[:, b_from]).reshape(-1, *size_b)
        total = np.einsum("wbmk,wbkn->wbmn", left, right).reshape(len(left), -1)
        flat = total[:, result_at].reshape(state.threads, -1)
        summed = numbers(type_d, rows(c, state.threads)).reshape(flat.shape) + flat
        done = wrap(summed, 32) if type_d.kind == "integer" else rounded(type_d, summed)
        return (done.reshape(state.threads, *result),)

    return run


def _factors(of: Element, accumulator: Element, registers: Array) -> Array:
    """The numbers to multiply, in a type in which products of two are exact or rounded once."""
    values = numbers(of, registers)
    if of.kind == "integer" or str(of) == "f64":
        return values
    if str(of) == "f32" and str(accumulator) == "f32":
        return values
    return values.astype(np.float32)


def _flat(places: tuple[IntArray, IntArray, IntArray], size: tuple[int, int, int]) -> IntArray:
    """Places in a matrix of this size as one number each: every element is held once."""
    flat = np.ravel_multi_index(places, size).reshape(-1)
    assert len(distinct(flat)) == len(flat) == np.prod(size), "a bijection"
    return flat


def _held(state: WorkgroupState, values: Array) -> Array:
    """What the lanes of every wave hold: [waves, lanes * elements]."""
    return rows(values, state.threads).reshape(state.waves, -1)


def transpose_load(node: Node) -> Step:
    """``amdgpu.transpose_load`` (``ds_read_tr``): 16 lanes exchange a tile of their loads.

    The operation's documentation: the threads of a subgroup "collectively read a matrix from the
    source memref, with each thread reading a vector of the matrix, and [get] a transposed matrix"
    (MLIR AMDGPU dialect, ``AMDGPU_TransposeLoadOp``). For n elements per lane the tile of 16 lanes
    has n rows of 16 elements: lane l reads the n elements of row l div (16 / n) that begin at
    column n * (l mod (16 / n)), and receives column l, from the first row to the last. IREE's
    lowering computes addresses for this map, and the matmul kernels that it emits for gfx950
    give A @ B only with it (tests/test_execute_kernels.py).
    """
    (count,) = shape(node.op.results[0].type)
    bits = element(node.op.results[0].type, node.location).bits
    if count * bits != 64 or bits not in (8, 16):
        raise node.refuse(f"the lane map for {count} elements of {bits} bits is unknown")
    lane, row = np.arange(16)[:, None], np.arange(count)[None]
    giver = row * (16 // count) + lane // count

    def run(state: WorkgroupState, view: MemrefValue, *indices: IntArray) -> tuple[Array]:
        place = locate(state, node, view, indices, (count,))
        tiles = load(state, node, view, place).reshape(-1, 16, count)
        return (tiles[:, giver, lane % count].reshape(state.threads, count),)

    return run


def ldmatrix(node: Node) -> Step:
    """``nvgpu.ldmatrix``: 8x8 tiles of 16 bits (rows of 16 bytes), addressed by 8 lanes each.

    Row r of tile i is at the address of lane 8i + r. Of every tile lane l receives 4 bytes of row
    l div 4, or with ``transpose`` the elements (2t, l div 4) and (2t + 1, l div 4), t = l mod 4
    (PTX ISA, ldmatrix).
    """
    of = element(node.op.results[0].type, node.location)
    tiles = int(node.op.attributes["numTiles"])
    turned = bool(node.op.attributes["transpose"].value)
    if turned and of.bits != 16:
        raise node.refuse(f"transposes 16-bit elements only, not {of}")
    width = 16 // of.bytes
    lane, step = np.arange(_WARP)[:, None], np.arange(4 // of.bytes)[None]
    line, column = lane // 4 + 0 * step, lane % 4 * (4 // of.bytes) + step

    def run(state: WorkgroupState, view: MemrefValue, *indices: IntArray) -> tuple[Array]:
        if state.ids.wave_size != _WARP:
            raise node.refuse(f"needs warps of 32 lanes, not {state.ids.wave_size}")
        addressing = np.arange(state.threads) % _WARP < 8 * tiles
        wanted = np.repeat(addressing[:, None], width, axis=1)
        read = load(state, node, view, locate(state, node, view, indices, (width,), wanted))
        tile = read.reshape(state.waves, 4, 8, width)[:, :tiles]
        got = tile[:, :, column, line] if turned else tile[:, :, line, column]
        return (got.swapaxes(1, 2).reshape(state.threads, tiles, -1),)

    return run


TABLE: Mapping[str, Callable[[Node], Step]] = {
    "amdgpu.mfma": mfma,
    "amdgpu.transpose_load": transpose_load,
    "nvgpu.ldmatrix": ldmatrix,
    "nvgpu.mma.sync": mma_sync,
}
