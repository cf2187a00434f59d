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
from collections.abc import Iterator

from msgspec import Struct, field

from bankwise.errors import Refusal
from bankwise.read.cxx.functions import definitions
from bankwise.read.cxx.scopes import (
    ScopedName,
    ScopeError,
    declares,
    is_seen_elsewhere,
    is_silent,
    meant,
    word_at,
)
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
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


class _SkewFound(Struct):
    """What has been found so far; ``left``: declarations still to be looked at."""

    literals: set[ByteSpan] = field(default_factory=set)
    mentions: set[ByteSpan] = field(default_factory=set)
    arguments: set[tuple[str, int]] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    left: list[ScopedName] = field(default_factory=list)


def skew_of(source: CxxSource, name: Node) -> Skew | Refusal:
    """The number that a name means where it stands; a Refusal where it is not one number."""
    found = _SkewFound()
    try:
        found.left.append(meant(source, source.of(name), name.start_byte))
        _follow(source, found)
    except ScopeError as why:
        return Refusal(f"{source.shown(name)} {why}", source.place(why.byte))
    numbers = {int(source.of(one)) for one in found.literals}
    if len(numbers) != 1:
        why_ = f"{source.shown(name)} is not one number"
        return Refusal(why_, source.place(name.start_byte))
    literals, mentions = (tuple(sorted(some)) for some in (found.literals, found.mentions))
    said = tuple(sorted(found.arguments)), tuple(sorted(found.constants))
    return Skew(source.of(name), numbers.pop(), literals, mentions, *said)


def _follow(source: CxxSource, found: _SkewFound) -> None:
    """Every declaration that the name comes from or goes to."""
    seen: set[ScopedName] = set()
    while found.left:
        one = found.left.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.kind == "other":
            raise ScopeError("is no constant", one.at.start)
        if one.scope.stop == source.root.end_byte and is_seen_elsewhere(source, one):
            raise ScopeError("may be said in other files as well", one.at.start)
        if one.kind != "parameter":
            _literal(source, one.number, one.at.start, found)
            found.constants.add(one.name)
        else:
            _named_with(source, one, found)
        for mention in _mentions(source, one):
            _mentioned(source, mention, found)


def _literal(source: CxxSource, number: ByteSpan | None, byte: int, found: _SkewFound) -> None:
    if number is None or not re.fullmatch(r"0|[1-9]\d{0,5}", source.of(number)):
        raise ScopeError("is no number where it is defined", byte)
    found.literals.add(number)


def _named_with(source: CxxSource, parameter: ScopedName, found: _SkewFound) -> None:
    """What a parameter is, wherever its template is named."""
    node = source.root.named_descendant_for_byte_range(parameter.at.start, parameter.at.stop)
    while node.type != "template_declaration":
        node = node.parent
    template, position = _template_of(source, node, parameter)
    found.arguments.add((template, position))
    for byte in words(source, template):
        at = word_at(source, byte, template)
        if is_silent(at) or _is_definition(at):
            continue
        if _is_instantiated(at):
            raise ScopeError(f"is a parameter of {template}, which other files may name", byte)
        given = _arguments(source, at)
        if given is None:
            raise ScopeError(f"is a parameter of {template}, which is named otherwise here", byte)
        if len(given) <= position:
            _literal(source, parameter.number, byte, found)
            continue
        argument = _plain(given[position])
        if argument.type == "number_literal":
            _literal(source, span(argument), byte, found)
        elif argument.type in ("identifier", "type_identifier"):
            found.left.append(meant(source, source.of(argument), argument.start_byte))
        else:
            raise ScopeError("is an expression here", byte)


def _template_of(source: CxxSource, node: Node, parameter: ScopedName) -> tuple[str, int]:
    """The function template of a parameter, which is the only one of its name, and which it is."""
    function = next((one for one in node.children if one.type == "function_definition"), None)
    every = named(next(one for one in node.children if one.type == "template_parameter_list"))
    position = next(
        n for n, one in enumerate(every) if span(one).start <= parameter.at.start < span(one).stop
    )
    if function is None or any("variadic" in one.type for one in every):
        raise ScopeError("is a parameter of what is no function of the file", parameter.at.start)
    names = [n for n in walk(function) if n.type == "function_declarator"]
    name = source.of(names[0].child_by_field_name("declarator")) if names else ""
    if len(definitions(source, name)) != 1:
        raise ScopeError("is a parameter of one of several templates", parameter.at.start)
    return name, position


def _mentions(source: CxxSource, declared: ScopedName) -> Iterator[Node]:
    """Every place that means a declaration, not the declaration itself."""
    for byte in words(source, declared.name):
        node = word_at(source, byte, declared.name)
        inside = declared.scope.start <= byte < declared.scope.stop
        if is_silent(node) or not inside or byte == declared.at.start:
            continue
        if node.type == "preproc_arg" or node.type not in ("identifier", "type_identifier"):
            raise ScopeError("is named where the syntax tree shows no use of it", byte)
        if declares(node) or meant(source, declared.name, byte) != declared:
            if declared.kind == "macro":
                raise ScopeError("is a macro and something else", byte)
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
        raise ScopeError(
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
        raise ScopeError(f"is given to {name} as a type", mention.start_byte)
    found.left.append(meant(source, source.of(names[0]), names[0].start_byte))


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


def _is_instantiated(node: Node) -> bool:
    """Whether a name stands in an explicit instantiation."""
    while node is not None and node.type != "template_instantiation":
        node = node.parent
    return node is not None


def _is_definition(node: Node) -> bool:
    return bool(node.parent.type == "function_declarator")
