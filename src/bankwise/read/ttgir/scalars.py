"""Whole numbers of a kernel, as far as the text and the given arguments say them.

Loop bounds and buffer numbers are all that is wanted: integer arithmetic on single values, of the
width that the operation's type states. What depends on anything else, or is undefined, is None.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from bankwise.read.integers import (
    Array,
    Operation,
    extend,
    fit,
    signed,
)
from bankwise.read.operations import ARITH, COMPARISONS, undefined
from bankwise.read.ttgir.values import Op

Scalar = int | None

_CONSTANT = re.compile(r"(-?\d+|true|false)\s*$")
_TYPE = re.compile(r"(?<![\w!.])(?:i(\d+)|(index))\b")
_CASTS = ("arith.extsi", "arith.extui", "arith.index_cast", "arith.index_castui", "arith.trunci")
_MOST_BITS = 64


def evaluate(op: Op, values: Sequence[Scalar]) -> Scalar:
    """The result of an ``arith`` operation on these operands; None if it is not known."""
    if op.name == "arith.constant":
        return _constant(op.body)
    if op.name == "arith.select":
        return _select(values)
    widths = [int(bits or _MOST_BITS) for bits, _ in _TYPE.findall(op.types)]
    if not widths or max(widths) > _MOST_BITS or not min(widths) >= 1:
        return None
    known = [value for value in values if value is not None]
    if not values or len(known) < len(values):
        return None
    if op.name in _CASTS:
        return _cast(op.name, known[0], widths[0], widths[-1])
    if op.name == "arith.cmpi":
        return _binary(COMPARISONS, op.body.split(",")[0].strip(), known, widths[0])
    if not (op.name.startswith("arith.") and op.name.endswith("i")):
        return None
    return _binary(ARITH, op.name.removeprefix("arith.")[:-1], known, widths[0])


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


def _cast(name: str, value: int, before: int, after: int) -> int:
    """``value`` of one width as a number of another."""
    of = _number(value, before)
    zeros = name.endswith("ui")
    return _sign_extended(of if zeros else extend(of, before, max(before, after)), after)


def _binary(table: Mapping[str, Operation], name: str, values: Sequence[int], bits: int) -> Scalar:
    """A binary operation of the table on two numbers; None if it promises nothing of them."""
    if name not in table or len(values) != 2:
        return None
    x, y = (_number(value, bits) for value in values)
    if undefined(name, x, y, bits).any():
        return None
    found = table[name](x, y, bits)
    return int(found[0]) if found.dtype == np.bool_ else _sign_extended(found, bits)


def _number(value: int, bits: int) -> Array:
    return fit(np.array([value % (1 << bits)], np.uint64), bits)


def _sign_extended(found: Array, bits: int) -> int:
    number = fit(found, bits)
    return int(number[0] if bits == 1 else signed(number, bits)[0])
