"""What a name means where it stands: a constant, a macro, a parameter of a template, or another.

By its innermost declaration that holds there. A macro holds everywhere, so beside one there is no
other; under a condition of the preprocessor nothing is known.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    block_of,
    inside_parentheses,
    span,
    words,
)


class ScopedName(Struct, frozen=True):
    """A declaration of a name. ``scope``: where it holds; ``kind``: parameter, constant, macro or
    other; ``number``: where its number stands, if it has one."""

    name: str
    at: ByteSpan
    scope: ByteSpan
    kind: str
    number: ByteSpan | None = None


class ScopeError(Exception):
    """Why a name is no number that can be changed, and where."""

    def __init__(self, why: str, byte: int) -> None:
        super().__init__(why)
        self.byte = byte


def meant(source: CxxSource, name: str, byte: int) -> ScopedName:
    """What a name means at a place: its innermost declaration there."""
    every = _declarations(source, name)
    if any(one.kind == "macro" for one in every) and len(every) > 1:
        raise ScopeError("is a macro and something else", byte)
    holding = [d for d in every if byte == d.at.start or d.scope.start <= byte < d.scope.stop]
    holding.sort(key=lambda one: one.scope.stop - one.scope.start)
    if not holding:
        raise ScopeError("is defined in no line of the file", byte)
    if len(holding) > 1 and holding[0].scope.stop == holding[1].scope.stop:
        raise ScopeError("is defined twice", byte)
    return holding[0]


@lru_cache(maxsize=64)
def _declarations(source: CxxSource, name: str) -> tuple[ScopedName, ...]:
    """Every declaration of a name in the file."""
    found = []
    for byte in words(source, name):
        node = word_at(source, byte, name)
        if not is_silent(node) and declares(node):
            found.append(_declaration(source, node, name))
    return tuple(found)


def _declaration(source: CxxSource, node: Node, name: str) -> ScopedName:
    parent, at, whole = node.parent, span(node), span(source.root)
    if _conditional(node):
        return ScopedName(name, at, whole, "other")
    if parent.type == "preproc_def":
        return ScopedName(name, at, whole, "macro", _macro_number(source, parent))
    if parent.parent is not None and parent.parent.type == "template_parameter_list":
        value = parent.child_by_field_name("default_value")
        return ScopedName(name, at, span(parent.parent.parent), "parameter", _number(value))
    outer = parent
    while outer.type not in ("declaration", "function_definition", "translation_unit"):
        outer = outer.parent
    if parent.type != "init_declarator" or not _is_constant(source, parent.parent):
        held = outer if outer.type == "function_definition" else block_of(node)
        return ScopedName(name, at, span(held), "other")
    scope = ByteSpan(parent.end_byte, block_of(outer).end_byte)
    return ScopedName(name, at, scope, "constant", _number(parent.child_by_field_name("value")))


def _number(value: Node) -> ByteSpan | None:
    node = None if value is None else inside_parentheses(value)
    return span(node) if node is not None and node.type == "number_literal" else None


def _macro_number(source: CxxSource, macro: Node) -> ByteSpan | None:
    value = macro.child_by_field_name("value")
    found = (
        None if value is None else _ALONE.fullmatch(source.data, value.start_byte, value.end_byte)
    )
    return None if found is None else ByteSpan(*found.span(1))


_ALONE = re.compile(rb"\s*\(?\s*(\d+)\s*\)?\s*(?://[^\n]*|/\*[^*]*\*/)?\s*")
"""A macro's text that is a number, with what is remarked behind it."""


def _is_constant(source: CxxSource, declaration: Node) -> bool:
    """Whether a declaration says that it is a constant of a whole number."""
    said = source.of(declaration).split("=")[0]
    whole = re.search(r"\b(?:int|unsigned|size_t|long|short|u?int\d+_t|auto)\b", said)
    return bool(
        whole and re.search(r"\b(?:const|constexpr)\b", said) and not re.search(r"[*&]", said)
    )


def _conditional(node: Node) -> bool:
    while node is not None and not node.type.startswith(("preproc_if", "preproc_el")):
        node = node.parent
    return node is not None


def is_seen_elsewhere(source: CxxSource, declared: ScopedName) -> bool:
    """Whether a macro, or a constant of the whole file, may be named by files that include this one
    or are included behind it."""
    if declared.kind == "parameter":
        return False
    includes = (n for n in source.root.children if n.type == "preproc_include")
    behind = (n for n in includes if n.start_byte > declared.at.start and '"' in source.of(n))
    return source.file.endswith(_HEADERS) or any(behind)


_HEADERS = (".h", ".hh", ".hpp", ".cuh", ".inl", ".hip.h")


def word_at(source: CxxSource, byte: int, name: str) -> Node:
    """The node of a name that stands at a byte."""
    return source.root.named_descendant_for_byte_range(byte, byte + len(name.encode()))


def is_silent(node: Node) -> bool:
    """Whether a word there means no name of a scope: in remarks, strings and behind dots."""
    return node.type in ("comment", "string_content", "string_literal", "field_identifier")


def declares(node: Node) -> bool:
    """Whether a name is declared where it stands."""
    parent = node.parent
    if node.type not in ("identifier", "type_identifier") or parent is None:
        return False
    if parent.type in (
        "template_function",
        "template_type",
        "call_expression",
        "qualified_identifier",
    ):
        return False
    return any(parent.child_by_field_name(one) == node for one in ("declarator", "name"))
