"""The functions of a source: which have a name, what they take, and who calls them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bankwise.errors import Refusal
from bankwise.read.cxx.tree import CxxSource, Node, called, every, macro_text, named, walk

_NAMES = ("identifier", "field_identifier", "type_identifier")


def definitions(source: CxxSource, name: str) -> list[Node]:
    """The functions of the file that have this name."""
    return [one for one in every(source, "function_definition") if _defines(source, one, name)]


def parameters_of(function: Node) -> list[Node]:
    """The parameters of a function's definition, in order."""
    found = next(node for node in walk(function) if node.type == "function_declarator")
    return named(found.child_by_field_name("parameters"))


def calls_of(source: CxxSource, function: str) -> list[Node] | Refusal:
    """Every call of a function of the file; a Refusal where others may call it too."""
    for refusal in macros_of(source, function):
        return refusal
    calls = [node for node in every(source, "call_expression") if called(source, node) == function]
    mentions = [one for one in every(source, *_NAMES) if source.of(one) == function]
    if len(mentions) > len(calls) + len(definitions(source, function)):
        at = mentions[0].start_byte
        return Refusal(f"{function} is named where it is not called", source.place(at))
    return calls


def function_of(node: Node) -> Node:
    """The function, or the lambda, that a statement stands in; None at file scope."""
    while node is not None and node.type not in ("function_definition", "lambda_expression"):
        node = node.parent
    return node


def macros_named(source: CxxSource, name: str) -> Iterator[Node]:
    """The macros of the file that say a name which is none of their parameters."""
    for node in every(source, "preproc_def", "preproc_function_def"):
        taken = node.child_by_field_name("parameters")
        own = [source.of(one) for one in named(taken)] if taken is not None else []
        word = rf"\b{re.escape(name)}\b"
        if name not in own and re.search(word, macro_text(source, node)):
            yield node


def macros_of(source: CxxSource, name: str) -> Iterator[Refusal]:
    """What :func:`macros_named` finds, refused."""
    for node in macros_named(source, name):
        macro = source.of(node.child_by_field_name("name"))
        yield Refusal(f"the macro {macro} names {name}", source.place(node.start_byte))


def _defines(source: CxxSource, node: Node, name: str) -> bool:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type in (
        "pointer_declarator",
        "reference_declarator",
    ):
        declarator = next(iter(named(declarator)), None)
    if declarator is None or declarator.type != "function_declarator":
        return False
    return source.of(declarator.child_by_field_name("declarator")) == name
