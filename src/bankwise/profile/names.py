"""One kernel under two names: mangled in the code, spelled out in the profile.

    _Z9transposeILi32EEvPKfPfi       void transpose<(int)32>(const float *, float *, int)
    matmul_dispatch_0_kernel         matmul_dispatch_0_kernel.kd
    _ZN4core4copyEPf                 core::copy(float *) [clone .kd]

Both are brought to the function's own name and the integers among its template arguments; types are
not compared. This is no demangler: two overloads that differ in types alone look alike.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from bankwise.regex import regex

_SUFFIX = regex(r"(?:\s*\[clone [^\]]*\]|\s*\(\.kd\)|\.kd)+$")
_LITERAL = regex(r"L[a-z](n?\d{1,20})E")
_ANONYMOUS = "(anonymous namespace)"


class FunctionName(Struct, frozen=True):
    """``base``: the function's own name; ``numbers``: template integers, None if not spelled."""

    base: str
    numbers: tuple[int, ...] | None = None


def plain(text: str) -> str:
    """The name without what loaders append (``.kd``, ``[clone .kd]``)."""
    return _SUFFIX.sub("", text.strip())


def name(text: str) -> FunctionName:
    """Read a mangled or spelled name; a text that is neither is its own base."""
    clean = plain(text)
    return _mangled(clean) if clean.startswith("_Z") else _spelled(clean)


def likeness(one: str, other: str) -> int:
    """How surely two names are one kernel: 3 the same text, 2 base and numbers, 1 base, 0 not."""
    if plain(one) == plain(other):
        return 3
    a, b = name(one), name(other)
    if a.base != b.base or not a.base:
        return 0
    if a.numbers is None or b.numbers is None:
        return 1
    return 2 if a.numbers == b.numbers else 0


def best(wanted: str, names: Sequence[str]) -> tuple[int, ...]:
    """The places of the names most like ``wanted``: one, several if none is better, or none."""
    scores = [likeness(wanted, one) for one in names]
    top = max(scores, default=0)
    return tuple(n for n, score in enumerate(scores) if score == top and top)


def _mangled(text: str) -> FunctionName:
    """``_Z`` [``N`` qualifiers] (length name)+ [``I`` arguments ``E``] ..."""
    rest = re.sub(r"^_ZN?[rVK]*", "", text)
    base = ""
    while (found := re.match(r"(\d{1,4})", rest)) and 0 < int(found[1]) <= len(rest) - found.end():
        size = int(found[1])
        base = rest[found.end() : found.end() + size]
        rest = rest[found.end() + size :]
        if rest.startswith("I"):
            break
    if not base:
        return FunctionName(text)
    if not rest.startswith("I"):
        return FunctionName(base, ())
    return FunctionName(base, tuple(int(n.replace("n", "-")) for n in _LITERAL.findall(rest)))


def _spelled(text: str) -> FunctionName:
    head, arguments = _head(text.replace(_ANONYMOUS, "anonymous"))
    base = re.split(r"::|\s", head.strip())[-1].lstrip("*&")
    if "(" not in text and "<" not in text:
        return FunctionName(base)
    return FunctionName(base, _integers(arguments))


def _head(text: str) -> tuple[str, str]:
    """The text before the parameters without template arguments, and the last such arguments."""
    depth, head, arguments = 0, "", ""
    for sign in text:
        if sign == "<":
            depth += 1
            arguments = arguments + sign if depth > 1 else ""
        elif sign == ">":
            depth -= 1
            arguments += sign if depth else ""
        elif depth:
            arguments += sign
        elif sign == "(":
            break
        else:
            arguments = "" if sign == ":" else arguments
            head += sign
    return head, arguments


def _integers(arguments: str) -> tuple[int, ...]:
    text = re.sub(r"\([\w ]+\)", " ", arguments)
    text = re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", text))
    return tuple(int(n) for n in re.findall(r"(?<![\w.])-?\d{1,20}(?![\w.])", text))
