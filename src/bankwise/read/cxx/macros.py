"""What a macro of the file does with an element that it is given: it is no function.

    #define FLOAT4(x) (*(float4*)&(x))
    FLOAT4(s[r][c]) = v;                 moves a float4, though it looks like an element by value

Its text is parsed as an expression in which the parameter is a variable.
"""

from __future__ import annotations

import re

from bankwise.errors import Refusal
from bankwise.read.cxx.reach import Kept, argument_of, reach
from bankwise.read.cxx.tree import CxxSource, Node, around, called, named, parse, walk


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


def _one(source: CxxSource, node: Node) -> Kept:
    """What happens to the parameter at one place."""
    parent = around(node)
    if parent.type == "pointer_expression" and source.of(parent)[0] == "&":
        return reach(source, parent)
    if parent.type == "argument_list":
        why = f"hands {source.of(node)} on"
        return Refusal(why)
    return ()
