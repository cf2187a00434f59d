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

    def function(self, name: str) -> HeaderFunction | None:
        """The one function of this name; None where there is none, where there are several, and
        where its text may mean something else in the source."""
        word = re.compile(rf"\b{re.escape(name)}\s*\(")
        found: list[HeaderFunction] = []
        for number, (path, text) in enumerate(self.texts.items()):
            if word.search(text) and not of_compiler(str(path)):
                header = parse(text, nearby(path))
                for node in definitions(header, name):
                    found += [_function(name, header, node, number)]
        return found[0] if len(found) == 1 and self._plain(found[0]) else None

    def _plain(self, found: HeaderFunction) -> bool:
        """Whether a function of the file or of a namespace says the same wherever it stands."""
        outer, text = found.whole.parent, without_comments(found.text.encode()).decode()
        while outer is not None:
            if outer.type not in _AROUND and not outer.type.startswith("preproc_if"):
                return False
            outer = outer.parent
        head, _, body = text.partition("{")
        if "\r" in text or "#" in text.replace("#pragma", "") or "__global__" in head:
            return False
        if _OWN.search(body):
            return False
        names = _parameters(found)
        return not any(
            re.search(rf"\b{re.escape(macro)}\b", text) and (taken or names & set(_words(value)))
            for macro, taken, value in self._macros()
        )

    def _macros(self) -> list[tuple[str, bool, str]]:
        """All macros: the name, whether it takes something, and what it is."""
        found = []
        for text in (self.macros, *self.texts.values()):
            for one in _DEFINE.finditer(text.replace("\\\n", "  ")):
                found.append((one[1], bool(one[2]), one[3]))
        return found


_AROUND = frozenset(
    {*("translation_unit", "namespace_definition", "declaration_list"), "preproc_else"}
)
_OWN = re.compile(r"\b(?:__shared__|static)\b(?!_)")
"""What a copy of a function would have once more."""
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\()?(.*)", re.MULTILINE)


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
