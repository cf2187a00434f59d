"""The functions of a source: which have a name, what they take, and who calls them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from bankwise.errors import Refusal
from bankwise.read.cxx.beside import named_by_headers
from bankwise.read.cxx.tree import CxxSource, Node, called, every, macro_text, named, walk

_NAMES = ("identifier", "field_identifier", "type_identifier")


def definitions(source: CxxSource, name: str) -> list[Node]:
    """The functions of the file that have this name; with namespaces before it, as :func:`meant`
    says it, those there."""
    *inside, plain = name.split("::")
    found = [one for one in every(source, "function_definition") if _defines(source, one, plain)]
    scopes = [one for one in inside if one]
    return [one for one in found if _scopes(source, one) == scopes] if inside else found


def meant(source: CxxSource, call: Node) -> str:
    """The name of the function that a call means: with its namespaces where the file has one of
    this name in each of several."""
    name = called(source, call)
    every_scope, outer = _namespaces_of(source, name), _scopes(source, call)
    if every_scope is None or outer is None:
        return name
    qualified = "".join(source.of(call.child_by_field_name("function")).split())
    qualifier = qualified.partition("<")[0].rpartition("::")[0]
    parts = qualifier.split("::")
    if qualified.startswith("::"):
        found = [one for one in every_scope if one == [part for part in parts if part]]
    elif qualifier:
        found = [one for one in every_scope if one[-len(parts) :] == parts]
    else:
        around = [outer[:n] for n in range(len(outer), -1, -1)]
        found = [one for one in around if one in every_scope][:1]
    return _joined(found[0], name) if len(found) == 1 else name


def full_name(source: CxxSource, function: Node) -> str:
    """The name of a function as :func:`meant` says it."""
    names = (node for node in walk(function) if node.type == "function_declarator")
    name = source.of(next(names).child_by_field_name("declarator"))
    scopes = _scopes(source, function) if _namespaces_of(source, name) else None
    return name if scopes is None else _joined(scopes, name)


def _joined(scopes: Sequence[str], name: str) -> str:
    """A name in namespaces; of none it begins with ``::``."""
    return "::".join((*(scopes or ("",)), name))


_USING = re.compile(rb"\busing\s+(?:namespace\b|[\w:]+::(\w+)\s*;)")


def _namespaces_of(source: CxxSource, name: str) -> list[list[str]] | None:
    """The namespaces of the functions of this name, if it is defined in several, once in each, and
    nothing brings names from one to another; else None."""
    found = [_scopes(source, one) for one in definitions(source, name)]
    scopes = [one for one in found if one is not None]
    apart = len(found) > 1 and len(scopes) == len(found) == len({*map(tuple, scopes)})
    brought = (one[1] in (None, name.encode()) for one in _USING.finditer(source.data))
    return scopes if apart and not any(brought) else None


def _scopes(source: CxxSource, node: Node) -> list[str] | None:
    """The named namespaces that something stands in, from the outermost: what stands in one without
    a name is seen around it. None in a class, or in an inline one."""
    found: list[str] = []
    while node.parent is not None:
        node = node.parent
        if node.type in ("class_specifier", "struct_specifier", "union_specifier"):
            return None
        if node.type == "namespace_definition":
            name = node.child_by_field_name("name")
            if source.of(node).startswith("inline"):
                return None
            found = [*([] if name is None else source.of(name).split("::")), *found]
    return found


def parameters_of(function: Node) -> list[Node]:
    """The parameters of a function's definition, in order."""
    found = next(node for node in walk(function) if node.type == "function_declarator")
    return named(found.child_by_field_name("parameters"))


def calls_of(source: CxxSource, function: str) -> list[Node] | Refusal:
    """Every call of a function of the file, by its name as :func:`meant` says it; a Refusal where
    others may call it too."""
    name = function.rpartition("::")[2]
    for refusal in (*macros_of(source, name), *named_by_headers(source, name, source.root)):
        return refusal
    calls = [node for node in every(source, "call_expression") if called(source, node) == name]
    mentions = [one for one in every(source, *_NAMES) if source.of(one) == name]
    found = definitions(source, name)
    types = {_types(source, next(n for n in walk(one) if n.type == _TAKES)) for one in found}
    mentions = [one for one in mentions if not _announces(source, one, types)]
    if len(mentions) > len(calls) + len(found):
        at = mentions[0].start_byte
        return Refusal(f"{name} is named where it is not called", source.place(at))
    mine = ((one, meant(source, one)) for one in calls)
    return [one for one, its in mine if its in (function, name)]


_TAKES = "function_declarator"


def _announces(source: CxxSource, name: Node, types: Collection[tuple[str, ...]]) -> bool:
    """Whether a name stands where a function is declared that takes one of these ``types``."""
    node = name.parent
    if node.type != _TAKES or node.child_by_field_name("declarator") != name:
        return False
    same = _types(source, node) in types
    while node.type in (_TAKES, "pointer_declarator", "reference_declarator"):
        node = node.parent
    inside = function_of(node) is not None
    return bool(same and node.type == "declaration" and not inside)


def _types(source: CxxSource, declarator: Node) -> tuple[str, ...]:
    """What a function takes, in words: without names and what they are if nothing is given."""
    found: list[str] = []
    for one in named(declarator.child_by_field_name("parameters")):
        leaves = [n for n in walk(one) if not n.children and n.type != "identifier"]
        words = [source.of(leaf) for leaf in leaves]
        found += [*(words[: words.index("=")] if "=" in words else words), ","]
    return tuple(found)


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
