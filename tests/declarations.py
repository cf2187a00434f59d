"""A preprocessed header in its declarations, and those of them that a text needs.

    int f(int);  struct A { B* b; };  struct B;  float g();      of a header
    A* a;                                                        needs A, and with it B

A text needs what declares a name that stands in it, and what these need. That is more than a
compiler looks at, never less: names are compared, not what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

_TOKEN = re.compile(
    r'^\# (?P<line>\d+) (?P<file>"[^"\n]*")(?P<flags>.*)$|^\#.*$'
    r'|(?P<quoted>"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')'
    r"|(?P<word>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.'])*)|(?P<end>\n)|(?P<sign>\S)",
    re.MULTILINE,
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_PLACE = re.compile(r"^#.*", re.MULTILINE)
_WITH_WORDS = frozenset(
    _WORD.findall("""
    __attribute__ __declspec alignas __asm__ __asm asm noexcept throw decltype __typeof__
    """)
)
"""What stands in parentheses behind them is no list of parameters."""
_PLAIN = frozenset(
    _WORD.findall("""
    alignas alignof asm auto bool break case catch char class const const_cast constexpr
    continue decltype default do double dynamic_cast else enum explicit extern false final
    float for friend goto if inline int long mutable namespace noexcept nullptr operator
    override private protected public register reinterpret_cast return short signed sizeof
    static static_assert static_cast struct switch template this throw true try typedef
    typename union unsigned using virtual void volatile wchar_t while __inline__ __inline
    __extension__ __restrict__ __restrict __const __signed__ __volatile__ __asm__
    """)
)
"""Words that name nothing; ``new`` and ``delete`` name operators."""


class Declaration(NamedTuple):
    """``scope``: how the namespaces and languages that it stands in begin; ``place``: a line that
    says where; ``names``: what it declares, ``words``: all that stands in it."""

    scope: tuple[str, ...]
    place: str
    text: str
    names: frozenset[str]
    words: frozenset[str]


class Declarations(NamedTuple):
    """``every`` one in order, and their numbers ``by_name``."""

    every: Sequence[Declaration]
    by_name: Mapping[str, Sequence[int]]


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    place: str


def tokens(text: str) -> Iterator[Token]:
    """Those of a preprocessed text, each with the line that says where it stands."""
    line, rest = 1, '"" 3'
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup
        if kind == "flags":
            flags = " ".join(one for one in found["flags"].split() if one in "34")
            line, rest = int(found["line"]) - 1, f"{found['file']} {flags}"
        elif kind == "end":
            line += 1
        elif kind is not None:
            yield Token(kind, found[0], found.start(), f"# {line} {rest}\n")


def declarations(text: str) -> Declarations:
    """All of a text."""
    by_name: dict[str, list[int]] = {}
    every = list(_declarations(text))
    for number, one in enumerate(every):
        for name in one.names:
            by_name.setdefault(name, []).append(number)
    return Declarations(every, by_name)


def _declarations(text: str) -> Iterator[Declaration]:
    scope: list[str] = []
    mine: list[Token] = []
    stream = list(tokens(text))
    depth = 0
    for one, after in zip(stream, [*stream[1:], None], strict=True):
        if not mine and one.text == "}" and scope:
            scope.pop()
            continue
        mine.append(one)
        if one.text in ("(", "[", "{"):
            depth += 1
        elif one.text in (")", "]", "}"):
            depth -= 1
        if one.text == "{" and depth == 1 and _opens(mine):
            scope.append(re.sub(r"\n(?:#.*)?", " ", _text_of(text, mine)))
            mine, depth = [], 0
        elif depth == 0 and (one.text == ";" or (one.text == "}" and _ends(mine, after))):
            yield _declaration(text, tuple(scope), mine)
            mine = []


def _opens(mine: Sequence[Token]) -> bool:
    """Whether a brace opens a namespace, or what is of another language."""
    words = [one.text for one in mine]
    return "namespace" in words[:2] or (words[0] == "extern" and len(words) == 3)


def _ends(mine: Sequence[Token], after: Token | None) -> bool:
    """Whether a brace ends a declaration: of a function, behind which no ``;`` stands."""
    if after is not None and after.text == ";":
        return False
    return "(" in [one.text for one in _outer(mine)]


def _outer(mine: Sequence[Token]) -> Iterator[Token]:
    """What stands in no parentheses, of which the first is there, in no braces, and not between
    the signs of a template or in what speaks of attributes."""
    depth, angles = 0, 0
    for before, one in zip((None, *mine), mine, strict=False):
        said = before.text if before else ""
        if one.text in (")", "]", "}"):
            depth -= 1
        elif one.text in ("(", "[", "{"):
            depth += 1
            if depth == 1 and one.text == "(" and not angles and said not in _WITH_WORDS:
                yield one
        elif depth or one.text in _WITH_WORDS:
            continue
        elif one.text == "<" and (angles or said == "template"):
            angles += 1
        elif one.text == ">" and angles:
            angles -= 1
        elif not angles:
            yield one


def _text_of(text: str, mine: Sequence[Token]) -> str:
    return text[mine[0].start : mine[-1].start + len(mine[-1].text)]


def _declaration(text: str, scope: tuple[str, ...], mine: Sequence[Token]) -> Declaration:
    inside = _without_attributes(mine)
    words = frozenset(one.text for one in mine if one.kind == "word")
    names = frozenset(_names(inside)) - _PLAIN
    return Declaration(scope, mine[0].place, _text_of(text, mine), names, words - _PLAIN)


def _without_attributes(mine: Sequence[Token]) -> list[Token]:
    found: list[Token] = []
    depth, said = 0, False
    for one in mine:
        said = said or one.text == "__attribute__"
        if not said:
            found.append(one)
        depth += said * ((one.text == "(") - (one.text == ")"))
        said = said and (one.text != ")" or depth > 0)
    return found


def _names(mine: Sequence[Token]) -> Iterable[str]:
    """What a declaration declares, or more."""
    outer = [one.text for one in _outer(mine)]
    words = [one.text for one in mine if one.kind == "word"]
    braces = [n for n, one in enumerate(mine) if one.text == "}"]
    if "operator" in outer:
        called = outer[outer.index("operator") + 1]
        return (called,) if called in ("new", "delete") else _operands(mine)
    if "enum" in outer:
        return words
    if "using" in outer:
        return outer[: outer.index("=")][-1:] if "=" in outer else words[-1:]
    if {"class", "struct", "union"} & set(outer) and braces and not _calls(outer):
        tags = [one for one in outer if _WORD.fullmatch(one) and one not in _PLAIN]
        return *tags[:1], *(one.text for one in mine[braces[-1] :])
    if "(" in outer and "=" not in outer[: outer.index("(")]:
        return _names_of_function(mine, outer) or _called(mine)
    said = outer[: outer.index("=")] if "=" in outer else outer
    pairs = zip(said, [*said[1:], ";"], strict=True)
    return [one for one, after in pairs if _WORD.fullmatch(one) and after in ";,:<"]


def _operands(mine: Sequence[Token]) -> set[str]:
    """The types that an operator may be for: before its body."""
    signs = [one.text for one in mine]
    pairs = list(pairwise(mine[: signs.index("{")] if "{" in signs else mine))
    own = {after.text for one, after in pairs if one.text in ("class", "typename")}
    types = (one.text for one, after in pairs if after.kind == "word" or after.text in "&<")
    return set(types) - own


def _calls(outer: Sequence[str]) -> bool:
    """Whether parameters stand in it, before any base class."""
    base = next(
        (n for n, one in enumerate(outer) if one == ":" and outer[n + 1] != ":"), len(outer)
    )
    return "(" in outer[:base]


def _called(mine: Sequence[Token]) -> list[str]:
    pairs = pairwise(mine)
    return [one.text for one, after in pairs if one.kind == "word" and after.text == "("]


def _names_of_function(mine: Sequence[Token], outer: Sequence[str]) -> list[str]:
    """Also of a pointer to one, and of its class."""
    called = outer[: outer.index("(")]
    first = next(n for n, one in enumerate(mine) if one.text == "(")
    if outer[0] == "typedef" and mine[first + 1].text == "*":
        return [mine[first + 2].text]
    named = [one for one in called[-1:] if _WORD.fullmatch(one) and one not in _PLAIN]
    owners = [one for one, after in pairwise(called) if after in ":<"]
    return named and [*named, *owners]


def needed(known: Declarations, names: Iterable[str]) -> str:
    """The declarations, in their order, that texts with these words need."""
    chosen: set[int] = set()
    waiting = list(names)
    asked = set(waiting)
    while waiting:
        for number in known.by_name.get(waiting.pop(), ()):
            if number not in chosen:
                chosen.add(number)
                new = known.every[number].words - asked
                asked |= new
                waiting += new
    return "".join(_text(known.every[number]) for number in sorted(chosen))


def _text(one: Declaration) -> str:
    return f"{''.join(one.scope)}\n{one.place}{one.text}\n{'}' * len(one.scope)}\n"


def words_of(text: str) -> frozenset[str]:
    """All words of a preprocessed text but for those of lines that say where others stand."""
    return frozenset(_WORD.findall(_PLACE.sub("", text)))
