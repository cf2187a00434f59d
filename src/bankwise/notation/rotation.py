"""Rotation: row m of the tile begins ``unit * (m / per)`` elements further on, and wraps around.

A formula of hand-written kernels. The text is that of
:class:`bankwise.algebra.address.Rotated`, ``rotated<row=64, unit=8, per=1>``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bankwise.algebra.address import Rotated
from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.notation.fold import sizes, steps
from bankwise.notation.framework import Framework, Ground, Language, Member, Setting
from bankwise.notation.values import Mapped, Memory, tabulate
from bankwise.regex import regex

_NUMBER = r"\s*=\s*(\d{1,9})\s*"
_TEXT = regex(rf"\s*rotated\s*<\s*row{_NUMBER},\s*unit{_NUMBER},\s*per{_NUMBER}>\s*")


def _read(text: str, shape: Shape, setting: Setting) -> Memory:
    found = _TEXT.fullmatch(text)
    if found is None or not int(found[1]) or not int(found[3]):
        raise InputError(f"{text.strip()!r} is no rotation", hint="rotated<row=64, unit=8, per=1>")
    return Mapped(sizes(shape), Rotated(int(found[1]), int(found[2]), int(found[3])))


def _write(memory: Memory, ground: Ground) -> object:
    """The first row that moves tells ``per``, its first element ``unit``."""
    table = tabulate(memory).table
    row = table.shape[-1]
    shifts = table.reshape(-1, row)[:, 0] - np.arange(table.size // row) * row
    moved = np.flatnonzero(shifts)
    if not moved.size:
        return Refusal("the rows begin where they do in row-major")
    per = int(moved[0])
    found = Rotated(row, int(shifts[per]), per)
    if found.unit > 0 and np.array_equal(found(np.arange(table.size)), table.reshape(-1)):
        return found
    return Refusal("no rotation agrees: it moves every row by a multiple of its number")


def _members(ground: Ground) -> Iterator[Member]:
    """Units and rows together are powers of two, or divide the row and the tile."""
    shape = ground.shape
    for unit in steps(shape.row):
        for per in steps(shape.elements // shape.row):
            every = f"{per} rows" if per > 1 else "row"
            yield Member(f"rotate by {unit} every {every}", Rotated(shape.row, unit, per))


ROTATION = Framework(
    "rotation",
    Language("rotation", regex(r"\s*rotated\s*<"), _read, example="rotated<row=64, unit=4, per=1>"),
    "rows rotated",
    _members,
    _write,
    notation=False,
)
