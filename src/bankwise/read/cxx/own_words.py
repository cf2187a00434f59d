"""What the words of a function, or of a macro, are for who calls it.

template <typename V> void copy(float* to, const float* from) { *(V*)to = *(V*)from; }
copy<float4>(&s[t * 4], a)            sizeof(V) is sizeof(float4), whatever V is here
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from bankwise.read.cxx.functions import parameters_of
from bankwise.read.cxx.tree import CxxSource, Node, named, walk

_WORD = re.compile(r"(?<![\w.:>])[A-Za-z_]\w*")
_DECLARES = frozenset({"declaration", "alias_declaration", "type_definition"})


def with_words(text: str, said: Mapping[str, str]) -> str | None:
    """A text in the words of who calls; None where it has one that is nothing there. ``said``: what
    each word is, empty for those."""
    if any(said.get(one) == "" for one in _WORD.findall(text)):
        return None
    return _WORD.sub(lambda one: said.get(one[0], one[0]), text)


def own_words(source: CxxSource, function: Node, call: Node) -> dict[str, str]:
    """What the names that a function declares are where it is called: its parameters, and those of
    its template that the call says. Empty for what is deduced, and for all that is in its body."""
    found = dict.fromkeys(_inside(source, function), "")
    template = function.parent
    if template is not None and template.type == "template_declaration":
        taken = [_name(source, one) for one in named(template.child_by_field_name("parameters"))]
        given = [source.of(one) for one in template_arguments(call)]
        found |= dict.fromkeys(taken, "") | dict(zip(taken, given, strict=False))
    taken = [_name(source, one) for one in parameters_of(function)]
    given = [source.of(one) for one in named(call.child_by_field_name("arguments"))]
    found |= dict.fromkeys(taken, "") | dict(zip(taken, given, strict=False))
    found.pop("", None)
    return found


def template_arguments(call: Node) -> Iterator[Node]:
    """The arguments of the template that a call says."""
    node = call.child_by_field_name("function")
    while node is not None and node.type == "qualified_identifier":
        node = node.child_by_field_name("name")
    if node is not None and node.type == "template_function":
        yield from named(node.child_by_field_name("arguments"))


def _name(source: CxxSource, parameter: Node) -> str:
    """What a parameter is called; empty for one without a name."""
    node = parameter.child_by_field_name("declarator") or parameter.child_by_field_name("name")
    if node is None and parameter.type == "type_parameter_declaration":
        node = parameter
    kinds = ("identifier", "type_identifier")
    return next((source.of(one) for one in walk(node) if one.type in kinds), "") if node else ""


@lru_cache(maxsize=64)
def _inside(source: CxxSource, function: Node) -> frozenset[str]:
    """The names that the body of a function declares."""
    found: set[str] = set()
    for node in walk(function.child_by_field_name("body")):
        if node.type in _DECLARES:
            parts = [*node.children_by_field_name("declarator"), node.child_by_field_name("name")]
            found.update(_first(source, one) for one in parts if one is not None)
    return frozenset(found)


def _first(source: CxxSource, declarator: Node) -> str:
    kinds = ("identifier", "type_identifier")
    return next((source.of(one) for one in walk(declarator) if one.type in kinds), "")
