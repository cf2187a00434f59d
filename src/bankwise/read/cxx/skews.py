"""Padding constants: where the number stands that a name in the length of a row means.

    #define SKEW 0                           constexpr int SKEW = 0;
    template <int BM, int PAD = 0> __global__ void k(..) { __shared__ float s[BM][32 + PAD]; .. }
    k<64, 0><<<..>>>(..)                     or the default, where a launch leaves it out

A parameter of a template is as many numbers as the template is named with, a constant as many as
it is defined with: one. Every mention is found by its bytes, so that none is missed; one that says
something else than an argument of a template is told as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from msgspec import Struct, field

from bankwise.errors import Refusal
from bankwise.read.cxx.functions import definitions
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    block_of,
    inside_parentheses,
    named,
    span,
    walk,
    words,
)


class Skew(Struct, frozen=True):
    """A name that is one number. ``literals``: where that stands, each to be changed alike;
    ``mentions``: where the name, or a parameter that it is handed to, is said and is no argument of
    a template; ``arguments``: which those are, by template and position; ``constants``: the names
    that the numbers are given to."""

    name: str
    number: int
    literals: tuple[ByteSpan, ...]
    mentions: tuple[ByteSpan, ...]
    arguments: tuple[tuple[str, int], ...]
    constants: tuple[str, ...] = ()


class _SkewDeclared(Struct, frozen=True):
    """A declaration of a name. ``scope``: where it holds; ``kind``: parameter, constant, macro or
    other; ``number``: where its number stands, if it has one."""

    name: str
    at: ByteSpan
    scope: ByteSpan
    kind: str
    number: ByteSpan | None = None


class _SkewFound(Struct):
    """What has been found so far; ``left``: declarations still to be looked at."""

    literals: set[ByteSpan] = field(default_factory=set)
    mentions: set[ByteSpan] = field(default_factory=set)
    arguments: set[tuple[str, int]] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    left: list[_SkewDeclared] = field(default_factory=list)


def terms_added(source: CxxSource, extent: Node) -> list[Node]:
    """The terms of a sum that nothing is subtracted from or multiplied with."""
    node = inside_parentheses(extent)
    if node.type == "binary_expression" and source.of(node.child_by_field_name("operator")) == "+":
        return [one for part in named(node) for one in terms_added(source, part)]
    return [node]


def sums_in(source: CxxSource, product: Node) -> list[list[Node]]:
    """The terms of each sum that is a factor of a product, ``(r + 1) * (32 + PAD)``."""
    node = inside_parentheses(product)
    if node.type == "binary_expression" and source.of(node.child_by_field_name("operator")) == "*":
        return [terms for one in named(node) for terms in sums_in(source, one)]
    terms = terms_added(source, node)
    return [terms] if len(terms) > 1 else []


def row_terms(source: CxxSource, product: Node, said: Collection[ByteSpan]) -> list[Node]:
    """The terms of the one sum in a product that holds what is said at some places."""
    sums = sums_in(source, product)
    found = [terms for terms in sums if not {span(one) for one in terms}.isdisjoint(said)]
    return found[0] if len(found) == 1 else []


def skew_of(source: CxxSource, name: Node) -> Skew | Refusal:
    """The number that a name means where it stands; a Refusal where it is not one number."""
    found = _SkewFound()
    try:
        found.left.append(_meant(source, source.of(name), name.start_byte))
        _follow(source, found)
    except _SkewError as why:
        return Refusal(f"{source.of(name)} {why}", source.place(why.byte))
    numbers = {int(source.of(one)) for one in found.literals}
    if len(numbers) != 1:
        why_ = f"{source.of(name)} is not one number"
        return Refusal(why_, source.place(name.start_byte))
    literals, mentions = (tuple(sorted(some)) for some in (found.literals, found.mentions))
    said = tuple(sorted(found.arguments)), tuple(sorted(found.constants))
    return Skew(source.of(name), numbers.pop(), literals, mentions, *said)


class _SkewError(Exception):
    """Why a name is no number that can be changed, and where."""

    def __init__(self, why: str, byte: int) -> None:
        super().__init__(why)
        self.byte = byte


def _follow(source: CxxSource, found: _SkewFound) -> None:
    """Every declaration that the name comes from or goes to."""
    seen: set[_SkewDeclared] = set()
    while found.left:
        one = found.left.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.kind == "other":
            raise _SkewError("is no constant", one.at.start)
        if one.scope.stop == source.root.end_byte and _is_seen_elsewhere(source, one):
            raise _SkewError("may be said in other files as well", one.at.start)
        if one.kind != "parameter":
            _literal(source, one.number, one.at.start, found)
            found.constants.add(one.name)
        else:
            _named_with(source, one, found)
        for mention in _mentions(source, one):
            _mentioned(source, mention, found)


def _literal(source: CxxSource, number: ByteSpan | None, byte: int, found: _SkewFound) -> None:
    if number is None or not re.fullmatch(r"0|[1-9]\d{0,5}", source.of(number)):
        raise _SkewError("is no number where it is defined", byte)
    found.literals.add(number)


def _named_with(source: CxxSource, parameter: _SkewDeclared, found: _SkewFound) -> None:
    """What a parameter is, wherever its template is named."""
    node = source.root.named_descendant_for_byte_range(parameter.at.start, parameter.at.stop)
    while node.type != "template_declaration":
        node = node.parent
    template, position = _template_of(source, node, parameter)
    found.arguments.add((template, position))
    for byte in words(source, template):
        at = _leaf(source, byte, template)
        if _silent(at) or _is_definition(at):
            continue
        if _is_instantiated(at):
            raise _SkewError(f"is a parameter of {template}, which other files may name", byte)
        given = _arguments(source, at)
        if given is None:
            raise _SkewError(f"is a parameter of {template}, which is named otherwise here", byte)
        if len(given) <= position:
            _literal(source, parameter.number, byte, found)
            continue
        argument = _plain(given[position])
        if argument.type == "number_literal":
            _literal(source, span(argument), byte, found)
        elif argument.type in ("identifier", "type_identifier"):
            found.left.append(_meant(source, source.of(argument), argument.start_byte))
        else:
            raise _SkewError("is an expression here", byte)


def _template_of(source: CxxSource, node: Node, parameter: _SkewDeclared) -> tuple[str, int]:
    """The function template of a parameter, which is the only one of its name, and which it is."""
    function = next((one for one in node.children if one.type == "function_definition"), None)
    every = named(next(one for one in node.children if one.type == "template_parameter_list"))
    position = next(
        n for n, one in enumerate(every) if span(one).start <= parameter.at.start < span(one).stop
    )
    if function is None or any("variadic" in one.type for one in every):
        raise _SkewError("is a parameter of what is no function of the file", parameter.at.start)
    names = [n for n in walk(function) if n.type == "function_declarator"]
    name = source.of(names[0].child_by_field_name("declarator")) if names else ""
    if len(definitions(source, name)) != 1:
        raise _SkewError("is a parameter of one of several templates", parameter.at.start)
    return name, position


def _mentions(source: CxxSource, declared: _SkewDeclared) -> Iterator[Node]:
    """Every place that means a declaration, not the declaration itself."""
    for byte in words(source, declared.name):
        node = _leaf(source, byte, declared.name)
        inside = declared.scope.start <= byte < declared.scope.stop
        if _silent(node) or not inside or byte == declared.at.start:
            continue
        if node.type == "preproc_arg" or node.type not in ("identifier", "type_identifier"):
            raise _SkewError("is named where the syntax tree shows no use of it", byte)
        if _declares(node) or _meant(source, declared.name, byte) != declared:
            if declared.kind == "macro":
                raise _SkewError("is a macro and something else", byte)
            continue
        yield node


def _mentioned(source: CxxSource, mention: Node, found: _SkewFound) -> None:
    """An argument of a template, whose parameter it is then; or something else."""
    argument = mention
    while argument.parent.type in ("type_descriptor", "parenthesized_expression"):
        argument = argument.parent
    listed = argument.parent
    function = listed.parent if listed.type == "template_argument_list" else None
    if function is None or function.type != "template_function":
        found.mentions.add(span(mention))
        return
    name = source.of(function.child_by_field_name("name"))
    templates = [one.parent for one in definitions(source, name)]
    if len(templates) != 1 or templates[0].type != "template_declaration":
        raise _SkewError(
            f"is given to {name}, which is no template of the file", mention.start_byte
        )
    every = named(next(n for n in templates[0].children if n.type == "template_parameter_list"))
    position = named(listed).index(argument)
    names = (
        [n for n in walk(every[position]) if n.type == "identifier"]
        if position < len(every)
        else []
    )
    if not names:
        raise _SkewError(f"is given to {name} as a type", mention.start_byte)
    found.left.append(_meant(source, source.of(names[0]), names[0].start_byte))


def _arguments(source: CxxSource, name: Node) -> list[Node] | None:
    """What a template is named with; None where it is not named so that this is known."""
    parent = name.parent
    if name.type != "identifier":
        return None
    if parent.type == "template_function" and parent.child_by_field_name("name") == name:
        return named(parent.child_by_field_name("arguments"))
    calls = parent.type == "call_expression" and parent.child_by_field_name("function") == name
    return [] if calls else None


def _plain(argument: Node) -> Node:
    while (
        argument.type in ("type_descriptor", "parenthesized_expression")
        and len(named(argument)) == 1
    ):
        argument = named(argument)[0]
    return argument


def _meant(source: CxxSource, name: str, byte: int) -> _SkewDeclared:
    """What a name means at a place: its innermost declaration there."""
    every = _declarations(source, name)
    if any(one.kind == "macro" for one in every) and len(every) > 1:
        raise _SkewError("is a macro and something else", byte)
    holding = [d for d in every if byte == d.at.start or d.scope.start <= byte < d.scope.stop]
    holding.sort(key=lambda one: one.scope.stop - one.scope.start)
    if not holding:
        raise _SkewError("is defined in no line of the file", byte)
    if len(holding) > 1 and holding[0].scope.stop == holding[1].scope.stop:
        raise _SkewError("is defined twice", byte)
    return holding[0]


@lru_cache(maxsize=64)
def _declarations(source: CxxSource, name: str) -> tuple[_SkewDeclared, ...]:
    """Every declaration of a name in the file."""
    found = []
    for byte in words(source, name):
        node = _leaf(source, byte, name)
        if not _silent(node) and _declares(node):
            found.append(_declaration(source, node, name))
    return tuple(found)


def _declaration(source: CxxSource, node: Node, name: str) -> _SkewDeclared:
    parent, at, whole = node.parent, span(node), span(source.root)
    if _conditional(node):
        return _SkewDeclared(name, at, whole, "other")
    if parent.type == "preproc_def":
        return _SkewDeclared(name, at, whole, "macro", _macro_number(source, parent))
    if parent.parent is not None and parent.parent.type == "template_parameter_list":
        value = parent.child_by_field_name("default_value")
        return _SkewDeclared(name, at, span(parent.parent.parent), "parameter", _number(value))
    outer = parent
    while outer.type not in ("declaration", "function_definition", "translation_unit"):
        outer = outer.parent
    if parent.type != "init_declarator" or not _is_constant(source, parent.parent):
        held = outer if outer.type == "function_definition" else block_of(node)
        return _SkewDeclared(name, at, span(held), "other")
    scope = ByteSpan(parent.end_byte, block_of(outer).end_byte)
    return _SkewDeclared(name, at, scope, "constant", _number(parent.child_by_field_name("value")))


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


def _is_seen_elsewhere(source: CxxSource, declared: _SkewDeclared) -> bool:
    """Whether a macro, or a constant of the whole file, may be named by files that include this one
    or are included behind it."""
    if declared.kind == "parameter":
        return False
    includes = (n for n in source.root.children if n.type == "preproc_include")
    behind = (n for n in includes if n.start_byte > declared.at.start and '"' in source.of(n))
    return source.file.endswith(_HEADERS) or any(behind)


_HEADERS = (".h", ".hh", ".hpp", ".cuh", ".inl", ".hip.h")


def _is_instantiated(node: Node) -> bool:
    """Whether a name stands in an explicit instantiation."""
    while node is not None and node.type != "template_instantiation":
        node = node.parent
    return node is not None


def _leaf(source: CxxSource, byte: int, name: str) -> Node:
    return source.root.named_descendant_for_byte_range(byte, byte + len(name.encode()))


def _silent(node: Node) -> bool:
    return node.type in ("comment", "string_content", "string_literal", "field_identifier")


def _declares(node: Node) -> bool:
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


def _is_definition(node: Node) -> bool:
    return bool(node.parent.type == "function_declarator")
