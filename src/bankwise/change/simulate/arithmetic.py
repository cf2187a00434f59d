"""Integer instructions of PTX on 64-bit words, as its ISA manual defines them (PTX ISA 8.8, 9.7).

Each takes operands cut to the width of its type and gives a result that is cut by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bankwise.change.simulate.terms import Values, masked, signed

Operation = Callable[[Sequence[Values], int, bool], Values]
"""From operands, bits and whether they are signed."""


def _u(values: NDArray[np.int64]) -> Values:
    return np.asarray(values).astype(np.int64).view(np.uint64)


def _int(values: Values, bits: int, sign: bool) -> NDArray[np.int64]:
    """As numbers; unsigned ones of 64 bits are not needed below 2^63."""
    return signed(values, bits) if sign else masked(values, bits).astype(np.int64)


def _divided(v: Sequence[Values], bits: int, sign: bool) -> tuple[Values, Values]:
    """Quotient rounded to zero, and rest; by zero all ones, as the hardware gives."""
    a, b = (_int(one, bits, sign) for one in v[:2])
    safe = np.where(b == 0, 1, b)
    quotient = np.abs(a) // np.abs(safe) * np.sign(a) * np.sign(safe)
    rest = a - quotient * safe
    return _u(np.where(b == 0, -1, quotient)), _u(np.where(b == 0, a, rest))


def _high(v: Sequence[Values], bits: int, sign: bool) -> Values:
    if bits <= 32:
        a, b = (_int(one, bits, sign) for one in v[:2])
        return _u(a * b >> np.int64(bits))
    found = [x * y >> bits for x, y in zip(*(_python(one, sign) for one in v[:2]), strict=True)]
    return np.array([n & (1 << 64) - 1 for n in found], np.uint64)


def _python(values: Values, sign: bool) -> list[int]:
    numbers: list[int] = (values.view(np.int64) if sign else values).tolist()
    return numbers


def _shifted(v: Sequence[Values], bits: int, sign: bool, left: bool) -> Values:
    """Shifts by more than the width give what shifting by it would."""
    amount = masked(v[1], 32)
    far = amount >= np.uint64(bits)
    by = np.where(far, 0, amount).astype(np.uint64)
    if left:
        return np.where(far, 0, v[0] << by).astype(np.uint64)
    if sign:
        return _u(signed(v[0], bits) >> np.where(far, bits - 1, amount).astype(np.int64))
    return np.where(far, 0, masked(v[0], bits) >> by).astype(np.uint64)


def _extracted(v: Sequence[Values], bits: int, sign: bool) -> Values:
    """bfe: so many bits from a place; the sign is the last bit there is."""
    place, count = (masked(one, 8) for one in v[1:3])
    out = []
    for a, p, c in zip(masked(v[0], bits).tolist(), place.tolist(), count.tolist(), strict=True):
        field = a >> p & (1 << c) - 1
        top = min(p + c - 1, bits - 1)
        if sign and c and a >> top & 1:
            field |= -1 << max(0, top - p + 1)
        out.append(field & (1 << 64) - 1)
    return np.array(out, np.uint64)


def _inserted(v: Sequence[Values], bits: int, sign: bool) -> Values:
    """bfi: bits of the first into the second."""
    place, count = (masked(one, 8) for one in v[2:4])
    mask = np.where(
        count >= 64, ~np.uint64(0), (np.uint64(1) << count % np.uint64(64)) - np.uint64(1)
    )
    far = place >= np.uint64(bits)
    moved = mask << np.where(far, 0, place).astype(np.uint64)
    into = masked(v[1], bits) & ~moved | v[0] << np.where(far, 0, place).astype(np.uint64) & moved
    return np.where(far, masked(v[1], bits), into).astype(np.uint64)


def _looked_up(v: Sequence[Values], bits: int, sign: bool) -> Values:
    """lop3: any function of three bits."""
    found, table = np.zeros_like(v[0]), int(v[3].flat[0])
    for place in range(8):
        if table >> place & 1:
            a, b, c = (v[n] if place >> 2 - n & 1 else ~v[n] for n in range(3))
            found |= a & b & c
    return found


def _permuted(v: Sequence[Values], bits: int, sign: bool) -> Values:
    """prmt: any four of eight bytes, or their signs."""
    both = masked(v[0], 32) | masked(v[1], 32) << np.uint64(32)
    found = np.zeros_like(both)
    for place in range(4):
        pick = v[2] >> np.uint64(4 * place) & np.uint64(15)
        byte = both >> (pick & np.uint64(7)) * np.uint64(8) & np.uint64(255)
        replicated = np.where(byte >> np.uint64(7), np.uint64(255), np.uint64(0))
        found |= np.where(pick >> np.uint64(3), replicated, byte) << np.uint64(8 * place)
    return found.astype(np.uint64)


def _counted(v: Sequence[Values], bits: int, sign: bool) -> Values:
    return np.array([n.bit_count() for n in masked(v[0], bits).tolist()], np.uint64)


def _zeros(v: Sequence[Values], bits: int, sign: bool) -> Values:
    return np.array([bits - n.bit_length() for n in masked(v[0], bits).tolist()], np.uint64)


def _reversed(v: Sequence[Values], bits: int, sign: bool) -> Values:
    texts = (f"{n:0{bits}b}"[::-1] for n in masked(v[0], bits).tolist())
    return np.array([int(text, 2) for text in texts], np.uint64)


def _picked(v: Sequence[Values], bits: int, sign: bool, least: bool) -> Values:
    a, b = (_int(one, bits, sign) for one in v[:2])
    if not sign and bits == 64:
        return np.where((v[0] < v[1]) == least, v[0], v[1]).astype(np.uint64)
    return _u(np.minimum(a, b) if least else np.maximum(a, b))


OPERATIONS: Mapping[str, Operation] = {
    "mov": lambda v, b, s: v[0],
    "add": lambda v, b, s: v[0] + v[1],
    "sub": lambda v, b, s: v[0] - v[1],
    "mul.lo": lambda v, b, s: v[0] * v[1],
    "mul.hi": _high,
    "mul24.lo": lambda v, b, s: _u(_int(v[0], 24, s) * _int(v[1], 24, s)),
    "mad.lo": lambda v, b, s: v[0] * v[1] + v[2],
    "mad.hi": lambda v, b, s: _high(v, b, s) + v[2],
    "mul.wide": lambda v, b, s: _u(_int(v[0], b, s)) * _u(_int(v[1], b, s)),
    "mad.wide": lambda v, b, s: _u(_int(v[0], b, s)) * _u(_int(v[1], b, s)) + v[2],
    "div": lambda v, b, s: _divided(v, b, s)[0],
    "rem": lambda v, b, s: _divided(v, b, s)[1],
    "abs": lambda v, b, s: _u(np.abs(_int(v[0], b, True))),
    "neg": lambda v, b, s: _u(-_int(v[0], b, True)),
    "min": lambda v, b, s: _picked(v, b, s, True),
    "max": lambda v, b, s: _picked(v, b, s, False),
    "and": lambda v, b, s: v[0] & v[1],
    "or": lambda v, b, s: v[0] | v[1],
    "xor": lambda v, b, s: v[0] ^ v[1],
    "not": lambda v, b, s: ~v[0],
    "cnot": lambda v, b, s: (masked(v[0], b) == 0).astype(np.uint64),
    "shl": lambda v, b, s: _shifted(v, b, s, True),
    "shr": lambda v, b, s: _shifted(v, b, s, False),
    "bfe": _extracted,
    "bfi": _inserted,
    "lop3": _looked_up,
    "prmt": _permuted,
    "popc": _counted,
    "clz": _zeros,
    "brev": _reversed,
    "sad": lambda v, b, s: _u(np.abs(_int(v[0], b, s) - _int(v[1], b, s))) + v[2],
    "selp": lambda v, b, s: np.where(v[2] & np.uint64(1), v[0], v[1]).astype(np.uint64),
}
"""By name without type; .wide results are twice as wide."""

COMPARISONS: Mapping[str, Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}


def funnel(v: Sequence[Values], left: bool, wraps: bool) -> Values:
    """shf: a 32-bit window of two words, the first the lower one."""
    both = masked(v[0], 32) | masked(v[1], 32) << np.uint64(32)
    amount = masked(v[2], 32)
    amount = amount % np.uint64(32) if wraps else np.minimum(amount, np.uint64(32))
    return both << amount >> np.uint64(32) if left else both >> amount
