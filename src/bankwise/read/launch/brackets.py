"""Brackets of C++ source: which one closes, or opens, another."""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.read.launch.tokens import SourceWord

CLOSING = {"(": ")", "{": "}", "[": "]"}


def closing(words: Sequence[SourceWord], at: int) -> int:
    """The bracket that closes the one at a place; the end if none does."""
    opens, closes, depth = words[at].text, CLOSING[words[at].text], 0
    for place in range(at, len(words)):
        depth += (words[place].text == opens) - (words[place].text == closes)
        if depth == 0:
            return place
    return len(words)


def opening(words: Sequence[SourceWord], at: int) -> int:
    """The bracket that the one at a place closes; 0 if none does."""
    closes, opens = words[at].text, {")": "(", "]": "[", "}": "{"}[words[at].text]
    depth = 0
    for place in range(at, 0, -1):
        depth += (words[place].text == closes) - (words[place].text == opens)
        if depth == 0:
            return place
    return 0
