"""How long rows are by the types that name them: parameters and pointers to rows of an array.

void load(float (*tile)[N + 1]);         written: longer rows need N + 1 longer, too
template <int C> f(float (&t)[8][C]);    deduced: it follows the array, and so does every C
"""

from __future__ import annotations

from msgspec import Struct

from bankwise.read.cxx.own_words import template_arguments
from bankwise.read.cxx.tree import ByteSpan, CxxSource, Node, named, span, walk


class RowType(Struct, frozen=True):
    """The length of a row in a declarator: ``written`` where it is said, empty where it is none or
    is deduced; ``asked``: another place that has it from there, None for none."""

    written: ByteSpan | None = None
    asked: ByteSpan | None = None


def row_type(source: CxxSource, declarator: Node, rest: int) -> RowType:
    """Of a variable that holds an array, a row of it, or a pointer to rows; ``rest``: so many
    indices are left."""
    kinds = [node.type for node in walk(declarator)]
    size = declarator.child_by_field_name("size") if kinds[0] == "array_declarator" else None
    whole = rest > 1 or "reference_declarator" in kinds
    return RowType(span(size)) if size is not None and whole else RowType()


def taken_row(source: CxxSource, function: Node, parameter: Node, call: Node, rest: int) -> RowType:
    """Of the parameter of a function that a call hands an array."""
    found = row_type(source, parameter.child_by_field_name("declarator"), rest)
    template = function.parent if function.parent is not None else function
    if template.type != "template_declaration":
        return found
    free = _free(source, template, len(list(template_arguments(call))))
    kind = parameter.child_by_field_name("type")
    if found.written is None:
        whole = kind is not None and source.of(kind) in free and _plain(parameter)
        return RowType(
            asked=_else(source, template, source.of(kind), span(kind)) if whole else None
        )
    name = source.of(found.written)
    if name in free:
        return RowType(asked=_else(source, template, name, found.written))
    return found


def _free(source: CxxSource, template: Node, given: int) -> frozenset[str]:
    """The parameters of a template that a call leaves to be deduced."""
    every = named(template.child_by_field_name("parameters"))[given:]
    names = []
    for one in every:
        words = [n for n in walk(one) if n.type in ("identifier", "type_identifier")]
        names += [source.of(word) for word in words]
    return frozenset(names)


def _plain(parameter: Node) -> bool:
    """Whether a parameter has the type of what it is given: ``T t``, ``T& t``."""
    kinds = {node.type for node in walk(parameter.child_by_field_name("declarator"))}
    return not kinds & {"array_declarator", "pointer_declarator"}


def _else(source: CxxSource, template: Node, name: str, own: ByteSpan) -> ByteSpan | None:
    """Another mention of a template's parameter than where it is declared."""
    for node in walk(template):
        if node.type not in ("identifier", "type_identifier") or source.of(node) != name:
            continue
        if span(node) != own and node.parent.parent.type != "template_parameter_list":
            return span(node)
    return None
