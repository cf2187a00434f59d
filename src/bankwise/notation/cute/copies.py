"""Copy and MMA atoms of CuTe, tiled: which thread holds which element, and what it then issues.

    make_tiled_copy(atom, thr, val)   thread t at thr^-1(t), its values side by side there:
                                      element (VM i + p, VN j + q) for thread (i, j), value (p, q)
    make_tiled_copy_A(atom, mma)      as the MMA holds operand A

An atom takes so many consecutive values of a thread at once. ldmatrix moves rows of 16 bytes: what
lane 8 i + r addresses is row r of matrix i, and who receives it is in
:mod:`bankwise.notation.nvidia_mma`.

Source: NVIDIA CUTLASS, include/cute/atom/copy_atom.hpp, mma_atom.hpp and arch/copy_sm75.hpp,
copy_sm80.hpp, copy_sm90.hpp.
"""

from __future__ import annotations

import re
from math import prod
from typing import Literal

import numpy as np
from msgspec import Struct

from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import InputError
from bankwise.hardware.machine import Direction
from bankwise.identity import ByIdentity
from bankwise.notation.cute.strided import StridedLayout
from bankwise.notation.nvidia_mma import MATRIX_ROWS, ROW_BYTES, fragment

Operand = Literal["A", "B", "C"]
WARP = 32
_MATRIX = re.compile(
    r"SM(?:75|90|100)_U(?:32x(?P<n>[124])|16x(?P<t>[248]))_(?P<op>LDSM|STSM)_(?P<way>[NT])"
)
_ASYNC = re.compile(r"SM80_CP_ASYNC_CACHE(GLOBAL|ALWAYS)(?:_ZFILL)?")
_UNITS = re.compile(r"SM(?:90|100)_(?:TMA|BULK|U?TMA)\w*")
_MMA = re.compile(
    r"SM(?:75|80|89)_(?P<m>16)x(?P<n>8)x(?P<k>\d+)_\w*?(?P<type>F16|BF16|TF32|S8|U8|E4M3|E5M2)\w*_TN"
)
_FRAGMENTS = {
    ("16", 16): "m16n8k16.f16",
    ("8", 16): "m16n8k8.f16",
    ("8", 32): "m16n8k8.tf32",
    ("32", 8): "m16n8k32.s8",
}
_MOST_ELEMENTS = 1 << 20
_BITS = {"F16": 16, "BF16": 16, "TF32": 32, "S8": 8, "U8": 8, "E4M3": 8, "E5M2": 8}


class CopyAtom(Struct, frozen=True):
    """What one thread issues. ``bits``: of one instruction of one thread; 0: as the layouts allow,
    up to ``widest``. ``matrices``: of ldmatrix and stmatrix, else 0; ``element_bits``: 0 where
    nothing says them. ``only``: the direction, where the instruction has one."""

    name: str
    element_bits: int
    bits: int = 0
    widest: int = 0
    matrices: int = 0
    transposed: bool = False
    copies: bool = False
    only: Direction | None = None


def copy_atom(name: str, element_bits: int, value_bits: int) -> CopyAtom:
    """The atom of an operation ``name``, its template argument of ``value_bits`` bits (0: none).

    Raises :class:`InputError` for an operation that is not known here.
    """
    if found := _MATRIX.fullmatch(name):
        many = int(found["n"]) if found["n"] else int(found["t"]) // 2
        only: Direction = "read" if found["op"] == "LDSM" else "write"
        return CopyAtom(name, element_bits, 32 * many, 0, many, found["way"] == "T", False, only)
    if _ASYNC.fullmatch(name):
        return CopyAtom(name, element_bits, value_bits, copies=True, only="write")
    if name == "UniversalCopy":
        return CopyAtom(name, element_bits, value_bits)
    if name.startswith("AutoVectorizingCopy"):
        return CopyAtom(name, element_bits, 0, value_bits or 128)
    if name == "DefaultCopy":
        return CopyAtom(name, element_bits, element_bits)
    if _UNITS.fullmatch(name):
        raise InputError(f"{name} is a copy of the TMA unit, which no lane addresses")
    raise InputError(f"{name} is no copy operation that is known here")


class MmaAtom(Struct, frozen=True):
    """One MMA instruction: M, N, K; ``fragment``: of mma.sync, "" for one thread's FMA."""

    name: str
    shape: tuple[int, int, int]
    fragment: str
    element_bits: int = 0


def mma_atom(name: str) -> MmaAtom:
    """The MMA called ``name``. Raises :class:`InputError` for one that is not known here."""
    if name == "UniversalFMA":
        return MmaAtom(name, (1, 1, 1), "")
    found = _MMA.fullmatch(name)
    known = found and _FRAGMENTS.get((found["k"], _BITS[found["type"]]))
    if not found or not known:
        raise InputError(f"{name} is no MMA operation that is known here")
    shape = int(found["m"]), int(found["n"]), int(found["k"])
    return MmaAtom(name, shape, known, _BITS[found["type"]])


class TiledMma(Struct, frozen=True):
    """An MMA by many warps or threads: ``threads`` in M, N, K by ``order``; ``tile``: M, N, K."""

    atom: MmaAtom
    threads: StridedLayout
    tile: tuple[int, int, int]


class TiledCopy(ByIdentity, frozen=True, eq=False):
    """``held``: int64 [threads, values, 2], the element of the tile that a value is."""

    atom: CopyAtom
    tile: tuple[int, int]
    held: IntArray


def tiled_copy(atom: CopyAtom, threads: StridedLayout, values: StridedLayout) -> TiledCopy:
    """``make_tiled_copy``. Raises :class:`InputError` where threads or values are not compact."""
    (tm, tn), (vm, vn) = (_two(one) for one in (threads, values))
    thread, value = _coordinates(threads, (tm, tn)), _coordinates(values, (vm, vn))
    held = thread[:, None] * np.array([vm, vn]) + value[None]
    return TiledCopy(atom, (tm * vm, tn * vn), held)


def _two(one: StridedLayout) -> tuple[int, int]:
    sizes = [mode.size for mode in one.modes()]
    if len(sizes) > 2:
        raise InputError(f"{one} has {len(sizes)} modes: a copy of a matrix has two")
    return sizes[0], sizes[1] if len(sizes) == 2 else 1


def _coordinates(where: StridedLayout, sizes: tuple[int, int]) -> IntArray:
    """The coordinates of index 0, 1, .. of a compact layout."""
    numbers = where.at(np.arange(where.size))
    if not np.array_equal(np.sort(numbers), np.arange(where.size)):
        raise InputError(f"{where} does not number its elements 0, 1, ..")
    index = np.argsort(numbers)
    return np.stack([index % sizes[0], index // sizes[0]], axis=-1).astype(np.int64)


def operand_of(mma: TiledMma, operand: Operand) -> tuple[tuple[int, int], IntArray]:
    """The tile of an operand and who holds it, as :attr:`TiledCopy.held` has it.

    A is (M, K), B (N, K), C (M, N). A warp's first values are those of its first instruction.
    """
    axes = {"A": (0, 2), "B": (1, 2), "C": (0, 1)}[operand]
    one = _atom_held(mma.atom, operand)
    sizes = [mma.atom.shape[axis] for axis in axes]
    across = [mode.size for mode in mma.threads.modes()] + [1, 1]
    rest = [mma.tile[axis] // (mma.atom.shape[axis] * across[axis]) for axis in axes]
    if prod(mma.tile[axis] for axis in axes) > _MOST_ELEMENTS:
        raise InputError(f"a tile of {mma.tile} is larger than any shared memory")
    if any(mma.tile[axis] % (mma.atom.shape[axis] * across[axis]) for axis in axes):
        raise InputError(f"a tile of {mma.tile} is no whole number of its MMAs")
    grid = _thread_grid(mma.threads, [across[axis] for axis in range(3)])
    place = grid[:, axes]
    steps = np.stack(np.unravel_index(np.arange(prod(rest)), rest, order="F"), axis=-1)
    apart = np.array([across[axis] for axis in axes], np.int64)
    first = (place[:, None] + steps[None] * apart) * np.array(sizes, np.int64)
    held = first[:, None, :, None] + one[None, :, None]
    many = one.shape[0]
    tile = mma.tile[axes[0]], mma.tile[axes[1]]
    return tile, held.reshape(len(grid) * many, -1, 2)


def _thread_grid(threads: StridedLayout, across: list[int]) -> IntArray:
    """The place in M, N, K of warp (or thread) 0, 1, ..."""
    numbers = threads.at(np.arange(threads.size))
    if not np.array_equal(np.sort(numbers), np.arange(threads.size)):
        raise InputError(f"{threads} does not number its threads 0, 1, ..")
    places = np.unravel_index(np.argsort(numbers), across, order="F")
    return np.stack(places, axis=-1).astype(np.int64)


def _atom_held(atom: MmaAtom, operand: Operand) -> IntArray:
    if not atom.fragment:
        return np.zeros((1, 1, 2), np.int64)
    held = fragment(atom.fragment, operand).table[0]
    return np.asarray(held[..., ::-1] if operand == "B" else held, np.int64)


def mma_copy(atom: CopyAtom, mma: TiledMma, operand: Operand) -> TiledCopy:
    """``make_tiled_copy_A``, ``_B``, ``_C``."""
    tile, held = operand_of(mma, operand)
    return TiledCopy(atom, tile, held)


class IssuedCopy(ByIdentity, frozen=True, eq=False):
    """One instruction of all threads: ``elements`` [threads, elements, 2] lie side by side in
    memory, the first is what a thread addresses; threads that are not ``active`` address nothing.
    """

    name: str
    width_bytes: int
    elements: IntArray
    active: BoolArray


def matrix_rows(copy: TiledCopy) -> list[IssuedCopy]:
    """ldmatrix and stmatrix: what each lane addresses, for every group of values.

    Raises :class:`InputError` where the values are no whole number of matrices.
    """
    atom, held = copy.atom, copy.held
    bits = atom.element_bits
    each, row = 32 // bits, ROW_BYTES * 8 // bits
    if bits not in (8, 16, 32) or (atom.transposed and bits != 16):
        raise InputError(f"{atom.name} on elements of {bits} bits")
    at_once = each * atom.matrices
    if held.shape[1] % at_once or held.shape[0] % WARP:
        raise InputError(f"{atom.name} takes {at_once} values of each thread of a warp at once")
    warps = held.reshape(-1, WARP, held.shape[1], 2)
    lane = np.arange(WARP)
    matrix, r = np.minimum(lane // MATRIX_ROWS, atom.matrices - 1), lane % MATRIX_ROWS
    c = np.arange(row)
    if atom.transposed:
        holder, value = 4 * c[None] + (r // 2)[:, None], (2 * matrix + r % 2)[:, None] + 0 * c
    else:
        holder, value = (4 * r)[:, None] + c // each, (each * matrix)[:, None] + c % each
    active = np.broadcast_to(lane < MATRIX_ROWS * atom.matrices, (len(warps), WARP)).reshape(-1)
    stem = "ldmatrix" if atom.only == "read" else "stmatrix"
    name = f"{stem}.x{atom.matrices}" + (".trans" if atom.transposed else "")
    return [
        IssuedCopy(name, ROW_BYTES, warps[:, holder, first + value].reshape(-1, row, 2), active)
        for first in range(0, held.shape[1], at_once)
    ]


def plain(copy: TiledCopy, bits: int, direction: Direction) -> list[IssuedCopy]:
    """Loads, stores and cp.async of ``bits`` each. Raises :class:`InputError` where the values of
    a thread are no whole number of them."""
    many = bits // copy.atom.element_bits
    if not many or copy.held.shape[1] % many:
        raise InputError(
            f"{copy.atom.name} moves {bits} bits: no whole number of elements, or of values"
        )
    stem = {"read": "ld.shared", "write": "st.shared"}[direction]
    if copy.atom.copies:
        stem = "cp.async.cg" if "GLOBAL" in copy.atom.name else "cp.async"
    active = np.ones(len(copy.held), np.bool_)
    return [
        IssuedCopy(f"{stem}.b{bits}", bits // 8, copy.held[:, first : first + many], active)
        for first in range(0, copy.held.shape[1], many)
    ]
