"""What a macro of the file, or of its headers, does with what it is given: it is no function.

    #define LOAD(v, p) v = *(float4*)(p)
    LOAD(v, &s[r][c]);                   moves a float4
    #define LDSM(v, a) asm("ldmatrix.sync.. {%0}, [%1];" : "=r"(v) : "r"(a))
    LDSM(v, address);                    moves what the instruction moves

Its text is parsed as a statement in which the parameter is a variable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from bankwise.errors import Refusal
from bankwise.read.cxx.beside import header_macros
from bankwise.read.cxx.functions import definitions
from bankwise.read.cxx.own_words import with_words
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    around,
    called,
    every,
    named,
    parse,
    walk,
)

Moved = tuple[str | ByteSpan, ...]
"""How many bytes are moved together, in C++: "sizeof(float4)"; none: an element. A span is an
expression of the text: so many elements on the next row of a matrix begins, which is moved too."""

Kept = Moved | Refusal


def has_rows(moved: Moved) -> bool:
    """Whether rows of a matrix are moved."""
    return any(isinstance(one, ByteSpan) for one in moved)


def argument_of(node: Node, arguments: Node) -> Node:
    """The argument of a list that a node stands in."""
    while node.parent != arguments:
        node = node.parent
    return node


def macro_of(source: CxxSource, arguments: Node) -> Node | None:
    """A function-like macro of the file, or of its headers, that is called; None for a function."""
    return next((macro for _, macro in macros_called(source, arguments)), None)


def macros_called(source: CxxSource, arguments: Node) -> list[tuple[CxxSource, Node]]:
    """All that the file and its headers define by the name that is called: which one holds, the
    preprocessor knows."""
    call = around(arguments)
    if call is None or call.type != "call_expression":
        return []
    return macros_defined(source, called(source, call))


def macros_defined(source: CxxSource, name: str) -> list[tuple[CxxSource, Node]]:
    """The same of a name."""
    known = _known(source)
    if name not in known:
        own = every(source, "preproc_function_def")
        mine = [one for one in own if source.of(one.child_by_field_name("name")) == name]
        known[name] = [*((source, one) for one in mine), *header_macros(source, name)]
    return known[name]


@lru_cache(maxsize=4)
def _known(source: CxxSource) -> dict[str, list[tuple[CxxSource, Node]]]:
    """The macros that were asked for, by name."""
    return {}


def in_macro(
    source: CxxSource, given: Node, arguments: Node, at: Callable[[CxxSource, Node], Kept]
) -> Kept:
    """How many bytes a macro of the file moves from what it is given. ``at``: the same of each
    place where its parameter stands."""
    argument, every = argument_of(given, arguments), named(arguments)
    place, kept = every.index(argument), list[str | ByteSpan]()
    word = called(source, around(arguments))
    if definitions(source, word):
        why = f"is given to {word}, which is a macro and a function"
        return Refusal(f"{source.shown(given)} {why}", source.place(given.start_byte))
    for text, macro in macros_called(source, arguments):
        taken = [text.of(n) for n in named(macro.child_by_field_name("parameters"))]
        found = _in_text(text, macro, taken, argument, place, at)
        if isinstance(found, str):
            why = found.format(macro=f"the macro {word}", given=source.of(given))
            return Refusal(why, source.place(given.start_byte))
        said = dict(zip(taken, map(source.of, every), strict=False))
        kept += (with_words(one, said) or one if isinstance(one, str) else one for one in found)
    return tuple(dict.fromkeys(kept))


def for_caller(source: CxxSource, at: Node, kept: Moved, said: Mapping[str, str]) -> Kept:
    """What is said of bytes in a function in the words of who calls it; ``said``: what its own are
    there."""
    found: list[str | ByteSpan] = []
    for one in kept:
        text = with_words(one, said) if isinstance(one, str) else one
        if text is None:
            why = f"moves {one}, which only the function that gets it knows"
            return Refusal(f"{source.shown(at)} {why}", source.place(at.start_byte))
        found.append(text)
    return tuple(found)


def _in_text(
    source: CxxSource,
    macro: Node,
    taken: Sequence[str],
    argument: Node,
    place: int,
    at: Callable[[CxxSource, Node], Kept],
) -> Moved | str:
    """The same of one definition, which is given an argument for one of its parameters; as one text
    why it is not followed."""
    value = macro.child_by_field_name("value")
    body = source.of(value) if value is not None else ""
    if place >= len(taken) or "#" in body or "__VA_ARGS__" in body:
        return "{macro} does what is not followed with {given}"
    inner = parse(f"void f() {{ {body.replace(chr(92), ' ')}; }}", source.file)
    if any(map(_lives_on, walk(inner.root))):
        return "{macro} declares what lives on behind it, or a reference"
    places = [n for n in walk(inner.root) if n.type == "identifier" and inner.of(n) == taken[place]]
    if len(places) != len(re.findall(rf"\b{re.escape(taken[place])}\b", body)):
        return "{macro} is not understood"
    if not all(_is_apart(node, argument) for node in places):
        return "{macro} has no parentheses around {given}"
    kept: list[str | ByteSpan] = []
    for node in places:
        found = at(inner, node)
        if not isinstance(found, Refusal) and has_rows(found):
            return "{macro} moves a matrix, with a row length of its own"
        if isinstance(found, Refusal):
            return "{macro}: " + found.reason.replace("{", "{{").replace("}", "}}")
        kept += found
    return tuple(kept)


_POSTFIX = frozenset(
    {
        *("identifier", "subscript_expression", "call_expression", "field_expression"),
        *("parenthesized_expression", "number_literal"),
    }
)
_UNARY = frozenset({"pointer_expression", "unary_expression", "cast_expression"})
_APART = frozenset(
    {
        *("parenthesized_expression", "argument_list", "subscript_argument_list"),
        *("init_declarator", "expression_statement", "initializer_list"),
        *("gnu_asm_input_operand", "gnu_asm_output_operand"),
    }
)
"""What binds an operand, and where any expression stands by itself."""


def _is_apart(parameter: Node, argument: Node) -> bool:
    """Whether an argument is one operand where a parameter stands in a macro's text: nothing there
    binds a part of it."""
    parent = parameter.parent
    if argument.type in _POSTFIX or parent.type in _APART:
        return True
    if parent.type == "assignment_expression":
        return bool(parent.child_by_field_name("right") == parameter)
    return argument.type in _UNARY and parent.type in (*_UNARY, "binary_expression")


def _lives_on(node: Node) -> bool:
    """Whether a macro declares what is seen by all that follows it, or a reference."""
    if node.type != "declaration":
        return bool(node.type == "reference_declarator")
    outer = node.parent.parent
    return outer is None or bool(outer.type == "function_definition")
