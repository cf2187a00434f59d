"""Comparisons, selections, minima and maxima of affine forms."""

from __future__ import annotations

from operator import attrgetter

import numpy as np

from bankwise.change.prove.forms import (
    AffineForm,
    SymbolTable,
    added,
    bounds,
    constant,
    less,
    scaled,
    span,
)
from bankwise.counting.access import BoolArray, IntArray


def below(table: SymbolTable, one: AffineForm, other: AffineForm) -> AffineForm:
    """1 where ``one < other``, 0 where not."""
    gap = less(one, other)
    low, high = bounds(gap)
    if ((high < 0) | (low >= 0)).all():
        return constant((high < 0).astype(np.int64))
    return table.operation("below zero", [gap], 0, 1)


def equal(table: SymbolTable, one: AffineForm, other: AffineForm) -> AffineForm:
    """1 where both are the same number, 0 where not."""
    gap = less(one, other)
    low, high = bounds(gap)
    same, apart = (low == 0) & (high == 0), (low > 0) | (high < 0)
    if (same | apart).all():
        return constant(same.astype(np.int64))
    return table.operation("zero", [min(gap, scaled(gap, -1), key=attrgetter("key"))], 0, 1)


def negated(condition: AffineForm) -> AffineForm:
    """1 for 0 and 0 for 1."""
    return less(constant(1), condition)


def selected(
    table: SymbolTable, condition: AffineForm, then: AffineForm, otherwise: AffineForm
) -> AffineForm:
    """``then`` where the condition is not 0, ``otherwise`` where it is."""
    if then.key == otherwise.key:
        return then
    if condition.concrete:
        return _where(condition.const != 0, then, otherwise)
    ends = (*span(then), *span(otherwise))
    return table.operation("select", [condition, then, otherwise], min(ends), max(ends))


def _where(chosen: BoolArray, then: AffineForm, otherwise: AffineForm) -> AffineForm:
    """Each thread's own one of two forms."""
    yes: IntArray = chosen.astype(np.int64)
    return added(scaled(then, yes), scaled(otherwise, 1 - yes))


def minimum(table: SymbolTable, one: AffineForm, other: AffineForm) -> AffineForm:
    """The smaller of two."""
    low, high = bounds(less(one, other))
    first, second = high <= 0, low >= 0
    if (first | second).all():
        return _where(first, one, other)
    ends = tuple(zip(span(one), span(other), strict=True))
    operands = sorted((one, other), key=attrgetter("key"))
    return table.operation("min", operands, min(ends[0]), min(ends[1]))


def maximum(table: SymbolTable, one: AffineForm, other: AffineForm) -> AffineForm:
    """The larger of two."""
    return scaled(minimum(table, scaled(one, -1), scaled(other, -1)), -1)


def known_where(condition: AffineForm) -> BoolArray | None:
    """In which threads a condition holds, [threads] or [1]; None if that is not known."""
    return condition.const != 0 if condition.concrete else None
