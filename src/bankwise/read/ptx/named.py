"""Which shared variables of a module are a kernel's: those that it names, or a function that it may
call. Only they have a place in its blocks.

    .shared .align 4 .b8 b[2048];      of the module: in the blocks of g, which calls peek
    .func peek() { .. b .. }
    .entry f { .. }                    none
    .entry g { call peek; }            b

Source: the sizes of ``.nv.shared.<kernel>`` in what ptxas 12 and 13 make of such a module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = re.compile(r"(?<![\w$%.])[A-Za-z_$][\w$]*")
_THROUGH_REGISTER = re.compile(r"\bcall(?:\.uni)?\s+(?:\([^)]*\)\s*,\s*)?%")


def named(body: str, functions: Mapping[str, str]) -> frozenset[str]:
    """The names that stand in the text of a kernel and of all that it may call; ``functions``: the
    texts of those, by name. A call through a register may reach each of them."""
    found, waiting = set[str](), [body]
    left = dict(functions)
    while waiting:
        text = waiting.pop()
        names = _NAME.findall(text)
        found.update(names)
        reached = tuple(left) if _THROUGH_REGISTER.search(text) else names
        waiting += [left.pop(name) for name in reached if name in left]
    return frozenset(found)
