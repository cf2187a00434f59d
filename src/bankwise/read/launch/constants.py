"""Integer expressions of C++ that constants alone decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from bankwise.read.launch.facts import Size
from bankwise.read.launch.tokens import SourceWord

Known = int | Size | None
"""A number, the size that a dim3 holds, or nothing."""
Constants = dict[str, Known]

_OPERATORS: tuple[Mapping[str, Callable[[int, int], int]], ...] = (
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {
        "<": lambda a, b: int(a < b),
        ">": lambda a, b: int(a > b),
        "<=": lambda a, b: int(a <= b),
        ">=": lambda a, b: int(a >= b),
    },
    {"<<": lambda a, b: a << min(b, 64), ">>": lambda a, b: a >> b},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {
        "*": lambda a, b: a * b,
        "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
        "%": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
    },
)
"""The loosest first."""
_LEVELS = {sign: level for level, signs in enumerate(_OPERATORS) for sign in signs}

BYTES = {"char": 1, "bool": 1, "short": 2, "half": 2, "int": 4, "unsigned": 4, "uint": 4}
BYTES |= {"float": 4, "double": 8, "float2": 8, "float4": 16, "int2": 8, "int4": 16, "uchar": 1}
BYTES |= {"uint2": 8, "uint4": 16, "double2": 16, "size_t": 8, "half2": 4, "long": 8}
"""Of the types that expressions name."""
FRACTIONS = frozenset(name for name in BYTES if name.startswith(("float", "double", "half")))
"""Types of which no number is kept: ``7 / 2`` of a float is none of whole numbers."""
_NARROW = {"bool": 1, "char": 127, "short": 32_767, "uchar": 127}
_NARROW |= {"int8_t": 127, "uint8_t": 127, "int16_t": 32_767, "uint16_t": 32_767}
"""The most that each of these types holds, whether it has a sign or not."""
_FUNCTIONS: Mapping[str, Callable[[Sequence[int]], int]] = {
    "min": min,
    "max": max,
    "static_cast": max,
}
"""A cast keeps its only number."""
_TURNS = ("-", "/", "%", "<<", ">>")
"""Operators whose right side is no part of a chain of their like."""
_BY_SIGN = ("<", ">", "<=", ">=", ">>", "/", "%", "min", "max")
"""What of a number below zero has another result where that is unsigned: nobody knows which."""
_MOST = 1 << 40
_MOST_DEPTH = 60
AXES = {"x": 0, "y": 1, "z": 2}
"""Of a size, by the name of its member."""
_TRUTH = {"true": 1, "false": 0}


def cut(words: Sequence[SourceWord]) -> list[Sequence[SourceWord]]:
    """Parts between commas outside of brackets."""
    return list(cut_at(",", words))


def cut_at(sign: str, words: Sequence[SourceWord]) -> Iterator[Sequence[SourceWord]]:
    """Parts between a sign outside of brackets."""
    depth = start = 0
    for at, word in enumerate(words):
        depth += (word.text in ("(", "[", "{")) - (word.text in (")", "]", "}"))
        if word.text == sign and depth == 0:
            yield words[start:at]
            start = at + 1
    yield words[start:]


def evaluate(words: Sequence[SourceWord], scopes: Sequence[Constants]) -> Known:
    """What an expression is; None if constants do not decide it, or it is more than arithmetic."""
    try:
        value, end = _chosen(words, 0, scopes, 0)
    except (IndexError, ZeroDivisionError, ValueError):
        return None
    if end != len(words) or (isinstance(value, int) and abs(value) > _MOST):
        return None
    return value


def held(value: Known, kind: str) -> Known:
    """What a variable of a type is that gets a value; None for what it cannot hold as it is."""
    most = _NARROW.get(kind, _MOST)
    fits = not isinstance(value, int) or kind not in _NARROW or 0 <= value <= most
    return value if kind not in FRACTIONS and fits else None


def stands_apart(words: Sequence[SourceWord], name: str, body: Sequence[SourceWord]) -> bool:
    """Whether the macro ``name``, which is ``body``, is a number by itself wherever it is named:
    ``#define N 2 + 2`` is none in ``N * 8``."""
    loosest = min(_outer_levels(body), default=len(_OPERATORS))
    if loosest == len(_OPERATORS):
        return True
    pairs = [(a.text, b.text) for a, b in pairwise(words)]
    after = [b for a, b in pairs if a == name]
    before = [a for a, b in pairs if b == name]
    tighter = [_LEVELS.get(sign, -1) > loosest for sign in (*before, *after)]
    turned = [_LEVELS.get(sign) == loosest and sign in _TURNS for sign in before]
    return not any((*tighter, *turned, *(sign in ("~", "!") for sign in before)))


def _outer_levels(body: Sequence[SourceWord]) -> list[int]:
    """Of the operators between operands of an expression, outside of its brackets."""
    depth, found = 0, list[int]()
    for at, word in enumerate(body):
        depth += (word.text in ("(", "[", "{")) - (word.text in (")", "]", "}"))
        if not depth and at and word.text in _LEVELS and body[at - 1].text not in _LEVELS:
            found.append(_LEVELS[word.text])
    return found


def _chosen(
    words: Sequence[SourceWord], at: int, scopes: Sequence[Constants], depth: int
) -> tuple[Known, int]:
    """The value of ``a ? b : c``, or of what has no such choice."""
    value, at = _value(words, at, scopes, 0, depth)
    if depth > _MOST_DEPTH or at >= len(words) or words[at].text != "?":
        return value, at
    first, at = _chosen(words, at + 1, scopes, depth + 1)
    if words[at].text != ":":
        raise ValueError("no other choice")
    second, at = _chosen(words, at + 1, scopes, depth + 1)
    return (first if value else second) if isinstance(value, int) else None, at


def _value(
    words: Sequence[SourceWord], at: int, scopes: Sequence[Constants], level: int, depth: int
) -> tuple[Known, int]:
    """The value of the operators of a level and tighter ones, and where it ends."""
    value, at = _operand(words, at, scopes, depth)
    while at < len(words) and (own := _LEVELS.get(words[at].text, -1)) >= level:
        sign = words[at].text
        other, at = _value(words, at + 1, scopes, own + 1, depth)
        value = _applied(sign, value, other)
    return value, at


def _applied(sign: str, value: Known, other: Known) -> int | None:
    if not isinstance(value, int) or not isinstance(other, int) or abs(value) > _MOST:
        return None
    known = sign not in _BY_SIGN or min(value, other) >= 0
    return _OPERATORS[_LEVELS[sign]][sign](value, other) if known else None


def _operand(
    words: Sequence[SourceWord], at: int, scopes: Sequence[Constants], depth: int
) -> tuple[Known, int]:
    word = words[at]
    if depth > _MOST_DEPTH:
        raise ValueError("brackets within brackets")
    if word.text in ("-", "+", "~", "!"):
        value, end = _operand(words, at + 1, scopes, depth + 1)
        if not isinstance(value, int):
            return None, end
        return {"-": -value, "~": ~value, "!": int(not value)}.get(word.text, value), end
    if word.text == "(":
        if _is_cast(words, at):
            value, end = _operand(words, at + 3, scopes, depth + 1)
            return held(value, words[at + 1].text), end
        value, end = _chosen(words, at + 1, scopes, depth + 1)
        if words[end].text != ")":
            raise ValueError("a bracket stays open")
        return value, end + 1
    if word.text == "sizeof" and words[at + 1].text == "(":
        return _bytes(words, at, scopes)
    if word.text[0].isdigit():
        return _integer(word.text), at + 1
    if not word.is_name:
        raise ValueError("no operand")
    found = _called(words, at, scopes, depth) or _element(words, at, scopes, depth)
    return found or _named(words, at, scopes)


def _element(
    words: Sequence[SourceWord], at: int, scopes: Sequence[Constants], depth: int
) -> tuple[Known, int] | None:
    """``a[1]``, and how many elements there are: ``a.size()``, ``std::size(a)``; None for another
    expression."""
    texts = [one.text for one in words[at : at + 6]]
    if texts[:4] == ["std", "::", "size", "("] and texts[5:6] == [")"]:
        return _of_array(f"{texts[4]}[]", scopes), at + 6
    if texts[1:5] == [".", "size", "(", ")"]:
        return _of_array(f"{texts[0]}[]", scopes), at + 5
    if texts[1:2] != ["["]:
        return None
    index, end = _chosen(words, at + 2, scopes, depth + 1)
    if words[end].text != "]":
        raise ValueError("a bracket stays open")
    scope = next((one for one in reversed(scopes) if f"{texts[0]}[]" in one), {})
    return scope.get(f"{texts[0]}[{index}]"), end + 1


def _bytes(words: Sequence[SourceWord], at: int, scopes: Sequence[Constants]) -> tuple[Known, int]:
    """``sizeof(int)``; of an array in a scope also ``sizeof(a)`` and ``sizeof(a[0])``."""
    inside = [one.text for one in words[at + 2 : at + 7]]
    name = inside[0]
    if inside[1:2] == [")"]:
        many, each = _of_array(f"{name}[]", scopes), _of_array(f"sizeof {name}[]", scopes)
        whole = many * each if isinstance(many, int) and isinstance(each, int) else None
        return BYTES.get(name, whole), at + 4
    if inside[1:2] == ["["] and inside[3:5] == ["]", ")"]:
        return _of_array(f"sizeof {name}[]", scopes), at + 7
    return None, at + 4


def _of_array(what: str, scopes: Sequence[Constants]) -> Known:
    """What a scope says of an array, under the names of :mod:`bankwise.read.launch.arrays`."""
    return next((scope[what] for scope in reversed(scopes) if what in scope), None)


def _called(
    words: Sequence[SourceWord], at: int, scopes: Sequence[Constants], depth: int
) -> tuple[Known, int] | None:
    """``min(a, b)`` and ``max``, ``int(a)``, ``static_cast<T>(a)``; None for what is no call of
    these."""
    if words[at].text == "std" and words[at + 1].text == "::":
        at += 2
    name, at = words[at].text, at + 1
    if name not in _FUNCTIONS and name not in BYTES:
        return None
    kind = name
    if words[at].text == "<":
        while words[at].text != ">":
            at += 1
        kind, at = words[at - 1].text, at + 1
    if words[at].text != "(":
        return None
    values: list[Known] = []
    while words[at].text != ")":
        value, at = _chosen(words, at + 1, scopes, depth + 1)
        values.append(value)
        if words[at].text not in (",", ")"):
            raise ValueError("no argument")
    numbers = [one for one in values if isinstance(one, int)]
    whole = len(numbers) == len(values) == (2 if name in ("min", "max") else 1)
    whole &= name not in _BY_SIGN or min(numbers, default=0) >= 0
    return held(_FUNCTIONS.get(name, max)(numbers), kind) if whole else None, at + 1


def _is_cast(words: Sequence[SourceWord], at: int) -> bool:
    """Whether ``(int)`` stands before an operand."""
    inside, closes = words[at + 1].text, words[at + 2].text
    return closes == ")" and inside in BYTES and at + 3 < len(words)


def _named(words: Sequence[SourceWord], at: int, scopes: Sequence[Constants]) -> tuple[Known, int]:
    name, at = words[at].text, at + 1
    while at + 1 < len(words) and words[at].text == "::" and words[at + 1].is_name:
        name, at = f"{name}::{words[at + 1].text}", at + 2
    value = _said(name, scopes)
    while at + 1 < len(words) and words[at].text == ".":
        member, at = words[at + 1].text, at + 2
        axis = AXES.get(member)
        name = f"{name}.{member}"
        of_size = axis is not None and isinstance(value, tuple)
        value = value[axis] if of_size else _said(name, scopes)  # type: ignore[index]
    return value, at


def _said(name: str, scopes: Sequence[Constants]) -> Known:
    """What the innermost scope says that has a name, or the class or the variable that the name
    begins with."""
    begins = name.split("::")[0].split(".")[0]
    for scope in reversed(scopes):
        if name in scope or begins in scope:
            return scope.get(name)
    return _TRUTH.get(name)


def _integer(text: str) -> int | None:
    """A literal of C++; None for one of floating point."""
    digits = text.replace("'", "").rstrip("uUlLzZ") or "0"
    try:
        if digits[:2] in ("0x", "0X", "0b", "0B"):
            return int(digits, 0)
        return int(digits, 8) if len(digits) > 1 and digits[0] == "0" else int(digits)
    except ValueError:
        return None
