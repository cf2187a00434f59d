"""The table of frameworks: a notation is one file that makes a record, and one line here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.notation import (
    expression,
    hipkittens,
    kittens,
    matrix,
    padding,
    rotation,
    row_major,
    tilelang,
    xor,
)
from bankwise.notation.ck.framework import CK
from bankwise.notation.cute.framework import CUTE
from bankwise.notation.fold import sizes
from bankwise.notation.framework import Framework, Ground, Language, Member, Setting
from bankwise.notation.iree.framework import ROTATE_ROWS, XOR_SHUFFLE
from bankwise.notation.triton.framework import TRITON
from bankwise.notation.values import Distribution, Memory
from bankwise.notation.wave.framework import WAVE

FRAMEWORKS: tuple[Framework, ...] = (
    row_major.ROW_MAJOR,
    xor.XOR,
    CUTE,
    TRITON,
    XOR_SHUFFLE,
    WAVE,
    CK,
    rotation.ROTATION,
    ROTATE_ROWS,
    padding.PADDING,
)
"""In the order in which answers name them; of two languages whose signs a text has, the first."""


def frameworks() -> Mapping[str, Framework]:
    """All of them by name."""
    return {f.name: f for f in FRAMEWORKS}


def framework(name: str) -> Framework:
    """The framework called ``name``; :class:`InputError` if there is none."""
    known = frameworks()
    if name not in known:
        raise InputError(f"unknown family {name!r}", hint="known: " + ", ".join(known))
    return known[name]


def languages() -> Mapping[str, Language]:
    """The languages of texts by name: what is read only, whose signs are the narrowest, those of
    the frameworks, matrix instructions, and expressions, whose sign is the widest."""
    read_only = (hipkittens.HIPKITTENS, kittens.KITTENS, tilelang.TILELANG)
    every = (*read_only, *(f.language for f in FRAMEWORKS), matrix.MATRIX, expression.EXPRESSION)
    return {language.name: language for language in every}


def maker(kernel: str, head: str) -> str:
    """The language of the framework that emitted a kernel, by its name or how its text begins.

    Empty where nothing tells.
    """
    for name, language in languages().items():
        if language.kernels and re.search(language.kernels, kernel):
            return name
    for name, language in languages().items():
        if language.heads and re.search(language.heads, head, re.IGNORECASE):
            return name
    return ""


def notation_of(text: str) -> str:
    """The notation of a text, by its looks. :class:`InputError` where that cannot be seen."""
    for name, language in languages().items():
        if language.sign.match(text):
            return name
    start = text.strip()[:40]
    typed = "; ".join(one.example for one in languages().values() if one.example)
    raise InputError(
        f"{start!r} is in no notation that is known",
        hint=f"write it as one of these: {typed}; or name its notation: {', '.join(languages())}",
    )


def read_memory(text: str, notation: str, shape: Shape, setting: Setting) -> Memory | Refusal:
    """Where the elements of a tile lie.

    Raises :class:`InputError` for a text that means something else, or another tile.
    """
    found = languages()[notation].read(text, shape, setting)
    if not isinstance(found, Refusal) and found.shape != sizes(shape):
        raise InputError(
            f"this layout is of a tile {list(found.shape)}, not {list(sizes(shape))}",
            hint="the last axis of the tile is the fastest; `axes` turns a tile",
        )
    return found


def read_distribution(
    text: str, notation: str, shape: Shape, setting: Setting
) -> Distribution | Refusal:
    """Who holds which element of a tile.

    The distribution may be of a smaller tile, which is then moved piece by piece. A Refusal where
    the notation itself is in dispute; :class:`InputError` for a text that means something else.
    """
    return languages()[notation].hold(text, shape, setting)


def fault(memory: Memory, notation: str) -> str:
    """Why a memory, read from a text in a notation, does not hold every element; else empty."""
    language = languages().get(notation, row_major.ROW_MAJOR.language)
    return language.fault(memory)


@lru_cache(maxsize=256)
def members(name: str, ground: Ground) -> tuple[Member, ...]:
    """All listed members of the framework called ``name``, remembered."""
    return tuple(framework(name).members(ground))


def translations(memory: Memory, ground: Ground) -> Mapping[str, object]:
    """The memory in the words of every framework: values with the text as ``str``, or Refusals."""
    return {f.name: f.write(memory, ground) for f in FRAMEWORKS}
