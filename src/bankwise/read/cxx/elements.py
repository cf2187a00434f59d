"""What is moved where an element is named, beside its own bytes: what a cast, a macro, or somebody
who takes its address makes of it.

    ((float4&)s[r][c]).x                    a float4
    FLOAT4(s[r][c])                         what the macro makes of it
    *p, p[0], p->x                          the element at p, or a part of it
    float4& q = *(float4*)&s[r][c];         a reference, that may go on from it
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bankwise.errors import Refusal
from bankwise.read.cxx.lvalues import (
    SAME_ELEMENT,
    behind_parentheses,
    bound,
    names_reference,
)
from bankwise.read.cxx.macro_calls import Kept, Moved, in_macro, macro_of
from bankwise.read.cxx.operand import operand
from bankwise.read.cxx.tree import CxxSource, Node, around, called, inside_parentheses

SAME = re.compile(
    r"(?:static|reinterpret|const)_cast|__cvta_generic_to_shared|__builtin_assume_aligned"
)
"""Casts in the words of C++."""

FromAddress = Callable[[CxxSource, Node], Kept]
"""What is reached from an address, as :func:`bankwise.read.cxx.reach.reach` says it."""


def as_element(source: CxxSource, element: Node, reached: FromAddress) -> Kept:
    """How many bytes are moved from an element that is named by its address, as ``*p`` is: nothing
    more where it is a value there."""
    moved = as_reference(source, element, reached)
    if moved is not None:
        return moved
    top = _whole(element)
    if why := bound(source, top):
        return Refusal(f"{source.shown(element)} {why}", source.place(element.start_byte))
    if not _is_taken(source, top):
        return in_macros(source, top, reached)
    found = reached(source, around(top))
    if found == () or (top == element and element.type != "field_expression"):
        return found
    return _no(source, element, "has a member whose address is taken")


def as_reference(source: CxxSource, element: Node, reached: FromAddress) -> Kept | None:
    """How many bytes are moved from an element of which a cast makes one of another type, as in
    ``((float4&)s[r][c]).x``; None without such a cast."""
    if _seems_cast(source, element):
        return _no(source, element, "is perhaps cast, by what is no variable")
    cast, kind = _reference_cast(source, element)
    if cast is None:
        within = around(element)
        while within is not None and within.type in (*SAME_ELEMENT, "update_expression"):
            if _reference_cast(source, within)[0] is not None:
                return _no(source, within, "becomes another type, which is not followed")
            within = around(within)
        return None
    top = _whole(cast)
    again, _ = _reference_cast(source, top)
    to = re.sub(r"\b(?:const|volatile)\b|&", "", kind).strip()
    if again is not None or not re.fullmatch(r"(?!auto\b|decltype\b)[\w:<>, ]+", to):
        return _no(source, element, f"becomes {kind}, which is not followed")
    if why := bound(source, top):
        return Refusal(f"{source.shown(cast)} {why}", source.place(cast.start_byte))
    taken = _is_taken(source, top)
    further = reached(source, around(top)) if taken else in_macros(source, top, reached)
    return further if isinstance(further, Refusal) else (f"sizeof({to})", *further)


def in_macros(source: CxxSource, element: Node, reached: FromAddress) -> Kept:
    """How many bytes macros of the file move from an element that they are given: as it is, as one
    of two, or as what another macro makes of it."""
    kept: Moved = ()
    top, parent = element, around(element)
    while parent is not None:
        if parent.type == "argument_list" and macro_of(source, parent) is not None:
            found = in_macro(source, top, parent, lambda text, node: _one(text, node, reached))
            if isinstance(found, Refusal):
                return found
            kept, top = (*kept, *found), around(parent)
        elif parent.type in SAME_ELEMENT:
            top = parent
        else:
            break
        parent = around(top)
    return tuple(dict.fromkeys(kept))


def _one(source: CxxSource, node: Node, reached: FromAddress) -> Kept:
    """What happens to the parameter of a macro at one place of its text."""
    top, parent = node, around(node)
    while parent is not None and parent.type in SAME_ELEMENT:
        top, parent = parent, around(parent)
    if parent is not None and parent.type == "argument_list":
        moved = as_reference(source, node, reached)
        return Refusal(f"hands {source.shown(top)} on") if moved is None else moved
    return as_element(source, node, reached)


def _whole(part: Node) -> Node:
    """The member of an element, of whatever member, that a node is the begin of."""
    while around(part) is not None and around(part).type == "field_expression":
        part = around(part)
    return part


def _is_taken(source: CxxSource, element: Node) -> bool:
    """Whether the address of an element is taken where it stands."""
    parent = around(element)
    address = parent is not None and parent.type == "pointer_expression"
    return bool(address and source.of(parent)[0] == "&")


def _seems_cast(source: CxxSource, element: Node) -> bool:
    """Whether ``(P)&s[i]``, which the tree has as an operation of two numbers, may be a cast: ``P``
    is no variable."""
    name = behind_parentheses(source, element)
    return name is not None and not operand(source, name)


def _reference_cast(source: CxxSource, element: Node) -> tuple[Node, str]:
    """The cast of an lvalue to a reference, and its type; None without one. In the tree ``(T&)a =
    b`` is a cast of all that is behind it."""
    parent = around(element)
    kind = ""
    if parent is not None and parent.type == "assignment_expression":
        left = inside_parentheses(parent.child_by_field_name("left"))
        outer = around(parent)
        parent = outer if left == element and outer.type == "cast_expression" else parent
    if parent is not None and parent.type == "cast_expression":
        kind = source.of(parent.child_by_field_name("type"))
    elif parent is not None and parent.type == "argument_list":
        parent = around(parent)
        function = parent.child_by_field_name("function")
        arguments = function.child_by_field_name("arguments") if function is not None else None
        if arguments is not None and SAME.fullmatch(called(source, parent)):
            kind = source.of(arguments)[1:-1]
    return (parent, kind) if "&" in kind or names_reference(source, kind) else (None, "")


def _no(source: CxxSource, element: Node, why: str) -> Refusal:
    return Refusal(f"{source.shown(element)} {why}", source.place(element.start_byte))
