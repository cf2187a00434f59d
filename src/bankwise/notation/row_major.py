"""Row-major: the one text that is no framework's, elements in the order of the tile."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bankwise.algebra.address import Identity
from bankwise.algebra.offset import Shape
from bankwise.errors import Refusal
from bankwise.notation.fold import fold_of, sizes, unfolded
from bankwise.notation.framework import Framework, Ground, Language, Member, Setting
from bankwise.notation.values import Mapped, Memory

NAME = "row-major"


def _read(text: str, shape: Shape, setting: Setting) -> Memory:
    return Mapped(sizes(shape), Identity())


def _write(memory: Memory, ground: Ground) -> object:
    if fold_of(memory) is None:
        return Identity()
    return Refusal("the elements do not lie in the order of the tile")


def _members(ground: Ground) -> Iterator[Member]:
    yield Member(NAME, unfolded(ground.shape))


ROW_MAJOR = Framework(
    NAME,
    Language(NAME, re.compile(r"\s*row-major\s*$"), _read, example=NAME),
    "no swizzle",
    _members,
    _write,
    notation=False,
)
