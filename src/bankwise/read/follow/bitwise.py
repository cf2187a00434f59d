"""Bitwise operations that mark what they swizzle (see :mod:`bankwise.read.follow.marks`)."""

from __future__ import annotations

import numpy as np

from bankwise.read.follow.marks import marked, may_be_set, swizzle, varying, xored
from bankwise.read.follow.values import Array
from bankwise.read.integers import difference


def truth_table(a: Array, b: Array, c: Array, table: int) -> Array:
    """Bitwise: bit ``4 a + 2 b + c`` of ``table`` (PTX lop3, AMD bitop3)."""
    sources = tuple(np.asarray(x) for x in (a, b, c))
    out = (sources[0] & sources[1] & sources[2]) & np.uint32(0)
    for row in range(8):
        if table >> row & 1:
            picked = [x if row & 4 >> n else ~x for n, x in enumerate(sources)]
            out = out | picked[0] & picked[1] & picked[2]
    return marked(out, _table_marks((a, b, c), table))


def exclusive_or(a: Array, b: Array, bits: int = 32) -> Array:
    """Bitwise exclusive or, which marks the bits that it swizzles."""
    return swizzle(a, b, difference(a, b))


def _table_marks(sources: tuple[Array, Array, Array], table: int) -> int:
    """The marks of a truth table: it is an XOR of products (its algebraic normal form).

    A bit is swizzled where one product differs between threads and another may be set.
    """
    plain = [np.asarray(x) for x in np.broadcast_arrays(*sources)]
    bits = [xored(x) for x in sources]
    kept, new, changing, settable = 0, 0, 0, 0
    for product in range(8):
        if not _coefficient(table, product):
            continue
        chosen = [n for n in range(3) if product & 4 >> n]
        ones = np.full_like(plain[0], 0xFFFFFFFF)
        value = np.bitwise_and.reduce([ones, *(plain[n] for n in chosen)], axis=0)
        new |= varying(value) & settable | may_be_set(value) & changing
        changing, settable = changing | varying(value), settable | may_be_set(value)
        kept |= int(np.bitwise_or.reduce([bits[n] for n in chosen] or [0])) & may_be_set(value)
    return new | kept


def _coefficient(table: int, product: int) -> int:
    """Whether a product of sources (as bits 4, 2, 1) occurs in the normal form of a table."""
    rows = [row for row in range(8) if row & product == row]
    return sum(table >> row & 1 for row in rows) & 1
