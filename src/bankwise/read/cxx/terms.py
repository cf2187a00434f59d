"""The terms of an index into a flat array: what each is a multiple of, and how large it can be.

    As[stage * (BM * BK) + row * BK + k]      with  for (int k = 0; k < BK; ++k)

The first two are multiples of the constants in them, and k is less than BK. That is decided on the
text; which numbers the constants are, the compiler says. A bound is given only where every value
is zero or more: of loop variables that nothing else changes, remainders, masks, and of sums and
products of such.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from bankwise.read.cxx.constants import named_numbers
from bankwise.read.cxx.multiples import (
    DEPTH,
    INDEX_TYPES,
    declaration_of,
    has_sign,
    multiples,
    says_the_same,
    whole_type,
)
from bankwise.read.cxx.pieces import constant
from bankwise.read.cxx.stable import FIXED, only_read, unstable
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    inside_parentheses,
    named,
    span,
    walk,
)


class IndexTerm(Struct, frozen=True):
    """A term of a sum. ``multiples``: constants in C++, whose common divisor divides it;
    ``bound``: the largest value that it can have, in C++, where none is below zero; else empty."""

    span: ByteSpan
    multiples: tuple[str, ...]
    bound: str


class IndexParts(Struct, frozen=True):
    """An index as the sum of multiples of a fold's block and the place inside one. ``phase``: of
    the multiples those that the fold reads; it is ``factor`` times what it says."""

    high: str
    low: str
    phase: str
    factor: int


def parts_of(
    source: CxxSource,
    index: ByteSpan,
    facts: Sequence[tuple[int, int]],
    block: int,
    period: int,
) -> IndexParts | None:
    """The parts of an index, by what each of its terms is a multiple of, and its largest value;
    None where the terms do not say it."""
    terms = terms_of(source, index)
    if not facts or len(facts) != len(terms):
        return None
    inside = [most for multiple, most in facts if multiple % block]
    if not inside or len(inside) == len(facts) or min(inside) < 0 or sum(inside) >= block:
        return None
    both = list(zip(terms, facts, strict=True))
    high = [term for term, (multiple, _) in both if multiple % block == 0]
    low = [term for term, (multiple, _) in both if multiple % block]
    read = [term for term, (multiple, _) in both if multiple % block == 0 and multiple % period]
    texts = (" + ".join(source.of(one.span) for one in some) for some in (high, low, read))
    phase, factor = _divided(source, read[0]) if len(read) == 1 else ("", 1)
    first, second, third = texts
    if len(low) == 1:
        alone = low[0].span
        node = source.root.named_descendant_for_byte_range(alone.start, alone.stop)
        second = source.of(inside_parentheses(node))
    return IndexParts(first, second, phase or third, factor if phase else 1)


def in_row(
    source: CxxSource, index: ByteSpan, facts: Sequence[tuple[int, int]], row: int
) -> tuple[IndexParts, int] | None:
    """The parts of an index of which the second never leads into another row of so many elements,
    and what the first is a multiple of; None where the terms do not say it."""
    for block in sorted({multiple for multiple, _ in facts if multiple > 1}, reverse=True):
        parts = parts_of(source, index, facts, block, 1 << 62) if row % block == 0 else None
        if parts is not None:
            return parts, block
    return None


def _divided(source: CxxSource, term: IndexTerm) -> tuple[str, int]:
    """``X * 32`` as X and 32; nothing where the number is none or no power of two."""
    node = source.root.named_descendant_for_byte_range(term.span.start, term.span.stop)
    node = inside_parentheses(node)
    if node.type != "binary_expression" or source.of(node.children[1]) != "*":
        return "", 1
    left, right = named(node)
    text = source.of(right)
    if not text.isdecimal() or int(text) < 2 or int(text) & (int(text) - 1):
        return "", 1
    return source.of(inside_parentheses(left)), int(text)


def meant(source: CxxSource, index: ByteSpan) -> ByteSpan:
    """The sum that a variable is set from, where an index is one and both keep their values until
    it is used: ``int c = tx * 8 + n; s[r][c]``; else the index."""
    node = source.root.named_descendant_for_byte_range(index.start, index.stop)
    node = inside_parentheses(node) if span(node) == index else node
    declared = declaration_of(source, node) if node.type == "identifier" else None
    if declared is None or declared[1].type == "for_statement":
        return index
    value, block = declared[0].child_by_field_name("value"), declared[1]
    if value is None or value.type != "binary_expression" or not only_read(source, node, block):
        return index
    kind = declared[0].parent.child_by_field_name("type")
    constants = {*named_numbers(source), *_template_names(source, node)}
    kept = source.of(kind) in INDEX_TYPES and not unstable(source, value, block, constants)
    return span(value) if kept else index


def _template_names(source: CxxSource, node: Node) -> set[str]:
    """What the parameters are called of the templates around a place."""
    found: set[str] = set()
    while node.parent is not None:
        node = node.parent
        names = node.child_by_field_name("parameters") if "template" in node.type else None
        parts = () if names is None else walk(names)
        found |= {source.of(one) for one in parts if one.type == "identifier"}
    return found


def terms_of(source: CxxSource, index: ByteSpan, depth: int = 0) -> tuple[IndexTerm, ...]:
    """The terms of an index, in order; none where it is no sum of several, or a difference.
    Of ``p + a + b`` the index is all behind the pointer. ``depth``: as of :func:`multiples`."""
    known, key = _known_terms(source), (index, depth)
    if key not in known:
        known[key] = _terms(source, index, depth)
    return known[key]


@lru_cache(maxsize=4)
def _known_terms(source: CxxSource) -> dict[tuple[ByteSpan, int], tuple[IndexTerm, ...]]:
    """The terms that were asked for."""
    return {}


def _terms(source: CxxSource, index: ByteSpan, depth: int) -> tuple[IndexTerm, ...]:
    node = source.root.named_descendant_for_byte_range(index.start, index.stop)
    whole = (node.start_byte, node.end_byte) == (index.start, index.stop)
    node = inside_parentheses(node) if whole else node
    terms: list[Node] = []
    while node.type == "binary_expression" and source.of(node.children[1]) == "+":
        node, last = named(node)
        terms.insert(0, last)
        if node.type == "binary_expression" and source.of(node.children[1]) == "-":
            return ()
        if not whole and last.start_byte == index.start:
            break
    if whole:
        terms.insert(0, node)
    elif not terms or (terms[0].start_byte, terms[-1].end_byte) != (index.start, index.stop):
        return ()
    found: list[IndexTerm] = []
    for one in terms:
        most = bound(source, one, DEPTH)
        most = most if says_the_same(source, most, one) else ""
        found.append(IndexTerm(span(one), tuple(multiples(source, one, depth)), most))
    return tuple(found)


def bound(source: CxxSource, node: Node, depth: int) -> str:
    """The largest value of an expression that is never below zero, in C++; else empty."""
    node = inside_parentheses(node)
    if node.type == "number_literal" and source.of(node).isdecimal():
        return source.of(node)
    if node.type == "identifier":
        return _variable(source, node, depth - 1) if depth else ""
    if node.type != "binary_expression":
        return ""
    left, right = named(node)
    sign = source.of(node.children[1])
    if sign == "%" and constant(source, right) and positive(source, left, depth):
        return f"({source.of(right)}) - 1"
    if sign == "&" and constant(source, right):
        return source.of(right)
    if sign in "+*":
        both = bound(source, left, depth), bound(source, right, depth)
        if sign == "*" and constant(source, right):
            both = (both[0], source.of(right))
        return f"({both[0]}) {sign} ({both[1]})" if all(both) else ""
    return ""


def positive(source: CxxSource, node: Node, depth: int) -> bool:
    """Whether an expression is never below zero: of places in a launch, and what has a bound."""
    node = inside_parentheses(node)
    if node.type == "field_expression":
        return source.of(node.children[0]) in FIXED
    if node.type == "binary_expression" and source.of(node.children[1]) in ("+", "*", "/", "%"):
        return all(positive(source, one, depth) for one in named(node))
    if node.type == "binary_expression" and source.of(node.children[1]) == ">>":
        return positive(source, named(node)[0], depth)
    if node.type in ("number_literal", "sizeof_expression") or bound(source, node, depth):
        return True
    if node.type == "identifier" and named_numbers(source).get(source.of(node), -1) >= 0:
        return True
    if node.type == "identifier" and depth:
        declared = declaration_of(source, node)
        if declared is None or not only_read(source, node, declared[1]):
            return False
        head = declared[1].type == "for_statement"
        start = declared[0].child_by_field_name("value")
        return bool(
            start is not None
            and not head
            and whole_type(source, declared[0])
            and positive(source, start, depth - 1)
        ) or _counts_up(source, node, declared, depth)
    return False


def none_below(source: CxxSource, total: Node, begin: int) -> bool:
    """Whether a sum of those terms that stand at a byte and behind it is the same by itself: none
    is below zero, or all of them have a sign."""
    parts = [one for one in walk(total) if one.is_named and one.start_byte >= begin]
    if all(has_sign(source, one) for one in parts):
        return True
    while total.type == "binary_expression":
        total, last = named(total)
        if source.of(total.parent.children[1]) != "+" or not positive(source, last, DEPTH):
            return False
        if last.start_byte == begin:
            return True
    return False


def _variable(source: CxxSource, node: Node, depth: int) -> str:
    """Of a variable of a loop that counts up to a constant, or one that keeps its first value."""
    declared = declaration_of(source, node)
    if declared is None:
        return ""
    one, block = declared
    if block.type == "for_statement":
        test = block.child_by_field_name("condition")
        if not _counts_up(source, node, declared, depth) or test.type != "binary_expression":
            return ""
        name, end = named(test)
        sign = source.of(test.children[1])
        if source.of(name) != source.of(node) or not constant(source, end):
            return ""
        inside = block.child_by_field_name("body")
        if not inside.start_byte <= node.start_byte < inside.end_byte:
            return ""
        return {"<": f"({source.of(end)}) - 1", "<=": source.of(end)}.get(sign, "")
    value = one.child_by_field_name("value")
    kept = whole_type(source, one) and only_read(source, node, block)
    if value is None or not kept:
        return ""
    return bound(source, value, depth)


def _counts_up(source: CxxSource, node: Node, declared: tuple[Node, Node], depth: int) -> bool:
    """Whether a loop's variable begins at a number and is only counted up, by the loop alone."""
    one, block = declared
    if block.type != "for_statement" or block.child_by_field_name("update") is None:
        return False
    start, update = one.child_by_field_name("value"), block.child_by_field_name("update")
    text, name = source.of(update).replace(" ", ""), source.of(node)
    step = update.child_by_field_name("right")
    ups = text in (f"++{name}", f"{name}++") or bool(
        step is not None and text.startswith(f"{name}+=") and positive(source, step, depth - 1)
    )
    begins = start is not None and depth and positive(source, start, depth - 1)
    return bool(ups and begins and only_read(source, node, block.child_by_field_name("body")))
