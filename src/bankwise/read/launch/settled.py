"""Macros that a source defines in several ways, as its compiler has them.

    #ifdef TILE_OF_TEST
    #define TILE TILE_OF_TEST
    #else
    #define TILE 16               the one that the compiler keeps
    #endif

A macro that the text takes back (``#undef``), or names before it is defined for the last time, may
have been another there; what depends on who compiles (``__CUDA_ARCH__``) is not asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from bankwise.read.launch.tokens import SourceWord, tokens

AskMacros = Callable[[], Mapping[str, str]]
"""What a compiler says of the macros without parameters that hold at the end of a source."""

_TAKEN_BACK = re.compile(r"^\s*#\s*undef\s+(\w+)", re.MULTILINE)
_BY_PASS = re.compile(r"^\s*#.*__(?:CUDA|HIP)_(?:ARCH|DEVICE)", re.MULTILINE)


def settled(
    words: Sequence[SourceWord], texts: Sequence[str], ask: AskMacros
) -> Sequence[SourceWord]:
    """Words without the definitions of a macro that the compiler does not keep. ``texts``: those
    of which the words are."""
    back = {name for text in texts for name in _TAKEN_BACK.findall(text)}
    several = defined_differently(words) - back
    open_ = several - _named_early(words, several)
    if not open_ or any(_BY_PASS.search(text) for text in texts):
        return words
    told = {name: _texts(body) for name, body in ask().items() if name in open_}
    left = {
        at
        for start, stop in _definitions(words)
        if (name := words[start + 1].text) in told
        and tuple(word.text for word in words[start + 3 : stop]) != told[name]
        for at in range(start, stop + 1)
    }
    return [word for at, word in enumerate(words) if at not in left]


def defined_differently(words: Sequence[SourceWord]) -> set[str]:
    """Macros without parameters of which the words have several definitions."""
    every: dict[str, set[tuple[str, ...]]] = {}
    for start, stop in _definitions(words):
        body = tuple(word.text for word in words[start + 3 : stop])
        every.setdefault(words[start + 1].text, set()).add(body)
    return {name for name, bodies in every.items() if len(bodies) > 1}


def _named_early(words: Sequence[SourceWord], names: set[str]) -> set[str]:
    """Those that are named before they are defined for the last time."""
    defined = {start + 1 for start, _ in _definitions(words)}
    last = {words[at].text: at for at in sorted(defined) if words[at].text in names}
    return {
        word.text
        for at, word in enumerate(words)
        if word.text in names and at not in defined and at < last[word.text]
    }


def _texts(body: str) -> tuple[str, ...]:
    return tuple(word.text for word in tokens(body))


def _definitions(words: Sequence[SourceWord]) -> list[tuple[int, int]]:
    """Where macros without parameters are defined, each up to the word that ends it."""
    starts = [
        at
        for at, word in enumerate(words[:-2])
        if word.text == "#define" and words[at + 2].text == "="
    ]
    ends = [at for at, word in enumerate(words) if word.text == "#end"]
    found, place = list[tuple[int, int]](), 0
    for start in starts:
        while place < len(ends) and ends[place] < start:
            place += 1
        if place < len(ends):
            found.append((start, ends[place]))
    return found
