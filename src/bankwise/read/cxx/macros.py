"""Macros of the file that name an array.

One is followed where it is one element, with all its indices: a use in the macro's own text.

    #define S(i, j) s[(i)][(j)]          S(t, 3) is the element of the array s that is in scope
    #define s(i, j) s[(i) * 32 + (j)]    so is s(t, 3); where no bracket follows, s is the array

So is one that does something with elements and is a statement wherever it stands.

    #define PUT(i, v) s[i] = v           PUT(t, 0);
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.cxx.functions import macros_named
from bankwise.read.cxx.stable import acts
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    inside_parentheses,
    macro_text,
    named,
    node_at,
    span,
    walk,
    words,
)


class NamingMacro(ByIdentity, frozen=True, eq=False):
    """A macro of the file that names an array. ``element``: the one that it is, as it stands in its
    text; else it is a statement, and names the array where ``mentions`` are; ``taken``: its
    parameters; ``calls``: where it is used in the array's scope."""

    word: str
    element: Node
    mentions: tuple[Node, ...]
    taken: tuple[str, ...]
    calls: tuple[Node, ...]


def macros_with_elements(
    source: CxxSource, name: str, rest: int, scope: Node, begin: int
) -> Iterator[NamingMacro | Refusal]:
    """The macros of the file that name elements of an array of ``rest`` extents: one that is
    defined several times in the same words is used each time, since which one holds the
    preprocessor knows. A Refusal for each macro that does anything else."""
    for macro in macros_named(source, name):
        word = source.of(macro.child_by_field_name("name"))
        if _is_unused(source, word):
            continue
        element, defined = _element_of(source, macro, name, rest), _defined(source, word)
        mentions = () if element is not None else _mentions_in(source, macro, name)
        hidden = any(one not in defined for one in macros_named(source, word))
        none = element is None and not mentions
        if none or hidden or len({macro_words(source, one) for one in defined}) != 1:
            why = f"the macro {word} names {name}"
            yield Refusal(why, source.place(macro.start_byte))
            continue
        own = {one.child_by_field_name("name").start_byte for one in defined}
        calls = {
            node.start_byte: node
            for node in walk(scope)
            if node.type == "call_expression"
            and source.of(node.child_by_field_name("function")) == word
            and not node.has_error
        }
        spoken = [at for at in words(source, word) if at not in own]
        inside = [at for at in spoken if max(begin, scope.start_byte) <= at < scope.end_byte]
        for byte in inside:
            if word != name and byte not in calls and not _said(source, byte):
                why = f"{word} stands where the syntax tree shows no use of it"
                yield Refusal(why, source.place(byte))
        used = tuple(calls[at] for at in inside if at in calls)
        yield NamingMacro(word, element, mentions, _taken(source, macro), used)


def _is_unused(source: CxxSource, word: str) -> bool:
    """Whether nothing but definitions says a macro, in the file and in its headers."""
    own = {
        one.child_by_field_name("name").start_byte
        for one in _defined(source, word)
        if one.type in ("preproc_def", "preproc_function_def")
    }
    said = re.compile(rf"\b{re.escape(word)}\b")
    return set(words(source, word)) == own and not any(said.search(t) for _, t in source.beside)


def said_twice(source: CxxSource, macro: NamingMacro, indices: Sequence[ByteSpan]) -> str:
    """What an argument of a macro does beside having a value, where an index in its text says it;
    empty if none does anything."""
    words_ = set(re.findall(r"\w+", " ".join(map(source.of, indices))))
    places = [n for n, taken in enumerate(macro.taken) if taken in words_]
    given = (named(call.child_by_field_name("arguments")) for call in macro.calls)
    every = (span(some[n]) for some in given for n in places if n < len(some))
    return next(filter(None, (acts(source, one) for one in every)), "")


def _taken(source: CxxSource, macro: Node) -> tuple[str, ...]:
    return tuple(source.of(one) for one in named(macro.child_by_field_name("parameters")))


def _mentions_in(source: CxxSource, macro: Node, name: str) -> tuple[Node, ...]:
    """Where the text of a macro names an array, if that is statements that declare numbers at most,
    and whoever uses it finds the array in them and nothing else; none where that is not so."""
    root = _tree_of(source, macro)
    if root is None or any(one.type in _SCOPED or _holds_place(one) for one in walk(root)):
        return ()
    body = macro_text(source, macro)
    found = [n for n in walk(root) if n.type == "identifier" and source.of(n) == name]
    whole = len(found) == len(re.findall(rf"\b{re.escape(name)}\b", body))
    return tuple(found) * whole


_SCOPED = frozenset(
    {
        *("lambda_expression", "labeled_statement", "goto_statement"),
        *("return_statement", "break_statement", "continue_statement"),
    }
)
"""What a statement may not hold that stands for a macro."""


_PLACES = ("pointer_declarator", "reference_declarator", "array_declarator")


def _holds_place(node: Node) -> bool:
    """Whether a declaration is of anything but numbers: of what may be a pointer to an element."""
    if node.type != "declaration":
        return False
    kind = node.child_by_field_name("type")
    plain = kind is not None and kind.type in ("primitive_type", "sized_type_specifier")
    return not plain or any(one.type in _PLACES for one in walk(node))


def _tree_of(source: CxxSource, macro: Node) -> Node | None:
    """The text of a macro with parameters as statements, if it is some."""
    value = macro.child_by_field_name("value")
    body = source.of(value) if value is not None else ""
    if macro.type != "preproc_function_def" or not body or "#" in body or "__VA_ARGS__" in body:
        return None
    root = node_at(source, span(value))
    while root.parent is not None:
        root = root.parent
    return None if root.has_error else root


def macro_words(source: CxxSource, defined: Node) -> tuple[str, ...]:
    """What a definition is, in words; of what is none, as it takes one back, a word of its own."""
    if defined.type != "preproc_function_def":
        return (str(defined.start_byte),)
    taken = source.of(defined.child_by_field_name("parameters"))
    return (*taken.split(), *macro_text(source, defined).replace("\\\n", " ").split())


def _said(source: CxxSource, byte: int) -> bool:
    """Whether a word stands in a comment or in a string."""
    node = source.root.descendant_for_byte_range(byte, byte)
    return node.type in ("comment", "string_literal", "string_content")


def used_else(source: CxxSource, word: str, seen: frozenset[int]) -> Iterator[Refusal]:
    """Uses of a macro that are not among those at the bytes ``seen``: where it is not called it is
    no macro."""
    defined = {node.child_by_field_name("name").start_byte for node in _defined(source, word)}
    for byte in words(source, word):
        called_ = re.match(rb"\s*(?:\\\n\s*)*\(", source.data[byte + len(word.encode()) :])
        if called_ and byte not in seen | defined and not _said(source, byte):
            yield Refusal(f"{word} names something else here", source.place(byte))


def _defined(source: CxxSource, word: str) -> list[Node]:
    """All definitions of a macro, and what takes them back."""
    found = (n for n in walk(source.root) if n.type.startswith("preproc_"))
    return [
        node
        for node in found
        if (
            node.child_by_field_name("name") is not None
            and source.of(node.child_by_field_name("name")) == word
        )
        or (node.type == "preproc_call" and re.search(rf"\b{word}\b", source.of(node)))
    ]


def _element_of(source: CxxSource, macro: Node, name: str, rest: int) -> Node | None:
    """The element, if a macro is ``name[..][..]`` with all indices, and names it nowhere else."""
    root = _tree_of(source, macro)
    statements = [n for n in walk(root) if n.type == "compound_statement"] if root else []
    if len(statements) != 1 or len(named(statements[0])) != 1:
        return None
    (node,) = named(statements[0])
    whole = inside_parentheses(
        next(iter(named(node)), node) if node.type == "expression_statement" else node
    )
    node = whole
    for _ in range(rest):
        node = inside_parentheses(node)
        if node.type != "subscript_expression":
            return None
        if len(named(node.child_by_field_name("indices"))) != 1:
            return None
        node = node.children[0]
    node = inside_parentheses(node)
    body = macro_text(source, macro)
    once = len(re.findall(rf"\b{re.escape(name)}\b", body)) == 1
    return whole if once and source.of(node) == name else None
