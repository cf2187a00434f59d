"""CUDA and HIP C++ as a syntax tree that forgives: macros, templates and errors stay local.

A compiler's own tree is exact and shows one instantiation behind the preprocessor; what is to be
edited is the text that the author sees. So the text is parsed as it stands (tree-sitter), places
are bytes of its UTF-8, and whatever a name hides behind a macro is looked for separately
(:mod:`bankwise.read.cxx.arrays`). The proof of an edit never rests on the tree alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import merge
from typing import Any

from msgspec import Struct

from bankwise.errors import Location
from bankwise.identity import ByIdentity
from bankwise.read.cxx.array_pointers import as_type, types_of_pointers
from bankwise.read.extra import extra
from bankwise.read.macro_lines import macro_lines

_ATTRIBUTES = re.compile(rb"\b__align__\s*\([^()\n]*\)|\b__(?:restrict|noinline|inline_hint)__\b")
"""What the grammar does not know and what names no variable: blanks of the same length."""

UNROLL = re.compile(
    rb"(?<!\\\n)^[ \t]*#[ \t]*pragma[ \t]+(?:no)?unroll\b[ \t]*(\(?[\w \t]*\)?)[ \t]*\r?$", re.M
)
"""A line that asks for a loop to be unrolled, or not. To the grammar it is a statement, so a loop
whose body begins with one would have no body: blanks as well."""

Node = Any
"""A node of tree-sitter: ``type``, ``children``, ``start_byte``, ``end_byte``, ``parent``."""


class ByteSpan(Struct, frozen=True, order=True):
    """Bytes of a text, the end excluded."""

    start: int
    stop: int

    def holds(self, inner: ByteSpan) -> bool:
        """Whether another span lies in this one."""
        return self.start <= inner.start and inner.stop <= self.stop


def one_line(text: str) -> str:
    """A text without its line breaks, of which C++ knows no more than of a space."""
    return " ".join(text.split())


class CxxSource(ByIdentity, frozen=True, eq=False):
    """A text with its tree. ``file``: what the user calls it; ``lines``: where each of its lines
    really stands, if some are another file's; ``beside``: the headers whose macros it can use, by
    name, and their texts."""

    file: str
    text: str
    data: bytes
    root: Node
    lines: tuple[Location, ...] = ()
    beside: tuple[tuple[str, str], ...] = ()

    def of(self, node: Node | ByteSpan) -> str:
        """The text of a node or of a span."""
        start, stop = (
            (node.start, node.stop)
            if isinstance(node, ByteSpan)
            else (node.start_byte, node.end_byte)
        )
        return self.data[start:stop].decode()

    def shown(self, node: Node | ByteSpan) -> str:
        """The same in one line, for a message."""
        return one_line(self.of(node))

    def place(self, byte: int) -> Location:
        """Line and column of a byte, from 1."""
        at = self.line(self.data.count(b"\n", 0, byte) + 1)
        begin = self.data.rfind(b"\n", 0, byte) + 1
        return Location(at.file, at.line, len(self.data[begin:byte].decode()) + 1)

    def byte(self, place: Location) -> int:
        """The first byte that stands at a line and column; of a line that is there several times,
        as in copies, at the first."""
        known = enumerate(self.lines, 1)
        same = (n for n, at in known if (at.file, at.line) == (place.file, place.line))
        number = next(same, place.line)
        begin = 0
        for _ in range(number - 1):
            begin = self.data.find(b"\n", begin) + 1
        line = self.data[begin:].split(b"\n", 1)[0].decode()
        return begin + len(line[: place.column - 1].encode())

    def line(self, number: int) -> Location:
        """Where a line of the text stands."""
        known = 0 < number <= len(self.lines)
        return self.lines[number - 1] if known else Location(self.file, number)


def parse(
    text: str,
    file: str,
    lines: tuple[Location, ...] = (),
    beside: tuple[tuple[str, str], ...] = (),
) -> CxxSource:
    """The tree of a source. Raises :class:`bankwise.errors.InputError` without tree-sitter."""
    data = text.encode()
    plain = data
    for ignored in (_ATTRIBUTES, UNROLL):
        plain = ignored.sub(lambda found: b" " * len(found[0]), plain)
    for start, stop in _inside_macros(plain):
        plain = plain[:start] + _one_line(plain[start:stop]) + plain[stop:]
    for start, stop in types_of_pointers(without_comments(plain)):
        plain = plain[:start] + as_type(stop - start) + plain[stop:]
    for at in _ended(plain, [one.encode() for _, one in beside]):
        plain = plain[:at] + b";" + plain[at + 1 :]
    return CxxSource(file, text, data, _parser().parse(plain).root_node, lines, beside)


def _inside_macros(text: bytes) -> Iterator[tuple[int, int]]:
    """The comments that stand amid a macro's text, behind which the grammar sees no more of it."""
    if not _AMID.search(text):
        return
    plain = without_comments(text)
    for one in macro_lines(plain.decode(_BYTES)):
        start, stop = one.whole
        stop = start + len(plain[start:stop].rstrip())
        for found in _COMMENT.finditer(text, start, stop):
            if found[0].startswith(b"/*") and found.end() <= stop:
                yield found.span()


def _one_line(comment: bytes) -> bytes:
    """Blanks in place of a comment, in as many lines, which are one to the preprocessor."""
    *before, last = comment.split(b"\n")
    lines = (b" " * (len(one) - 1) + b"\\\n" if one else b" " for one in before)
    return b"".join(lines) + b" " * len(last)


_AMID = re.compile(rb"#[ \t]*define\b(?:\\\r?\n|[^\n])*/\*")

_BYTES = "latin-1"
"""In which each byte is a letter, so places are those of the bytes."""


def _ended(text: bytes, headers: Sequence[bytes]) -> Iterator[int]:
    """The blanks behind calls of macros that end a statement by themselves, where none stands
    behind the call: ``LOAD(v, p) ((float4*)s)[t] = v;`` is no call of what LOAD gives. Macros of
    the text, and of its ``headers``."""
    bodies: dict[bytes, list[bytes]] = defaultdict(list)
    spans: list[tuple[int, int]] = []
    for whole in (text, *headers):
        for one in macro_lines(whole.decode(_BYTES)):
            if one.taken is not None:
                body = without_comments(one.body.encode(_BYTES)).rstrip()
                bodies[one.name.encode(_BYTES)].append(body)
                spans += [one.whole] * (whole is text)
    ending = [name for name, some in bodies.items() if all(map(_ends_itself, some))]
    if not ending:
        return
    plain = without_comments(text)
    for call in re.finditer(rb"\b(?:" + b"|".join(ending) + rb")\s*\(", plain):
        if any(start <= call.start() < stop for start, stop in spans):
            continue
        behind = _closed(plain, call.end())
        blank = re.compile(rb"\s*").match(text, behind)
        after = text[blank.end() : blank.end() + 1] if blank else b""
        if blank and blank[0] and after not in (b";", b"#", b""):
            yield behind + max(0, *(blank[0].find(one) for one in (b" ", b"\t")))


def _ends_itself(body: bytes) -> bool:
    """Whether what a macro stands for is a statement that wants no semicolon, as a block does."""
    body = body.strip()
    return body.endswith(b";") or (body[:1] + body[-1:] == b"{}" and b";" in body)


def _closed(text: bytes, begin: int) -> int:
    """Behind the parenthesis that closes the one before a byte; the end where none does."""
    depth = 1
    for sign in re.compile(rb"[()]").finditer(text, begin):
        depth += 1 if sign[0] == b"(" else -1
        if not depth:
            return sign.end()
    return len(text)


@lru_cache(maxsize=1)
def _parser() -> Node:
    tree_sitter = extra("tree_sitter", "cuda")
    language = extra("tree_sitter_cuda", "cuda").language()
    return tree_sitter.Parser(tree_sitter.Language(language))


_HEAD = b"void f(){"


_COMMENT = re.compile(
    rb"""//(?:\\\r?\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)
"""A comment, or what may hold the signs of one."""


def _blank(found: re.Match[bytes]) -> bytes:
    return b" " * len(found[0])


def without_comments(text: bytes) -> bytes:
    """A text with blanks in place of comments."""
    return _COMMENT.sub(lambda one: _blank(one) if one[0].startswith(b"/") else one[0], text)


def macro_text(source: CxxSource, macro: Node) -> str:
    """What a macro stands for, comments as blanks; empty if it is nothing."""
    value = macro.child_by_field_name("value")
    if value is None:
        return ""
    return without_comments(source.data[value.start_byte : value.end_byte]).decode("utf-8")


@lru_cache(maxsize=64)
def _body(source: CxxSource, start: int, stop: int) -> Node:
    """A macro's text as a statement, at its own bytes: a tree of its own."""
    body = re.sub(rb"\\\r?\n", _blank, without_comments(source.data[start:stop]))
    return _parser().parse(_HEAD.rjust(start) + body + b";}").root_node


def in_macro(source: CxxSource, inside: ByteSpan) -> bool:
    """Whether a place is in the text of a macro."""
    node = source.root.descendant_for_byte_range(inside.start, inside.stop)
    return bool(node is not None and node.type == "preproc_arg")


def node_at(source: CxxSource, inside: ByteSpan) -> Node:
    """The smallest expression that holds a place, also in the text of a macro."""
    node = source.root.named_descendant_for_byte_range(inside.start, inside.stop)
    if node is None or node.type != "preproc_arg" or node.start_byte < len(_HEAD):
        return node
    body = _body(source, node.start_byte, node.end_byte)
    return body.named_descendant_for_byte_range(inside.start, inside.stop)


def span(node: Node) -> ByteSpan:
    """Where a node stands."""
    return ByteSpan(node.start_byte, node.end_byte)


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, in the order of the text."""
    left = [node]
    while left:
        yield (one := left.pop())
        if one.child_count:  # half of all nodes are leaves
            left += one.children[::-1]


def every(source: CxxSource, *types: str) -> Iterator[Node]:
    """The nodes of some types of a whole source, in the order of its text: found once for all."""
    known = _by_type(source)
    yield from (one for _, one in merge(*(known.get(one, ()) for one in types), key=_number))


def _number(one: tuple[int, Node]) -> int:
    return one[0]


@lru_cache(maxsize=4)
def _by_type(source: CxxSource) -> Mapping[str, list[tuple[int, Node]]]:
    """All nodes, each with its number in the order of the text."""
    found: dict[str, list[tuple[int, Node]]] = defaultdict(list)
    for number, node in enumerate(walk(source.root)):
        found[node.type].append((number, node))
    return found


def mentions(source: CxxSource, within: Node, name: str) -> Sequence[Node]:
    """The identifiers ``name`` in a node, in the order of the text: found once for all names."""
    known = _identifiers(source)
    if within not in known:
        found: dict[str, list[Node]] = defaultdict(list)
        for node in walk(within):
            if node.type == "identifier":
                found[source.of(node)].append(node)
        known[within] = found
    return known[within].get(name, ())


@lru_cache(maxsize=4)
def _identifiers(source: CxxSource) -> dict[Node, Mapping[str, Sequence[Node]]]:
    """By node those that were asked for in it, by their text."""
    return {}


_SILENT = frozenset({"comment", "string_literal", "field_identifier"})
_DEFINES = ("preproc_def", "preproc_function_def")


@lru_cache(maxsize=4)
def silent(source: CxxSource, within: Node) -> frozenset[int]:
    """The bytes in a node whose words name no variable: of comments, texts, members, and of the
    text of macros that are defined there. ``source``: whose node it is."""
    found: set[int] = set()
    for node in walk(within):
        if node.type in _SILENT or (node.type == "preproc_arg" and node.parent.type in _DEFINES):
            found.update(range(node.start_byte, node.end_byte))
    return frozenset(found)


def named(node: Node) -> list[Node]:
    """The children that are no punctuation and no comments."""
    return [child for child in node.named_children if child.type != "comment"]


def inside_parentheses(node: Node) -> Node:
    """The expression without the parentheses around it."""
    while node.type == "parenthesized_expression" and len(named(node)) == 1:
        node = named(node)[0]
    return node


def around(node: Node) -> Node:
    """The parent, parentheses not counted; None at the root."""
    parent = node.parent
    while parent is not None and parent.type == "parenthesized_expression":
        parent = parent.parent
    return parent


PARAMETERS = ("parameter_declaration", "optional_parameter_declaration")
"""Nodes that declare a parameter of a function: one that a call gives, or may give."""


def is_parameter(name: Node) -> bool:
    """Whether a name stands where it is declared as a parameter, with a first value or without."""
    parent = around(name)
    return parent.type in PARAMETERS and parent.child_by_field_name("declarator") == name


def in_template(source: CxxSource, inside: ByteSpan) -> bool:
    """Whether a place is inside of a template."""
    node = source.root.named_descendant_for_byte_range(inside.start, inside.stop)
    while node is not None and node.type != "template_declaration":
        node = node.parent
    return node is not None


def words(source: CxxSource, name: str) -> Iterator[int]:
    """Every byte at which an identifier ``name`` stands, in whatever context, strings as well."""
    for found in re.finditer(
        rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])", source.data
    ):
        yield found.start()


_BLOCKS = frozenset(
    {
        *("compound_statement", "declaration_list", "for_statement", "for_range_loop"),
        *("if_statement", "while_statement", "switch_statement"),
    }
)


def block_of(node: Node) -> Node:
    """The block, the statement with a head, or the file in which a declaration holds."""
    while node.parent is not None:
        node = node.parent
        if node.type in _BLOCKS:
            return node
    return node


def called(source: CxxSource, call: Node) -> str:
    """The name of what is called, without what it is qualified or instantiated with."""
    node = call.child_by_field_name("function")
    while node.child_by_field_name("name") is not None:
        node = node.child_by_field_name("name")
    return source.of(node)
