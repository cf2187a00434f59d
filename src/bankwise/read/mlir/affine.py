"""Affine maps as functions on index arrays.

MLIR offers no numeric evaluation of an affine map to Python; this walks its expressions once and
builds the function. ``floordiv`` and ``mod`` round towards minus infinity and ``ceildiv`` towards
plus infinity, as the affine dialect defines them; a divisor of zero gives 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from iree.compiler import ir

from bankwise.counting.access import IntArray

MapFunction = Callable[[Sequence[IntArray]], tuple[IntArray, ...]]
_Term = Callable[[Sequence[IntArray]], IntArray]


def map_function(affine_map: ir.AffineMap) -> MapFunction:
    """The function of an affine map: from its operands (dimensions, then symbols) to its results.

    Operands are int64 arrays that broadcast against each other.
    """
    terms = tuple(_term(expression, affine_map.n_dims) for expression in affine_map.results)
    return lambda operands: tuple(term(operands) for term in terms)


def _term(expression: ir.AffineExpr, dims: int) -> _Term:
    if isinstance(expression, ir.AffineConstantExpr):
        constant = np.asarray(expression.value, np.int64)
        return lambda operands: constant
    if isinstance(expression, ir.AffineDimExpr):
        position = int(expression.position)
        return lambda operands: operands[position]
    if isinstance(expression, ir.AffineSymbolExpr):
        position = dims + int(expression.position)
        return lambda operands: operands[position]
    left, right = _term(expression.lhs, dims), _term(expression.rhs, dims)
    combine = _combination(expression)
    return lambda operands: combine(left(operands), right(operands))


def _combination(expression: ir.AffineExpr) -> Callable[[IntArray, IntArray], IntArray]:
    if isinstance(expression, ir.AffineAddExpr):
        return np.add
    if isinstance(expression, ir.AffineMulExpr):
        return np.multiply
    if isinstance(expression, ir.AffineModExpr):
        return np.mod
    if isinstance(expression, ir.AffineFloorDivExpr):
        return np.floor_divide
    assert isinstance(expression, ir.AffineCeilDivExpr), f"unknown affine expression {expression}"
    return lambda a, b: np.negative(np.floor_divide(np.negative(a), b))
