"""Sums and products of C++: the terms of one, and those that another has for a factor."""

from __future__ import annotations

from collections.abc import Collection

from bankwise.read.cxx.tree import ByteSpan, CxxSource, Node, inside_parentheses, named, span


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
