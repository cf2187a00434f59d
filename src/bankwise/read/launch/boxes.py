"""Parts of a launch's grid: blocks by their indices along x, y and z."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

Box = tuple[range, range, range]
"""Blocks of a grid: their indices along x, y, z."""
Cut = tuple[int, int]
"""An axis, and how many indices along it come before."""


class Residues(Struct, frozen=True):
    """How a part is to be cut where low bits of an index decide: along an axis, its indices by what
    they leave modulo ``modulus``."""

    axis: int
    modulus: int


def first_block(box: Box) -> Box:
    """The first block of a part, alone."""
    x, y, z = (along[:1] for along in box)
    return x, y, z


_SHOWN = 2
"""Parts of a grid that are named."""


def where(boxes: Iterable[Box], grid: Sequence[int] | None) -> str:
    """Blocks by their indices: ``x 0-30, y 15``; axes along which they are all the blocks, or the
    only one, are left out."""
    parts = [_part(box, grid or ()) for box in boxes]
    more = len(parts) - _SHOWN
    said = " or ".join(parts[:_SHOWN])
    return f"{said} or {more} more part{'s' * (more > 1)}" if more > 0 else said


def _part(box: Box, grid: Sequence[int]) -> str:
    named = zip("xyz", box, grid, strict=False)
    told = [f"{axis} {_span(along)}" for axis, along, count in named if len(along) < count]
    return ", ".join(told) or "all"


def _span(along: range) -> str:
    first, *rest = along[:3]
    if not rest:
        return f"{first}"
    if along.step == 1:
        return f"{first}-{along[-1]}"
    more = f", .. {along[-1]}" if len(along) > 3 else f", {along[-1]}" * (len(along) == 3)
    return f"{first}, {rest[0]}{more}"
