"""Which operations touch workgroup memory, and what one lane of each touches.

A *touch* is one operation on a memref: its direction, its index operands and, for a vector, the
steps from the indexed element to each element of the vector. What an operation does with a memref
that is not described here is never guessed: it becomes a refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from iree.compiler import ir
from msgspec.structs import replace

from bankwise.counting.access import IntArray
from bankwise.hardware.machine import AccessKind, Direction
from bankwise.identity import ByIdentity
from bankwise.read.mlir.views import bytes_of

MATRIX_ROW_BYTES = 16
"""ldmatrix: a lane supplies the address of one row of an 8x8 matrix of 16-bit elements."""

_LOOP = "cmpst_b"
"""Compare and swap: what an atomic without an instruction of its own becomes."""

_ATOMICS = (
    "add_f",
    "add_u",
    "and_b",
    "wrxchg_b",
    "max_f",
    "max_f",
    "max_i",
    "max_u",
    "min_f",
    "min_f",
    "min_i",
    "min_u",
    _LOOP,
    _LOOP,
    "or_b",
    "xor_b",
)
"""Instruction of each arith.AtomicRMWKind, in its order: addf addi andi assign maximumf maxnumf
maxs maxu minimumf minnumf mins minu mulf muli ori xori."""

_CALLS = frozenset({"func.call", "func.call_indirect", "llvm.call"})

_DMA_SLOT_BYTES = (4, 16)
"""Direct-to-LDS copies: bytes from lane to lane, up to a dword and above it (CDNA4 ISA, 9.1.9)."""


class MemrefAccess(ByIdentity, frozen=True, eq=False):
    """One operation on a memref.

    ``steps``: int64 [elements, rank], from the index operands to each element a lane touches, in
    vector order; None where they follow each other along the last dimension. ``checked``: the
    dimensions along which an element outside the memref is left out. ``lanes``: how many lanes of a
    wave supply an address (None: all). ``slot_bytes``: of a copy in lane order, bytes from lane
    to lane. ``source``: operand numbers of the other memref of a copy and of its indices.
    ``variant``: see :class:`bankwise.counting.access.Access`.
    """

    op: ir.Operation
    direction: Direction
    kind: AccessKind
    memref: int
    indices: tuple[int, ...]
    elements: int
    steps: IntArray | None = None
    checked: tuple[int, ...] = ()
    mask: int | None = None
    lanes: int | None = None
    slot_bytes: int | None = None
    source: tuple[int, tuple[int, ...]] | None = None
    variant: str = ""


def touch(op: ir.Operation, operand: int) -> MemrefAccess | str:
    """What ``op`` does to the memref that is its operand number ``operand``.

    A reason instead if that is not an access described here.
    """
    build = _BUILDERS.get(op.name)
    if build is None and op.name in _CALLS:
        return f"{op.name} hands workgroup memory to a function: inline it (iree-opt --inline)"
    if build is None:
        return f"{op.name} uses workgroup memory, and bankwise does not know how"
    found = build(op)
    if isinstance(found, str):
        return f"{op.name}: {found}"
    if found.memref != operand:
        return f"{op.name} uses workgroup memory as its operand {operand}: not analysed"
    return found


def _vector(
    op: ir.Operation, direction: Direction, memref: int, of: ir.VectorType
) -> MemrefAccess | str:
    last = len(op.operands)
    return _shaped(op, direction, memref, tuple(range(memref + 1, last)), of)


def _shaped(
    op: ir.Operation, direction: Direction, memref: int, indices: tuple[int, ...], of: ir.Type
) -> MemrefAccess | str:
    element = op.operands[memref].type.element_type
    shape = tuple(of.shape) if isinstance(of, ir.VectorType) else ()
    if isinstance(element, ir.VectorType):
        shape = shape[: len(shape) - len(element.shape)]
    if isinstance(of, ir.VectorType) and any(of.scalable_dims):
        return "scalable vectors are not analysed"
    if len(shape) > len(indices):
        return f"a vector of more dimensions than {op.operands[memref].type}"
    steps = (
        None if len(shape) <= 1 else _grid(shape, range(len(indices) - len(shape), len(indices)))
    )
    return MemrefAccess(op, direction, "plain", memref, indices, prod(shape), steps)


def _grid(shape: Sequence[int], dimensions: Sequence[int], rank: int | None = None) -> IntArray:
    """Steps of a vector whose dimension i runs along memref dimension ``dimensions[i]``."""
    places = np.indices(shape, np.int64).reshape(len(shape), prod(shape)).T
    steps = np.zeros((len(places), 1 + max(dimensions, default=0) if rank is None else rank), int)
    for axis, dimension in enumerate(dimensions):
        steps[:, dimension] += places[:, axis]
    return steps


def _vector_load(op: ir.Operation) -> MemrefAccess | str:
    return _vector(op, "read", 0, op.results[0].type)


def _vector_store(op: ir.Operation) -> MemrefAccess | str:
    return _vector(op, "write", 1, op.operands[0].type)


def _element_load(op: ir.Operation) -> MemrefAccess | str:
    return MemrefAccess(op, "read", "plain", 0, tuple(range(1, len(op.operands))), 1)


def _element_store(op: ir.Operation) -> MemrefAccess | str:
    return MemrefAccess(op, "write", "plain", 1, tuple(range(2, len(op.operands))), 1)


def _atomic(op: ir.Operation) -> MemrefAccess | str:
    kind = _ATOMICS[op.attributes["kind"].value]
    variant = _variant(op, kind, op.operands[0].type)
    return MemrefAccess(
        op, "write", "atomic", 1, tuple(range(2, len(op.operands))), 1, variant=variant
    )


def _generic_atomic(op: ir.Operation) -> MemrefAccess | str:
    variant = _variant(op, _LOOP, op.results[0].type)
    return MemrefAccess(
        op, "write", "atomic", 0, tuple(range(1, len(op.operands))), 1, variant=variant
    )


def _variant(op: ir.Operation, kind: str, of: ir.Type) -> str:
    """The operation of an atomic as AMD's assembler ends its name: add_f32, max_rtn_i32."""
    stem, letter = kind.split("_")
    returns = kind == _LOOP or any(True for _ in op.results[0].uses)
    return f"{stem}{'_rtn' if returns else ''}_{letter}{8 * (bytes_of(of) or 0)}"


def _masked_load(op: ir.Operation) -> MemrefAccess | str:
    return _masked(op, "read", op.results[0].type)


def _masked_store(op: ir.Operation) -> MemrefAccess | str:
    return _masked(op, "write", op.operands[len(op.operands) - 1].type)


def _masked(op: ir.Operation, direction: Direction, of: ir.VectorType) -> MemrefAccess | str:
    """Operands: base, indices, mask, and the value or what stands for masked elements."""
    mask = len(op.operands) - 2
    found = _shaped(op, direction, 0, tuple(range(1, mask)), of)
    return found if isinstance(found, str) else replace(found, mask=mask)


def _transfer_read(op: ir.Operation) -> MemrefAccess | str:
    """Operand segments: source, indices, padding, mask."""
    rank = op.attributes["operandSegmentSizes"][1]
    return _transfer(op, "read", 0, rank, 2 + rank, op.results[0].type)


def _transfer_write(op: ir.Operation) -> MemrefAccess | str:
    """Operand segments: value, destination, indices, mask."""
    rank = op.attributes["operandSegmentSizes"][2]
    return _transfer(op, "write", 1, rank, 2 + rank, op.operands[0].type)


def _transfer(
    op: ir.Operation, direction: Direction, memref: int, rank: int, mask: int, of: ir.VectorType
) -> MemrefAccess | str:
    if isinstance(op.operands[memref].type.element_type, ir.VectorType):
        return "a transfer of vector elements is not analysed"
    results = list(op.attributes["permutation_map"].value.results)
    is_broadcast = [isinstance(r, ir.AffineConstantExpr) for r in results]
    # A broadcast element is fetched once, from index 0 of any dimension.
    shape = [1 if b else n for b, n in zip(is_broadcast, of.shape, strict=True)]
    dimensions = [0 if b else r.position for b, r in zip(is_broadcast, results, strict=True)]
    masked = mask < len(op.operands)
    if masked and (any(is_broadcast) or dimensions != sorted(dimensions)):
        return "a mask on a permuting or broadcasting transfer is not analysed"
    bounds = [bool(b.value) for b in op.attributes["in_bounds"]]
    outside = [not (b or i) for b, i in zip(is_broadcast, bounds, strict=True)]
    checked = sorted({d for d, out in zip(dimensions, outside, strict=True) if out})
    indices = tuple(range(memref + 1, memref + 1 + rank))
    plain = dimensions == [rank - 1] and not checked
    steps = None if plain else _grid(shape, dimensions, rank)
    found = MemrefAccess(
        op, direction, "plain", memref, indices, prod(shape), steps, tuple(checked)
    )
    return replace(found, mask=mask) if masked else found


def _gather_to_lds(op: ir.Operation) -> MemrefAccess | str:
    """Operand segments: source, its indices, destination, its indices."""
    _, sources, _, targets = op.attributes["operandSegmentSizes"]
    moved = op.attributes["transferType"].value
    element = bytes_of(op.operands[1 + sources].type.element_type)
    width = bytes_of(moved)
    if not width or not element or width % element:
        return f"a transfer of {moved} is not a whole number of elements"
    return MemrefAccess(
        op,
        "write",
        "dma",
        1 + sources,
        tuple(range(2 + sources, 2 + sources + targets)),
        width // element,
        slot_bytes=_DMA_SLOT_BYTES[width > _DMA_SLOT_BYTES[0]],
        source=(0, tuple(range(1, 1 + sources))),
    )


def _transpose_load(op: ir.Operation) -> MemrefAccess | str:
    found = _vector(op, "read", 0, op.results[0].type)
    if isinstance(found, str):
        return found
    return replace(found, kind="transpose")


def _ldmatrix(op: ir.Operation) -> MemrefAccess | str:
    element = bytes_of(op.operands[0].type.element_type)
    if not element or MATRIX_ROW_BYTES % element:
        return "rows of 16 bytes do not hold a whole number of elements"
    tiles = op.attributes["numTiles"].value
    indices = tuple(range(1, len(op.operands)))
    elements = MATRIX_ROW_BYTES // element
    variant = f"x{tiles}" + (".trans" if op.attributes["transpose"].value else "")
    return MemrefAccess(
        op, "read", "matrix", 0, indices, elements, lanes=8 * tiles, variant=variant
    )


def _async_copy(op: ir.Operation) -> MemrefAccess | str:
    """Operand segments: destination, its indices, source, its indices, elements really read."""
    _, targets, _, sources, _ = op.attributes["operandSegmentSizes"]
    elements = op.attributes["dstElements"].value
    first = 2 + targets
    source = (1 + targets, tuple(range(first, first + sources)))
    indices = tuple(range(1, 1 + targets))
    past = "cg" if "bypassL1" in op.attributes else ""
    return MemrefAccess(op, "write", "async", 0, indices, elements, source=source, variant=past)


_BUILDERS: Mapping[str, Callable[[Any], MemrefAccess | str]] = {
    "vector.load": _vector_load,
    "vector.store": _vector_store,
    "vector.maskedload": _masked_load,
    "vector.maskedstore": _masked_store,
    "vector.transfer_read": _transfer_read,
    "vector.transfer_write": _transfer_write,
    "memref.load": _element_load,
    "memref.store": _element_store,
    "memref.atomic_rmw": _atomic,
    "memref.generic_atomic_rmw": _generic_atomic,
    "amdgpu.gather_to_lds": _gather_to_lds,
    "amdgpu.transpose_load": _transpose_load,
    "nvgpu.ldmatrix": _ldmatrix,
    "nvgpu.device_async_copy": _async_copy,
}
