"""Expressions of an assembly text: ``vgprValu+4*(MT0/16)``, over symbols that ``.set`` defines.

    ||   &&   == != <> < <= > >=   + -   | & ^   * / % << >>        the last bind tightest

A comparison that holds is -1; numbers have 64 bits. Source: LLVM, AsmParser.cpp
(getGNUBinOpPrecedence) and MCExpr.cpp (evaluateAsRelocatableImpl).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from bankwise.read.amd.literals import integer

Symbols = Mapping[str, int]

NAME = re.compile(r"[A-Za-z_.$][\w.$@]*")
_TOKEN = re.compile(
    r"\s*(0[xX][\da-fA-F]+|\d\w*|[A-Za-z_.$][\w.$@]*|<<|>>|<=|>=|==|!=|<>|&&|\|\||\S)"
)
_LONGEST = 2000
_DEEPEST = 50

_BINARY: Mapping[str, tuple[int, Callable[[int, int], int]]] = {
    "||": (1, lambda x, y: int(bool(x or y))),
    "&&": (2, lambda x, y: int(bool(x and y))),
    "==": (3, lambda x, y: -(x == y)),
    "!=": (3, lambda x, y: -(x != y)),
    "<>": (3, lambda x, y: -(x != y)),
    "<": (3, lambda x, y: -(x < y)),
    "<=": (3, lambda x, y: -(x <= y)),
    ">": (3, lambda x, y: -(x > y)),
    ">=": (3, lambda x, y: -(x >= y)),
    "+": (4, lambda x, y: x + y),
    "-": (4, lambda x, y: x - y),
    "|": (5, lambda x, y: x | y),
    "&": (5, lambda x, y: x & y),
    "^": (5, lambda x, y: x ^ y),
    "*": (6, lambda x, y: x * y),
    "/": (6, lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)),
    "%": (6, lambda x, y: x - abs(x) // abs(y) * abs(y) * (1 if x > 0 else -1)),
    "<<": (6, lambda x, y: x << _count(y)),
    ">>": (6, lambda x, y: (x & _WORD) >> _count(y)),
}
_UNARY: Mapping[str, Callable[[int], int]] = {
    "-": lambda x: -x,
    "+": lambda x: x,
    "~": lambda x: ~x,
    "!": lambda x: int(not x),
}
_WORD = (1 << 64) - 1


class _Malformed(Exception):  # noqa: N818
    """It is no expression, or one over a symbol that has no number."""


def _count(bits: int) -> int:
    """Of a shift; what others do is not defined."""
    if not 0 <= bits < 64:
        raise _Malformed
    return bits


def evaluate(text: str, symbols: Symbols) -> int | None:
    """The number that ``text`` is; None if it is none, or depends on something undefined."""
    if len(text) > _LONGEST:
        return None
    tokens = _TOKEN.findall(text)
    try:
        number, at = _binary(tokens, 0, 1, symbols, 0)
    except (_Malformed, ZeroDivisionError):
        return None
    return number if at == len(tokens) else None


def _binary(
    tokens: list[str], at: int, least: int, symbols: Symbols, depth: int
) -> tuple[int, int]:
    """An expression of operators that bind as ``least`` or tighter, and where it ends."""
    left, at = _unary(tokens, at, symbols, depth)
    while at < len(tokens) and _BINARY.get(tokens[at], (0,))[0] >= least:
        binds, function = _BINARY[tokens[at]]
        right, at = _binary(tokens, at + 1, binds + 1, symbols, depth)
        left = _fit(function(left, right))
    return left, at


def _unary(tokens: list[str], at: int, symbols: Symbols, depth: int) -> tuple[int, int]:
    if at >= len(tokens) or depth > _DEEPEST:
        raise _Malformed
    token = tokens[at]
    if token in _UNARY:
        number, at = _unary(tokens, at + 1, symbols, depth + 1)
        return _fit(_UNARY[token](number)), at
    if token == "(":
        number, at = _binary(tokens, at + 1, 1, symbols, depth + 1)
        if tokens[at : at + 1] != [")"]:
            raise _Malformed
        return number, at + 1
    found = symbols.get(token) if NAME.fullmatch(token) else integer(token)
    if found is None:
        raise _Malformed
    return _fit(found), at + 1


def _fit(number: int) -> int:
    """A number of 64 bits with its sign."""
    return (number & _WORD ^ 1 << 63) - (1 << 63)
