"""What macros of a source's headers do: they are no text of the source, and stand for some.

    ptx.h       #define LDSM(v, p) asm("ldmatrix.. {%0}, [%1];" : "=r"(v) : "r"(p))
    kernel.cu   LDSM(v, address);               moves what the instruction moves
    put.h       #define PUT(i) tile[i] = 0      names an array of whoever uses it
    kernel.cu   #include "body.inc"             amid a kernel: text of it that stands elsewhere

Headers that nobody found are not looked at: what they define is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from bankwise.errors import Refusal
from bankwise.read.cxx.tree import (
    CxxSource,
    Node,
    every,
    macro_text,
    named,
    parse,
    without_comments,
    words,
)
from bankwise.read.macro_lines import macro_lines

_INCLUDE = re.compile(r'#[ \t]*include[ \t]*["<]([^">\n]+)[">]')
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
_NAME = re.compile(r"[A-Za-z_]\w*")


class HeaderMacro(Struct, frozen=True):
    """A macro as a header defines it. ``says``: the names in its text that are no parameters."""

    name: str
    file: str
    text: str
    says: frozenset[str]


def header_macros(source: CxxSource, name: str) -> list[tuple[CxxSource, Node]]:
    """The macros with parameters that headers define by a name, each as a text of its own."""
    found = (parse(one.text, one.file) for one in _defined(source) if one.name == name)
    return [(one, node) for one in found for node in every(one, "preproc_function_def")]


def named_by_headers(
    source: CxxSource, name: str, scope: Node, begin: int = 0
) -> Iterator[Refusal]:
    """Where text of a header names a variable or a function: it stands for a macro that is used in
    the scope, behind a byte, or it is included there."""
    if not source.beside:
        return
    start, stop = max(begin, scope.start_byte), scope.end_byte
    for word, macro in _saying(source, name).items():
        at = next((byte for byte in words(source, word) if start <= byte < stop), None)
        if at is not None:
            why = f"the macro {word} of {Path(macro.file).name} names {name}"
            yield Refusal(why, source.place(at))
    for node in every(source, "preproc_include"):
        path = source.of(node.child_by_field_name("path")).strip('<">')
        if start <= node.start_byte < stop and name in _words_in(source, path, frozenset()):
            why = f"{path}, which is included here, says {name}"
            yield Refusal(why, source.place(node.start_byte))


@lru_cache(maxsize=4)
def _defined(source: CxxSource) -> tuple[HeaderMacro, ...]:
    """Every macro of the headers, in order."""
    found: list[HeaderMacro] = []
    for file, text in source.beside:
        plain = without_comments(text.encode()).decode()
        for one in macro_lines(plain):
            said = _names(one.body.replace("\\", " ")) - _names(one.taken or "")
            found.append(HeaderMacro(one.name, file, f"{plain[slice(*one.whole)]}\n", said))
    return tuple(found)


def _names(text: str) -> frozenset[str]:
    return frozenset(_NAME.findall(_STRING.sub(" ", text)))


def _saying(source: CxxSource, name: str) -> Mapping[str, HeaderMacro]:
    """Macros by name whose text comes to say a name: that of a header does, or says a macro that
    does, one of the source's own as well."""
    found = {one.name: one for one in _defined(source) if name in one.says and one.name != name}
    left = list(found) if found else []
    own = _own(source) if found else {}
    while left:
        word = left.pop()
        said = {one.name: one for one in _defined(source) if word in one.says}
        said |= {one: found[word] for one, says in own.items() if word in says}
        new = {one: macro for one, macro in said.items() if one not in found}
        found |= new
        left += new
    return found


def _own(source: CxxSource) -> dict[str, frozenset[str]]:
    """The macros of the source itself, and the names in their texts that are no parameters."""
    found: dict[str, frozenset[str]] = {}
    for node in every(source, "preproc_def", "preproc_function_def"):
        taken = node.child_by_field_name("parameters")
        mine = {source.of(one) for one in named(taken)} if taken is not None else set[str]()
        word = source.of(node.child_by_field_name("name"))
        found[word] = found.get(word, frozenset()) | (_names(macro_text(source, node)) - mine)
    return found


def _words_in(source: CxxSource, path: str, seen: Set[str]) -> frozenset[str]:
    """The names in a header that is included by a path, and in those that it includes."""
    found = frozenset[str]()
    for file, text in source.beside:
        if file in seen or not f"/{Path(file).as_posix()}".endswith(f"/{Path(path).as_posix()}"):
            continue
        plain = without_comments(text.encode()).decode()
        inner = (_words_in(source, one, {*seen, file}) for one in _INCLUDE.findall(plain))
        found = found.union(_names(plain), *inner)
    return found
