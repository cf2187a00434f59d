"""The text of an address map, evaluated on every coordinate, is the map: of any shape and map."""

from __future__ import annotations

import ast
import random

import numpy as np
import pytest

from bankwise.algebra.address import AddressMap, Fold, Identity, Linear, Padded, Rotated, RowFolds
from bankwise.algebra.offset import Dims, Shape, offset_text, operations

SHAPES: tuple[Dims, ...] = (
    (("n", 8),),
    (("n", 8), ("m", 16)),
    (("n", 16), ("m", 12)),
    (("n", 4), ("m", 8), ("b", 3)),
    (("n", 24), ("m", 16)),
    (("n", 12), ("m", 4), ("b", 5)),
)


def maps(shape: Shape, chance: random.Random) -> list[AddressMap]:
    """One map of every kind, on the rows of the shape and on others."""
    row, bits = shape.row, (shape.elements - 1).bit_length()
    bases = [1 << i for i in range(bits)]
    for _ in range(3):
        i, k = chance.sample(range(bits), 2) if bits > 1 else (0, 0)
        bases[i] ^= (1 << k) * (i != k)
    unit = chance.choice((1, 2))
    fold = Fold(chance.choice((row, 2 * row, 4)), unit, chance.choice((2, 4)))
    return [
        Identity(),
        Linear(tuple(bases)),
        Padded(row, chance.randrange(1, 5)),
        Rotated(row, chance.randrange(1, 4), chance.choice((1, 2))),
        Rotated(row // 2, chance.randrange(1, 3)),
        fold,
        RowFolds(row, (Fold(row, 1, 2),)),
    ]


@pytest.mark.parametrize("dims", SHAPES, ids=lambda d: "x".join(str(n) for _, n in d))
@pytest.mark.parametrize("seed", range(8))
def test_a_text_is_its_map(dims: Dims, seed: int) -> None:
    shape = Shape(dims, 32)
    offsets = np.arange(shape.elements)
    coordinates, rest = {}, offsets
    for name, size in dims:
        coordinates[name], rest = rest % size, rest // size
    for address in maps(shape, random.Random(seed)):
        text = offset_text(shape, address)
        values = eval(text, {"__builtins__": {}}, dict(coordinates))
        assert np.array_equal(np.broadcast_to(values, offsets.shape), address(offsets)), text


def binary_operators(text: str) -> int:
    """As Python's own parser counts them."""
    return sum(isinstance(node, ast.BinOp) for node in ast.walk(ast.parse(text, mode="eval")))


@pytest.mark.parametrize("dims", SHAPES, ids=lambda d: "x".join(str(n) for _, n in d))
@pytest.mark.parametrize("seed", range(8))
def test_the_price_of_a_map_is_the_operators_of_its_text(dims: Dims, seed: int) -> None:
    shape = Shape(dims, 32)
    plain = binary_operators(offset_text(shape, Identity()))
    for address in maps(shape, random.Random(seed)):
        more = binary_operators(offset_text(shape, address)) - plain
        assert operations(shape, address) == more, offset_text(shape, address)
