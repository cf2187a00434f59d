"""Functions of host code that launch kernels with sizes that are their template's parameters.

    template <typename T, int N> void run(T* p, int n) { k<T, N><<<n / N, N>>>(p, n); }
    run<float, 32>(p, 1024);                             k<float, 32> with 32 threads

Only calls that give the arguments themselves, as constants, are followed: what a compiler deduces,
or another file calls, is not known.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bankwise.read.launch.changes import closing
from bankwise.read.launch.constants import Constants, Known, cut, evaluate
from bankwise.read.launch.tokens import SourceWord


class Launcher(Struct, frozen=True):
    """A template of a function. ``numbers``: by place the parameters of the template that are
    integers, None for types; ``parameters``: of the function, by place; ``start`` and ``stop``: its
    body, brackets included."""

    numbers: tuple[str | None, ...]
    parameters: tuple[str, ...]
    start: int
    stop: int


def launchers_in(words: Sequence[SourceWord], launches: Sequence[str]) -> dict[str, Launcher]:
    """Those that hold one of the words that launch; none that is defined twice."""
    found: dict[str, Launcher] = {}
    twice: set[str] = set()
    for at, word in enumerate(words[:-1]):
        one = _launcher(words, at) if word.text == "template" else None
        if one is not None and any(w.text in launches for w in words[one[1].start : one[1].stop]):
            twice |= {one[0]} & found.keys()
            found[one[0]] = one[1]
    return {name: one for name, one in found.items() if name not in twice}


def _launcher(words: Sequence[SourceWord], at: int) -> tuple[str, Launcher] | None:
    """The template that begins at a place, and its name; None for a class, or a declaration."""
    close = _angle(words, at + 1)
    opens = next((n for n in range(close, len(words)) if words[n].text in ("(", "{", ";")), 0)
    if not opens or words[opens].text != "(" or not words[opens - 1].is_name:
        return None
    end = _closed(words, opens)
    if [word.text for word in words[end + 1 : end + 2]] != ["{"]:
        return None
    kinds = tuple(_number(part) for part in cut(words[at + 2 : close]))
    names = tuple(part[-1].text if part else "" for part in cut(words[opens + 1 : end]))
    return words[opens - 1].text, Launcher(kinds, names, end + 1, _closed(words, end + 1) + 1)


def _number(part: Sequence[SourceWord]) -> str | None:
    """The name of a template's parameter that is an integer; None for one that is none."""
    said = [word.text for word in part]
    before = said[: said.index("=")] if "=" in said else said
    typed = len(before) > 1 and not {"typename", "class", "template", "."} & set(before)
    return before[-1] if typed else None


def instance(
    words: Sequence[SourceWord], at: int, one: Launcher, scopes: Sequence[Constants]
) -> Constants | None:
    """What the names of a launcher are in the call at a place: ``run<float, 32>(p, 1024)``; None
    for no such call, or one whose numbers are not all known."""
    if at + 1 >= len(words) or words[at + 1].text != "<":
        return None
    close = _angle(words, at + 1)
    if [word.text for word in words[close + 1 : close + 2]] != ["("]:
        return None
    values = [evaluate(part, scopes) for part in cut(words[at + 2 : close])]
    end = _closed(words, close + 1)
    given: list[Known] = [evaluate(part, scopes) for part in cut(words[close + 2 : end])]
    names = dict(zip(one.parameters, given, strict=False))
    numbers = {n: v for n, v in zip(one.numbers, values, strict=False) if n is not None}
    return None if None in numbers.values() or not numbers else names | numbers


def _angle(words: Sequence[SourceWord], at: int) -> int:
    """The ``>`` that closes the ``<`` at a place; the place itself if none does."""
    depth = 0
    for place in range(at, min(len(words), at + 200)):
        depth += {"<": 1, ">": -1, ">>": -2}.get(words[place].text, 0)
        if words[place].text in (";", "{"):
            break
        if depth <= 0:
            return place
    return at


def _closed(words: Sequence[SourceWord], at: int) -> int:
    """The bracket that closes the one at a place; the last word if none does."""
    return min(closing(words, at), len(words) - 1)
