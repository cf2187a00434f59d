"""What a macro of the file does with an element that it is given: it is no function.

    #define FLOAT4(x) (*(float4*)&(x))
    FLOAT4(s[r][c]) = v;                 moves a float4, though it looks like an element by value

Its text is parsed as an expression in which the parameter is a variable. One that names an array
itself is followed where it is one element, with all its indices:

    #define S(i, j) s[(i)][(j)]          S(t, 3) is the element of the array s that is in scope
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bankwise.errors import Refusal
from bankwise.read.cxx.functions import macros_named, macros_of
from bankwise.read.cxx.reach import Kept, argument_of, reach
from bankwise.read.cxx.tree import (
    CxxSource,
    Node,
    around,
    called,
    inside_parentheses,
    named,
    parse,
    walk,
    words,
)


def macro_of(source: CxxSource, arguments: Node) -> Node | None:
    """The function-like macro of the file that is called; None for a function."""
    call = around(arguments)
    if call is None or call.type != "call_expression":
        return None
    name = called(source, call)
    found = (node for node in walk(source.root) if node.type == "preproc_function_def")
    return next((n for n in found if source.of(n.child_by_field_name("name")) == name), None)


def in_macro(source: CxxSource, element: Node, arguments: Node) -> Kept:
    """How many bytes a macro moves from an element, as :func:`reach` says it."""
    macro, place = (
        macro_of(source, arguments),
        named(arguments).index(argument_of(element, arguments)),
    )
    assert macro is not None, "asked of a macro"
    taken = [source.of(n) for n in named(macro.child_by_field_name("parameters"))]
    value = macro.child_by_field_name("value")
    body = source.of(value) if value is not None else ""
    called_ = source.of(macro.child_by_field_name("name"))
    if place >= len(taken) or "#" in body or "__VA_ARGS__" in body:
        why = f"the macro {called_} does what is not followed with {source.of(element)}"
        return Refusal(why, source.place(element.start_byte))
    inner = parse(f"void f() {{ {body.replace(chr(92), ' ')}; }}", source.file)
    kept: list[str] = []
    for node in walk(inner.root):
        if node.type == "identifier" and inner.of(node) == taken[place]:
            found = _one(inner, node)
            if isinstance(found, Refusal):
                why = f"the macro {called_}: {found.reason}"
                return Refusal(why, source.place(element.start_byte))
            kept += found
    seen = sum(n.type == "identifier" and inner.of(n) == taken[place] for n in walk(inner.root))
    if seen != len(re.findall(rf"\b{re.escape(taken[place])}\b", body)):
        why = f"the macro {called_} is not understood"
        return Refusal(why, source.place(element.start_byte))
    return tuple(dict.fromkeys(kept))


def elements_by_macro(
    source: CxxSource, name: str, rest: int, scope: Node, begin: int
) -> Iterator[tuple[str, Node] | Refusal]:
    """Where macros of the file name an element of an array of ``rest`` extents in its scope, with
    the macro; a Refusal for each macro that does anything else."""
    for macro in macros_named(source, name):
        word = source.of(macro.child_by_field_name("name"))
        whole = _names_element(source, macro, name, rest)
        hidden = next(macros_of(source, word), None)
        if not whole or hidden is not None or len(_defined(source, word)) != 1:
            why = f"the macro {word} names {name}"
            yield Refusal(why, source.place(macro.start_byte))
            continue
        own = macro.child_by_field_name("name").start_byte
        calls = {
            node.start_byte: node
            for node in walk(scope)
            if node.type == "call_expression"
            and source.of(node.child_by_field_name("function")) == word
            and not node.has_error
        }
        for byte in words(source, word):
            if byte == own or not max(begin, scope.start_byte) <= byte < scope.end_byte:
                continue
            if byte in calls:
                yield word, calls[byte]
            else:
                why = f"{word} stands where the syntax tree shows no use of it"
                yield Refusal(why, source.place(byte))


def _defined(source: CxxSource, word: str) -> list[Node]:
    """All definitions of a macro, and what takes them back."""
    found = (n for n in walk(source.root) if n.type.startswith("preproc_"))
    return [
        node
        for node in found
        if (
            node.child_by_field_name("name") is not None
            and source.of(node.child_by_field_name("name")) == word
        )
        or (node.type == "preproc_call" and word in source.of(node).split())
    ]


def _names_element(source: CxxSource, macro: Node, name: str, rest: int) -> bool:
    """Whether a macro is ``name[..][..]`` with all indices, and names it nowhere else."""
    value = macro.child_by_field_name("value")
    body = source.of(value).replace(chr(92), " ") if value is not None else ""
    if macro.type != "preproc_function_def" or "#" in body or "__VA_ARGS__" in body:
        return False
    inner = parse(f"void f() {{ {body}; }}", source.file)
    statements = [n for n in walk(inner.root) if n.type == "compound_statement"]
    if inner.root.has_error or len(statements) != 1 or len(named(statements[0])) != 1:
        return False
    (node,) = named(statements[0])
    node = next(iter(named(node)), node) if node.type == "expression_statement" else node
    for _ in range(rest):
        node = inside_parentheses(node)
        if node.type != "subscript_expression":
            return False
        if len(named(node.child_by_field_name("indices"))) != 1:
            return False
        node = node.children[0]
    node = inside_parentheses(node)
    return inner.of(node) == name and len(list(words(inner, name))) == 1


def _one(source: CxxSource, node: Node) -> Kept:
    """What happens to the parameter at one place."""
    parent = around(node)
    if parent.type == "pointer_expression" and source.of(parent)[0] == "&":
        return reach(source, parent)
    if parent.type == "argument_list":
        why = f"hands {source.of(node)} on"
        return Refusal(why)
    return ()
