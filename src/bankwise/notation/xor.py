"""Rows permuted by XOR with a mask that is linear in the row; written as any linear layout.

Listed are the single folds of row bits into column bits. The masks of all rows together are too
many to list: they are searched exactly (:mod:`bankwise.solver.fit`). Texts are those of
:mod:`bankwise.algebra.layout`, ``(n:5 m:4) offset = ..``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bankwise.algebra.layout import parse
from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.notation.fold import folded_tile, unfolded
from bankwise.notation.framework import Framework, Ground, Language, Member, Setting
from bankwise.notation.values import (
    Distribution,
    Memory,
    from_linear,
    linear_memory,
    memory_from_linear,
)


def _read(text: str, shape: Shape, setting: Setting) -> Memory | Refusal:
    stated = parse(text)
    _check_names([name for name, _ in stated.inputs], shape)
    return memory_from_linear(stated)


def _hold(text: str, shape: Shape, setting: Setting) -> Distribution:
    found = parse(text)
    _check_names([name for name, _ in found.outputs], shape)
    return from_linear(found)


def _write(memory: Memory, ground: Ground) -> object:
    return linear_memory(memory, [name for name, _ in reversed(ground.shape.dims)])


def _members(ground: Ground) -> Iterator[Member]:
    shape, row = ground.shape, ground.shape.row
    if shape.bits is None:
        return
    yield Member("row-major", unfolded(shape))
    for fold, address in folded_tile(shape):
        if fold.binary and fold.divisor >= row >= fold.unit * fold.phases:
            down, mask = (fold.divisor // fold.unit).bit_length() - 1, fold.phases - 1
            label = f"n ^ (x >> {down} & {mask * fold.unit})"
            yield Member(label, address)


def _check_names(found: Sequence[str], shape: Shape) -> None:
    """A layout names its dimensions, the fastest first: they must be those of the tile."""
    names = [name for name, _ in shape.dims]
    if list(found) != names:
        raise InputError(
            f"the layout is over {', '.join(found)}; the tile is over {', '.join(names)} "
            "(fastest first)",
            hint='name the axes of the tile, last one fastest: dims = ["m", "n"]',
        )


XOR = Framework(
    "xor",
    Language("linear", re.compile(r"\s*\(\s*[A-Za-z]+\s*:\s*\d+"), _read, _hold),
    "rows permuted by XOR with a mask, linear in the row",
    _members,
    _write,
    linear=True,
    notation=False,
)
