"""The ``__shared__`` arrays of a source, and every use of them in its text.

    __shared__ float As[64][32];              two extents, "64" and "32"
    float x = As[r][c];                       a use of one element, indices "r" and "c"
    *(float4*)&As[r][c] = v;                  a use of the bytes of a float4
    ldmatrix_x4(regs, &As[r][c]);             followed into a function of the file

A use is what an index can be changed in without changing anything else. Whatever else happens to
an array (it is passed on, aliased, indexed in part, named by a macro) is a refusal at its place:
an array with a refusal is not edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bankwise.errors import Refusal
from bankwise.read.cxx.reach import by_reference, reach
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    around,
    inside_parentheses,
    named,
    span,
    walk,
    words,
)


@dataclass(frozen=True, slots=True)
class ArrayUse:
    """One place that touches elements. ``indices``: one for each extent. ``kept``: how
    many bytes are moved together from there, as C++ says it; empty for one element. ``size``: it
    only asks how large the array is.
    """

    span: ByteSpan
    indices: tuple[ByteSpan, ...]
    kept: tuple[str, ...] = ()
    size: bool = False


@dataclass(frozen=True, slots=True)
class SharedArray:
    """A ``__shared__`` array. ``extents``: each as written, of an unsized one the first is empty.
    ``element``: the type as written. ``statement``: its declaration; ``function``: the name of
    the function that it is declared in, empty for one at file scope.
    """

    name: str
    element: str
    extents: tuple[ByteSpan, ...]
    statement: ByteSpan
    function: str
    unsized: bool
    uses: tuple[ArrayUse, ...]
    refusals: tuple[Refusal, ...]


def shared_arrays(source: CxxSource) -> tuple[SharedArray, ...]:
    """The arrays of a source that are declared as ``__shared__``, in order."""
    found = (node for node in walk(source.root) if node.type == "declaration")
    shared = (node for node in found if is_shared(source, node))
    return tuple(one for node in shared for one in _declared(source, node))


def is_shared(source: CxxSource, node: Node) -> bool:
    """Whether a declaration says ``__shared__``."""
    return any(
        child.type in ("type_qualifier", "storage_class_specifier")
        and source.of(child) == "__shared__"
        for child in node.children
    )


def _declared(source: CxxSource, statement: Node) -> Iterator[SharedArray]:
    element = statement.child_by_field_name("type")
    for declarator in statement.children_by_field_name("declarator"):
        name, extents = _extents(declarator)
        if name is None:
            continue
        scope = _scope(statement)
        uses, refusals = _uses(source, source.of(name), len(extents), name, scope)
        yield SharedArray(
            name=source.of(name),
            element=source.of(element) if element is not None else "",
            extents=tuple(map(span, filter(None, extents))),
            statement=span(statement),
            function=_function(source, statement),
            unsized=None in extents,
            uses=uses,
            refusals=refusals,
        )


def _extents(declarator: Node) -> tuple[Node | None, list[Node | None]]:
    """The name and the extents of an array declarator, the first outermost; no name else."""
    extents: list[Node | None] = []
    while declarator.type == "array_declarator":
        extents.insert(0, declarator.child_by_field_name("size"))
        declarator = declarator.child_by_field_name("declarator")
    return (declarator if extents and declarator.type == "identifier" else None), extents


def _scope(node: Node) -> Node:
    """The block, or the file, in which a declaration holds."""
    while node.parent is not None:
        node = node.parent
        if node.type in ("compound_statement", "declaration_list"):
            return node
    return node


def _function(source: CxxSource, node: Node) -> str:
    while node.parent is not None:
        node = node.parent
        if node.type == "function_definition":
            declarator = node.child_by_field_name("declarator")
            name = declarator.child_by_field_name("declarator")
            return source.of(name) if name is not None else ""
    return ""


def _uses(
    source: CxxSource, name: str, extents: int, declared: Node, scope: Node
) -> tuple[tuple[ArrayUse, ...], tuple[Refusal, ...]]:
    """Every use in the scope; a refusal for each place that is none, and for hidden ones."""
    uses: list[ArrayUse] = []
    refusals: list[Refusal] = []
    seen = {declared.start_byte}
    for node in walk(scope):
        if node.type in ("comment", "string_literal", "field_identifier"):
            seen.update(range(node.start_byte, node.end_byte))
        if node.type != "identifier" or source.of(node) != name:
            continue
        if node.start_byte <= declared.start_byte:
            continue
        seen.add(node.start_byte)
        found = _use(source, node, extents)
        (refusals if isinstance(found, Refusal) else uses).append(found)  # type: ignore[arg-type]
    refusals += [
        Refusal(f"{name} stands where the syntax tree shows no use of it", source.place(byte))
        for byte in words(source, name)
        if scope.start_byte <= byte < scope.end_byte and byte not in seen
    ]
    return tuple(uses), (*refusals, *_macros(source, name))


def _macros(source: CxxSource, name: str) -> Iterator[Refusal]:
    for node in walk(source.root):
        if node.type not in ("preproc_def", "preproc_function_def"):
            continue
        value = node.child_by_field_name("value")
        if value is not None and re.search(rf"\b{re.escape(name)}\b", source.of(value)):
            macro = source.of(node.child_by_field_name("name"))
            yield Refusal(f"the macro {macro} names {name}", source.place(node.start_byte))


def _use(source: CxxSource, name: Node, extents: int) -> ArrayUse | Refusal:
    """What happens to an array at one place of its name."""
    if around(name).type == "sizeof_expression":
        return ArrayUse(span(name), (), size=True)
    if around(name).type in _DECLARES:
        return _no(source, name, "is declared once more here: which one a use means is not decided")
    indices: list[ByteSpan] = []
    node = name
    while len(indices) < extents:
        parent = around(node)
        inner = inside_parentheses(parent.children[0]) if parent is not None else None
        if parent is None or parent.type != "subscript_expression" or inner != node:
            return _no(source, name, _partial(source, node, len(indices)))
        index = named(parent.child_by_field_name("indices"))
        if len(index) != 1:
            return _no(source, name, "has several indices in one bracket")
        indices.append(span(index[0]))
        node = parent
    return _touched(source, name, node, tuple(indices))


_DECLARES = frozenset({"init_declarator", "array_declarator", "pointer_declarator"})


def _partial(source: CxxSource, node: Node, indices: int) -> str:
    parent = around(node)
    called = "is named whole" if not indices else "is indexed in part"
    if parent is not None and parent.type == "argument_list":
        function = source.of(around(parent).children[0])
        return f"{called}: it is passed to {function}"
    return f"{called}, as a pointer"


def _no(source: CxxSource, name: Node, why: str) -> Refusal:
    return Refusal(f"{source.of(name)} {why}", source.place(name.start_byte))


def _touched(
    source: CxxSource, name: Node, node: Node, indices: tuple[ByteSpan, ...]
) -> ArrayUse | Refusal:
    """An element, by value; or what is reached from its address."""
    parent = around(node)
    if parent is None or parent.type != "pointer_expression" or source.of(parent)[0] != "&":
        if parent is not None and parent.type == "init_declarator" and _reference(parent):
            return _no(source, name, "has an element that a reference is bound to")
        if parent is not None and by_reference(source, node, parent):
            return _no(source, name, "has an element that is passed by reference")
        return ArrayUse(span(node), indices)
    kept = reach(source, parent)
    if isinstance(kept, Refusal):
        return kept
    return ArrayUse(span(node), indices, kept)


def _reference(initialised: Node) -> bool:
    declarator = initialised.child_by_field_name("declarator")
    return bool(declarator is not None and declarator.type == "reference_declarator")
