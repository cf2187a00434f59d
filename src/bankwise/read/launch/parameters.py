"""What a CUDA source calls the parameters of its kernels, in the author's order.

A name counts only where all definitions of functions called like the kernel say the same: of
overloads, and of one kernel for each way of an ``#if``, nobody knows here which was compiled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bankwise.read.launch.brackets import CLOSING
from bankwise.read.launch.constants import cut
from bankwise.read.launch.tokens import SourceWord, tokens

_ENDS = ("=", "[")
"""What follows the name of a parameter: its default, its extent."""


def parameter_names(source: str, functions: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The names of what each of some functions takes, "" for one without; of no function that the
    source does not define, or defines with different names."""
    words = tokens(source)
    found: dict[str, set[tuple[str, ...]]] = {}
    for at, word in enumerate(words[:-1]):
        if word.text in functions and words[at + 1].text == "(":
            for names in _taken(words, at + 1):
                found.setdefault(word.text, set()).add(names)
    return {name: next(iter(some)) for name, some in found.items() if len(some) == 1}


def _taken(words: Sequence[SourceWord], opens: int) -> Iterator[tuple[str, ...]]:
    """The names in the brackets of a definition; none where no body follows."""
    depth = 0
    for end in range(opens, len(words) - 1):
        depth += (words[end].text in CLOSING) - (words[end].text in CLOSING.values())
        if depth == 0:
            if words[end + 1].text == "{":
                yield tuple(_name(part) for part in cut(words[opens + 1 : end]) if part)
            return


def _name(part: Sequence[SourceWord]) -> str:
    end = next((n for n, word in enumerate(part) if word.text in _ENDS), len(part))
    alone = end < 2 or not part[end - 1].is_name
    return "" if alone else part[end - 1].text
