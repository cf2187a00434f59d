"""Operands of AMD instructions: register names, constants, and their values in a state.

A register is named by its 32-bit parts: ``s[0:1]`` is ("s0", "s1"), ``vcc`` is ("vcc_lo",
"vcc_hi"). A wide constant is sign-extended, so that ``-1`` has two parts of all ones.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from bankwise.counting.access import BoolArray
from bankwise.read.amd.literals import integer
from bankwise.read.follow.state import State, read
from bankwise.read.follow.values import Unknown, Value, constant
from bankwise.regex import regex

_RANGE = regex(r"([vsa]|ttmp|acc)\[([0-9]{1,4})(?::([0-9]{1,4}))?\]")
_SINGLE = regex(r"(?:[vsa]|ttmp)[0-9]{1,4}")
_SIGNED = regex(r"(?:-|neg\(|abs\(|sext\(|\|)+([a-z][\w:\[\]]*)[|)]*")
FLOAT = regex(r"-?\d+\.\d+(?:e[-+]?\d+)?")
"""A constant that is a number of 32 bits in an instruction of 32 bits."""
_BRACKETS = regex(r"\b(?:[vsa]|ttmp|acc)\[|^\[")
_PAIRS = ("vcc", "exec", "flat_scratch", "xnack_mask", "src_shared_base", "src_private_base")
_SPECIAL = regex(r"(?:vcc|exec|flat_scratch|xnack_mask)_(?:lo|hi)|m0|scc|src_\w+|shared_base")


class Operand(Struct, frozen=True):
    """A source or destination: register parts, or a constant, or neither (``off``, an expression
    that is not followed; ``text`` names it)."""

    text: str
    registers: tuple[str, ...] = ()
    number: int | None = None


@lru_cache(maxsize=4096)
def operand(text: str) -> Operand:
    """Read one operand as written."""
    if text in _PAIRS:
        return Operand(text, (f"{text}_lo", f"{text}_hi"))
    if _SINGLE.fullmatch(text) or _SPECIAL.fullmatch(text):
        return Operand(text, (text,))
    found = _RANGE.fullmatch(text)
    if found:
        first, last = int(found[2]), int(found[3] or found[2])
        return Operand(
            text, tuple(f"{found[1]}{n}" for n in range(first, min(last, first + 31) + 1))
        )
    number = integer(text)
    if number is not None:
        return Operand(text, number=number)
    if FLOAT.fullmatch(text):
        return Operand(text, number=struct.unpack("<I", struct.pack("<f", float(text)))[0])
    return Operand(text, number=0 if text == "null" else None)


@lru_cache(maxsize=4096)
def bare(text: str) -> str:
    """An operand without the signs of floating-point sources and of sub-dword ones: ``-|v3|``."""
    found = _SIGNED.fullmatch(text)
    return found[1] if found else text


def unclear(operands: Sequence[str]) -> str:
    """The first that names registers and does not say which: by an expression without a number, or
    one by one (``v[first+1]``, ``[s0,s1]``), or as a result with a sign. Compilers print none."""
    for n, text in enumerate(operands):
        if _is_unclear(text) or (n == 0 and bare(text) != text):
            return text
    return ""


@lru_cache(maxsize=4096)
def _is_unclear(text: str) -> bool:
    return bool(_BRACKETS.search(text)) and not operand(bare(text)).registers


def value(state: State, source: Operand, part: int = 0, lanes: BoolArray | None = None) -> Value:
    """The 32-bit ``part`` of a source, for ``lanes``."""
    if source.number is not None:
        return constant(source.number >> (32 * part))
    if part < len(source.registers):
        return read(state, source.registers[part], lanes)
    return Unknown(f"the operand {source.text}")
