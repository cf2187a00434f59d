"""What PTX integer instructions compute, by name: rows of :mod:`bankwise.read.integers`.

Source: PTX ISA, integer, logic, shift, and data movement instructions. Operands arrive as numbers
of the width of their type. By zero PTX promises nothing; here it gives 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.read import bits as b
from bankwise.read import integers as i
from bankwise.read import operations
from bankwise.read.follow.bitwise import exclusive_or, truth_table
from bankwise.read.follow.functions import LaneSum, Ordering
from bankwise.read.follow.values import Array

Function = Callable[..., Array]

_BYTE = np.uint32(255)


def narrow(value: Array, kind: str) -> Array:
    """A register's bits as a number of the type ``kind`` ("s32", "u16", "b64")."""
    return i.fit(value, int(kind[1:]))


def convert(value: Array, of: str, to: str) -> Array:
    """cvt: a number of the type ``of`` as one of the type ``to``."""
    number = narrow(value, of)
    return i.extend(number, int(of[1:]), int(to[1:])) if of[0] == "s" else narrow(number, to)


def _extract(take: Function) -> Function:
    """bfe: start and length are bytes."""
    return lambda x, start, length, bits: take(x, start & _BYTE, length & _BYTE, bits)


def _insert(x: Array, into: Array, start: Array, length: Array, bits: int) -> Array:
    return b.insert(x, into, start & _BYTE, length & _BYTE, bits)


def _table(x: Array, y: Array, z: Array, table: Array, bits: int) -> Array:
    return truth_table(x, y, z, int(table.flat[0]) & 0xFF)


def _distance(less: Function) -> Function:
    """sad: |x - y| + z."""

    def run(x: Array, y: Array, z: Array, bits: int) -> Array:
        apart = np.where(less(x, y, bits), i.subtract(y, x, bits), i.subtract(x, y, bits))
        return i.add(apart, z, bits)

    return run


def _funnel(shift: Function, wrap: bool) -> Function:
    def run(low: Array, high: Array, n: Array, bits: int) -> Array:
        count = i.modulo(n, bits) if wrap else np.minimum(n, np.uint32(bits))
        return shift(high, low, count, bits)

    return run


def _multiply_add(multiply: Function) -> Function:
    return lambda x, y, z, bits: i.add(multiply(x, y, bits), z, bits)


def _without_sign(x: Array) -> Array:
    """Bits that differ from the sign."""
    return np.where(i.negative(x), i.complement(x), x)


FUNCTIONS: Mapping[str, Function] = {
    "mov": LaneSum(lambda x, bits: x),
    "add": LaneSum(i.add),
    "sub": LaneSum(i.subtract),
    "mul.lo": LaneSum(i.multiply, (0, 1), (0, 1)),
    "mad.lo": LaneSum(_multiply_add(i.multiply), (0, 1), (0, 1)),
    "mul24.lo": i.multiply,
    "mul.hi": i.multiply_high_unsigned,
    "mad.hi": _multiply_add(i.multiply_high_unsigned),
    "min": i.minimum_unsigned,
    "max": i.maximum_unsigned,
    "and": i.conjunction,
    "or": i.disjunction,
    "xor": exclusive_or,
    "not": i.complement,
    "shl": LaneSum(i.shift_left, (0, 1), (1,)),
    "shr": i.shift_right_unsigned,
    "div": i.divide_unsigned,
    "rem": i.remainder_unsigned,
    "bfe": _extract(b.extract_unsigned),
    "bfi": _insert,
    "lop3": _table,
    "prmt": lambda x, y, selector, bits: b.permute_bytes(x, y, selector),
    "sad": _distance(i.less_unsigned),
    "popc": b.ones,
    "brev": b.reverse,
    "clz": b.leading_zeros,
    "bfind": lambda x, bits: b.highest_one(x),
    "bfind.shiftamt": lambda x, bits: b.zeros_above(x),
    "shf.l.wrap": _funnel(i.funnel_left, wrap=True),
    "shf.r.wrap": _funnel(i.funnel_right, wrap=True),
    "shf.l.clamp": _funnel(i.funnel_left, wrap=False),
    "shf.r.clamp": _funnel(i.funnel_right, wrap=False),
}
"""Name without its type -> function of the operands and the type's width."""

SIGNED: Mapping[str, Function] = {
    "neg": LaneSum(i.negate),
    "abs": i.absolute,
    "mul.hi": i.multiply_high_signed,
    "mad.hi": _multiply_add(i.multiply_high_signed),
    "min": i.minimum_signed,
    "max": i.maximum_signed,
    "shr": i.shift_right_signed,
    "div": i.divide_signed,
    "rem": i.remainder_signed,
    "bfe": _extract(b.extract_signed),
    "sad": _distance(i.less_signed),
    "bfind": lambda x, bits: b.highest_one(_without_sign(x)),
    "bfind.shiftamt": lambda x, bits: b.zeros_above(_without_sign(x)),
}
"""Where a signed type makes a difference."""

ONLY_WORDS = ("lop3", "prmt", "popc", "brev", "clz", "bfind", "shf", "mul24")
"""Followed for 32-bit types alone."""

ONLY_SIGNED = ("neg", "abs")

COMPARISONS: Mapping[str, tuple[str, str]] = {
    "eq": ("eq", "eq"),
    "ne": ("ne", "ne"),
    "lt": ("ult", "slt"),
    "le": ("ule", "sle"),
    "gt": ("ugt", "sgt"),
    "ge": ("uge", "sge"),
    "lo": ("ult", "ult"),
    "ls": ("ule", "ule"),
    "hi": ("ugt", "ugt"),
    "hs": ("uge", "uge"),
}
"""Of an unsigned and of a signed type."""


def comparison(name: str, kind: str) -> Function | None:
    """The test that ``setp.NAME.KIND`` makes of two registers; None if there is none."""
    if name not in COMPARISONS:
        return None
    test, bits = operations.COMPARISONS[COMPARISONS[name][kind[0] == "s"]], int(kind[1:])

    def narrowed(x: Array, y: Array) -> Array:
        return test(narrow(x, kind), narrow(y, kind), bits)

    signed = COMPARISONS[name][kind[0] == "s"].startswith("s")
    return Ordering(narrowed, signed, halves=name not in ("eq", "ne")) if bits == 32 else narrowed
