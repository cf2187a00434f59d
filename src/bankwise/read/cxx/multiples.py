"""What an expression is a multiple of, whatever its variables are.

    int at = row * 128 + col * 4;           a multiple of 4
    for (..) { As[at + 1] = v; at += 1024; }    and still one, as all that is added to it is

The constants are told in C++, for the compiler to say which numbers they are. Of a variable every
value that it ever gets is looked at: what divides them all divides it. One whose values are not all
seen, by a pointer, a macro, a lambda or an instruction, is a multiple of 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from bankwise.read.cxx.functions import function_of
from bankwise.read.cxx.pieces import constant
from bankwise.read.cxx.stable import FIXED, is_read, only_read_by_macros
from bankwise.read.cxx.tree import (
    CxxSource,
    Node,
    around,
    block_of,
    inside_parentheses,
    is_parameter,
    mentions,
    named,
    walk,
)

DEPTH = 8
"""Variables that are set from variables in turn."""

INDEX_TYPES = (
    *("int", "unsigned", "unsigned int", "auto", "size_t", "int32_t", "uint32_t", "uint"),
    *("long", "unsigned long", "long long", "unsigned long long", "int64_t", "uint64_t"),
    *("std::size_t", "ptrdiff_t"),
)
"""Types that hold every index."""

INTEGERS = (
    *(one for one in INDEX_TYPES if one != "auto"),
    *("char", "short", "unsigned char", "unsigned short", "bool"),
    *("int8_t", "uint8_t", "int16_t", "uint16_t"),
)
"""Types of whole numbers alone."""


def multiples(source: CxxSource, node: Node, depth: int = 0) -> list[str]:
    """Constants, in C++, of which each term of an expression has one as a factor. ``depth``: so
    many variables in turn are taken for what they are set from."""
    found = dict.fromkeys(_multiples(source, node, depth, frozenset()))
    return [one if says_the_same(source, one, node) else "1" for one in found]


def _multiples(
    source: CxxSource, node: Node, depth: int, seen: Set[tuple[int, str]]
) -> Iterator[str]:
    """The same. ``seen``: variables whose values these are, and what is made of such a one is a
    multiple of what it is. What may be no whole number is ``1.0``, which makes all that it is
    multiplied with none."""
    node = inside_parentheses(node)
    if constant(source, node):
        yield source.of(node)
    elif node.type == "conditional_expression":
        for part in named(node)[1:]:
            yield from _multiples(source, part, depth, seen)
    elif node.type == "identifier" and depth:
        yield from _multiples_of(source, node, depth - 1, seen)
    elif node.type != "binary_expression":
        yield _one(source, node)
    else:
        sign = source.of(node.children[1])
        first, second = (tuple(_multiples(source, n, depth, seen)) for n in named(node))
        if sign in ("+", "-"):
            yield from (*first, *second)
        elif sign == "*":
            yield from (f"({a}) * ({b})" for a in first for b in second)
        elif sign == "<<" and constant(source, named(node)[1]):
            yield from (f"({if_whole(a, '1')}) << ({second[0]})" for a in first)
        else:
            yield _one(source, node)


_UNKNOWN = "1.0"


def _one(source: CxxSource, node: Node) -> str:
    """A 1 of the type that the expression has, if nothing but its constants decides that."""
    constants: list[str] = []
    if not _is_whole(source, node, constants):
        return _UNKNOWN
    return f"(decltype({' + '.join(constants)} + 0))1" if constants else "1"


def if_whole(text: str, other: str) -> str:
    """A number, in C++, if it is a whole one; else the ``other``."""
    if _PLAIN.fullmatch(text):
        return text
    return f"((decltype(({text}) + 0))0.5 ? {other} : (int)({text}))"


_PLAIN = re.compile(r"[\d()*<+\s-]*")


def _multiples_of(
    source: CxxSource, name: Node, depth: int, seen: Set[tuple[int, str]]
) -> Iterator[str]:
    """The same of a variable, by all that is ever assigned or added to it."""
    declared = declaration_of(source, name)
    if declared is None or not whole_type(source, declared[0]):
        yield _one(source, name)
        return
    key = declared[0].start_byte, source.of(name)
    if key in seen:
        yield "0"
        return
    cuts = _type_of(source, declared[0]) != "auto"
    for one in _values(source, name, *declared):
        found = (_UNKNOWN,) if one is None else _multiples(source, one, depth, {*seen, key})
        yield from (if_whole(text, "1") if cuts else text for text in found)


def _values(source: CxxSource, name: Node, declarator: Node, block: Node) -> list[Node | None]:
    """All that a variable is set to, or that is added to or subtracted from it; None for what is
    not known to be a number."""
    found = [declarator.child_by_field_name("value")]
    found = [one for one in found if one is not None]
    if not only_read_by_macros(source, source.of(name), block):
        return [None]
    for one in mentions(source, block, source.of(name)):
        if _declares(one) or is_read(source, one):
            continue
        parent = around(one)
        sign = parent.child_by_field_name("operator")
        added = parent.type == "assignment_expression" and source.of(sign) in ("=", "+=", "-=")
        found.append(parent.child_by_field_name("right") if added else None)
    return found or [None]


_WHOLE_LITERAL = re.compile(r"(?:0[xX][\da-fA-F']+|[\d']+)[uUlLzZ]*")
_WHOLE_SIGNS = ("%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||")


def _is_whole(source: CxxSource, node: Node, constants: list[str]) -> bool:
    """Whether an expression is a whole number, as far as the text tells, where the ``constants``
    that it adds are."""
    node = inside_parentheses(node)
    if node.type == "number_literal":
        return _WHOLE_LITERAL.fullmatch(source.of(node)) is not None
    if node.type == "field_expression":
        return source.of(node.children[0]) in FIXED
    if node.type == "binary_expression":
        either = source.of(node.children[1]) in _WHOLE_SIGNS
        return either or all(_is_whole(source, one, constants) for one in named(node))
    if node.type == "cast_expression":
        return source.of(node.child_by_field_name("type")) in INTEGERS
    if node.type == "call_expression":
        return _gives_whole(source, node, constants)
    if node.type != "identifier":
        return False
    if not (declared := _declared_whole(source, node)):
        constants.append(f"({source.of(node)})")
    return declared or constant(source, node)


def _gives_whole(source: CxxSource, call: Node, constants: list[str]) -> bool:
    """Of a call: of a conversion, or of what gives one of its arguments."""
    name = source.of(call.child_by_field_name("function")).replace(" ", "")
    arguments = named(call.child_by_field_name("arguments"))
    converts = name in INTEGERS or name.removeprefix("static_cast<").removesuffix(">") in INTEGERS
    gives = name in ("min", "max", "__mul24", "__umul24")
    return converts or (gives and all(_is_whole(source, one, constants) for one in arguments))


def _declared_whole(source: CxxSource, name: Node) -> bool:
    """Whether all that the function declares by a name is of a whole type, and something is."""
    function = function_of(name)
    kinds = [
        around(one) if around(one).type != "init_declarator" else around(one).parent
        for one in (walk(function) if function is not None else ())
        if one.type == "identifier" and source.of(one) == source.of(name) and _declares(one)
    ]
    types = [one.child_by_field_name("type") for one in kinds]
    return bool(types) and all(one is not None and source.of(one) in INTEGERS for one in types)


def says_the_same(source: CxxSource, text: str, use: Node) -> bool:
    """Whether the names of a constant, which may be one of another place of the function, are the
    same there: declared once at most, around the ``use``."""
    names = set(re.findall(r"[A-Za-z_]\w*", text))
    function = function_of(use) if names else None
    declared = [
        one
        for one in (walk(function) if function is not None else ())
        if one.type == "identifier" and source.of(one) in names and _declares(one)
    ]
    scopes = [block_of(around(one)) for one in declared]
    once = len({source.of(one) for one in declared}) == len(declared)
    return once and all(one.start_byte <= use.start_byte < one.end_byte for one in scopes)


def whole_type(source: CxxSource, declarator: Node) -> bool:
    """Whether a variable is declared with a type that holds every index."""
    return _type_of(source, declarator) in INDEX_TYPES


_SIGNED = ("int", "int32_t", "long", "long long", "int64_t", "ptrdiff_t")


def has_sign(source: CxxSource, node: Node) -> bool:
    """Whether a part of an expression is an operation of numbers, or one that has a sign."""
    if node.type == "identifier":
        every = mentions(source, function_of(node) or source.root, source.of(node))
        declared = [around(one) for one in every if _declares(one)]
        return bool(declared) and all(_type_of(source, one) in _SIGNED for one in declared)
    number = node.type == "number_literal" and source.of(node).isdecimal()
    return number or node.type in ("binary_expression", "parenthesized_expression")


def _type_of(source: CxxSource, declarator: Node) -> str:
    statement = declarator.parent if declarator.type == "init_declarator" else declarator
    kind = statement.child_by_field_name("type")
    return source.of(kind) if kind is not None else ""


def declaration_of(source: CxxSource, node: Node) -> tuple[Node, Node] | None:
    """The declarator with its value that a name means, and the block or loop it holds in; None for
    what is declared otherwise."""
    name, block = source.of(node), node
    while block.parent is not None:
        block = block_of(block)
        inner = block.child_by_field_name("initializer") if "for" in block.type else block
        every = mentions(source, inner if inner is not None else block, name)
        found = [one for one in every if _declares(one)]
        here = [one for one in found if block_of(around(one)) == block]
        if here:
            parent = around(here[0])
            plain = len(here) == 1 and parent.type in ("init_declarator", "declaration")
            first = here[0].start_byte < node.start_byte
            return (parent, block) if plain and first else None
    return None


def _declares(node: Node) -> bool:
    parent = around(node)
    if parent.type == "init_declarator":
        return bool(parent.child_by_field_name("declarator") == node)
    return parent.type in ("declaration", "reference_declarator") or is_parameter(node)
