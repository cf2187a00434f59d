"""Triton's shared encodings as a framework: swizzled, padded, for the tensor core, or linear."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bankwise.algebra.offset import Shape
from bankwise.notation.fold import folded_tile, sizes, unfolded
from bankwise.notation.framework import Framework, Ground, Language, Member, Setting
from bankwise.notation.triton.distributed import distribution
from bankwise.notation.triton.fit import swizzles, to_triton_shared
from bankwise.notation.triton.parse import parse_distributed, parse_shared
from bankwise.notation.triton.shared import memory as memory_of
from bankwise.notation.values import Distribution, Memory


def _read(text: str, shape: Shape, setting: Setting) -> Memory:
    return memory_of(parse_shared(text), sizes(shape))


def _hold(text: str, shape: Shape, setting: Setting) -> Distribution:
    return distribution(parse_distributed(text), sizes(shape))


def _write(memory: Memory, ground: Ground) -> object:
    return to_triton_shared(memory, ground.shape.element_bits)


def _members(ground: Ground) -> Iterator[Member]:
    """``swizzled_shared`` of rows; every other linear layout is a ``shared_linear``."""
    shape = ground.shape
    if shape.bits is None:
        return
    yield Member("row-major", unfolded(shape))
    known = {(f.divisor, f.unit, f.phases): address for f, address in folded_tile(shape)}
    for one in swizzles((shape.elements // shape.row, shape.row), (1, 0)):
        address = known.get((one.per_phase * shape.row, one.vec, one.max_phase))
        if address is not None:
            text = f"vec={one.vec}, perPhase={one.per_phase}, maxPhase={one.max_phase}"
            label = f"swizzled_shared({text}, order=[1, 0])"
            yield Member(label, address)


TRITON = Framework(
    "triton",
    Language(
        "triton",
        re.compile(r"\s*#ttg\."),
        _read,
        _hold,
        policy="triton",
        heads=r"\btriton\b",
        example="#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    ),
    "Triton swizzled_shared(vec, perPhase, maxPhase)",
    _members,
    _write,
    linear=True,
)
