"""The functions of the author's own headers that a source calls.

    #include "tile.cuh"
    load(A, tile);              load is defined once, in tile.cuh

What it is in the source's words has to be what it is in the header's: a function that says a macro
with parameters, or one that names a parameter of its own, is none of these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from bankwise.files import nearby
from bankwise.identity import ByIdentity
from bankwise.read.cxx.functions import definitions, parameters_of
from bankwise.read.cxx.tree import CxxSource, Node, parse, walk, without_comments
from bankwise.read.macro_lines import macro_lines
from bankwise.read.toolkit import of_compiler


class HeaderFunction(ByIdentity, frozen=True, eq=False):
    """A function of a header. ``whole``: its definition, from ``template`` on; ``order``: of those
    of all headers, in which the compiler sees them; ``namespaces``: from the outermost, "" for one
    without a name."""

    name: str
    header: CxxSource
    whole: Node
    order: tuple[int, int]
    namespaces: tuple[str, ...]

    @property
    def text(self) -> str:
        """As it stands in the header."""
        return self.header.of(self.whole)


class OwnHeaders(ByIdentity, frozen=True, eq=False):
    """The headers of a source by path, in the order in which they are included."""

    texts: Mapping[Path, str]
    macros: str = ""

    def function(self, name: str) -> HeaderFunction | str:
        """The one function of this name; else why there is none: there are several, or its text
        may mean something else in the source; "" where no header defines it."""
        word = re.compile(rf"\b{re.escape(name)}\s*\(")
        found: list[HeaderFunction] = []
        for number, (path, text) in enumerate(self.texts.items()):
            if word.search(text) and not of_compiler(str(path)):
                header = parse(text, nearby(path))
                for node in definitions(header, name):
                    found += [_function(name, header, node, number)]
        if len(found) > 1:
            return f"{len(found)} functions have its name"
        return next((self._own(one) or one for one in found), "")

    def _own(self, found: HeaderFunction) -> str:
        """Why a function may not say the same wherever it stands; empty if it does."""
        outer, text = found.whole.parent, without_comments(found.text.encode()).decode()
        while outer is not None:
            if outer.type not in _AROUND and not outer.type.startswith("preproc_if"):
                return "it is a member, or stands in another function"
            outer = outer.parent
        head, _, body = text.partition("{")
        if "#" in text.replace("#pragma", "") or any(c in found.text for c in "\r\ufffd"):
            return "lines of the preprocessor, or other ends of lines, stand in it"
        if "__global__" in head:
            return "it is a kernel"
        if own := _OWN.search(body):
            return f"it has {own[0]} variables"
        names = _parameters(found)
        for macro, taken, value in self._macros():
            said = re.search(rf"\b{re.escape(macro)}\b", text)
            if said and (taken or names & set(_words(value))):
                return f"it uses the macro {macro}"
        return ""

    def _macros(self) -> list[tuple[str, bool, str]]:
        """All macros: the name, whether it takes something, and what it is."""
        found = []
        for text in (self.macros, *self.texts.values()):
            found += [(one.name, one.taken is not None, one.body) for one in macro_lines(text)]
        return found


_AROUND = frozenset(
    {*("translation_unit", "namespace_definition", "declaration_list"), "preproc_else"}
)
_OWN = re.compile(r"\b(?:__shared__|static)\b(?!_)")
"""What a copy of a function would have once more."""


_SHARED = re.compile(r"\b__shared__\b[^;{}()]*;")


def declares_shared(text: str) -> bool:
    """Whether a text declares shared memory."""
    return _SHARED.search(without_comments(text.encode()).decode()) is not None


def that_declare_shared(texts: Mapping[Path, str]) -> tuple[Path, ...]:
    """The author's headers that declare shared memory."""
    return tuple(
        path for path, text in texts.items() if not of_compiler(str(path)) and declares_shared(text)
    )


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", text)


def _parameters(found: HeaderFunction) -> set[str]:
    every = (node for one in parameters_of(found.whole) for node in walk(one))
    return {found.header.of(node) for node in every if node.type == "identifier"}


def _function(name: str, header: CxxSource, node: Node, number: int) -> HeaderFunction:
    while node.parent is not None and node.parent.type == "template_declaration":
        node = node.parent
    spaces: list[str] = []
    outer = node.parent
    while outer is not None:
        if outer.type == "namespace_definition":
            called = outer.child_by_field_name("name")
            spaces.insert(0, "" if called is None else header.of(called))
        outer = outer.parent
    return HeaderFunction(name, header, node, (number, node.start_byte), tuple(spaces))
