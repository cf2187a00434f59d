"""Quotient and remainder of an affine form by a constant, towards minus infinity.

    x = d * q + r,  0 <= r < d

Terms that are multiples of d leave the remainder in any case. What is left is decided by its range
where it stays between two multiples of d in every thread, else ``floordiv`` and ``mod`` stay as
symbols, of the smallest operand that they can have.
"""

from __future__ import annotations

from math import gcd

import numpy as np

from bankwise.change.prove.forms import (
    AffineForm,
    SymbolTable,
    added,
    bounds,
    common_factor,
    constant,
    floored,
    form,
    less,
    of_symbol,
    scaled,
    span,
)
from bankwise.counting.access import IntArray


def divided(table: SymbolTable, value: AffineForm, by: int) -> tuple[AffineForm, AffineForm]:
    """Quotient and remainder by a constant above zero."""
    assert by > 0
    if by == 1:
        return value, constant(0)
    for quotient, rest in (
        (constant(0), value),
        _without_multiples(value, by),
        _reduced(value, by),
    ):
        window = _window(rest, by)
        if window is not None:
            return added(quotient, constant(window)), less(rest, constant(window * by))
    more, remainder = _of_smaller(table, rest, by)
    return added(quotient, more), remainder


def floor_divided(table: SymbolTable, value: AffineForm, by: int) -> AffineForm:
    """The quotient alone."""
    return divided(table, value, by)[0]


def modulo(table: SymbolTable, value: AffineForm, by: int) -> AffineForm:
    """The remainder alone."""
    return divided(table, value, by)[1]


def quotient(value: AffineForm, by: int) -> AffineForm:
    """A form divided by what divides all of it."""
    assert not (value.const % by).any()
    return form(value.const // by, [(s, c // by) for s, c in value.terms])


def _window(value: AffineForm, by: int) -> IntArray | None:
    """The quotient of every thread, where the range leaves but one."""
    low, high = bounds(value)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return None
    first, last = low.astype(np.int64) // by, high.astype(np.int64) // by
    return first if (first == last).all() else None


def _without_multiples(value: AffineForm, by: int) -> tuple[AffineForm, AffineForm]:
    """Split off the terms that are multiples in every thread, and whole ones of the constant."""
    whole = [(s, c // by) for s, c in value.terms if not (c % by).any()]
    rest = [(s, c) for s, c in value.terms if (c % by).any()]
    return form(value.const // by, whole), form(value.const % by, rest)


def _reduced(value: AffineForm, by: int) -> tuple[AffineForm, AffineForm]:
    """The same with every coefficient of the rest at least 0 and below ``by``."""
    whole = form(value.const // by, [(s, c // by) for s, c in value.terms])
    return whole, form(value.const % by, [(s, c % by) for s, c in value.terms])


def _of_smaller(table: SymbolTable, value: AffineForm, by: int) -> tuple[AffineForm, AffineForm]:
    """Of a form whose coefficients are reduced: without their common factor."""
    factor = gcd(common_factor(value), by)
    if factor > 1:
        low = value.const % factor
        smaller = quotient(less(value, constant(low)), factor)
        whole, rest = divided(table, smaller, by // factor)
        return whole, added(scaled(rest, factor), constant(low))
    return _of_symbol(table, value, by)


def _of_symbol(table: SymbolTable, value: AffineForm, by: int) -> tuple[AffineForm, AffineForm]:
    """Nested quotients and remainders are one; everything else stays a symbol."""
    inner = value.terms[0][0]
    alone = value.key == of_symbol(inner).key
    if alone and inner.name == "mod" and inner.constant % by == 0:
        whole, rest = divided(table, inner.operands[0], by)
        return modulo(table, whole, inner.constant // by), rest
    if alone and inner.name == "floordiv":
        return floor_divided(table, inner.operands[0], inner.constant * by), _rest(table, value, by)
    low, high = (floored(bound, by) for bound in span(value))
    return table.operation("floordiv", [value], low, high, by), _rest(table, value, by)


def _rest(table: SymbolTable, value: AffineForm, by: int) -> AffineForm:
    low, high = span(value)
    most = min(by - 1, high) if low >= 0 else by - 1
    return table.operation("mod", [value], 0, most, by)
