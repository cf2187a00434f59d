"""What is added to a pointer behind a cast, added before the cast.

    *((int4*)(p + row * 128) + t)   ->  *((int4*)(p + row * 128 + (t) * (sizeof(int4) / 2)))
    ((int4*)(p + row * 128))[t]     ->  ((int4*)(p + row * 128 + ..))[0]

Behind the cast an index does not tell the row, so no layout can be written there; before it one
index tells the place. Both are one place by the meaning of pointer arithmetic, where the one type
is a whole number of the other: of types whose sizes are known. A number that is added is as wide
as a pointer then, as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bankwise.change.cxx.expansion import ExpandedCall, written_out
from bankwise.read.cxx.arrays import SharedArray, shared_arrays
from bankwise.read.cxx.elements import SAME
from bankwise.read.cxx.reach import pointee
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    around,
    called,
    inside_parentheses,
    named,
    node_at,
    span,
)
from bankwise.read.cxx.type_bytes import TYPE_BYTES


def with_sums(
    source: CxxSource, found: Sequence[ExpandedCall]
) -> tuple[CxxSource, tuple[ExpandedCall, ...]]:
    """A source, in which calls of macros are written out, with what is added to arrays before
    casts; as it is where no pointer less begins inside of an array then."""
    every = sorted(dict(_sums(source)).items())
    wanted = [
        (at, text)
        for at, text in every
        if not any(at.holds(other) for other, _ in every if other != at)
    ]
    if not wanted:
        return source, tuple(found)
    made, calls = written_out(source, found, wanted)
    fewer = _begun_inside(made) < _begun_inside(source)
    return (made, calls) if fewer else (source, tuple(found))


def _begun_inside(source: CxxSource) -> int:
    return sum(len(one.bases) for one in shared_arrays(source))


def _sums(source: CxxSource) -> Iterator[tuple[ByteSpan, str]]:
    """The sums and elements of arrays that are counted from a cast in their middle, each with what
    it is with one index."""
    for array in shared_arrays(source):
        for base in array.bases:
            node = None if base.scale else node_at(source, base.span)
            cast = None if node is None else _cast_of(source, node)
            found = None if cast is None else _summed(source, array, *cast)
            if found is not None:
                yield found


def _cast_of(source: CxxSource, term: Node) -> tuple[Node, Node, str] | None:
    """The cast of the sum that a term is in, that sum, and the type that is pointed to then."""
    total = term
    while total.parent is not None and total.parent.type == "binary_expression":
        total = total.parent
    outer = total.parent.parent if total.parent is not None else None
    added = total.type == "binary_expression" and source.of(total.children[1]) in ("+", "-")
    if outer is None or not added or len(named(total.parent)) != 1:
        return None
    kind = ""
    if outer.type == "cast_expression" and total.parent.type == "parenthesized_expression":
        kind = source.of(outer.child_by_field_name("type"))
    elif outer.type == "call_expression" and SAME.fullmatch(called(source, outer)):
        given = outer.child_by_field_name("function").child_by_field_name("arguments")
        kind = source.of(given)[1:-1] if given is not None else ""
    to = pointee(kind)
    return (outer, total, to) if to else None


def _summed(
    source: CxxSource, array: SharedArray, cast: Node, inner: Node, to: str
) -> tuple[ByteSpan, str] | None:
    """What counts on from a cast by one number: as a sum, or by an index."""
    parent, more, end = around(cast), "0", ""
    wide, one = _bytes(source, to), _bytes(source, array.element)
    if parent is None or not one or wide <= one or wide % one:
        return None
    if parent.type == "binary_expression" and source.of(parent.children[1]) == "+":
        first, second = named(parent)
        more = source.of(second) if inside_parentheses(first) == cast else "0"
    elif parent.type == "subscript_expression":
        index, end = named(parent.child_by_field_name("indices")), "[0]"
        alone = inside_parentheses(parent.children[0]) == cast and len(index) == 1
        more = source.of(index[0]) if alone else "0"
    if more == "0":
        return None
    before = source.data[parent.start_byte : inner.start_byte].decode()
    behind = source.data[inner.end_byte : cast.end_byte].decode()
    closed = ")" * (before.count("(") - before.count(")") - behind.count(")"))
    step = f"(sizeof({to}) / sizeof({array.element}))"
    return span(parent), f"{before}{source.of(inner)} + ({more}) * {step}{behind}{closed}{end}"


def _bytes(source: CxxSource, kind: str) -> int:
    """How many bytes a type has that is what everybody calls so; 0 of another one."""
    texts = (source.text, *(text for _, text in source.beside))
    own = (re.search(_OWN.format(kind=re.escape(kind)), text) for text in texts)
    return TYPE_BYTES.get(kind, 0) if not any(own) else 0


_OWN = (
    r"\b(?:struct|class|union|enum|using|typename|define)\s+(?:__\w+\s*(?:\([^()]*\)\s*)?)*{kind}\b"
    r"|\btypedef\b[^;]*\b{kind}\s*;|\}}\s*{kind}\s*;"
)
"""Declares a type of a name, or a macro."""
