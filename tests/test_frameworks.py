"""Laws that hold for every framework, and that one record is all that a framework needs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bankwise.algebra.address import Linear
from bankwise.algebra.offset import Shape
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.notation.framework import Ground, Setting
from bankwise.notation.frameworks import (
    framework,
    frameworks,
    members,
    notation_of,
    read_memory,
)
from bankwise.notation.values import Mapped, Memory, points

EXAMPLES = Path(__file__).parents[1] / "examples"
SETTING = Setting(machine("gfx950"), {}, (64, 1, 1))
NAMES = tuple(frameworks())
STRIDED = ("cute", "ck", "triton")
TILES = [(16, 32), (8, 8), (4, 64), (24, 32), (48, 80), (10, 24), (6, 7), (64,), (2, 4, 16)]


def shape(tile: tuple[int, ...], bits: int = 16) -> Shape:
    return Shape(tuple(zip("nmbcd", reversed(tile), strict=False)), bits)


def listed(name: str, tile: tuple[int, ...], bits: int = 16) -> list[Mapped]:
    return [Mapped(tile, m.address) for m in members(name, Ground(shape(tile, bits), 64))]


def offsets(memory: Memory) -> bytes:
    return memory.offsets(points(memory.shape)).astype(np.int64).tobytes()


def again(name: str, value: object, over: Shape) -> Memory | Refusal:
    """What the text means to whoever reads it, its notation being seen by its looks."""
    known = framework(name)
    assert notation_of(str(value)) == known.language.name
    return read_memory(str(value), known.language.name, over, SETTING)


@pytest.mark.parametrize("tile", TILES, ids=lambda t: "x".join(map(str, t)))
@pytest.mark.parametrize("name", NAMES)
def test_a_layout_is_a_member_exactly_if_it_can_be_written_and_the_text_reads_as_it(
    name: str, tile: tuple[int, ...]
) -> None:
    """Asked of every layout that any framework lists on the tile.

    Besides, strides say padding, and Triton and the formula every linear layout.
    """
    known, over = framework(name), Ground(shape(tile))
    every = {offsets(m): m for other in NAMES for m in listed(other, tile)}
    mine = {offsets(m) for m in listed(name, tile)}
    gaps = {offsets(m) for m in listed("padding", tile)} if name in STRIDED else set()
    for key, memory in every.items():
        said = known.write(memory, over)
        if not isinstance(said, Refusal):
            back = again(name, said, over.shape)
            assert not isinstance(back, Refusal)
            assert offsets(back) == key, (name, str(said))
        if key in mine:
            assert not isinstance(said, Refusal), (name, memory)
        elif not isinstance(said, Refusal):
            linear = known.linear and is_linear(memory, over.shape)
            assert linear or key in gaps, (name, str(said))


def is_linear(memory: Mapped, over: Shape) -> bool:
    """Also under another name: a rotation by half a row is."""
    if over.bits is None:
        return False
    bases = memory.address(1 << np.arange(over.bits))
    return offsets(Mapped(memory.shape, Linear(tuple(map(int, bases))))) == offsets(memory)
