"""Integer expressions of C++ that constants alone decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bankwise.read.launch.facts import Size
from bankwise.read.launch.tokens import SourceWord

Known = int | Size | None
"""A number, the size that a dim3 holds, or nothing."""
Constants = dict[str, Known]

_OPERATORS: tuple[Mapping[str, Callable[[int, int], int]], ...] = (
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"<<": lambda a, b: a << min(b, 64), ">>": lambda a, b: a >> b},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {
        "*": lambda a, b: a * b,
        "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
        "%": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
    },
)
"""The loosest first."""

_BYTES = {"char": 1, "bool": 1, "short": 2, "half": 2, "int": 4, "unsigned": 4, "uint": 4}
_BYTES |= {"float": 4, "double": 8, "float2": 8, "float4": 16, "int2": 8, "int4": 16, "uchar": 1}
_BYTES |= {"uint2": 8, "uint4": 16, "double2": 16, "size_t": 8, "half2": 4, "long": 8}
_MOST = 1 << 40
_MOST_DEPTH = 60
_AXES = {"x": 0, "y": 1, "z": 2}


def cut(words: Sequence[SourceWord]) -> list[Sequence[SourceWord]]:
    """Parts between commas outside of brackets."""
    parts: list[Sequence[SourceWord]] = []
    depth = start = 0
    for at, word in enumerate(words):
        depth += (word.text in ("(", "[", "{")) - (word.text in (")", "]", "}"))
        if word.text == "," and depth == 0:
            parts.append(words[start:at])
            start = at + 1
    return [*parts, words[start:]]


def evaluate(words: Sequence[SourceWord], scopes: Sequence[Constants]) -> Known:
    """What an expression is; None if constants do not decide it, or it is more than arithmetic."""
    try:
        value, end = _value(words, 0, scopes, 0, 0)
    except (IndexError, ZeroDivisionError, ValueError):
        return None
    if end != len(words) or (isinstance(value, int) and abs(value) > _MOST):
        return None
    return value


def _value(
    words: Sequence[SourceWord], at: int, scopes: Sequence[Constants], level: int, depth: int
) -> tuple[Known, int]:
    """The value of the operators of a level and tighter ones, and where it ends."""
    if level == len(_OPERATORS):
        return _operand(words, at, scopes, depth)
    value, at = _value(words, at, scopes, level + 1, depth)
    while at < len(words) and words[at].text in _OPERATORS[level]:
        apply = _OPERATORS[level][words[at].text]
        other, at = _value(words, at + 1, scopes, level + 1, depth)
        both = isinstance(value, int) and isinstance(other, int) and abs(value) <= _MOST
        value = apply(value, other) if both else None  # type: ignore[arg-type]
    return value, at


def _operand(
    words: Sequence[SourceWord], at: int, scopes: Sequence[Constants], depth: int
) -> tuple[Known, int]:
    word = words[at]
    if depth > _MOST_DEPTH:
        raise ValueError("brackets within brackets")
    if word.text in ("-", "+", "~"):
        value, end = _operand(words, at + 1, scopes, depth + 1)
        if not isinstance(value, int):
            return None, end
        return {"-": -value, "~": ~value}.get(word.text, value), end
    if word.text == "(":
        if _is_cast(words, at):
            return _operand(words, at + 3, scopes, depth + 1)
        value, end = _value(words, at + 1, scopes, 0, depth + 1)
        if words[end].text != ")":
            raise ValueError("a bracket stays open")
        return value, end + 1
    if word.text == "sizeof" and words[at + 1].text == "(":
        inside = [one.text for one in words[at + 2 : at + 5]]
        return _BYTES.get(inside[0]) if inside[1:2] == [")"] else None, at + 4
    if word.text[0].isdigit():
        return _integer(word.text), at + 1
    if not word.is_name:
        raise ValueError("no operand")
    return _named(words, at, scopes)


def _is_cast(words: Sequence[SourceWord], at: int) -> bool:
    """Whether ``(int)`` stands before an operand."""
    inside, closes = words[at + 1].text, words[at + 2].text
    return closes == ")" and inside in _BYTES and at + 3 < len(words)


def _named(words: Sequence[SourceWord], at: int, scopes: Sequence[Constants]) -> tuple[Known, int]:
    name = words[at].text
    value = next((scope[name] for scope in reversed(scopes) if name in scope), None)
    if at + 2 < len(words) and words[at + 1].text == ".":
        axis = _AXES.get(words[at + 2].text)
        if axis is None or not isinstance(value, tuple):
            return None, at + 3
        return value[axis], at + 3
    return value, at + 1


def _integer(text: str) -> int | None:
    """A literal of C++; None for one of floating point."""
    digits = text.replace("'", "").rstrip("uUlLzZ") or "0"
    try:
        if digits[:2] in ("0x", "0X", "0b", "0B"):
            return int(digits, 0)
        return int(digits, 8) if len(digits) > 1 and digits[0] == "0" else int(digits)
    except ValueError:
        return None
