"""A distribution by formula: one whole-number expression for every tile coordinate.

The variables are ``w`` (wave), ``l`` (lane) and ``r`` (register); the language is that of
:mod:`bankwise.algebra.expression`. Rows of an MFMA operand: ``("l % 16", "4 * (l // 16) + r")``.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from bankwise.algebra.expression import parse
from bankwise.counting.access import IntArray
from bankwise.errors import InputError

VARIABLES = ("w", "l", "r")


class Formula(Struct, frozen=True):
    """``axes[i]``: the expression of tile coordinate i.

    Raises :class:`InputError` for an expression that cannot be read, or that leaves the tile.
    """

    shape: tuple[int, ...]
    axes: tuple[str, ...]
    registers: int
    lanes: int = 64
    waves: int = 1

    def __post_init__(self) -> None:
        assert len(self.axes) == len(self.shape), "one expression for every axis"
        for text in self.axes:
            parse(text, VARIABLES)

    def coordinates(self) -> IntArray:
        """Element coordinates, int64 [waves, lanes, registers, rank]."""
        w, l, r = np.indices((self.waves, self.lanes, self.registers), dtype=np.int64)  # noqa: E741
        axes = []
        for text, length in zip(self.axes, self.shape, strict=True):
            found = parse(text, VARIABLES)(w=w, l=l, r=r)
            if found.size and not 0 <= int(found.min()) <= int(found.max()) < length:
                raise InputError(
                    f"{text!r} takes values {int(found.min())} to {int(found.max())}: "
                    f"that axis of the tile has {length} elements"
                )
            axes.append(found)
        return np.stack(axes, axis=-1)
