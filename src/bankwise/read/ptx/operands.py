"""Operands of PTX instructions: registers, constants, symbols, addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np

from bankwise.counting.access import BoolArray
from bankwise.read.follow.decoded import Address
from bankwise.read.follow.state import State, read
from bankwise.read.follow.values import Unknown, Value, constant
from bankwise.read.ptx.parse import Variable
from bankwise.regex import regex

_NUMBER = regex(
    r"(-?)(?:0[xX]([0-9a-fA-F]{1,16})|0[bB]([01]{1,64})|0([0-7]{1,22})|(0|[1-9]\d{0,19}))U?"
)
"""Source: PTX ISA, integer constants: hexadecimal, binary, octal behind a 0, decimal."""
_FLOAT = regex(r"0[fFdD]([0-9a-fA-F]{8,16})")
_ADDRESS = regex(r"\[\s*([%\w$.]+)\s*(?:\+\s*(-?\w+))?\s*\]")

WINDOW = 1 << 24
"""Every shared variable is followed in an address window of its own: variable i begins at
(i + 1) * WINDOW. PTX does not say where ptxas puts them; inside one variable this changes nothing,
because a whole variable moves by a multiple of its alignment."""


def places(variables: Iterable[Variable]) -> list[tuple[str, int]]:
    """Where ptxas puts shared variables: in their order, aligned, the unsized last.

    Seen of ptxas 12 and 13 for sm_80, sm_90 and sm_100; whoever uses it compares with the bytes
    that the machine code touches.
    """
    at, placed = 0, []
    for one in sorted(variables, key=lambda one: one.size_bytes is None):
        at = -(-at // one.alignment_bytes) * one.alignment_bytes
        placed.append((one.name, at))
        at += one.size_bytes or 0
    return placed


def symbols(shared: tuple[Variable, ...]) -> dict[str, int]:
    """Where each shared variable begins, in windows."""
    return {variable.name: (n + 1) * WINDOW for n, variable in enumerate(shared)}


def address(text: str) -> Address | None:
    """Read an address operand; None if it has another form."""
    found = _ADDRESS.fullmatch(text.strip())
    offset = integer(found[2] or "0") if found else None
    return Address(((found[1], 1),), offset) if found and offset is not None else None


@lru_cache(1 << 12)
def integer(text: str) -> int | None:
    """The value of an integer constant; None if it is none."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    digits = zip(found.groups()[1:], (16, 2, 8, 10), strict=True)
    value_ = next(int(part, base) for part, base in digits if part is not None)
    return -value_ if found[1] else value_


@lru_cache(1 << 12)
def registers(text: str) -> tuple[str, ...]:
    """The names in an operand; inline assembly names registers without ``%``."""
    return tuple(re.findall(r"(?<![\w$%.])[%$A-Za-z_][\w$]*(?:\.[xyzw])?", text))


def value(
    state: State, text: str, known: Mapping[str, int], lanes: BoolArray | None = None
) -> Value:
    """The bits of a source operand: uint64 for constants, the register's own type else."""
    number = integer(text)
    if number is not None:
        return constant(number, np.uint64)
    bits = _FLOAT.fullmatch(text)
    if bits:
        return constant(int(bits[1], 16), np.uint64)
    if text in known:
        return constant(known[text], np.uint64)
    if re.fullmatch(r"[%\w$]+(?:\.[xyzw])?", text):
        return read(state, text, lanes)
    return Unknown(f"the operand {text}")
