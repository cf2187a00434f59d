"""Sums and products: IADD3, VIADD, IMAD, LEA, with their carries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from bankwise.read.follow.functions import LaneSum, UpperWord, apply
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Array, Unknown, Value
from bankwise.read.integers import extend, fit, funnel_left, halves, modulo, shift_left
from bankwise.read.sass.forms import Form, Meaning, carries, one_word, reads
from bankwise.read.sass.integers import product
from bankwise.read.sass.operands import following, halves_of, pair, predicate, word

_U64 = np.uint64


def add(f: Form) -> Meaning | None:
    """IADD3, IADD3.X, VIADD: the sum of all sources and carries; P0, P1: what passed bit 31."""
    if f.name not in ("IADD3", "IADD3.X", "VIADD", "IADD") or not f.sources:
        return None
    if f.ins and f.name != "IADD3.X":
        return None

    def run(state: State) -> tuple[Value, ...]:
        parts = [_addend(state, text) for text in f.sources]
        parts += [apply(_WIDENED, predicate(state, text)) for text in f.ins]
        total = apply(_TOTAL, *parts)
        over = (_at_least(total, n) for n in range(1, len(f.outs) + 1))
        return (*((apply(_FIT, total),) if following(f.target, 1) else ()), *over)

    return Meaning((*following(f.target, 1), *carries(f)), reads(f), run)


def _addend(state: State, text: str) -> Value:
    """A negated register is 2**32 less it, so that a difference without borrow carries."""
    if text.startswith("-") and not text[1:2].isdigit():
        plain = word(state, text[1:])
        return apply(_SUBTRACTED, plain)
    return apply(_WIDENED, word(state, text))


_FIT = LaneSum(fit)
_TOTAL = LaneSum(lambda *terms: sum(terms[1:], terms[0]))
_WIDENED = LaneSum(lambda x: x.astype(_U64))
_SUBTRACTED = LaneSum(lambda x: _U64(1 << 32) - x.astype(_U64))


def _at_least(total: Value, n: int) -> Value:
    return apply(lambda t: (t >> _U64(32)) >= _U64(n), total)


def multiply(f: Form) -> Meaning | None:
    """IMAD: a * b + c; MOV, SHL, IADD, U32 behind its name say what it is used for."""
    words = set(f.name.split(".")[1:])
    if "WIDE" in words or "HI" in words:
        return _multiply_wide(f, words)
    if words - {"MOV", "SHL", "IADD", "U32", "X"} or f.outs or len(f.sources) != 3:
        return None
    if bool(f.ins) != ("X" in words):
        return None

    def product_sum(a: Array, b: Array, c: Array, *carry: Array) -> Array:
        found = a * b + c
        return found + carry[0].astype(np.uint32) if carry else found

    return one_word(f, LaneSum(product_sum, (0, 1), (0, 1)), 3)


def _multiply_wide(f: Form, words: set[str]) -> Meaning | None:
    if words - {"WIDE", "HI", "U32", "X"} or len(f.sources) != 3 or len(f.outs) > 1:
        return None
    a, b, c = f.sources
    is_signed, high = "U32" not in words, "HI" in words

    def run(state: State) -> tuple[Value, ...]:
        x, y = word(state, a), word(state, b)
        carry = [predicate(state, text) for text in f.ins]
        parts = apply(
            lambda x, y, z, *p: _sum64(product(x, y, is_signed), z, p),
            x, y, pair(state, c), *carry,
        )  # fmt: skip
        lower, upper = (apply(lambda t, n=n: halves(t[0])[n], parts) for n in (0, 1))
        if isinstance(parts, Unknown) and not carry:
            low, top = halves_of(state, c)
            lower = apply(_LOW_PRODUCT, x, y, low)
            upper = apply(UpperWord(is_signed), x, y, low, top)
        over = (apply(lambda t: t[1] > 0, parts),) if f.outs else ()
        return ((upper,) if high else (lower, upper)) + over

    writes = following(f.target, 1 if high else 2)
    if not writes:
        return None
    return Meaning((*writes, *carries(f)), reads(f, (c,)), run)


_LOW_PRODUCT = LaneSum(lambda x, y, z: x * y + z, (0, 1), (0, 1))


def _sum64(a: Array, b: Array, carry: tuple[Array, ...]) -> Array:
    """[the 64 bits of the sum, whether it passed bit 63]."""
    total = a + b
    over = total < a
    if carry:
        more = total + carry[0].astype(_U64)
        over, total = over | (more < total), more
    return np.stack(np.broadcast_arrays(total, over.astype(_U64)))


def scaled(f: Form) -> Meaning | None:
    """LEA: (a << n) + b; .HI: the upper word of c:a << n, plus b; .SX32: c is the sign of a. Of -a
    what passes bit 31 is that of a difference without borrow: so nvcc subtracts in 64 bits,
    ``LEA R8, P0, -R5, R2, 0x5; IADD3.X R9, R3, -0x1, RZ, P0``."""
    words = set(f.name.split(".")[1:])
    count = 3 if "HI" not in words or "SX32" in words else 4
    if words - {"HI", "X", "SX32"} or len(f.sources) != count or len(f.outs) > 1:
        return None
    first = f.sources[0]
    less = bool(f.outs) and first[0] == "-" and not first[1:2].isdigit()
    if bool(f.ins) != ("X" in words) or (f.outs and first[0] in "-~" and (words or not less)):
        return None
    first, widened = (first[1:], _SUBTRACTED) if less else (first, _WIDENED)

    shifted: Callable[..., Array] = partial(_shifted_left, words=words)
    shifted = shifted if "HI" in words else LaneSum(shifted, (0, 1), (1,))

    def run(state: State) -> tuple[Value, ...]:
        values = [word(state, text) for text in (first, *f.sources[2:])]
        moved = apply(shifted, *values)
        parts = [apply(widened, moved), _addend(state, f.sources[1])]
        parts += [apply(_WIDENED, predicate(state, text)) for text in f.ins]
        total = apply(_TOTAL, *parts)
        result = (apply(_FIT, total),) if following(f.target, 1) else ()
        return (*result, *((_at_least(total, 1),) if f.outs else ()))

    return Meaning((*following(f.target, 1), *carries(f)), reads(f), run)


def _shifted_left(a: Array, *rest: Array, words: set[str]) -> Array:
    count = modulo(rest[-1])
    if "HI" not in words:
        return shift_left(a, count)
    sign = halves(extend(a, 32, 64))[1] if "SX32" in words else rest[0]
    return funnel_left(sign, a, count)
