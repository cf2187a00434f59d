"""What PTX integer instructions compute. Source: PTX ISA, integer, logic, shift, and data movement
instructions.

Operands arrive as int64 (signed types) or uint64 (unsigned and untyped), already extended from
their type; a result is cut to the width of its type by :func:`narrow`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.read.follow import arithmetic
from bankwise.read.follow.values import Array, choose

Function = Callable[..., Array]
_U64 = np.uint64


def widen(value: Array, kind: str) -> Array:
    """A register's bits as a number of the type ``kind`` ("s32", "u16", "b64")."""
    bits = int(kind[1:])
    raw = value.astype(_U64)
    if bits < 64:
        raw = raw & _U64((1 << bits) - 1)
    if kind[0] != "s":
        return raw
    if bits == 64:
        return raw.view(np.int64)
    top = _U64(1 << (bits - 1))
    return ((raw ^ top) - top).view(np.int64)


def narrow(value: Array, bits: int) -> Array:
    """The low ``bits`` bits: uint64 for 64, else uint32."""
    raw = value.astype(_U64) if value.dtype != np.int64 else value.view(_U64)
    if bits >= 64:
        return raw
    return (raw & _U64((1 << bits) - 1)).astype(np.uint32)


def _shift_left(x: Array, n: Array, bits: int) -> Array:
    """Counts above the width give 0."""
    count = np.minimum(n.astype(_U64), _U64(63))
    return np.where(n.astype(_U64) >= bits, _U64(0), x.astype(_U64) << count)


def _shift_right(x: Array, n: Array, bits: int) -> Array:
    """Counts above the width give 0, or the sign."""
    count = np.minimum(n.astype(_U64), _U64(bits - 1))
    if x.dtype == np.int64:
        return x >> count.astype(np.int64)
    return np.where(n.astype(_U64) >= bits, _U64(0), x >> count)


def _divide(x: Array, y: Array, bits: int) -> Array:
    """Rounded to zero. By zero PTX promises nothing; here it is as by one."""
    safe = choose(y == 0, np.ones_like(y), y)
    if x.dtype == np.int64:
        quotient = np.abs(x) // np.abs(safe)
        return choose((x < 0) != (safe < 0), -quotient, quotient)
    return np.asarray(x // safe)


def _remainder(x: Array, y: Array, bits: int) -> Array:
    return np.asarray(x - _divide(x, y, bits) * choose(y == 0, np.ones_like(y), y))


def _extract(x: Array, start: Array, length: Array, bits: int) -> Array:
    """bfe: bits beyond the width are 0, or the sign bit of the field's last existing bit."""
    first = np.minimum(start.astype(_U64) & _U64(255), _U64(63))
    size = length.astype(_U64) & _U64(255)
    raw = widen(x.view(_U64) if x.dtype == np.int64 else x, f"b{bits}")
    ones = _ones(size)
    field = np.where(first >= _U64(bits), _U64(0), raw >> first) & ones
    if x.dtype != np.int64:
        return field
    last = np.minimum(first + size - _U64(1), _U64(bits - 1))
    sign = (raw >> last) & _U64(1)
    have = np.minimum(size, np.maximum(_U64(bits), first) - first)
    filled = np.where(sign > 0, field | ~_ones(have), field)
    return np.where(size == 0, _U64(0), filled)


def _ones(count: Array) -> Array:
    """``2 ** count - 1`` for counts up to 64 and above."""
    return np.where(
        count >= 64, _U64(0xFFFFFFFFFFFFFFFF), (_U64(1) << np.minimum(count, _U64(63))) - _U64(1)
    )


def _insert(x: Array, into: Array, start: Array, length: Array, bits: int) -> Array:
    first = np.minimum(start.astype(_U64) & _U64(255), _U64(63))
    mask = np.where(start >= bits, _U64(0), _ones(length.astype(_U64) & _U64(255)) << first)
    return np.asarray((into & ~mask) | ((x << first) & mask))


def _permute(x: Array, y: Array, selector: Array, bits: int) -> Array:
    """prmt: each nibble of the selector picks a byte; its top bit repeats that byte's sign."""
    low, high, sel = (v.astype(np.uint32) for v in (x, y, selector))
    spread = arithmetic.from_bytes([(sel >> np.uint32(4 * n)) & np.uint32(15) for n in range(4)])
    parts = []
    for at, byte in enumerate(arithmetic.permute_bytes(low, high, spread)):
        signed = (sel >> np.uint32(4 * at)) & np.uint32(8)
        parts.append(np.where(signed > 0, (byte >> np.uint32(7)) * np.uint32(0xFF), byte))
    return arithmetic.from_bytes(parts).astype(_U64)


def _table(x: Array, y: Array, z: Array, table: Array, bits: int) -> Array:
    x, y, z = (v.astype(np.uint32) for v in (x, y, z))
    return arithmetic.truth_table(x, y, z, int(table.flat[0]) & 0xFF).astype(_U64)


def _on_words(function: Function) -> Function:
    return lambda x, bits: function(x.astype(np.uint32)).astype(_U64)


def _funnel(left: bool, wrap: bool) -> Function:
    def shift(low: Array, high: Array, n: Array, bits: int) -> Array:
        count = n & _U64(31) if wrap else np.minimum(n, _U64(32))
        both = low | (high << _U64(32))
        return np.asarray((both << count) >> _U64(32) if left else both >> count)

    return shift


FUNCTIONS: Mapping[str, Function] = {
    "mov": lambda x, bits: x,
    "add": lambda x, y, bits: x + y,
    "sub": lambda x, y, bits: x - y,
    "mul.lo": lambda x, y, bits: x * y,
    "mad.lo": lambda x, y, z, bits: x * y + z,
    "mul24.lo": lambda x, y, bits: x * y,
    "min": lambda x, y, bits: np.minimum(x, y),
    "max": lambda x, y, bits: np.maximum(x, y),
    "and": lambda x, y, bits: x & y,
    "or": lambda x, y, bits: x | y,
    "xor": lambda x, y, bits: arithmetic.exclusive_or(x, y),
    "not": lambda x, bits: ~x,
    "neg": lambda x, bits: -x,
    "abs": lambda x, bits: np.abs(x),
    "shl": _shift_left,
    "shr": _shift_right,
    "div": _divide,
    "rem": _remainder,
    "bfe": _extract,
    "bfi": _insert,
    "lop3": _table,
    "prmt": _permute,
    "sad": lambda x, y, z, bits: np.where(x > y, x - y, y - x) + z,
    "popc": _on_words(arithmetic.ones),
    "brev": _on_words(arithmetic.reverse),
    "clz": _on_words(lambda x: np.where(x == 0, np.uint32(32), arithmetic.leading_zeros(x))),
    "shf.l.wrap": _funnel(left=True, wrap=True),
    "shf.r.wrap": _funnel(left=False, wrap=True),
    "shf.l.clamp": _funnel(left=True, wrap=False),
    "shf.r.clamp": _funnel(left=False, wrap=False),
}
"""Name without its type -> function of the operands and the type's width."""

ONLY_WORDS = ("lop3", "prmt", "popc", "brev", "clz", "shf", "mul24")
"""Followed for 32-bit types alone."""

COMPARISONS: Mapping[str, Function] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "lo": lambda x, y: x < y,
    "ls": lambda x, y: x <= y,
    "hi": lambda x, y: x > y,
    "hs": lambda x, y: x >= y,
}
