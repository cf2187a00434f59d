"""An expression of the tile's own axes: ``m*33 + n``, ``m*32 + (n ^ m)``, in elements.

The words of :mod:`bankwise.algebra.expression`, which accesses by ``offset`` use, too. It is read
only: what it says is written in the words of the frameworks, and as a formula.
"""

from __future__ import annotations

import re

import numpy as np

from bankwise.algebra.expression import parse
from bankwise.algebra.offset import Shape
from bankwise.errors import InputError
from bankwise.notation.fold import sizes
from bankwise.notation.framework import Language, Setting
from bankwise.notation.values import Memory, MemoryTable, limit

_SIGN = re.compile(
    r"(?!\s*[A-Za-z_]+-[A-Za-z_]+\s*$)"  # two words with a hyphen
    r"(?=.*[-+*/%^&|~<>])(?:[\w\s()+*/%^&|~-]|<<|>>|[<>!=]=|\s[<>]\s)+$",
    re.DOTALL,
)


def _read(text: str, shape: Shape, setting: Setting) -> Memory:
    tile = sizes(shape)
    limit(f"a tile of {tile}", shape.elements)
    names = [name for name, _ in reversed(shape.dims)]
    known = dict(zip(names, np.indices(tile, np.int64), strict=True))
    table = np.broadcast_to(parse(text, names)(**known), tile)
    for wrong in (int(table.min()), int(table.max())):
        if not 0 <= wrong < 1 << 24:
            at = np.unravel_index(int(np.argmax(table == wrong)), tile)
            place = ", ".join(f"{n} = {i}" for n, i in zip(names, at, strict=True))
            hint = f"elements lie at 0 to {(1 << 24) - 1}, counted in elements"
            raise InputError(f"{text.strip()!r} is {wrong} at {place}", hint=hint)
    return MemoryTable(table, int(table.max()) + 1)


EXPRESSION = Language("expression", _SIGN, _read, example="m*33 + n")
