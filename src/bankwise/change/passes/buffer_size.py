"""How many bytes a binding has at most: from its type, and from what the text promises of sizes.

    %m = util.assume.int %n<umin = 128, umax = 16384> : index
    %d = affine.apply affine_map<()[s0] -> (s0 ceildiv 128)>()[%m]
    %b = hal.interface.binding.subspan .. : memref<?x256xf32>{%d}        at most 128 x 256 x 4 bytes

``util.assume.int`` is a promise: IREE's own decision about raw buffers rests on it, too.
"""

from __future__ import annotations

import re
from math import prod

from iree.compiler import ir

from bankwise.change.passes.hints import constant

_DYNAMIC = -(2**63)
_UMAX = re.compile(r"\bumax = (\d+)")
_GROWING = (ir.AffineAddExpr, ir.AffineMulExpr, ir.AffineFloorDivExpr, ir.AffineCeilDivExpr)


def bits_of(of: ir.Type) -> int | None:
    """Bits of an element; None for a type without a width."""
    if isinstance(of, ir.IndexType):
        return 64
    return int(of.width) if isinstance(of, ir.IntegerType | ir.FloatType) else None


def most_bytes(op: ir.Operation, of: ir.MemRefType, bits: int) -> int | None:
    """Bytes that a raw buffer of the binding ``op`` covers at most; None if nobody says."""
    strides = of.get_strides_and_offset()[0] if of.has_static_shape else []
    if of.has_static_shape:
        if _DYNAMIC in strides:
            return None
        spans = (size * stride for size, stride in zip(of.shape, strides, strict=True))
        return -(-int(max(spans, default=1)) * bits // 8)
    if isinstance(of.layout, ir.StridedLayoutAttr):
        return None
    sizes = _sizes(op, of)
    return None if sizes is None else -(-prod(sizes) * bits // 8)


def _sizes(op: ir.Operation, of: ir.MemRefType) -> list[int] | None:
    """The most that every size may be."""
    if op.name == "memref.assume_alignment" and not isinstance(op.operands[0].owner, ir.Block):
        op = op.operands[0].owner.operation
    dynamic = sum(size == _DYNAMIC for size in of.shape)
    given = [most(value) for value in list(op.operands)[len(op.operands) - dynamic :]]
    bounds = [bound for bound in given if bound is not None]
    if len(bounds) < dynamic:
        return None
    left = iter(bounds)
    return [next(left) if size == _DYNAMIC else size for size in of.shape]


def most(value: ir.Value) -> int | None:
    """The largest number that an index may be, None if nothing says."""
    known = constant(value)
    if known is not None or isinstance(value.owner, ir.Block):
        return known
    op = value.owner.operation
    if op.name == "util.assume.int":
        place = ir.OpResult(value).result_number
        found = [int(n) for n in _UMAX.findall(str(op.attributes["assumptions"][place]))]
        every = str(op.attributes["assumptions"][place]).count("assumption<")
        return max(found) if found and len(found) == every else None
    if op.name != "affine.apply":
        return None
    operands = [most(operand) for operand in op.operands]
    bounds = [bound for bound in operands if bound is not None and bound >= 0]
    of: ir.AffineMap = op.attributes["map"].value
    return _most(of.results[0], bounds, of.n_dims) if len(bounds) == len(operands) else None


def _most(expression: ir.AffineExpr, bounds: list[int], dims: int) -> int | None:
    """The value at the upper bounds, of an expression that grows with each operand."""
    if isinstance(expression, ir.AffineConstantExpr):
        value = int(expression.value)
        return value if value >= 0 else None
    if isinstance(expression, ir.AffineDimExpr):
        return bounds[int(expression.position)]
    if isinstance(expression, ir.AffineSymbolExpr):
        return bounds[dims + int(expression.position)]
    if not isinstance(expression, _GROWING):
        return None
    left = _most(expression.lhs, bounds, dims)
    right = _most(expression.rhs, bounds, dims)
    if left is None or right is None:
        return None
    if isinstance(expression, ir.AffineAddExpr | ir.AffineMulExpr):
        return left + right if isinstance(expression, ir.AffineAddExpr) else left * right
    if not isinstance(expression.rhs, ir.AffineConstantExpr) or right < 1:
        return None
    up = isinstance(expression, ir.AffineCeilDivExpr)
    return -(-left // right) if up else left // right
