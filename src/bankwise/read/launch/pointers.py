"""Which kernels a pointer may hold: what stands on the right where something is assigned to it.

auto p = &a;  p = flag ? &b : &a;                a, b
void (*p)(float*, int) = a;                      a
void (*p[])(float*, int) = {a, b};               both, whichever is launched
"""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.read.launch.brackets import closing, opening
from bankwise.read.launch.tokens import SourceWord

_ENDS = (";", "{", "}", "#end")


def pointers_in(words: Sequence[SourceWord]) -> dict[str, set[str]]:
    """What names occur on the right of the assignments to a name."""
    found: dict[str, set[str]] = {}
    for at, word in enumerate(words):
        if word.text == "=" and (name := name_before(words, at)):
            names = (one.text for one in words[at + 1 : _end(words, at + 1)] if one.is_name)
            found.setdefault(name, set()).update(names)
    return found


def name_before(words: Sequence[SourceWord], at: int) -> str:
    """The name that is declared, or assigned, before a place; of a pointer to a function the one in
    its brackets; empty without one."""
    before = at - 1
    if before > 0 and words[before].text == ")":
        opens = opening(words, before)
        before = opens - 2 if opens and words[opens - 1].text == ")" else -1
        if before > 0 and words[before].text == "]":
            before = opening(words, before) - 1
        if before < 2 or [one.text for one in words[before - 2 : before]] != ["(", "*"]:
            return ""
    return words[before].text if before >= 0 and words[before].is_name else ""


def _end(words: Sequence[SourceWord], at: int) -> int:
    """Where what is assigned ends; a list in braces is a part of it."""
    if at < len(words) and words[at].text == "{":
        return closing(words, at)
    return next((n for n in range(at, len(words)) if words[n].text in _ENDS), len(words))
