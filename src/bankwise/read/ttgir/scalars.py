"""Whole numbers of a kernel, as far as the text and the given arguments say them.

Loop bounds and buffer numbers are all that is wanted: 32-bit integer arithmetic on single values.
What depends on anything else is None.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence

from bankwise.read.ttgir.values import Op

Scalar = int | None

_CONSTANT = re.compile(r"(-?\d+|true|false)\s*$")
_BITS = 32


def evaluate(op: Op, values: Sequence[Scalar]) -> Scalar:
    """The result of an ``arith`` operation on these operands; None if it is not known."""
    if op.name == "arith.constant":
        return _constant(op.body)
    if op.name in ("arith.extsi", "arith.extui", "arith.index_cast", "arith.trunci"):
        return values[0] if values else None
    if op.name == "arith.select":
        return _select(values)
    if op.name == "arith.cmpi":
        return _compare(op.body.split(",")[0].strip(), values)
    return _binary(op.name, values)


def _constant(body: str) -> Scalar:
    found = _CONSTANT.match(body)
    if found is None:
        return None
    return {"true": 1, "false": 0}.get(found[1]) if found[1].isalpha() else int(found[1])


def _select(values: Sequence[Scalar]) -> Scalar:
    if len(values) != 3:
        return None
    if values[0] is None:
        return values[1] if values[1] == values[2] else None
    return values[1] if values[0] else values[2]


def _compare(how: str, values: Sequence[Scalar]) -> Scalar:
    if len(values) != 2 or values[0] is None or values[1] is None:
        return None
    a, b = values[0], values[1]
    if how.startswith("u"):
        a, b, how = a % (1 << _BITS), b % (1 << _BITS), "s" + how[1:]
    test = _COMPARISONS.get(how)
    return None if test is None else int(test(a, b))


def _binary(name: str, values: Sequence[Scalar]) -> Scalar:
    how = _BINARY.get(name)
    if how is None or len(values) != 2 or values[0] is None or values[1] is None:
        return None
    return how(values[0], values[1])


def _divide(a: int, b: int) -> Scalar:
    """Towards zero, as C does."""
    if b == 0:
        return None
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> Scalar:
    whole = _divide(a, b)
    return None if whole is None else a - b * whole


_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
}
_BINARY: Mapping[str, Callable[[int, int], Scalar]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.divsi": _divide,
    "arith.divui": _divide,
    "arith.remsi": _remainder,
    "arith.remui": _remainder,
    "arith.minsi": min,
    "arith.maxsi": max,
    "arith.andi": operator.and_,
    "arith.ori": operator.or_,
    "arith.xori": operator.xor,
}
