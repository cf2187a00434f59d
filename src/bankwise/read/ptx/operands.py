"""Operands of PTX instructions: registers, constants, symbols, addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from bankwise.counting.access import BoolArray
from bankwise.read.follow.decoded import Address
from bankwise.read.follow.state import State, read
from bankwise.read.follow.values import Unknown, Value, constant
from bankwise.read.ptx.parse import Variable

_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)U?")
_FLOAT = re.compile(r"0[fFdD]([0-9a-fA-F]{8,16})")
_ADDRESS = re.compile(r"\[\s*([%\w$.]+)\s*(?:\+\s*(-?(?:0[xX])?[0-9a-fA-F]+))?\s*\]")

WINDOW = 1 << 24
"""Every shared variable is followed in an address window of its own: variable i begins at
(i + 1) * WINDOW. PTX does not say where ptxas puts them; inside one variable this changes nothing,
because a whole variable moves by a multiple of its alignment."""


def symbols(shared: tuple[Variable, ...]) -> dict[str, int]:
    """Where each shared variable begins, in windows."""
    return {variable.name: (n + 1) * WINDOW for n, variable in enumerate(shared)}


def address(text: str) -> Address | None:
    """Read an address operand; None if it has another form."""
    found = _ADDRESS.fullmatch(text.strip())
    return Address(((found[1], 1),), int(found[2] or "0", 0)) if found else None


def registers(text: str) -> tuple[str, ...]:
    """The names in an operand; inline assembly names registers without ``%``."""
    return tuple(re.findall(r"(?<![\w$%.])[%$A-Za-z_][\w$]*(?:\.[xyzw])?", text))


def value(
    state: State, text: str, known: Mapping[str, int], lanes: BoolArray | None = None
) -> Value:
    """The bits of a source operand: uint64 for constants, the register's own type else."""
    number = _NUMBER.fullmatch(text)
    if number:
        return constant(int(text.rstrip("U"), 0), np.uint64)
    bits = _FLOAT.fullmatch(text)
    if bits:
        return constant(int(bits[1], 16), np.uint64)
    if text in known:
        return constant(known[text], np.uint64)
    if re.fullmatch(r"[%\w$]+(?:\.[xyzw])?", text):
        return read(state, text, lanes)
    return Unknown(f"the operand {text}")
