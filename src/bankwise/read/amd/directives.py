"""Directives of an assembly text that put something where instructions stand.

    .long 0xBF810000                  an instruction, written as a number
    .p2alignl 6, 3212836864           padding of a given word
    .rept 4 / .macro / .if            text that only an assembler can unfold
    s_endpgm
    .long 7                           control never comes here: data

What they make of the code is not known, so control is lost where they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from bankwise.regex import regex

_NUMBERS = r"byte|[248]byte|short|hword|value|half|word|long|int|quad|octa|float|single|double"
_CODE = regex(
    rf"\.(?:{_NUMBERS}|d[cs](?:\.\w)?|ascii|asciz|string|fill|zero|space|skip|org|incbin|include"
    r"|macro|rept|irpc?|if\w*)(?=\s|$)|\.(?:p2|b)?align[wl]?\s+\w+\s*,\s*\w",
    re.IGNORECASE,
)
_ENDS = ("s_endpgm", "s_branch", "s_setpc_b64")
_FILLS = ("s_nop", "s_code_end")


class Named(Protocol):
    """An operation of the text."""

    @property
    def name(self) -> str:
        """As written, without operands."""

    @property
    def operands(self) -> Sequence[str]:
        """As written."""


def makes_code(line: str) -> bool:
    """Whether a directive fills the place of instructions."""
    return _CODE.match(line) is not None


def is_directive(name: str) -> bool:
    """Whether that is an operation which only looks like one."""
    return name.startswith(".")


def ends(operations: Sequence[Named]) -> bool:
    """Whether the last instruction of a text ends it, fillings aside; words that are not read may
    be one, and are refused."""
    last = next((op.name for op in reversed(operations) if op.name not in _FILLS), "")
    return last.startswith(_ENDS) or is_directive(last)


def data(operations: Sequence[Named], labels: Mapping[str, int]) -> Iterator[int]:
    """The directives that control never reaches, by number: behind an end, and no branch goes
    there."""
    branches = (op for op in operations if op.name.startswith(("s_branch", "s_cbranch")))
    targets = {labels[name] for op in branches for name in op.operands if name in labels}
    ended = False
    for number, op in enumerate(operations):
        if not is_directive(op.name):
            ended = op.name.startswith(_ENDS)
        elif ended and number not in targets:
            yield number
        else:
            ended = False
