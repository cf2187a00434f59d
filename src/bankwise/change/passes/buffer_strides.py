"""Strides that existing raw buffers give to the cache, held against the rows of their memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from iree.compiler import ir

from bankwise.change.passes.buffer import CAST, LONGEST_STRIDE_BYTES, STRIDE_BITS
from bankwise.change.passes.hints import constant
from bankwise.change.passes.statements import users
from bankwise.errors import Location
from bankwise.read.mlir.kernels import operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.views import bytes_of

_FACTOR = re.compile(r"\* (\d+)")
_DYNAMIC = -(2**63)
_DEEPEST = 12


def stride_holes(opened: Opened) -> Iterator[tuple[Location, str]]:
    """The raw buffers whose stride is 0, or that of a row in elements instead of bytes."""
    for op in operations(opened.module.operation):
        stride = _stride(op) if op.name == CAST else None
        if stride is None:
            continue
        where = opened.location_of(op)
        if stride == 0:
            yield where, "a stride of 0 bytes with the swizzle enabled (16384 becomes 0)"
            continue
        element = bytes_of(ir.MemRefType(op.results[0].type).element_type)
        rows = _row_strides(op)
        if element and element > 1 and stride in rows and stride * element not in rows:
            right = stride * element
            fits = "" if right <= LONGEST_STRIDE_BYTES else f", more than {LONGEST_STRIDE_BYTES}"
            yield (
                where,
                (
                    f"cacheSwizzleStride is {stride}, the elements of a row; it counts bytes: "
                    f"{right}{fits}"
                ),
            )


def _stride(cast: ir.Operation) -> int | None:
    """The stride in bytes as the hardware sees it; None if there is none, or it is not constant."""
    segments = [int(n) for n in cast.attributes["operandSegmentSizes"]]
    if not segments[2]:
        return None
    value = constant(cast.operands[segments[0] + segments[1]])
    return None if value is None else value & (1 << STRIDE_BITS) - 1


def _row_strides(cast: ir.Operation) -> set[int]:
    """Elements from row to row: the memref's own, and the factors in the indices of its users."""
    source = ir.MemRefType(cast.operands[0].type)
    found: set[int] = set()
    if source.rank > 1:
        found.update(s for s in source.get_strides_and_offset()[0][:-1] if s != _DYNAMIC)
        return found
    for user in users(cast.results[0]):
        for operand in user.operands:
            if isinstance(operand.type, ir.IndexType):
                _factors(operand, found, 0)
    return found


def _factors(value: ir.Value, found: set[int], depth: int) -> None:
    """Constant factors in the arithmetic behind an index."""
    if isinstance(value.owner, ir.Block) or depth > _DEEPEST:
        return
    op = value.owner.operation
    if op.name == "affine.apply":
        found.update(map(int, _FACTOR.findall(str(op.attributes["map"]))))
    elif op.name == "arith.muli":
        found.update(n for n in map(constant, op.operands) if n is not None)
    for operand in op.operands:
        _factors(operand, found, depth + 1)
