"""CuTe's layouts as a framework: strides, and ``Sw<B,M,S>`` over them, in elements."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.notation.cute.fit import to_cute
from bankwise.notation.cute.parse import parse
from bankwise.notation.cute.strided import StridedLayout
from bankwise.notation.cute.swizzle import memory as memory_of
from bankwise.notation.cute.thread_value import thread_value
from bankwise.notation.fold import folded_tile, sizes, unfolded
from bankwise.notation.framework import Framework, Ground, Language, Member, Setting
from bankwise.notation.values import Distribution, Memory


def _read(text: str, shape: Shape, setting: Setting) -> Memory | Refusal:
    return memory_of(parse(text))


def _hold(text: str, shape: Shape, setting: Setting) -> Distribution:
    where = parse(text)
    if not isinstance(where, StridedLayout):
        raise InputError(f"{text.strip()!r} is swizzled: a thread-value layout is not")
    return thread_value(where, sizes(shape), lanes=setting.machine.wave_size)


def _write(memory: Memory, ground: Ground) -> object:
    return to_cute(memory)


def _members(ground: Ground) -> Iterator[Member]:
    """Every swizzle of the row-major offset that stays in the tile, whatever its size."""
    shape = ground.shape
    yield Member("row-major", unfolded(shape))
    for fold, address in folded_tile(shape):
        if fold.binary:
            low, count = min(fold.unit, fold.divisor).bit_length() - 1, fold.phases.bit_length() - 1
            shift = fold.divisor.bit_length() - fold.unit.bit_length()
            label = f"Swizzle<{count},{low},{shift}>"
            yield Member(label, address)


CUTE = Framework(
    "cute",
    Language(
        "cute",
        re.compile(r"\s*(Sw|S|Swizzle)\s*[<(]|\s*SW_\d|\s*\(|\s*_?\d+\s*:"),
        _read,
        _hold,
        kernels="cutlass|3cute",
        example="Sw<3,3,3> o 0 o (64,64):(64,1)",
    ),
    "CuTe Swizzle<B,M,S>, on elements",
    _members,
    _write,
)
