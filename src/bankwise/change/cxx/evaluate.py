"""Expressions of C++ evaluated over arrays of values: what the proof computes new indices with."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.counting.access import IntArray
from bankwise.read.cxx.constants import named_numbers
from bankwise.read.cxx.operand import operand
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    inside_parentheses,
    named,
    node_at,
    one_line,
)


def value_of(source: CxxSource, node: Node, names: Mapping[str, IntArray]) -> IntArray | None:
    """An expression of XOR, shifts, masks and sums over known parts; None for any other. ``names``:
    what its parts are, by their texts in one line; names of numbers, of the file's own, are
    these."""
    outer, node = node, inside_parentheses(node)
    text, whole = (one_line(source.of(one)) for one in (node, outer))
    if whole in names and outer != node:
        return names[whole]
    if text in names:
        return names[text] if outer != node or _together(source, node) else None
    if node.type == "number_literal":
        return (
            np.asarray(int(text)) if text.isdecimal() and (text == "0" or text[0] != "0") else None
        )
    if node.type == "identifier":
        number = named_numbers(source).get(text)
        return None if number is None else np.asarray(number)
    if node.type != "binary_expression" or len(named(node)) != 2:
        return None
    left, right = (value_of(source, one, names) for one in named(node))
    if left is None or right is None:
        return None
    return _apply(source.of(node.child_by_field_name("operator")), left, right)


def value_at(source: CxxSource, index: ByteSpan, names: Mapping[str, IntArray]) -> IntArray | None:
    """A new index, of the values of the old ones; one of these as it was stands alone."""
    if bare(source, index) in names:
        return names[bare(source, index)]
    node = node_at(source, index)
    return None if node is None else value_of(source, node, names)


def bare(source: CxxSource, span: ByteSpan) -> str:
    """An index without the parentheses around it, in one line."""
    node = node_at(source, span)
    whole = node is not None and (node.start_byte, node.end_byte) == (span.start, span.stop)
    return one_line(source.of(inside_parentheses(node) if whole else span))


def _together(source: CxxSource, node: Node) -> bool:
    """Whether an expression is one operand where it stands, whatever macros other files define."""
    if node.type == "binary_expression":
        return all(_together(source, one) for one in named(node))
    return node.type == "parenthesized_expression" or operand(source, node)


def _apply(sign: str, left: IntArray, right: IntArray) -> IntArray | None:
    """None for what this does not compute: C++ divides negative numbers otherwise than Python."""
    operations: dict[str, Callable[[IntArray, IntArray], IntArray]] = {
        "^": np.bitwise_xor,
        "&": np.bitwise_and,
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": np.floor_divide,
        "<<": np.left_shift,
        ">>": np.right_shift,
    }
    if sign not in operations or (sign == "/" and ((left < 0).any() or (right < 1).any())):
        return None
    return np.asarray(operations[sign](left, right))
