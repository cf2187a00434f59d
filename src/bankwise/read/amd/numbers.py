"""How AMD instructions take their operands, over the one table of integer arithmetic.

Shift counts, starts and widths of fields are taken modulo 32 (64 for the 64-bit forms); some
instructions look at the low 24 or 16 bits of their sources. Source: AMD CDNA3 ISA.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bankwise.read import bits as b
from bankwise.read import integers as i
from bankwise.read.follow.functions import apply
from bankwise.read.follow.values import Array, Unknown, Value, mixed

Function = Callable[..., Array]

_LOW24, _LOW16 = np.uint32(0xFFFFFF), np.uint32(0xFFFF)


def by_modulo(shift: Function) -> Function:
    """A shift whose count is taken modulo the width."""
    return lambda x, n, bits=32: shift(x, i.modulo(n, bits), bits)


shift_left = by_modulo(i.shift_left)
shift_right = by_modulo(i.shift_right_unsigned)
shift_right_signed = by_modulo(i.shift_right_signed)


def shift_halves(shift: Function, count: Value, low: Value, high: Value) -> tuple[Value, Value]:
    """A shift of 64 bits in two halves: each is known if those bits are known that it comes from.

    A count of 32 and more moves one half into the other, and compilers leave junk in the rest.
    """
    whole = apply(lambda n, x, y: shift(i.join(x, y), n, 64), count, low, high)
    if not isinstance(whole, Unknown) or isinstance(count, Unknown):
        return apply(lambda v: i.halves(v)[0], whole), apply(lambda v: i.halves(v)[1], whole)
    given = i.modulo(count, 64)
    zero = np.zeros_like(given)
    x, y = (zero if isinstance(part, Unknown) else part for part in (low, high))
    parts = i.halves(shift(i.join(x, y), given, 64))
    none, far = not given.any(), bool((given >= 32).all())
    left = shift is shift_left
    own, other = (high, low) if left else (low, high)
    moved = (other,) if far else (own,) if none else (low, high)
    first, second = ((low,), moved) if left else (moved, (high,))
    return _made_of(parts[0], *first), _made_of(parts[1], *second)


def _made_of(part: Array, *sources: Value) -> Value:
    """``part`` if all that it is made of is known."""
    return mixed(sources) if any(isinstance(v, Unknown) for v in sources) else part


def extract(x: Array, start: Array, width: Array) -> Array:
    """v_bfe_u32."""
    return b.extract_unsigned(x, i.modulo(start), i.modulo(width))


def extract_signed(x: Array, start: Array, width: Array) -> Array:
    """v_bfe_i32."""
    return b.extract_signed(x, i.modulo(start), i.modulo(width))


def packed_field(take: Function) -> Function:
    """s_bfe_*: start and width of the field stand in one word."""

    def run(x: Array, y: Array) -> Array:
        return take(x, i.modulo(y), (y >> np.uint32(16)) & np.uint32(0x7F))

    return run


def ones_from(width: Array, start: Array) -> Array:
    """bfm: ``width`` ones from bit ``start`` on."""
    return i.shift_left(b.low_ones(i.modulo(width)), i.modulo(start))


def low24(x: Array) -> Array:
    """The lower 24 bits."""
    return x & _LOW24


def low24_signed(x: Array) -> Array:
    """The lower 24 bits with their sign."""
    return b.sign_extend(x, 24)


def half(function: Function) -> Function:
    """An operation on the lower 16 bits of its sources."""
    return lambda x, y: function(x & _LOW16, y & _LOW16, 16)


def packed(
    function: Function, sources: Sequence[Array], low: Sequence[int], high: Sequence[int]
) -> Array:
    """Both halves of a result; ``low``, ``high``: which half of each source each is made of."""
    shifts = [[np.uint32(16 * pick) for pick in picks] for picks in (low, high)]
    first, second = (
        function(*(x >> by & _LOW16 for x, by in zip(sources, one, strict=True))) for one in shifts
    )
    return (first & _LOW16) | ((second & _LOW16) << np.uint32(16))


def sign_word(x: Array) -> Array:
    """All ones where the sign is set, else 0."""
    return i.shift_right_signed(x, np.full_like(x, 31))


def reversed_operands(function: Function) -> Function:
    """The "rev" forms: the operands change places."""
    return lambda x, y: function(y, x)


def exact_sum(x: Array, y: Array, carry: Array) -> Array:
    """The 33 bits of a sum with a carry, uint64."""
    return np.asarray(i.fit(x, 64) + i.fit(y, 64) + carry.astype(np.uint64))


def exact_difference(x: Array, y: Array, borrow: Array) -> Array:
    """A difference with a borrow as uint64, whose upper half is 0 if nothing was borrowed."""
    return np.asarray(i.fit(x, 64) - (i.fit(y, 64) + borrow.astype(np.uint64)))
