"""A CK header as a syntax tree: the branches of ``#if`` decided, what is no C++ blanked.

Blanks keep every byte where it is, so a place in the tree is a place in the author's text.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping

from msgspec import Struct, field

from bankwise.errors import InputError, Location
from bankwise.identity import ByIdentity
from bankwise.notation.ck.text import COMPARISONS, PRODUCTS, SUMS, Operators
from bankwise.read.cxx.tree import CxxSource, Node, named, parse

_NO_CXX = re.compile(
    rb"\bCK_TILE_(?:HOST_DEVICE|DEVICE|HOST)(?:_EXTERN)?\b"
    rb"|\btypename(?=\s+\w+\s*(?:<[^<>]*>)?::)"
    rb"|(?<=::)\s*template\b|(?<=\.)\s*template\b|\bconstexpr(?=\s*\()"
)
"""Qualifiers by macro, and words that say what a name is: the tree needs neither."""
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(\w+)((?:\\\r?\n|[^\n])*)", re.MULTILINE)
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_QUOTED = re.compile(rb'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n]){1,4}\'')
_WORD = re.compile(r"[A-Za-z_]\w*")
_ARITHMETIC = re.compile(r"[\d\s()+\-*/%<>=!&|]*")
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_COMPILER = {"__HIPCC__": "1", "__HIP_DEVICE_COMPILE__": "1", "__HIP_PLATFORM_AMD__": "1"}
"""What the compiler of a kernel defines, whatever the target."""


class CkHeader(ByIdentity, frozen=True, eq=False):
    """A header. ``macros``: that stand for a text; ``assumed``: macros that ``#if`` asks about and
    nobody defines, taken as not defined."""

    source: CxxSource
    macros: Mapping[str, str] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()


def parse_header(text: str, file: str, target: str, given: Mapping[str, str]) -> CkHeader:
    """The tree of a header for a target; ``given``: macros whose value the user says.

    Raises :class:`InputError` for an ``#if`` that does not end, and for braces that do not match.
    """
    chip = f"__{target}__"
    macros = {**_COMPILER, chip: "1", chip[:6] + "__": "1", **given}
    data, assumed = _decided(text.encode(), macros, file)
    _check_braces(data, file)
    plain = _NO_CXX.sub(_blank, data)
    return CkHeader(parse(plain.decode(), file), macros, assumed)


def _check_braces(data: bytes, file: str) -> None:
    """:class:`InputError` where a text ends inside a brace, or closes one that is not open: the
    tree forgives it, and functions would be lost in silence."""
    plain = _QUOTED.sub(_blank, _COMMENT.sub(_blank, data))
    open_: list[int] = []
    for found in re.finditer(rb"[{}]", plain):
        if found[0] == b"{":
            open_.append(found.start())
        elif open_:
            open_.pop()
        else:
            raise InputError(
                "a brace is closed that is not open", location=_line(data, found.start(), file)
            )
    if open_:
        many = f"{len(open_)} braces are" if len(open_) > 1 else "a brace is"
        raise InputError(
            f"{many} never closed, the last of them here",
            location=_line(data, open_[-1], file),
            hint="is the text cut off, or is a part of it missing?",
        )


def _blank(found: re.Match[bytes]) -> bytes:
    return blanks(found[0])


def _line(data: bytes, at: int, file: str) -> Location:
    begin = data.rfind(b"\n", 0, at) + 1
    return Location(file, data.count(b"\n", 0, at) + 1, len(data[begin:at].decode()) + 1)


def blanks(text: bytes) -> bytes:
    """As many bytes that mean nothing, on as many lines."""
    return re.sub(rb"[^\n]", b" ", text)


class _OpenDirective(Struct):
    """One ``#if`` that is open. ``live``: what stands here is compiled; ``done``: a branch of it
    was; ``outside``: whether the whole of it is."""

    live: bool
    done: bool
    outside: bool


def _decided(data: bytes, macros: dict[str, str], file: str) -> tuple[bytes, tuple[str, ...]]:
    """The text without directives and dead branches; adds to ``macros`` what it defines."""
    done: list[bytes] = []
    assumed: dict[str, None] = {}
    at = 0
    open_: list[_OpenDirective] = []
    commentless = _COMMENT.sub(_blank, data)
    for found in _DIRECTIVE.finditer(commentless):
        live = all(one.live for one in open_)
        part = data[at : found.start()]
        done += [part if live else blanks(part), blanks(data[found.start() : found.end()])]
        at = found.end()
        word, rest = found[1].decode(), found[2].decode(errors="replace").replace("\\\n", " ")
        _direct(word, rest.strip(), open_, live, macros, assumed)
    if open_:
        raise InputError("an #if without its #endif", location=Location(file))
    return b"".join((*done, data[at:])), tuple(assumed)


def _direct(
    word: str,
    rest: str,
    open_: list[_OpenDirective],
    live: bool,
    macros: dict[str, str],
    assumed: dict[str, None],
) -> None:
    """One directive."""
    if word in ("if", "ifdef", "ifndef"):
        condition = {"if": "{}", "ifdef": "defined({})", "ifndef": "!defined({})"}[word]
        holds = live and _holds(condition.format(rest), macros, assumed)
        open_.append(_OpenDirective(holds, holds, live))
    elif word in ("elif", "else") and open_:
        one = open_[-1]
        wanted = one.outside and not one.done
        one.live = wanted and (word == "else" or _holds(rest, macros, assumed))
        one.done = one.done or one.live
    elif word == "endif" and open_:
        open_.pop()
    elif word == "define" and live:
        name = _WORD.match(rest)
        if name and not rest[name.end() :].startswith("("):
            macros[name[0]] = rest[name.end() :].strip()
    elif word == "undef" and live:
        macros.pop(rest, None)


def _holds(condition: str, macros: Mapping[str, str], assumed: dict[str, None]) -> bool:
    """Whether a condition of the preprocessor holds; what nobody defines is 0 there."""

    def defined(found: re.Match[str]) -> str:
        return str(int(_known(found[1] or found[2], macros, assumed) is not None))

    def value(found: re.Match[str]) -> str:
        text = _known(found[0], macros, assumed)
        return text if text and text.isdigit() else "0"

    text = _WORD.sub(value, _DEFINED.sub(defined, condition))
    if not _ARITHMETIC.fullmatch(text):
        return False
    root = parse(f"int x = ({text});", "#if").root
    declared = named(root)[0].child_by_field_name("declarator")
    return bool(arithmetic(declared and declared.child_by_field_name("value")))


def _known(name: str, macros: Mapping[str, str], assumed: dict[str, None]) -> str | None:
    if name not in macros:
        assumed[name] = None
    return macros.get(name)


OPERATORS: Operators = {
    **SUMS,
    **PRODUCTS,
    **COMPARISONS,
    "&&": lambda a, b: int(bool(a and b)),
    "||": lambda a, b: int(bool(a or b)),
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": lambda a, b: a << b if 0 <= b < 63 else 1 << 63,
    ">>": lambda a, b: a >> min(max(b, 0), 63),
}
"""C++ on whole numbers."""


def arithmetic(node: Node) -> int:
    """A condition of the preprocessor; what is no arithmetic is 0."""
    if node is None:
        return 0
    children = named(node)
    match node.type:
        case "number_literal":
            return int(node.text.decode(), 0) if node.text.isdigit() else 0
        case "parenthesized_expression":
            return arithmetic(children[0])
        case "unary_expression":
            inner = arithmetic(children[0])
            return int(not inner) if node.children[0].type == "!" else -inner
        case "binary_expression":
            sign = node.child_by_field_name("operator").type
            left, right = (arithmetic(node.child_by_field_name(s)) for s in ("left", "right"))
            return 0 if sign in "/%" and not right else OPERATORS[sign](left, right)
    return 0
