"""Bitwise operations that mark what they swizzle (see :mod:`bankwise.read.follow.marks`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from bankwise.read.follow.marks import marked, may_be_set, swizzle, varying, xored
from bankwise.read.follow.values import Array
from bankwise.read.integers import difference


def truth_table(a: Array, b: Array, c: Array, table: int) -> Array:
    """Bitwise: bit ``4 a + 2 b + c`` of ``table`` (PTX lop3, AMD bitop3). It is the XOR of some
    products of its sources, its algebraic normal form."""
    sources = tuple(np.asarray(x) for x in (a, b, c))
    out: Array = (sources[0] & sources[1] & sources[2]) & np.uint32(0)
    products = [_product(sources, chosen, ~out) for chosen in _normal_form(table)]
    for value in products:
        out = out ^ value
    marks = tuple(xored(x) for x in (a, b, c))
    if out.size == 1 and not any(marks):
        return out
    return marked(out, _table_marks(_normal_form(table), products, marks))


def exclusive_or(a: Array, b: Array, bits: int = 32) -> Array:
    """Bitwise exclusive or, which marks the bits that it swizzles."""
    return swizzle(a, b, difference(a, b))


def _product(sources: tuple[Array, ...], chosen: tuple[int, ...], ones: Array) -> Array:
    """The bits that are set in all sources that are ``chosen``; ``ones`` where none is."""
    for n in chosen:
        ones = ones & sources[n]
    return ones


def _table_marks(
    form: Sequence[tuple[int, ...]], products: Sequence[Array], marks: tuple[int, ...]
) -> int:
    """The marks of an XOR of ``products`` of sources that have ``marks``.

    A bit is swizzled where one product differs between threads and another may be set.
    """
    kept, new, changing, settable = 0, 0, 0, 0
    for chosen, value in zip(form, products, strict=True):
        varies, may = varying(value), may_be_set(value)
        new |= varies & settable | may & changing
        changing, settable = changing | varies, settable | may
        for n in chosen:
            kept |= marks[n] & may
    return new | kept


@cache
def _normal_form(table: int) -> tuple[tuple[int, ...], ...]:
    """The products in the algebraic normal form of a table, by the numbers of their sources."""
    wanted = (product for product in range(8) if _coefficient(table, product))
    return tuple(tuple(n for n in range(3) if product & 4 >> n) for product in wanted)


def _coefficient(table: int, product: int) -> int:
    """Whether a product of sources (as bits 4, 2, 1) occurs in the normal form of a table."""
    rows = [row for row in range(8) if row & product == row]
    return sum(table >> row & 1 for row in rows) & 1
