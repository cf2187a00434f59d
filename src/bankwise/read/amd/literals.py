"""Whole numbers as LLVM's assembler writes and reads them.

    64    -3    0xBF810000    0b101    017 (octal: 15)

Everything else is no number: an expression, a symbol, a text that is broken. Source: LLVM,
``AsmLexer::LexDigit``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_RADIX = {"0x": 16, "0b": 2, "0": 8, "": 10}
_INTEGER = re.compile(
    r"(-?)(0x(?=[0-9a-f])|0b(?=[01])|0(?=[0-7])|(?!0[89]))([0-9a-f]{1,32})", re.IGNORECASE
)


def integer(text: str) -> int | None:
    """The number that ``text`` is; None if it is none, or of more digits than any field has."""
    found = _INTEGER.fullmatch(text)
    if found is None:
        return None
    try:
        return int(found[1] + found[3], _RADIX[found[2].lower()])
    except ValueError:
        return None


def modifier(modifiers: Mapping[str, str], name: str) -> int | None:
    """The number behind ``name``, as in ``offset:64``; 0 if it does not stand there, None if it
    is none."""
    return integer(modifiers.get(name, "0"))
