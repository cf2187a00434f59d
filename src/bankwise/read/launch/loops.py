"""Loops of host code around launches, of few rounds that constants decide: each round's number.

    for (int j = 0; j < sizeof(sizes) / sizeof(int); j++)      0, 1, 2, ..
    for (int n = 32; n <= 1024; n *= 2)                        32, 64, .. 1024
    for (int n : sizes)                                        as the array has them

A loop that may end before, or leave a round out (``break``, ``continue``), is none of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bankwise.read.launch.arrays import elements
from bankwise.read.launch.brackets import closing
from bankwise.read.launch.changes import changed
from bankwise.read.launch.constants import Constants, Known, evaluate
from bankwise.read.launch.tokens import SourceWord

_MOST_ROUNDS = 16
_LEAVES = ("break", "continue", "goto", "return")
_STEPS = ("+=", "-=", "*=", "/=", "<<=", ">>=")


class HostLoop(Struct, frozen=True):
    """``name``: what counts the rounds; ``numbers``: what it is in each; ``start`` and ``stop``:
    its body, brackets included."""

    name: str
    numbers: Sequence[int]
    start: int
    stop: int


def loop_at(words: Sequence[SourceWord], at: int, scopes: Sequence[Constants]) -> HostLoop | None:
    """The loop whose ``for`` stands at a place; None if constants do not decide its rounds."""
    if at + 1 >= len(words) or words[at + 1].text != "(":
        return None
    close = closing(words, at + 1)
    start, stop = close + 1, _end(words, close + 1)
    body = words[start:stop]
    found = _rounds(words[at + 2 : close], scopes)
    if found is None or _leaves(body) or found[0] in set(changed(body)):
        return None
    return HostLoop(*found, start, stop)


def _end(words: Sequence[SourceWord], at: int) -> int:
    """Where the statement ends that begins at a place."""
    if at < len(words) and words[at].text == "{":
        return min(closing(words, at) + 1, len(words))
    while at < len(words) and words[at].text not in (";", "}"):
        at = closing(words, at) + 1 if words[at].text in ("(", "{") else at + 1
    return min(at + 1, len(words))


def _leaves(body: Sequence[SourceWord]) -> bool:
    """Whether a word of a body may leave it; those of a ``switch`` in it stay within."""
    at = 0
    while at < len(body):
        if body[at].text == "switch" and at + 1 < len(body):
            opens = closing(body, at + 1) + 1
            inside = body[opens : _end(body, opens)]
            if any(word.text in _LEAVES[1:] for word in inside):
                return True
            at = opens + len(inside)
        elif body[at].text in _LEAVES:
            return True
        else:
            at += 1
    return False


def _rounds(
    inside: Sequence[SourceWord], scopes: Sequence[Constants]
) -> tuple[str, list[int]] | None:
    """The name of what counts, and its numbers."""
    parts = _statements(inside)
    colon = next((n for n, word in enumerate(inside) if word.text == ":"), 0)
    if len(parts) == 1 and colon and inside[colon - 1].is_name:
        numbers = elements(inside[colon + 1 :], scopes)
        short = numbers is not None and len(numbers) <= _MOST_ROUNDS
        return (inside[colon - 1].text, numbers) if short and numbers is not None else None
    return _counted(parts[0], parts[1], parts[2], scopes) if len(parts) == 3 else None


def _statements(words: Sequence[SourceWord]) -> list[Sequence[SourceWord]]:
    ends = [n for n, word in enumerate(words) if word.text == ";"]
    starts = [0, *(n + 1 for n in ends)]
    return [words[a:b] for a, b in zip(starts, [*ends, len(words)], strict=True)]


def _counted(
    first: Sequence[SourceWord],
    while_: Sequence[SourceWord],
    step: Sequence[SourceWord],
    scopes: Sequence[Constants],
) -> tuple[str, list[int]] | None:
    equals = next((n for n, word in enumerate(first) if word.text == "="), 0)
    if not equals or not first[equals - 1].is_name:
        return None
    name, numbers = first[equals - 1].text, list[int]()
    number = evaluate(first[equals + 1 :], scopes)
    while isinstance(number, int):
        within: list[Constants] = [*scopes, {name: number}]
        goes_on = evaluate(while_, within)
        if not isinstance(goes_on, int) or len(numbers) > _MOST_ROUNDS:
            return None
        if not goes_on:
            return name, numbers
        numbers.append(number)
        number = _next(step, name, number, within)
    return None


def _next(step: Sequence[SourceWord], name: str, number: int, scopes: Sequence[Constants]) -> Known:
    """What a number is after a step."""
    texts = [word.text for word in step]
    if texts in ([name, "++"], ["++", name]):
        return number + 1
    if texts in ([name, "--"], ["--", name]):
        return number - 1
    if len(step) < 3 or texts[0] != name:
        return None
    said = evaluate(step[2:], scopes)
    if texts[1] == "=" or not isinstance(said, int):
        return said if texts[1] == "=" else None
    if texts[1] not in _STEPS:
        return None
    operator = SourceWord(texts[1][:-1], step[1].line)
    both = [step[0], operator, SourceWord(str(said), step[1].line)]
    return evaluate(both, scopes)
