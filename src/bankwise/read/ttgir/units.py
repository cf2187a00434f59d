"""What matrix and copy units touch of a tile: wgmma, tcgen05 and TMA, which go by descriptors.

No thread has an address there. A matrix instruction reads its operand in core matrices, 8 rows of
16 bytes; a copy moves all 16-byte pieces of its tile. The rows of the machine file let lanes stand
for such pieces, in the order of core matrices, and say how they are served (:mod:`.lower` has the
accesses of threads).

An operation is as many instructions as its shape holds. Every instruction reads its own part of A
and of B, so that each part of A is read once for every block of N, of B for every block of M.

Source: triton-lang/triton 3.9, MMAHelpers and DotOpToLLVM of its NVIDIA backend: 64 rows of a
warpgroup and ``instrShape`` for wgmma, 128 x 256 at most and 32 bytes of K for tcgen05.
"""

from __future__ import annotations

import re

import numpy as np
from msgspec import Struct

from bankwise.counting.access import BoolArray, IntArray, distinct
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import AccessKind, Direction
from bankwise.notation.triton import memory
from bankwise.notation.triton.encodings import NvidiaMma
from bankwise.read.ttgir.lower import Issued
from bankwise.read.ttgir.types import Types, split_arrow
from bankwise.read.ttgir.values import BufferView, SharedOperation

_ROWS: tuple[tuple[str, str, AccessKind, Direction], ...] = (
    (r"ttng\.warp_group_dot$", "wgmma", "operand", "read"),
    (r"ttng\.(tc_gen5_mma|tmem_copy)", "tcgen05", "operand", "read"),
    (r"ttng\.async_tma_(copy_global_to_local|gather|load)", "tma.load", "bulk", "write"),
    (r"ttng\.async_tma_(copy_local_to_global|scatter|reduce|store)", "tma.store", "bulk", "read"),
)
"""Operations, the row of the machine file, what kind of access it is and in which direction."""

_LANES, _PIECE_BYTES = 32, 16
_WARPGROUP, _M, _TMEM_M, _TMEM_N, _TMEM_K_BYTES = 4, 64, 128, 256, 32


class _Blocks(Struct, frozen=True):
    """The part of an operand that one instruction reads, and how often each part is read.

    ``rows``: along M or N; ``depth``: along K, elements.
    """

    rows: int
    depth: int
    times: int


def unit_issued(touch: SharedOperation, types: Types) -> Issued | Refusal:
    """What the unit of an operation touches of one operand: an instruction of a machine file."""
    assert touch.view is not None, "a unit reaches a buffer"
    name, view = touch.op.name, touch.view
    found = next((row[1:] for row in _ROWS if re.match(row[0], name)), None)
    if found is None:
        return Refusal("the pieces that its unit moves are not modelled")
    if any(n is None for step in view.steps if step.kind == "slice" for n in step.numbers):
        return Refusal("the part of the buffer that it touches starts at an unknown place")
    row, kind, direction = found
    pieces: list[IntArray] | Refusal = [_all_pieces(view)]
    if kind == "operand" and name != "ttng.tmem_copy":
        blocks = _wgmma(touch, types) if row == "wgmma" else _tcgen05(touch, types)
        pieces = blocks if isinstance(blocks, Refusal) else _operand_pieces(touch, blocks)
    if isinstance(pieces, Refusal):
        return pieces
    offsets, active = _in_lanes(pieces)
    return Issued(row, kind, direction, _PIECE_BYTES, offsets, active, units=len(pieces))


def _offsets(view: BufferView, coordinates: IntArray) -> IntArray:
    """Bytes from the start of the buffer."""
    kind = view.buffer.type
    laid = memory(kind.encoding, kind.shape)
    return laid.offsets(view.coordinates(coordinates)) * kind.bits // 8


def _all_pieces(view: BufferView) -> IntArray:
    """Every 16 bytes of a tile, ascending."""
    places = np.moveaxis(np.indices(view.shape), 0, -1)
    return distinct(_offsets(view, places) // _PIECE_BYTES * _PIECE_BYTES)


def _wgmma(touch: SharedOperation, types: Types) -> _Blocks | Refusal:
    result = types.tensor(split_arrow(touch.op.types)[1][0], touch.op.line)
    if isinstance(result, Refusal):
        return result
    mma = result.encoding
    if not isinstance(mma, NvidiaMma) or mma.version_major != 3 or len(result.shape) != 2:
        raise InputError(f"{touch.op.name} gives a tensor of wgmma, not {mma}")
    groups = max(1, mma.warps_per_cta[0] // _WARPGROUP)
    over_m = max(groups, -(-result.shape[0] // _M))
    over_n = max(mma.warps_per_cta[1], -(-result.shape[1] // mma.instr_shape[1]))
    if touch.operand == 0:
        return _Blocks(_M, mma.instr_shape[2], over_n)
    return _Blocks(mma.instr_shape[1], mma.instr_shape[2], over_m)


def _tcgen05(touch: SharedOperation, types: Types) -> _Blocks | Refusal:
    assert touch.view is not None, "it has one"
    shapes = [_shape(text) for text in split_arrow(touch.op.types)[0][:2]]
    (m, _), (_, n) = shapes
    depth = _TMEM_K_BYTES * 8 // touch.view.buffer.type.bits
    if touch.operand == 0:
        return _Blocks(min(m, _TMEM_M), depth, -(-n // _TMEM_N))
    return _Blocks(min(n, _TMEM_N), depth, -(-m // _TMEM_M))


def _shape(text: str) -> tuple[int, int]:
    found = re.search(r"<(\d+)x(\d+)x", text)
    if found is None:
        raise InputError(f"an operand of rank 2 expected, not {text[:60]!r}")
    return int(found[1]), int(found[2])


def _operand_pieces(touch: SharedOperation, blocks: _Blocks) -> list[IntArray] | Refusal:
    """The pieces of every instruction, core matrix by core matrix."""
    view, first = touch.view, touch.operand == 0
    assert view is not None, "it has one"
    if len(view.shape) != 2:
        return Refusal("an operand of another rank than 2 is not modelled")
    rows, depth = view.shape if first else view.shape[::-1]
    size = min(blocks.rows, rows), min(blocks.depth, depth)

    def places(row: IntArray, inner: IntArray) -> IntArray:
        both = np.stack(np.broadcast_arrays(row, inner), axis=-1)
        return _offsets(view, both if first else both[..., ::-1])

    near = places(np.array([0, 0, 1]), np.array([0, 1, 0]))
    each = view.buffer.type.bits // 8
    per = _PIECE_BYTES // each
    row, inner = np.arange(0, size[0]), np.arange(0, size[1])
    if near[1] - near[0] == each:
        grid = row[None, :], inner[::per, None]
    elif near[2] - near[0] == each:
        grid = row[::per, None], inner[None, :]
    else:
        return Refusal("no 16 bytes of its operand lie side by side")
    return [
        places(grid[0] + r, grid[1] + k).reshape(-1)
        for r in range(0, rows, size[0])
        for k in range(0, depth, size[1])
        for _ in range(blocks.times)
    ]


def _in_lanes(pieces: list[IntArray]) -> tuple[IntArray, BoolArray]:
    """Pieces as lanes of one wave, [1, instructions, lanes], and which lanes have one."""
    found = []
    for one in pieces:
        padded = np.full(-(-len(one) // _LANES) * _LANES, -1, np.int64)
        padded[: len(one)] = one
        found.append(padded.reshape(-1, _LANES))
    every = np.concatenate(found)[None]
    return np.maximum(every, 0), every >= 0
