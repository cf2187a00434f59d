"""Vector masks that do not depend on data: which elements of a vector take part.

A mask is a boolean array [elements, threads], elements in row-major order, or [elements, 1] where
all threads agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from iree.compiler import ir

from bankwise.counting.access import BoolArray, IntArray

MaskFunction = Callable[[Sequence[IntArray]], BoolArray]


def mask_function(op: ir.Operation) -> MaskFunction | None:
    """How an operation makes a mask of its integer operands; None if it makes none we know."""
    build = _BUILDERS.get(op.name)
    return build(op) if build else None


def _create(op: ir.Operation) -> MaskFunction:
    shape = tuple(op.results[0].type.shape)
    return lambda operands: _below(shape, operands)


def _constant(op: ir.Operation) -> MaskFunction:
    shape = tuple(op.results[0].type.shape)
    limits = [np.asarray(limit, np.int64) for limit in op.attributes["mask_dim_sizes"]]
    return lambda operands: _below(shape, limits)


def _dense(op: ir.Operation) -> MaskFunction | None:
    value, of = op.attributes["value"], op.results[0].type
    if not isinstance(of, ir.VectorType) or str(of.element_type) != "i1":
        return None
    if not isinstance(value, ir.DenseElementsAttr):
        return None
    flags = np.array([bool(flag) for flag in value], np.bool_)
    every = np.broadcast_to(flags, prod(of.shape)).reshape(-1, 1)
    return lambda operands: every


def _below(shape: Sequence[int], limits: Sequence[IntArray]) -> BoolArray:
    """The elements whose every coordinate is below the limit of its dimension."""
    places = np.indices(shape, np.int64).reshape(len(shape), -1)
    inside = np.ones((places.shape[1], 1), np.bool_)
    for coordinate, limit in zip(places, limits, strict=True):
        inside = inside & (coordinate[:, None] < np.atleast_1d(limit)[None, :])
    return inside


_BUILDERS: Mapping[str, Callable[[Any], MaskFunction | None]] = {
    "vector.create_mask": _create,
    "vector.constant_mask": _constant,
    "arith.constant": _dense,
}
