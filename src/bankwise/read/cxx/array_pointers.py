"""Pointers to arrays as the grammar takes them for pointers: ``float (*p)[32] = s[1];``.

To the grammar such a name of a type is one of a function, of which what it gives is set. In its
place a type of as many bytes is parsed that can be none: ``long``, ``short``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TO_ARRAY = re.compile(
    rb"[;{}]\s*(?P<type>[A-Za-z_]\w*[ \t]*)\(\s*[*&]\s*(?:(?:const|__restrict__)\s+)*\w+\s*\)\s*"
    rb"(?:\[[^][;{}]*\]\s*)+[=;]"
)
"""``float (*p)[32] = s[1];``: to the grammar what a function of this name gives is set. From the
end of the statement before."""
_TYPES = re.compile(
    rb"float|double|int|char|short|bool|(?:__)?half2?|(?:__)?(?:nv_)?bfloat16\d?|uint|u?char|ushort"
    rb"|u?(?:char|short|int|float|double|long)[1-4]|u?int\d+_t|size_t"
)
"""The names of types that no function has."""
_SIZED = (b"long", b"short", b"signed", b"unsigned")


def types_of_pointers(plain: bytes) -> Iterator[tuple[int, int]]:
    """Where the types of pointers and references to arrays stand, which functions seem to be, in a
    text without comments."""
    at = 0
    while found := _TO_ARRAY.search(plain, at):
        start, stop = found.span("type")
        at, name = found.end() - 1, found["type"].strip()
        if _TYPES.fullmatch(name) or _declares_type(plain, name):
            yield from ((start, start + n) for n in _longs(len(name), stop - start))


def _declares_type(text: bytes, name: bytes) -> bool:
    """Whether a text has a type of this name, or a parameter of a template that is one."""
    kinds = rb"\b(?:typename|class|struct|union|using)\s+" + re.escape(name) + rb"\b"
    return re.search(kinds, text) is not None


def _longs(least: int, most: int) -> Iterator[int]:
    """The fewest bytes of a type that the grammar takes for one, if any."""
    yield from [n for n in range(least, most + 1) if as_type(n)][:1]


def as_type(length: int) -> bytes:
    """A type of so many bytes, which is no name to the grammar; empty where there is none."""
    return next((one for one in _SIZED if len(one) == length), b"") or (
        b"long".ljust(length - len(b"long")) + b"long" if length > 2 * len(b"long") else b""
    )
