"""NVIDIA matrix instructions: who holds which element, and what ldmatrix and stmatrix address.

An operand is data: its layout in the notation of :mod:`bankwise.algebra.layout`, and the source.
Operand A has coordinates (m, k), B (k, n), the accumulator C (m, n); rows first, so ``(k:4 m:4)
lane = k1 k2 m0 m1 m2; reg = k0 m3 k3`` is A of m16n8k16: lane bits 0 and 1 move two columns at a
time, lane bits 2 to 4 the row, and the eight registers of a lane are two columns, then 8 rows, then
8 columns on.

ldmatrix moves matrices of 8 x 8 elements of 16 bits: lane 8 i + r gives the address of row r of
matrix i, and lane l receives of every matrix the elements (l / 4, 2 (l mod 4)) and the next one;
with ``.trans`` the transposed ones. stmatrix is the inverse.

Source: NVIDIA PTX ISA, "Warp Level Matrix Instructions" and "Asynchronous Warpgroup Level Matrix
Multiply-Accumulate", matrix fragments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from bankwise.algebra import layout
from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import InputError, Refusal
from bankwise.notation.values import DistributionTable, Memory, from_linear

Operand = Literal["A", "B", "C"]

PTX = "NVIDIA PTX ISA, Warp Level Matrix Instructions, mma.sync fragments"

_ACCUMULATOR = "(n:3 m:4) lane = n1 n2 m0 m1 m2; reg = n0 m3"
_A_16 = "(k:4 m:4) lane = k1 k2 m0 m1 m2; reg = k0 m3 k3"


class MatrixInstruction(Struct, frozen=True):
    """One mma.sync shape: the layout text of its operands. ``element_bits``: of A and B."""

    name: str
    element_bits: int
    a: str
    b: str
    c: str = _ACCUMULATOR
    source: str = PTX


MMA_SYNC: Mapping[str, MatrixInstruction] = {
    x.name: x
    for x in (
        MatrixInstruction(
            "m16n8k16.f16", 16, _A_16, "(n:3 k:4) lane = k1 k2 n0 n1 n2; reg = k0 k3"
        ),
        MatrixInstruction(
            "m16n8k8.f16",
            16,
            "(k:3 m:4) lane = k1 k2 m0 m1 m2; reg = k0 m3",
            "(n:3 k:3) lane = k1 k2 n0 n1 n2; reg = k0",
        ),
        MatrixInstruction(
            "m16n8k8.tf32",
            32,
            "(k:3 m:4) lane = k0 k1 m0 m1 m2; reg = m3 k2",
            "(n:3 k:3) lane = k0 k1 n0 n1 n2; reg = k2",
        ),
        MatrixInstruction(
            "m16n8k32.s8",
            8,
            "(k:5 m:4) lane = k2 k3 m0 m1 m2; reg = k0 k1 m3 k4",
            "(n:3 k:5) lane = k2 k3 n0 n1 n2; reg = k0 k1 k4",
        ),
    )
}
"""By name; bf16 is held as f16, u8 and the 8-bit floats as s8."""

MATRIX_ROWS = 8
ROW_BYTES = 16
_LANES = 32


def fragment(name: str, operand: Operand) -> DistributionTable:
    """Who holds which element of an operand of mma.sync, one warp; ``name`` as in `MMA_SYNC`.

    Raises :class:`InputError` for an unknown instruction.
    """
    found = MMA_SYNC.get(name)
    if found is None:
        raise InputError(f"unknown mma.sync shape {name!r}", hint="known: " + ", ".join(MMA_SYNC))
    return from_linear(layout.parse({"A": found.a, "B": found.b, "C": found.c}[operand]))


def wgmma_accumulator(columns: int) -> DistributionTable:
    """Who holds which element of the 64 x columns accumulator of wgmma: four warps.

    ``columns``: 8 to 256 in steps of 8. Source: PTX ISA, wgmma.mma_async register fragments.
    """
    if columns % 8 or not 8 <= columns <= 256:
        raise InputError(f"wgmma has no {columns} columns", hint="8 to 256 in steps of 8")
    wave, lane, register = np.ogrid[0:4, 0:_LANES, 0 : columns // 2]
    row = 16 * wave + lane // 4 + 8 * (register // 2 % 2)
    column = 8 * (register // 4) + 2 * (lane % 4) + register % 2
    held = np.stack(np.broadcast_arrays(row, column), axis=-1).astype(np.int64)
    return DistributionTable((64, columns), held)


def wgmma_operand(name: str) -> DistributionTable:
    """Operand A of wgmma from registers: every warp the 16 rows of mma.sync's A, one below another.

    ``name``: the mma.sync shape whose A it is, with K of 32 bytes: ``m16n8k16.f16``,
    ``m16n8k8.tf32``, ``m16n8k32.s8``.
    """
    one = fragment(name, "A")
    below = np.array([16, 0]) * np.arange(4)[:, None, None, None]
    return DistributionTable((64, one.shape[1]), one.table + below)


def ldmatrix_rows(origins: Sequence[tuple[int, int]]) -> tuple[IntArray, BoolArray]:
    """What the lanes address for 1, 2 or 4 matrices with these (row, column) corners.

    Coordinates [32, 2] of the first element of every lane's row, and which lanes take part.
    """
    if len(origins) not in (1, 2, 4):
        raise InputError(f"ldmatrix moves 1, 2 or 4 matrices, not {len(origins)}")
    lane = np.arange(_LANES)
    matrix = np.minimum(lane // MATRIX_ROWS, len(origins) - 1)
    corner = np.asarray(origins, np.int64)[matrix]
    rows = corner + np.stack([lane % MATRIX_ROWS, np.zeros_like(lane)], axis=-1)
    return rows, lane < MATRIX_ROWS * len(origins)


def ldmatrix_offsets(
    memory: Memory, rows: IntArray, active: BoolArray, element_bits: int = 16
) -> IntArray | Refusal:
    """Byte offsets [32] of the rows that lanes address in a memory of two dimensions.

    A row is 16 bytes along the second dimension. A :class:`Refusal` where the memory tears such a
    row apart or puts it at no multiple of 16 bytes.
    """
    width = ROW_BYTES * 8 // element_bits
    along = np.stack([np.zeros(width, np.int64), np.arange(width)], axis=-1)
    offsets = memory.offsets(rows[:, None, :] + along) * element_bits // 8
    torn = (np.diff(offsets, axis=-1) != element_bits // 8).any(axis=-1)
    wrong = np.flatnonzero(active & (torn | (offsets[:, 0] % ROW_BYTES != 0)))
    if wrong.size:
        lane = int(wrong[0])
        at = tuple(int(c) for c in rows[lane])
        return Refusal(
            f"lane {lane} needs the {ROW_BYTES} bytes from element {at} in one aligned piece; "
            f"they start at byte {int(offsets[lane, 0])}" + (" and are torn" * bool(torn[lane]))
        )
    first: IntArray = offsets[:, 0]
    return first


def ldmatrix_result(
    origins: Sequence[tuple[int, int]], shape: tuple[int, int], *, transposed: bool = False
) -> DistributionTable:
    """Who receives which element (16 bits) of a tile of this shape; stmatrix: who gives it."""
    lane, register = np.ogrid[0:_LANES, 0 : 2 * len(origins)]
    corner = np.asarray(origins, np.int64)[register // 2]
    group, pair = lane // 4 + 0 * register, 2 * (lane % 4) + register % 2
    inside = (pair, group) if transposed else (group, pair)
    return DistributionTable(shape, (corner + np.stack(inside, axis=-1))[None])
