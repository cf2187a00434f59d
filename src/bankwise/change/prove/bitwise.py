"""``xor``, ``and``, ``or`` and shifts of affine forms, as numbers in two's complement.

Bits that only one operand can have are split off and added; what two unknown operands share stays
a symbol. ``x xor y`` with ``0 <= y < 2^k`` is ``x - x mod 2^k + (x mod 2^k xor y)``.
"""

from __future__ import annotations

from functools import reduce
from operator import attrgetter

import numpy as np

from bankwise.change.prove.division import divided, floor_divided, modulo, quotient
from bankwise.change.prove.forms import (
    AffineForm,
    SymbolTable,
    added,
    constant,
    less,
    power_of_two_in,
    scaled,
    span,
)


def exclusive_or(table: SymbolTable, one: AffineForm, other: AffineForm) -> AffineForm:
    """``one xor other``."""
    if one.concrete and other.concrete:
        return constant(one.const ^ other.const)
    if one.number == 0 or other.number == 0:
        return one if other.number == 0 else other
    low, high = sorted((one, other), key=power_of_two_in)
    shared, step = power_of_two_in(low), power_of_two_in(high)
    if shared > 1:
        part = exclusive_or(table, quotient(low, shared), quotient(high, shared))
        return scaled(part, shared)
    if step > 1:
        whole, rest = divided(table, low, step)
        return added(scaled(exclusive_or(table, whole, quotient(high, step)), step), rest)
    short, long = sorted((one, other), key=_size)
    size = _size(short)
    if np.isfinite(size):
        whole, rest = divided(table, long, int(size))
        if whole.number != 0:
            return added(scaled(whole, int(size)), exclusive_or(table, rest, short))
    return _symbol(table, one, other)


def _size(value: AffineForm) -> float:
    """The least power of two that it stays below, from 0 on; infinite if there is none."""
    low, high = span(value)
    return float(1 << int(high).bit_length()) if low >= 0 and np.isfinite(high) else np.inf


def _symbol(table: SymbolTable, *operands: AffineForm) -> AffineForm:
    """Several operands in one order; known ones are one, equal ones cancel."""
    parts = [part for each in operands for part in _parts(each)]
    known = reduce(np.bitwise_xor, (p.const for p in parts if p.concrete), np.zeros(1, np.int64))
    odd: dict[object, AffineForm] = {}
    for part in parts:
        if not part.concrete and odd.pop(part.key, None) is None:
            odd[part.key] = part
    rest = [constant(known)] if known.any() else []
    kept = [*sorted(odd.values(), key=attrgetter("key")), *rest]
    if len(kept) < 2:
        return kept[0] if kept else constant(0)
    size = max(_size(part) for part in kept)
    low, high = (0.0, size - 1) if np.isfinite(size) else (-np.inf, np.inf)
    return table.operation("xor", kept, low, high)


def _parts(value: AffineForm) -> tuple[AffineForm, ...]:
    """The operands of an xor that is all of the form; else the form."""
    if len(value.terms) == 1 and not value.const.any():
        symbol, factor = value.terms[0]
        if symbol.name == "xor" and len(factor) == 1 and int(factor[0]) == 1:
            return symbol.operands
    return (value,)


def conjunction(table: SymbolTable, one: AffineForm, other: AffineForm) -> AffineForm:
    """``one and other``."""
    if one.concrete and other.concrete:
        return constant(one.const & other.const)
    known, value = (one, other) if one.number is not None else (other, one)
    mask = known.number
    if mask is not None:
        low = mask & -mask
        top = mask + low
        if top & (top - 1) == 0:
            kept = modulo(table, value, top) if top > 0 else value
            return less(kept, modulo(table, value, low)) if mask else constant(0)
    highs = [span(each)[1] for each in (one, other) if span(each)[0] >= 0]
    low_bound, high_bound = (0.0, min(highs)) if highs else (-np.inf, np.inf)
    operands = sorted((one, other), key=attrgetter("key"))
    return table.operation("and", operands, low_bound, high_bound)


def disjunction(table: SymbolTable, one: AffineForm, other: AffineForm) -> AffineForm:
    """``one or other``: what both have is not counted twice."""
    if one.concrete and other.concrete:
        return constant(one.const | other.const)
    if one.number == 0 or other.number == 0 or one.key == other.key:
        return one if other.number == 0 else other
    for low, high in ((one, other), (other, one)):
        if _size(low) <= power_of_two_in(high):
            return added(low, high)
    operands = sorted((one, other), key=attrgetter("key"))
    size = max(map(_size, operands))
    least, most = (0.0, size - 1) if np.isfinite(size) else (-np.inf, np.inf)
    return table.operation("or", operands, least, most)


def shifted_left(table: SymbolTable, value: AffineForm, by: AffineForm) -> AffineForm | None:
    """``value << by``; None if the distance is not known in every thread."""
    if not by.concrete or not ((by.const >= 0) & (by.const < 51)).all():
        return None
    return scaled(value, np.left_shift(np.int64(1), by.const))


def shifted_right(table: SymbolTable, value: AffineForm, by: AffineForm) -> AffineForm | None:
    """``value >> by`` with its sign; None if the distance is not one known number."""
    distance = by.number
    if distance is None or not 0 <= distance < 51:
        return None
    return floor_divided(table, value, 1 << distance)
