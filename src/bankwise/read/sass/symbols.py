"""Shared variables of code that is not linked yet (-rdc): places that only names give.

    MOV R17, `($___ZZ5g_twoE1a__493)              the variable a of g_two
    LDS R2, [R0+`((temp + 0x400))]

Every variable is followed in an address window of its own, as in PTX: the linker moves a whole
variable by a multiple of its alignment, which changes no conflict inside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from bankwise.read.sass.instruction import SassInstruction

WINDOW = 1 << 18
"""Bytes; more than any block has."""
MOST_SYMBOLS = 60
"""They have to lie below the bits in which a block of a cluster has its rank."""

_SYMBOL = re.compile(r"(?<!c\[)`\(\(?([^\s()]+)(?: \+ (-?0x[0-9a-f]+))?\)?\)")
_JUMPS = ("BRA", "CALL", "RET", "BSSY", "JMP", "BRX", "CALL", "BMOV", "WARPSYNC")


def placed(
    instructions: Sequence[SassInstruction],
) -> tuple[tuple[SassInstruction, ...], tuple[str, ...]]:
    """The instructions with numbers for names, and the names in the order of their windows."""
    names: dict[str, int] = {}
    for one in instructions:
        for found in _SYMBOL.finditer(" ".join(one.operands)) if _may_name(one) else ():
            names.setdefault(found[1], len(names))
    if not names or len(names) > MOST_SYMBOLS:
        return tuple(instructions), ()
    return tuple(_placed(one, names) for one in instructions), tuple(map(_plain, names))


def _may_name(one: SassInstruction) -> bool:
    return one.parts[0] not in _JUMPS and any("`(" in text for text in one.operands)


def _placed(one: SassInstruction, names: dict[str, int]) -> SassInstruction:
    if not _may_name(one):
        return one

    def number(found: re.Match[str]) -> str:
        return hex((names[found[1]] + 1) * WINDOW + int(found[2] or "0", 16))

    return replace(one, operands=tuple(_SYMBOL.sub(number, text) for text in one.operands))


def _plain(name: str) -> str:
    """Without what nvcc puts around the name of a variable of a function."""
    return re.sub(r"^\$_+(.*?)__\d+$", r"_\1", name)
